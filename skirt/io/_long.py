"""Long tables: one row for each response."""

from itertools import islice

import numpy as np
import pandas as pd

from skirt.io._layout import ITEM_FACTS
from skirt.io._table_rows import bad_cell, full_rows
from skirt.io._words import few

# Rows that are taken together: names repeat, and each is looked at once.
_CHUNK = 1 << 13


def read_long(rows, columns, roles, group_column, options, records):
    """Add the responses of a long table to the records."""
    facts = _fact_columns(columns, roles, group_column)
    _note_ignored(rows, columns, {*roles.values(), group_column, *facts.values()})
    varying: set = set()
    body = full_rows(rows, len(columns))
    any_row = False
    while chunk := list(islice(body, _CHUNK)):
        any_row = True
        part = _Chunk(rows, chunk)
        groups = None if group_column is None else part.texts(group_column)
        models = part.texts(roles["model"], "model name")
        items = part.texts(roles["item"], "item name")
        benchmarks = None
        if "benchmark" in roles:
            benchmarks = part.texts(roles["benchmark"], "benchmark")
        item_codes = _item_codes(part, items, benchmarks, options, records)
        for fact, j in facts.items():
            _add_fact(fact, item_codes, part.texts(j), records, varying)
        values = _values(part, roles["response"], models, items, options)
        model_codes = _model_codes(part, models, groups, records)
        lines = np.array(part.lines)
        records.add(rows.source, rows.unit, model_codes, item_codes, values, lines)
    if not any_row:
        raise ValueError(f"{rows.source} has a header but no rows: there is no model.")
    for fact in sorted(varying):
        rows.notes.append(f"Column {fact!r} varies within an item: ignored.")
        for name in records.item_facts:
            records.item_facts[name].pop(fact, None)
    return "long table"


class _Chunk:
    """Some rows of a table, of which columns are coded by their distinct cells."""

    def __init__(self, rows, chunk):
        self.rows = rows
        self.lines = [line for line, _ in chunk]
        self.fields = [fields for _, fields in chunk]

    def cells(self, j):
        """Return codes and the distinct cells, in the order of appearance."""
        column = np.empty(len(self.fields), dtype=object)
        column[:] = [fields[j] for fields in self.fields]
        try:
            return pd.factorize(column, use_na_sentinel=False)
        except TypeError:  # JSON in JSON has no hash
            column[:] = [str(fields[j]) for fields in self.fields]
            return pd.factorize(column)

    def texts(self, j, needed=None):
        """Return codes and the distinct cells as text; refuse empty ones if needed."""
        codes, cells = self.cells(j)
        texts = [_text(cell) for cell in cells]
        if needed is not None and "" in texts:
            raise ValueError(f"{self.place(codes, texts.index(''))}: no {needed}.")
        return codes, texts

    def place(self, codes, code):
        """Return where the first cell of a code stands."""
        line = self.lines[int(np.argmax(codes == code))]
        return f"{self.rows.source}, {self.rows.unit} {line}"


def _text(value):
    if isinstance(value, str):
        return value.strip()
    if value is None or value is pd.NA or value != value:
        return ""
    # An id that a gap elsewhere in its Parquet column has turned into a float.
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


def _pairs(first, second):
    """Return codes of pairs, and the codes of each distinct pair."""
    n = int(second.max()) + 1
    codes, distinct = pd.factorize(first * n + second)
    return codes, [divmod(int(pair), n) for pair in distinct]


def _item_codes(part, items, benchmarks, options, records):
    if benchmarks is None:
        found = [_item(records, options, options.benchmark, name) for name in items[1]]
        return np.array(found)[items[0]]
    codes, distinct = _pairs(benchmarks[0], items[0])
    found = [
        _item(records, options, benchmarks[1][b], items[1][j]) for b, j in distinct
    ]
    return np.array(found)[codes]


def _item(records, options, benchmark, item):
    if benchmark is None:
        return records.item(item)
    return options.item(records, benchmark, item)


def _model_codes(part, models, groups, records):
    if groups is None:
        return np.array([records.model(name) for name in models[1]])[models[0]]
    codes, distinct = _pairs(models[0], groups[0])
    found = []
    for number, (m, g) in enumerate(distinct):
        model, group = models[1][m], groups[1][g]
        found.append(records.model(model, group=group))
        before = records.model_facts[model]["group"]
        if before != group:
            raise ValueError(
                f"{part.place(codes, number)}: model {model!r} is of group {group!r} "
                f"here, but of {before!r} before."
            )
    return np.array(found)[codes]


def _values(part, j, models, items, options):
    codes, cells = part.cells(j)
    values = []
    for number, cell in enumerate(cells):
        try:
            values.append(options.cells[cell])
        except ValueError:
            at = int(np.argmax(codes == number))
            model, item = models[1][models[0][at]], items[1][items[0][at]]
            bad_cell(options.cells, cell, part.rows, part.lines[at], model, item)
    return np.array(values)[codes]


def _fact_columns(columns, roles, group_column):
    used = {*roles.values(), group_column}
    return {
        name.lower(): j
        for j, name in enumerate(columns)
        if name.lower() in ITEM_FACTS and j not in used
    }


def _add_fact(fact, item_codes, facts, records, varying):
    """Keep what a column tells of items, and notice where it differs within one."""
    _, distinct = _pairs(item_codes, facts[0])
    for item, number in distinct:
        known = records.item_facts[records.item_names[item]]
        if known.setdefault(fact, facts[1][number]) != facts[1][number]:
            varying.add(fact)


def _note_ignored(rows, columns, used):
    ignored = [repr(name) for j, name in enumerate(columns) if j not in used]
    if ignored:
        rows.notes.append(
            f"Columns other than model, item, response ignored: {few(ignored, 5)}."
        )
