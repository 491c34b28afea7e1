"""A table, whatever its form, as numbered rows of cells."""

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pandas as pd

from skirt.io._json_source import read_objects
from skirt.io._layout import find_roles
from skirt.io._sources import PARQUET_MAGIC, open_source

_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons"}


@dataclass
class Rows:
    """A table as it comes: its header, then each row with the number of its line."""

    source: str
    unit: str  # what the numbers count: "line" or "row"
    header: list
    body: Iterator
    notes: list = field(default_factory=list)


@contextmanager
def open_rows(path, columns=None):
    """Open a table, whatever its form, and close it afterwards.

    Parameters
    ----------
    path : str, os.PathLike, "-" or file object
        The form is found from the content: gzip and Parquet by their first bytes,
        JSON by its first character, the delimiter from the header.
    columns : dict, optional
        The roles of columns, by which a long table of JSON objects is known.

    Yields
    ------
    Rows
        The body can be iterated once.
    """
    with open_source(path) as opened:
        start = opened.start()
        if start[:4] == PARQUET_MAGIC:
            yield _parquet_rows(opened.binary, opened.name)
        elif start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
            yield _json_rows(opened, columns)
        else:
            yield _text_rows(opened.text(), opened.name)


def _text_rows(text, source):
    first = text.readline()
    if not first.strip():
        raise ValueError(
            f"{source} is empty: expected a header line and one line for each model."
        )
    unquoted = re.sub('"[^"]*"', "", first)
    delimiter = max(_DELIMITERS, key=unquoted.count)
    notes = []
    if delimiter != ",":
        notes.append(f"Cells are separated by {_DELIMITERS[delimiter]}.")
    reader = csv.reader(_chain(first, text), delimiter=delimiter, strict=True)
    header = next(reader)
    return Rows(source, "line", header, _numbered(reader, source), notes)


def _chain(first, rest):
    yield first
    yield from rest


def _numbered(reader, source):
    """Give each row the line that it begins on, and explain a torn quotation."""
    begins = reader.line_num + 1
    try:
        for fields in reader:
            yield begins, fields
            begins = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"{source}, line {begins}: {error}. Is a quotation mark missing, or is the "
            "file cut off?"
        ) from error


def _json_rows(opened, columns):
    """Return rows of JSON objects: a response in each, or a model in each."""
    source = opened.name
    objects = read_objects(opened, unique_keys=True)
    line, first = next(objects)
    header = list(first)
    lower = [str(name).strip().lower() for name in header]
    roles = find_roles(lower, header, columns, source)
    if {"model", "item", "response"} <= set(roles):
        rows = Rows(source, "line", header, iter(()))
        rows.body = _long_body(header, line, first, objects, rows.notes)
        return rows
    if "model" not in roles:
        raise ValueError(
            f"{source}, line {line}: a JSON object with "
            f"{_some_keys(header)} is no form of results that skirt knows. Expected "
            "keys model, item and response (or columns= to say which are), or model "
            "and one key for each item."
        )
    return _wide_objects(source, header[roles["model"]], line, first, objects)


def _some_keys(keys):
    if not keys:
        return "no keys"
    shown = ", ".join(repr(key) for key in keys[:6])
    return f"the keys {shown}{', ...' if len(keys) > 6 else ''}"


def _long_body(header, line, first, objects, notes):
    known = set(header)
    others: dict = {}
    yield line, list(first.values())
    for line, found in objects:
        if list(found) == header:
            yield line, list(found.values())
            continue
        for key in found.keys() - known:
            others.setdefault(key, line)
        yield line, [found.get(key) for key in header]
    for key, where in others.items():
        notes.append(f"The key {key!r}, first in line {where}, was ignored.")


def _wide_objects(source, model, line, first, objects):
    found = [(line, first), *objects]
    keys = dict.fromkeys(key for _, one in found for key in one if key != model)
    header = [model, *keys]
    body = ((line, [_plain(one.get(key)) for key in header]) for line, one in found)
    absent = sum(len(keys) + 1 - len(one) for _, one in found)
    rows = Rows(source, "line", header, body)
    if absent:
        rows.notes.append(
            f"{absent:,} of {len(found) * len(keys):,} pairs of model and item have no "
            "key: missing."
        )
    return rows


def _plain(value):
    return json.dumps(value) if isinstance(value, dict | list) else value


def _parquet_rows(binary, source):
    try:
        frame = pd.read_parquet(io.BytesIO(binary.read()))
    except ImportError as error:
        raise ImportError(
            f"{source} is a Parquet file: reading it needs pyarrow, which "
            "`pip install 'skirt[parquet]'` installs."
        ) from error
    except (OSError, ValueError) as error:  # what pyarrow raises
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{source} is a damaged Parquet file: {reason}.") from error
    if not _is_counter(frame.index):
        frame = frame.reset_index()
    elif not _names_its_rows(frame):
        frame = frame.reset_index(names="model")
    header = [str(name) for name in frame.columns]
    body = enumerate(frame.itertuples(index=False, name=None), start=1)
    return Rows(source, "row", header, body)


def _is_counter(index):
    return index.name is None and list(index) == list(range(len(index)))


def _names_its_rows(frame):
    """Say whether the first column holds the models' names rather than responses."""
    if not frame.shape[1]:
        return True
    names = {str(name).lower() for name in frame.columns}
    first = frame.iloc[:, 0]
    return "model" in names or not all(
        isinstance(value, int | float) or value is None for value in first
    )
