"""
What do the eight benchmarks of the classifier panel measure?
=============================================================

167 scikit-learn classifiers answered five benchmarks of digits (clean, noisy, occluded,
rotated, shifted) and three tables (breast cancer, wine, diabetes). Nobody planted
anything here. What the abilities turn out to be is reported as found.
"""

import matplotlib.pyplot as plt
import pandas as pd

from skirt import MultidimIRT
from skirt.audit import benchmark_audit, dimension_stability
from skirt.datasets import load_classifier_panel
from skirt.plotting import BenchmarkHeatmapDisplay, ItemScatterDisplay

panel = load_classifier_panel(as_frame=True)

# %%
# Every third item, so that this page does not take long. Variants of one classifier are
# a family, and families are resampled whole.

X, items = panel.data.iloc[:, ::3], panel.item_table.iloc[::3]
audit = benchmark_audit(X, items, groups=panel.groups, n_bootstrap=200)
print(audit)

# %%
# The five benchmarks of digits follow one ability, whatever was done to the images; the
# clean ones follow it least clearly. The three tables follow neither alone. Of the
# corruptions none makes a dimension of its own.

display = BenchmarkHeatmapDisplay.from_audit(audit)

# %%
# Item by item the benchmarks of corrupted digits lie along the first axis. Clean
# digits, breast cancer and wine reach out along the second.

display = ItemScatterDisplay.from_estimator(audit.estimator_, items)

# %%
# What is the second ability?
# ---------------------------
#
# An axis has no name. Look at who is at its ends.

models = audit.models.join(panel.model_table)
shown = ["ability0", "ability1", "mean_digits_noisy", "mean_breast_cancer", "mean_wine"]
ranked = models.sort_values("ability1")[shown]
pd.concat([ranked.head(6), ranked.tail(6)]).round(2)

# %%
# At the lower end are mostly linear models under strong regularisation (small `C`,
# large `alpha`): good on digits, even on noisy ones, but poor on breast cancer and
# wine. At the upper end are flexible models that had much of the training data, and
# right labels.
#
# Both abilities fall with wrong labels in the training data and rise with its size. So
# the first is rather about images, and the second about what stiff models cannot learn
# from the tables, more than about a domain of its own.

factors = models[["ability0", "ability1", "train_size", "label_noise"]]
factors.corr(method="spearman").loc[["train_size", "label_noise"]].round(2).iloc[:, :2]

# %%

figure, ax = plt.subplots(figsize=(6.6, 5))
stiff = models["settings"].str.contains(r"C=0\.0|alpha=100")
for part, marker, label in [
    (models[~stiff], "o", "others"),
    (models[stiff], "X", "strongly regularised linear models"),
]:
    points = ax.scatter(
        part["ability0"],
        part["ability1"],
        c=part["label_noise"],
        cmap="cividis_r",
        vmin=0,
        vmax=0.3,
        marker=marker,
        edgecolors="0.3",
        linewidths=0.5,
        label=label,
    )
figure.colorbar(points, label="share of wrong training labels")
ax.set(xlabel="ability0", ylabel="ability1")
ax.set_ylim(top=4)
ax.legend(loc="upper left")
figure.tight_layout()

# %%
# Would other items, or other classifiers, show the same?
# -------------------------------------------------------
#
# Refits on random halves of the items, and of the families, compared with the whole:
# the correlations of abilities and of discriminations.

stability = {
    "other items": dimension_stability(
        MultidimIRT(2), X, resample="items", n_repeats=3
    ),
    "other families": dimension_stability(
        MultidimIRT(2), X, resample="models", groups=panel.groups, n_repeats=3
    ),
}
shown = ["ability_mean", "ability_smallest", "discrimination_mean", "moved"]
pd.concat({name: found.summary()[shown] for name, found in stability.items()}).round(2)

# %%
# Half of the items show the same two abilities. Half of the families do not: the first
# comes back, the second only in part. It depends on which classifiers are in the panel,
# here on how many stiff ones, and a panel of other models may have another. Eighteen
# families bear one ability well, and a second as a description of these.
