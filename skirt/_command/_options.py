"""Options that several commands share, and what may stand for them."""

import argparse
import math

METHODS = ("fisher", "auto", "anchor", "disagreement", "random")
DUPLICATES = ("first", "mean", "majority")
CRITERIA = ("marginal", "total", "stratified", "rank")

RESULTS = """\
the results:
  a table; wide: one row for each model, its name first, then one column for each
  item; or long: columns model, item and response. CSV (commas, tabs or semicolons),
  JSON lines, gzip or not, or Parquet. 1 = wanted outcome, 0 = not, empty or NA = not
  administered.
  Or logs, files or folders: samples_*.jsonl of lm-evaluation-harness, .eval or .json
  of Inspect AI, per_instance_stats.json of HELM, the JSON lines of py-irt. Found by
  content. A sample with an error or without a score is missing, not wrong.
"""
EXIT_STATUS = """\
exit status:
  0 done; 2 bad input or options, after one line that says what; nothing is written.
"""


class BadInput(Exception):
    """Something that the user can correct; the message is all that is shown."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and the command's exit code 2."""

    def error(self, message):
        raise BadInput(f"{message} (see {self.prog} --help)")


def add_command(commands, name, summary, description, epilog):
    """Add a command and return its parser."""
    return commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_results(parser):
    """Add the results as an argument that may be left out."""
    parser.add_argument(
        "responses",
        nargs="?",
        metavar="RESULTS",
        help="table of responses or folder of logs, - for the standard input; without "
        "it the embedded panel of classifiers",
    )


def add_reading(parser, *, groups=True):
    """Add what decides how results are read."""
    add = parser.add_argument_group("reading the results").add_argument
    if groups:
        add(
            "--groups",
            metavar="FILE|COLUMN",
            help="model families, which stay together when models are held out or "
            "resampled: a CSV file with columns model and group, or the name of a "
            "column of the table",
        )
    add(
        "--binarize",
        type=finite,
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


def add_sizing(parser, sizes="numbers of items to test (default: a grid that suits)"):
    """Add what decides how agreement is measured."""
    add = parser.add_argument_group("measuring the agreement").add_argument
    add("--sizes", type=_sizes, metavar="5,10,...", help=sizes)
    add(
        "--cv",
        type=_splits,
        default=20,
        metavar="N",
        help="random half splits of the models (default: 20)",
    )


def add_item_table(parser):
    """Add what tells which item belongs to which benchmark."""
    add = parser.add_argument_group("the items").add_argument
    add(
        "--items",
        metavar="FILE",
        help="table of the items: a column item (or item_id) and columns such as "
        "benchmark, category, target; CSV, JSON lines or Parquet. Without it items "
        "called benchmark/item tell their benchmark themselves",
    )
    add(
        "--by",
        metavar="COLUMN",
        default="benchmark",
        help="the column of the item table that names the benchmarks (default: "
        "benchmark)",
    )


def add_target(parser, text):
    """Add the wanted agreement."""
    parser.add_argument("--target", type=_share, default=0.9, metavar="RHO", help=text)


def add_jobs(parser):
    """Add the number of processes."""
    parser.add_argument(
        "--jobs", type=_jobs, metavar="N", help="processes to use (default: by size)"
    )


def add_seed(parser):
    """Add the seed."""
    parser.add_argument(
        "--seed",
        type=_seed,
        default=0,
        metavar="S",
        help="seed of everything random (default: 0)",
    )


def add_output(parser, text, *, json="print one JSON object instead of text"):
    """Add where the result goes, and in which form it is told."""
    parser.add_argument("-o", "--output", metavar="FILE", help=text)
    parser.add_argument("--json", action="store_true", help=json)


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


positive = _number(int, lambda n: n >= 1, "a whole number of at least 1")
above_zero = _number(float, lambda x: 0 < x < math.inf, "a number above 0")
finite = _number(float, math.isfinite, "a finite number")
_splits = _number(int, lambda n: n >= 2, "a whole number of at least 2")
_jobs = _number(int, lambda n: n >= 1 or n == -1, "a number of processes, or -1")
_seed = _number(int, lambda n: 0 <= n < 2**32, "a whole number from 0 to 4294967295")
_share = _number(float, lambda x: 0 < x < 1, "a number between 0 and 1")


def _names(text):
    parts = [part.strip() for part in text.split(",")]
    return parts if len(parts) > 1 else parts[0]


def _sizes(text):
    return [positive(part.strip()) for part in text.split(",")]
