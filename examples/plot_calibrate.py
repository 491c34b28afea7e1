"""
Calibrate items and rank models with errors
===========================================

A table of right and wrong answers goes in. Out come the items' discriminations and
difficulties, and the models' abilities with standard errors.

The panel that comes with skirt holds the answers of 167 scikit-learn classifiers to
eight small benchmarks; this takes one of them, 240 clean digits.
"""

from skirt import TwoPLEstimator
from skirt.datasets import load_classifier_panel
from skirt.plotting import (
    AbilityForestDisplay,
    DiscriminationHistogramDisplay,
    InformationDisplay,
    ItemCurveDisplay,
    WrightMapDisplay,
)

panel = load_classifier_panel(as_frame=True)
digits = panel.data.loc[:, panel.item_table["benchmark"] == "digits_clean"]
digits.iloc[:4, :6]

# %%
# Rows are models and columns are items; 1 is the wanted outcome. `fit` calibrates.
# Priors of the items are estimated from the panel, so there is nothing to set.

model = TwoPLEstimator().fit(digits)
model.item_parameters().head(4).round(2)

# %%
# The panel's abilities have mean 0 and standard deviation 1. `se` is given the items,
# `se_total` adds what 167 models leave unknown of them.

model.ability_table().head(4).round(2)

# %%
# Does the model hold?
# --------------------
#
# Curves are what the model says, points what was observed, in groups of about equally
# able models. Here are an easy, a middling and a hard item.

by_difficulty = model.item_parameters()["difficulty"].sort_values().index
items = list(by_difficulty[[20, 160, 220]])
display = ItemCurveDisplay.from_estimator(model, digits, items=items)

# %%
# Items that run against the rest, that all models answered alike, or that duplicate
# another are flagged. They stay in the calibration.

model.item_flags_.sum().rename("items")

# %%
# Which models can be told apart?
# -------------------------------
#
# On the left the models, on the right the items, on one scale. Most items are easy for
# most models, so that the benchmark tells weak models apart better than good ones.

display = WrightMapDisplay.from_estimator(model)

# %%
# The same as a curve: information is high, and the standard error low, where items are
# about as difficult as the model is able.

display = InformationDisplay.from_estimator(model)

# %%
# Raw scores crowd together near the ceiling; the intervals say which of those models
# differ.

display = AbilityForestDisplay.from_estimator(model, digits)

# %%
# How unequal are the items?
# --------------------------
#
# Where all items discriminate alike, a chosen subset is hardly better than a random
# one. The coefficient of variation says how far this benchmark is from that.

display = DiscriminationHistogramDisplay.from_estimator(model)
