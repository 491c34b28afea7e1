"""The command ``skirt score``."""

import os
from dataclasses import dataclass, field

import pandas as pd

from skirt._command import _options as shared
from skirt._command._options import BadInput
from skirt._command._output import check_output, check_streams, finish
from skirt._command._panel import FEWEST_MODELS, read, source_of
from skirt._command._printing import aligned, few, print_object, records, section
from skirt._command._words import count
from skirt._version import __version__
from skirt.io import read_subset
from skirt.io._subset_scores import CONFIDENCE

_EXAMPLES = """\
examples:
  skirt select results.csv -o subset.json     once, on the models that you have
  skirt score subset.json new_model.csv       whenever a new model has answered them
  skirt score subset.json logs/ --metric acc  logs of a run of just these items
  skirt score subset.json new.csv --json

what it tells of each model:
  its ability on the scale of the panel (mean 0, standard deviation 1) with its standard
  error; the score to be expected on the full benchmark, with an interval meant to hold
  the truth 9 times of 10 (of models like the panel's; on fewer than 10 independent
  models nobody knows); and the place that this score would have among the models of the
  panel. Where that score matters more than the ranking, choose items by skirt select
  --method anchor. A subset that was written as CSV holds no more than its own items: it
  gives ability and standard error alone.

"""


@dataclass
class Scored:
    """All that the report tells."""

    source: str
    subset: object
    table: pd.DataFrame
    notes: list
    warnings: list = field(default_factory=list)


def add_options(commands):
    """Add the command's options."""
    parser = shared.add_command(
        commands,
        "score",
        "score new models by their answers to a chosen subset",
        "From a new model's answers to a chosen subset: its ability, the score to be\n"
        "expected on the full benchmark, and its place among the calibrated models.",
        _EXAMPLES + shared.RESULTS + "\n" + shared.EXIT_STATUS,
    )
    parser.add_argument(
        "subset", metavar="SUBSET", help="what skirt select -o subset.json has written"
    )
    parser.add_argument(
        "responses",
        metavar="RESULTS",
        help="the new models' answers: a table, logs, or - for the standard input; "
        "other items than those of the subset are not looked at",
    )
    shared.add_output(parser, "write the scores there as CSV; - is the standard output")
    shared.add_reading(parser, groups=False)


def run(options, told):
    """Do what the options ask for; return the exit code."""
    check_output(options.output)
    check_streams(options, options.output)
    if options.subset == options.responses == "-":
        raise BadInput("SUBSET and RESULTS cannot both be the standard input")
    subset = read_subset(options.subset)
    if not len(subset):
        raise BadInput(f"{options.subset}: the subset has no items")
    results = read(options.responses, options)
    answers, notes = _answers(subset, results, options)
    table = subset.score(answers)
    told.finish()
    source = source_of(results, options.responses)
    scored = Scored(source, subset, table, results.notes + notes, list(told))
    show = _print_json if options.json else _print_text
    text = None if options.output is None else table.to_csv(lineterminator="\n")
    finish(text, options.output, lambda: show(scored, options))
    return 0


def _answers(subset, results, options):
    """Return the responses to the subset's items, and what was left out."""
    responses, notes = results.responses, []
    there = [name for name in subset.items if name in responses]
    if not there:
        names = responses.columns
        raise BadInput(
            f"{options.responses} has no item of {options.subset}: its items are "
            f"called {few(names, 2)}, those of the subset {few(subset.items, 2)}"
        )
    if len(there) < len(subset):
        absent = [name for name in subset.items if name not in responses]
        notes.append(
            f"Of the subset's {count(len(subset), 'item')} the results lack "
            f"{len(absent):,}, which count as not answered: {few(absent, 3)}."
        )
    others = responses.shape[1] - len(there)
    if others:
        notes.append(f"{count(others, 'item')} outside the subset: not looked at.")
    answers = responses.reindex(columns=subset.items)
    silent = answers.index[answers.isna().all(axis=1)]
    if len(silent):
        notes.append(
            f"{count(len(silent), 'model')} without an answer to the subset left out: "
            f"{few(silent, 3)}."
        )
        answers = answers.drop(index=silent)
    if answers.empty:
        raise BadInput(
            f"{options.responses}: no model has answered any item of {options.subset}"
        )
    return answers, notes


