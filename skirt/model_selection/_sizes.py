"""Finding the parameter that says how many items an estimator may use."""

import numbers

import numpy as np

_SIZE_NAMES = ("k", "n_items")


def is_size_name(name):
    """Say whether a (nested) parameter's own name is that of a size."""
    return name.split("__")[-1] in _SIZE_NAMES


def size_parameter(estimator, label):
    """Return the name of the estimator's one size parameter.

    The least nested one is taken: a selector's own ``k`` goes before a ``k`` of an
    estimator inside it.
    """
    names = [name for name in estimator.get_params(deep=True) if is_size_name(name)]
    depth = min((name.count("__") for name in names), default=0)
    names = sorted(name for name in names if name.count("__") == depth)
    if len(names) == 1:
        return names[0]
    found = "none was found" if not names else f"found {', '.join(names)}"
    raise ValueError(
        f"{label!r} needs exactly one parameter for the number of items, 'k' or "
        f"'n_items', of its own or of one step of a pipeline: {found}. Wrap it so that "
        "one remains."
    )


def check_sizes(k, n_items):
    """Return the sizes to test, ascending, and those that exceed the items."""
    sizes = np.atleast_1d(np.asarray(k, dtype=object))
    for size in sizes:
        whole = isinstance(size, numbers.Integral) and not isinstance(size, bool)
        if not whole or size < 1:
            raise ValueError(
                f"k holds {size!r}: a size is a whole number of items, at least 1."
            )
    if len(sizes) == 0:
        raise ValueError("k is empty: name at least one number of items to test.")
    ordered = sorted({int(size) for size in sizes})
    fitting = [size for size in ordered if size <= n_items]
    too_large = [size for size in ordered if size > n_items]
    if not fitting:
        raise ValueError(
            f"Every k is larger than the {n_items} items there are: k={ordered}. Test "
            f"sizes of at most {n_items}."
        )
    return fitting, too_large
