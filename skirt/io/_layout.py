"""Whether a table is wide or long, by its columns and its names."""

LONG_COLUMNS = ("model", "item", "response")
# Beside them, and a column of groups. A wide table may have items of these names.
_MOST_OTHER_COLUMNS = 3


def is_long(lower, group_column, source):
    """Say whether the columns, in lower case, are those of a long table."""
    if not set(LONG_COLUMNS) <= set(lower):
        return False
    n_others = sum(
        name not in LONG_COLUMNS and j != group_column for j, name in enumerate(lower)
    )
    if n_others > _MOST_OTHER_COLUMNS:
        return False
    for name in LONG_COLUMNS:
        if lower.count(name) > 1:
            raise ValueError(f"{source} has more than one column {name!r}.")
    return True


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
    named = set(LONG_COLUMNS) <= set(lower)
    if not named and not 3 <= len(columns) <= 3 + _MOST_OTHER_COLUMNS:
        return
    found = ", ".join(columns[:8]) + (", ..." if len(columns) > 8 else "")
    raise ValueError(
        f"{rows.source}: {model!r} is in {rows.unit} {before} and again in {rows.unit} "
        f"{line}. If this is a long table, with one row for each response, it needs "
        f"columns model, item, response and at most {_MOST_OTHER_COLUMNS} others; its "
        f"columns are {found}. In a wide one the first column names each model once."
    )
