"""Runs of HELM."""

import math

from skirt.io._assembly import assemble
from skirt.io._helm_files import (
    STATS,
    beside,
    check_entry,
    contents_of,
    is_stats_file,
    mean_of,
    metric_of,
    metrics_of,
    model_of,
    scenario_of,
)
from skirt.io._json_source import read_objects
from skirt.io._records import Block, Records
from skirt.io._rules import Rules, item_id
from skirt.io._runs import IF_REPEATED, choose, find_files, name_of_model
from skirt.io._sources import open_source
from skirt.io._words import count


def read_helm(
    path,
    *,
    metric=None,
    model_name=None,
    binarize=None,
    duplicates=None,
    check_content=True,
):
    """Read runs of HELM.

    Parameters
    ----------
    path : str, os.PathLike or list of them
        ``per_instance_stats.json`` files, or folders with any number of them, at any
        depth. The ``run_spec.json`` beside one names its model and scenario (without
        it, the folder does), and ``instances.json`` holds what was asked.
    metric : str, list of str or dict, default=None
        The statistic that counts, ``"exact_match"`` for one; a list is an order of
        preference, a dict gives either by scenario. May be left out where only one is
        0 or 1 throughout.
    model_name : str or callable, default=None
        The name of the model, or a function that returns it from a dict with ``model``,
        ``benchmark``, ``path`` and ``folder``.
    binarize : float, default=None
        Scores above it are 1, others 0. None refuses scores other than 0 and 1.
    duplicates : {"first", "mean", "majority"}, default=None
        What counts where an instance has several trials, see :func:`read_responses`.
    check_content : bool, default=True
        Refuse an instance whose text differs from one run to another. False takes both
        for one item and says so in the notes.

    Returns
    -------
    Results
        Items are called ``scenario/instance id``, where the scenario is the run's name
        without the model. The item table has the ``split``, the ``subject``, where the
        run's name tells it, and ``content``, a hash of the instance.

    Raises
    ------
    ValueError
        On torn or foreign files, with the line; where the metric has to be chosen, with
        the choices; where scores are neither 0 nor 1 and where responses repeat, unless
        the rules above say what to do.
    OSError
        On a file that cannot be opened.

    Notes
    -----
    Files are read entry by entry. Perturbed instances are left out, and counted in the
    notes. An instance without a value for the metric is missing.

    References
    ----------
    Liang, P. et al. (2023). Holistic evaluation of language models. Transactions on
    Machine Learning Research.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from skirt.io import read_helm
    >>> stat = {"name": {"name": "exact_match"}, "count": 1, "sum": 1}
    >>> entry = {"instance_id": "id7", "train_trial_index": 0, "stats": [stat]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = pathlib.Path(folder, "mmlu:subject=law,model=maker_small")
    ...     run.mkdir()
    ...     _ = (run / "per_instance_stats.json").write_text(json.dumps([entry]))
    ...     read_helm(folder).responses
                 mmlu:subject=law/id7
    model
    maker_small                   1.0
    """
    rules = Rules(binarize, duplicates)
    files = find_files(path, is_stats_file, f"{STATS} of HELM")
    reader = _Reader(metric, model_name, check_content)
    for file in files:
        reader.read(file)
    source = str(path if not isinstance(path, list | tuple) else files[0].parent)
    many = "" if len(files) == 1 else f"s, {len(files)} files"
    return assemble(reader.finish(), rules, source, f"HELM run{many}")


class _Reader:
    def __init__(self, metric, model_name, check_content):
        self.records = Records()
        self.records.if_repeated = IF_REPEATED
        self.metric, self.model_name = metric, model_name
        self.check_content = check_content
        self.n_perturbed = 0
        self.chosen: dict = {}

    def read(self, path):
        spec = beside(path, "run_spec.json")
        name = (spec or {}).get("name") or path.resolve().parent.name
        benchmark, parts = scenario_of(name)
        run = {
            "model": model_of(spec) or parts.get("model"),
            "benchmark": benchmark,
            "path": str(path),
            "folder": path.resolve().parent.name,
        }
        name = name_of_model(
            self.model_name,
            run,
            path,
            "its model is not known, for there is no run_spec.json beside it, nor does "
            "its folder name one; pass model_name.",
        )
        model = self.records.model(name)
        metric = self._choose(path, benchmark)
        facts = {"subject": parts["subject"]} if "subject" in parts else {}
        contents = contents_of(path)
        with open_source(path) as opened:
            source = opened.name
            block = Block(source)
            values = _Values(metric, source, self.records)
            for line, entry in read_objects(opened):
                check_entry(entry, source, line)
                if entry.get("perturbation") is not None:
                    self.n_perturbed += 1
                    continue
                instance = str(entry["instance_id"])
                item = self._item(
                    benchmark, instance, contents.get(instance), source, line, facts
                )
                values.read(entry, item, line)
        if not values.graded:
            choose(metric, sum(metrics_of(path), []), benchmark, "metric", path)
        for item, value, line in values.all():
            block.append(model, item, value, line)
        self.records.blocks.append(block)

    def _choose(self, path, benchmark):
        """Return the metric; where it is left open, the only one that is 0 or 1."""
        wanted = self.metric
        if isinstance(wanted, dict):
            wanted = wanted.get(benchmark)
        if isinstance(wanted, str):
            metric = wanted  # which is found, or not, in reading the values
        else:
            binary, others = metrics_of(path)
            wanted = binary if wanted is None and len(binary) == 1 else wanted
            metric = choose(wanted, binary + others, benchmark, "metric", path)
        self.chosen.setdefault(metric, benchmark)
        return metric

    def _item(self, benchmark, instance, known, source, line, facts):
        split, content = known or (None, None)
        if split is not None:
            facts = {**facts, "split": split}
        name = item_id(benchmark, instance)
        code = self.records.item(
            name, benchmark=benchmark, item=instance, **facts, content=None
        )
        self.records.check_content(
            name, content, source, f"line {line}", self.check_content
        )
        return code

    def finish(self):
        notes = self.records.notes
        for metric in self.chosen:
            notes.append(f"Metric {metric} counts.")
        if self.n_perturbed:
            notes.append(
                f"{count(self.n_perturbed, 'record')} of perturbed instances left out."
            )
        return self.records


class _Values:
    """The values of one metric in a file, of which an entry holds only some metrics."""

    def __init__(self, metric, source, records):
        self.metric, self.source, self.records = metric, source, records
        self.found: list = []
        self.without: dict = {}
        self.graded: set = set()

    def read(self, entry, item, line):
        trial = (item, entry.get("train_trial_index"))
        value = None
        for stat in entry["stats"]:
            if metric_of(stat, self.source, line) == self.metric:
                value = mean_of(stat, self.metric, self.source, line)
        if value is None:
            self.without.setdefault(trial, line)
        else:
            self.graded.add(trial)
            self.found.append((item, value, line))

    def all(self):
        yield from self.found
        for trial, line in self.without.items():
            if trial not in self.graded:
                self.records.ungraded["instance", f"without {self.metric}"] += 1
                yield trial[0], math.nan, line
