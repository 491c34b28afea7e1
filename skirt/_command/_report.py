"""What the command prints, for people and for programs."""

import json
import math
import textwrap

import numpy as np
import pandas as pd

from skirt._command._verdict import break_even, comparison_sentences, result_sentences
from skirt._command._words import count, share, with_interval
from skirt._version import __version__
from skirt.metrics import discrimination_cv

_LABEL = 11
_WIDTH = 96
_SHOWN_ITEMS = 10


def print_text(outcome):
    """Print the report for people."""
    _print_data(outcome)
    _print_items(outcome)
    if outcome.curve is not None:
        _print_curve(outcome)
    print()
    _section("Result", result_sentences(outcome))
    _section("Compared", comparison_sentences(outcome))
    _print_subset(outcome)


def _section(label, sentences):
    for position, sentence in enumerate(sentences):
        lead = label if position == 0 else ""
        print(
            textwrap.fill(
                sentence,
                width=_WIDTH,
                initial_indent=lead.ljust(_LABEL),
                subsequent_indent=" " * _LABEL,
                break_long_words=False,
                break_on_hyphens=False,
            )
        )


def _print_data(outcome):
    panel = outcome.panel
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
    _section("Data", lines + panel.notes)
    if outcome.missingness is not None:
        _section("Gaps", _missing_sentences(outcome.missingness))


def _missing_sentences(report):
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


def _flag_sentences(flags, n_items):
    texts = {
        "constant": "Answered alike by all models, so that they rank nobody",
        "duplicate": "Answered exactly as another item is",
        "reversed": "Answered worse by better models (wrong keys?)",
    }
    sentences = []
    for flag, text in texts.items():
        names = flags.index[flags[flag]]
        if len(names):
            shown = "" if flag == "constant" else f" ({_few(names, 3)})"
            sentences.append(f"{text}: {len(names):,} of {n_items:,}{shown}.")
    if sentences:
        sentences.append("All of these stay in the benchmark and in the saving.")
    return sentences


def _few(names, n):
    shown = ", ".join(str(name) for name in names[:n])
    return shown + (", ..." if len(names) > n else "")


def _print_items(outcome):
    bank = outcome.bank
    spread = discrimination_cv(bank)
    _section(
        "Items",
        [
            *_flag_sentences(bank.item_flags_, outcome.panel.shape[1]),
            f"Discriminations vary by {spread:.2f} of their mean (CV): the more they "
            "vary, the more choosing can save.",
        ],
    )


def _print_curve(outcome):
    curve = outcome.curve
    _section(
        "Protocol",
        [
            f"{outcome.protocol}. One half chooses the items, the other half is ranked "
            "by them; agreement is Spearman's rho with the ranking by the full "
            "benchmark. Mean over the splits, and in brackets its 95 % interval from "
            "resampling the "
            + (
                "models; models taken as independent of each other: if some are "
                "variants of one, give --groups."
                if outcome.panel.groups is None
                else "groups."
            )
        ],
    )
    columns = {"items": [f"{k:,}" for k in curve.k]}
    columns["saving"] = [share(1 - k / curve.n_items) for k in curve.k]
    for method in curve.methods:
        rows = curve.table[curve.table["method"] == method]
        columns[method] = [with_interval(row) for _, row in rows.iterrows()]
    if outcome.options.k is None:
        target = outcome.options.target
        best = curve.smallest_k(target)
        columns["items"].append("k*")
        columns["saving"].append(f"at {target:g}")
        for method in curve.methods:
            k = best[method]
            columns[method].append("not reached" if pd.isna(k) else f"{k:,}")
    print()
    print(_aligned(columns))


def _aligned(columns):
    widths = [max(map(len, [name, *cells])) for name, cells in columns.items()]
    lines = [columns.keys(), *zip(*columns.values(), strict=True)]
    # Methods are aligned to the left: their means then stand below each other.
    return "\n".join(
        "   ".join(
            text.rjust(width) if position < 2 else text.ljust(width)
            for position, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _print_subset(outcome):
    if outcome.subset is None:
        if outcome.options.output is not None:
            _section(
                "Subset", [f"None: nothing was written to {outcome.options.output}."]
            )
        return
    names = outcome.subset.index
    how = f"chosen by all {outcome.panel.shape[0]:,} models, best first"
    if outcome.method == "random":
        how = f"drawn at random (seed {outcome.options.seed})"
    lines = [f"{count(len(names), 'item')}, {how}: {_few(names, _SHOWN_ITEMS)}"]
    if outcome.ties["n_models"]:
        lines.append(_ties_sentence(outcome))
    if outcome.options.output is not None:
        lines.append(f"They go to {outcome.options.output}.")
    else:
        lines.append("Write them to a file with -o subset.csv.")
    _section("Subset", lines)


def _ties_sentence(outcome):
    ties, k = outcome.ties, len(outcome.subset)
    silent = outcome.panel.shape[0] - ties["n_models"]
    without = (
        f" Without any answer to them: {count(silent, 'model')}." if silent else ""
    )
    top = ties["n_at_top"]
    told = f"{top:,} share the top" if top > 1 else "one is alone at the top"
    return (
        f"From {'this item' if k == 1 else 'these items'} {ties['n_models']:,} models "
        f"get {count(ties['n_scores'], 'different score')}; {told}.{without}"
    )


def print_json(outcome):
    """Print the report for programs: one JSON object."""
    print(json.dumps(_plain(_as_dict(outcome)), indent=2, allow_nan=False))


def _as_dict(outcome):
    panel, bank, curve = outcome.panel, outcome.bank, outcome.curve
    options = outcome.options
    flags = bank.item_flags_
    facts = {
        "skirt": __version__,
        "data": {
            "source": panel.source,
            "n_models": panel.shape[0],
            "n_items": panel.shape[1],
            "n_groups": None if panel.groups is None else panel.n_groups,
            "n_missing": int(panel.responses.isna().to_numpy().sum()),
            "notes": panel.notes,
            "missingness": _or_none(outcome.missingness),
            "item_flags": {name: list(flags.index[flags[name]]) for name in flags},
        },
        "discrimination_cv": discrimination_cv(bank),
        "method": outcome.method,
        "seed": options.seed,
        "target": None if options.k is not None else options.target,
        "protocol": None if curve is None else outcome.protocol,
        "curve": None if curve is None else curve.to_frame().to_dict("records"),
        "smallest_k": None,
        "k": outcome.k,
        "agreement": None,
        "saving": None,
        "break_even": None,
        "break_even_against_random": None,
        "n_answers": panel.n_answers,
        "ties": outcome.ties,
        "subset": None,
        "output": options.output if outcome.subset is not None else None,
        "verdict": [*result_sentences(outcome), *comparison_sentences(outcome)],
        "warnings": outcome.warnings,
    }
    if curve is not None and options.k is None:
        facts["smallest_k"] = curve.smallest_k(options.target).to_dict()
    if outcome.k is not None:
        facts["saving"] = 1 - outcome.k / panel.shape[1]
        facts["subset"] = outcome.subset.reset_index().to_dict("records")
    if outcome.k is not None and curve is not None:
        facts["break_even"], facts["break_even_against_random"] = break_even(outcome)
        rows = curve.table[curve.table["k"] == outcome.k].set_index("method")
        facts["agreement"] = rows[["mean", "low", "high"]].to_dict("index")
    return facts


def _or_none(series):
    return None if series is None else series.to_dict()


def _plain(value):
    """Return the value in JSON's own types; what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if value is None or value is pd.NA:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
