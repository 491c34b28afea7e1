"""What the numbers mean for someone who has to decide."""

import math

import pandas as pd

# A subset that is no smaller than this share of the benchmark saves little.
_SMALL_SAVING = 0.5
# Differences of mean agreement below this are not worth telling.
_NOTICEABLE = 0.005
_FEW_GROUPS = 8


def cell(curve, method, k):
    """Return the row of the curve's table for one method and size."""
    table = curve.table
    return table[(table["method"] == method) & (table["k"] == k)].iloc[0]


def three(value):
    """Return an agreement as text."""
    return "none" if pd.isna(value) else f"{value:.3f}"


def with_interval(row):
    """Return an agreement and its interval as text."""
    if pd.isna(row["low"]):
        return three(row["mean"])
    return f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def share(value):
    """Return a share in per cent as text."""
    return f"{100 * value:.1f} %"


def result_sentences(outcome):
    """Return the sentences that answer the question, the plain one first."""
    curve, k, method = outcome.curve, outcome.k, outcome.method
    n_models, n_items = outcome.panel.shape
    target = outcome.options.target
    if curve is None:
        return [
            f"{k} items chosen. Their agreement is UNKNOWN: {n_models} models are too "
            "few to hold some of them out (10 are needed). Do not rely on this subset "
            "to rank models."
        ]
    if k is None:
        return _not_reached(curve, method, target)
    row = cell(curve, method, k)
    asked = outcome.options.k is not None
    sentences = [
        f"{k:,} of {n_items:,} items "
        + ("" if asked else f"reach the target of {target:g}; they ")
        + f"rank models that did not choose them with an agreement of "
        f"{with_interval(row)}, and save {share(1 - k / n_items)} of the answers."
    ]
    if asked and row["mean"] < 0.9:
        sentences[0] += " That is below the usual target of 0.9."
    elif not asked and row["low"] < target:
        sentences.append(_safer(curve, method, target, row["low"]))
    sentences.append(_break_even(curve, k))
    return sentences


def _not_reached(curve, method, target):
    own = curve.table[curve.table["method"] == method]
    if own["mean"].isna().all():
        return [
            "Not worth it: the agreement is undefined at every size, because the "
            "models cannot be ranked by the full benchmark itself."
        ]
    best = own.loc[own["mean"].idxmax()]
    others = curve.smallest_k(target).drop(method).dropna()
    sentences = [
        f"Not worth it: no tested size reaches an agreement of {target:g} and keeps "
        f"it. The best is {with_interval(best)} with {int(best['k']):,} of "
        f"{curve.n_items:,} items. Test larger sizes (--sizes), lower the --target, or "
        "run the whole benchmark."
    ]
    if len(others):
        name = others.index[others.argmin()]
        sentences.append(
            f"{name} does reach it, with {int(others.min()):,} items: --method {name}."
        )
    return sentences


def _safer(curve, method, target, low):
    own = curve.table[curve.table["method"] == method]
    held = own["k"][(own["low"] >= target)[::-1].cummin()[::-1]]
    larger = "a larger k"
    if len(held):
        larger = f"-k {held.iloc[0]}, whose whole interval reaches it,"
    return (
        "The interval reaches below the target: on other models of this kind the "
        f"agreement may be as low as {low:.3f}; {larger} is safer."
    )


def _break_even(curve, k):
    n_models, n_items = curve.n_models, curve.n_items
    after = curve.break_even(k=k)
    cost = f"{n_models:,} x {n_items:,} answers of this panel"
    if math.isinf(after):
        return f"These are all the items: nothing is saved, and the {cost} never pay."
    text = (
        f"Every new model then saves {n_items - k:,} answers. If the {cost} have yet "
        f"to be collected, they have paid after {after:,} new models; if you have them "
        "anyway, from the first."
    )
    if 1 - k / n_items < _SMALL_SAVING:
        text = f"The saving is small: hardly worth it. {text}"
    return text


def comparison_sentences(outcome):
    """Return what the other methods say of the chosen one."""
    curve, k, method = outcome.curve, outcome.k, outcome.method
    if curve is None:
        return []
    sentences = []
    if k is not None and method != "random":
        sentences.append(_against_random(outcome))
        crossing = _random_is_better_from(curve, method)
        if crossing is not None:
            sentences.append(
                f"From k = {crossing:,} on a random subset agrees better than "
                f"{method}: there, choose at random."
            )
    if k is not None:
        own = cell(curve, method, k)["mean"]
        others = curve.table[(curve.table["k"] == k)].set_index("method")["mean"]
        others = others.drop([method, "random"], errors="ignore").dropna()
        if len(others) and others.max() > own + _NOTICEABLE:
            sentences.append(
                f"At k = {k:,} {others.idxmax()} agrees better here "
                f"({three(others.max())}): consider --method {others.idxmax()}."
            )
    if outcome.panel.groups is not None and curve.n_groups < _FEW_GROUPS:
        sentences.append(
            f"There are only {curve.n_groups} groups to resample: the intervals are "
            "rough."
        )
    return sentences


def _against_random(outcome):
    curve, k, method = outcome.curve, outcome.k, outcome.method
    own, chance = cell(curve, method, k), cell(curve, "random", k)
    same_k = f"{k:,} random items agree {with_interval(chance)}"
    if outcome.options.k is not None:
        if chance["mean"] >= own["mean"]:
            return f"{same_k}: choosing gains nothing here. Use a random subset."
        return f"{same_k}."
    needed = curve.smallest_k(outcome.options.target, "random")
    if needed is None:
        return f"No tested size of a random subset reaches the target. {same_k}."
    if needed <= k:
        return (
            f"Choosing is not worth it: a random subset reaches the target with "
            f"{needed:,} items and needs no calibration. Use --method random."
        )
    return (
        f"A random subset needs {needed:,} items for the target: choosing saves "
        f"another {needed - k:,} answers of each new model."
    )


def _random_is_better_from(curve, method):
    """Return the size from which random beats the method at every larger one."""
    wide = curve.table.pivot(index="method", columns="k", values="mean")
    better = wide.loc["random"] > wide.loc[method] + _NOTICEABLE
    found = None
    for k in reversed(curve.k):
        if not better[k]:
            break
        found = k
    return found
