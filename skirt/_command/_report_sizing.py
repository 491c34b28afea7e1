"""The page's section about how few items would do."""

from dataclasses import replace

import pandas as pd

from skirt._command._figures import svg_of
from skirt._command._page import details, escape, figure, paragraphs, table
from skirt._command._sizing import protocol_sentence
from skirt._command._verdict import cell, random_is_better_from
from skirt._command._words import count, share, with_interval

NAMES = {
    "fisher": "chosen items",
    "random": "random items",
    "adaptive": "adaptive tests",
}


def enough_sentence(report):
    """Say how few items would do, in one sentence."""
    curve, k, target = report.curve, report.k, report.options.target
    if curve is None:
        return (
            "How few items would rank models alike is unknown: "
            f"{report.panel.unmeasurable}."
        )
    if k is None:
        return (
            f"No tested number of chosen items ranks new models with the wanted "
            f"agreement of {target:g}."
        )
    return (
        f"{k:,} well-chosen of the {count(curve.n_items, 'item')} rank new models "
        f"nearly as all of them do: an agreement of "
        f"{with_interval(cell(curve, 'fisher', k))}, where 1 is the same order, with "
        f"{share(1 - k / curve.n_items)} fewer answers."
    )


def sizing_section(report, pictures):
    """Return how agreement grows with the number of items."""
    if report.curve is None:
        return paragraphs(enough_sentence(report))
    parts = [
        paragraphs(enough_sentence(report), _against_random(report), _crossing(report)),
        _curve(report, next(pictures)),
        _table(report),
        f'<p class="note">How it was measured: '
        f"{escape(protocol_sentence(report.options, report.panel))}</p>",
    ]
    if report.order:
        names = ", ".join(map(str, report.order))
        parts.append(
            details(
                f"The {count(len(report.order), 'item')}, best first",
                f"<p>{escape(names)}</p>",
            )
        )
    return "\n".join(parts)


def _against_random(report):
    curve, k = report.curve, report.k
    needed = curve.smallest_k(report.options.target, "random")
    if k is None:
        if needed is None:
            return "Nor does a random subset. Run the whole benchmark, or test more."
        return f"A random subset does, with {count(needed, 'item')}: draw at random."
    chance = cell(curve, "random", k)
    told = f"As many items drawn at random agree {with_interval(chance)}"
    if needed is None:
        return f"{told}; no tested number of random items reaches the target."
    if needed <= k:
        return (
            f"{told}; random items reach the target with {needed:,} and need no "
            "calibration: choosing gains little here."
        )
    return f"{told}; it takes {needed:,} random items to reach the target."


def _crossing(report):
    crossing = random_is_better_from(report.curve, "fisher")
    if crossing is None:
        return ""
    return (
        f"With {count(crossing, 'item')} or more, random ones agree better than chosen "
        "ones: who can afford so many should draw them."
    )


def _curve(report, number):
    from skirt.plotting import AgreementCurveDisplay

    curve = _in_plain_words(report.curve)
    svg = svg_of(
        lambda: AgreementCurveDisplay.from_curve(curve, target=report.options.target),
        number,
        "Agreement with the ranking by the full benchmark, by the number of items, for "
        f"{', '.join(curve.methods)}. The table below has the "
        "numbers.",
    )
    return figure(
        svg,
        "How to read it: further right more items are asked, further up the ranking is "
        "more like that by all items; a ring marks where a curve reaches the wanted "
        "agreement (dashed) for good, the bands where it lies for other models of this "
        "kind 19 times of 20.",
    )


def _in_plain_words(curve):
    """Return the curve with names that need no explanation."""
    named = {
        name: getattr(curve, name).assign(
            method=getattr(curve, name)["method"].map(NAMES)
        )
        for name in ("table", "split_scores")
    }
    methods = tuple(NAMES[method] for method in curve.methods)
    return replace(curve, methods=methods, **named)


def _table(report):
    curve = report.curve
    columns = {
        "items": [f"{k:,}" for k in curve.k],
        "saved": [share(1 - k / curve.n_items) for k in curve.k],
    }
    for method in curve.methods:
        columns[NAMES[method]] = [
            with_interval(cell(curve, method, k)) for k in curve.k
        ]
    best = [curve.k.index(report.k)] if not pd.isna(report.k) and report.k else []
    return table(
        columns,
        "Agreement, and in brackets where it lies for other models of this kind 19 "
        "times of 20",
        numbers=("items", "saved"),
        best=best,
    )
