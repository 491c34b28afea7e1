"""Opening what a table may come from, as numbered rows of cells."""

import csv
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

_GZIP_MAGIC = b"\x1f\x8b"
_PARQUET_MAGIC = b"PAR1"
_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons"}


@dataclass
class Rows:
    """A table as it comes: its header, then each row with the number of its line."""

    source: str
    unit: str  # what the numbers count: "line" or "row"
    header: list
    body: Iterator
    notes: list


@contextmanager
def open_rows(path):
    """Open a table, whatever its form, and close it afterwards.

    Parameters
    ----------
    path : str, os.PathLike, "-" or file object
        The form is found from the content: gzip and Parquet by their first bytes,
        the delimiter from the header.

    Yields
    ------
    Rows
        The body can be iterated once.
    """
    if isinstance(path, str | os.PathLike) and str(path) != "-":
        source = os.fspath(path)
        binary = open(path, "rb")
    else:
        stream = sys.stdin if isinstance(path, str) else path
        source = "standard input" if stream is sys.stdin else _name_of(stream)
        content = getattr(stream, "buffer", stream).read()
        if isinstance(content, str):
            content = content.encode("utf-8")
        binary = io.BufferedReader(io.BytesIO(content))
    try:
        with ExitStack() as opened:
            opened.enter_context(binary)
            yield _rows(binary, source, opened)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(
            f"{source} is damaged: it begins like a gzip file, but cannot be "
            f"unpacked ({error})."
        ) from error
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{source} is not a text in UTF-8 ({error.reason}): save it as UTF-8, or "
            "as Parquet."
        ) from error
    except csv.Error as error:
        raise ValueError(f"{source} is not a readable table: {error}.") from error


def _name_of(stream):
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else "the table"


def _rows(binary, source, opened):
    start = binary.peek(4)
    if start[:4] == _PARQUET_MAGIC:
        return _parquet_rows(binary, source)
    if start[:2] == _GZIP_MAGIC:
        binary = opened.enter_context(gzip.GzipFile(fileobj=binary))
    text = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
    opened.enter_context(text)
    return _text_rows(text, source)


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


def _parquet_rows(binary, source):
    import pandas as pd

    try:
        frame = pd.read_parquet(io.BytesIO(binary.read()))
    except ImportError as error:
        raise ImportError(
            f"{source} is a Parquet file: reading it needs pyarrow, which "
            "`pip install 'skirt[parquet]'` installs."
        ) from error
    except (OSError, ValueError) as error:  # what pyarrow raises
        raise ValueError(f"{source} is a damaged Parquet file: {error}.") from error
    if not _is_counter(frame.index):
        frame = frame.reset_index()
    elif not _names_its_rows(frame):
        frame = frame.reset_index(names="model")
    header = [str(name) for name in frame.columns]
    body = enumerate(frame.itertuples(index=False, name=None), start=1)
    return Rows(source, "row", header, body, [])


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
