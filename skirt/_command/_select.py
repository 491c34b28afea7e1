"""The command ``skirt select``."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from skirt import TwoPLEstimator
from skirt._command import _options as shared
from skirt._command._calibrating import calibrate
from skirt._command._held_out import held_out_errors
from skirt._command._options import CRITERIA, METHODS, BadInput
from skirt._command._output import check_output, check_streams, finish
from skirt._command._panel import Panel, load_panel
from skirt._command._select_methods import label, make_selector, methods
from skirt._command._select_text import print_json, print_text
from skirt._command._sizing import check_sizes, measure, protocol, sizes_for
from skirt._command._verdict import cell
from skirt._command._words import count
from skirt.io._subset_files import make_subset
from skirt.io._subset_panel import CalibratedPanel
from skirt.model_selection import AgreementCurve
from skirt.model_selection._fit_params import group_params

_EXAMPLES = """\
examples:
  skirt select                                  the embedded panel of classifiers
  skirt select results.csv -o subset.json       the smallest subset that agrees .90
  skirt select results.csv -k 50 -o subset.json the best 50 items, and their agreement
  skirt select results.csv --target .95 --compare
  skirt select results.csv --criterion rank     for the ranking by the full score
  skirt select results.csv --groups family      a column of the table, or a file
  zcat results.csv.gz | skirt select - --json

"""
_EXIT_STATUS = """
exit status:
  0 done; 1 no size reaches the target, so that there is no subset; 2 bad input or
  options, after one line that says what. With 1 and 2 nothing is written.
"""


@dataclass
class Outcome:
    """All that the report tells."""

    panel: Panel
    options: object
    bank: TwoPLEstimator
    method: str
    protocol: str
    curve: AgreementCurve | None
    k: int | None
    subset: pd.DataFrame | None = None
    ties: dict | None = None
    missingness: pd.Series | None = None
    can_predict: bool = False
    warnings: list = field(default_factory=list)


def add_options(commands):
    """Add the command's options."""
    parser = shared.add_command(
        commands,
        "select",
        "find the few items that rank the models as all of them do",
        "Find the few items of a benchmark that rank models as the whole\n"
        "benchmark does, and measure on held-out models how well they do.",
        _EXAMPLES + shared.RESULTS + _EXIT_STATUS,
    )
    shared.add_results(parser)
    add = parser.add_argument
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "-k",
        type=shared.positive,
        metavar="N",
        help="choose N items, whatever they reach",
    )
    shared.add_target(
        wanted,
        "choose the fewest items whose held-out agreement reaches RHO (default: .9)",
    )
    add(
        "--method",
        choices=METHODS,
        default="fisher",
        help="how to choose: by Fisher information (default), by what ranks models "
        "held out inside the panel best (auto; slow), anchor points, disagreement of "
        "the models, or at random",
    )
    add(
        "--criterion",
        choices=CRITERIA,
        default=None,
        help="for fisher: least summed standard error (marginal, default), most total "
        "information, marginal with equal shares of the quartiles of difficulty "
        "(stratified), or what leaves the ranking by the full score least uncertain "
        "under several abilities (rank): for benchmarks that mix domains",
    )
    add(
        "--compare",
        action="store_true",
        help="show all other methods too; rank and auto take minutes",
    )
    shared.add_jobs(parser)
    shared.add_seed(parser)
    shared.add_output(
        parser,
        "write the subset there: as JSON, which skirt score takes, if the name ends in "
        ".json, or is - for the standard output; otherwise as CSV",
    )
    shared.add_sizing(parser)
    shared.add_reading(parser)


def run(options, told):
    """Do what the options ask for; return the exit code."""
    check_output(options.output)
    check_streams(options, options.output)
    panel = load_panel(options)
    _check(options, panel)
    found = calibrate(panel)
    method = label(options.method, options.criterion)
    outcome = Outcome(
        panel,
        options,
        found.bank,
        method,
        protocol(options, panel),
        None,
        options.k,
        missingness=found.missingness,
        can_predict=options.output is not None
        and (options.output == "-" or options.output.endswith(".json")),
    )
    if panel.unmeasurable is None:
        sizes = set(options.sizes or sizes_for(panel.shape[1]))
        if options.k is not None:
            sizes.add(options.k)
        outcome.curve = measure(
            methods(method, compare=options.compare, embedded=panel.embedded),
            options,
            panel,
            found.score,
            sizes,
            found.seconds,
        )
        if options.k is None:
            outcome.k = outcome.curve.smallest_k(options.target, method)
    text = None
    if outcome.k is not None:
        outcome.subset, outcome.ties = _subset(outcome)
        if options.output is not None:
            text = _file(outcome, found)
    told.finish()
    outcome.warnings = list(told)
    finish(
        text,
        options.output,
        lambda: (print_json if options.json else print_text)(outcome),
    )
    return 1 if outcome.k is None else 0


def _file(outcome, found):
    """Return the subset's file as text."""
    panel = agreement = None
    if outcome.curve is not None:
        mean = cell(outcome.curve, outcome.method, outcome.k)["mean"]
        agreement = None if np.isnan(mean) else float(mean)
    if outcome.can_predict:
        facts = held_out_errors(
            lambda k, seed: make_selector(outcome.method, k=k, seed=seed),
            outcome.options,
            outcome.panel,
            found.score,
            outcome.k,
        )
        panel = CalibratedPanel.from_bank(found.bank, found.score, **facts)
    subset = make_subset(
        outcome.subset, calibration=found.bank, agreement=agreement, panel=panel
    )
    return subset.to_json() if outcome.can_predict else subset.to_csv()


def _check(options, panel):
    n_items = panel.shape[1]
    if options.criterion is not None and options.method != "fisher":
        raise BadInput(f"--criterion is for --method fisher, not {options.method}")
    if panel.unmeasurable is not None and options.k is None:
        raise BadInput(
            f"cannot find how many items are enough: {panel.unmeasurable}. Use -k N to "
            "choose N items without it"
        )
    if options.k is not None and options.k > n_items:
        raise BadInput(f"-k {options.k}: there are only {count(n_items, 'item')}")
    check_sizes(options.sizes, n_items)


def _subset(outcome):
    """Choose k items by all models; return them, best first, and their ties."""
    bank, panel = outcome.bank, outcome.panel
    selector = make_selector(
        outcome.method, k=outcome.k, bank=bank, seed=outcome.options.seed
    )
    selector.fit(panel.responses, **group_params(selector, panel.group_labels))
    order = selector.order_
    chosen = bank.select_items(order)
    information = chosen.item_information(bank.ability_).mean(axis=0)
    table = pd.DataFrame(
        {
            "order": np.arange(1, len(order) + 1),
            "discrimination": chosen.discrimination_,
            "difficulty": chosen.difficulty_,
            "information": information,
        },
        index=pd.Index(panel.responses.columns[order], name="item"),
    )
    if outcome.method == "anchor":
        table["weight"] = selector.weights_
    return table, _ties(selector, panel.responses)


def _ties(selector, responses):
    """Return how far the chosen items tell the models that answer them apart."""
    answered = responses.iloc[:, selector.order_].notna().any(axis=1)
    if not answered.any():
        return {"n_models": 0, "n_scores": 0, "n_at_top": 0}
    scores = selector.predict(responses.loc[answered.to_numpy()])
    # Equal responses may give scores that differ in their last digits.
    values, counts = np.unique(scores.round(6), return_counts=True)
    return {
        "n_models": len(scores),
        "n_scores": len(values),
        "n_at_top": int(counts[-1]),
    }
