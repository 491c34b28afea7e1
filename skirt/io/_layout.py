"""Whether a table is wide or long, and which of its columns hold what."""

import re

from skirt.io._words import few

# The columns of a long table, each by its own name and by those that others use.
ROLES = {
    "model": ("model", "model_name", "model_id", "subject_id", "respondent"),
    "item": (
        "item",
        "item_id",
        "example_id",
        "question_id",
        "prompt_id",
        "sample_id",
        "instance_id",
    ),
    "response": ("response", "correct", "is_correct", "pass1", "passed", "score"),
    "benchmark": ("benchmark", "benchmark_id", "dataset", "task"),
}
NEEDED = ("model", "item", "response")
# Further columns of a long table that tell something of an item.
ITEM_FACTS = ("subject", "category", "subcategory", "domain", "subdomain", "tier")
# Beside them, and a column of groups. A wide table may have items of these names.
_MOST_OTHER_COLUMNS = 3
_FIRST_COLUMN_OF_ITEMS = {*ROLES["item"], "items", "question", "prompt", "doc_id"}
_NUMBERED = re.compile(r"(.*)_(\d+)")


def find_roles(lower, names, columns, source):
    """Return the position of each role's column, where there is one.

    Parameters
    ----------
    lower, names : list of str
        The columns, in lower case and as they are.
    columns : dict or None
        Columns by role, as the user gives them.
    """
    roles = {}
    for role, synonyms in ROLES.items():
        if columns and role in columns:
            if names.count(columns[role]) != 1:
                raise ValueError(
                    f"{source} has no single column {columns[role]!r} to take the "
                    f"{role} of; it has {few(names, 8)}."
                )
            roles[role] = names.index(columns[role])
            continue
        if synonyms[0] in lower:
            if lower.count(synonyms[0]) > 1:
                continue
            roles[role] = lower.index(synonyms[0])
            continue
        found = [j for j, name in enumerate(lower) if name in synonyms]
        if len(found) == 1:
            roles[role] = found[0]
    return roles


def check_columns(columns):
    """Refuse roles that there are not."""
    for role in columns or {}:
        if role not in ROLES:
            raise ValueError(
                f"columns has the key {role!r}; the keys are {', '.join(ROLES)}."
            )


def is_long(lower, roles, columns, group_column, source):
    """Say whether the columns, in lower case, are those of a long table."""
    if columns and set(NEEDED) & set(columns):
        for role in NEEDED:
            if role not in roles:
                raise ValueError(
                    f"{source} has no column for the {role}: name it in columns."
                )
        return True
    if not set(NEEDED) <= set(roles):
        for name in NEEDED:
            if set(NEEDED) <= set(lower) and lower.count(name) > 1:
                raise ValueError(f"{source} has more than one column {name!r}.")
        return False
    used = {*roles.values(), group_column}
    n_others = sum(
        j not in used and name not in ITEM_FACTS for j, name in enumerate(lower)
    )
    return n_others <= _MOST_OTHER_COLUMNS


def refuse_if_names_recur(rows, columns, name_column, lines):
    """Refuse a table whose later rows show that its first column names no models."""
    known = dict(lines)
    for line, fields in rows.body:
        if len(fields) != len(columns):
            return
        model = str(fields[name_column]).strip()
        if model in known:
            refuse_long(rows, columns, model, known[model], line)
            return
        known[model] = line


def refuse_long(rows, columns, model, before, line):
    """Explain what a long table needs, if that is what this one may be."""
    lower = [name.lower() for name in columns]
    named = set(NEEDED) <= set(lower)
    has_model = any(name in ROLES["model"] for name in lower[1:])
    narrow = 3 <= len(columns) <= 3 + _MOST_OTHER_COLUMNS
    if not named and not has_model and not narrow:
        return
    raise ValueError(
        f"{rows.source}: {model!r} is in {rows.unit} {before} and again in {rows.unit} "
        f"{line}. If this is a long table, with one row for each response, it needs "
        f"columns model, item, response (columns= says which are) and at most "
        f"{_MOST_OTHER_COLUMNS} others; its columns are {few(columns, 8)}. In a wide "
        "one the first column names each model once."
    )


def why_items_are_rows(first_header, row_names, column_names):
    """Return why the rows of a wide table are items; None if nothing says so.

    A nameless first column of more rows than columns, numbered ``benchmark_0``,
    ``benchmark_1`` and so on, is how Fluid Benchmarking publishes its results.
    """
    header = first_header.strip().lower()
    if header in _FIRST_COLUMN_OF_ITEMS:
        return f"the first column is called {first_header.strip()!r}"
    if header not in ("", "index", "unnamed: 0"):
        return None
    if len(row_names) <= len(column_names) or len(row_names) < 2:
        return None
    found = [_NUMBERED.fullmatch(name) for name in row_names]
    if None in found or all(_NUMBERED.fullmatch(name) for name in column_names):
        return None
    parts = [(match[1], int(match[2])) for match in found if match]
    steps = sum(
        a[0] == b[0] and b[1] == a[1] + 1
        for a, b in zip(parts, parts[1:], strict=False)
    )
    if steps * 2 < len(parts) - 1:
        return None
    return f"the rows are numbered {row_names[0]}, {row_names[1]} and so on"


def numbered_id(name):
    """Return (benchmark, item) of a name such as ``arc_challenge_12``."""
    match = _NUMBERED.fullmatch(name)
    return (match[1], match[2]) if match and match[1] else (None, name)
