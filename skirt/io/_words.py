"""Numbers of things in words, for notes and messages."""


def count(n, what):
    """Return a number of things, with a plural s where there is not one."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def few(names, shown=3):
    """Return the first of some names, and how many more there are."""
    names = list(map(str, names))
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
