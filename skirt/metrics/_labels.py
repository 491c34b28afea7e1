"""Whether two labelled inputs speak of the same models in the same order."""

import pandas as pd
from pandas.api.types import is_integer_dtype


def check_same_models(first, second, first_name, second_name):
    """Refuse two tables whose labels show that their rows do not belong together.

    Labels are compared as text, as the tables of this package name models. Inputs
    without labels, and labels that repeat, are taken by position; so are integers,
    which may only count the rows, against names of another kind, and 0, 1, ... in
    order against whatever other integers.

    Parameters
    ----------
    first, second : array-like
        Of equal length; only a Series or DataFrame has labels.
    first_name, second_name : str
        What the message calls them.

    Raises
    ------
    ValueError
        Where the labels are the same in another order, or others.
    """
    tables = (pd.Series, pd.DataFrame)
    if not (isinstance(first, tables) and isinstance(second, tables)):
        return
    ours, theirs = first.index.map(str), second.index.map(str)
    if not (ours.is_unique and theirs.is_unique) or list(ours) == list(theirs):
        return
    place = int((ours != theirs).argmax())
    unknown = theirs.difference(ours, sort=False)
    if not len(unknown):
        raise ValueError(
            f"{second_name} has the models of {first_name} in another order: at "
            f"position {place} it has {theirs[place]!r}, and {first_name} "
            f"{ours[place]!r}. Pass {second_name}"
            f"{_reindexed(first, second, first_name)}."
        )
    counts = [is_integer_dtype(table.index.dtype) for table in (first, second)]
    if counts[0] != counts[1] or (
        all(counts) and any(_is_plain(table.index) for table in (first, second))
    ):
        return
    raise ValueError(
        f"{second_name} has a model {unknown[0]!r} that {first_name} does not know "
        f"({len(unknown)} unknown of {len(theirs)}). Pass the same models in the same "
        "order, or arrays without labels if the rows do belong together."
    )


def _reindexed(first, second, first_name):
    """Say how to bring the second into the order of the first."""
    if first.index.isin(second.index).all():
        return f".reindex({first_name}.index)"
    return f".rename(index=str).reindex({first_name}.index.astype(str))"


def _is_plain(index):
    return list(index) == list(range(len(index)))
