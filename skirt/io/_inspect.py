"""Logs of Inspect AI."""

import math

from skirt.io._assembly import assemble
from skirt.io._inspect_logs import (
    content_of,
    is_log_file,
    model_facts,
    number_of,
    read_log,
    run_of,
    scored,
)
from skirt.io._records import Block, Records
from skirt.io._rules import Rules, item_id
from skirt.io._runs import (
    IF_REPEATED,
    choose,
    find_files,
    name_of_model,
)
from skirt.io._sources import shorten
from skirt.io._words import count

_NO_ANSWER = {None: None, "wrong": 0.0, "missing": math.nan}
_SUBJECTS = ("subject", "category", "domain", "topic")


def read_inspect(
    path,
    *,
    scorer=None,
    no_answer=None,
    model_name=None,
    binarize=None,
    duplicates=None,
    check_content=True,
):
    """Read logs of Inspect AI.

    Parameters
    ----------
    path : str, os.PathLike or list of them
        Logs, ``.eval`` or ``.json``, or folders with any number of them, at any depth.
    scorer : str, list of str or dict, default=None
        The scorer that counts; ``"scorer/key"`` where a scorer gives several values. A
        list is an order of preference, a dict gives either by task. May be left out
        where there is only one.
    no_answer : {"wrong", "missing"}, default=None
        What the score N (no answer) means: 0, as in Inspect's own accuracy, or not
        graded. None refuses it: a model that may abstain for nothing looks abler than
        it is, one that is cut off looks less able.
    model_name : str or callable, default=None
        The name of the model, or a function that returns it from a dict with ``model``,
        ``task``, ``model_args``, ``task_args``, ``created``, ``path`` and ``folder``.
    binarize : float, default=None
        Scores above it are 1, others 0. None refuses scores other than 0 and 1, and so
        P (partial credit, 0.5).
    duplicates : {"first", "mean", "majority"}, default=None
        What counts where a sample has several epochs, or is in several logs, see
        :func:`read_responses`.
    check_content : bool, default=True
        Refuse a sample whose input differs from one log to another. False takes both
        for one item and says so in the notes.

    Returns
    -------
    Results
        Items are called ``task/sample id``. The item table has ``subject``, where the
        samples' metadata name one, and ``content``, a hash of the input with the
        choices, or with the target where there are none.

    Raises
    ------
    ValueError
        On damaged or foreign files, by name; where the scorer has to be chosen, with
        the choices; on scores that are no numbers; where scores are neither 0 nor 1,
        are N, or repeat, unless the parameters above say what to do.
    ImportError
        Without ``inspect-ai``, which reads the files.
    OSError
        On a file that cannot be opened.

    Notes
    -----
    C and I are 1 and 0. A sample that ended in an error, has no score, was invalidated
    or has the score NaN is missing. A sample that is in two logs, as after
    ``inspect eval-retry``, counts once. Of ``.eval`` files only summaries are read,
    whatever their size; ``.json`` files are read as a whole, one at a time.

    Examples
    --------
    >>> from skirt.io import read_inspect
    >>> results = read_inspect("logs/", duplicates="majority")  # doctest: +SKIP
    """
    rules = Rules(binarize, duplicates)
    if no_answer not in _NO_ANSWER:
        raise ValueError(f"no_answer is 'wrong', 'missing' or None, not {no_answer!r}.")
    files = find_files(path, is_log_file, "logs of Inspect (.eval or .json)")
    reader = _Reader(scorer, _NO_ANSWER[no_answer], model_name, check_content)
    for file in files:
        reader.read(read_log(file))
    source = str(path if not isinstance(path, list | tuple) else files[0].parent)
    many = "" if len(files) == 1 else f"s, {len(files)} files"
    return assemble(reader.finish(), rules, source, f"Inspect log{many}")


