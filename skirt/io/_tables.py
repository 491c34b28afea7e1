"""Tables of responses, wide or long."""

from dataclasses import dataclass, field

from skirt.io._assembly import assemble
from skirt.io._cells import Cells
from skirt.io._layout import check_columns, find_roles, is_long
from skirt.io._long import read_long
from skirt.io._records import Records
from skirt.io._rows import open_rows
from skirt.io._rules import Rules, item_id
from skirt.io._wide import read_wide

_ITEMS = ("auto", "columns", "rows")


@dataclass
class TableOptions:
    """What the user says of a table."""

    rules: Rules
    items: str = "auto"
    benchmark: str | None = None
    cells: Cells = field(default_factory=Cells)
    _ids: dict = field(default_factory=dict)

    def item(self, records, benchmark, item, known=None):
        """Return the code of an item of a benchmark."""
        name = self._ids.get((benchmark, item))
        if name is None:
            name = self._ids[benchmark, item] = item_id(benchmark, item)
        return records.item(name, benchmark=benchmark, item=item, **(known or {}))


def read_responses(
    path,
    *,
    groups=None,
    items="auto",
    columns=None,
    values=None,
    benchmark=None,
    binarize=None,
    duplicates=None,
):
    """Read a table of responses.

    Parameters
    ----------
    path : str, os.PathLike or file object
        CSV (with commas, tabs or semicolons), JSON lines, a JSON array of objects, any
        of them packed with gzip or not, or Parquet; told apart by content. "-" is the
        standard input.
        A *wide* table has one row for each model, whose name comes first, and one
        column for each item; or the other way round, see `items`. A *long* table has
        columns model, item and response, perhaps benchmark, in any order and letter
        case, at most three others, and one row for each response.
    groups : str, default=None
        A column that holds each model's group (its family, say) and is no item.
    items : {"auto", "columns", "rows"}, default="auto"
        What the items of a wide table are. "auto" takes columns, unless the first
        column is called item or the like, or has no name and holds
        ``benchmark_0``, ``benchmark_1`` and so on, as in the tables published with
        Fluid Benchmarking; it says so in the notes.
    columns : dict, default=None
        The columns of a long table by what they hold: keys ``model``, ``item``,
        ``response`` and ``benchmark``. By default columns of these names, or of others
        in use: ``model_name``, ``example_id``, ``question_id``, ``correct``, ``pass1``.
    values : dict, default=None
        What words in cells mean, ``{"refused": 1, "complied": 0, "error": None}`` for
        one. None is missing.
    benchmark : str, default=None
        The benchmark of all items, if the table does not name it.
    binarize : float, default=None
        Scores above it are 1, others 0. None refuses scores other than 0 and 1.
    duplicates : {"first", "mean", "majority"}, default=None
        What counts where a model answers an item more than once: the first response
        that is graded, the mean, which `binarize` cuts, or the majority (missing at a
        tie). None refuses repeated responses.

    Returns
    -------
    Results
        Its ``groups`` are those asked for.

    Raises
    ------
    ValueError
        On a cell that is no response, with its line, model, item and value; on models,
        items or (model, item) pairs that occur twice, with both places; on rows of
        another length than the header's; on a table without models or items.
    ImportError
        On a Parquet file without pyarrow.
    OSError
        On a file that cannot be opened.

    Notes
    -----
    An empty cell, NA, N/A, NaN, None and null (in any letter case) are missing: not
    administered, which is not the same as wrong. True and False are 1 and 0.

    Examples
    --------
    >>> import io
    >>> from skirt.io import read_responses
    >>> table = io.StringIO("model,q1,q2\\nsmall,0,\\nlarge,1,1\\n")
    >>> read_responses(table).responses
            q1   q2
    model
    small  0.0  NaN
    large  1.0  1.0
    """
    if items not in _ITEMS:
        raise ValueError(f"items is one of {', '.join(_ITEMS)}, not {items!r}.")
    check_columns(columns)
    options = TableOptions(Rules(binarize, duplicates), items, benchmark, Cells(values))
    records = Records()
    with open_rows(path, columns) as rows:
        names = ["" if name is None else str(name).strip() for name in rows.header]
        lower = [name.lower() for name in names]
        group_column = _group_column(names, groups, rows.source)
        roles = find_roles(lower, names, columns, rows.source)
        if is_long(lower, roles, columns, group_column, rows.source):
            form = read_long(rows, names, roles, group_column, options, records)
        else:
            form = read_wide(rows, names, group_column, options, records)
    records.notes += rows.notes
    if options.cells.spelt_out:
        records.notes.append("True and False were read as 1 and 0.")
    return assemble(records, options.rules, rows.source, form)


def _group_column(columns, groups, source):
    if groups is None:
        return None
    if columns.count(groups) != 1:
        raise ValueError(f"{source} has no single column {groups!r} to take groups of.")
    return columns.index(groups)
