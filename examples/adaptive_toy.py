"""Sixty sums and a toy model of known ability: what the adaptive examples test."""

import numpy as np
import pandas as pd
from scipy.special import expit

from skirt import FluidBenchmark, TwoPLEstimator


def make_sums(n_items=60, seed=0):
    """Return a table of questions, their answers and their item parameters."""
    rng = np.random.default_rng(seed)
    left, right = 11 + np.arange(n_items), rng.integers(11, 90, n_items)
    return pd.DataFrame(
        {
            "question": [
                f"What is {a} + {b}?" for a, b in zip(left, right, strict=True)
            ],
            "answer": [str(total) for total in left + right],
            "discrimination": rng.lognormal(0.3, 0.4, n_items),
            "difficulty": rng.normal(0.0, 1.2, n_items),
        },
        index=pd.Index([f"sum-{j:02d}" for j in range(n_items)], name="item"),
    )


def make_bench(sums, n_items=24):
    """Return a bench that asks `n_items` of the sums."""
    bank = TwoPLEstimator.from_item_parameters(
        discrimination=sums["discrimination"],
        difficulty=sums["difficulty"],
        names=sums.index,
    )
    return FluidBenchmark(bank, n_items=n_items)


def make_answers(sums, ability, seed=0):
    """Return what a model of this ability says to each question."""
    luck = np.random.default_rng([seed, 1]).random(len(sums))
    right = luck < expit(sums["discrimination"] * (ability - sums["difficulty"]))
    said = sums["answer"].where(right, "I do not know.")
    return dict(zip(sums["question"], said, strict=True))


def show(session):
    """Print a session's history and result."""
    print(session.history.round(2).to_string(index=False))
    print(
        f"\n{session.model}: ability {session.ability:.2f} +/- "
        f"{session.standard_error:.2f} after {session.n_answers} answers "
        f"(stopped by {session.stopped})"
    )
