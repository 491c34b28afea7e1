"""Logs of the lm-evaluation-harness."""

import math
from collections import Counter

from skirt.io._assembly import assemble
from skirt.io._json_source import read_objects
from skirt.io._lm_eval_runs import (
    SAMPLES,
    Summaries,
    check_order,
    dig,
    model_facts,
    recorded_model,
    task_of,
)
from skirt.io._records import Block, Records
from skirt.io._rules import Rules, item_id
from skirt.io._runs import (
    IF_REPEATED,
    choose,
    find_files,
    name_of_model,
)
from skirt.io._sources import open_source, shorten
from skirt.io._words import count, few

# What a sample holds beside its metrics.
_KNOWN = {
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
}
_SUBJECTS = ("subject", "category", "subset", "topic")


def is_samples_file(path):
    """Say whether a file is called as the harness calls its samples."""
    return SAMPLES.fullmatch(path.name) is not None


def is_sample(found):
    """Say whether an object is a sample of the harness."""
    return "doc_id" in found and bool({"filtered_resps", "resps"} & found.keys())


def read_lm_eval(
    path,
    *,
    metric=None,
    filter=None,
    model_name=None,
    binarize=None,
    duplicates=None,
    check_content=True,
):
    """Read what the lm-evaluation-harness writes with ``--log_samples``.

    Parameters
    ----------
    path : str, os.PathLike or list of them
        ``samples_*.jsonl`` files (gzip or not), or folders with any number of them, at
        any depth. The ``results_*.json`` beside one names its model and tells which
        metrics are better when higher; without it the model is named by the folder.
    metric : str, list of str or dict, default=None
        The metric that counts, ``"acc_norm"`` for one; a list is an order of
        preference, a dict gives either by task. May be left out for tasks of a single
        metric.
    filter : str, list of str or dict, default=None
        The filter that counts, ``"strict-match"`` for one; likewise.
    model_name : str or callable, default=None
        The name of the model, or a function that returns it from a dict with ``model``,
        ``model_args``, ``path`` and ``folder``: to tell runs of one model apart, for
        example.
    binarize : float, default=None
        Scores above it are 1, others 0. None refuses scores other than 0 and 1.
    duplicates : {"first", "mean", "majority"}, default=None
        What counts where several runs of a model answer the same item, see
        :func:`read_responses`.
    check_content : bool, default=True
        Refuse an item whose document differs from one file to another, and a file of
        some documents whose ids do not ascend: the harness gives them to the wrong
        documents where ``--samples`` is not sorted. False takes ids as they are and
        says in the notes which items differ.

    Returns
    -------
    Results
        Items are called ``task/doc_id``. The item table has the task's ``subject``,
        where documents name one, and ``content``, the harness's hash of the document.

    Raises
    ------
    ValueError
        On torn or foreign lines, with the file and the line; where the metric or the
        filter has to be chosen, with the choices; where the metric is better when
        lower; where scores are neither 0 nor 1 and where responses repeat, unless the
        rules above say what to do.
    OSError
        On a file that cannot be opened.

    Notes
    -----
    Files are read line by line. A sample without a score for the metric, or with NaN,
    is missing.

    References
    ----------
    Biderman, S. et al. (2024). Lessons from the trenches on reproducible evaluation of
    language models. arXiv:2405.14782.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from skirt.io import read_lm_eval
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = pathlib.Path(folder, "small-model")
    ...     run.mkdir()
    ...     with open(run / "samples_sums_2024-11-26T10-50-23.jsonl", "w") as file:
    ...         for doc_id, acc in enumerate([1.0, 0.0]):
    ...             sample = {"doc_id": doc_id, "resps": [], "acc": acc}
    ...             print(json.dumps(sample), file=file)
    ...     read_lm_eval(folder).responses
                 sums/0  sums/1
    model
    small-model     1.0     0.0
    """
    rules = Rules(binarize, duplicates)
    records = Records()
    records.if_repeated = IF_REPEATED
    reader = _Reader(records, metric, filter, model_name, check_content)
    files = find_files(path, is_samples_file, "samples_*.jsonl of the harness")
    for file in files:
        reader.read(file)
    reader.finish()
    source = str(path if not isinstance(path, list | tuple) else files[0].parent)
    many = "" if len(files) == 1 else f", {len(files)} files"
    return assemble(records, rules, source, f"lm-evaluation-harness samples{many}")


