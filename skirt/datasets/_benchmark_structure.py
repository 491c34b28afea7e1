"""Which items make up which simulated benchmark, and what they measure."""

from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.utils import check_array

_ITEMS = 200
_COMPONENTS = 2


def check_shape(n_items, n_components, n_benchmarks, loadings):
    """Return the number of items of each benchmark and the number of dimensions."""
    rows, columns = (_ITEMS, _COMPONENTS) if loadings is None else loadings.shape
    if n_components is None:
        n_components = columns
    elif loadings is not None and n_components != columns:
        raise ValueError(
            f"loadings have {columns} columns, but n_components={n_components}: leave "
            "n_components out, or pass a column for each dimension."
        )
    if n_items is None or isinstance(n_items, Integral):
        total = rows if n_items is None else n_items
        if n_benchmarks is None:
            n_benchmarks = 2 * n_components
        if n_benchmarks > total:
            raise ValueError(
                f"n_benchmarks={n_benchmarks} is more than the {total} items: a "
                "benchmark needs at least one."
            )
        sizes = np.diff(np.arange(n_benchmarks + 1) * total // n_benchmarks)
    else:
        sizes = _whole_numbers(n_items, "n_items", 1, None)
        if n_benchmarks not in (None, len(sizes)):
            raise ValueError(
                f"n_items has {len(sizes)} numbers, but n_benchmarks={n_benchmarks}: "
                "leave n_benchmarks out, or pass a number for each benchmark."
            )
        total = sizes.sum()
    if loadings is not None and total != rows:
        raise ValueError(
            f"loadings have {rows} rows, but n_items makes {total} items: leave "
            "n_items out, or pass a row for each item."
        )
    return sizes, n_components


def check_correlation(value, n_components):
    """Return the correlation matrix and its Cholesky root."""
    if np.ndim(value) == 0:
        phi = np.full((n_components, n_components), float(value))
        np.fill_diagonal(phi, 1.0)
    else:
        phi = check_array(
            value, dtype=np.float64, copy=True, input_name="ability_correlation"
        )
        if phi.shape != (n_components, n_components):
            raise ValueError(
                f"ability_correlation has the shape {phi.shape}, but there are "
                f"{n_components} dimensions: pass one number or a square matrix."
            )
        if not (np.diag(phi) == 1).all() or not np.allclose(phi, phi.T, atol=1e-12):
            raise ValueError(
                "ability_correlation must be symmetric with ones on its diagonal: "
                f"got {phi.tolist()}. Abilities have the variance 1."
            )
    try:
        return phi, np.linalg.cholesky(phi)
    except np.linalg.LinAlgError:
        raise ValueError(
            f"ability_correlation={value!r} is not positive definite: no "
            f"{n_components} abilities correlate like that. Bring the correlations "
            "nearer to 0."
        ) from None


def check_targets(targets, n_benchmarks, n_components):
    """Return the declared dimension of each benchmark."""
    if targets is None:
        return np.arange(n_benchmarks) % n_components
    targets = _whole_numbers(targets, "targets", 0, n_components - 1)
    if len(targets) != n_benchmarks:
        raise ValueError(
            f"targets names {len(targets)} dimensions for {n_benchmarks} benchmarks: "
            "pass one for each."
        )
    return targets


def planted_dimensions(targets, sizes, n_components, names, order, mislabelled, split):
    """Return the dimension that each half of each benchmark follows.

    Parameters
    ----------
    targets, sizes : ndarray of int of shape (n_benchmarks,)
    n_components : int
    names : list of str
    order : ndarray of int
        The order in which benchmarks are drawn where only a number is asked for.
    mislabelled, split : int or array-like of str

    Returns
    -------
    ndarray of int of shape (n_benchmarks, 2)
    """
    kinds = {"split": split, "mislabelled": mislabelled}
    if n_components == 1 and any(_is_asked_for(value) for value in kinds.values()):
        raise ValueError(
            "With one dimension there is no other that a mislabelled or split "
            "benchmark could follow: leave both 0, or ask for n_components=2."
        )
    named = {label: _named(value, names, label) for label, value in kinds.items()}
    both = set(named["split"]) & set(named["mislabelled"])
    if both:
        raise ValueError(
            f"{names[min(both)]!r} is to be mislabelled and split: choose one."
        )
    planted = np.repeat(targets[:, np.newaxis], 2, axis=1)
    other = (targets + 1) % n_components
    planted[named["split"], 1] = other[named["split"]]
    planted[named["mislabelled"]] = other[named["mislabelled"], np.newaxis]
    free = [b for b in order if b not in {*named["split"], *named["mislabelled"]}]
    if isinstance(split, Integral):
        drawn = [b for b in free if sizes[b] > 1][:split]
        _check_enough(drawn, split, "split", "with two items or more")
        planted[drawn, 1] = other[drawn]
        free = [b for b in free if b not in drawn]
    if isinstance(mislabelled, Integral):
        drawn = []
        # In turns, because one that goes over can set free one that had to stay.
        for b in free * len(free):
            elsewhere = np.delete(planted, b, axis=0)
            stays = len(drawn) == mislabelled or b in drawn
            if not stays and (elsewhere == targets[b]).any():
                planted[b] = other[b]
                drawn.append(b)
        _check_enough(
            drawn, mislabelled, "mislabelled", "that is not the last of its dimension"
        )
    short = [b for b in named["split"] if sizes[b] < 2]
    if short:
        raise ValueError(
            f"{names[short[0]]!r} has one item, which cannot be split: give it more."
        )
    used = {*planted[:, 0], *planted[sizes > 1, 1]}
    left_out = [d for d in range(n_components) if d not in used]
    if left_out:
        raise ValueError(
            f"No benchmark follows dimension {left_out[0]}: use more benchmarks, other "
            "targets, or fewer dimensions."
        )
    return planted


def true_structure(discrimination, benchmark, half, names, targets):
    """Return what each benchmark claims and what it measures, as a table.

    Parameters
    ----------
    discrimination : ndarray of shape (n_items, n_components)
    benchmark, half : ndarray of int of shape (n_items,)
    names : list of str
    targets : ndarray of int of shape (n_benchmarks,) or None
        None takes the dominant dimensions.
    """
    squares = pd.DataFrame(discrimination**2)
    whole = squares.groupby(benchmark).mean().to_numpy().argmax(axis=1)
    halves = squares.groupby([benchmark, half]).mean().idxmax(axis=1)
    split = (halves.groupby(level=0).nunique() > 1).to_numpy()
    targets = whole if targets is None else targets
    means = pd.DataFrame(discrimination).groupby(benchmark).mean()
    truth = pd.DataFrame(
        {
            "n_items": np.bincount(benchmark),
            "target": targets,
            "dominant": pd.Series(whole, dtype="Int64").mask(split),
            "mislabelled": (whole != targets) & ~split,
            "split": split,
        }
    ).join(means.add_prefix("discrimination"))
    return truth.set_axis(pd.Index(names, name="benchmark"))


def _whole_numbers(values, label, low, high):
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(f"{label} must be whole numbers in a row; got {values!r}.")
    bad = array[(array < low) | (array > (array.max() if high is None else high))]
    if len(bad):
        limits = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{label} holds {bad[0]}: each must be {limits}.")
    return array.astype(np.intp)


def _is_asked_for(value):
    return int(value) > 0 if isinstance(value, Integral) else len(value) > 0


def _named(value, names, label):
    """Return the positions of the named benchmarks; none where a number is given."""
    if isinstance(value, Integral):
        return []
    unknown = [str(name) for name in value if str(name) not in names]
    if unknown:
        raise ValueError(
            f"{label} names {unknown[0]!r}, but the benchmarks are {names[0]!r} to "
            f"{names[-1]!r}."
        )
    return sorted({names.index(str(name)) for name in value})


def _check_enough(drawn, wanted, label, which):
    if len(drawn) < wanted:
        raise ValueError(
            f"{label}={wanted}, but only {len(drawn)} benchmarks are left {which}: ask "
            "for fewer, or use more benchmarks."
        )
