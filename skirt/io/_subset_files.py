"""Files of chosen items."""

import csv
import io
import json
import math
from datetime import date as date_type

import pandas as pd

from skirt._version import __version__
from skirt.io._sources import open_source
from skirt.io._subset import ABOUT, Subset
from skirt.io._subset_panel import CalibratedPanel
from skirt.io._whole_files import write_whole
from skirt.io._words import few


def write_subset(
    table, path, *, calibration=None, agreement=None, date=None, panel=None
):
    """Write a table of chosen items.

    Parameters
    ----------
    table : Subset or DataFrame indexed by item id
    path : str, os.PathLike or file object
        A name that ends in ``.json`` gives JSON, any other CSV. A file is replaced as
        a whole.
    calibration : fitted TwoPLEstimator or OnePLEstimator, or str, default=None
        The bank that the items were chosen from, of which the fingerprint is written,
        or that fingerprint.
    agreement : float, default=None
        Held-out agreement at this size.
    date : str, default=None
        Default today.
    panel : CalibratedPanel, default=None
        What ``skirt score`` needs to predict full scores; written to JSON only.
    """
    subset = table
    if not isinstance(subset, Subset):
        subset = make_subset(
            table, calibration=calibration, agreement=agreement, date=date, panel=panel
        )
    as_json = str(getattr(path, "name", path)).endswith(".json")
    text = subset.to_json() if as_json else subset.to_csv()
    if hasattr(path, "write"):
        path.write(text)
    else:
        write_whole(path, text)


def make_subset(table, *, calibration=None, agreement=None, date=None, panel=None):
    """Return what :func:`write_subset` writes."""
    if calibration is not None and not isinstance(calibration, str):
        calibration = calibration_fingerprint(calibration)
    return Subset(
        table,
        agreement=agreement,
        calibration=calibration,
        date=date or date_type.today().isoformat(),
        skirt_version=__version__,
        panel=panel,
    )


def calibration_fingerprint(bank):
    """Return what tells one calibration from another.

    Parameters
    ----------
    bank : fitted TwoPLEstimator or OnePLEstimator

    Returns
    -------
    str
        A hash of the items' names and parameters, to six digits; the same that adaptive
        sessions carry.
    """
    from skirt.adaptive._items import LogisticItems
    from skirt.adaptive._session_file import bank_fingerprint

    return bank_fingerprint(LogisticItems.of(bank), bank.item_names_)


def read_subset(path):
    """Read chosen items, as ``skirt select -o`` writes them.

    Parameters
    ----------
    path : str, os.PathLike or file object
        CSV or JSON, by content.

    Returns
    -------
    Subset
        Item ids are text even where they look like numbers or like a missing value.

    Raises
    ------
    ValueError
        If there is no column ``item``, an item occurs twice, or there are fewer items
        than the file says.

    Examples
    --------
    >>> import io
    >>> from skirt.io import read_subset
    >>> read_subset(io.StringIO("item,order\\n007,1\\nNA,2\\n")).items
    ['007', 'NA']
    """
    with open_source(path) as opened:
        text = opened.text().read()
        name = opened.name
    if text.lstrip()[:1] == "{":
        table, about = _from_json(text, name)
    else:
        table, about = _from_csv(text, name)
    about = _checked(about, name)
    k = about.pop("k")
    if k is not None and k != len(table):
        raise ValueError(
            f"{name}: a subset of {k} items, of which {len(table)} are there. Is "
            "the file cut off?"
        )
    try:
        return Subset(table, **about)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _checked(about, name):
    """Return what is known of the whole subset, as the numbers and texts it is."""
    checked = dict(about)
    for key in ("k", "agreement"):
        try:
            value = None if about[key] is None else float(about[key])
        except (TypeError, ValueError):
            value = math.nan
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{name}: {key!r} is {about[key]!r}, which is no number.")
        checked[key] = value
    if checked["k"] is not None:
        checked["k"] = int(checked["k"])
    for key in ("calibration", "date", "skirt_version"):
        if not isinstance(about[key], str | None):
            raise ValueError(f"{name}: {key!r} is {about[key]!r}, which is no text.")
    return checked


def _from_csv(text, name):
    if not text.strip():
        raise ValueError(f"{name} is empty: expected a subset.")
    header = next(csv.reader([text.splitlines()[0]]))
    if "item" not in header:
        raise ValueError(
            f"{name}: a subset has a column 'item'; found {few(header, 8)}."
        )
    try:
        table = pd.read_csv(
            io.StringIO(text),
            dtype=dict.fromkeys(("item", *ABOUT), str),
            keep_default_na=False,
            na_values={"weight": [""]},
            index_col=False,
        )
    except ValueError as error:  # what pandas raises on torn lines
        raise ValueError(f"{name}: {' '.join(str(error).split())}.") from error
    about: dict = {}
    for column in ABOUT:
        found = table.pop(column).unique() if column in table else [""]
        if len(found) > 1:
            raise ValueError(
                f"{name}: column {column!r} differs from row to row; it is one of the "
                "whole subset."
            )
        about[column] = found[0] if len(found) and found[0] else None
    return table.set_index("item"), about


def _from_json(text, name):
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{name}, line {error.lineno}: no whole JSON ({error.msg})."
        ) from error
    items = found.get("items")
    if not isinstance(items, list) or not all(
        isinstance(row, dict) and "item" in row for row in items
    ):
        raise ValueError(f"{name}: a subset has 'items'; found {few(found, 8)}.")
    table = pd.DataFrame(items, columns=list(items[0]) if items else ["item"])
    names = [str(row["item"]) for row in items]
    table.index = pd.Index(names, name="item", dtype=object)
    about = {key: found.get(key) for key in ABOUT}
    try:
        about["panel"] = CalibratedPanel.from_dict(found, names)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return table.drop(columns="item"), about
