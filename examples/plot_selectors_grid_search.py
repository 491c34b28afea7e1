"""
All selectors, compared by a grid search over k
===============================================

Selectors are scikit-learn transformers with a parameter `k` and a `score`: the rank
correlation of the models' scores from the chosen items with their full scores. So
`GridSearchCV` sizes them, on models that did not choose.
"""

import tempfile

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit

from skirt import (
    AnchorPointSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt.datasets import load_classifier_panel
from skirt.model_selection import smallest_subset

panel = load_classifier_panel(as_frame=True)
digits = panel.data.loc[:, panel.item_table["benchmark"] == "digits_noisy"]

# %%
# Families of models stay whole: variants of one model resemble each other, and would
# tell which items to choose. The splits are the same for all selectors. With `memory`
# the items are calibrated once for each split, not once for each `k`.

splits = GroupShuffleSplit(8, test_size=0.5, random_state=0)
memory = tempfile.TemporaryDirectory()
selectors = {
    "Fisher information": FisherSubsetSelector(memory=memory.name),
    "Fisher, by difficulty": FisherSubsetSelector(
        stratify="difficulty", memory=memory.name
    ),
    "Fisher, for the ranking": FisherSubsetSelector(
        criterion="rank", estimator=TwoPLEstimator(), memory=memory.name
    ),
    "anchor points": AnchorPointSelector(random_state=0),
    "disagreement": DisagreementSelector(),
    "random": RandomSubsetSelector(random_state=0),
}
grid = {"k": [5, 10, 20, 40, 80]}

# %%
# ``smallest_subset`` takes, instead of the best `k`, the smallest whose mean score
# reaches a target; where none does it takes the best and says so.

searches = {}
for name, selector in selectors.items():
    search = GridSearchCV(selector, grid, cv=splits, refit=smallest_subset(target=0.9))
    searches[name] = search.fit(digits, groups=panel.groups)
memory.cleanup()

results = pd.DataFrame(
    {name: search.cv_results_["mean_test_score"] for name, search in searches.items()},
    index=pd.Index(grid["k"], name="k"),
).T
results["chosen k"] = [search.best_params_["k"] for search in searches.values()]
results.round(3)

# %%
# The bars are standard deviations over splits. They are no errors of the means, for
# splits share models; `agreement_curve` has intervals from resampling the families. Nor
# is one random subset, here the same in all splits, what random subsets do on average;
# `agreement_curve` draws another in each.

figure, ax = plt.subplots(figsize=(7, 4.4))
markers = "osvD^x"
for i, (name, search) in enumerate(searches.items()):
    scores = search.cv_results_
    shifted = [k * (1 + 0.03 * (i - 2.5)) for k in grid["k"]]
    ax.errorbar(
        shifted,
        scores["mean_test_score"],
        scores["std_test_score"],
        marker=markers[i],
        capsize=2,
        label=name,
    )
ax.axhline(0.9, color="0.5", linewidth=1, linestyle="--")
ax.set(xscale="log", xlabel="items (k)", ylabel="agreement on held-out models")
ax.set_xticks(grid["k"], grid["k"])
ax.minorticks_off()
ax.legend()
figure.tight_layout()

# %%
# The search is refitted on all models: these are the items to ask.

best = searches["Fisher information"]
print(best.best_params_, best.best_estimator_.get_feature_names_out()[:5])

# %%
# On another benchmark, or with other models, the order can differ. Measure it on yours:
# ``skirt select results.csv --compare`` does so on the command line.
# `AutoSubsetSelector` makes such a comparison inside the panel it is fitted on, and
# takes the winner; it is left out here because that takes longer.
