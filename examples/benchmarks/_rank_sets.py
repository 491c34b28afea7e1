"""Response matrices for `rank_selection.py`: polarity, groups and sizes."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from skirt.metrics import full_benchmark_score

FEWEST_GROUPS = 20
# Sets in which 1 is not always the wanted answer: the column of the item table that
# tells, and for which of its values 1 is wanted, or 0. Other items are left out.
POLARITY = {"refusalbench_bio": ("tier", {"should_refuse": 1, "benign": 0})}

# Who made a model, as far as its name tells; the first that fits.
MAKERS = {
    "anthropic": r"claude",
    "openai": r"gpt|davinci|(^|[^a-z])o[134]([^0-9]|$)",
    "google": r"gemini|gemma",
    "qwen": r"qwen",
    "deepseek": r"deepseek|^ds",
    "meta": r"llama|vicuna",
    "mistral": r"mistral|mixtral|ministral|codestral|devstral|mathstral",
    "microsoft": r"phi|wizard",
    "cohere": r"command",
    "ibm": r"granite",
    "zhipu": r"glm",
    "moonshot": r"kimi",
    "xai": r"grok",
    "minimax": r"minimax",
    "yi": r"yi[-_]",
    "falcon": r"falcon",
    "starcoder": r"starcoder",
    "codegen": r"codegen",
}
# Splits by maker need so many rows whose maker is known, and so many makers.
KNOWN_SHARE, FEWEST_MAKERS = 0.8, 4


@dataclass(frozen=True)
class ResponseSet:
    """One response matrix.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_models, n_items)
    y : ndarray of shape (n_models,)
        Full-benchmark scores.
    groups : ndarray of str of shape (n_models,)
        The model of which each row is a variant; its own name where it is none.
    makers : ndarray of str of shape (n_models,), or None
        Who made each model, for splits by maker; None where that is not known.
    shape : tuple of int
        Of the matrix before rows and items were drawn.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    makers: np.ndarray | None
    shape: tuple

    @property
    def n_groups(self):
        return len(set(self.groups))

    @property
    def grouped(self):
        return self.n_groups < len(self.groups)


def read_set(folder, name, most_models, most_items):
    """Read a set; of many rows or items a seeded sample."""
    table = pd.read_csv(folder / f"{name}.csv.gz", index_col=0)
    if name in POLARITY:
        table = _recoded(
            table, pd.read_csv(folder / f"{name}.items.csv", index_col=0), name
        )
    shape = table.shape
    rng = np.random.default_rng(0)
    rows, items = np.arange(shape[0]), np.arange(shape[1])
    if len(rows) > most_models:
        # Large panels have rows enough that answered everything.
        complete = np.flatnonzero(table.notna().all(axis=1).to_numpy())
        pool = complete if len(complete) >= most_models else rows
        rows = np.sort(rng.permutation(pool)[:most_models])
    if len(items) > most_items:
        items = np.sort(rng.permutation(items)[:most_items])
    table = table.iloc[rows, items]
    X = table.to_numpy(dtype=float)
    names = table.index.astype(str)
    y = full_benchmark_score(X)
    groups = _groups(names)
    return ResponseSet(name, X, y, groups, _makers(names, groups), shape)


def _recoded(table, items, name):
    column, wanted = POLARITY[name]
    items.index = items.index.astype(str)
    sign = items[column].map(wanted).reindex(table.columns)
    table = table.loc[:, sign.notna().to_numpy()]
    flip = (sign.dropna() == 0).to_numpy()
    return table * np.where(flip, -1, 1) + flip


def _groups(names):
    """Variants are ``model|variant``, checkpoints ``model_N`` and ``model_best``."""
    if any("|" in name for name in names):
        return np.array([name.split("|")[0] for name in names])
    parts = [re.fullmatch(r"(.+)_(\d+|best)", name) for name in names]
    if all(parts):
        models = [part[1] for part in parts]
        if len(set(models)) < len(models):
            return np.array(models)
    return np.array([f"{i} {name}" for i, name in enumerate(names)])


def _makers(names, groups):
    """The maker of each model; a model of none that is known is its own."""
    found = []
    for name in names:
        fits = (
            maker for maker, words in MAKERS.items() if re.search(words, name.lower())
        )
        found.append(next(fits, None))
    known = [maker for maker in found if maker is not None]
    if len(known) < KNOWN_SHARE * len(names) or len(set(known)) < FEWEST_MAKERS:
        return None
    return np.array(
        [
            group if maker is None else maker
            for group, maker in zip(groups, found, strict=True)
        ]
    )
