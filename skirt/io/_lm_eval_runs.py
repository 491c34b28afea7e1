"""What the harness tells of a run as a whole: its model, its tasks, its documents."""

import json
import re
from datetime import UTC, datetime

from skirt.io._sources import errors_name

SAMPLES = re.compile(r"(?:.*?_)??samples_(.+?)\.jsonl(?:\.gz)?")
_DATE = re.compile(r"_(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?)$")
# Arguments by which the harness names a model.
_NAMING = {"peft", "delta", "pretrained", "model", "path", "engine"}


class Summaries:
    """The results_*.json of runs, each read once."""

    def __init__(self):
        self._read: dict = {}

    def of(self, path):
        """Return the content of the results_*.json beside a file of samples, or {}."""
        date = _DATE.search(path.name.removesuffix(".gz").removesuffix(".jsonl"))
        beside = sorted(path.parent.glob("*.json"))
        found = [file for file in beside if date and date[1] in file.name]
        if not found:
            found = [file for file in beside if file.name.startswith("results_")]
            found = found if len(found) == 1 else []
        if not found:
            return {}
        if found[0] not in self._read:
            self._read[found[0]] = _read_summary(found[0])
        return self._read[found[0]]


def task_of(path, summary):
    match = SAMPLES.fullmatch(path.name)
    name = match[1] if match else path.name.split(".")[0]
    name = _DATE.sub("", name)
    # File names cannot hold every character of a task's name; the summary does.
    for task in summary.get("configs") or {}:
        if re.sub(r"\W", "_", task) == re.sub(r"\W", "_", name):
            return task
    return name


def _read_summary(path):
    with open(path, encoding="utf-8-sig") as file, errors_name(str(path)):
        try:
            found = json.load(file)
        except json.JSONDecodeError as error:
            raise ValueError(
                f"{path}, line {error.lineno}: no whole JSON ({error.msg}); it should "
                "be the summary of the run. If the file is cut off, remove it, and "
                "pass model_name."
            ) from error
    return found if isinstance(found, dict) else {}


def recorded_model(summary):
    """Return the model's name in a summary; None where there is none.

    Without a name in model_args, `model_name` is a hash of them, which is the same for
    all models without arguments.
    """
    args = dig(summary, "config", "model_args")
    if isinstance(args, str):
        args = dict(part.partition("=")[::2] for part in args.split(",") if part)
    args = args or {}
    if args.keys() & _NAMING:
        named = args.get("pretrained") or args.get("model")
        return summary.get("model_name") or named
    source = summary.get("model_source") or dig(summary, "config", "model")
    if not source:
        return summary.get("model_name")
    if not args:
        return source
    return f"{source} ({', '.join(f'{key}={value}' for key, value in args.items())})"


def model_facts(summary):
    args = dig(summary, "config", "model_args")
    date = summary.get("date")
    if isinstance(date, int | float):
        date = datetime.fromtimestamp(date, UTC).isoformat(timespec="seconds")
    facts = {
        "backend": dig(summary, "config", "model"),
        "model_args": json.dumps(args) if args and not isinstance(args, str) else args,
        "date": date,
    }
    return {name: value for name, value in facts.items() if value}


def check_order(ids, task, source):
    """Refuse ids of some documents that do not ascend.

    The harness goes through documents in their order, but numbers them in the order
    of --samples. Files of several processes do not ascend either, but are of all
    documents as a rule.
    """
    if not all(isinstance(number, int) for number in ids):
        return
    ordered = sorted(ids)
    if ids != ordered and ordered != list(range(len(ids))):
        raise ValueError(
            f"{source}: the document ids of {task} do not ascend "
            f"({', '.join(map(str, ids[:4]))}, ...), as where --samples was not "
            "sorted: then the harness gives them to the wrong documents. Repeat the "
            "run with sorted ids (to_lm_eval sorts), or, if several processes wrote "
            "the file, pass check_content=False."
        )


def dig(found, *keys):
    """Return what nested dicts hold; None where a key is absent on the way."""
    for key in keys:
        if not isinstance(found, dict):
            return None
        found = found.get(key)
    return found
