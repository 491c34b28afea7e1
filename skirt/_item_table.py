"""A table with a row for each item, matched to the columns of the responses."""

import numpy as np
import pandas as pd

# Columns that may hold the items' names where the index does not.
_NAME_COLUMNS = ("item", "item_id", "item_name")
# Names told in a message, of however many there are.
_TOLD = 3


def with_text_columns(table):
    """Return the table with its column names as text, which must differ."""
    names = table.columns.map(str)
    if not names.is_unique:
        twice = names[names.duplicated()][0]
        raise ValueError(f"The item table has two columns {twice!r}: rename one.")
    return table.set_axis(names, axis=1)


def in_column_order(table, item_names, named):
    """Return the table's rows in the order of the columns of the responses.

    Parameters
    ----------
    table : DataFrame
        Rows are named by its index or, if that only counts them, by a column `item`,
        `item_id` or `item_name`.
    item_names : list of str
        The columns' names.
    named : bool
        Whether the responses came with these names. If not, or if the table has none,
        rows belong to columns by position.

    Returns
    -------
    DataFrame
        Indexed 0, 1, ...
    """
    ids = _item_ids(table, item_names)
    if not named or ids is None:
        if len(table) != len(item_names):
            raise ValueError(
                f"The item table has {len(table)} rows and the responses "
                f"{len(item_names)} items: without item names in both they are "
                "matched by position, one row for each item. Name the columns, and "
                "the rows of the table, to match them by name."
            )
        return table.reset_index(drop=True)
    twice = ids[ids.duplicated()]
    if len(twice):
        rows = np.flatnonzero(ids == twice[0])
        raise ValueError(
            f"Item {twice[0]!r} is in rows {rows[0]} and {rows[1]} of the item table "
            f"({len(twice)} names are there again): keep one row for each item."
        )
    known = set(ids)
    lacking = [name for name in item_names if name not in known]
    extra = ids[~ids.isin(item_names)]
    if lacking:
        unused = f" Rows that no column has: {_some(extra)}." if len(extra) else ""
        raise ValueError(
            f"The item table lacks {_some(lacking)} of the {len(item_names)} items of "
            f"the responses.{unused} Add their rows, or drop the columns."
        )
    if len(extra):
        raise ValueError(
            f"The item table has {_some(extra)} that the responses lack. Take the "
            "rows of the items that are there: items.loc[X.columns]."
        )
    return table.set_axis(ids).loc[item_names].reset_index(drop=True)


def _item_ids(table, item_names):
    """Return the items' names, None if the table only counts its rows."""
    index = table.index.map(str)
    if not _is_count(table.index):
        return index
    for column in _NAME_COLUMNS:
        if column in table.columns:
            return pd.Index([str(name) for name in table[column]], dtype=object)
    # Numbers are names where the columns are called by them.
    return index if set(index) == set(item_names) else None


def _is_count(index):
    """Whether an index only counts its rows, so that it names nothing."""
    if isinstance(index, pd.RangeIndex):
        return True
    return pd.api.types.is_integer_dtype(index.dtype) and list(index) == list(
        range(len(index))
    )


def check_column(table, column, parameter):
    """Refuse the name of a column that is not there."""
    if column not in table.columns:
        raise ValueError(
            f"The item table has no column {column!r}; it has "
            f"{', '.join(map(repr, table.columns))}. Pass {parameter}= one of these."
        )


def numbered_labels(table, column, parameter, item_names):
    """Return each item's label in a column as a number, and the labels as text.

    Parameters
    ----------
    table : DataFrame
        In the order of the columns of the responses.
    column : str
    parameter : str
        Of the caller, that names the column.
    item_names : list of str

    Returns
    -------
    code : ndarray of shape (n_items,), int
        Positions in `labels`.
    labels : list of str
        In the order of first appearance.
    """
    check_column(table, column, parameter)
    labels = table[column]
    missing = np.flatnonzero(pd.isna(labels))
    if len(missing):
        raise ValueError(
            f"Item {item_names[missing[0]]!r} has no {column!r} ({len(missing)} of "
            f"{len(item_names)} items have none): name one for every item, or drop "
            "such items from both the responses and the table."
        )
    code, unique = pd.factorize(np.array([str(label) for label in labels], object))
    return code, [str(label) for label in unique]


def _some(names):
    told = ", ".join(repr(name) for name in list(names)[:_TOLD])
    more = len(names) - _TOLD
    return f"{told} and {more} more" if more > 0 else told
