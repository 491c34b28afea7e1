"""The page's section about the models."""

import numpy as np

from skirt._command._figures import svg_of
from skirt._command._page import details, figure, paragraphs, table
from skirt._command._words import count

# More rows than that make no picture that can be read.
_MOST_ROWS = 40
_IN_SIGHT = 20


def models_section(report, pictures):
    """Return the ranking with its errors."""
    bank = report.found.bank
    names = [str(name) for name in bank.model_names_]
    order = np.argsort(-bank.ability_, kind="stable")
    intro = paragraphs(
        "Models are ranked by ability, which counts how hard and how telling the items "
        "are that a model got right; the score is its share of answers that are 1"
        + (
            " (of answers that are missing, what its others suggest)."
            if report.found.missingness is not None
            else "."
        )
        + " Two models whose intervals overlap widely cannot be told apart by these "
        "items."
    )
    return "\n".join(
        [
            intro,
            _forest(report, names, order, next(pictures)),
            _table(report, names, order),
        ]
    )


def _forest(report, names, order, number):
    from skirt.plotting import AbilityForestDisplay

    bank, score = report.found.bank, report.found.score
    shown = order
    told = ""
    if order.size > _MOST_ROWS:
        # The best, and every so many of the others.
        others = order[_MOST_ROWS // 2 :]
        step = -(-others.size // (_MOST_ROWS // 2))
        shown = np.concatenate([order[: _MOST_ROWS // 2], others[::step]])
        told = (
            f" Shown are the best {_MOST_ROWS // 2} of {order.size:,} and one in "
            f"{step} of the others."
        )
    svg = svg_of(
        lambda: AbilityForestDisplay(
            ability=bank.ability_[shown],
            standard_error=bank.ability_se_total_[shown],
            model_names=[names[i] for i in shown],
            score=score[shown],
            score_label="Full-benchmark score",
        ).plot(),
        number,
        f"Abilities of {count(shown.size, 'model')} with 95 % intervals and their "
        f"scores; the ablest is {names[order[0]]}. The table below has the numbers.",
    )
    return figure(
        svg,
        "How to read it: each row is a model, the dot its ability, the line where the "
        "truth lies 19 times of 20; on the right its score." + told,
        dense=True,
    )


def _table(report, names, order):
    bank, found = report.found.bank, report.found
    columns = {
        "place": [f"{place:,}" for place in range(1, order.size + 1)],
        "model": [names[i] for i in order],
        "ability": [f"{bank.ability_[i]:+.2f}" for i in order],
        "standard error": [f"{bank.ability_se_total_[i]:.2f}" for i in order],
        "score": [f"{100 * found.score[i]:.1f} %" for i in order],
    }
    numbers = ("place", "ability", "standard error", "score")
    if order.size <= _IN_SIGHT:
        return table(columns, "All models", numbers=numbers)
    return details(
        f"All {order.size:,} models as a table", table(columns, numbers=numbers)
    )
