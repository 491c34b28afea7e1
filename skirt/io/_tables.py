"""Tables of responses, wide or long, as a data frame of models and items."""

import math
from itertools import chain

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from skirt.io._layout import (
    LONG_COLUMNS,
    is_long,
    refuse_if_names_recur,
    refuse_long,
)
from skirt.io._sources import open_rows

_MISSING = {"", "na", "nan", "none", "null", "<na>"}
_TRUTH = {"true": 1.0, "false": 0.0}


def read_responses(path, *, groups=None):
    """Read a table of responses.

    Parameters
    ----------
    path : str, os.PathLike or file object
        CSV (with commas, tabs or semicolons; gzip or not) or Parquet; "-" is the
        standard input. A *wide* table has one row for each model, whose name comes
        first, and one column for each item. A *long* table has columns model, item
        and response, in any order and letter case, at most three others, and one row
        for each response.
    groups : str, default=None
        A column that holds each model's group (its family, say) and is no item.

    Returns
    -------
    :class:`~sklearn.utils.Bunch`
        responses : DataFrame of shape (n_models, n_items), float64
            Indexed by model; models and items in the order of first appearance.
            Missing responses are NaN. Numbers other than 0 and 1 pass: the
            estimators refuse or binarize them.
        groups : Series of str indexed by model, or None
            The groups, if asked for.
        layout : {"wide", "long"}
        notes : list of str
            What was found, and what was ignored and why.

    Raises
    ------
    ValueError
        On a cell that is no number, with its line, model, item and value; on models,
        items or (model, item) pairs that occur twice, with both places; on rows of
        another length than the header's; on a table without models or items.
    ImportError
        On a Parquet file without pyarrow.
    OSError
        On a file that cannot be opened.

    Notes
    -----
    An empty cell, NA, NaN, None and null (in any letter case) are missing: not
    administered, which is not the same as wrong. True and False are 1 and 0.

    Examples
    --------
    >>> import io
    >>> from skirt.io import read_responses
    >>> table = io.StringIO("model,q1,q2\\nsmall,0,\\nlarge,1,1\\n")
    >>> read_responses(table).responses
            q1   q2
    model
    small  0.0  NaN
    large  1.0  1.0
    """
    with open_rows(path) as rows:
        columns = [str(name).strip() for name in rows.header]
        lower = [name.lower() for name in columns]
        group_column = _group_column(columns, groups, rows.source)
        long = is_long(lower, group_column, rows.source)
        read = _read_long if long else _read_wide
        frame, group_of_model = read(rows, columns, group_column)
    if frame.shape[0] == 0:
        raise ValueError(f"{rows.source} has a header but no rows: there is no model.")
    if frame.shape[1] == 0:
        raise ValueError(
            f"{rows.source} has no items: expected a column for each item after the "
            "model's, or columns named model, item and response."
        )
    return Bunch(
        responses=frame,
        groups=group_of_model,
        layout="long" if long else "wide",
        notes=rows.notes,
    )


class _Cells(dict):
    """Reads cells; knows each text after its first time."""

    def __init__(self):
        super().__init__()
        self.spelt_out = False

    def __missing__(self, cell):
        text = str(cell).strip().lower()
        if text in _MISSING:
            value = math.nan
        elif text in _TRUTH:
            value = _TRUTH[text]
            self.spelt_out = True
        else:
            value = float(text)  # the caller explains the ValueError
            if not math.isfinite(value) or "_" in text:
                raise ValueError(f"{text} is no number of a table")
        if cell == cell:  # NaN would be stored anew each time
            self[cell] = value
        return value

    def note(self, notes):
        if self.spelt_out:
            notes.append("True and False were read as 1 and 0.")


def _read_wide(rows, columns, group_column):
    name_column = _name_column(rows, columns)
    items = [j for j in range(len(columns)) if j not in (name_column, group_column)]
    # The columns before the models' names hold no responses.
    items = [j for j in items if j > name_column]
    cells, values, group_names = _Cells(), [], []
    lines: dict = {}
    for line, fields in _full_rows(rows, len(columns)):
        model = str(fields[name_column]).strip()
        if model in lines:
            refuse_long(rows, columns, model, lines[model], line)
            raise ValueError(
                f"{rows.source}: model {model!r} is in {rows.unit} {lines[model]} and "
                f"again in {rows.unit} {line}. The first column names the models: keep "
                "one row for each."
            )
        if not model:
            raise ValueError(f"{rows.source}, {rows.unit} {line}: no model name.")
        lines[model] = line
        try:
            values.append(np.array([cells[fields[j]] for j in items]))
        except ValueError:
            refuse_if_names_recur(rows, columns, name_column, lines)
            for j in items:
                _read_cell(cells, fields[j], rows, line, model, columns[j])
        if group_column is not None:
            group_names.append(str(fields[group_column]).strip())
    matrix = np.array(values).reshape(len(values), len(items))
    items, matrix = _without_unnamed(rows, columns, items, matrix)
    _refuse_twice(rows, columns, items)
    cells.note(rows.notes)
    if list(lines) == [str(i) for i in range(len(lines))] and lines:
        rows.notes.append(
            "The first column is a plain counter: models are named by it."
        )
    frame = pd.DataFrame(
        matrix, index=_index(lines), columns=[columns[j] for j in items]
    )
    groups = None
    if group_column is not None:
        groups = pd.Series(group_names, index=frame.index, name=columns[group_column])
    return frame, groups


