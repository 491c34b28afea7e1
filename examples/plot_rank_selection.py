"""
Choosing items where a benchmark mixes domains
==============================================

Models are ranked by their score on the whole benchmark. Where that mixes domains, one
ability does not tell the score: ``criterion="rank"`` calibrates several, and chooses
the items that leave the ranking by the score least uncertain.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import ShuffleSplit

from skirt import (
    FisherSubsetSelector,
    FluidBenchmark,
    MultidimIRT,
    RandomSubsetSelector,
)
from skirt.datasets import make_multidim_responses
from skirt.metrics import agreement_score
from skirt.model_selection import agreement_curve

# %%
# Three domains of 150, 90 and 60 items; abilities in two of them correlate .3.

simulated = make_multidim_responses(
    160,
    [150, 90, 60],
    n_components=3,
    ability_correlation=0.3,
    random_state=0,
    as_frame=True,
)
X, domain = simulated.data, simulated.item_table["benchmark"]
sizes = domain.value_counts().sort_index()
sizes.to_frame("items")

# %%
# One ability, and Fisher's information about it (the default), or the ranking by the
# score under several. One half of the models chooses, the other is ranked.

bank = MultidimIRT(3, rotation=None)
selectors = {
    "one ability": FisherSubsetSelector(),
    "rank, 3 abilities": FisherSubsetSelector(criterion="rank", estimator=bank),
    "random": RandomSubsetSelector(),
}
k = [5, 10, 20, 40, 80]
curve = agreement_curve(
    selectors, X, k=k, cv=ShuffleSplit(4, test_size=0.5, random_state=0)
)
curve.table.pivot(index="method", columns="k", values="mean").round(3)

# %%
# Whose items are they? The one ability is that of the largest domain, so that choosing
# for it asks about little else. For the ranking each domain gets about its share of the
# score, for that is what remains unknown. At 80 items random ones have caught up with
# those chosen for one ability.

chosen = {
    name: selector.set_params(k=40).fit(X)
    for name, selector in selectors.items()
    if name != "random"
}
shares = pd.DataFrame(
    {name: domain.iloc[s.order_].value_counts() / 40 for name, s in chosen.items()}
    | {"whole benchmark": sizes / sizes.sum()}
).fillna(0.0)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4))
for (name, means), marker in zip(
    curve.table.groupby("method", sort=False), "oDs", strict=True
):
    left.plot(means["k"], means["mean"], marker=marker, label=name)
left.set(xscale="log", xlabel="items (k)", ylabel="agreement on held-out models")
left.set_xticks(k, k)
left.minorticks_off()
left.legend()
bottom = np.zeros(len(shares.columns))
for name, row in shares.iterrows():
    right.barh(shares.columns, row, left=bottom, label=name)
    bottom += row.to_numpy()
right.set(xlabel="share of the items", xlim=(0, 1))
right.invert_yaxis()
right.legend(loc="upper center", bbox_to_anchor=(0.5, 1.15), ncols=3, frameon=False)
figure.tight_layout()

# %%
# The score predicted
# -------------------
#
# `predict_subset` of such a selector is the score on the whole benchmark that the
# chosen items let expect, with the error of that prediction.

old, new = X.iloc[:120], X.iloc[120:]
selector = FisherSubsetSelector(40, criterion="rank", estimator=bank).fit(old)
answers = new[selector.get_feature_names_out()]
score, error = selector.predict_subset(answers, return_std=True)
table = pd.DataFrame({"predicted": score, "error": error, "full": new.mean(axis=1)})
table.head(4).round(3)

# %%
# Another score
# -------------
#
# With `target_weights` every domain counts the same, however many items it has.

weights = 1.0 / domain.map(sizes)
macro = FisherSubsetSelector(
    40, criterion="rank", estimator=bank, target_weights=weights
).fit(X)
domain.iloc[macro.order_].value_counts().sort_index()

# %%
# One model at a time
# -------------------
#
# An adaptive test with the same aim asks each model items of its own. Beside tests that
# go for the three abilities, whatever they do for the score:

full = new.mean(axis=1)
agreement = {}
for criterion in ("rank", "a_optimal", "random"):
    bench = FluidBenchmark(
        bank, n_items=20, criterion=criterion, ranking="score", random_state=0
    )
    agreement[criterion] = agreement_score(full, bench.fit(old).predict(new))
pd.Series(agreement).round(3)

# %%
# How it does on real benchmarks, and where it loses: `Choosing items for the ranking
# <../rank_selection.html>`_.
