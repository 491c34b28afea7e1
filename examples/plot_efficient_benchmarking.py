"""
The whole experiment: how few items rank models as the benchmark does?
======================================================================

Studies of efficient benchmarking ask the same questions. How well do adaptive and fixed
subsets rank models, by the number of items? What do they save at an agreement of .90?
Does it go with how unequal the items' discriminations are? This is that experiment on
the eight benchmarks of the embedded panel, and on all of them together.

The methods: adaptive tests (Hofmann et al. 2025), the items of most Fisher information
for all models (classical test design), items on which models disagree most (Rubinstein
et al. 2025), and random ones. Anchor points are in
:ref:`sphx_glr_gallery_plot_selectors_grid_search.py`.
"""

import warnings

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit

from skirt import (
    DisagreementSelector,
    FisherSubsetSelector,
    FluidBenchmark,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt.datasets import load_classifier_panel
from skirt.metrics import discrimination_cv
from skirt.model_selection import agreement_curve
from skirt.plotting import AgreementCurveDisplay

panel = load_classifier_panel(as_frame=True)
benchmark = panel.item_table["benchmark"]

# %%
# All eight benchmarks together
# -----------------------------
#
# In each split half of the 18 families calibrate and choose, and the other half is
# ranked: by its ability from the chosen or adaptively asked items, or by its mean on
# them, against its score on all 1,690. A real study takes the default of 20 splits.

methods = {
    "adaptive": FluidBenchmark(),
    "fisher": FisherSubsetSelector(),
    "disagreement": DisagreementSelector(),
    "random": RandomSubsetSelector(),
}
splits = GroupShuffleSplit(3, test_size=0.5, random_state=0)
curve = agreement_curve(
    methods,
    panel.data,
    k=[10, 20, 35, 50, 70, 100],
    cv=splits,
    groups=panel.groups,
    n_bootstrap=50,
)
display = AgreementCurveDisplay.from_curve(curve, target=0.9)

# %%
# `k*` is the smallest size that reaches .90 and stays there, the saving is
# 1 - k* / 1,690.

pd.DataFrame({"k*": curve.smallest_k(0.9), "saving": curve.saving(0.9).round(3)})

# %%
# Chosen items lead while items are few. With many, random ones catch up: the selectors
# rank by *one* ability, and eight benchmarks together measure more than one
# (:ref:`sphx_glr_gallery_plot_audit_classifiers.py`).
#
# Each benchmark by itself
# ------------------------
#
# On a single benchmark the one ability is nearer the truth. Beside the savings stand
# the spread of the discriminations, SD / mean, and the same free of shrinkage
# (`corrected`).

rows = {}
with warnings.catch_warnings():
    # Where the spread of the discriminations is beyond what a panel can tell, their
    # prior stays at its bound; the corrected spread is then what the bound gives.
    warnings.filterwarnings("ignore", ".*estimated prior is at its bound", UserWarning)
    for name in benchmark.unique():
        X = panel.data.loc[:, benchmark == name]
        bank = TwoPLEstimator().fit(X)
        part = agreement_curve(
            {key: methods[key] for key in ("adaptive", "fisher", "random")},
            X,
            k=[5, 10, 15, 20, 30, 40, 60, 80],
            cv=splits,
            groups=panel.groups,
            n_bootstrap=0,  # no intervals
        )
        rows[name] = {
            "items": X.shape[1],
            "CV": discrimination_cv(bank),
            "corrected CV": discrimination_cv(bank, corrected=True),
            **part.smallest_k(0.9).add_prefix("k* "),
            **part.saving(0.9).add_prefix("saving "),
        }
table = pd.DataFrame(rows).T.infer_objects()
table.round(2)

# %%
# Does the spread tell the saving?
# --------------------------------
#
# In theory unequal items make choosing pay, for then few of them hold most of the
# information. Among these benchmarks the spread does not order the savings. The one
# with the most unequal items, diabetes, reaches .90 with none of the sizes: many of its
# labels lie near the threshold, whoever is asked, and models' scores differ little.

figure, ax = plt.subplots(figsize=(6.4, 4.4))
for method, marker in (("adaptive", "o"), ("fisher", "s"), ("random", "x")):
    ax.plot(table["CV"], table[f"saving {method}"], marker, ls="", label=method)
for name, row in table.dropna().iterrows():
    ax.annotate(
        name,
        (row["CV"], row["saving adaptive"]),
        xytext=(0, 6),
        textcoords="offset points",
        ha="center",
        fontsize=8,
    )
ax.set(xlabel="discriminations: SD / mean", ylabel="saving at .90")
ax.margins(x=0.15, y=0.12)
ax.legend(loc="lower right")
figure.tight_layout()
