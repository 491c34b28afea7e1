"""What is told of the data, the same by all commands."""

import math

from skirt._command._printing import section
from skirt._command._words import count, share


def data_sentences(panel):
    """Say what was read."""
    n_models, n_items = panel.shape
    missing = int(panel.responses.isna().to_numpy().sum())
    gaps = "no response missing"
    if missing:
        gaps = (
            f"{count(missing, 'response')} missing "
            f"({share(missing / panel.responses.size)})"
        )
    # Names, so that a table with models and items exchanged is noticed.
    lines = [
        panel.source,
        f"{count(n_models, 'model')} x {count(n_items, 'item')}, {gaps}.",
        f"The first model is {panel.responses.index[0]!r}, the first item "
        f"{panel.responses.columns[0]!r}.",
    ]
    if panel.groups is not None:
        lines.append(f"{panel.n_groups} groups of models (families).")
    return lines + panel.notes


def missing_sentences(report):
    """Say what gaps may do to the scores."""
    sentences = [
        "Scores expect of a missing response what the model's other ones suggest. That "
        "is right only if gaps do not depend on the answer that is not seen."
    ]
    correlation = report["rate_score_correlation"]
    if not math.isnan(correlation):
        sentences.append(
            f"A model's missing rate correlates {correlation:+.2f} with its score; "
            "counting gaps as wrong would give a ranking that agrees "
            f"{report['agreement_gaps_wrong']:.3f}, leaving them out "
            f"{report['agreement_gaps_left_out']:.3f}, with this one."
        )
    return sentences


def print_data(panel, missingness):
    """Print both."""
    section("Data", data_sentences(panel))
    if missingness is not None:
        section("Gaps", missing_sentences(missingness))


def data_facts(panel, missingness, flags=None):
    """Return what was read, for JSON."""
    from skirt._command._calibrating import flag_names

    facts = {
        "source": panel.source,
        "n_models": panel.shape[0],
        "n_items": panel.shape[1],
        "n_groups": None if panel.groups is None else panel.n_groups,
        "n_missing": int(panel.responses.isna().to_numpy().sum()),
        "notes": panel.notes,
        "missingness": None if missingness is None else missingness.to_dict(),
    }
    if flags is not None:
        facts["item_flags"] = flag_names(flags)
    return facts
