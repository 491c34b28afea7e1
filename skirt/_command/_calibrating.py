"""The calibration that all commands begin with."""

import time
from dataclasses import dataclass

import numpy as np
import pandas as pd

from skirt import TwoPLEstimator
from skirt._command._printing import few, say
from skirt._command._words import count
from skirt.metrics import full_benchmark_score, missingness_report

FLAG_WORDS = {
    "constant": "Answered alike by all models, so that they rank nobody",
    "duplicate": "Answered exactly as another item is",
    "reversed": "Answered worse by better models (wrong keys?)",
}


@dataclass
class Calibration:
    """A bank fitted to a panel, and the models' full-benchmark scores."""

    bank: TwoPLEstimator
    score: np.ndarray
    score_se: np.ndarray
    missingness: pd.Series | None
    seconds: float


def calibrate(panel, estimator=None):
    """Fit the items of a panel to all its models."""
    n_models, n_items = panel.shape
    started = time.perf_counter()
    say(f"calibrating {count(n_items, 'item')} on {count(n_models, 'model')}")
    bank = (estimator or TwoPLEstimator()).fit(panel.responses)
    seconds = time.perf_counter() - started
    filled = bank if np.ndim(bank.discrimination_) == 1 else None
    score, error = full_benchmark_score(panel.responses, bank=filled, return_std=True)
    missingness = None
    if panel.responses.isna().to_numpy().any():
        missingness = missingness_report(panel.responses, score)
    return Calibration(bank, score, error, missingness, seconds)


def flag_sentences(flags):
    """Return what is odd about items, in sentences."""
    sentences = []
    for flag, text in FLAG_WORDS.items():
        names = flags.index[flags[flag]]
        if len(names):
            shown = "" if flag == "constant" else f" ({few(names, 3)})"
            sentences.append(f"{text}: {len(names):,} of {len(flags):,}{shown}.")
    return sentences


def flag_names(flags):
    """Return the flagged items by flag."""
    return {name: list(flags.index[flags[name]]) for name in flags}
