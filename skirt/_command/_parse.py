"""The commands and what each of them takes."""

from skirt._command import _adapt, _audit, _fit, _report, _score, _select
from skirt._command._options import BadInput, Parser
from skirt._version import __version__

COMMANDS = {
    "select": _select,
    "score": _score,
    "fit": _fit,
    "adapt": _adapt,
    "audit": _audit,
    "report": _report,
}

_EPILOG = """\
where to begin:
  skirt report results.csv -o report.html       all about a table of results, one page
  skirt select results.csv -o subset.json       the few items that rank as all do
  skirt score subset.json new.csv               a new model, from those items alone

Each takes a table, or a folder of logs of lm-evaluation-harness, Inspect AI or HELM;
without one, the embedded panel of classifiers. skirt COMMAND --help tells the rest.
"""


def parse(argv):
    """Return the options as a namespace; raise BadInput where they are wrong."""
    import argparse

    parser = Parser(
        prog="skirt",
        description="Item response theory for people who evaluate models.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"skirt {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", parser_class=Parser
    )
    for module in COMMANDS.values():
        module.add_options(commands)
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        # By itself argparse would send the reader to the help of no command.
        of = commands.choices.get(options.command, parser)
        of.error(f"unrecognized arguments: {' '.join(unknown)}")
    if options.command is None:
        raise BadInput(
            "a command is needed: skirt select, score, fit, adapt, audit or report "
            "(see skirt --help)"
        )
    return options
