"""
From a chosen subset to the place of a new model
================================================

Choose the few items that rank models as the whole benchmark does, hand them to the
evaluation harness, and place a new model by its answers to these items alone.
"""

import io
import json

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit

from skirt import FisherSubsetSelector, RandomSubsetSelector
from skirt.datasets import load_classifier_panel
from skirt.io import read_subset, write_subset
from skirt.metrics import agreement_score, full_benchmark_score
from skirt.model_selection import agreement_curve
from skirt.plotting import AgreementCurveDisplay

panel = load_classifier_panel(as_frame=True)
digits = panel.data.loc[:, panel.item_table["benchmark"] == "digits_clean"]

# %%
# Three families of models are the new ones. Nothing below sees them before they are
# scored.

new = panel.groups.isin(["extra_trees", "neighbors", "sgd"])
X, families = digits[~new], panel.groups[~new]
print(f"{len(X)} models of {families.nunique()} families, {X.shape[1]} items")

# %%
# How many items?
# ---------------
#
# In each split half of the families choose, the other half is ranked. The protocol
# stands above the picture because it is part of every number in it. Choosing helps most
# where items are few; whether it does at the target is what the random subset tells.

curve = agreement_curve(
    {"fisher": FisherSubsetSelector(), "random": RandomSubsetSelector()},
    X,
    k=[5, 10, 20, 40, 80],
    cv=GroupShuffleSplit(10, test_size=0.5, random_state=0),
    groups=families,
)
display = AgreementCurveDisplay.from_curve(curve, target=0.9)

# %%
# `k*` is the smallest number tested that reaches the target and stays there.
# Calibration cost the panel's answers; each new model saves those it is not asked.

k = curve.smallest_k(0.9, "fisher")
print(
    f"k* = {k}, saving {curve.saving(0.9, 'fisher'):.0%} of the items for a new model"
)
print(f"paid after {curve.break_even(0.9, 'fisher')} new models")

# %%
# Choose, and write the subset
# ----------------------------

selector = FisherSubsetSelector(k=k).fit(X)
bank = selector.estimator_
chosen = bank.item_parameters().iloc[selector.order_][["discrimination", "difficulty"]]
chosen.insert(0, "order", np.arange(1, k + 1))
chosen.index = selector.feature_names_in_[selector.order_]

row = curve.to_frame().query("method == 'fisher' and k == @k").iloc[0]
buffer = io.StringIO()  # a file name does as well: "subset.csv"
write_subset(
    chosen.rename_axis("item"), buffer, calibration=bank, agreement=row["mean"]
)
buffer.seek(0)
subset = read_subset(buffer)
print(subset)

# %%
# For ``lm-eval --samples`` and for ``inspect eval --sample-id``:

print(json.dumps(subset.to_lm_eval()))
print(",".join(subset.to_inspect()[:4]), "...")

# %%
# Score the new models
# --------------------
#
# They answered the chosen items only. The items' parameters are in the file, so that
# the panel is not needed any more.

answers = digits.loc[new, subset.items]
ability, se = subset.bank().predict(answers, return_std=True)
table = pd.DataFrame({"ability": ability, "se": se}, index=answers.index)
table["better than, of the panel"] = [np.mean(bank.ability_ < a) for a in ability]
table.sort_values("ability", ascending=False).head(6).round(2)

# %%
# Was the ranking right? Here the whole benchmark is known.

full = full_benchmark_score(digits[new])
print(f"agreement with the full score: {agreement_score(full, ability):.3f}")
print(f"different abilities: {len(set(ability.round(8)))} of {len(ability)} models")
