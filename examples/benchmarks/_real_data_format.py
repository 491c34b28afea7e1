"""Numbers and tables in Markdown, for the page of `real_data_table.py`."""

METHODS = {
    "fisher marginal": "Fisher, marginal",
    "fisher total": "Fisher, total",
    "fisher stratified": "Fisher, stratified",
    "anchor": "anchor points",
    "disagreement": "disagreement",
    "random": "random",
}
# The size at which agreement is compared directly, or half of a shorter benchmark.
FIXED_SIZE = 10


def table(head, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n" + "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def number(value, digits=2):
    if value is None:
        return "-"
    text = f"{value:.{digits}f}"
    text = text.replace("-0.", "-.") if text.startswith("-") else text
    text = text.removeprefix("0") if text.startswith("0.") else text
    return text.removeprefix("-") if float(text) == 0 else text


def percent(share, digits=1):
    if share is None:
        return "-"
    least = 10.0**-digits
    if 0 < 100 * share < least / 2:
        return f"< {least:g} %"
    if 0 < 100 * (1 - share) < least / 2:
        digits += 1  # not quite all
    return f"{100 * share:.{digits}f} %"


def at(result, method, k):
    rows = result["curve"]["table"]
    return next(row for row in rows if row["method"] == method and row["k"] == k)


def fixed_size(result):
    return min(FIXED_SIZE, max(result["items"] // 2, 1))


def listed(names, ratios=None):
    if ratios is None:
        return ", ".join(f"`{name}`" for name in names)
    return ", ".join(f"`{name}` {number(ratios[name], 1)}" for name in names)
