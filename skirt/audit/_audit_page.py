"""An audit as one page that needs nothing but a browser."""

from html import escape
from typing import Any

import numpy as np
import pandas as pd

from skirt.audit._heat_map import heat_map

# Rows shown of tables that can be endless.
_MOST_ROWS = 200
_TOP_ITEMS = 10

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff;
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: .88rem; }
.wide { overflow-x: auto; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left;
  vertical-align: top; }
th { background: #f4f4f4; } td.n { text-align: right; white-space: nowrap; }
tr.flag td { background: #fff3e0; }
li.flag { font-weight: 600; }
details { margin: 1rem 0; } summary { cursor: pointer; font-weight: 600; }
dt { font-weight: 600; } dd { margin: 0 0 .6rem 1.2rem; }
.note { color: #555; font-size: .88rem; }
"""


def audit_page(audit):
    """Return the page as a string of HTML.

    Every name in it is escaped; it holds no script and refers to nothing outside.
    """
    names = list(audit.dimensions.index)
    sections = [
        _opening(audit, names),
        _findings(audit),
        _picture(audit, names),
        _benchmarks(audit, names),
        _subgroups(audit, names),
        _abilities(audit, names),
        _items(audit, names),
        _models(audit),
        _words(audit),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>What the benchmarks measure</title>\n<style>{_STYLE}</style>\n"
        "</head>\n<body>\n" + "\n".join(filter(None, sections)) + "\n</body>\n</html>\n"
    )


def _opening(audit, names):
    phi = audit.dimensions[[f"correlation_{name}" for name in names]].to_numpy()
    related = [
        f"{escape(names[k])} and {escape(names[m])}: {phi[k, m]:.2f}"
        for k in range(len(names))
        for m in range(k)
    ]
    told = f" Between abilities the correlations are {', '.join(related)}."
    return (
        "<h1>What the benchmarks measure</h1>\n"
        f"<p>{len(audit.models):,} models answered {len(audit.items):,} items of "
        f"{len(audit.benchmarks):,} benchmarks. A statistical model that was not told "
        "which item belongs to which benchmark described all answers by "
        f"{len(names)} abilities of the models. For each benchmark the models' "
        "scores were then compared with the abilities that they showed <em>on all "
        f"other benchmarks</em>.{told if related else ''}</p>"
    )


def _findings(audit):
    table = audit.benchmarks
    contradicts = table["contradicts_target"].fillna(False).astype(bool)
    flagged = table[contradicts | table["split"]]
    if len(flagged):
        points = "".join(
            f'<li class="flag">{escape(str(name))}: {escape(verdict)}</li>'
            for name, verdict in flagged["verdict"].items()
        )
    else:
        points = (
            "<li>No benchmark was found to contradict its target or to be split.</li>"
        )
    untested = int(table["p"].isna().sum())
    if untested:
        points += f"<li>Not tested, for the reasons in the table: {untested}.</li>"
    return f"<h2>Findings</h2>\n<ul>{points}</ul>"


def _picture(audit, names):
    table = audit.benchmarks
    correlation = table[[f"correlation_{name}" for name in names]].to_numpy()
    circular = table[[f"circular_correlation_{name}" for name in names]].to_numpy()
    share = table[[f"information_share_{name}" for name in names]].to_numpy()
    labels = [_with_targets(audit, name) for name in names]
    targets = [
        names.index(target) if target in names else None
        for target in table["target_ability"]
    ]
    lacking = np.isnan(correlation).all(axis=1)
    note = ""
    if lacking.any():
        correlation = np.where(lacking[:, None], circular, correlation)
        note = (
            " Rows in italics could not be estimated without the benchmark; theirs "
            "are the circular correlations."
        )
    picture = heat_map(list(table.index), labels, correlation, share, targets, lacking)
    return (
        "<h2>Benchmarks and abilities</h2>\n"
        f'<div class="wide">{picture}</div>\n'
        '<p class="note">Numbers: correlation of the benchmark\'s score with each '
        "ability, 1 for perfect agreement of the models' order, 0 for none. Framed: "
        "the ability that the benchmark's declared target stands for. Bars: how the "
        "information that its items give is shared out among the abilities, from left "
        f"to right.{note}</p>"
    )


def _benchmarks(audit, names):
    table = audit.benchmarks
    columns = {
        "items": table["n_items"],
        "mean score": table["mean_score"],
        "declared": table["target"],
        "follows": table["follows"],
        **{f"correlation {name}": table[f"correlation_{name}"] for name in names},
        "compared": table["compared"],
        "difference": [
            _with_interval(*values)
            for values in table[["difference", "low", "high"]].to_numpy()
        ],
        "adjusted p": table["p_adjusted"],
        **{f"discrimination {name}": _intervals(table, name) for name in names},
        "purity": table["purity"],
        "verdict": table["verdict"],
    }
    flagged = table["contradicts_target"].fillna(False).astype(bool) | table["split"]
    return "<h2>Each benchmark</h2>\n" + _table(
        pd.DataFrame(columns, index=table.index), flagged.to_numpy()
    )


def _intervals(table, name):
    middle = table[f"discrimination_{name}"]
    low, high = (table[f"discrimination_{name}_{side}"] for side in ("low", "high"))
    return [_with_interval(*values) for values in zip(middle, low, high, strict=True)]


def _with_interval(value, low, high):
    if np.isnan(value):
        return "–"
    return f"{value:.2f}" + ("" if np.isnan(low) else f" ({low:.2f} to {high:.2f})")


def _subgroups(audit, names):
    table = audit.subgroups
    if table.empty:
        return ""
    order = np.lexsort((table["p_adjusted"].fillna(2.0), ~table["differs"]))
    shown = table.iloc[order[:_MOST_ROWS]]
    by = table.columns[0]
    columns = {
        "sub-group": shown["subgroup"],
        "column": shown["column"],
        "items": shown["n_items"],
        **{f"correlation {name}": shown[f"correlation_{name}"] for name in names},
        "correlation with the rest": shown["latent_correlation"],
        "adjusted p": shown["p_adjusted"],
        "verdict": shown["verdict"],
    }
    frame = pd.DataFrame(columns).set_axis(shown[by])
    left = len(table) - len(shown)
    note = f'<p class="note">{left:,} more are left out here.</p>' if left else ""
    return (
        "<h2>Sub-groups</h2>\n<p>Does each part of a benchmark measure what the rest "
        "of it measures? Those that differ come first.</p>\n"
        + _table(frame, shown["differs"].to_numpy())
        + note
    )


def _abilities(audit, names):
    table = audit.dimensions
    columns = {
        "declared targets": table["targets"],
        "benchmarks that follow it": table["followers"],
        **{f"correlation {name}": table[f"correlation_{name}"] for name in names},
    }
    return "<h2>Abilities</h2>\n" + _table(pd.DataFrame(columns, index=table.index))


def _items(audit, names):
    table = audit.items
    parts = []
    for name in names:
        column = f"discrimination_{name}"
        best = table[column].to_numpy().argsort(kind="stable")[::-1][:_TOP_ITEMS]
        columns = [table.columns[0], *(f"discrimination_{other}" for other in names)]
        parts.append(f"<h3>{escape(name)}</h3>\n{_table(table.iloc[best][columns])}")
    flags = table.select_dtypes(bool).sum()
    told = ", ".join(f"{escape(str(flag))} {count:,}" for flag, count in flags.items())
    return (
        "<details><summary>Items that tell most of each ability</summary>\n"
        + "\n".join(parts)
        + f'\n<p class="note">Items flagged, of {len(table):,}: {told}.</p></details>'
    )


def _models(audit):
    shown = audit.models.iloc[:_MOST_ROWS]
    left = len(audit.models) - len(shown)
    note = f'<p class="note">{left:,} more are left out here.</p>' if left else ""
    return (
        "<details><summary>Models: abilities, standard errors and mean scores"
        f"</summary>\n{_table(shown)}"
        f"{note}</details>"
    )


def _words(audit):
    glossary = {
        "Ability": "What the models differ in, as far as their answers show it. Most "
        "models lie between -2 and 2; higher is better. The method finds abilities, "
        "not their names: read them off the benchmarks that follow them.",
        "Follows": "The benchmark's score goes with that ability significantly more "
        "than with any other, and has at least twice its weight.",
        "Contradicts its target": "It goes with another ability than the one that the "
        "other benchmarks with its declared target follow.",
        "Discrimination": "How sharply an item tells models of high from models of low "
        "ability; 0 is not at all. Here the mean over the benchmark's items, with an "
        "interval.",
        "Purity": "1 if all items of the benchmark order the models alike, be it on "
        "one ability or on one mixture; lower if its items measure different things.",
        "Adjusted p": "How likely chance alone would make such a difference, allowing "
        "for the number of benchmarks tested. Small values speak against chance.",
    }
    terms = "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in glossary.items())
    return (
        f"<h2>Words</h2>\n<dl>{terms}</dl>\n"
        f'<p class="note">Protocol: {escape(audit.protocol)}. Correlations and tests '
        "never use a benchmark's own items to estimate the abilities.</p>"
    )


def _with_targets(audit, name):
    targets = audit.dimensions.loc[name, "targets"]
    return f"{name} ({targets})" if targets else name


def _table(frame, flagged=None):
    flagged = np.zeros(len(frame), dtype=bool) if flagged is None else flagged
    head = "".join(
        f"<th>{escape(str(c))}</th>" for c in [frame.index.name or "", *frame.columns]
    )
    body = []
    for row, flag in zip(frame.itertuples(name=None), flagged, strict=True):
        cells = "".join(_cell(value) for value in row)
        body.append(f'<tr class="flag">{cells}</tr>' if flag else f"<tr>{cells}</tr>")
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>'
        + "\n".join(body)
        + "</tbody></table></div>"
    )


def _cell(value: Any):
    if isinstance(value, float):
        if np.isnan(value):
            return '<td class="n">–</td>'
        shown = f"{value:.1e}" if 0 < abs(value) < 5e-4 else f"{value:.3f}"
        return f'<td class="n">{shown}</td>'
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return f'<td class="n">{value:,}</td>'
    return f"<td>{'–' if value is None or value is pd.NA else escape(str(value))}</td>"
