"""Chosen items, handed back to the tools that run them."""

import json
import re
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd

from skirt.io._rules import split_id
from skirt.io._subset_panel import CalibratedPanel

# What is known of the subset as a whole; in a CSV the same in every row.
ABOUT = ("k", "agreement", "calibration", "date", "skirt_version")


@dataclass(frozen=True, repr=False)
class Subset:
    """A chosen subset of a benchmark.

    Attributes
    ----------
    table : DataFrame indexed by item id
        Best first. What :func:`skirt.io.write_subset` was given: order,
        discrimination, difficulty, information, and for some methods weight.
    agreement : float or None
        Held-out agreement at this size, if it was measured.
    calibration : str or None
        Fingerprint of the bank that the items were chosen from.
    date : str or None
        When it was chosen, as year-month-day.
    skirt_version : str or None
    panel : CalibratedPanel or None
        All items of the benchmark and the models that calibrated them, from which
        ``skirt score`` predicts the full score of a new model and finds its place.
        Only JSON files hold it.

    Examples
    --------
    >>> import pandas as pd
    >>> from skirt.io import Subset
    >>> names = pd.Index(["sums/7", "sums/2", "words/0"], name="item")
    >>> subset = Subset(pd.DataFrame({"order": [1, 2, 3]}, index=names), agreement=0.93)
    >>> subset
    Subset of 3 items: agreement 0.930
    >>> subset.to_lm_eval()
    {'sums': [2, 7], 'words': [0]}
    >>> subset.to_inspect()
    ['sums:7', 'sums:2', 'words:0']
    """

    table: pd.DataFrame
    agreement: float | None = None
    calibration: str | None = None
    date: str | None = None
    skirt_version: str | None = None
    panel: CalibratedPanel | None = None

    def __post_init__(self):
        repeated = self.table.index[self.table.index.duplicated()]
        if len(repeated):
            raise ValueError(f"Item {repeated[0]!r} is in the subset more than once.")

    def __len__(self):
        return len(self.table)

    def __repr__(self):
        facts = []
        if self.agreement is not None:
            facts.append(f"agreement {self.agreement:.3f}")
        if self.calibration is not None:
            facts.append(f"calibration {self.calibration[:8]}")
        if self.date is not None:
            facts.append(self.date)
        about = f": {', '.join(facts)}" if facts else ""
        return f"Subset of {len(self):,} item{'' if len(self) == 1 else 's'}{about}"

    @property
    def k(self):
        """Number of items."""
        return len(self.table)

    @property
    def items(self):
        """Item ids, best first, so that ``responses[subset.items]`` finds them."""
        return self.table.index.tolist()

    def bank(self, **params):
        """Return a fixed bank of the chosen items.

        Parameters
        ----------
        **params
            Passed to :meth:`skirt.TwoPLEstimator.from_item_parameters`.

        Returns
        -------
        TwoPLEstimator
            On the scale of the panel that calibrated them.
        """
        from skirt import TwoPLEstimator

        for name in ("discrimination", "difficulty"):
            if name not in self.table:
                raise ValueError(
                    f"The subset has no column {name!r} to make a bank of."
                )
        return TwoPLEstimator.from_item_parameters(
            discrimination=self.table["discrimination"],
            difficulty=self.table["difficulty"],
            names=self.items,
            **params,
        )

    def score(self, answers, *, confidence=0.9):
        """Score models by their answers to the chosen items, as ``skirt score`` does.

        Parameters
        ----------
        answers : DataFrame of shape (n_models, n_items)
            1, 0 and NaN (not answered). Columns that are not of the subset are not
            looked at.
        confidence : float, default=0.9
            Of the intervals.

        Returns
        -------
        DataFrame, indexed by model
            ``n_answers``, ``subset_score`` (share of 1), ``ability`` and ``ability_se``
            on the scale of the panel. With a panel also ``predicted_score``, the
            expected share of 1 on all items of the benchmark, with the interval from
            ``low`` to ``high``, and ``place``, ``place_best`` and ``place_worst``, of
            ``n_places``: where these scores stand among the panel's models.

        Raises
        ------
        ValueError
            If `answers` is no DataFrame, an item of the subset has no column, an answer
            is none of 1, 0 and NaN, a model has no answer, or `confidence` is not
            between 0 and 1.

        Notes
        -----
        The predicted score is the posterior mean, observed answers as observed and the
        others as expected, averaged over banks of one and of several abilities.
        """
        from skirt.io._subset_scores import check_answers, score_models

        number = isinstance(confidence, Real) and not isinstance(confidence, bool)
        if not number or not 0 < confidence < 1:
            raise ValueError(
                f"confidence is {confidence!r}: give a number between 0 and 1, such as "
                "0.9."
            )
        if not isinstance(answers, pd.DataFrame):
            raise ValueError(
                f"answers are of type {type(answers).__name__}: give a DataFrame whose "
                "columns are the names of the items and whose rows are models."
            )
        absent = [name for name in self.items if name not in answers]
        if absent:
            raise ValueError(
                f"answers have no column {absent[0]!r} ({len(absent)} of the subset's "
                f"{len(self)} items are absent): give a column of NaN for items that "
                "were not asked."
            )
        answers = check_answers(answers[self.items])
        silent = answers.index[answers.isna().all(axis=1)]
        if len(silent):
            raise ValueError(
                f"Model {silent[0]!r} has answered no item of the subset "
                f"({len(silent)} such models): leave it out."
            )
        return score_models(self, answers, confidence)

    def to_lm_eval(self, task=None):
        """Return what ``lm-eval --samples`` takes.

        Parameters
        ----------
        task : str, default=None
            The task of items whose ids do not name it.

        Returns
        -------
        dict of str to list of int
            Document ids by task, in ascending order: the harness numbers its documents
            wrongly in any other. ``json.dumps`` makes the option's text of it.

        Raises
        ------
        ValueError
            On an item that is not called ``task/number``.
        """
        found: dict = {}
        for name in self.items:
            benchmark, item = split_id(name)
            benchmark = benchmark or task
            if benchmark is None or not re.fullmatch(r"\d+", item):
                raise ValueError(
                    f"Item {name!r} is not called task/number, as read_lm_eval calls "
                    "the harness's documents"
                    + (": give the task." if benchmark is None else ".")
                )
            found.setdefault(benchmark, []).append(int(item))
        return {benchmark: sorted(ids) for benchmark, ids in found.items()}

    def to_inspect(self, task=None):
        """Return what ``inspect eval --sample-id`` takes.

        Parameters
        ----------
        task : str, default=None
            Only the samples of this task, without its name before them. Left out, ids
            are plain where there is one task, and ``task:id`` where there are several.

        Returns
        -------
        list of str
            Sample ids, best first; ``",".join`` makes the option's text of them.
            Characters that Inspect would take for a pattern are in brackets.

        Raises
        ------
        ValueError
            Where the subset has no item of the task.
        """
        parts = [split_id(name) for name in self.items]
        tasks = list(dict.fromkeys(benchmark for benchmark, _ in parts))
        if task is not None:
            wanted = task.replace("/", ".")
            parts = [part for part in parts if part[0] in (wanted, None)]
            if not parts:
                raise ValueError(
                    f"The subset has no item of {task!r}; it has items of "
                    f"{', '.join(map(str, tasks))}."
                )
        plain = task is not None or len(tasks) == 1
        return [
            ("" if plain or benchmark is None else f"{benchmark}:") + _literal(item)
            for benchmark, item in parts
        ]

    def to_csv(self, path=None):
        """Write the subset as CSV, one line for each item.

        Parameters
        ----------
        path : str, os.PathLike or file object, default=None

        Returns
        -------
        str or None
            The text, if no path is given.
        """
        table = self.table.assign(**self._about())
        return table.to_csv(path, index_label="item", lineterminator="\n")

    def to_json(self, path=None):
        """Write the subset as one JSON object.

        Parameters
        ----------
        path : str, os.PathLike or file object, default=None

        Returns
        -------
        str or None
            The text, if no path is given.
        """
        rows = self.table.astype(object).where(self.table.notna(), None)
        items = [
            _compact({"item": name, **row})
            for name, row in zip(self.items, rows.to_dict("records"), strict=True)
        ]
        parts = {name: _compact(value) for name, value in self._about().items()}
        parts["items"] = "[\n  " + ",\n  ".join(items) + "\n ]" if items else "[]"
        if self.panel is not None:
            for name, part in self.panel.to_dict().items():
                parts[name] = _lines(part)
        body = ",\n".join(f' "{name}": {part}' for name, part in parts.items())
        text = "{\n" + body + "\n}"
        if path is None:
            return text + "\n"
        if hasattr(path, "write"):
            path.write(text + "\n")
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        return None

    def _about(self):
        return {name: getattr(self, name) for name in ABOUT}


def _literal(item):
    return re.sub(r"([*?[])", r"[\1]", item)


def _lines(part):
    """Return an object with a line for each of its keys; of a list, each object."""
    if isinstance(part, list):
        return "[" + ", ".join(map(_lines, part)) + "]"
    lines = [f'  "{key}": {_compact(value)}' for key, value in part.items()]
    return "{\n" + ",\n".join(lines) + "\n }"


def _compact(value):
    return json.dumps(value, default=_plain)


def _plain(value):
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
