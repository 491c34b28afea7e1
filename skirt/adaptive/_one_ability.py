"""Tests of one ability: what is known of the models, and which item is next."""

import numpy as np

from skirt.adaptive._criteria import (
    AT_THE_ABILITY,
    CRITERIA,
    NEEDS_POSTERIOR,
    Known,
    joint_gain,
)
from skirt.adaptive._fisher_search import FisherSearch
from skirt.adaptive._interim_ability import InterimAbilities
from skirt.adaptive._posterior import GridPosterior


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
        if design.criterion in NEEDS_POSTERIOR or method == "eap":
            self._start_posterior()

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
        items = self._design.items
        if waiting:
            if self._posterior is None:
                self._start_posterior()
            (model,) = models
            counted = self._answers.of_one(model)
            return joint_gain(items, self._posterior, int(model), counted, waiting)
        known = Known(models, self.ability[models], self._posterior)
        return CRITERIA[self._design.criterion](items, known)

    def _start_posterior(self):
        self._posterior = GridPosterior(
            self._design.items, len(self.ability), self._design.bounds
        )
        for answered in self._answers.one_by_one():
            self._posterior.record(*answered)