class _Reader:
    def __init__(self, records, metric, filter_, model_name, check_content):
        self.records = records
        self.metric, self.filter = metric, filter_
        self.model_name, self.check_content = model_name, check_content
        self.other_metrics: dict = {}
        self.other_filters: Counter = Counter()
        self.by_folder: set = set()
        self.summaries = Summaries()

    def read(self, path):
        summary = self.summaries.of(path)
        task = task_of(path, summary)
        model = self._model(path, summary)
        code = self.records.model(model, **model_facts(summary))
        with open_source(path) as opened:
            block = Block(opened.name)
            self._read_samples(opened, task, code, summary, block)
        self.records.blocks.append(block)

    def _read_samples(self, opened, task, model, summary, block):
        source = opened.name
        metric = filter_ = None
        filters: dict = {}
        ids: list = []
        for line, sample in read_objects(opened):
            if not is_sample(sample):
                raise ValueError(
                    f"{source}, line {line}: no sample of the lm-evaluation-harness: "
                    f"it has no doc_id or no responses, but {_keys(sample)}."
                )
            filters.setdefault(sample.get("filter", "none"), line)
            if filter_ is None:
                filter_ = self._first_filter(sample, task, source)
            if filter_ is not None and sample.get("filter", "none") != filter_:
                self.other_filters[task, sample.get("filter", "none")] += 1
                continue
            if metric is None:
                metric = self._first_metric(sample, task, source, summary)
            ids.append(sample["doc_id"])
            item = self._item(task, sample, source, line)
            block.append(model, item, self._score(sample, metric, source, line), line)
        self._check_filters(filters, filter_, task, source)
        if self.check_content:
            check_order(ids, task, source)

    def _first_filter(self, sample, task, source):
        """Return the filter wanted, if any; which there are is known at the end."""
        wanted = self.filter.get(task) if isinstance(self.filter, dict) else self.filter
        if wanted is None or isinstance(wanted, str):
            return wanted
        return choose(wanted, _filters_of(source), task, "filter", source)

    def _check_filters(self, filters, filter_, task, source):
        if filter_ is None and len(filters) == 1:
            return
        choose(filter_, list(filters), task, "filter", source)

    def _first_metric(self, sample, task, source, summary):
        metrics = _metrics_of(sample)
        if not metrics:
            raise ValueError(
                f"{source}: the samples of {task} have no metric, but {_keys(sample)}."
            )
        metric = choose(self.metric, metrics, task, "metric", source)
        higher = dig(summary, "higher_is_better", task, metric)
        if higher is False:
            raise ValueError(
                f"{source}: {metric} of {task} is better when lower; skirt needs a "
                f"score of which more is better. {task} has "
                f"{', '.join(map(repr, metrics))}."
            )
        left_out = [name for name in metrics if name != metric]
        if left_out:
            self.other_metrics[task] = (metric, left_out)
        return metric

    def _score(self, sample, metric, source, line):
        value = sample.get(metric)
        if value is None:
            self.records.ungraded["sample", f"without a score ({metric})"] += 1
            return math.nan
        if not isinstance(value, bool | int | float) or math.isinf(value):
            raise ValueError(
                f"{source}, line {line}: {metric} is {shorten(value)}; expected a "
                "number for each sample. Choose another metric."
            )
        if math.isnan(value):
            self.records.ungraded["sample", f"with the score NaN ({metric})"] += 1
        return float(value)

    def _item(self, task, sample, source, line):
        doc = sample.get("doc")
        facts = {}
        if isinstance(doc, dict):
            for name in _SUBJECTS:
                if isinstance(doc.get(name), str):
                    facts["subject"] = doc[name]
                    break
        doc_id = sample["doc_id"]
        name = item_id(task, doc_id)
        code = self.records.item(
            name, benchmark=task, item=str(doc_id), **facts, content=None
        )
        content = sample.get("doc_hash")
        self.records.check_content(
            name, content, source, f"line {line}", self.check_content
        )
        return code

    def _model(self, path, summary):
        folder = path.resolve().parent.name
        recorded = recorded_model(summary)
        run = {
            "model": recorded or folder,
            "model_args": dig(summary, "config", "model_args"),
            "path": str(path),
            "folder": folder,
        }
        if not recorded and self.model_name is None:
            self.by_folder.add(folder)
        return name_of_model(
            self.model_name, run, path, "its model is not known; pass model_name."
        )

    def finish(self):
        notes = self.records.notes
        for folder in sorted(self.by_folder):
            notes.append(
                "No results_*.json beside samples: the model is named by the "
                f"folder, {folder!r}."
            )
        chosen: dict = {}
        for task, (metric, others) in self.other_metrics.items():
            chosen.setdefault((metric, tuple(others)), []).append(task)
        for (metric, others), tasks in chosen.items():
            notes.append(
                f"Metric {metric} counts, not {', '.join(others)} ({few(tasks)})."
            )
        for (task, name), n in self.other_filters.items():
            notes.append(f"{count(n, 'record')} of filter {name} left out ({task}).")


def _metrics_of(sample):
    listed = sample.get("metrics")
    if isinstance(listed, list):
        names = [name for name in listed if name in sample]
    else:
        names = [name for name in sample if name not in _KNOWN]
    # Others, such as the pairs that make a perplexity, are no scores of a sample.
    return [
        name
        for name in names
        if sample[name] is None or isinstance(sample[name], bool | int | float)
    ] or names


def _filters_of(source):
    """Return the filters in a file, by reading it."""
    with open_source(source) as opened:
        found = (sample.get("filter", "none") for _, sample in read_objects(opened))
        return list(dict.fromkeys(found))


def _keys(sample):
    names = [repr(name) for name in list(sample)[:6]]
    return f"keys {', '.join(names)}{', ...' if len(sample) > 6 else ''}"
