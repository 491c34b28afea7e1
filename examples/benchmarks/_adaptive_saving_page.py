"""Write the page of `adaptive_saving.py` from its results."""

import math
import re

from _adaptive_saving_curves import (
    ANCHOR_SIZES,
    MOST_ADAPTIVE,
    MOST_ANCHORS,
    PANEL,
    TARGETS,
)
from _real_data_format import number, percent, table

NAMES = {
    "adaptive": "adaptive",
    "fisher marginal": "Fisher, marginal",
    "fisher total": "Fisher, total",
    "anchor": "anchor points",
    "disagreement": "disagreement",
    "random": "random",
    "random ability": "random, ability",
}
LARGEST = {
    "adaptive": MOST_ADAPTIVE,
    "random ability": MOST_ADAPTIVE,
    "anchor": MOST_ANCHORS,
}
INTRODUCTION = """# What adaptive tests save

How many items a test needs to rank models as the whole benchmark does: asked
adaptively (`FluidBenchmark`, maximum Fisher information) and by each fixed subset, on
{sets} public response matrices with at least 20 models and on simulated panels.
Written by `examples/benchmarks/adaptive_saving.py`; to make it again, run

    python examples/benchmarks/adaptive_saving.py --data FOLDER

on a folder as for `real_data_table.py`. The data are not part of the package.

**Protocol.** Random half splits of the models (groups of variants whole), the same for
every method: items are calibrated and chosen on one half, and the other half is
ranked; agreement is Spearman's rho with the full-benchmark score. {splits} splits of
every set (column **splits**); to save time, of panels beyond 1,000 models a seeded
sample of so many. **k\\*** is the smallest size tested at which the
mean agreement reaches .90 and stays there at every larger size tested: every size to
10, then each at most 1.2 times the one before. Adaptive tests were replayed up to
{adaptive} items, anchor points clustered for the sizes {anchors} alone, which makes
their k\\* coarse; "stays" means up to there. The others were also tested with every
item. "> {adaptive}": not reached by then; "-": not even with all items. In brackets
where the upper and the lower end of the 95 % interval (resampled models) of the
agreement reach .90 and stay.

**Scores.** Adaptive tests and Fisher's items are scored by ability, anchor points by a
weighted mean, the others by the mean. **random, ability**: random items, scored by
ability under the same calibration as the adaptive test, so that only the choice of
items differs. An adaptive test asks only items that a model has an answer to; a fixed
subset takes gaps as they are.
"""
SAVING = """
## Saving

1 - k\\* / items. **ratio**: k\\* of random items, scored by their mean, over that of
the adaptive test; above 1 the adaptive test needs fewer. **CV**: of discriminations,
corrected for shrinkage (`discrimination_cv`), over the whole set.
"""
SIMULATED = """
## Simulated panels: saving against the CV of the discriminations

{panels} panels of {n_models} models x {n_items:,} items (`make_responses`) for each CV,
{splits} half splits of each; k\\* of the mean over panels, in brackets its range over
single panels. The full-benchmark score is the mean of {n_items:,} answers.
"""


def write_page(path, real, simulated):
    """Write the page from the two lists of results."""
    text = [
        INTRODUCTION.format(
            sets=len(real),
            splits=max(result["splits"] for result in real),
            adaptive=MOST_ADAPTIVE,
            anchors=", ".join(map(str, ANCHOR_SIZES)),
        ),
        _smallest(real),
        SAVING,
        _saving(real),
        _won(real),
        _unsettled(real),
        "\n## Agreement with 10 items\n\nMean, with 95 % intervals.\n",
        _at_ten(real),
        SIMULATED.format(
            **PANEL, panels=simulated[0]["panels"], splits=simulated[0]["splits"]
        ),
        *(_by_cv(simulated, str(target)) for target in TARGETS),
        _of_cv(simulated),
    ]
    path.write_text("".join(text))


def _smallest(real):
    head = ["data set", "models", "items", "splits", *NAMES.values()]
    rows = []
    for result in real:
        groups = f" ({result['groups']})" if result["groups"] else ""
        rows.append(
            [
                f"`{result['name']}`",
                f"{result['models']:,}{groups}",
                f"{result['items']:,}",
                result["splits"],
                *(_k_with_range(result, method) for method in NAMES),
            ]
        )
    return "\n## Items needed for agreement .90\n" + table(head, rows)


