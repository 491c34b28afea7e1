"""From records to a matrix, by the rules of :mod:`skirt.io._rules`."""

import numpy as np
import pandas as pd

from skirt.io._results import Results
from skirt.io._rules import WAY_TO_BINARIZE, WAY_TO_REPEAT, split_id
from skirt.io._words import count, few

_SHOWN = 3
_MANY = 20  # responses from which none right is worth telling


def assemble(records, rules, source, kind):
    """Return the results that records hold.

    Parameters
    ----------
    records : Records
    rules : Rules
    source : str
        Where they come from, for people.
    kind : str
        The format, for people.

    Returns
    -------
    Results
    """
    if not records.items or not records.models:
        raise ValueError(f"{source} holds no response: {kind} without any sample.")
    matrix = _matrix(records, rules)
    _note_all_zero(records, matrix)
    responses = pd.DataFrame(
        matrix,
        index=pd.Index(list(records.models), name="model", dtype=object),
        columns=records.item_names,
    )
    item_table = _item_table(records)
    notes = records.notes + _other_content(records) + _content_notes(item_table)
    return Results(
        responses=responses,
        item_table=item_table,
        model_table=_model_table(records),
        notes=notes,
        source=source,
        format=kind,
    )


def _matrix(records, rules):
    model, item, value = records.columns()
    n_models, n_items = len(records.models), len(records.items)
    n_cells = n_models * n_items
    cell = model * n_items + item
    n_records = np.bincount(cell, minlength=n_cells)
    if rules.duplicates is None and n_records.max() > 1:
        _refuse_repeats(records, model, item, cell)
    if rules.duplicates != "mean":
        value = _binary(records, rules, model, item, value)
    graded = np.flatnonzero(~np.isnan(value))
    matrix = np.full(n_cells, np.nan)
    if rules.duplicates in (None, "first"):
        # Of an index that occurs more than once the last assignment holds.
        matrix[cell[graded[::-1]]] = value[graded[::-1]]
    else:
        n_graded = np.bincount(cell[graded], minlength=n_cells)
        total = np.bincount(cell[graded], value[graded], minlength=n_cells)
        np.divide(total, n_graded, out=matrix, where=n_graded > 0)
        if rules.duplicates == "majority":
            matrix = _majority(records, matrix)
        else:
            matrix = _cut_means(records, rules, matrix, value)
    _note_repeats(records, rules, n_records)
    _note_gaps(records, n_records)
    return matrix.reshape(n_models, n_items)


def _refuse_repeats(records, model, item, cell):
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    # The repetition that comes first in the source, with what it repeats.
    first = again[np.argmin(order[again + 1])]
    before, after = (records.place(order[position]) for position in (first, first + 1))
    where = f"{before[1]} and again in {after[1]}"
    if before[0] != after[0]:
        where = f"{before[1]} and again in {after[0]}, {after[1]}"
    number, n_such = order[first + 1], count(again.size, "such repetition")
    raise ValueError(
        f"{before[0]}: model {list(records.models)[model[number]]!r} answers item "
        f"{records.item_names[item[number]]!r} in {where} "
        f"({n_such}). {WAY_TO_REPEAT}{records.if_repeated}."
    )


def _is_binary(value):
    return np.isnan(value) | (value == 0) | (value == 1)


def _binary(records, rules, model, item, value):
    """Cut scores into responses, or refuse those that are neither 0 nor 1."""
    fine = _is_binary(value)
    if fine.all():
        return rules.cut(value)
    n_other = int((~fine).sum())
    if rules.binarize is not None:
        records.notes.append(_cut_note(rules, n_other, value.size))
        return rules.cut(value)
    number = int(np.argmin(fine))
    source, place = records.place(number)
    more = ""
    if n_other > 1:
        low, high = value[~fine].min(), value[~fine].max()
        more = f" ({n_other:,} such values, from {low:g} to {high:g})"
    raise ValueError(
        f"{source}, {place}, model {list(records.models)[model[number]]!r}, item "
        f"{records.item_names[item[number]]!r}: {value[number]:g} is neither 0 nor 1"
        f"{more}. {WAY_TO_BINARIZE}; if "
        "this is no item, remove it."
    )


