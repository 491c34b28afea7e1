"""
Missing answers: when means mislead, and when nothing helps
===========================================================

A leaderboard rarely has every answer. Which items a model was asked may depend on the
model, and then means of what was observed compare models on different items. An item
response model repairs that, as long as being missing does not depend on the answer
itself. Here both cases are made, on simulated responses of which the truth is known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skirt.datasets import make_responses
from skirt.metrics import agreement_score, full_benchmark_score, missingness_report

panel = make_responses(60, 400, random_state=0, as_frame=True)
truth = panel.data.mean(axis=1)  # what complete answers would have shown

# %%
# Newer, better models were asked harder items
# --------------------------------------------
#
# A model is asked an item the more likely the more its difficulty fits the ability.

rng = np.random.default_rng(0)
distance = panel.ability[:, None] - panel.difficulty
asked = rng.random(panel.data.shape) < np.exp(-0.5 * (distance / 0.8) ** 2)
by_difficulty = panel.data.where(asked)

# %%
# Wrong answers got lost
# ----------------------
#
# Long, wrong answers ran into a time limit, the more so the weaker the model: nearly
# half of the wrong answers are missing, and no right one.

lost = (panel.data == 0) & (
    rng.random(panel.data.shape) < 1 / (1 + np.exp(0.4 + panel.ability[:, None]))
)
by_answer = panel.data.mask(lost)

# %%
# Scores and agreement with the truth
# -----------------------------------
#
# The plain mean of the observed answers is opt-in, and warns; `full_benchmark_score`
# expects of a missing answer what the model's other answers suggest.

cases = {"asked what fits": by_difficulty, "wrong answers lost": by_answer}
rows, scores = {}, {}
for name, gaps in cases.items():
    observed, expected = gaps.mean(axis=1), full_benchmark_score(gaps)
    scores[name] = observed, expected
    rows[name] = {
        "missing": gaps.isna().to_numpy().mean(),
        "agreement, observed mean": agreement_score(truth, observed),
        "agreement, expected score": agreement_score(truth, expected),
        "error, observed mean": (observed - truth).abs().mean(),
        "error, expected score": np.abs(expected - truth).mean(),
    }
pd.DataFrame(rows).round(2)

# %%
# In the first case observed means are drawn toward one half, while the expected scores
# follow the truth. In the second case both are far too high for the weak models, and
# confuse the weakest: nothing observed says that what is missing was wrong.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharex=True, sharey=True)
for ax, (name, (observed, expected)) in zip(axes, scores.items(), strict=True):
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.plot(truth, observed, "x", color="#d55e00", label="mean of observed answers")
    ax.plot(truth, expected, "o", color="#0072b2", label="full_benchmark_score")
    ax.set(title=name, xlabel="score from complete answers")
axes[0].set_ylabel("score in spite of gaps")
axes[0].legend()
figure.tight_layout()

# %%
# Signs of trouble
# ----------------
#
# `missingness_report` cannot tell the two cases apart, since the hidden answers are
# hidden. It shows whether missing goes with the score, and how much the ranking depends
# on what is made of the gaps. Then look at *why* answers are missing.

pd.DataFrame(
    {
        name: missingness_report(gaps, full_benchmark_score(gaps))
        for name, gaps in cases.items()
    }
).round(2)
