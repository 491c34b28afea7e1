"""
Two standard errors, and what each is good for
==============================================

A standard error *given the items* takes the calibrated items for the truth. A small
panel does not know them that well. The *total* standard error adds what the panel
leaves unknown. Here intervals of new models are checked against simulated truth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skirt import TwoPLEstimator
from skirt.datasets import make_responses

# %%
# A panel of 30 models calibrates 500 items; 200 new models answer them.


def simulate(seed, n_panel=30, n_new=200, n_items=500):
    """Return abilities of new models, true and estimated, with both errors."""
    data = make_responses(n_panel + n_new, n_items, random_state=seed)
    bank = TwoPLEstimator().fit(data.data[:n_panel])
    new = data.data[n_panel:]
    plain, se = bank.predict(new, return_std=True)
    placed, total = bank.predict(new, return_std="total")
    # A panel's scale is its own: mean 0 and SD 1 are those of these 30 models. Bring
    # the truth to it, by the line that fits the panel.
    slope, start = np.polyfit(data.ability[:n_panel], bank.ability_, 1)
    return start + slope * data.ability[n_panel:], plain, se, placed, total


truth, plain, se, placed, total = simulate(0)
pd.DataFrame(
    {
        "mean standard error": [se.mean(), total.mean()],
        "root mean square error": [
            np.sqrt(np.mean((plain - truth) ** 2)),
            np.sqrt(np.mean((placed - truth) ** 2)),
        ],
    },
    index=["given the items", "total"],
).round(3)

# %%
# A new model's ability given the items comes out too near to 0: the panel's models have
# shaped the items that measure them, which spreads *their* abilities.
# ``return_std="total"`` puts new models on the panel's scale, and so moves estimates
# too.

figure, ax = plt.subplots(figsize=(6.4, 4.4))
order = np.argsort(truth)
ax.axhline(0, color="0.6", linewidth=1)
ax.plot(truth[order], (plain - truth)[order], "x", color="#d55e00", label="given items")
ax.plot(
    truth[order],
    (placed - truth)[order],
    "o",
    mfc="none",
    color="#0072b2",
    label="total",
)
ax.fill_between(truth[order], -1.96 * total[order], 1.96 * total[order], color="0.9")
ax.set(xlabel="true ability, on the panel's scale", ylabel="estimate less truth")
ax.set_title("One panel of 30 models; band: 1.96 total standard errors")
ax.legend()
figure.tight_layout()

# %%
# Coverage
# --------
#
# Over many panels: how often does an interval of 1.96 standard errors hold the truth?

covered = {"given the items": [], "total": []}
for seed in range(1, 25):
    truth, plain, se, placed, total = simulate(seed)
    covered["given the items"].append(np.mean(np.abs(plain - truth) < 1.96 * se))
    covered["total"].append(np.mean(np.abs(placed - truth) < 1.96 * total))
pd.DataFrame(covered).describe().loc[["count", "mean", "min", "max"]].round(2)
