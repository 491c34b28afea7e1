"""The response matrices of `held_out_cells.py`: what is taken of each, and how."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from real_data_table import groups_of

from skirt.datasets import load_classifier_panel

# At most so many items of a set with thousands, drawn from its parts in proportion.
MOST_ITEMS = 1_500
SEED = 0


@dataclass(frozen=True)
class Recipe:
    """How one set is read.

    Attributes
    ----------
    by : str
        The column of the item table that tells the benchmarks (or parts) apart.
    category : str or None
        The coarser column for the baselines by category.
    turned : tuple of (column, value) or None
        Items whose wanted answer is filed as 0: they are turned round.
    without : tuple of (column, values) or None
        Items that are left out.
    rows : int or None
        At most so many models, drawn at random.
    source : str or None
        The file's name, if another.
    note : str
        What the page says of it.
    """

    by: str = "benchmark"
    category: str | None = None
    turned: tuple | None = None
    without: tuple | None = None
    rows: int | None = None
    source: str | None = None
    note: str = ""


RECIPES = {
    "open_llm_leaderboard_tiny": Recipe(
        rows=400,
        note="400 of 6,122 models, drawn at random; models miss whole benchmarks.",
    ),
    "multibench_small_models": Recipe(
        category="domain",
        without=("benchmark", ("human_eval_plus",)),
        note="`human_eval_plus` left out: it is `human_eval` with more tests, so that "
        "one answer gives the other away.",
    ),
    "nlu_test_sets": Recipe(note="5 checkpoints of each of 18 models."),
    "psn_irt": Recipe(note="12 models."),
    "mmlu_pro": Recipe(by="category", note="By subject."),
    "bfcl": Recipe(
        by="category",
        category="domain",
        note="`relevance` asks for no call and runs against the rest.",
    ),
    "livecodebench_exec_testgen": Recipe(note="Two tasks."),
    "evalplus": Recipe(note="Two sets of programs."),
    "alpaca_eval_1": Recipe(by="category", note="Five sources of instructions."),
    "jailbreakbench_attacks": Recipe(
        by="category",
        note="1 is safe throughout. Rows are attacks on 18 targets.",
    ),
    "refusal_stability": Recipe(
        by="category",
        note="1 is safe throughout. 80 rows are 4 models at 4 temperatures, 5 seeds.",
    ),
    "refusalbench_bio, refused": Recipe(
        by="tier",
        source="refusalbench_bio",
        note="As filed, 1 = refused: no merit, as complying is right in one tier.",
    ),
    "refusalbench_bio, wanted": Recipe(
        by="tier",
        source="refusalbench_bio",
        turned=("tier", "benign"),
        without=("tier", ("borderline", "dual_use")),
        note="Benign prompts turned round, so that 1 is the wanted answer; the tiers "
        "borderline and dual_use, for which the source declares none, left out.",
    ),
    "refusalbench_bio_trials, refused": Recipe(
        by="tier",
        source="refusalbench_bio_trials",
        note="As filed, 1 = refused. 5 trials of 20 models.",
    ),
    "refusalbench_bio_trials, wanted": Recipe(
        by="tier",
        source="refusalbench_bio_trials",
        turned=("tier", "benign"),
        without=("tier", ("borderline", "dual_use")),
        note="Turned round and left out as above. 5 trials of 20 models.",
    ),
    "k_overrefusal": Recipe(
        by="part",
        category="prompt_kind",
        turned=("prompt_kind", "harmful"),
        note="Harmful prompts turned round, so that 1 is the wanted answer; parts are "
        "source and kind of prompt. 12 models miss whole parts.",
    ),
    "xstest": Recipe(
        by="category",
        category="prompt_kind",
        turned=("prompt_kind", "unsafe"),
        note="Unsafe prompts turned round, so that 1 is the wanted answer. 15 rows are "
        "the same answers of 5 systems, judged in three ways.",
    ),
    "classifier panel": Recipe(
        category="dataset",
        note="The panel that comes with skirt (`load_classifier_panel`).",
    ),
}

LEFT_OUT = """\
Not here: sets that are one benchmark (SWE-bench Verified and Lite, Terminal-Bench,
GSO), and the classical tests."""


@dataclass(frozen=True)
class Panel:
    """A response matrix, ready for `cross_val_responses`."""

    name: str
    X: pd.DataFrame
    items: pd.DataFrame
    groups: list | None
    recipe: Recipe
    taken: str

    @property
    def n_groups(self):
        return len(self.X) if self.groups is None else len(set(self.groups))


def read_panel(folder, name):
    """Read one set, turned round and thinned out as its recipe says."""
    recipe = RECIPES[name]
    if name == "classifier panel":
        panel = load_classifier_panel(as_frame=True)
        items = panel.item_table.copy()
        items["dataset"] = items["benchmark"].str.replace(
            "digits_.*", "digits", regex=True
        )
        return Panel(name, panel.data, items, list(panel.groups), recipe, "all")
    stem = Path(folder) / (recipe.source or name)
    X = pd.read_csv(f"{stem}.csv.gz", index_col=0)
    items = pd.read_csv(f"{stem}.items.csv").set_index("item_id")
    items.index = items.index.map(str)
    full = X.shape
    if recipe.by == "part":
        items["part"] = items["benchmark"] + ", " + items["prompt_kind"]
    if recipe.without is not None:
        column, values = recipe.without
        items = items[~items[column].isin(values)]
    rng = np.random.default_rng(SEED)
    items = items.iloc[thinned(items[recipe.by].to_numpy(), MOST_ITEMS, rng)]
    if recipe.rows is not None:
        X = X.iloc[np.sort(rng.choice(len(X), recipe.rows, replace=False))]
    X = X[items.index]
    if recipe.turned is not None:
        column, value = recipe.turned
        turned = items.index[items[column] == value]
        X = X.copy()
        X[turned] = 1 - X[turned]
    answered = X.notna().any()
    X, items = X.loc[:, answered], items[answered.to_numpy()]
    # The numbered models of psn_irt are not variants of one.
    groups = None if name == "psn_irt" else groups_of(X.index.astype(str))
    taken = "all" if X.shape == full else f"of {full[0]:,} x {full[1]:,}"
    return Panel(name, X, items, groups, recipe, taken)


def thinned(parts, size, rng):
    """Positions of at most `size` items, from every part in proportion, in order."""
    if parts.size <= size:
        return np.arange(parts.size)
    chosen = []
    for part in pd.unique(parts):
        own = np.flatnonzero(parts == part)
        chosen.append(
            rng.choice(own, round(own.size * size / parts.size), replace=False)
        )
    return np.sort(np.concatenate(chosen))
