"""The rules that all readers keep: what a response is, repeats, names of items."""

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

DUPLICATES = ("first", "mean", "majority")

WAY_TO_BINARIZE = "binarize=t (--binarize T) counts values above t as 1 and others as 0"
WAY_TO_REPEAT = (
    "Say duplicates='first', 'majority' or, with binarize, 'mean' (--duplicates RULE), "
    "or keep one response for each model and item"
)


@dataclass(frozen=True)
class Rules:
    """What to do with scores that are not 0 or 1, and with repeated responses.

    Parameters
    ----------
    binarize : float or None
        A response is 1 where its score is above this, 0 where not. None refuses scores
        other than 0 and 1.
    duplicates : {"first", "mean", "majority"} or None
        The response of a model to an item that has several: the first that is graded,
        their mean (which `binarize` cuts), or what more than half of them are, missing
        at a tie. None refuses them.
    """

    binarize: float | None = None
    duplicates: str | None = None

    def __post_init__(self):
        t = self.binarize
        if t is not None and (
            isinstance(t, bool) or not isinstance(t, Real) or not math.isfinite(t)
        ):
            raise ValueError(f"binarize is a finite number or None, not {t!r}.")
        if self.duplicates is not None and self.duplicates not in DUPLICATES:
            raise ValueError(
                f"duplicates is one of {', '.join(map(repr, DUPLICATES))} or None, not "
                f"{self.duplicates!r}."
            )

    def cut(self, values):
        """Return the values as 0 and 1; NaN stays NaN."""
        if self.binarize is None:
            return values
        return np.where(np.isnan(values), np.nan, values > self.binarize)


def item_id(benchmark, item):
    """Return ``benchmark/item``.

    The first slash separates them: in the name of a benchmark it becomes a full stop.
    """
    return f"{str(benchmark).replace('/', '.')}/{item}"


def split_id(name):
    """Return (benchmark, item) of an id; the benchmark is None without a slash."""
    benchmark, slash, item = name.partition("/")
    return (benchmark, item) if slash and benchmark and item else (None, name)
