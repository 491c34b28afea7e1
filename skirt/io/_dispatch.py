"""Any of the formats, recognised by content."""

import inspect
import io
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from skirt.io._helm import read_helm
from skirt.io._helm_files import is_entry, is_stats_file
from skirt.io._inspect import read_inspect
from skirt.io._inspect_logs import is_log_file, starts_like_log
from skirt.io._json_source import read_objects
from skirt.io._lm_eval import is_sample, is_samples_file, read_lm_eval
from skirt.io._py_irt import is_subject, read_py_irt
from skirt.io._results import Results
from skirt.io._sources import PARQUET_MAGIC, ZIP_MAGIC, open_source
from skirt.io._tables import read_responses

READERS: dict[str, Callable[..., Results]] = {
    "table": read_responses,
    "lm_eval": read_lm_eval,
    "inspect": read_inspect,
    "helm": read_helm,
    "py_irt": read_py_irt,
}
_IN_FOLDERS = {
    "lm_eval": is_samples_file,
    "inspect": is_log_file,
    "helm": is_stats_file,
}


def read_results(path, *, format=None, **options):
    """Read results of any known form.

    Parameters
    ----------
    path : str, os.PathLike, file object or list of paths
        A table, or files or folders of logs of one form: whatever
        :func:`read_responses`, :func:`read_lm_eval`, :func:`read_inspect`,
        :func:`read_helm` or :func:`read_py_irt` reads. "-" is the standard input.
    format : {"table", "lm_eval", "inspect", "helm", "py_irt"}, default=None
        The form; None finds it from the content, or in a folder from the names.
    **options
        Passed to the reader. Those that are None are left out.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        Where the content is of no known form, where a folder holds several, on an
        option that the form's reader does not have, and whatever the reader refuses.
    OSError
        On a file that cannot be opened.

    Examples
    --------
    >>> import io
    >>> from skirt.io import read_results
    >>> lines = io.StringIO('{"subject_id": "ann", "responses": {"q1": 1, "q2": 0}}')
    >>> read_results(lines)
    Results: 1 model x 2 items, py-irt lines
    1 one, 1 zero, 0 missing (0.0 %)
    """
    if format is not None and format not in READERS:
        raise ValueError(f"format is one of {', '.join(READERS)}, not {format!r}.")
    path = _kept(path)
    form = format or _form_of(path)
    reader = READERS[form]
    options = {name: value for name, value in options.items() if value is not None}
    known = [name for name in inspect.signature(reader).parameters if name != "path"]
    for name in options:
        if name not in known:
            raise ValueError(
                f"{_source_of(path)}: {name} is no option of {form.replace('_', '-')} "
                f"results; they have {', '.join(known)}."
            )
    return reader(path, **options)


def _kept(path):
    """Keep what a stream holds, so that it can be looked at and then read."""
    if isinstance(path, list | tuple):
        return path
    if isinstance(path, str | os.PathLike) and str(path) != "-":
        return path
    stream = sys.stdin if isinstance(path, str) else path
    content = getattr(stream, "buffer", stream).read()
    kept = io.BytesIO(content.encode() if isinstance(content, str) else content)
    name = getattr(stream, "name", None)
    kept.name = "standard input" if stream is sys.stdin else name
    return kept


def _source_of(path):
    if isinstance(path, list | tuple):
        path = path[0]
    return path if isinstance(path, str | os.PathLike) else path.name or "the table"


def _form_of(path):
    if isinstance(path, list | tuple):
        return _form_of_all(path)
    if isinstance(path, str | os.PathLike) and Path(path).is_dir():
        return _form_of_folder(Path(path))
    with open_source(path) as opened:
        form = _form_of_file(opened)
    if not isinstance(path, str | os.PathLike):
        path.seek(0)
    return form


def _form_of_all(paths):
    found = {_form_of(path): path for path in paths}
    if len(found) != 1 or not found.keys() <= _IN_FOLDERS.keys():
        listed = ", ".join(f"{form} ({path})" for form, path in found.items())
        raise ValueError(
            f"Several paths have to be logs of one form, of {', '.join(_IN_FOLDERS)}; "
            f"found {listed or 'no path'}."
        )
    return next(iter(found))


def _form_of_folder(folder):
    found: dict = {}
    for file in sorted(folder.rglob("*")):
        for form, matches in _IN_FOLDERS.items():
            if form not in found and matches(file):
                found[form] = file
    if len(found) == 1:
        return next(iter(found))
    if not found:
        raise ValueError(
            f"{folder}: this folder holds no logs that skirt knows: no "
            "samples_*.jsonl, no .eval or .json of Inspect, no "
            "per_instance_stats.json. Name a file to read a table."
        )
    listed = ", ".join(f"{form} ({file})" for form, file in found.items())
    raise ValueError(
        f"{folder}: this folder holds logs of several forms: {listed}. Read one folder "
        "at a time."
    )


def _form_of_file(opened):
    start, source = opened.start(), opened.name
    if start[:4] == PARQUET_MAGIC:
        return "table"
    if starts_like_log(start):
        return "inspect"
    if start[:4] == ZIP_MAGIC:
        if source.endswith(".eval"):
            return "inspect"
        return "table"  # which refuses it
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] not in (b"{", b"["):
        return "table"
    if text[:1] == b"{" and not _is_lines(text):
        raise ValueError(_whole_object(text, source))
    _, first = next(read_objects(opened))
    for form, matches in (
        ("lm_eval", is_sample),
        ("helm", is_entry),
        ("py_irt", is_subject),
    ):
        if matches(first):
            return form
    return "table"


def _is_lines(text):
    """Say whether text begins with an object that fills its line, or is cut off."""
    line, newline, _ = text.partition(b"\n")
    if not newline:
        return True
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos < len(error.doc.rstrip())
    except UnicodeDecodeError:  # which the reader explains
        return True
    return True


def _whole_object(text, source):
    if re.match(rb'\{\s*"results"\s*:', text):
        return (
            f"{source} is the summary of a run of the lm-evaluation-harness: the "
            "responses are in samples_*.jsonl, which --log_samples writes; name their "
            "folder."
        )
    return (
        f"{source} is one JSON object, of no form of results that skirt knows: tables, "
        "JSON lines, logs of lm-evaluation-harness, Inspect, HELM or py-irt."
    )
