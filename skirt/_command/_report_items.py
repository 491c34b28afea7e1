"""The page's section about the items."""

import numpy as np

from skirt._command._calibrating import FLAG_WORDS
from skirt._command._figures import svg_of
from skirt._command._page import details, escape, figure, paragraphs
from skirt._command._words import count
from skirt.metrics import discrimination_cv

_MOST_NAMES = 200


def items_section(report, pictures):
    """Return what the calibration found of the items."""
    return "\n".join(
        [
            paragraphs(
                "An item tells models apart where about half of them get it right, and "
                "the more, the more sharply right answers go with ability."
            ),
            _curves(report, next(pictures)),
            _wright(report, next(pictures)),
            _discriminations(report, next(pictures)),
            "<h3>Odd items</h3>",
            _flags(report),
        ]
    )


def _curves(report, number):
    from skirt.plotting import ItemCurveDisplay

    bank = report.found.bank
    varying = np.flatnonzero(~bank.item_flags_["constant"].to_numpy())
    by_sharpness = varying[np.argsort(bank.discrimination_[varying], kind="stable")]
    places = np.unique(
        (np.array([0.05, 0.5, 0.95]) * (by_sharpness.size - 1)).astype(int)
    )
    chosen = [str(bank.item_names_[by_sharpness[place]]) for place in places]
    svg = svg_of(
        lambda: ItemCurveDisplay.from_estimator(
            bank, report.panel.responses, items=chosen
        ),
        number,
        f"Probability of the answer 1 by ability, for {', '.join(chosen)}, which tell "
        "little, a middling amount and much.",
    )
    return figure(
        svg,
        "How to read it: each curve is an item, of those that tell little, a middling "
        "amount and much; it rises with ability from rarely to mostly right, and the "
        "steeper it is, the more the item tells. Points are what models of about that "
        "ability did.",
    )


def _wright(report, number):
    from skirt.plotting import WrightMapDisplay

    bank = report.found.bank
    drawn = {}

    def draw():
        drawn["map"] = WrightMapDisplay.from_estimator(bank)
        return drawn["map"]

    svg = svg_of(
        draw,
        number,
        "Histogram of the models' abilities on the left and of the items' difficulties "
        "on the right, on one scale (a Wright map).",
    )
    told = ""
    easier, harder = drawn["map"].n_easier_, drawn["map"].n_harder_
    if easier or harder:
        told = (
            f" Beyond this scale there are {count(easier, 'easier item')} and "
            f"{count(harder, 'harder one')}."
        )
    return figure(
        svg,
        "How to read it: models on the left, items on the right, better and harder "
        "further up. Where there are models but no items, the benchmark hardly tells "
        "these models apart." + told,
    )


def _discriminations(report, number):
    from skirt.plotting import DiscriminationHistogramDisplay

    bank = report.found.bank
    spread = discrimination_cv(bank)
    svg = svg_of(
        lambda: DiscriminationHistogramDisplay.from_estimator(bank),
        number,
        f"Histogram of the items' discriminations; they vary by {spread:.2f} of their "
        "mean.",
    )
    return figure(
        svg,
        "How to read it: items on the right tell the most of who is better. The more "
        f"they vary (here by {spread:.2f} of their mean), the more can be saved by "
        "choosing items.",
    )


def _flags(report):
    flags = report.found.bank.item_flags_
    parts = []
    for flag, text in FLAG_WORDS.items():
        names = [str(name) for name in flags.index[flags[flag]]]
        if not names:
            continue
        more = len(names) - _MOST_NAMES
        shown = ", ".join(names[:_MOST_NAMES])
        if more > 0:
            shown += f" and {more:,} more"
        summary = f"{text}: {len(names):,} of {len(flags):,}"
        parts.append(details(summary, f"<p>{escape(shown)}</p>"))
    if not parts:
        parts.append(
            paragraphs(
                "None: every item varies, none is answered exactly as another, and "
                "none significantly worse by better models."
            )
        )
    return "\n".join(parts)
