"""The command ``skirt adapt``."""

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

from skirt import FisherSubsetSelector, FluidBenchmark, RandomSubsetSelector
from skirt._command import _options as shared
from skirt._command._calibrating import calibrate
from skirt._command._data import data_facts, print_data
from skirt._command._options import BadInput
from skirt._command._output import check_output, check_streams, finish, output_name
from skirt._command._panel import load_panel
from skirt._command._printing import aligned, print_object, say, section
from skirt._command._select_text import curve_table
from skirt._command._sizing import (
    check_sizes,
    measure,
    protocol,
    protocol_sentence,
    sizes_for,
)
from skirt._command._verdict import cell
from skirt._command._words import count, three
from skirt._sklearn_compat import FrozenEstimator
from skirt._version import __version__

_EXAMPLES = """\
examples:
  skirt adapt results.csv                       would other items for each model pay?
  skirt adapt results.csv --se .3               and how many items until SE .3
  skirt adapt results.csv --criterion rank      for the ranking by the full score
  skirt adapt results.csv -o replay.csv         every step of every replayed test

what it does:
  An adaptive test asks each model the item that tells most about it now. Here such
  tests are replayed over the answers that are there: half of the models calibrate the
  items, the others are tested; then the other way round. Beside them stand a fixed
  subset, the same for all models, and a random one.

"""
# Those of `FluidBenchmark` for a bank of one ability, and for the full score; without
# "mei", which estimates abilities for every answer that might come: minutes here.
_CRITERIA = ("fisher", "mpwi", "kl", "mepv", "rank", "score")
# A test that asks hundreds of items has long lost its point.
_LONGEST = 100
# Differences of mean agreement below this are not worth telling.
_NOTICEABLE = 0.005


def add_options(commands):
    """Add the command's options."""
    parser = shared.add_command(
        commands,
        "adapt",
        "replay adaptive tests: would they need fewer items?",
        "Replay adaptive tests on the models at hand, and compare them with a fixed\n"
        "and a random subset: agreement and standard error by the number of items.",
        _EXAMPLES + shared.RESULTS + "\n" + shared.EXIT_STATUS,
    )
    shared.add_results(parser)
    shared.add_target(parser, "the held-out agreement wanted (default: .9)")
    parser.add_argument(
        "--criterion",
        choices=_CRITERIA,
        default="fisher",
        help="which item is asked next: of greatest information at the ability "
        "estimated (fisher, the default) or averaged over what is known of it (mpwi, "
        "kl), of least expected variance (mepv), or for the full score (score) "
        "and the ranking by it (rank)",
    )
    parser.add_argument(
        "--se",
        type=shared.above_zero,
        default=0.3,
        metavar="SE",
        help="count the items until the standard error of the ability is no larger, in "
        "standard deviations of the panel (default: .3)",
    )
    shared.add_jobs(parser)
    shared.add_seed(parser)
    shared.add_output(
        parser,
        "write every step of the replayed tests there, as CSV: model, step, item, "
        "response, ability, standard_error; - is the standard output",
    )
    shared.add_sizing(parser)
    shared.add_reading(parser)


def run(options, told):
    """Do what the options ask for; return the exit code."""
    check_output(options.output)
    check_streams(options, options.output)
    panel = load_panel(options)
    check_sizes(options.sizes, panel.shape[1])
    if panel.unmeasurable is not None:
        raise BadInput(f"cannot replay tests on held-out models: {panel.unmeasurable}")
    found = calibrate(panel)
    sizes = sorted(options.sizes or sizes_for(panel.shape[1], _LONGEST))
    curve = measure(
        adaptive_methods(options.criterion),
        options,
        panel,
        found.score,
        sizes,
        found.seconds,
    )
    trace, errors = _replay(options, panel, sizes)
    lengths = _lengths(trace, options.se)
    told.finish()
    facts = {
        "panel": panel,
        "found": found,
        "curve": curve,
        "errors": errors,
        "lengths": lengths,
        "longest": max(sizes),
        "warnings": list(told),
    }
    show = _print_json if options.json else _print_text
    text = None
    if options.output is not None:
        text = trace.to_csv(index=False, lineterminator="\n")
    finish(text, options.output, lambda: show(facts, options))
    return 0


def adaptive_methods(criterion):
    """Return what adaptive tests are compared with, and they themselves."""
    return {
        "adaptive": FluidBenchmark(criterion=criterion),
        "fisher": FisherSubsetSelector(),
        "random": RandomSubsetSelector(),
    }


