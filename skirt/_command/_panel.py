"""The responses that a command works on."""

import os
import re
from dataclasses import dataclass, field

import pandas as pd

from skirt._command._item_file import item_table
from skirt._command._options import BadInput
from skirt._command._words import count
from skirt.datasets import load_classifier_panel
from skirt.io import read_results

FEWEST_MODELS = 10
FEWEST_GROUPS = 4


@dataclass
class Panel:
    """Responses of 0, 1 and NaN, without empty rows and columns."""

    source: str
    responses: pd.DataFrame
    groups: pd.Series | None
    embedded: bool = False
    item_table: pd.DataFrame | None = None
    notes: list = field(default_factory=list)

    @property
    def shape(self):
        return self.responses.shape

    @property
    def unmeasurable(self):
        """Why no models can be held out to measure the agreement; None if they can."""
        n_models = self.shape[0]
        if n_models < FEWEST_MODELS:
            return (
                f"{count(n_models, 'model')} are too few to hold half of them out (at "
                f"least {FEWEST_MODELS} are needed)"
            )
        if self.n_groups < FEWEST_GROUPS:
            return (
                f"{self.n_groups} groups have only {self.n_groups} different ways to "
                "be split in two, which say nothing about other groups (at least "
                f"{FEWEST_GROUPS} are needed)"
            )
        return None

    @property
    def n_answers(self):
        return int(self.responses.notna().to_numpy().sum())

    @property
    def group_labels(self):
        """The models' groups as an array, None without."""
        return None if self.groups is None else self.groups.to_numpy()

    @property
    def n_groups(self):
        return self.shape[0] if self.groups is None else self.groups.nunique()


def load_panel(options):
    """Read what the options name, and leave out what holds no response."""
    panel = _embedded(options) if options.responses is None else _read_panel(options)
    if getattr(options, "items", None) is not None:
        panel.item_table = item_table(options.items, panel)
    return panel


def _embedded(options):
    if options.groups is not None or options.binarize is not None:
        raise BadInput(
            "--groups and --binarize need a table: the embedded panel has its own "
            "families, and holds only 0 and 1"
        )
    bunch = load_classifier_panel(as_frame=True)
    return Panel(
        "the embedded panel of classifiers",
        bunch.data,
        bunch.groups,
        True,
        bunch.item_table,
    )


def _read_panel(options):
    groups_file = options.groups is not None and os.path.exists(options.groups)
    column = None if groups_file else options.groups
    try:
        found = read(options.responses, options, groups=column)
    except ValueError as error:
        if column is None or not re.search("single column|groups is no", str(error)):
            raise
        raise BadInput(
            f"--groups {column}: neither a file nor one column of {options.responses}"
        ) from error
    panel = Panel(
        source_of(found, options.responses),
        found.responses,
        found.groups,
        item_table=found.item_table,
    )
    panel.notes += found.notes
    if groups_file:
        panel.groups = _read_groups(options.groups, panel)
    _leave_out_empty(panel)
    _check_groups(panel)
    _check_variation(panel)
    return panel


def read(path, options, **more):
    """Read results of any form as the options say."""
    return read_results(
        path,
        binarize=options.binarize,
        duplicates=options.duplicates,
        metric=options.metric,
        filter=options.filter,
        scorer=options.scorer,
        no_answer=options.no_answer,
        **more,
    )


def source_of(results, path):
    """Say where results come from, and in which form."""
    return f"{'standard input' if path == '-' else path} ({results.format})"


def _leave_out_empty(panel):
    answered = panel.responses.notna()
    for axis, what in ((0, "item"), (1, "model")):
        counts = answered.any(axis=axis)
        empty = counts.index[~counts]
        if len(empty) == 0:
            continue
        names = ", ".join(str(name) for name in empty[:3])
        more = ", ..." if len(empty) > 3 else ""
        panel.notes.append(
            f"{count(len(empty), what)} without any response left out: {names}{more}."
        )
        if what == "item":
            panel.responses = panel.responses.loc[:, counts.to_numpy()]
        else:
            panel.responses = panel.responses.loc[counts.to_numpy()]
    if panel.responses.empty:
        raise BadInput(f"{panel.source} holds no response: every cell is missing")
    if panel.shape[0] < 2:
        raise BadInput(
            f"{panel.source} has one model: items are calibrated by comparing models, "
            "at least two of them, and sizing needs at least 10"
        )
    if panel.shape[1] < 2:
        raise BadInput(
            f"{panel.source} has one item: there is nothing to choose from or compare"
        )
    if panel.groups is not None:
        panel.groups = panel.groups.loc[panel.responses.index]
    panel.item_table = panel.item_table.loc[panel.responses.columns]


def _read_groups(path, panel):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.columns = [str(name).strip().lower() for name in table.columns]
    if not {"model", "group"} <= set(table.columns):
        raise BadInput(
            f"{path} needs columns model and group; it has {', '.join(table.columns)}"
        )
    given = table.set_index(table["model"].str.strip())["group"].str.strip()
    twice = given.index[given.index.duplicated()]
    if len(twice):
        raise BadInput(f"{path} names model {twice[0]!r} more than once")
    unknown = panel.responses.index.difference(given.index, sort=False)
    if len(unknown):
        raise BadInput(
            f"{path} has no group for model {unknown[0]!r} "
            f"({count(len(unknown), 'model')} without one)"
        )
    extra = len(given) - panel.shape[0]
    if extra:
        panel.notes.append(f"{path} names {count(extra, 'model')} more: ignored.")
    return given.loc[panel.responses.index]


def _check_groups(panel):
    if panel.groups is None:
        return
    empty = panel.groups.index[panel.groups == ""]
    if len(empty):
        raise BadInput(f"model {empty[0]!r} has no group ({len(empty)} without one)")
    if panel.n_groups < 2:
        raise BadInput(
            "all models are of one group, which cannot be split: leave out --groups"
        )


def _check_variation(panel):
    lowest, highest = panel.responses.min(), panel.responses.max()
    if (lowest == highest).all():
        raise BadInput(
            f"{panel.source}: every item is answered alike by all models that answer "
            "it, so that no item tells one model from another"
        )
