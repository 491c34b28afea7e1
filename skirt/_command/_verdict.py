"""What the numbers mean for someone who has to decide."""

import math

from skirt._command._select_methods import RIDGE, way_to
from skirt._command._words import count, share, three, with_interval

# A subset that is no smaller than this share of the benchmark saves little.
_SMALL_SAVING = 0.5
# Differences of mean agreement below this are not worth telling.
_NOTICEABLE = 0.005
_FEW_GROUPS = 8
# Methods that choose for the full score itself.
_FOR_THE_SCORE = ("fisher rank", "auto")


def cell(curve, method, k):
    """Return the row of the curve's table for one method and size."""
    table = curve.table
    return table[(table["method"] == method) & (table["k"] == k)].iloc[0]


def _mean(curve, method, k):
    return cell(curve, method, k)["mean"]


def result_sentences(outcome):
    """Return the sentences that answer the question, the plain one first."""
    curve, k, method = outcome.curve, outcome.k, outcome.method
    n_items = outcome.panel.shape[1]
    target = outcome.options.target
    if curve is None:
        return [
            f"{count(k, 'item')} chosen. Their agreement is UNKNOWN: "
            f"{outcome.panel.unmeasurable}. Do not rely on this subset to rank models."
        ]
    if k is None:
        return _not_reached(curve, method, target)
    row = cell(curve, method, k)
    asked = outcome.options.k is not None
    one = k == 1
    ranked = "held-out models"
    if method != "random":
        ranked = f"models that did not choose {'it' if one else 'them'}"
    reach = ""
    if not asked:
        reach = f"{'reaches' if one else 'reach'} the target of {target:g}; "
        reach += "it " if one else "they "
    sentences = [
        f"{k:,} of {n_items:,} items {reach}{'ranks' if one else 'rank'} {ranked} with "
        f"an agreement of {with_interval(row)}, and {'saves' if one else 'save'} "
        f"{share(1 - k / n_items)} of the answers."
    ]
    if k == n_items:
        sentences[0] = (
            f"These are all {n_items:,} items: nothing is chosen and nothing saved. "
            f"They rank {ranked} with an agreement of {with_interval(row)}."
        )
        return sentences
    if asked and row["mean"] < 0.9:
        sentences[0] += " That is below the usual target of 0.9."
    elif not asked and row["low"] < target:
        sentences.append(_safer(curve, method, target, row["low"]))
    sentences.append(_pays(outcome))
    return sentences


