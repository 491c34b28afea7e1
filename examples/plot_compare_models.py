"""
Two groups of models, compared at equal ability
===============================================

One group of models scores lower. Is it less able, or does it fail on some items only?
Items on which groups differ *at equal ability* work differently for them (differential
item functioning). Here both kinds of difference are planted: group b is less able, and
twelve of the items are also harder for it, as if a base model were compared with a
variant that was trained to refuse.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit

from skirt import TwoPLEstimator
from skirt.audit import compare_models
from skirt.datasets import make_responses
from skirt.plotting import ItemCurveDisplay

panel = make_responses(100, 150, mean_score=0.6, random_state=0, as_frame=True)
rng = np.random.default_rng(0)
in_b = np.arange(100) % 2 == 1
planted = rng.choice(150, 12, replace=False)

ability = panel.ability - 0.5 * in_b
difficulty = np.tile(panel.difficulty, (100, 1))
difficulty[np.ix_(in_b, planted)] += 2.0
chance = expit(panel.discrimination * (ability[:, None] - difficulty))
X = pd.DataFrame(
    (rng.random(chance.shape) < chance).astype(float),
    index=panel.data.index,
    columns=panel.data.columns,
)

# %%
comparison = compare_models(X, ~in_b, in_b, estimator=TwoPLEstimator(), random_state=0)
print(comparison)

# %%
# The groups' abilities, from all items, the planted ones too:

comparison.abilities.round(2).transpose()

# %%
# Which items?
# ------------
#
# `shift` is how much harder an item is for group b, in logits at equal ability. A
# difference that most items share is one of ability: that is a convention, which no
# data can test.

found = comparison.item_differences
names = X.columns[planted]
is_planted = found.index.isin(names)
pd.crosstab(pd.Series(is_planted, index=found.index, name="planted"), found["flagged"])

# %%
# All planted items are flagged, and no other. The false discovery rate is held at .05;
# with fewer models a side, or smaller differences, some would be missed.

figure, ax = plt.subplots(figsize=(6.8, 4.2))
for mask, marker, label in [
    (~is_planted, "o", "as simulated for all"),
    (is_planted, "s", "planted"),
]:
    part = found[mask]
    ax.errorbar(
        np.flatnonzero(mask),
        part["shift"],
        part["shift_se"],
        fmt=marker,
        markersize=4,
        linewidth=0.8,
        label=label,
    )
flagged = np.flatnonzero(found["flagged"])
ax.plot(
    flagged,
    found["shift"].iloc[flagged],
    "o",
    ms=10,
    mfc="none",
    mec="k",
    label="flagged",
)
ax.axhline(0, color="0.6", linewidth=1)
ax.set(xlabel="item", ylabel="harder for b, logits")
ax.legend()
figure.tight_layout()

# %%
# One of them, as each group answered it: bins of models of group a and of group b,
# against the curve of a calibration that knows no groups.

bank = TwoPLEstimator().fit(X)
worst = found["p_adjusted"].idxmin()
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for ax, rows, name in zip(axes, (~in_b, in_b), "ab", strict=True):
    ItemCurveDisplay.from_estimator(bank, X[rows], items=[worst], n_bins=5, ax=ax)
    ax.set_title(f"{worst}, group {name}")
figure.tight_layout()
