"""The command ``skirt report``."""

from argparse import Namespace
from dataclasses import dataclass, field

import pandas as pd

from skirt import FisherSubsetSelector, FluidBenchmark, RandomSubsetSelector
from skirt._command import _options as shared
from skirt._command._audit import audit_facts, audit_of, benchmarks_of, no_audit
from skirt._command._calibrating import Calibration, calibrate
from skirt._command._data import data_facts
from skirt._command._figures import need_matplotlib
from skirt._command._options import BadInput
from skirt._command._output import check_output, check_streams, finish, output_name
from skirt._command._panel import Panel, load_panel
from skirt._command._printing import print_object, records, section
from skirt._command._sizing import check_sizes, measure, protocol, sizes_for
from skirt._command._words import count
from skirt._version import __version__
from skirt.metrics import discrimination_cv
from skirt.model_selection import AgreementCurve

_EXAMPLES = """\
examples:
  skirt report -o report.html                   the embedded panel of classifiers
  skirt report results.csv -o report.html
  skirt report logs/ --metric acc -o report.html
  skirt report results.csv --items items.csv --groups family -o report.html

The page needs nothing but a browser, and no network. It explains its words: pass it on
to those who have never heard of item response theory. Pictures need matplotlib:
pip install 'skirt[plot]'.

"""


@dataclass
class Report:
    """All that the page tells."""

    panel: Panel
    options: Namespace
    found: Calibration
    curve: AgreementCurve | None = None
    order: list = field(default_factory=list)
    audit: object = None
    no_audit: str | None = None
    warnings: list = field(default_factory=list)

    @property
    def k(self):
        """The smallest number of chosen items that reaches the target, or None."""
        if self.curve is None:
            return None
        return self.curve.smallest_k(self.options.target, "fisher")


def add_options(commands):
    """Add the command's options."""
    parser = shared.add_command(
        commands,
        "report",
        "write one page about a table of results, for everybody",
        "Write one self-contained page of HTML about a table of results: the data,\n"
        "how able the models are, which items are odd, how few items would do, and\n"
        "what each benchmark measures.",
        _EXAMPLES + shared.RESULTS + "\n" + shared.EXIT_STATUS,
    )
    shared.add_results(parser)
    shared.add_target(parser, "the held-out agreement wanted of few items (.9)")
    parser.add_argument(
        "--compare",
        action="store_true",
        help="show adaptive tests beside the chosen and the random items",
    )
    parser.add_argument(
        "--no-audit",
        action="store_true",
        help="leave out the audit of benchmarks, which takes the longest",
    )
    shared.add_jobs(parser)
    shared.add_seed(parser)
    shared.add_output(
        parser,
        "write the page there (needed); - is the standard output",
        json="print the figures as one JSON object too",
    )
    shared.add_item_table(parser)
    shared.add_sizing(parser)
    shared.add_reading(parser)


def run(options, told):
    """Do what the options ask for; return the exit code."""
    if options.output is None:
        raise BadInput("-o FILE is needed: where to write the page")
    check_output(options.output)
    check_streams(options, options.output)
    need_matplotlib("skirt report")
    panel = load_panel(options)
    check_sizes(options.sizes, panel.shape[1])
    if options.items is not None and benchmarks_of(panel, options.by) is None:
        raise BadInput(no_audit(panel, options.by))
    report = Report(panel, options, calibrate(panel))
    if panel.unmeasurable is None:
        _measure(report)
    _audit(report)
    told.finish()
    report.warnings = list(told)
    from skirt._command._report_page import report_page

    text = report_page(report)
    show = _print_json if options.json else _print_text
    finish(text, options.output, lambda: show(report))
    return 0


def _measure(report):
    panel, options = report.panel, report.options
    methods = {"fisher": FisherSubsetSelector(), "random": RandomSubsetSelector()}
    if options.compare:
        methods["adaptive"] = FluidBenchmark()
    sizes = options.sizes or sizes_for(panel.shape[1])
    report.curve = measure(
        methods, options, panel, report.found.score, sizes, report.found.seconds
    )
    if report.k is not None:
        from skirt._sklearn_compat import FrozenEstimator

        selector = FisherSubsetSelector(
            report.k, estimator=FrozenEstimator(report.found.bank)
        ).fit(panel.responses)
        report.order = list(panel.responses.columns[selector.order_])


def _audit(report):
    report.no_audit = no_audit(report.panel, report.options.by)
    if report.options.no_audit:
        report.no_audit = "left out by --no-audit"
    if report.no_audit is None:
        report.audit = audit_of(report.panel, report.options)


def _print_text(report):
    k = report.k
    n_models, n_items = report.panel.shape
    section(
        "Page",
        [
            f"{output_name(report.options.output)}: {count(n_models, 'model')} x "
            f"{count(n_items, 'item')}; "
            + ("audit of benchmarks" if report.audit is not None else "no audit")
            + "."
        ],
    )
    if report.curve is None:
        section("Result", [f"No agreement measured: {report.panel.unmeasurable}."])
    elif k is None:
        section("Result", ["No tested size reaches the target."])
    else:
        section(
            "Result",
            [f"{k:,} of {n_items:,} items reach {report.options.target:g}."],
        )


def _print_json(report):
    panel, options, curve = report.panel, report.options, report.curve
    bank = report.found.bank
    models = bank.ability_table()
    models["score"] = pd.Series(
        report.found.score, index=panel.responses.index.astype(str)
    )
    print_object(
        {
            "skirt": __version__,
            "data": data_facts(panel, report.found.missingness, bank.item_flags_),
            "discrimination_cv": discrimination_cv(bank),
            "models": records(models, "model"),
            "items": records(bank.item_parameters(), "item"),
            "seed": options.seed,
            "target": options.target,
            "protocol": None if curve is None else protocol(options, panel),
            "curve": None if curve is None else curve.to_frame().to_dict("records"),
            "smallest_k": None
            if curve is None
            else curve.smallest_k(options.target).to_dict(),
            "k": report.k,
            "subset": report.order or None,
            "audit": None if report.audit is None else audit_facts(report.audit),
            "no_audit": report.no_audit,
            "output": options.output,
            "warnings": report.warnings,
        }
    )
