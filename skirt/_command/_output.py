"""Where the output goes: a file as a whole, or the standard output."""

import contextlib
import os
import sys

from skirt._command._options import BadInput
from skirt.io._whole_files import write_whole


def check_output(path, option="-o", *, endings=None):
    """Refuse a path that cannot be written to, before any work is done."""
    if path is None or path == "-":
        return
    directory = os.path.dirname(path) or os.curdir
    if not path:
        raise BadInput(f"{option}: a file name is needed")
    if os.path.isdir(path):
        raise BadInput(f"{option} {path}: that is a directory; name a file in it")
    if not os.path.isdir(directory):
        raise BadInput(f"{option} {path}: there is no directory {directory}")
    if not os.access(directory, os.W_OK):
        raise BadInput(f"{option} {path}: {directory} may not be written to")
    if endings and not path.lower().endswith(endings):
        raise BadInput(
            f"{option} {path}: the name has to end in {' or '.join(endings)}"
        )


def check_streams(options, *paths):
    """Refuse two things on the one standard output."""
    if [options.json, *(path == "-" for path in paths)].count(True) > 1:
        raise BadInput("only one thing can go to the standard output (-, --json)")


def output_name(path):
    """Return how an output is called in what is printed."""
    return "the standard output" if path == "-" else path


@contextlib.contextmanager
def told_beside(path):
    """Let what is printed go to the error stream where the output takes the other."""
    if path != "-":
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield


def finish(text, path, show):
    """Show the report, then write the output, even if nobody reads the report."""
    try:
        with told_beside(path):
            show()
            sys.stdout.flush()
    except BrokenPipeError:
        if text is not None and path not in (None, "-"):
            write(text, path)
        raise
    if text is not None and path is not None:
        write(text, path)


def write(text, path):
    """Write the text to the file, or to the standard output."""
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(path, text)
