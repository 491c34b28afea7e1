"""p-IRT and gp-IRT of Polo et al. (2024), with skirt's calibration and anchor points.

Polo, F. M., Weber, L., Choshen, L., Sun, Y., Xu, G. & Yurochkin, M. (2024).
tinyBenchmarks: evaluating LLMs with fewer examples. International Conference on Machine
Learning.
"""

import numpy as np

from skirt import AnchorPointSelector, MultidimIRT, TwoPLEstimator

# Their D is one of 2, 5, 10 and 15; with some dozens of models to train on fewer serve.
DIMENSIONS = (1, 2, 5)
# Training models for each dimension, as elsewhere in skirt.
MODELS_FOR_EACH = 4
# The simplest model is taken that is not farther than this from the best.
NEAR_ENOUGH = 0.0025


class Polo:
    """Their estimators, fitted to complete responses of training models.

    Parameters
    ----------
    X : ndarray of shape (n_models, n_items)
    n_groups : int
        Independent models among them.
    """

    def __init__(self, X, n_groups):
        self.X = X
        # As in their code: every fifth model validates, with the even items seen.
        validates = np.arange(len(X)) % 5 == 0
        dimensions = [
            d for d in DIMENSIONS if d == 1 or d * MODELS_FOR_EACH <= 0.8 * n_groups
        ]
        errors = np.array(
            [
                _validation_error(_calibrate(d, X[~validates]), X[validates])
                for d in dimensions
            ]
        )
        best = int(np.argmax(errors - errors.min() < NEAR_ENOUGH))
        self.dimension, self.bias = dimensions[best], errors[best]
        self.variance = np.nanvar(X, axis=1).mean()
        self.bank = _calibrate(self.dimension, X)

    def predict(self, X, k, seed):
        """Return what they call IRT (weighted anchors), p-IRT and gp-IRT."""
        anchors = AnchorPointSelector(k, random_state=seed).fit(self.X)
        weighted = anchors.predict(X)
        chosen = anchors.get_support()
        asked = np.where(chosen, X, np.nan)
        p = self.bank.inverse_transform(self.bank.transform(asked))
        share = k / X.shape[1]
        p_irt = share * np.nanmean(asked, axis=1) + (1 - share) * p[:, ~chosen].mean(
            axis=1
        )
        # Their heuristic: the anchors' mean has a quarter of a random mean's variance.
        weight = self.bias**2 / (self.variance / (4 * k) + self.bias**2)
        return weighted, p_irt, weight * weighted + (1 - weight) * p_irt


def _calibrate(dimension, X):
    if dimension == 1:
        return TwoPLEstimator().fit(X)
    return MultidimIRT(
        dimension, rotation=None, integration="variational", max_iter=50, tol=0.05
    ).fit(X)


def _validation_error(bank, X):
    """Mean absolute error of the mean of the odd items, predicted from the even."""
    seen = np.arange(X.shape[1]) % 2 == 0
    p = bank.inverse_transform(bank.transform(np.where(seen, X, np.nan)))
    p, X = p[:, ~seen], X[:, ~seen]
    known = ~np.isnan(X)
    error = np.where(known, p - np.nan_to_num(X), 0.0).sum(axis=1) / known.sum(axis=1)
    return float(np.abs(error).mean())