def _not_reached(curve, method, target):
    own = curve.table[curve.table["method"] == method]
    if own["mean"].isna().all():
        return [
            "Not worth it: the agreement is undefined at every size, because the "
            "models cannot be ranked by the full benchmark itself."
        ]
    best = own.loc[own["mean"].idxmax()]
    others = curve.smallest_k(target).drop([method, RIDGE], errors="ignore").dropna()
    sentences = [
        f"Not worth it: no tested size reaches an agreement of {target:g} and keeps "
        f"it. The best is {with_interval(best)} with {int(best['k']):,} of "
        f"{count(curve.n_items, 'item')}. Test larger sizes (--sizes), lower the "
        "--target, or run the whole benchmark."
    ]
    if len(others):
        name = others.index[others.argmin()]
        sentences.append(
            f"{name} does reach it, with {count(int(others.min()), 'item')}: "
            f"{way_to(name)}."
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


def break_even(outcome):
    """Return after how many new models the panel's answers are earned back.

    The first number is against asking each new model everything, the second against
    asking it a random subset that reaches the target too. None where there is none:
    a random subset needs no panel, and all items save nothing.
    """
    curve, k = outcome.curve, outcome.k
    if curve is None or k is None or outcome.method == "random":
        return None, None
    needed = None
    if outcome.options.k is None:
        needed = curve.smallest_k(outcome.options.target, "random")
    answers = outcome.panel.n_answers
    return tuple(
        None if size is None or size <= k else math.ceil(answers / (size - k))
        for size in (curve.n_items, needed)
    )


def _pays(outcome):
    k, n_items = outcome.k, outcome.curve.n_items
    saved = count(n_items - k, "answer")
    if outcome.method == "random":
        text = (
            f"Every new model saves {saved}, from the first: a random subset needs no "
            "calibration."
        )
    else:
        all_items, random = break_even(outcome)
        text = (
            f"Every new model then saves {saved}. If the "
            f"{count(outcome.panel.n_answers, 'answer')} of this panel have yet to be "
            f"collected, they have paid after {count(all_items, 'new model')}"
        )
        if random is not None:
            text += (
                f", and against a random subset that reaches the target too only "
                f"after {random:,}"
            )
        text += "; if you have them anyway, from the first."
    if 1 - k / n_items < _SMALL_SAVING:
        text = f"The saving is small: hardly worth it. {text}"
    return text


def comparison_sentences(outcome):
    """Return what the other methods say of the chosen one."""
    curve, k, method = outcome.curve, outcome.k, outcome.method
    if curve is None or k == curve.n_items:
        return []
    sentences = []
    if k is not None and method != "random":
        sentences.append(_against_random(outcome))
        crossing = random_is_better_from(curve, method)
        if crossing is not None:
            sentences.append(
                f"From k = {crossing:,} on a random subset agrees better than "
                f"{method}: there, choose at random"
                + (
                    "."
                    if method in _FOR_THE_SCORE
                    else ", or try --criterion rank, which chooses for the full score."
                )
            )
    if k is not None:
        own = _mean(curve, method, k)
        others = curve.table[(curve.table["k"] == k)].set_index("method")["mean"]
        others = others.drop([method, "random"], errors="ignore").dropna()
        if len(others) and others.max() > own + _NOTICEABLE:
            best = others.idxmax()
            way = way_to(best)
            sentences.append(
                f"At k = {k:,} {best} agrees better here ({three(others.max())}): "
                + (
                    f"consider {way}."
                    if way
                    else "a regression on random items, which this command does not "
                    "write."
                )
            )
    if (warning := no_better_than_random(curve, k)) is not None:
        sentences.append(warning)
    if outcome.panel.groups is not None and curve.n_groups < _FEW_GROUPS:
        sentences.append(
            f"There are only {curve.n_groups} groups to resample, with "
            f"{math.comb(curve.n_groups, curve.n_groups // 2)} different half splits: "
            "the intervals are rough."
        )
    return sentences


def _against_random(outcome):
    curve, k, method = outcome.curve, outcome.k, outcome.method
    own, chance = cell(curve, method, k), cell(curve, "random", k)
    agree = "agrees" if k == 1 else "agree"
    same_k = f"{count(k, 'random item')} {agree} {with_interval(chance)}"
    if outcome.options.k is not None:
        if chance["mean"] >= own["mean"]:
            return f"{same_k}: choosing gains nothing here. Use a random subset."
        return f"{same_k}."
    needed = curve.smallest_k(outcome.options.target, "random")
    if needed is None:
        return f"No tested size of a random subset reaches the target. {same_k}."
    if needed > k:
        return (
            f"A random subset needs {needed:,} items for the target: choosing saves "
            f"another {count(needed - k, 'answer')} of each new model."
        )
    if _not_worse(chance, own):
        return (
            "Choosing is not worth it: a random subset reaches the target with "
            f"{count(needed, 'item')} and needs no calibration. Use --method random."
        )
    reach = "both reach the target"
    if needed < k:
        reach = f"a random subset reaches the target from {count(needed, 'item')} on"
    return (
        f"At {count(k, 'item')} {reach}, but {method} agrees noticeably better: "
        f"{with_interval(own)} against {with_interval(chance)}."
    )


def no_better_than_random(curve, k=None):
    """Return a warning if no method beats random items by more than its interval.

    Parameters
    ----------
    curve : AgreementCurve
    k : int, optional
        The size that matters; None for all that were tested.
    """
    names = [name for name in curve.methods if name not in ("random", RIDGE)]
    sizes = [size for size in curve.k if k in (None, size) and size < curve.n_items]
    sizes = [size for size in sizes if not math.isnan(_mean(curve, "random", size))]
    if not names or not sizes:
        return None
    for size in sizes:
        chance = cell(curve, "random", size)
        for name in names:
            own = cell(curve, name, size)
            if own["mean"] > chance["high"] and chance["mean"] < own["low"]:
                return None
    where = f"at k = {k:,}" if k is not None else "at every size tested"
    tried = names[0]
    if len(names) > 1:
        tried = f"any of {', '.join(names[:-1])} and {names[-1]}"
    return (
        f"Warning: {where} random items agree as well as {tried}, to within the "
        "intervals: this panel does not show that choosing helps."
    )


def _not_worse(chance, own):
    """Say whether random is as good, or one mean lies in the other's interval."""
    return (
        chance["mean"] >= own["mean"]
        or own["mean"] <= chance["high"]
        or chance["mean"] >= own["low"]
    )


def random_is_better_from(curve, method):
    """Return the size from which random beats the method at every larger one."""
    wide = curve.table.pivot(index="method", columns="k", values="mean")
    better = wide.loc["random"] > wide.loc[method] + _NOTICEABLE
    found = None
    # All items, which every method keeps, are no random subset.
    for k in reversed([k for k in curve.k if k < curve.n_items]):
        if not better[k]:
            break
        found = k
    return found
