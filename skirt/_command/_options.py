"""The options of the command."""

import argparse
import math

from skirt._version import __version__

METHODS = ("fisher", "anchor", "disagreement", "random")
DUPLICATES = ("first", "mean", "majority")
CRITERIA = ("marginal", "total", "stratified")

_EXAMPLES = """\
examples:
  skirt select                                  the embedded panel of classifiers
  skirt select results.csv -o subset.csv        the smallest subset that agrees .90
  skirt select results.csv -k 50 -o subset.csv  the best 50 items, and their agreement
  skirt select results.csv --target .95 --compare
  skirt select results.csv --groups family      a column of the table, or a file
  zcat results.csv.gz | skirt select - --json

the results:
  a table; wide: one row for each model, its name first, then one column for each
  item; or long: columns model, item and response. CSV (commas, tabs or semicolons),
  JSON lines, gzip or not, or Parquet. 1 = wanted outcome, 0 = not, empty or NA = not
  administered.
  Or logs, files or folders: samples_*.jsonl of lm-evaluation-harness, .eval or .json
  of Inspect AI, per_instance_stats.json of HELM, the JSON lines of py-irt. Found by
  content. A sample with an error or without a score is missing, not wrong.

exit status:
  0 done; 1 no size reaches the target, so that there is no subset; 2 bad input or
  options.
"""


class BadInput(Exception):
    """Something that the user can correct; the message is all that is shown."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadInput(f"{message} (see {self.prog} --help)")


def parse(argv):
    """Return the options as a namespace; raise BadInput where they are wrong."""
    parser = _Parser(
        prog="skirt", description="Item response theory for people who evaluate models."
    )
    parser.add_argument("--version", action="version", version=f"skirt {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_select(commands)
    options = parser.parse_args(argv)
    if options.command is None:
        raise BadInput("a command is needed: skirt select (see skirt --help)")
    return options


def _add_select(commands):
    parser = commands.add_parser(
        "select",
        help="find the few items that rank the models as all of them do",
        description="Find the few items of a benchmark that rank models as the whole\n"
        "benchmark does, and measure on held-out models how well they do.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "responses",
        nargs="?",
        metavar="RESULTS",
        help="table of responses or folder of logs, - for the standard input; without "
        "it the embedded panel of classifiers",
    )
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "-k", type=_positive, metavar="N", help="choose N items, whatever they reach"
    )
    wanted.add_argument(
        "--target",
        type=_share,
        default=0.9,
        metavar="RHO",
        help="choose the fewest items whose held-out agreement reaches RHO "
        "(default: .9)",
    )
    add(
        "--method",
        choices=METHODS,
        default="fisher",
        help="how to choose: by Fisher information (default), anchor points, "
        "disagreement of the models, or at random",
    )
    add(
        "--criterion",
        choices=CRITERIA,
        default=None,
        help="for fisher: least summed standard error (marginal, default), most total "
        "information, or marginal with equal shares of the quartiles of difficulty "
        "(stratified)",
    )
    add(
        "--sizes",
        type=_sizes,
        metavar="5,10,...",
        help="numbers of items to test (default: a grid that suits the table)",
    )
    add(
        "--cv",
        type=_splits,
        default=20,
        metavar="N",
        help="random half splits of the models (default: 20)",
    )
    add(
        "--groups",
        metavar="FILE|COLUMN",
        help="model families, which splits keep whole: a CSV file with columns model "
        "and group, or the name of a column of the table",
    )
    add("--compare", action="store_true", help="show the other methods too")
    add(
        "--binarize",
        type=_finite,
        metavar="T",
        help="count values above T as 1, others as 0 (default: only 0 and 1 are "
        "accepted)",
    )
    add(
        "--duplicates",
        choices=DUPLICATES,
        help="what counts where a model answers an item more than once (default: "
        "refused)",
    )
    add(
        "--metric",
        type=_names,
        metavar="NAME,...",
        help="of logs with several: the one that counts; names in order of preference",
    )
    add(
        "--filter",
        type=_names,
        metavar="NAME,...",
        help="of lm-evaluation-harness: likewise",
    )
    add("--scorer", type=_names, metavar="NAME,...", help="of Inspect: likewise")
    add(
        "--no-answer",
        choices=("wrong", "missing"),
        help="what the score N of Inspect, no answer, counts as (default: refused)",
    )
    add("--jobs", type=_jobs, metavar="N", help="processes to use (default: by size)")
    add(
        "--seed",
        type=_seed,
        default=0,
        metavar="S",
        help="seed of everything random (default: 0)",
    )
    add("-o", "--output", metavar="FILE", help="write the subset there, as CSV")
    add("--json", action="store_true", help="print one JSON object instead of text")


def _number(kind, holds, wanted):
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not holds(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
        return value

    return convert


_positive = _number(int, lambda n: n >= 1, "a whole number of at least 1")
_splits = _number(int, lambda n: n >= 2, "a whole number of at least 2")
_jobs = _number(int, lambda n: n >= 1 or n == -1, "a number of processes, or -1")
_seed = _number(int, lambda n: 0 <= n < 2**32, "a whole number from 0 to 4294967295")
_share = _number(float, lambda x: 0 < x < 1, "a number between 0 and 1")
_finite = _number(float, math.isfinite, "a finite number")


def _names(text):
    parts = [part.strip() for part in text.split(",")]
    return parts if len(parts) > 1 else parts[0]


def _sizes(text):
    return [_positive(part.strip()) for part in text.split(",")]
