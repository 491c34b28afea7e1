"""Banks of several abilities in a subset's file."""

import numpy as np

from skirt._multidim._items import Items
from skirt.selection._score_target import ScoreBank

# Scores are told to a thousandth; errors of errors matter still less.
_DIGITS, _COVARIANCE_DIGITS = 7, 4


def banks_to_json(banks):
    """Return banks as lists of numbers, of covariances the lower triangle.

    Parameters
    ----------
    banks : sequence of ScoreBank

    Returns
    -------
    list of dict
    """
    return [_bank_to_json(bank) for bank in banks]


def banks_from_json(found, n_items):
    """Return the banks of a file, checked.

    Parameters
    ----------
    found : list of dict
    n_items : int
        That each of them has to know.

    Returns
    -------
    list of ScoreBank
    """
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise ValueError("'score_banks' of a subset is a list of JSON objects.")
    return [_bank_from_json(part, n_items) for part in found]


def _bank_to_json(bank):
    items = bank.items
    covariance = None
    if items.covariance is not None:
        lower = np.tril_indices(items.covariance.shape[-1])
        covariance = _rounded(items.covariance[:, *lower], _COVARIANCE_DIGITS)
    return {
        "discrimination": _rounded(items.discrimination, _DIGITS),
        "intercept": _rounded(items.intercept, _DIGITS),
        "covariance": covariance,
        "ability_correlation": _rounded(bank.correlation, _DIGITS),
    }


def _bank_from_json(found, n_items):
    slopes = numbers(found, "discrimination", (n_items, None))
    n_abilities = slopes.shape[1]
    covariance = None
    if found.get("covariance") is not None:
        rows, columns = np.tril_indices(n_abilities + 1)
        lower = numbers(found, "covariance", (n_items, len(rows)))
        covariance = np.empty((n_items, n_abilities + 1, n_abilities + 1))
        covariance[:, rows, columns] = covariance[:, columns, rows] = lower
    items = Items(slopes, numbers(found, "intercept", (n_items,)), covariance)
    correlation = numbers(found, "ability_correlation", (n_abilities, n_abilities))
    if not (np.linalg.eigvalsh(correlation) > 0).all():
        raise ValueError(
            "'ability_correlation' of the calibration is no correlation matrix."
        )
    return ScoreBank(items, correlation)


def _rounded(values, digits):
    """Return nested lists of numbers with so many significant digits."""
    if np.ndim(values) > 1:
        return [_rounded(row, digits) for row in values]
    return [float(f"{value:.{digits}g}") for value in values]


def numbers(found, key, shape):
    """Return what a calibration holds under a key; None in a shape is any length."""
    try:
        values = np.array(found.get(key), dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    fits = values.ndim == len(shape) and all(
        wanted in (None, there)
        for wanted, there in zip(shape, values.shape, strict=True)
    )
    if not fits or not np.isfinite(values).all():
        told = " x ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(
            f"{key!r} of the calibration does not hold {told} finite numbers."
        )
    return values
