"""One cell of a table, or one value of a log, as a number."""

import math

import pandas as pd

_MISSING = {"", "na", "nan", "none", "null", "<na>", "n/a"}
_TRUTH = {"true": 1.0, "false": 0.0}


class Cells(dict):
    """Reads cells; knows each after its first time.

    Parameters
    ----------
    values : dict, optional
        What further cells mean: 0, 1, another number, or None where missing.
    """

    def __init__(self, values=None):
        super().__init__()
        self.spelt_out = False
        for text, value in (values or {}).items():
            self[text] = self[str(text)] = math.nan if value is None else float(value)

    def __missing__(self, cell):
        if cell is None or cell is pd.NA:
            return math.nan
        text = str(cell).strip()
        if text in self and not isinstance(cell, float):
            value = self[text]
        elif text.lower() in _MISSING:
            value = math.nan
        elif text.lower() in _TRUTH:
            value = _TRUTH[text.lower()]
            self.spelt_out = True
        else:
            value = float(text)  # the caller explains the ValueError
            if not math.isfinite(value) or "_" in text:
                raise ValueError(f"{text} is no number of a table")
        if cell == cell:  # NaN would be stored anew each time
            self[cell] = value
        return value
