"""Tests of several abilities: what is known of the models, and which item is next."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skirt._multidim._log_posterior import GatheredItems
from skirt._multidim._scoring import climb
from skirt.adaptive._optimal_design import (
    design_gain,
    joint_design_gain,
    normal_points,
)
from skirt.adaptive._score_criteria import (
    SCORE_CRITERIA,
    gain_under_normal,
    joint_score_gain,
)


class SeveralAbilities:
    """Posterior modes under the multivariate normal prior, answer by answer.

    Parameters
    ----------
    design : TestDesign
    answers : Answers
        Of the models; kept, to be read.

    Attributes
    ----------
    ability, standard_error : ndarray of shape (n_models, n_abilities)
    covariance : ndarray of shape (n_models, n_abilities, n_abilities)
        Of the posteriors: the inverse of the prior's precision plus the information.
    """

    def __init__(self, design, answers):
        items, n_models = design.items, len(answers.count)
        self._design = design
        self._answers = answers
        self._prior = np.linalg.inv(items.correlation)
        self.ability = np.full((n_models, items.n_abilities), design.start_ability)
        self.covariance = np.tile(items.correlation, (n_models, 1, 1))
        self._change = np.full(self.ability.shape, np.nan)

    @property
    def standard_error(self):
        """Square roots of the posterior variances."""
        return np.sqrt(np.einsum("nkk->nk", self.covariance))

    def precision(self, models):
        """Return the largest standard error of an ability of interest, and move."""
        chosen = list(self._design.dimensions)
        error = np.sqrt(self.covariance[models][:, chosen, chosen])
        return error.max(axis=1), np.abs(self._change[models][:, chosen]).max(axis=1)

    def record(self, models):
        """Estimate the abilities anew, after one more answer of each of the models."""
        before = self.ability[models]
        items, values = self._answers.of(models)
        known = self._design.items.known
        posterior = GatheredItems(known, items, values, self._prior)
        ability, covariance, astray = climb(posterior, before)
        if astray.size:
            warnings.warn(
                f"The ability of {astray.size} models (the first is row "
                f"{models[astray[0]]}) was not found to full precision.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.ability[models], self.covariance[models] = ability, covariance
        self._change[models] = ability - before

    def search(self, models, open_items, strata, draws):
        """Return None: there is no way around looking at all items."""

    def values(self, models, waiting):
        """Return what each item is worth to each of the models."""
        design = self._design
        if design.criterion in SCORE_CRITERIA:
            return self._score_values(models, waiting)
        if waiting:
            (model,) = models
            return joint_design_gain(
                design.items,
                design.criterion,
                self.ability[model],
                self.covariance[model],
                design.dimensions,
                np.r_[self._answers.of_one(model), waiting],
            )
        return design_gain(
            design.items,
            design.criterion,
            self.ability[models],
            self.covariance[models],
            design.dimensions,
        )

    def _score_values(self, models, waiting):
        design = self._design
        items, values = self._answers.of(models)
        if not waiting:
            return gain_under_normal(
                design.target, self.ability[models], self.covariance[models], items
            )
        (model,) = models
        points = normal_points(self.ability[model], self.covariance[model])
        return joint_score_gain(
            design.target, design.criterion, points, items[0], values[0], waiting
        )