def _name_column(rows, columns):
    """Return the position of the models' names: 0, or 1 after a row counter."""
    if len(columns) < 2 or columns[1].lower() != "model":
        return 0
    first = next(rows.body, None)
    if first is None:
        return 0
    rows.body = chain([first], rows.body)
    if str(first[1][0]).strip() not in ("0", "1"):
        return 0
    rows.notes.append(
        f"The first column, {columns[0]!r}, was ignored: it numbers the rows, and the "
        "column 'model' after it names them."
    )
    return 1


def _without_unnamed(rows, columns, items, matrix):
    """Leave out columns without a name that are empty; refuse others."""
    unnamed = [p for p, j in enumerate(items) if not columns[j]]
    if not unnamed:
        return items, matrix
    for p in unnamed:
        if not np.isnan(matrix[:, p]).all():
            raise ValueError(
                f"{rows.source}: column {items[p] + 1} holds responses but its header "
                "is empty. Name the item, or remove the column."
            )
    rows.notes.append(
        f"{len(unnamed)} columns with neither a name nor a value were ignored."
        if len(unnamed) > 1
        else f"Column {items[unnamed[0]] + 1}, without a name or a value, was ignored."
    )
    keep = [p for p in range(len(items)) if p not in set(unnamed)]
    return [items[p] for p in keep], matrix[:, keep]


def _refuse_twice(rows, columns, items):
    place: dict = {}
    for j in items:
        name = columns[j]
        if name in place:
            raise ValueError(
                f"{rows.source}: item {name!r} is both column {place[name] + 1} and "
                f"column {j + 1}. Rename or remove one."
            )
        place[name] = j


def _read_long(rows, columns, group_column):
    lower = [name.lower() for name in columns]
    at_model, at_item, at_response = (lower.index(name) for name in LONG_COLUMNS)
    used = {at_model, at_item, at_response, group_column}
    ignored = [repr(name) for j, name in enumerate(columns) if j not in used]
    if ignored:
        shown = ", ".join(ignored[:5]) + (", ..." if len(ignored) > 5 else "")
        rows.notes.append(f"Columns other than model, item, response ignored: {shown}.")
    cells = _Cells()
    models: dict = {}
    items: dict = {}
    row_of, column_of, values, lines = [], [], [], []
    groups: dict = {}
    for line, fields in _full_rows(rows, len(columns)):
        model, item = str(fields[at_model]).strip(), str(fields[at_item]).strip()
        if not model or not item:
            what = "item" if model else "model"
            raise ValueError(f"{rows.source}, {rows.unit} {line}: no {what} name.")
        try:
            values.append(cells[fields[at_response]])
        except ValueError:
            _read_cell(cells, fields[at_response], rows, line, model, item)
        row_of.append(models.setdefault(model, len(models)))
        column_of.append(items.setdefault(item, len(items)))
        lines.append(line)
        if group_column is not None:
            group = str(fields[group_column]).strip()
            if groups.setdefault(model, group) != group:
                raise ValueError(
                    f"{rows.source}, {rows.unit} {line}: model {model!r} is of group "
                    f"{group!r} here, but of {groups[model]!r} before."
                )
    cells.note(rows.notes)
    matrix = _pivot(rows, models, items, row_of, column_of, values, lines)
    frame = pd.DataFrame(matrix, index=_index(models), columns=list(items))
    if group_column is None:
        return frame, None
    return frame, pd.Series(
        list(groups.values()), index=frame.index, name=columns[group_column]
    )


def _pivot(rows, models, items, row_of, column_of, values, lines):
    shape = (len(models), len(items))
    cell = np.array(row_of, dtype=np.int64) * shape[1] + np.array(column_of, np.int64)
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    if again.size:
        # The repetition that comes first in the file, with what it repeats.
        first = again[np.argmin(order[again + 1])]
        before, after = order[first], order[first + 1]
        raise ValueError(
            f"{rows.source}: model {list(models)[row_of[after]]!r} answers item "
            f"{list(items)[column_of[after]]!r} in {rows.unit} {lines[before]} and "
            f"again in {rows.unit} {lines[after]}. Keep one response for each model "
            "and item."
        )
    matrix = np.full(shape, np.nan)
    matrix.ravel()[cell] = values
    never = matrix.size - cell.size
    if never:
        rows.notes.append(
            f"{never:,} of {matrix.size:,} pairs of model and item have no row: "
            "missing."
        )
    return matrix


def _full_rows(rows, n_columns):
    """Yield the rows with as many fields as the header; refuse others."""
    blank = 0
    for line, fields in rows.body:
        if len(fields) == n_columns:
            yield line, fields
        elif not fields:
            blank += 1
        else:
            less = "fewer" if len(fields) < n_columns else "more"
            raise ValueError(
                f"{rows.source}, {rows.unit} {line}: {len(fields)} fields, {less} than "
                f"the header's {n_columns}. Is the line cut off, or a separator or "
                "quotation mark missing?"
            )
    if blank:
        rows.notes.append(f"{blank} empty lines were ignored.")


def _read_cell(cells, cell, rows, line, model, item):
    try:
        return cells[cell]
    except ValueError:
        raise ValueError(
            f"{rows.source}, {rows.unit} {line}, model {model!r}, item {item!r}: "
            f"{str(cell)!r} is not a response. Expected 0, 1 or, where there is none, "
            "an empty cell or NA; remove the column if it is not an item."
        ) from None


def _group_column(columns, groups, source):
    if groups is None:
        return None
    if columns.count(groups) != 1:
        raise ValueError(f"{source} has no single column {groups!r} to take groups of.")
    return columns.index(groups)


def _index(names):
    return pd.Index(list(names), name="model", dtype=object)
