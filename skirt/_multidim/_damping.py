"""Shorter steps for items that go back and forth.

The posterior of an item whose answers tell little, one that nobody solved or that
separates the models, is wide, and its width depends on its own curvature: mean and
covariance may jump between two places for ever. Such an item takes a part of its step
only, of both.
"""

import numpy as np

# A step back is one against the last one, and at least so long a part of it.
_BACK = 0.6
# So many in a row are no accident, even where extrapolations are in between.
_PATIENCE = 4
_SHORTER = 0.5
_SHORTEST = 0.1


class ItemDamping:
    """The share of its step that each item takes; it only ever shrinks."""

    def __init__(self, n_items):
        self._share = np.ones(n_items)
        self._times = np.zeros(n_items, dtype=int)
        self._last = None
        self._uninterrupted = False

    def __call__(self, move, information, falls):
        """Return the shares for this cycle.

        Parameters
        ----------
        move : ndarray of shape (n_items, n_components + 1)
            The items' full steps.
        information : ndarray of shape (n_items, n_components + 1, n_components + 1)
            The metric in which they are compared with the last ones.
        falls : bool
            Whether the objective has fallen: items that went back are why.
        """
        if self._last is not None:
            image = np.einsum("jkl,jl->jk", information, self._last)
            along = np.einsum("jk,jk->j", move, image)
            back = along < -_BACK * np.einsum("jk,jk->j", self._last, image)
            self._times = np.where(back, self._times + 1, 0)
            damped = back & (falls and self._uninterrupted) | (self._times >= _PATIENCE)
            shorter = np.maximum(_SHORTER * self._share, _SHORTEST)
            self._share = np.where(damped, shorter, self._share)
            self._times[damped] = 0
        self._last, self._uninterrupted = move, True
        return self._share

    def interrupt(self):
        """The next step does not set out from where the last one led."""
        self._uninterrupted = False
