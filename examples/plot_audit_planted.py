"""
An audit of benchmarks of which the truth is known
==================================================

Eight simulated benchmarks claim to measure one of two abilities. One does not do as it
claims, and of another each half measures something else. Does `benchmark_audit` find
both, and nothing more?
"""

import tempfile
from pathlib import Path

from skirt.audit import benchmark_audit
from skirt.datasets import make_multidim_responses
from skirt.plotting import BenchmarkHeatmapDisplay, ItemScatterDisplay

panel = make_multidim_responses(
    70,
    320,
    n_benchmarks=8,
    mislabelled=["benchmark6"],
    split=["benchmark3"],
    random_state=0,
    as_frame=True,
)
panel.truth[["target", "dominant", "mislabelled", "split"]]

# %%
# The audit gets the answers and what each benchmark claims. Abilities are estimated
# anew without each benchmark, so that no correlation is that of a score with itself.

audit = benchmark_audit(panel.data, panel.item_table, n_bootstrap=200)
print(audit)

# %%
# The framed cell is the ability that a benchmark follows.

display = BenchmarkHeatmapDisplay.from_audit(audit)

# %%
# The same from the items' side, with the whole solution: the split benchmark has items
# on both axes.

display = ItemScatterDisplay.from_estimator(audit.estimator_, panel.item_table)

# %%
# What was found of the halves (the column `category` of the item table):

found = audit.subgroups[["p_adjusted", "verdict"]]
found[found["p_adjusted"] < 0.05].round(4)

# %%
# The page for others is one file without scripts or links.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "audit.html")
    audit.to_html(path)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
