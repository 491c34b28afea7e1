"""Wide tables: one row for each model, or for each item."""

from itertools import chain

import numpy as np

from skirt.io._layout import (
    numbered_id,
    refuse_if_names_recur,
    refuse_long,
    why_items_are_rows,
)
from skirt.io._sources import shorten
from skirt.io._table_rows import bad_cell, full_rows


def read_wide(rows, columns, group_column, options, records):
    """Add the responses of a wide table to the records."""
    name_column = _name_column(rows, columns)
    # The columns before the names hold no responses.
    wanted = [j for j in range(name_column + 1, len(columns)) if j != group_column]
    names, lines, values, groups = _read(
        rows, columns, name_column, wanted, group_column, options
    )
    if not names:
        raise ValueError(f"{rows.source} has a header but no rows: there is no model.")
    matrix = np.array(values, dtype=float).reshape(len(names), len(wanted))
    wanted, matrix = _without_unnamed(rows, columns, wanted, matrix)
    if not wanted:
        raise ValueError(
            f"{rows.source} has no items: expected a column for each item after the "
            "model's, or columns named model, item and response."
        )
    _refuse_twice(rows, columns, wanted)
    labels = [columns[j] for j in wanted]
    why = _items_in_rows(rows, columns[name_column], names, labels, options)
    if why is None:
        _note_counter(rows, names)
        _add(records, rows, names, labels, matrix, lines, options, groups, False)
        return "wide table"
    if group_column is not None:
        raise ValueError(
            f"{rows.source} has items in its rows ({why}), so that groups="
            f"{columns[group_column]!r} cannot be a column of the models. If its rows "
            "are models, say items='columns'."
        )
    if options.items == "auto":
        rows.notes.append(
            f"Rows were taken for items and columns for models: {why}. Say "
            "items='columns' if that is wrong."
        )
    _add(records, rows, names, labels, matrix, lines, options, None, True)
    return "wide table, items in rows"


def _read(rows, columns, name_column, wanted, group_column, options):
    cells = options.cells
    names, lines, values = [], [], []
    groups: dict = {}
    first_line: dict = {}
    for line, fields in full_rows(rows, len(columns)):
        name = str(fields[name_column]).strip()
        if not name:
            raise ValueError(f"{rows.source}, {rows.unit} {line}: no model name.")
        if name in first_line and options.rules.duplicates is None:
            _refuse_name(rows, columns, name, first_line[name], line)
        first_line.setdefault(name, line)
        try:
            values.append(np.array([cells[fields[j]] for j in wanted]))
        except ValueError:
            refuse_if_names_recur(rows, columns, name_column, first_line)
            for j in wanted:
                bad_cell(cells, fields[j], rows, line, name, columns[j])
        names.append(name)
        lines.append(line)
        if group_column is not None:
            group = str(fields[group_column]).strip()
            if groups.setdefault(name, group) != group:
                raise ValueError(
                    f"{rows.source}, {rows.unit} {line}: model {name!r} is of group "
                    f"{group!r} here, but of {groups[name]!r} before."
                )
    return names, lines, values, groups


def _refuse_name(rows, columns, name, before, line):
    refuse_long(rows, columns, name, before, line)
    raise ValueError(
        f"{rows.source}: model {name!r} is in {rows.unit} {before} and again in "
        f"{rows.unit} {line}. The first column names the models: keep one row for "
        "each, or say duplicates='first', 'majority' or, with binarize, 'mean' "
        "(--duplicates RULE)."
    )


def _items_in_rows(rows, header, names, labels, options):
    if options.items == "columns":
        return None
    if options.items == "rows":
        return "items='rows'"
    return why_items_are_rows(header, names, labels)


def _add(records, rows, names, labels, matrix, lines, options, groups, transposed):
    n_rows, n_columns = matrix.shape
    models, items = (labels, names) if transposed else (names, labels)
    model_codes = np.array(
        [
            records.model(name, **({"group": groups[name]} if groups else {}))
            for name in models
        ]
    )
    item_codes = np.array([_item(records, name, options, transposed) for name in items])
    if transposed:
        by_cell = np.tile(model_codes, n_rows), np.repeat(item_codes, n_columns)
    else:
        by_cell = np.repeat(model_codes, n_columns), np.tile(item_codes, n_rows)
    places = np.repeat(np.array(lines), n_columns)
    records.add(rows.source, rows.unit, *by_cell, matrix.ravel(), places)


def _item(records, name, options, transposed):
    if options.benchmark is not None:
        return options.item(records, options.benchmark, name)
    if transposed and "/" not in name:
        benchmark, item = numbered_id(name)
        return records.item(name, benchmark=benchmark, item=item)
    return records.item(name)


def _note_counter(rows, names):
    if names == [str(i) for i in range(len(names))]:
        rows.notes.append(
            "The first column is a plain counter: models are named by it."
        )


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


def _without_unnamed(rows, columns, wanted, matrix):
    """Leave out columns without a name that are empty; refuse others."""
    unnamed = [p for p, j in enumerate(wanted) if not columns[j]]
    if not unnamed:
        return wanted, matrix
    for p in unnamed:
        if not np.isnan(matrix[:, p]).all():
            raise ValueError(
                f"{rows.source}: column {wanted[p] + 1} holds responses but its header "
                "is empty. Name the item, or remove the column."
            )
    rows.notes.append(
        f"{len(unnamed)} columns with neither a name nor a value were ignored."
        if len(unnamed) > 1
        else f"Column {wanted[unnamed[0]] + 1}, without a name or a value, was ignored."
    )
    keep = [p for p in range(len(wanted)) if p not in set(unnamed)]
    return [wanted[p] for p in keep], matrix[:, keep]


def _refuse_twice(rows, columns, wanted):
    place: dict = {}
    for j in wanted:
        name = columns[j]
        if name in place:
            raise ValueError(
                f"{rows.source}: item {shorten(name)} is both column {place[name] + 1} "
                f"and column {j + 1}. Rename or remove one."
            )
        place[name] = j