def _k_with_range(result, method):
    found = result["smallest"].get(method, {"mean": None, "low": None, "high": None})
    best, worst, k = (
        _size(found[bound], method, result["items"])
        for bound in ("high", "low", "mean")
    )
    return k if k == "-" else f"{k} ({best} to {worst})"


def _size(k, method, n_items):
    if k is not None:
        return str(k)
    largest = LARGEST.get(method, n_items)
    return f"> {largest}" if largest < n_items else "-"


def _ratio(result):
    ours, random = (result["smallest"][m]["mean"] for m in ("adaptive", "random"))
    return None if ours is None or random is None else random / ours


def _saving(real):
    head = ["data set", "CV", "ratio", *NAMES.values()]
    rows = []
    for result in sorted(real, key=lambda r: r["cv"]):
        shares = []
        for method in NAMES:
            k = result["smallest"].get(method, {"mean": None})["mean"]
            shares.append(percent(None if k is None else 1 - k / result["items"]))
        rows.append(
            [
                f"`{result['name']}`",
                number(result["cv"]),
                number(_ratio(result), 1),
                *shares,
            ]
        )
    return table(head, rows)


def _won(real):
    text = "\nThe adaptive test, by k\\*:\n\n"
    for rival in [method for method in NAMES if method != "adaptive"]:
        fewer, same, more = [], [], []
        for result in real:
            ours, theirs = (
                result["smallest"].get(m, {"mean": None})["mean"] or math.inf
                for m in ("adaptive", rival)
            )
            where = fewer if ours < theirs else more if ours > theirs else same
            where.append(f"`{result['name']}`")
        text += (
            f"* beside {NAMES[rival]}: fewer items on {len(fewer)} sets, as many (or "
            f"neither reaches .90) on {len(same)}, more on {len(more)}"
            f"{': ' + ', '.join(more) if more else ''}.\n"
        )
    return text


def _unsettled(real):
    """Say where calibrations of training halves did not converge."""
    found = []
    for result in real:
        for message in result["warnings"]:
            told = re.match(r"ConvergenceWarning: adaptive, in (\d+) of", message)
            if told:
                found.append(f"`{result['name']}` {told[1]} of {result['splits']}")
    if not found:
        return ""
    return (
        "\nSplits whose calibration did not converge, their figures counted all the "
        f"same: {', '.join(found)}.\n"
    )


def _at_ten(real):
    head = ["data set", *NAMES.values()]
    rows = []
    for result in real:
        if result["items"] <= 10:
            continue
        cells = []
        for method in NAMES:
            row = next(
                r for r in result["table"] if r["method"] == method and r["k"] == 10
            )
            cells.append(
                f"{number(row['mean'])} ({number(row['low'])} to {number(row['high'])})"
            )
        rows.append([f"`{result['name']}`", *cells])
    return table(head, rows)


def _by_cv(simulated, target):
    rows = []
    for result in simulated:
        cells = []
        for method in NAMES:
            found = result["smallest"][method][target]
            sizes = [math.inf if k is None else k for k in found["panels"]]
            low, high = (
                _size(None if math.isinf(k) else k, method, PANEL["n_items"])
                for k in (min(sizes), max(sizes))
            )
            k = _size(found["mean"], method, PANEL["n_items"])
            cells.append(f"{k} ({low} to {high})")
        rows.append([number(result["cv"]), *cells])
    title = f"\n### Items needed for agreement {number(float(target))}\n"
    return title + table(["CV", *NAMES.values()], rows)


def _of_cv(simulated):
    """Ratio of k* by CV, in a table of its own."""
    rows = []
    for result in simulated:
        row = [number(result["cv"])]
        for target in map(str, TARGETS):
            ours = result["smallest"]["adaptive"][target]["mean"]
            for rival in ("random", "random ability", "fisher marginal"):
                theirs = result["smallest"][rival][target]["mean"]
                both = ours is not None and theirs is not None
                row.append(number(theirs / ours if both else None, 1))
            row.append(percent(None if ours is None else 1 - ours / PANEL["n_items"]))
        rows.append(row)
    head = ["CV"]
    for target in TARGETS:
        told = number(target)
        head += [f"{told}: random", "random, ability", "Fisher, marginal", "saving"]
    text = (
        "\n### How many times as many items the others need\n\n"
        "k\\* of the others over that of the adaptive test, and the adaptive test's "
        "saving, for both targets.\n"
    )
    return text + table(head, rows)
