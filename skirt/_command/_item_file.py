"""The table of items that a user gives."""

import pandas as pd

from skirt._command._options import BadInput
from skirt._command._words import count

_NAMES = ("item", "item_id", "item_name", "id")


def item_table(path, panel):
    """Read the table, and bring it into the order of the panel's items.

    Rows of items that have no response are left out, with a note.
    """
    table = _read(path)
    column = next((name for name in _NAMES if name in table.columns), None)
    if column is None:
        raise BadInput(
            f"{path} has no column {' or '.join(_NAMES)} to name the items; it has "
            f"{', '.join(map(str, table.columns))}"
        )
    names = table.pop(column).astype(str)
    table.index = pd.Index(names, name="item")
    twice = names[names.duplicated()]
    if len(twice):
        raise BadInput(f"{path} names item {twice.iloc[0]!r} more than once")
    wanted = panel.responses.columns
    lacking = wanted.difference(table.index, sort=False)
    if len(lacking):
        raise BadInput(
            f"{path} has no row for item {lacking[0]!r} "
            f"({count(len(lacking), 'item')} of {len(wanted):,} without one); its "
            f"first item is {names.iloc[0] if len(names) else 'missing'!r}"
        )
    extra = len(table) - len(wanted)
    if extra:
        panel.notes.append(f"{path} names {count(extra, 'item')} more: ignored.")
    return table.loc[wanted]


def _read(path):
    text = dict.fromkeys(_NAMES, str)
    name = str(path).lower().removesuffix(".gz")
    try:
        if name.endswith((".parquet", ".pq")):
            return pd.read_parquet(path)
        if name.endswith((".jsonl", ".json")):
            return pd.read_json(path, lines=name.endswith("l"), dtype=text)
        table = pd.read_csv(path, sep=None, engine="python", dtype=text)
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text in UTF-8, or packed otherwise") from error
    except ValueError as error:  # what pandas raises on what it cannot parse
        raise BadInput(f"{path}: no table of items ({error})") from error
    return table