class _Reader:
    def __init__(self, scorer, no_answer, model_name, check_content):
        self.records = Records()
        self.records.if_repeated = IF_REPEATED
        self.scorer, self.no_answer = scorer, no_answer
        self.model_name, self.check_content = model_name, check_content
        self.seen: dict = {}
        self.n_again = 0
        self.other_scorers: dict = {}

    def read(self, log):
        spec = log.header.eval
        name = name_of_model(
            self.model_name,
            run_of(log),
            log.path,
            "its model is not named; pass model_name.",
        )
        model = self.records.model(name, **model_facts(spec))
        task = spec.task
        scorer = self._choose_scorer(log, task)
        block = Block(log.path, "sample")
        for number, sample in enumerate(log.samples, start=1):
            if self._read_before(sample, log.path):
                continue
            where = f"sample {sample.id!r}, epoch {sample.epoch}"
            item = self._item(task, sample, log.path, where)
            value = self._value(sample, scorer, log, where)
            block.append(model, item, value, number)
        self.records.blocks.append(block)
        if log.header.status != "success":
            self.records.notes.append(
                f"{log.path} has the status {log.header.status!r}: "
                f"{count(len(log.samples), 'sample')} of {task} read from it."
            )
        elif not log.samples:
            self.records.notes.append(f"{log.path} holds no samples.")

    def _read_before(self, sample, path):
        """Say whether the very same sample was in another log: retries copy them."""
        uuid = getattr(sample, "uuid", None)
        if uuid is None:
            return False
        before = self.seen.setdefault(uuid, path)
        if before == path:
            return False
        self.n_again += 1
        return True

    def _choose_scorer(self, log, task):
        names: dict = {}
        for sample in log.samples:
            for name, score in (sample.scores or {}).items():
                if isinstance(score.value, dict):
                    names.update(dict.fromkeys(f"{name}/{key}" for key in score.value))
                else:
                    names[name] = None
        if not names:
            return None
        scorer = choose(self.scorer, list(names), task, "scorer", log.path)
        if len(names) > 1:
            others = ", ".join(name for name in names if name != scorer)
            self.other_scorers[f"Scorer {scorer} of {task} counts, not {others}."] = (
                None
            )
        return scorer

    def _value(self, sample, scorer, log, where):
        ungraded = self.records.ungraded
        if sample.error is not None:
            ungraded["sample", "that ended in an error"] += 1
            return math.nan
        if (sample.id, sample.epoch) in log.invalidated:
            ungraded["sample", "with an invalidated result"] += 1
            return math.nan
        value = scored(sample, scorer)
        if value is None:
            ungraded["sample", "without a score"] += 1
            return math.nan
        if value == "N":
            return self._without_answer(log.path, where)
        number = number_of(value)
        if number is None or math.isinf(number):
            raise ValueError(
                f"{log.path}, {where}: the score {scorer} is {shorten(value)}; "
                "expected C, I, P, N, a truth value or a number. Choose another scorer."
            )
        if math.isnan(number):
            ungraded["sample", "with the score NaN"] += 1
        return number

    def _without_answer(self, path, where):
        if self.no_answer is None:
            raise ValueError(
                f"{path}, {where}: the score is N, no answer. Say no_answer='wrong' "
                "(--no-answer wrong) to count it as 0, as Inspect's accuracy does, or "
                "'missing'."
            )
        if math.isnan(self.no_answer):
            self.records.ungraded["sample", "without an answer (N)"] += 1
        return self.no_answer

    def _item(self, task, sample, path, where):
        name = item_id(task, sample.id)
        facts = {}
        for key in _SUBJECTS:
            if isinstance((sample.metadata or {}).get(key), str):
                facts["subject"] = sample.metadata[key]
                break
        code = self.records.item(
            name, benchmark=task, item=str(sample.id), **facts, content=None
        )
        self.records.check_content(
            name, content_of(sample), path, where, self.check_content
        )
        return code

    def finish(self):
        notes = self.records.notes
        notes += list(self.other_scorers)
        if self.n_again:
            notes.append(
                f"{count(self.n_again, 'sample')} in more than one log: each counts "
                "once."
            )
        return self.records
