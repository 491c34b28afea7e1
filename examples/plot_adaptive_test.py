"""
An adaptive test: ask what tells most, stop when it is enough
=============================================================

`FluidBenchmark` asks each model the item that is most informative at its ability so
far. Replayed over stored answers it shows what such tests would have cost; live, it
says what to run next.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from skirt import FisherSubsetSelector, FluidBenchmark
from skirt.adaptive import AdaptiveSession
from skirt.datasets import load_classifier_panel
from skirt.metrics import agreement_score, full_benchmark_score
from skirt.plotting import AdaptiveTraceDisplay

panel = load_classifier_panel(as_frame=True)
digits = panel.data.loc[:, panel.item_table["benchmark"] == "digits_noisy"]

# %%
# Every other family of models calibrates the items, the others are tested.

families = list(dict.fromkeys(panel.groups))
known = panel.groups.isin(families[::2])
bench = FluidBenchmark(n_items=60, se_target=0.3).fit(digits[known])
tested = digits[~known]

# %%
# The ability after each answer, its interval, and the difficulty of the item, filled
# where the answer was right. The test goes for items near the ability; for an able
# model they run out, and easier ones have to do.

display = AdaptiveTraceDisplay.from_estimator(bench, tested.iloc[:1])

# %%
# The test stops at a standard error of .3, after as many items as that takes. Models
# beyond the items' range need more.

trace = bench.replay(tested)
last = trace.groupby("model", sort=False).last()
figure, ax = plt.subplots(figsize=(6.4, 4))
stopped = last["standard_error"] <= 0.3
for met, marker, label in [(True, "o", "reached"), (False, "x", "not reached")]:
    part = last[stopped == met]
    ax.plot(part["ability"], part["step"], marker, label=f"{label} ({len(part)})")
ax.set(xlabel="ability", ylabel="items asked")
ax.legend(title="standard error of .3")
figure.tight_layout()

# %%
# The same number of items, adaptive, fixed, and at random:

full = full_benchmark_score(tested)
methods = {
    "adaptive": lambda k: FluidBenchmark(n_items=k),
    "fixed": lambda k: FisherSubsetSelector(k=k),
    "random": lambda k: FluidBenchmark(n_items=k, criterion="random", random_state=0),
}
agreement = {
    k: {
        name: agreement_score(full, make(k).fit(digits[known]).predict(tested))
        for name, make in methods.items()
    }
    for k in (5, 10, 20, 40)
}
pd.DataFrame(agreement).rename_axis(columns="items").round(3)

# %%
# Live
# ----
#
# A session says which item to run, and takes its result. Every change is written to the
# file before the call returns; a session that was killed goes on where it was.

answers = tested.iloc[3]
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "session.json")
    session = bench.start(model=answers.name, path=path)
    for _ in range(4):
        (item,) = session.next_items()
        session.record(item, answers[item])
    del session  # the process dies here

    session = AdaptiveSession.load(path, bench)
    while not session.done:
        (item,) = session.next_items()
        session.record(item, answers[item])
print(f"{session.model}: {session.ability:.2f} +/- {session.standard_error:.2f}")
print(f"after {session.n_answers} answers, stopped by {session.stopped!r}")

# %%
# With Inspect AI and lm-evaluation-harness in the place of stored answers:
# ``examples/adaptive_inspect.py`` and ``examples/adaptive_lm_eval.py``.
