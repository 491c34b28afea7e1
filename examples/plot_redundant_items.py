"""
Items that say the same twice
=============================

Items with common text, or the same item under two names, are right and wrong in the
same models more often than ability explains. They count twice and tell once. Here some
are planted among simulated items.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skirt import TwoPLEstimator
from skirt.audit import item_redundancy
from skirt.datasets import make_responses

panel = make_responses(120, 150, random_state=0, as_frame=True)
rng = np.random.default_rng(0)

# %%
# Two groups of six items share a text. Who has misread it fails on all of them, and who
# has not may answer as before; three items come a second time with one answer in fifty
# changed.

X = panel.data.copy()
for start in (10, 20):
    misread = rng.random(len(X)) < 0.4
    X.iloc[misread, start : start + 6] = 0.0
copies = X.iloc[:, [40, 41, 42]].add_suffix("-again")
changed = rng.random(copies.shape) < 0.02
X = pd.concat([X, copies.mask(changed, 1 - copies)], axis=1)

# %%
found = item_redundancy(X, estimator=TwoPLEstimator())
print(found)

# %%
# Pairs that were found, by the correlation of their residuals and by the share of
# models that answered both alike. Chance and ability alone would give the share of the
# crosses.

pairs = found.pairs
figure, ax = plt.subplots(figsize=(6.4, 4))
for kind, marker in (("near-duplicate", "s"), ("dependent", "o")):
    part = pairs[pairs["kind"] == kind]
    ax.plot(part["q3"], part["agreement"], marker, label=kind)
ax.plot(pairs["q3"], pairs["expected_agreement"], "x", color="0.5", label="expected")
ax.set(xlabel="correlation of residuals (q3)", ylabel="share of equal answers")
ax.legend()
figure.tight_layout()

# %%
# The clusters, and who is in them:

found.clusters.round(2)

# %%
members = found.items.dropna(subset=["cluster"])
pd.Series(members.index, index=members["cluster"]).groupby(level=0).agg(", ".join)

# %%
# The items that came twice are all found, and named near-duplicates: one of each pair
# can go. Of the twelve that share a text not all are, for few wrong answers tell 120
# models' misreading from chance; nothing is found that was not planted. So the
# effective number of items is an upper bound.
#
# A multidimensional panel scored with one ability makes all items of a domain look
# dependent: pass an `estimator` with as many abilities as there are.