def _cut_note(rules, n_other, n):
    return (
        f"Values above {rules.binarize:g} count as 1, others as 0: {n_other:,} of "
        f"{n:,} were neither 0 nor 1."
    )


def _cut_means(records, rules, matrix, value):
    fine = _is_binary(matrix)
    if rules.binarize is not None:
        if not fine.all():
            records.notes.append(_cut_note(rules, int((~fine).sum()), fine.size))
        return rules.cut(matrix)
    if fine.all():
        return matrix
    number = int(np.argmin(fine))
    model, item = divmod(number, len(records.items))
    raise ValueError(
        f"{records.blocks[0].source}: the mean response of model "
        f"{list(records.models)[model]!r} to item {records.item_names[item]!r} is "
        f"{matrix[number]:.4g} ({int((~fine).sum()):,} such means are neither 0 nor "
        f"1). {WAY_TO_BINARIZE}."
    )


def _majority(records, share):
    tied = share == 0.5
    if tied.any():
        n = int(tied.sum())
        records.notes.append(
            f"{count(n, 'pair')} of model and item without a majority: missing."
        )
    return np.where(np.isnan(share) | tied, np.nan, share > 0.5)


def _note_repeats(records, rules, n_records):
    repeated = n_records > 1
    if rules.duplicates is None or not repeated.any():
        return
    taken = {"first": "the first graded one", "mean": "their mean"}
    records.notes.append(
        f"{int(repeated.sum()):,} pairs of model and item have more than one record "
        f"(up to {int(n_records.max()):,}): "
        f"{taken.get(rules.duplicates, 'the majority')} counts."
    )


def _note_gaps(records, n_records):
    for (what, why), n in records.ungraded.items():
        records.notes.append(f"{count(n, what)} {why}: missing.")
    never = int((n_records == 0).sum())
    if never:
        unit = records.blocks[0].unit if records.blocks else "record"
        unit = "row" if unit == "line" else unit
        records.notes.append(
            f"{never:,} of {n_records.size:,} pairs of model and item have no {unit}: "
            "missing."
        )


def _note_all_zero(records, matrix):
    """Tell of models that never have a 1: a run may have failed as a whole."""
    n_graded = (~np.isnan(matrix)).sum(axis=1)
    never = (n_graded >= _MANY) & ~(matrix == 1).any(axis=1)
    if never.any():
        models = list(records.models)
        names = [models[m] for m in np.flatnonzero(never)]
        records.notes.append(
            f"{count(len(names), 'model')} without a single 1, so that the run itself "
            f"may have failed: {few(names)}."
        )


def _item_table(records):
    names = records.item_names
    facts = [dict(records.item_facts.get(name, {})) for name in names]
    for name, known in zip(names, facts, strict=True):
        if "benchmark" not in known:
            known["benchmark"], known["item"] = split_id(name)
    table = pd.DataFrame(facts, index=pd.Index(names, name="id", dtype=object))
    first = ["benchmark", "item"]
    return table[first + [name for name in table.columns if name not in first]]


def _model_table(records):
    names = list(records.models)
    facts = [records.model_facts.get(name, {}) for name in names]
    return pd.DataFrame(facts, index=pd.Index(names, name="model", dtype=object))


def _other_content(records):
    names = list(records.other_content)
    if not names:
        return []
    return [
        "Other content in some files, but taken for the same: "
        f"{count(len(names), 'item')} ({few(names)})."
    ]


def _content_notes(item_table):
    """Report items of which the content is that of another item."""
    if "content" not in item_table:
        return []
    known = item_table["content"].dropna()
    repeated = known[known.duplicated(keep=False)]
    if repeated.empty:
        return []
    groups = repeated.groupby(repeated, sort=False)
    pairs = [" = ".join(group.index[:_SHOWN]) for _, group in groups]
    shown = "; ".join(pairs[:_SHOWN]) + ("; ..." if len(pairs) > _SHOWN else "")
    return [
        f"{len(repeated):,} items have the same content as another, and so are not "
        f"independent of it: {shown}."
    ]
