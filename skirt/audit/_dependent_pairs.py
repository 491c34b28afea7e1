"""The search for pairs of items that depend on one another beyond chance."""

import sys
import time
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed

from skirt._threads import one_blas_thread
from skirt.audit._q3 import Residuals

# Items on each side of a block of correlations: 16 MB an array in single precision.
_BLOCK = 2048
# The normal bound that screens pairs is this much laxer than the tail asked for: the
# tails of products of rare answers are heavier, of few answers lighter, than normal.
_LAXER = 1.0


@dataclass(frozen=True)
class DependentPairs:
    """The pairs found, and out of how many.

    Attributes
    ----------
    first, second : ndarray of shape (n_pairs,), int
        Columns of the items.
    q3, p_value, p_adjusted : ndarray of shape (n_pairs,)
    n_dependent : int
        Before those beyond `max_pairs` were left out.
    n_related : int
        The pairs of one family, which were tested apart.
    """

    first: np.ndarray
    second: np.ndarray
    q3: np.ndarray
    p_value: np.ndarray
    p_adjusted: np.ndarray
    n_dependent: int
    n_related: int


@one_blas_thread
def find_dependent_pairs(
    residuals,
    testable,
    item_families,
    *,
    alpha,
    min_q3,
    max_pairs,
    n_jobs,
    verbose,
):
    """Find the pairs beyond chance; return them, the largest q3 first.

    Parameters
    ----------
    residuals : Residuals
    testable : ndarray of shape (n_items,), bool
        The items to look at.
    item_families : ndarray of shape (n_items,), int
        Pairs of one family are tested apart from all others.
    alpha : float
        False discovery rate.
    min_q3 : float
        The least distance of q3 from its mean.
    max_pairs : int
    n_jobs, verbose : int

    Returns
    -------
    DependentPairs
    """
    columns = np.flatnonzero(testable)
    first, second = _related_pairs(columns, item_families)
    related = _tested(residuals, first, second, min_q3)
    # No more pairs than items are looked for: their procedure's last threshold.
    largest_p = min(1.0, 2 * alpha / max(columns.size, 1))
    screen = _Screen.of(residuals, columns, min_q3, largest_p)
    parts = list(gen_batches(columns.size, _BLOCK))
    blocks = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(screen.search)(rows, others, verbose)
        for number, rows in enumerate(parts)
        for others in parts[number:]
    )
    found = np.concatenate([np.empty((4, 0)), *blocks], axis=1)
    families = item_families[found[:2].astype(np.intp)]
    unrelated = found[:, families[0] != families[1]]
    n_unrelated = columns.size * (columns.size - 1) // 2 - first.size
    both = np.hstack(
        [
            _beyond_chance(unrelated, n_unrelated, alpha),
            _beyond_chance(related, first.size, alpha),
        ]
    )
    n_dependent = both.shape[1]
    both = both[:, np.argsort(both[3], kind="stable")[:max_pairs]]
    both = both[:, np.lexsort((both[1], both[0], -np.abs(both[2]).round(9)))]
    (first_item, second_item), (q3, p, adjusted) = both[:2].astype(np.intp), both[2:]
    return DependentPairs(
        first_item, second_item, q3, p, adjusted, n_dependent, first.size
    )


def _beyond_chance(found, n_pairs, alpha):
    """Return the rows first, second, q3, p of what is significant, and adjusted p.

    Benjamini and Hochberg's procedure, of whose `n_pairs` only the pairs with small
    p-values are at hand.
    """
    found = found[:, np.argsort(found[3], kind="stable")]
    adjusted = found[3] * n_pairs / np.arange(1, found.shape[1] + 1)
    adjusted = np.minimum(np.minimum.accumulate(adjusted[::-1])[::-1], 1.0)
    return np.vstack([found, adjusted])[:, adjusted <= alpha]


def _related_pairs(columns, item_families):
    """Return the pairs of columns of one family, the first before the second."""
    families = item_families[columns]
    order = np.argsort(families, kind="stable")
    starts = np.flatnonzero(np.diff(families[order], prepend=-1))
    members = np.split(columns[order], starts[1:])
    pairs = [group[np.array(np.triu_indices(group.size, 1))] for group in members]
    return np.concatenate([np.empty((2, 0), dtype=np.intp), *pairs], axis=1)


def _tested(residuals, first, second, min_q3, largest_p=1.0):
    """Return first, second, q3 and p, as rows, of the pairs within both limits."""
    q3, p = residuals.test_pairs(first, second)
    kept = (p <= largest_p) & (np.abs(q3 - residuals.mean_q3) >= min_q3)
    return np.array([first, second, q3, p])[:, kept]


@dataclass(frozen=True)
class _Screen:
    """The matrix products, in single precision, that tell which pairs to look at.

    Attributes
    ----------
    residuals : Residuals
    columns : ndarray of shape (n_columns,), int
        The items to look at.
    values, variance : ndarray of shape (n_units, n_columns), float32
        Residuals, and variances of the answers.
    answered : ndarray of shape (n_units, n_columns), float32, or None
    min_q3, largest_p : float
    """

    residuals: Residuals
    columns: np.ndarray
    values: np.ndarray
    variance: np.ndarray
    answered: np.ndarray | None
    min_q3: float
    largest_p: float

    @classmethod
    def of(cls, residuals, columns, min_q3, largest_p):
        values = residuals.values[:, columns].astype(np.float32)
        expected = residuals.expected[:, columns]
        variance = (expected * (1 - expected)).astype(np.float32)
        answered = residuals.answered
        if answered is not None:
            answered = answered[:, columns].astype(np.float32)
        return cls(residuals, columns, values, variance, answered, min_q3, largest_p)

    def search(self, rows, others, verbose):
        """Return items, q3 and p, as rows, of the pairs of two slices of columns."""
        started = time.perf_counter()
        first, second = self._near(rows, others)
        out = _tested(
            self.residuals,
            self.columns[first],
            self.columns[second],
            self.min_q3,
            self.largest_p,
        )
        if verbose:
            print(
                f"[item_redundancy] items {rows.start} to {rows.stop} with "
                f"{others.start} to {others.stop}: {first.size} pairs looked at, "
                f"{time.perf_counter() - started:.1f} s",
                file=sys.stderr,
            )
        return out

    def _near(self, rows, others):
        """Return the pairs, as positions in `columns`, that may be within limits."""
        e, f = self.values[:, rows], self.values[:, others]
        product = e.T @ f
        if self.answered is None:
            scale = np.outer(*(np.sqrt(np.square(x).sum(axis=0)) for x in (e, f)))
        else:
            m, o = self.answered[:, rows], self.answered[:, others]
            count = np.maximum(m.T @ o, 1)
            ours, theirs = e.T @ o, m.T @ f
            product -= ours * theirs / count
            scale = np.square(e).T @ o - np.square(ours) / count
            scale *= m.T @ np.square(f) - np.square(theirs) / count
            scale = np.sqrt(np.maximum(scale, 0))
        product -= np.float32(self.residuals.mean_q3) * scale
        far = np.abs(product)
        least = norm.isf(self.largest_p / 2) - _LAXER
        near = far >= (self.min_q3 - 1e-3) * scale
        spread = self.variance[:, rows].T @ self.variance[:, others]
        near &= np.square(far) >= max(least, 0) ** 2 * spread
        near &= scale > 1e-6
        first, second = np.nonzero(near)
        first, second = first + rows.start, second + others.start
        distinct = first < second
        return first[distinct], second[distinct]
