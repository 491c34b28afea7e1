"""What is drawn, checked before matplotlib sees it."""

from difflib import get_close_matches

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skirt._bank import ItemBank
from skirt._multidim._bank import MultidimBank
from skirt._sklearn_compat import FrozenEstimator
from skirt.plotting._style import MOST_CURVES


def fitted_bank(estimator, kind=ItemBank):
    """Return the calibrated bank that an estimator is, or holds.

    Parameters
    ----------
    estimator : estimator
        A bank, a frozen one, or a fitted selector or `FluidBenchmark`, whose bank is
        in `estimator_`.
    kind : class
        What the picture needs: `ItemBank`, `MultidimBank`, or a tuple of both.

    Raises
    ------
    NotFittedError
        If it is not fitted.
    TypeError
        If it is of another kind.
    """
    if not isinstance(estimator, BaseEstimator):
        raise TypeError(f"An estimator is drawn here; got {estimator!r}.")
    bank = estimator
    while not isinstance(bank, ItemBank | MultidimBank):
        if isinstance(bank, FrozenEstimator):
            bank = bank.estimator
            continue
        check_is_fitted(bank)
        if not hasattr(bank, "estimator_"):
            raise TypeError(
                f"{type(estimator).__name__} holds no item parameters: pass a fitted "
                "TwoPLEstimator or OnePLEstimator (MultidimIRT for several abilities)."
            )
        bank = bank.estimator_
    if not isinstance(bank, kind):
        raise TypeError(
            f"This picture is of one ability, and {type(bank).__name__} has several: "
            "fit a TwoPLEstimator to draw it."
            if kind is ItemBank
            else f"This picture is of several abilities: fit a MultidimIRT; got "
            f"{type(bank).__name__}."
        )
    check_is_fitted(bank, "discrimination_")
    return bank


def item_positions(items, names, *, most=MOST_CURVES):
    """Return the positions of items given by name (str) or position (int).

    Parameters
    ----------
    items : str, int, or sequence of them
    names : ndarray of str
        The bank's item names.
    most : int
        How many one picture can show.
    """
    if isinstance(items, str | int | np.integer):
        items = [items]
    items = list(items)
    if not 1 <= len(items) <= most:
        raise ValueError(
            f"{len(items)} items are asked for: one picture shows 1 to {most} that can "
            "be told apart. Draw more on further axes (ax=)."
        )
    place = {str(name): j for j, name in enumerate(names)}
    positions = [_position(item, place) for item in items]
    if len(set(positions)) < len(positions):
        raise ValueError(f"An item is asked for twice in {items!r}.")
    return np.array(positions, dtype=np.intp)


def _position(item, place):
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        if not -len(place) <= item < len(place):
            raise ValueError(
                f"There is no item at position {item}: there are {len(place)} items, "
                f"0 to {len(place) - 1}."
            )
        return int(item) % len(place)
    found = place.get(item) if isinstance(item, str) else None
    if found is None:
        raise ValueError(f"There is no item {item!r}.{near(item, place)}")
    return found


def near(name, names):
    """Return a sentence with the names that are most like one that is not there."""
    close = get_close_matches(str(name), list(names), n=3, cutoff=0.5)
    if not close:
        first = ", ".join(repr(known) for known in list(names)[:3])
        return f" The names are like {first}."
    return f" Is it {' or '.join(repr(known) for known in close)}?"


def normal_quantile(confidence):
    """Return how many standard errors an interval of this confidence reaches."""
    check_share("confidence", confidence)
    return float(norm.ppf(0.5 + confidence / 2))


def check_share(name, value):
    """Refuse a number that is not strictly between 0 and 1."""
    if not (isinstance(value, float | np.floating) and 0 < value < 1):
        raise ValueError(f"{name} is {value!r}: give a number between 0 and 1.")


def check_count(name, value, least=1):
    """Refuse what is not a whole number of at least `least`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(f"{name} is {value!r}: give a whole number, at least {least}.")


def numbers(name, values, shape=None):
    """Return an array of floats, of the given shape."""
    values = np.asarray(values, dtype=np.float64)
    if shape is not None and values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}: it needs {shape}.")
    return values
