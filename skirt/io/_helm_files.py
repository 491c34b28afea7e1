"""The files of a run of HELM."""

import hashlib
import json
import math
from collections import Counter

from skirt.io._json_source import read_objects
from skirt.io._sources import errors_name, open_source, shorten

STATS = "per_instance_stats.json"


def is_stats_file(path):
    """Say whether a file is called as HELM calls its statistics by instance."""
    return path.name.removesuffix(".gz").endswith(STATS)


def is_entry(found):
    """Say whether an object is an entry of HELM's statistics by instance."""
    return "instance_id" in found and isinstance(found.get("stats"), list)


def check_entry(entry, source, line):
    if not is_entry(entry):
        keys = ", ".join(repr(key) for key in list(entry)[:6])
        raise ValueError(
            f"{source}, line {line}: no entry of HELM's {STATS}: expected instance_id "
            f"and stats, found the keys {keys}."
        )


def metric_of(stat, source, line):
    """Return the name of a statistic; None for one over perturbed instances."""
    name = stat.get("name") if isinstance(stat, dict) else None
    if not isinstance(name, dict) or "name" not in name:
        raise ValueError(
            f"{source}, line {line}: {shorten(stat)} is no statistic of HELM."
        )
    return None if name.get("perturbation") is not None else name["name"]


def mean_of(stat, metric, source, line):
    count, total = stat.get("count"), stat.get("sum")
    if count == 0:
        return None
    if not all(isinstance(x, int | float) and math.isfinite(x) for x in (count, total)):
        raise ValueError(
            f"{source}, line {line}: {metric} has the count {count!r} and the sum "
            f"{total!r}; expected numbers."
        )
    return total / count


def metrics_of(path):
    """Return the metrics that are 0 or 1 throughout, and the others."""
    binary: Counter = Counter()
    others: dict = {}
    with open_source(path) as opened:
        source = opened.name
        for line, entry in read_objects(opened):
            check_entry(entry, source, line)
            for stat in entry["stats"]:
                metric = metric_of(stat, source, line)
                if metric is None or metric in others:
                    continue
                if mean_of(stat, metric, source, line) in (None, 0, 1):
                    binary[metric] += 1
                else:
                    others[metric] = None
    if not binary and not others:
        raise ValueError(f"{path} holds no statistics.")
    # Metrics of all instances first: some are of a category only.
    common = [name for name, _ in binary.most_common() if name not in others]
    return common, list(others)


def scenario_of(name):
    """Return a run's name without its model, and its parts."""
    scenario, _, rest = name.partition(":")
    parts = dict(part.partition("=")[::2] for part in rest.split(",") if "=" in part)
    kept = [
        part
        for part in rest.split(",")
        if part and part.partition("=")[0] not in ("model", "model_deployment")
    ]
    return scenario + (":" + ",".join(kept) if kept else ""), parts


def model_of(spec):
    adapter = (spec or {}).get("adapter_spec") or {}
    return adapter.get("model") or adapter.get("model_deployment")


def _sibling(path, name):
    prefix = path.name.removesuffix(".gz").removesuffix(STATS)
    return path.with_name(prefix + name if is_stats_file(path) else name)


def beside(path, name):
    """Return the content of the JSON object beside a file, None where there is none."""
    file = _sibling(path, name)
    if not file.exists():
        return None
    with open(file, encoding="utf-8-sig") as stream, errors_name(str(file)):
        try:
            found = json.load(stream)
        except json.JSONDecodeError as error:
            raise ValueError(
                f"{file}, line {error.lineno}: no whole JSON ({error.msg})."
            ) from error
    return found if isinstance(found, dict) else None


def contents_of(path):
    """Return (split, hash of what is asked) by instance id."""
    file = _sibling(path, "instances.json")
    if not file.exists():
        return {}
    found = {}
    with open_source(file) as opened:
        source = opened.name
        for line, instance in read_objects(opened):
            if "id" not in instance or instance.get("perturbation") is not None:
                continue
            if "input" not in instance:
                raise ValueError(f"{source}, line {line}: an instance without input.")
            asked = json.dumps(
                [instance["input"], instance.get("references")], sort_keys=True
            )
            digest = hashlib.sha256(asked.encode()).hexdigest()
            found[str(instance["id"])] = instance.get("split"), digest
    return found
