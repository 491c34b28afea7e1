"""The input of py-irt."""

import math

from skirt.io._assembly import assemble
from skirt.io._cells import Cells
from skirt.io._json_source import read_objects
from skirt.io._records import Block, Records
from skirt.io._rules import Rules, item_id
from skirt.io._sources import open_source, shorten


def is_subject(found):
    """Say whether an object is a line of py-irt's input."""
    return "subject_id" in found and isinstance(found.get("responses"), dict)


def read_py_irt(path, *, benchmark=None, binarize=None, duplicates=None):
    """Read the JSON lines that py-irt takes.

    Parameters
    ----------
    path : str, os.PathLike or file object
        One object ``{"subject_id": ..., "responses": {item: 0 or 1, ...}}`` in each
        line, gzip or not. A response may also be ``{"successes": s, "trials": n}``.
    benchmark : str, default=None
        The benchmark of all items, which these files do not name.
    binarize : float, default=None
        Scores above it are 1, others 0. None refuses scores other than 0 and 1.
    duplicates : {"first", "mean", "majority"}, default=None
        What counts where a subject answers an item more than once, see
        :func:`read_responses`; of several trials, of which the first is not known, the
        mean or the majority can count.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        On torn or foreign lines and on values that are no responses, with the line;
        where scores are neither 0 nor 1 and where responses repeat, unless the rules
        above say what to do.
    OSError
        On a file that cannot be opened.

    References
    ----------
    Lalor, J. P., & Rodriguez, P. (2023). py-irt: A scalable item response theory
    library for Python. INFORMS Journal on Computing, 35(1), 5-13.

    Examples
    --------
    >>> import io
    >>> from skirt.io import read_py_irt
    >>> lines = io.StringIO('{"subject_id": "ann", "responses": {"q1": 1, "q2": 0}}')
    >>> read_py_irt(lines).responses
            q1   q2
    model
    ann    1.0  0.0
    """
    rules = Rules(binarize, duplicates)
    records, cells = Records(), Cells()
    with open_source(path) as opened:
        source = opened.name
        block = Block(source)
        for line, subject in read_objects(opened, unique_keys=True):
            if not is_subject(subject):
                keys = ", ".join(repr(key) for key in list(subject)[:6])
                raise ValueError(
                    f"{source}, line {line}: no line of py-irt's input: expected "
                    f"subject_id and responses, found the keys {keys}."
                )
            name = str(subject["subject_id"])
            model = records.model(name)
            for item, answer in subject["responses"].items():
                code = _item(records, benchmark, item)
                value = _value(answer, cells, rules, source, line, name, item)
                block.append(model, code, value, line)
    records.blocks.append(block)
    return assemble(records, rules, source, "py-irt lines")


def _item(records, benchmark, item):
    if benchmark is None:
        return records.item(item)
    return records.item(item_id(benchmark, item), benchmark=benchmark, item=item)


def _value(answer, cells, rules, source, line, model, item):
    where = f"{source}, line {line}, model {model!r}, item {item!r}"
    if isinstance(answer, dict) and {"successes", "trials"} <= answer.keys():
        return _trials(answer["successes"], answer["trials"], rules, where)
    try:
        return cells[answer]
    except (ValueError, TypeError):
        raise ValueError(
            f"{where}: {shorten(answer)} is not a response. Expected 0, 1 or null."
        ) from None


def _trials(successes, trials, rules, where):
    fine = all(
        isinstance(n, int) and not isinstance(n, bool) and n >= 0
        for n in (successes, trials)
    )
    if not fine or successes > trials:
        raise ValueError(f"{where}: {successes!r} successes in {trials!r} trials.")
    if trials == 0:
        return math.nan
    share = successes / trials
    if trials == 1 or rules.duplicates == "mean":
        return share
    if rules.duplicates == "majority":
        return math.nan if share == 0.5 else float(share > 0.5)
    raise ValueError(
        f"{where}: {trials} trials. Say duplicates='majority' or, with binarize, "
        "'mean' (--duplicates RULE)."
    )
