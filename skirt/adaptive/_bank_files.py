"""Banks of item parameters as files that other programs read and write."""

import csv
import io
import json
import os

import numpy as np

from skirt._twopl import TwoPLEstimator
from skirt.adaptive._bench_bank import items_of, ready_bank
from skirt.adaptive._session_file import replace_file

# Names of the columns by what they hold, in small letters.
_NAMES = {
    "item": ("item_id", "item", "id", "name", ""),
    "a": ("a", "discrimination", "disc"),
    "b": ("b", "difficulty", "diff"),
}


def save_bank(bank, path):
    """Write item parameters to a file.

    Parameters
    ----------
    bank : fitted TwoPLEstimator, OnePLEstimator or FluidBenchmark
        Whose items to write.
    path : str or os.PathLike
        ``.csv`` gives a table of item_id, a and b, as fluid-benchmarking publishes
        it; ``.json`` the ``diff``, ``disc`` and ``item_ids`` of py-irt. Numbers are
        written with all their digits.

    Raises
    ------
    ValueError
        If an item has no difficulty because its discrimination is 0, the bank has
        several abilities, or the ending is another.

    Examples
    --------
    >>> import tempfile, os
    >>> from skirt import TwoPLEstimator
    >>> from skirt.adaptive import load_bank, save_bank
    >>> bank = TwoPLEstimator.from_item_parameters(
    ...     discrimination=[1.0, 2.0], difficulty=[0.5, -1.0], names=["q1", "q2"]
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "bank.csv")
    ...     save_bank(bank, path)
    ...     again = load_bank(path)
    >>> again.item_parameters()
          discrimination  difficulty  intercept
    item
    q1               1.0         0.5       -0.5
    q2               2.0        -1.0        2.0
    """
    ending = _ending(path)
    if hasattr(bank, "estimator_"):
        bank = bank.estimator_
    items = items_of(bank)
    if items.n_abilities > 1:
        raise ValueError(
            f"The bank has {items.n_abilities} abilities, and these files hold a and b "
            "of one. Keep its item_parameters() and ability_correlation_, from which "
            "from_item_parameters makes it again."
        )
    names = [str(name) for name in ready_bank(bank).item_names_]
    a = items.discrimination
    with np.errstate(divide="ignore", invalid="ignore"):
        b = -items.intercept / a + 0.0
    if not np.isfinite(b).all():
        j = int(np.flatnonzero(~np.isfinite(b))[0])
        raise ValueError(
            f"Item {names[j]!r} has discrimination {a[j]:g} and so no difficulty, "
            "which these files hold. Leave it out with select_items."
        )
    if ending == ".csv":
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["item_id", "a", "b"])
        rows = zip(names, a.tolist(), b.tolist(), strict=True)
        table.writerows((name, repr(slope), repr(place)) for name, slope, place in rows)
        replace_file(path, text.getvalue())
    else:
        content = {
            "irt_model": "2pl",
            "item_ids": {str(j): name for j, name in enumerate(names)},
            "disc": a.tolist(),
            "diff": b.tolist(),
        }
        replace_file(path, json.dumps(content, indent=1))


def load_bank(path):
    """Read item parameters from a file, as a fixed bank.

    Parameters
    ----------
    path : str or os.PathLike
        ``.csv``: a table with columns item_id (or a nameless first column), a and b,
        in any order; others are ignored. ``.json``: what py-irt saves for "1pl" and
        "2pl" (``diff``, ``disc``, ``item_ids``), or a list of objects with item_id, a
        and b.

    Returns
    -------
    TwoPLEstimator
        A fixed bank: `fit` and `clone` keep its items. Its scale is that of the
        program that wrote the file; abilities are taken to be N(0, 1) on it.

    Raises
    ------
    ValueError
        If a column is missing, a value is not a finite number, or an item occurs
        twice; the message says where.
    """
    ending = _ending(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        text = file.read()
    where = os.fspath(path)
    if ending == ".csv":
        names, a, b = _from_rows(list(csv.reader(io.StringIO(text))), where)
    else:
        names, a, b = _from_json(text, where)
    if not names:
        raise ValueError(f"{where!r} holds no items.")
    a, b = _numbers(a, "a", names, where), _numbers(b, "b", names, where)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{where!r} holds item {twice!r} more than once.")
    return TwoPLEstimator.from_item_parameters(
        discrimination=a, difficulty=b, names=names
    )


def _ending(path):
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in (".csv", ".json"):
        raise ValueError(
            f"{os.fspath(path)!r} ends in {ending!r}: banks are .csv or .json files."
        )
    return ending


def _from_rows(rows, where):
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        return [], [], []
    header = [name.strip().lower() for name in rows[0]]
    places = {}
    for what, known in _NAMES.items():
        found = [header.index(name) for name in known if name in header]
        if not found:
            raise ValueError(
                f"{where!r} has the columns {rows[0]}, and none for {what!r}: name it "
                f"{known[0]!r}."
            )
        places[what] = found[0]
    for number, row in enumerate(rows[1:], start=2):
        if len(row) <= max(places.values()):
            raise ValueError(
                f"Row {number} of {where!r} has {len(row)} cells, and the header "
                f"{len(header)}."
            )
    names, a, b = ([row[places[what]] for row in rows[1:]] for what in _NAMES)
    return names, a, b


def _from_json(text, where):
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where!r} is not JSON: {error}.") from None
    if isinstance(content, list) and all(isinstance(row, dict) for row in content):
        if not content:
            return [], [], []
        header = list(content[0])
        rows = [[str(row.get(name, "")) for name in header] for row in content]
        return _from_rows([header, *rows], where)
    if not isinstance(content, dict) or "diff" not in content:
        raise ValueError(
            f"{where!r} holds no bank: expected py-irt's 'diff', 'disc' and "
            "'item_ids', or a list of objects with item_id, a and b."
        )
    kind = content.get("irt_model", "2pl")
    if kind not in ("1pl", "2pl"):
        raise ValueError(
            f"{where!r} holds a model {kind!r}: only '1pl' and '2pl' can be used."
        )
    b = content["diff"]
    a = content.get("disc", [1.0] * len(b))
    ids = content.get("item_ids", {str(j): f"item{j}" for j in range(len(b))})
    if not len(a) == len(b) == len(ids):
        raise ValueError(
            f"{where!r} has {len(ids)} item_ids, {len(a)} disc and {len(b)} diff: "
            "there must be one of each for every item."
        )
    try:
        names = [str(ids[str(j)]) for j in range(len(b))]
    except KeyError as error:
        raise ValueError(f"{where!r} has no item_ids entry {error}.") from None
    return names, a, b


def _numbers(values, column, names, where):
    out = np.empty(len(values))
    for j, value in enumerate(values):
        try:
            out[j] = float(value)
        except (TypeError, ValueError):
            out[j] = np.nan
        if not np.isfinite(out[j]):
            raise ValueError(
                f"{column} of item {names[j]!r} in {where!r} is {value!r}: item "
                "parameters are finite numbers."
            )
    return out
