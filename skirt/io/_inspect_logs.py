"""Logs of Inspect as its own library reads them, and what their samples hold."""

import hashlib
import json
import re
from dataclasses import dataclass

from skirt.io._sources import ZIP_MAGIC

_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_TRUNCATED = "(content truncated)"


def starts_like_log(start):
    """Say whether a file begins as a log of Inspect does, zipped or JSON."""
    if start[:4] == ZIP_MAGIC:
        return b"_journal/start.json" in start or b"header.json" in start
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    return (
        text[:1] == b"{"
        and re.search(rb'"status"\s*:', text) is not None
        and re.search(rb'"eval"\s*:\s*\{', text) is not None
    )


def is_log_file(path):
    """Say whether a file in a folder is a log of Inspect."""
    if path.suffix == ".eval":
        return True
    if path.suffix != ".json" or not path.is_file():
        return False
    with open(path, "rb") as file:
        return starts_like_log(file.read(4096))


@dataclass
class Log:
    path: str
    header: object
    samples: list
    invalidated: set


def read_log(path):
    """Read the header and the samples' summaries of a log."""
    with open(path, "rb") as file:  # raises where it cannot be opened
        start = file.read(4096)
    if not start:
        raise ValueError(f"{path} is empty.")
    zipped = start[:4] == ZIP_MAGIC
    if not zipped and not starts_like_log(start):
        raise ValueError(
            f"{path} is no log of Inspect: it is neither a zip archive nor JSON with "
            "status and eval."
        )
    log = _library()
    form = "eval" if zipped else "json"
    try:
        if zipped:
            header = log.read_eval_log(str(path), header_only=True, format=form)
            samples = log.read_eval_log_sample_summaries(str(path), format=form)
            invalidated = _invalidated(log, path, header, samples)
        else:
            header = log.read_eval_log(str(path), format=form)
            whole, header.samples = header.samples or [], None
            samples = [sample.summary() for sample in whole]
            invalidated = {
                (sample.id, sample.epoch)
                for sample in whole
                if getattr(sample, "invalidation", None) is not None
            }
    except Exception as error:  # whatever the library raises on a damaged file
        first = (str(error).strip().splitlines() or [""])[0][:200]
        raise ValueError(
            f"{path} is damaged, or its version is not known to inspect-ai: "
            f"{type(error).__name__} {first}".rstrip(" .:")
            + "."
        ) from error
    return Log(str(path), header, samples, invalidated)


def _library():
    try:
        from inspect_ai import log

        log.read_eval_log_sample_summaries  # noqa: B018
    except (ImportError, AttributeError) as error:
        raise ImportError(
            "Reading logs of Inspect needs inspect-ai (0.3.199 or later), which "
            "`pip install 'skirt[inspect]'` installs."
        ) from error
    return log


def _invalidated(log, path, header, samples):
    if not getattr(header, "invalidated", False):
        return set()
    return {
        (sample.id, sample.epoch)
        for sample in samples
        if log.read_eval_log_sample(
            str(path), id=sample.id, epoch=sample.epoch, format="eval"
        ).invalidation
        is not None
    }


def run_of(log):
    spec = log.header.eval
    parts = log.path.replace("\\", "/").split("/")
    return {
        "model": spec.model,
        "task": spec.task,
        "model_args": spec.model_args,
        "task_args": spec.task_args,
        "created": str(spec.created),
        "path": log.path,
        "folder": parts[-2] if len(parts) > 1 else "",
    }


def model_facts(spec):
    facts = {}
    if spec.model_args:
        facts["model_args"] = json.dumps(spec.model_args, default=str)
    return facts


def scored(sample, scorer):
    if scorer is None or not sample.scores:
        return None
    if scorer in sample.scores:
        return sample.scores[scorer].value
    name, _, key = scorer.rpartition("/")
    value = sample.scores[name].value if name in sample.scores else None
    return value.get(key) if isinstance(value, dict) else None


def number_of(value):
    if isinstance(value, bool | int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    if value in _LETTERS:
        return _LETTERS[value]
    if value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    try:
        return float(value)
    except ValueError:
        return None


def content_of(sample):
    """Return a hash of what is asked, or None where the log does not hold all of it."""
    asked = sample.input
    if not isinstance(asked, str):
        if not all(isinstance(message.content, str) for message in asked):
            return None  # pictures and the like are not in summaries
        asked = [[message.role, message.content] for message in asked]
    # Choices may be shuffled, and then the target's letter moves with them.
    choices = getattr(sample, "choices", None)
    text = json.dumps([asked, sorted(choices) if choices else sample.target])
    if _TRUNCATED in text:
        return None
    return hashlib.sha256(text.encode()).hexdigest()
