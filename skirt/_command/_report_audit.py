"""The page's section about benchmarks."""

import pandas as pd

from skirt._command._figures import svg_of
from skirt._command._page import escape, figure, paragraphs, table


def audit_sentence(audit):
    """Say what the audit found, in one sentence."""
    found = audit.benchmarks
    n = len(found)
    counts = found["follows"].value_counts()
    told = [
        f"{number:,} follow{'s' if number == 1 else ''} {name}"
        for name, number in counts.items()
    ]
    rest = n - int(counts.sum())
    if rest:
        told.append(
            f"{rest:,} {'mixes' if rest == 1 else 'mix'} abilities or cannot be told"
        )
    wrong = int(found["contradicts_target"].fillna(False).astype(bool).sum())
    more = ""
    if wrong:
        their = "contradicts its" if wrong == 1 else "contradict their"
        more = f" {wrong:,} of them {their} target."
    return f"Of the {n:,} benchmarks {', '.join(told)}.{more}"


def audit_section(report, pictures):
    """Return what each benchmark measures, or why that is not told."""
    audit = report.audit
    if audit is None:
        return paragraphs(f"No audit: {report.no_audit}.")
    names = list(audit.dimensions.index)
    return "\n".join(
        [
            paragraphs(
                f"The {len(audit.benchmarks):,} benchmarks need not measure the same "
                f"thing. Here the models' answers were described by {len(names)} "
                "abilities, found without being told which item belongs to which "
                "benchmark, and each benchmark's score was compared with the abilities "
                "that the models show on all other benchmarks."
            ),
            _picture(audit, names, next(pictures)),
            _table(audit, names),
            f'<p class="note">How it was measured: {escape(audit.protocol)}. An '
            "ability has no name: read it off the benchmarks that follow it.</p>",
        ]
    )


def _picture(audit, names, number):
    from skirt.plotting import BenchmarkHeatmapDisplay

    svg = svg_of(
        lambda: BenchmarkHeatmapDisplay.from_audit(audit),
        number,
        f"Correlation of each benchmark's score with {len(names)} abilities. The table "
        "below has the numbers.",
    )
    return figure(
        svg,
        "How to read it: each row is a benchmark, each column an ability; the darker "
        "and the nearer to 1, the more the benchmark's score goes with that ability. "
        "Framed is the ability that it follows.",
    )


def _table(audit, names):
    found = audit.benchmarks
    columns = {
        "benchmark": [str(name) for name in found.index],
        "items": [f"{n:,}" for n in found["n_items"]],
        "mean score": [f"{100 * x:.1f} %" for x in found["mean_score"]],
    }
    for name in names:
        columns[name] = [
            "–" if pd.isna(x) else f"{x:.2f}" for x in found[f"correlation_{name}"]
        ]
    columns["finding"] = [str(verdict) for verdict in found["verdict"]]
    return table(
        columns,
        "Each benchmark's correlation with each ability, and what that comes to",
        numbers=("items", "mean score", *names),
    )
