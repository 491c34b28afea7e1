"""The command ``skirt fit``."""

import numpy as np
import pandas as pd

from skirt import MultidimIRT, OnePLEstimator, TwoPLEstimator
from skirt._command import _options as shared
from skirt._command._calibrating import calibrate, flag_sentences
from skirt._command._data import data_facts, print_data
from skirt._command._options import BadInput
from skirt._command._output import (
    check_output,
    check_streams,
    finish,
    output_name,
    write,
)
from skirt._command._panel import load_panel
from skirt._command._printing import aligned, print_object, records, section
from skirt._command._words import count
from skirt._version import __version__

_EXAMPLES = """\
examples:
  skirt fit results.csv                          how able the models are, odd items
  skirt fit results.csv -o items.csv --abilities models.csv
  skirt fit results.csv --model 1pl              items differ in difficulty alone
  skirt fit results.csv --dimensions 2           two abilities

the files:
  items.csv has a row for each item: item_id, a (discrimination) and b (difficulty) with
  standard errors, and flags; it is read by skirt.adaptive.load_bank and by Fluid
  Benchmarking's code. items.json is the form of py-irt. With several abilities it is a
  CSV with the discrimination on each, and the intercept. models.csv has a row for each
  model: ability, its standard errors, full-benchmark score.

"""
_SHOWN = 10


def add_options(commands):
    """Add the command's options."""
    parser = shared.add_command(
        commands,
        "fit",
        "calibrate the items and rank the models, with errors",
        "Calibrate the items of a benchmark on the models that answered it: how able\n"
        "each model is and how sure that is, how hard and how sharp each item is, and\n"
        "which items are odd.",
        _EXAMPLES + shared.RESULTS + "\n" + shared.EXIT_STATUS,
    )
    shared.add_results(parser)
    add = parser.add_argument
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--model",
        choices=("2pl", "1pl"),
        default="2pl",
        help="items differ in difficulty and discrimination (2pl, default) or in "
        "difficulty alone (1pl)",
    )
    kind.add_argument(
        "--dimensions",
        type=shared.positive,
        default=1,
        metavar="D",
        help="number of abilities (default: 1)",
    )
    add("--abilities", metavar="FILE", help="write the models there, as CSV")
    shared.add_output(parser, "write the items there: .csv, .json, or - for CSV")
    shared.add_reading(parser)


def run(options, told):
    """Do what the options ask for; return the exit code."""
    endings = (".csv", ".json") if options.dimensions == 1 else (".csv",)
    check_output(options.output, endings=endings)
    check_output(options.abilities, "--abilities")
    check_streams(options, options.output, options.abilities)
    if options.output is not None and options.output == options.abilities != "-":
        raise BadInput("-o and --abilities name the same file")
    panel = load_panel(options)
    if options.dimensions > min(panel.shape):
        raise BadInput(
            f"--dimensions {options.dimensions}: there are only "
            f"{panel.shape[0]:,} models and {panel.shape[1]:,} items"
        )
    found = calibrate(panel, _estimator(options))
    models = _models(found, panel)
    items = item_file(found.bank)
    told.finish()
    texts = {}
    if options.abilities is not None:
        texts[options.abilities] = models.to_csv(lineterminator="\n")
    main = None
    if options.output is not None:
        as_json = options.output.lower().endswith(".json")
        main = bank_json(items) if as_json else items.to_csv(lineterminator="\n")
    warnings = list(told)
    show = _print_json if options.json else _print_text
    to_stdout = "-" if "-" in (options.output, options.abilities) else options.output
    if to_stdout == "-" and options.output != "-":
        # The models take the standard output, the items their file.
        if main is not None:
            write(main, options.output)
        main = texts.pop("-")
    for path, text in texts.items():
        write(text, path)
    finish(main, to_stdout, lambda: show(panel, found, models, options, warnings))
    return 0


def _estimator(options):
    if options.dimensions > 1:
        return MultidimIRT(options.dimensions)
    return OnePLEstimator() if options.model == "1pl" else TwoPLEstimator()


def _models(found, panel):
    """Return the models, best first: by ability or, with several, by score."""
    table = found.bank.ability_table()
    extra = pd.DataFrame(
        {
            "score": found.score,
            "score_se": found.score_se,
            "n_answers": panel.responses.notna().sum(axis=1).to_numpy(),
        },
        index=panel.responses.index.astype(str),
    )
    table = table.join(extra)
    if "ability" in table:
        return table
    return table.sort_values("score", ascending=False, kind="stable")


