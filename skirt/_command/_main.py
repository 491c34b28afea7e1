"""From the command line to an exit code."""

import os
import sys

from skirt._command._options import BadInput
from skirt._command._parse import COMMANDS, parse
from skirt._command._warnings import warnings_as_lines


def main(argv=None):
    """Run the command.

    Parameters
    ----------
    argv : list of str, default=None
        The arguments; those of the process when None.

    Returns
    -------
    int
        0; 1 if ``skirt select`` finds no size that reaches the target; 2 on bad input
        or options, after one line on the standard error stream.
    """
    try:
        options = parse(argv)
        with warnings_as_lines() as told:
            return COMMANDS[options.command].run(options, told)
    except BrokenPipeError:
        # The reader, `head` perhaps, has had enough; so must the interpreter's exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("skirt: interrupted", file=sys.stderr)
        return 130
    except (BadInput, ValueError, ImportError, OSError) as error:
        print(f"skirt: error: {_one_line(error)}", file=sys.stderr)
        return 2


def _one_line(error):
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split())
