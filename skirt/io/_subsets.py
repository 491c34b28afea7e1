"""The table of a chosen subset, written and read."""

import pandas as pd


def write_subset(table, path):
    """Write a table of chosen items, indexed by item name, as CSV.

    Parameters
    ----------
    table : DataFrame indexed by item name
    path : str, os.PathLike or file object
    """
    table.to_csv(path, index_label="item")


def read_subset(path):
    """Read a table of chosen items, as ``skirt select -o`` writes it.

    Parameters
    ----------
    path : str, os.PathLike or file object

    Returns
    -------
    DataFrame indexed by item name
        Names are text even where they look like numbers or like a missing value, so
        that ``responses[subset.index]`` finds them.

    Raises
    ------
    ValueError
        If there is no column ``item``.

    Examples
    --------
    >>> import io
    >>> from skirt.io import read_subset
    >>> read_subset(io.StringIO("item,order\\n007,1\\nNA,2\\n")).index.tolist()
    ['007', 'NA']
    """
    table = pd.read_csv(
        path, dtype={"item": str}, keep_default_na=False, na_values={"weight": [""]}
    )
    if "item" not in table.columns:
        raise ValueError(
            f"A subset has a column 'item'; found {', '.join(map(str, table.columns))}."
        )
    return table.set_index("item")
