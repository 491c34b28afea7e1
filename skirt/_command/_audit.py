"""The command ``skirt audit``."""

import contextlib

from skirt._command import _options as shared
from skirt._command._data import data_facts, data_sentences
from skirt._command._options import BadInput
from skirt._command._output import check_output, check_streams, finish, output_name
from skirt._command._panel import load_panel
from skirt._command._printing import (
    Progress,
    print_object,
    records,
    say,
    section,
)
from skirt._command._words import count
from skirt._version import __version__

_EXAMPLES = """\
examples:
  skirt audit                                            the embedded panel
  skirt audit logs/ -o audit.html                        logs of several benchmarks
  skirt audit results.csv --items items.csv -o audit.html
  skirt audit results.csv --items items.csv --by category

what it needs:
  items of at least two benchmarks (or whatever --by names). A column target in the item
  table may say what each claims to measure, columns category and subcategory divide
  them further.

"""


def add_options(commands):
    """Add the command's options."""
    parser = shared.add_command(
        commands,
        "audit",
        "find out what each benchmark measures",
        "Find out what each benchmark measures: which ability of the models it\n"
        "follows when that is estimated without it, and whether it is what it claims.",
        _EXAMPLES + shared.RESULTS + "\n" + shared.EXIT_STATUS,
    )
    shared.add_results(parser)
    shared.add_item_table(parser)
    parser.add_argument(
        "--dimensions",
        type=shared.positive,
        default=2,
        metavar="D",
        help="number of abilities (default: 2)",
    )
    shared.add_jobs(parser)
    shared.add_seed(parser)
    shared.add_output(parser, "write one page of HTML there; - is the standard output")
    shared.add_reading(parser)


def run(options, told):
    """Do what the options ask for; return the exit code."""
    check_output(options.output)
    check_streams(options, options.output)
    panel = load_panel(options)
    why_not = no_audit(panel, options.by)
    if why_not:
        raise BadInput(why_not)
    audit = audit_of(panel, options, options.dimensions)
    told.finish()
    text = None if options.output is None else audit.to_html()
    warnings = list(told)
    show = _print_json if options.json else _print_text
    finish(text, options.output, lambda: show(audit, panel, options, warnings))
    return 0


def benchmarks_of(panel, by):
    """Return each item's benchmark, or None where the table has no such column."""
    if panel.item_table is None or by not in panel.item_table:
        return None
    return panel.item_table[by]


def no_audit(panel, by):
    """Return why there is nothing to audit; None if there is."""
    labels = benchmarks_of(panel, by)
    if labels is None:
        known = [] if panel.item_table is None else list(panel.item_table.columns)
        return (
            f"the item table has no column {by!r}; it has "
            f"{', '.join(known) or 'none'}: give --items FILE, and --by COLUMN"
        )
    lacking = labels.index[labels.isna()]
    if len(lacking):
        return (
            f"item {lacking[0]!r} has no {by} ({count(len(lacking), 'item')} without "
            "one): give --items FILE with a column for it, or call the items "
            "benchmark/item"
        )
    if labels.nunique() < 2:
        return (
            f"all items are of one {by}, {str(labels.iloc[0])!r}: without its items "
            "none are left to estimate abilities from. Name a finer column with --by"
        )
    return None


def audit_of(panel, options, dimensions=2):
    """Audit the benchmarks of a panel."""
    from skirt import MultidimIRT
    from skirt.audit import benchmark_audit

    n_benchmarks = benchmarks_of(panel, options.by).nunique()
    say(
        f"auditing {count(n_benchmarks, 'benchmark')}: a calibration with all items, "
        "and one without each"
    )
    with contextlib.redirect_stdout(Progress()):
        return benchmark_audit(
            panel.responses,
            panel.item_table,
            MultidimIRT(dimensions),
            by=options.by,
            groups=None if panel.groups is None else panel.groups.to_numpy(),
            random_state=options.seed,
            n_jobs=options.jobs,
            verbose=1,
        )


def _print_text(audit, panel, options, warnings):
    section("Data", data_sentences(panel))
    print()
    print(audit.summary())
    print()
    if options.output is None:
        section("Page", ["Write it with explanations: -o audit.html."])
    else:
        section("Page", [f"It goes to {output_name(options.output)}."])


def audit_facts(audit):
    """Return the tables of an audit, for JSON."""
    return {
        "protocol": audit.protocol,
        "benchmarks": _rows(audit.benchmarks, "benchmark"),
        "subgroups": audit.subgroups.to_dict("records"),
        "abilities": _rows(audit.dimensions, "ability"),
        "models": _rows(audit.models, "model"),
        "items": _rows(audit.items, "item"),
    }


def _rows(table, name):
    if name in table:  # a column of the item table is called so
        table = table.drop(columns=name)
    return records(table.astype(object).where(table.notna(), None), name)


def _print_json(audit, panel, options, warnings):
    print_object(
        {
            "skirt": __version__,
            "data": data_facts(panel, None),
            "by": options.by,
            "seed": options.seed,
            **audit_facts(audit),
            "output": options.output,
            "warnings": warnings,
        }
    )
