"""What every bank of items has: checked responses, and a likelihood to be scored by."""

from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skirt._responses import check_responses
from skirt._weights import check_sample_weight


class LikelihoodScore(BaseEstimator):
    """An estimator whose score is the likelihood of responses."""

    def _checked(self, X):
        check_is_fitted(self, "discrimination_")
        return check_responses(self, X, reset=False, binarize=self.binarize)

    @abstractmethod
    def score_samples(self, X):
        """Marginal log-likelihood of each model's responses."""

    def score(self, X, y=None, sample_weight=None):
        """Mean marginal log-likelihood per observed response.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            Responses 1, 0, NaN.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_models,), optional
            How often each model counts.

        Returns
        -------
        float
            Weighted sum of `score_samples` over weighted number of responses: on
            held-out models it tells, say, how many abilities the data bear.
        """
        log_likelihood = self.score_samples(X)
        X = self._checked(X)
        weights = check_sample_weight(sample_weight, X)
        observed = X.shape[1] - np.isnan(X).sum(axis=1)
        if weights @ observed <= 0:
            raise ValueError("X holds no observed response, so it has no score.")
        return float(weights @ log_likelihood / (weights @ observed))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
