"""What a bench says of models after their tests."""

import warnings

import numpy as np

from skirt._multidim._bank import MultidimBank
from skirt.adaptive._bench_bank import ready_bank
from skirt.metrics import full_benchmark_score
from skirt.metrics._full_score import _NEARLY_ALL
from skirt.selection._banks import with_bank_names


def warn_of_silent_models(replay, method):
    """Tell of models without any response."""
    silent = np.flatnonzero(replay.n_items == 0)
    if silent.size:
        told = "NaN"
        if method not in ("ml", "wl"):
            told = "the prior's, 0, and scores those of such a model"
        warnings.warn(
            f"{silent.size} of {len(replay.n_items)} models have no response (the "
            f"first is row {silent[0]}): their abilities are {told}.",
            UserWarning,
            stacklevel=4,
        )


def abilities_after(replay, n_items, method):
    """Return abilities and errors, also of models that were asked nothing."""
    ability, error = replay.after(n_items)
    silent = replay.n_items == 0
    prior = method in ("map", "eap")
    ability[silent] = 0.0 if prior else np.nan
    error[silent] = 1.0 if prior else np.inf
    return ability, error


def total_errors(bank, method, responses, replay):
    """Return what the bank says, with total errors, of the answers looked at."""
    bank = ready_bank(bank, method)
    if isinstance(bank, MultidimBank):
        raise ValueError(
            f"return_std='total' is not there for a {type(bank).__name__} bank: give "
            "True. Where its priors are estimated, its abilities' errors count what "
            "the panel does not tell of the items."
        )
    seen = looked_at(responses, replay)
    with warnings.catch_warnings():
        # Models without a response have been told of.
        warnings.filterwarnings("ignore", message=".* have no answer")
        return bank.predict(with_bank_names(seen, bank), return_std="total")


def looked_at(responses, replay, n_items=None):
    """Return the responses that were looked at in the first steps, NaN for others."""
    seen = np.full(responses.shape, np.nan)
    rows, steps = np.nonzero(replay.items[:, :n_items] >= 0)
    columns = replay.items[rows, steps]
    seen[rows, columns] = responses[rows, columns]
    return seen


def full_scores(bank, responses):
    """Return the full-benchmark scores, gaps filled from the bank."""
    table = with_bank_names(responses, bank)
    missing = np.isnan(responses)
    bank = ready_bank(bank)
    complete = missing.mean(axis=1).max() <= 1 - _NEARLY_ALL
    if complete or not isinstance(bank, MultidimBank):
        return full_benchmark_score(table, bank=bank)
    expected = bank.inverse_transform(bank.transform(table))
    return np.where(missing, expected, responses).mean(axis=1)
