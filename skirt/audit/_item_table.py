"""What the item table says of benchmarks, their targets and their sub-groups."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from skirt._item_table import (
    check_column,
    in_column_order,
    numbered_labels,
    with_text_columns,
)

_SUBGROUP_COLUMNS = ("category", "subcategory")
# The one column that may be absent: not every benchmark declares what it measures.
_TARGET = "target"


@dataclass(frozen=True)
class ItemTable:
    """Labels of the items, in the order of the columns of the responses.

    Attributes
    ----------
    by : str
        The name of the column that was chosen.
    names : list of str
        The benchmarks (or whatever `by` holds), in the order of first appearance.
    code : ndarray of shape (n_items,), int
        Each item's benchmark, as its position in `names`.
    target : list of str or None
        What each benchmark claims to measure; None where its items do not say.
    disagreeing : set of int
        The benchmarks whose items claim different things.
    subgroups : DataFrame of object, one row an item
        The sub-group of each item in each nested column, NaN where it has none.
    """

    by: str
    names: list
    code: np.ndarray
    target: list
    disagreeing: set
    subgroups: pd.DataFrame


def check_item_table(items, item_names, named, *, by, target, subgroups):
    """Match the item table with the columns and take what the audit needs.

    Parameters
    ----------
    items : DataFrame, or array-like of shape (n_items,)
        The table; or only the benchmarks, one a column.
    item_names : array-like of str of shape (n_items,)
        The columns' names.
    named : bool
        Whether the responses came with these names. If not, the rows of the table
        are taken by position.
    by, target : str
    subgroups : None, str or sequence of str
        None takes the columns `category` and `subcategory`, where there are any.

    Returns
    -------
    ItemTable
    """
    item_names = [str(name) for name in item_names]
    table = in_column_order(_as_table(items, by), item_names, named)
    code, names = numbered_labels(table, by, "by", item_names)
    targets, disagreeing = _targets(table, target, code, names)
    chosen = _subgroup_columns(table, subgroups, by)
    nested = pd.DataFrame(
        {
            column: [np.nan if pd.isna(v) else str(v) for v in table[column]]
            for column in chosen
        },
        dtype=object,
    )
    return ItemTable(by, names, code, targets, disagreeing, nested)


def _as_table(items, by):
    if isinstance(items, pd.DataFrame):
        return with_text_columns(items)
    if isinstance(items, pd.Series):
        return items.rename(by).to_frame()
    labels = np.asarray(items, dtype=object)
    if labels.ndim != 1:
        raise ValueError(
            f"items has shape {labels.shape}: pass a DataFrame with a row for each "
            f"item and a column {by!r}, or one label for each item."
        )
    return pd.DataFrame({by: labels})


def _targets(table, column, code, names):
    nobody = [None] * len(names)
    if column == _TARGET and column not in table.columns:
        return nobody, set()
    check_column(table, column, "target")
    said = np.array(
        [None if pd.isna(value) else _label(value) for value in table[column]], object
    )
    targets, disagreeing = nobody, set()
    for number in range(len(names)):
        own = list(dict.fromkeys(said[code == number]))
        if len(own) == 1:
            targets[number] = own[0]
        else:
            disagreeing.add(number)
    return targets, disagreeing


def _label(value):
    """Text of a target; 1.0, which a column with gaps makes of 1, is '1'."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def _subgroup_columns(table, subgroups, by):
    if subgroups is None:
        return [c for c in _SUBGROUP_COLUMNS if c in table.columns and c != by]
    chosen = [subgroups] if isinstance(subgroups, str) else list(subgroups)
    for column in chosen:
        check_column(table, column, "subgroups")
        if column == by:
            raise ValueError(
                f"subgroups names {by!r}, which is what is audited: name a finer "
                "column, or leave it out."
            )
    return chosen
