"""How all commands print: labelled sentences, aligned tables, JSON, progress."""

import io
import json
import math
import re
import sys
import textwrap

import numpy as np
import pandas as pd

_LABEL = 11
_WIDTH = 96


def say(text):
    """Tell of progress, on the standard error stream."""
    print(f"skirt: {text}", file=sys.stderr, flush=True)


class Progress(io.TextIOBase):
    """A stream whose lines are told as progress."""

    def write(self, text):
        """Tell each line, without the name of what tells it."""
        for line in filter(None, text.splitlines()):
            say(re.sub(r"^\[\w+\] ", "", line))
        return len(text)


def section(label, sentences):
    """Print sentences, the first beside a label."""
    for position, sentence in enumerate(sentences):
        lead = label if position == 0 else ""
        print(
            textwrap.fill(
                sentence,
                width=_WIDTH,
                initial_indent=lead.ljust(_LABEL),
                subsequent_indent=" " * _LABEL,
                break_long_words=False,
                break_on_hyphens=False,
            )
        )


def few(names, n):
    """Return the first n names, and dots if there are more."""
    shown = ", ".join(str(name) for name in names[:n])
    return shown + (", ..." if len(names) > n else "")


def aligned(columns, n_right=2):
    """Return columns of texts as lines; the first are aligned to the right."""
    widths = [max(map(len, [name, *cells])) for name, cells in columns.items()]
    lines = [columns.keys(), *zip(*columns.values(), strict=True)]
    return "\n".join(
        "   ".join(
            text.rjust(width) if position < n_right else text.ljust(width)
            for position, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def print_object(facts):
    """Print one JSON object."""
    print(json.dumps(plain(facts), indent=2, allow_nan=False))


def plain(value):
    """Return the value in JSON's own types; what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(inner) for inner in value]
    if value is None or value is pd.NA:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def records(table, name):
    """Return the rows of a table as dicts, its index under a name."""
    return table.rename_axis(name).reset_index().to_dict("records")
