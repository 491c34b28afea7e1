"""
How many abilities? Ask held-out answers
========================================

More dimensions always fit a panel better. Whether they are there is what answers say
that were hidden from the fit. The panel here is simulated, with two abilities.
"""

import matplotlib.pyplot as plt
import numpy as np

from skirt import MultidimIRT
from skirt.datasets import make_multidim_responses
from skirt.model_selection import cross_val_responses

panel = make_multidim_responses(
    60, 240, n_components=2, ability_correlation=0.3, random_state=1, as_frame=True
)
panel.truth[["n_items", "dominant"]]

# %%
# A fifth of every model's answers is hidden at a time, each once. The baselines are
# what must be beaten: means of models and items, and one-dimensional models of all
# items or of each benchmark. Numbers of abilities are compared under one kind of prior.
# No rotation changes a probability, so there is none here.

models = {
    f"MultidimIRT({d})": MultidimIRT(d, rotation=None, discrimination_prior="normal")
    for d in (1, 2, 3)
}
scores = cross_val_responses(
    models, panel.data, items=panel.item_table, cv=5, random_state=0
)
scores.summary().round(3)

# %%
# Differences to two abilities in log-loss, with intervals for other models like these:

compared = scores.compare("MultidimIRT(2)")
compared = compared[
    (compared["metric"] == "log_loss") & (compared["average"] == "macro")
]
compared.set_index("method")[["difference", "low", "high"]].round(4)

# %%
# Two abilities predict better than one, a third adds nothing. One ability for each
# benchmark does as well as two for all: here every benchmark measures just one of them.
#
# Did it find the planted abilities?
# ----------------------------------

model = MultidimIRT(2).fit(panel.data)
r = np.corrcoef(model.ability_.T, panel.ability.T)[:2, 2:]
order = np.abs(r).argmax(axis=1)  # which planted one each axis is

figure, axes = plt.subplots(1, 2, figsize=(8.4, 4))
for axis, (planted, ax) in enumerate(zip(order, axes, strict=True)):
    ax.errorbar(
        panel.ability[:, planted],
        model.ability_[:, axis],
        model.ability_se_[:, axis],
        fmt="o",
        markersize=4,
        linewidth=0.8,
    )
    ax.set(
        title=f"r = {r[axis, planted]:.2f}",
        xlabel=f"planted ability {planted}",
        ylabel=f"ability{axis}",
    )
figure.tight_layout()
