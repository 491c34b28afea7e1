"""Warnings, as lines for someone at a terminal."""

import re
import sys
import warnings
from contextlib import contextmanager

_UNSETTLED = re.compile(
    r"calibration stopped after (\d+) cycles that still moved an item by (\S+) standard"
)


class Told(list):
    """The warnings that were shown, in their order, each once.

    Those about estimated priors come in several forms, from the whole panel and from
    the splits, with advice for programmers: they wait, and become one sentence. So do
    those of calibrations of several abilities that did not quite settle.
    """

    def __init__(self):
        super().__init__()
        self._splits: list = []
        self._whole_panel = False
        self._unsettled: list = []

    def add(self, text):
        if "estimated prior" in text.lower():
            found = re.search(r"in (\d+) of (\d+) splits", text)
            if found:
                self._splits.append((int(found[1]), int(found[2])))
            else:
                self._whole_panel = True
        elif found := _UNSETTLED.search(text):
            self._unsettled.append((float(found[2]), int(found[1])))
        elif text not in self:
            self.append(text)
            print(f"skirt: warning: {text}", file=sys.stderr, flush=True)

    def finish(self):
        """Show what has waited."""
        where = ["for the whole panel"] if self._whole_panel else []
        if self._splits:
            most, n_splits = max(self._splits)
            # Different forms of the warning may come from different splits.
            least = "at least " if len(self._splits) > 1 and most < n_splits else ""
            where.append(f"in {least}{most} of {n_splits} splits")
        unsettled = self._unsettled
        self._splits, self._whole_panel, self._unsettled = [], False, []
        if unsettled:
            moved, cycles = max(unsettled)
            self.add(
                "a calibration of several abilities did not quite settle (the last of "
                f"{cycles} cycles moved an item by {moved:.2g} standard errors); what "
                "rests on it is less sure"
            )
        if where:
            self.add(
                "the panel is small or odd for estimating how items differ "
                f"({' and '.join(where)}); the result is less sure"
            )


@contextmanager
def warnings_as_lines():
    """Show each warning once, as a line, and collect them."""
    told = Told()

    def show(message, category, filename, lineno, file=None, line=None):
        told.add(" ".join(str(message).split()))

    with warnings.catch_warnings():
        # What concerns the data; what concerns programmers has no place here.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = show
        yield told