def _replay(options, panel, sizes):
    """Replay a test of every model with items that the other half calibrated.

    Returns
    -------
    trace : DataFrame
        One row for each step of each model.
    errors : DataFrame, indexed by number of items
        Median standard error of adaptive tests, and of the items of fixed subsets.
    """
    say("replaying a test of every model, 2 calibrations")
    X = panel.responses
    groups = None if panel.groups is None else panel.groups.to_numpy()
    splitter = ShuffleSplit if groups is None else GroupShuffleSplit
    halves = splitter(1, test_size=0.5, random_state=options.seed)
    first, second = next(halves.split(X, groups=groups))
    traces, fixed = [], []
    for train, test in ((first, second), (second, first)):
        bench = FluidBenchmark(n_items=max(sizes), criterion=options.criterion)
        bench.fit(X.iloc[train])
        traces.append(bench.replay(X.iloc[test]))
        fixed.append(
            _fixed_errors(bench.estimator_, X.iloc[train], X.iloc[test], sizes)
        )
    trace = pd.concat(traces, ignore_index=True)
    wide = trace.pivot(index="model", columns="step", values="standard_error")
    # Tests that have ended keep their error.
    adaptive = wide.ffill(axis=1).median()[sizes]
    errors = pd.concat(fixed).groupby(level=0).median()
    errors.insert(0, "adaptive", adaptive)
    return trace, errors


def _fixed_errors(bank, train, test, sizes):
    """Return standard errors from subsets that are the same for all models."""
    selectors = {
        "fisher": FisherSubsetSelector(max(sizes), estimator=FrozenEstimator(bank)),
        "random": RandomSubsetSelector(max(sizes), random_state=0),
    }
    orders = {name: s.fit(train).order_ for name, s in selectors.items()}
    tables = []
    for k in sizes:
        errors = {
            name: bank.select_items(order[:k]).predict(
                test.iloc[:, order[:k]], return_std=True
            )[1]
            for name, order in orders.items()
        }
        tables.append(pd.DataFrame(errors, index=np.full(len(test), k)))
    return pd.concat(tables)


def _lengths(trace, target):
    """Return how many items each model needed for the standard error, NaN if more."""
    reached = trace[trace["standard_error"] <= target]
    first = reached.groupby("model")["step"].min()
    return first.reindex(trace["model"].unique())


def _print_text(facts, options):
    curve, errors = facts["curve"], facts["errors"]
    print_data(facts["panel"], facts["found"].missingness)
    section("Protocol", [protocol_sentence(options, facts["panel"])])
    print()
    print(curve_table(curve, options))
    print()
    columns = {"items": [f"{k:,}" for k in errors.index]}
    for name in errors:
        columns[f"SE {name}"] = [three(value) for value in errors[name]]
    print(aligned(columns, n_right=4))
    print()
    section("Result", result_sentences(facts, options))
    if options.output is not None:
        section("Replay", [f"Every step goes to {output_name(options.output)}."])


def result_sentences(facts, options):
    """Return what the replays say."""
    curve, lengths = facts["curve"], facts["lengths"]
    best = curve.smallest_k(options.target)
    needed = [
        f"{name} {'more than tested' if pd.isna(k) else f'{k:,}'}"
        for name, k in best.items()
    ]
    sentences = [
        f"Items for an agreement of {options.target:g}: {', '.join(needed)} (of "
        f"{curve.n_items:,})."
    ]
    reached = lengths.dropna()
    longest = count(facts["longest"], "item")
    if len(reached) == 0:
        sentences.append(
            f"No model's standard error reached {options.se:g} within {longest}."
        )
    else:
        low, middle, high = np.percentile(reached, [10, 50, 90])
        within = "" if len(reached) == len(lengths) else f" within {longest}"
        sentences.append(
            f"A standard error of {options.se:g} was reached{within} by "
            f"{len(reached):,} of {count(len(lengths), 'model')}, half of these by "
            f"item {middle:.0f} (80 % between {low:.0f} and {high:.0f})."
        )
    sentences.append(_advice(curve, best))
    return sentences


def _advice(curve, best):
    adaptive, fixed = best["adaptive"], best["fisher"]
    if pd.isna(adaptive):
        return (
            "Adaptive tests do not reach the target here: see skirt select for fixed "
            "subsets, or test larger --sizes."
        )
    if pd.isna(fixed) or adaptive < fixed:
        return (
            "Adaptive tests need fewer items than a fixed subset here; the price is "
            "that each answer has to be known before the next item is asked."
        )
    own, other = (
        cell(curve, name, adaptive)["mean"] for name in ("adaptive", "fisher")
    )
    if fixed == adaptive and own > other + _NOTICEABLE:
        return (
            f"With {count(int(adaptive), 'item')} adaptive tests agree {own:.3f} and a "
            f"fixed subset {other:.3f}; the price is that each answer has to be known "
            "before the next item is asked."
        )
    return (
        "A fixed subset does as well here, and is simpler: all models answer the same "
        "items (skirt select)."
    )


def _print_json(facts, options):
    curve, panel, lengths = facts["curve"], facts["panel"], facts["lengths"]
    print_object(
        {
            "skirt": __version__,
            "data": data_facts(
                panel, facts["found"].missingness, facts["found"].bank.item_flags_
            ),
            "criterion": options.criterion,
            "seed": options.seed,
            "protocol": protocol(options, panel),
            "target": options.target,
            "curve": curve.to_frame().to_dict("records"),
            "smallest_k": curve.smallest_k(options.target).to_dict(),
            "standard_error": facts["errors"]
            .rename_axis("k")
            .reset_index()
            .to_dict("records"),
            "se_target": options.se,
            "items_needed": lengths.to_dict(),
            "verdict": result_sentences(facts, options),
            "output": options.output,
            "warnings": facts["warnings"],
        }
    )
