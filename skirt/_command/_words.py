"""Numbers in words and figures, as the report writes them."""

import pandas as pd


def count(number, what):
    """Return a number of things, with a plural s where there is not one."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def three(value):
    """Return an agreement as text."""
    return "none" if pd.isna(value) else f"{value:.3f}"


def with_interval(row):
    """Return an agreement and its interval as text."""
    if pd.isna(row["low"]):
        return three(row["mean"])
    return f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def share(value):
    """Return a share in per cent as text."""
    return f"{100 * value:.1f} %"
