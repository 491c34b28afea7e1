"""Tests of one ability: what is known of the models, and which item is next."""

import numpy as np

from skirt.adaptive._criteria import (
    AT_THE_ABILITY,
    CRITERIA,
    EXPECTED_INFORMATION,
    NEEDS_POSTERIOR,
    PROBABILITIES,
    Known,
    joint_gain,
)
from skirt.adaptive._fisher_search import FisherSearch
from skirt.adaptive._interim_ability import InterimAbilities
from skirt.adaptive._items import information_at
from skirt.adaptive._posterior import GridPosterior
from skirt.adaptive._score_criteria import (
    SCORE_CRITERIA,
    gain_on_nodes,
    joint_score_gain,
)

_NEEDS_POSTERIOR = NEEDS_POSTERIOR | set(SCORE_CRITERIA)


class OneAbility:
    """Interim abilities, and posteriors where they are needed.

    Parameters
    ----------
    design : TestDesign
    answers : Answers
        Of the models; kept, to be read.

    Attributes
    ----------
    ability, standard_error : ndarray of shape (n_models,)
    covariance : None
    """

    covariance = None

    def __init__(self, design, answers):
        n_models, capacity = answers.items.shape
        method = design.ability_method
        self._design = design
        self._answers = answers
        self.ability = np.full(n_models, design.start_ability)
        # Before any answer the prior's, of which likelihoods know nothing.
        prior = 1.0 if method in ("map", "eap") else np.inf
        self.standard_error = np.full(n_models, prior)
        self._change = np.full(n_models, np.nan)
        self._estimates = InterimAbilities(
            design.items, method, design.bounds, n_models, capacity
        )
        self._search = FisherSearch(design.items, design.rules.n_items, design.strata)
        self._posterior: GridPosterior | None = None
        if design.criterion in _NEEDS_POSTERIOR or method == "eap":
            self._known_posterior()

    def precision(self, models):
        """Return the standard errors, and by how much the last answer moved."""
        return self.standard_error[models], self._change[models]

    def record(self, models):
        """Estimate the abilities anew, after one more answer of each of the models."""
        place, items, values = self._answers.last(models)
        self._estimates.record(models, place, items, values)
        if self._posterior is not None:
            self._posterior.record(models, items, values)
        before = self.ability[models]
        self.ability[models], self.standard_error[models] = self._estimates.estimate(
            models, int(place.max(initial=-1)) + 1, before, self._posterior
        )
        self._change[models] = self.ability[models] - before

    def search(self, models, open_items, strata, draws):
        """Return the best items without looking at all, as `FisherSearch` does.

        None where that does not pay.
        """
        design = self._design
        pays = self._search.pays(len(models), design.randomesque)
        if not pays or design.criterion not in AT_THE_ABILITY:
            return None
        return self._search(
            self.ability[models], open_items[models], strata, design.randomesque, draws
        )

    def values(self, models, waiting):
        """Return what each item is worth to each of the models."""
        items, criterion = self._design.items, self._design.criterion
        if criterion in SCORE_CRITERIA:
            return self._score_values(models, waiting)
        if waiting:
            (model,) = models
            counted = self._answers.of_one(model)
            posterior = self._known_posterior()
            return joint_gain(items, posterior, int(model), counted, waiting)
        if criterion == EXPECTED_INFORMATION:
            return self._expected_information(models)
        known = Known(models, self.ability[models], self._posterior)
        return CRITERIA[criterion](items, known)

    def _score_values(self, models, waiting):
        design, posterior = self._design, self._known_posterior()
        answered = self._answers.of(models)
        if not waiting:
            return gain_on_nodes(
                design.target, design.criterion, posterior, models, *answered
            )
        (model,), (items, values) = models, answered
        points = posterior.quantiles(model, PROBABILITIES)[:, None]
        return joint_score_gain(
            design.target, design.criterion, points, items[0], values[0], waiting
        )

    def _expected_information(self, models):
        """Information at the ability after the answer, averaged over both answers."""
        items, before = self._design.items, self.ability[models]
        n_answers = int(self._answers.count[models].max(initial=0))
        total = np.zeros((len(models), len(items)))
        right = items.probability(before)
        for answer, chance in ((1.0, right), (0.0, 1.0 - right)):
            logit = self._estimates.after_one_more(
                models, n_answers, before, self._posterior, answer
            )
            logit *= items.discrimination
            logit += items.intercept
            chance *= information_at(logit, np.square(items.discrimination))
            total += chance
        return total

    def _known_posterior(self):
        """Return the posteriors, from all answers where none was needed before."""
        if self._posterior is None:
            self._posterior = GridPosterior(
                self._design.items, len(self.ability), self._design.bounds
            )
            for answered in self._answers.one_by_one():
                self._posterior.record(*answered)
        return self._posterior