def _print_text(scored, options):
    subset, table = scored.subset, scored.table
    about = f"{options.subset}: {subset!r}"
    section("Subset", [about])
    section(
        "Data",
        [
            scored.source,
            f"{count(len(table), 'model')} with answers to the subset.",
            *scored.notes,
        ],
    )
    print()
    print(aligned(_columns(table)))
    print()
    section("Read", _reading(subset, table, options))


def _columns(table):
    columns = {
        "model": [str(name) for name in table.index],
        "answers": [f"{n:,}" for n in table["n_answers"]],
        "of them 1": [f"{100 * x:.1f} %" for x in table["subset_score"]],
        "ability": [f"{x:+.2f}" for x in table["ability"]],
        "SE": [f"{x:.2f}" for x in table["ability_se"]],
    }
    if "predicted_score" in table:
        columns["full score"] = [
            f"{100 * row.predicted_score:.1f} % [{100 * row.low:.1f}, "
            f"{100 * row.high:.1f}]"
            for row in table.itertuples()
        ]
        columns["place"] = [
            f"{row.place} of {row.n_places} [{row.place_best} to {row.place_worst}]"
            for row in table.itertuples()
        ]
    widest = max(map(len, [*columns["model"], "model"]))
    columns["model"] = [name.ljust(widest) for name in columns["model"]]
    return {
        name.ljust(widest) if name == "model" else name: cells
        for name, cells in columns.items()
    }


def _reading(subset, table, options):
    sentences = [
        "Ability: 0 is the mean of the panel that calibrated the items, 1 its standard "
        "deviation; SE is its standard error."
    ]
    panel = subset.panel
    if panel is None:
        sentences.append(
            f"{os.path.basename(options.subset)} holds only the chosen items: for the "
            "predicted full score and the place write it as JSON (skirt select ... -o "
            "subset.json)."
        )
        return sentences
    sentences.append(
        f"Full score: the share of all {len(panel.items):,} items that the model is "
        "expected to answer with 1, in brackets an interval that should hold the truth "
        "9 times of 10. Place: where that score stands among the "
        f"{count(len(panel.models), 'model')} of the panel."
    )
    if panel.held_out_error is None:
        sentences.append(
            "How far off such predictions are was not measured on held-out models: "
            "the interval holds only if the calibration explains all that models "
            "share, which it rarely does."
        )
    else:
        sentences.append(
            f"Predicted from all {count(len(subset), 'item')}, the scores of held-out "
            f"models of the panel were off by {100 * panel.held_out_error:.1f} points "
            "on average"
            + (
                f"; the interval was made {panel.widen:.2f} times as wide for that."
                if panel.widen > 1
                else "."
            )
        )
        if (table["n_answers"] < len(subset)).any():
            sentences.append("Of models that answered fewer they are farther off.")
    independent = panel.independent_models
    if independent is not None and independent < FEWEST_MODELS:
        sentences.append(
            f"Only {count(independent, 'independent model')} calibrated these items: "
            "how a model of another kind answers they cannot tell, and the interval is "
            "unproven."
        )
    known = [name for name in table.index if name in set(panel.models)]
    if known:
        sentences.append(
            f"{few(known, 3)}: of the panel itself, whose answers helped to choose and "
            "calibrate these items; not compared with itself, but not new either."
        )
    return sentences


def _print_json(scored, options):
    subset, panel = scored.subset, scored.subset.panel
    print_object(
        {
            "skirt": __version__,
            "subset": {
                "file": options.subset,
                "k": subset.k,
                "agreement": subset.agreement,
                "calibration": subset.calibration,
                "date": subset.date,
                "n_items": None if panel is None else len(panel.items),
                "n_models": None if panel is None else len(panel.models),
                "held_out_error": None if panel is None else panel.held_out_error,
                "widen": None if panel is None else panel.widen,
                "independent_models": None
                if panel is None
                else panel.independent_models,
            },
            "data": {"source": scored.source, "notes": scored.notes},
            "confidence": None if panel is None else CONFIDENCE,
            "models": records(scored.table, "model"),
            "output": options.output,
            "warnings": scored.warnings,
        }
    )
