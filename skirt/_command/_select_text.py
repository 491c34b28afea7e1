"""What ``skirt select`` prints, for people and for programs."""

import pandas as pd

from skirt._command._calibrating import flag_sentences
from skirt._command._data import data_facts, print_data
from skirt._command._output import output_name
from skirt._command._printing import aligned, few, print_object, section
from skirt._command._sizing import protocol_sentence
from skirt._command._verdict import break_even, comparison_sentences, result_sentences
from skirt._command._words import count, share, with_interval
from skirt._version import __version__
from skirt.metrics import discrimination_cv

_SHOWN_ITEMS = 10


def print_text(outcome):
    """Print the report for people."""
    print_data(outcome.panel, outcome.missingness)
    _print_items(outcome)
    if outcome.curve is not None:
        _print_curve(outcome)
    print()
    section("Result", result_sentences(outcome))
    section("Compared", comparison_sentences(outcome))
    _print_subset(outcome)


def _print_items(outcome):
    bank = outcome.bank
    spread = discrimination_cv(bank)
    odd = flag_sentences(bank.item_flags_)
    if odd:
        odd.append("All of these stay in the benchmark and in the saving.")
    section(
        "Items",
        [
            *odd,
            f"Discriminations vary by {spread:.2f} of their mean (CV): the more they "
            "vary, the more choosing can save.",
        ],
    )


def _print_curve(outcome):
    curve = outcome.curve
    section("Protocol", [protocol_sentence(outcome.options, outcome.panel)])
    print()
    print(curve_table(curve, outcome.options))


def curve_table(curve, options):
    """Return the means and intervals of all methods and sizes as aligned text."""
    columns = {"items": [f"{k:,}" for k in curve.k]}
    columns["saving"] = [share(1 - k / curve.n_items) for k in curve.k]
    for method in curve.methods:
        rows = curve.table[curve.table["method"] == method]
        columns[method] = [with_interval(row) for _, row in rows.iterrows()]
    if getattr(options, "k", None) is None:
        target = options.target
        best = curve.smallest_k(target)
        columns["items"].append("k*")
        columns["saving"].append(f"at {target:g}")
        for method in curve.methods:
            k = best[method]
            columns[method].append("not reached" if pd.isna(k) else f"{k:,}")
    return aligned(columns)


def _print_subset(outcome):
    if outcome.subset is None:
        if outcome.options.output is not None:
            section(
                "Subset", [f"None: nothing was written to {outcome.options.output}."]
            )
        return
    names = outcome.subset.index
    how = f"chosen by all {outcome.panel.shape[0]:,} models, best first"
    if outcome.method == "random":
        how = f"drawn at random (seed {outcome.options.seed})"
    lines = [f"{count(len(names), 'item')}, {how}: {few(names, _SHOWN_ITEMS)}"]
    if outcome.ties["n_models"]:
        lines.append(_ties_sentence(outcome))
    output = outcome.options.output
    if output is None:
        lines.append("Write them to a file with -o subset.json.")
    else:
        lines.append(f"They go to {output_name(output)}.")
        if outcome.can_predict:
            lines.append(
                f"A new model that has answered them: skirt score {output} RESULTS."
            )
        else:
            lines.append(
                "A name that ends in .json would keep what skirt score needs to "
                "predict full scores."
            )
    section("Subset", lines)


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
    print_object(_as_dict(outcome))


def _as_dict(outcome):
    panel, bank, curve = outcome.panel, outcome.bank, outcome.curve
    options = outcome.options
    facts = {
        "skirt": __version__,
        "data": data_facts(panel, outcome.missingness, bank.item_flags_),
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
