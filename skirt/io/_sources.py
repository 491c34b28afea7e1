"""Opening files, whatever they are packed in, with errors that name them."""

import csv
import gzip
import io
import os
import sys
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

_GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
ZIP_MAGIC = b"PK\x03\x04"

# Content that is certainly none of ours, by its first bytes, and what to do about it.
_FOREIGN = {
    b"\xff\xfe": "text in UTF-16: save it as UTF-8",
    b"\xfe\xff": "text in UTF-16: save it as UTF-8",
    b"BZh": "packed with bzip2: unpack it, or use gzip",
    b"\xfd7zXZ": "packed with xz: unpack it, or use gzip",
    b"\x28\xb5\x2f\xfd": "packed with zstd: unpack it, or use gzip",
    ZIP_MAGIC: "a zip archive, a spreadsheet perhaps: unpack it, or save it as CSV",
    b"PK\x05\x06": "an empty zip archive",
    b"<!DOCTYPE": "a web page, an error message perhaps: fetch the file itself",
    b"<!doctype": "a web page, an error message perhaps: fetch the file itself",
    b"<html": "a web page, an error message perhaps: fetch the file itself",
    b"version https://git-lfs": "a pointer of Git LFS: fetch it with git lfs pull",
    b"SQLite format 3": "a SQLite database: export its table as CSV",
}


@dataclass
class Source:
    """An opened file or stream.

    Attributes
    ----------
    name : str
        For messages.
    binary : io.BufferedReader or gzip.GzipFile
        Its content, unpacked where it is gzip.
    """

    name: str
    binary: io.BufferedReader | gzip.GzipFile
    _opened: ExitStack

    def start(self, size=4096):
        """Return the first bytes, which stay there to be read."""
        return self.binary.peek(size)[:size]

    def text(self):
        """Return the content as text in UTF-8, or say what it is instead."""
        start = self.start(32)
        for magic, what in _FOREIGN.items():
            if start.startswith(magic):
                raise ValueError(f"{self.name} is {what}.")
        text = io.TextIOWrapper(self.binary, encoding="utf-8-sig", newline="")
        return self._opened.enter_context(text)


@contextmanager
def open_source(path):
    """Open a file or stream, and turn what it raises into lines that name it.

    Parameters
    ----------
    path : str, os.PathLike, "-" or file object

    Yields
    ------
    Source
    """
    name, binary = _open(path)
    with ExitStack() as opened, errors_name(name):
        opened.enter_context(binary)
        if binary.peek(2)[:2] == _GZIP_MAGIC:
            binary = opened.enter_context(gzip.GzipFile(fileobj=binary))
        yield Source(name, binary, opened)


def _open(path):
    if isinstance(path, str | os.PathLike) and str(path) != "-":
        return os.fspath(path), open(path, "rb")
    stream = sys.stdin if isinstance(path, str) else path
    source = "standard input" if stream is sys.stdin else _name_of(stream)
    content = getattr(stream, "buffer", stream).read()
    if isinstance(content, str):
        content = content.encode("utf-8")
    return source, io.BufferedReader(io.BytesIO(content))


def _name_of(stream):
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else "the table"


@contextmanager
def errors_name(source):
    """Turn what a damaged or foreign file raises into one line that names it."""
    try:
        yield
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


def shorten(value, size=60):
    """Return a value as it is quoted in a message."""
    text = repr(value)
    return text if len(text) <= size else text[: size - 4] + " ..."
