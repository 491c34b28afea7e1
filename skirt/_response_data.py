"""The response matrix in the form the engines compute with."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class ResponseData:
    """Responses with missing cells set to 0, and the patterns of what was asked.

    What a model was asked enters the marginal likelihood only through the sum of
    the items' normalisers, which is the same for all models that were asked the
    same items. Complete data have one such pattern, and the cost of everything
    that involves items x quadrature nodes no longer grows with the models.

    Attributes
    ----------
    responses : ndarray of shape (n_models, n_items)
        1, 0, and 0 where missing. Shares memory with the input if nothing is missing.
    masks : ndarray of shape (n_patterns, n_items)
        1.0 where the pattern includes the item.
    pattern : ndarray of shape (n_models,)
        The row of `masks` that belongs to each model.
    weights : ndarray of shape (n_models,)
        How often each model counts.
    """

    responses: np.ndarray
    masks: np.ndarray
    pattern: np.ndarray
    weights: np.ndarray

    @classmethod
    def from_matrix(cls, X, sample_weight=None):
        """Split a 0/1/NaN matrix; one copy of it where anything is missing."""
        weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
        missing = np.isnan(X)
        if not missing.any():
            masks = np.ones((1, X.shape[1]))
            return cls(X, masks, np.zeros(X.shape[0], dtype=np.intp), weights)
        packed = np.ascontiguousarray(np.packbits(missing, axis=1))
        keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
        masks = (~missing[first]).astype(np.float64)
        responses = X.copy()
        responses[missing] = 0.0
        return cls(responses, masks, pattern.ravel(), weights)

    @property
    def complete(self):
        """Whether every model answered every item."""
        return self.masks.shape[0] == 1 and bool(self.masks.all())

    @property
    def n_models(self):
        """Number of rows."""
        return self.responses.shape[0]

    @property
    def n_items(self):
        """Number of columns."""
        return self.responses.shape[1]

    def sum_over_patterns(self, rows):
        """Add up weighted rows, (n_models, m), within patterns: (n_patterns, m)."""
        if self.masks.shape[0] == 1:
            return (self.weights @ rows)[None, :]
        return self._pattern_weights @ rows

    @cached_property
    def _pattern_weights(self):
        place = (self.pattern, np.arange(self.n_models))
        shape = (self.masks.shape[0], self.n_models)
        return csr_matrix((self.weights, place), shape=shape)

    def answers_per_item(self):
        """Weighted number of answers to each item, (n_items,)."""
        per_pattern = np.bincount(self.pattern, self.weights, self.masks.shape[0])
        return per_pattern @ self.masks

    def answers_per_model(self):
        """Number of answers of each model, (n_models,)."""
        return self.masks.sum(axis=1)[self.pattern]

    def mask_rows(self, rows):
        """1.0 where the given models (a slice) answered, broadcastable to them."""
        if self.masks.shape[0] == 1:
            return self.masks
        return self.masks[self.pattern[rows]]


def calibration_panel(responses, weights):
    """Return all models, and those that a calibration may count.

    Models without an answer or a weight take no part, but have abilities all the same.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
    weights : ndarray of shape (n_models,)

    Returns
    -------
    panel, counted : ResponseData
        The same object where every model counts.

    Raises
    ------
    ValueError
        If fewer than two models count.
    """
    panel = ResponseData.from_matrix(responses, weights)
    counted = (weights > 0) & (panel.answers_per_model() > 0)
    if counted.sum() < 2:
        raise ValueError(
            f"Only {counted.sum()} of {len(counted)} models have answers and a "
            "positive weight: a calibration needs at least two."
        )
    if counted.all():
        return panel, panel
    return panel, ResponseData.from_matrix(responses[counted], weights[counted])
