"""When a test is over, and why."""

from dataclasses import dataclass

import numpy as np

# In the order in which they are looked at; 0 means that the test goes on.
REASONS = ("", "standard_error", "change", "length", "exhausted")


@dataclass(frozen=True)
class StoppingRules:
    """The rules of one test.

    Attributes
    ----------
    n_items : int
        The most answers.
    se_target : float or None
        Enough precision.
    change_target : float or None
        The last answer moved the ability by less than this.
    min_items : int
        The fewest answers before precision or change may end the test.
    """

    n_items: int
    se_target: float | None
    change_target: float | None
    min_items: int

    def reasons(self, n_answers, standard_error, change, n_open):
        """Return the position in `REASONS` of each model.

        Parameters
        ----------
        n_answers : ndarray of int
        standard_error : ndarray
        change : ndarray
            By how much the last answer moved the ability; NaN before the first one.
        n_open : ndarray of int
            Items that could still be asked.
        """
        out = np.zeros(len(n_answers), dtype=np.intp)
        out[n_open == 0] = 4
        out[n_answers >= self.n_items] = 3
        long_enough = (n_answers >= self.min_items) & (n_answers > 0)
        if self.change_target is not None:
            out[long_enough & (np.abs(change) < self.change_target)] = 2
        if self.se_target is not None:
            out[long_enough & (standard_error <= self.se_target)] = 1
        return out
