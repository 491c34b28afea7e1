"""Anderson's acceleration of a fixed-point iteration (Walker & Ni 2011)."""

import numpy as np

# An extrapolation goes no more times farther than a plain step.
_FARTHEST = 20.0


class Anderson:
    """Combines the last points of x -> f(x) into one with a smaller residual.

    Parameters
    ----------
    depth : int
        How many differences are combined.
    """

    def __init__(self, depth=6):
        self.depth = depth
        self.forget()

    def forget(self):
        """Start afresh."""
        self._images, self._residuals = [], []

    def __call__(self, point, image, scale):
        """Return the next point.

        Parameters
        ----------
        point, image : ndarray of shape (n,)
            x and f(x).
        scale : ndarray of shape (n,)
            Units in which residuals are measured.
        """
        residual = image - point
        self._images = [*self._images, image][-self.depth - 1 :]
        self._residuals = [*self._residuals, residual][-self.depth - 1 :]
        if len(self._images) < 2:
            return image
        residuals = np.diff(self._residuals, axis=0) / scale
        images = np.diff(self._images, axis=0)
        gram = residuals @ residuals.T
        gram[np.diag_indices_from(gram)] *= 1.0 + 1e-10
        weights = np.linalg.lstsq(gram, residuals @ (residual / scale), rcond=1e-12)[0]
        move = weights @ images
        length = float(np.linalg.norm(move / scale))
        most = _FARTHEST * float(np.linalg.norm(residual / scale))
        return image - min(1.0, most / max(length, 1e-300)) * move