def item_file(bank):
    """Return the items as the file has them."""
    items = bank.item_parameters()
    flags = bank.item_flags_
    if np.ndim(bank.discrimination_) == 1:
        items = pd.DataFrame(
            {
                "a": items["discrimination"],
                "b": items["difficulty"],
                "a_se": items["discrimination_se"],
                "b_se": items["difficulty_se"],
            }
        )
    items.index.name = "item_id"
    items["flags"] = [
        " ".join(flags.columns[row]) for row in flags.to_numpy(dtype=bool)
    ]
    return items


def bank_json(items):
    """Return the items in the form of py-irt."""
    import json

    return json.dumps(
        {
            "irt_model": "2pl",
            "item_ids": {str(j): str(name) for j, name in enumerate(items.index)},
            "disc": items["a"].tolist(),
            "diff": items["b"].tolist(),
        },
        indent=1,
    )


def _print_text(panel, found, models, options, warnings):
    bank = found.bank
    print_data(panel, found.missingness)
    odd = flag_sentences(bank.item_flags_)
    section("Items", [*_item_sentences(bank), *(odd or ["None is odd."])])
    print()
    print(_model_table(models))
    print()
    section("Read", _reading(models))
    names = (options.output, options.abilities)
    files = [output_name(name) for name in names if name]
    if files:
        section("Files", [f"Written to {' and '.join(files)}."])
    else:
        section(
            "Files",
            ["Write them with -o items.csv and --abilities models.csv."],
        )


def _item_sentences(bank):
    n_items = len(bank.item_flags_)
    state = "" if bank.converged_ else " It has NOT converged: do not rely on it."
    steps = f"Calibrated in {count(bank.n_iter_, 'step')}.{state}"
    if np.ndim(bank.discrimination_) > 1:
        shares = ", ".join(f"{100 * x:.0f} %" for x in bank.explained_share_)
        pairs = [
            f"ability{k} and ability{m} {bank.ability_correlation_[k, m]:+.2f}"
            for k in range(len(bank.explained_share_))
            for m in range(k + 1, len(bank.explained_share_))
        ]
        return [
            f"{n_items:,} items on {len(bank.explained_share_)} abilities, with "
            f"{shares} of the common variance; correlations of abilities: "
            f"{', '.join(pairs)}.",
            steps,
        ]
    a, b = bank.discrimination_, bank.difficulty_
    quartiles = [np.percentile(values, [25, 50, 75]) for values in (a, b)]
    told = [
        f"{name} {middle:.2f} (half of them between {low:.2f} and {high:.2f})"
        for name, (low, middle, high) in zip(
            ("discrimination", "difficulty"), quartiles, strict=True
        )
    ]
    return [f"{count(n_items, 'item')}: {', '.join(told)}.", steps]


def _model_table(models):
    """Return the best and the worst models as lines."""
    shown = models
    if len(models) > 2 * _SHOWN:
        shown = pd.concat([models.iloc[:_SHOWN], models.iloc[-_SHOWN:]])
    columns = {"place": [str(list(models.index).index(n) + 1) for n in shown.index]}
    for name in models.columns.drop(["score", "score_se", "n_answers"]):
        columns[name] = [f"{x:.2f}" for x in shown[name]]
    columns["score"] = [f"{100 * x:.1f} %" for x in shown["score"]]
    columns["answers"] = [f"{n:,}" for n in shown["n_answers"]]
    columns["model"] = [str(name) for name in shown.index]
    lines = aligned(columns, len(columns) - 1).split("\n")
    if len(shown) < len(models):
        lines.insert(_SHOWN + 1, f"  ... {len(models) - len(shown):,} more ...")
    return "\n".join(lines)


def _reading(models):
    sentences = [
        "Ability: 0 is the mean of these models, 1 their standard deviation; higher is "
        "better. se is its standard error given the items, se_total with what these "
        "models leave unknown of the items."
        if "se_total" in models
        else "Abilities: 0 is the mean of these models, 1 their standard deviation; "
        "higher is better. An axis has no name: look at the items that load on it."
    ]
    sentences.append(
        "Two models whose abilities differ by less than about three se cannot be told "
        "apart."
    )
    return sentences


def _print_json(panel, found, models, options, warnings):
    bank = found.bank
    items = bank.item_parameters()
    print_object(
        {
            "skirt": __version__,
            "data": data_facts(panel, found.missingness, bank.item_flags_),
            "model": options.model if options.dimensions == 1 else "multidimensional",
            "dimensions": options.dimensions,
            "converged": bank.converged_,
            "n_iter": bank.n_iter_,
            "log_likelihood": bank.log_likelihood_,
            "ability_correlation": getattr(bank, "ability_correlation_", None),
            "models": records(models, "model"),
            "items": records(items, "item"),
            "output": options.output,
            "abilities": options.abilities,
            "warnings": warnings,
        }
    )
