"""Benchmark audits of simulated panels of which the truth is known.

    python audit_planted.py [--large 3] [--null 200] [--jobs 2] [--page FILE]

Large panels have the shape of a published one, 100 models and 16 benchmarks of 2,125
items: two abilities that correlate .5, one benchmark that measures the other ability
than it claims, and one of which half of the items do. Null panels have one ability, and
benchmarks that claim two: 100 models, 10 benchmarks of 60 items. Whatever is found
there is wrong. Seconds are those of this machine.
"""

import argparse
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning

from skirt.audit import benchmark_audit
from skirt.datasets import make_multidim_responses

_LARGE = (100, 34_000, 16)
_NULL = (100, 600, 10)


def large_panel(seed):
    """A panel of the published shape; (panel, names mislabelled, names split)."""
    n_models, n_items, n_benchmarks = _LARGE
    panel = make_multidim_responses(
        n_models,
        n_items,
        n_components=2,
        n_benchmarks=n_benchmarks,
        mislabelled=1,
        split=1,
        random_state=seed,
    )
    truth = panel.truth
    return (
        panel,
        set(truth.index[truth["mislabelled"]]),
        set(truth.index[truth["split"]]),
    )


def audit_large(seed, n_jobs):
    """Audit one large panel; return what was right and how long it took."""
    panel, mislabelled, split = large_panel(seed)
    started = time.perf_counter()
    audit = benchmark_audit(panel.data, panel.item_table, n_jobs=n_jobs)
    seconds = time.perf_counter() - started
    found = audit.benchmarks
    ability = audit.estimator_.ability_
    r = np.abs(np.corrcoef(panel.ability.T, ability.T)[:2, 2:])
    matched = max(np.diag(r).min(), np.diag(r[::-1]).min())
    return {
        "seed": seed,
        "mislabelled": set(found.index[found["contradicts_target"]]) == mislabelled,
        "split": set(found.index[found["split"]]) == split,
        "smallest abs r": matched,
        "seconds": seconds,
    }


def audit_null(seed):
    """Audit one panel of a single ability; return what was claimed, wrongly."""
    n_models, n_items, n_benchmarks = _NULL
    panel = make_multidim_responses(
        n_models,
        n_items,
        n_components=1,
        n_benchmarks=n_benchmarks,
        random_state=10_000 + seed,
    )
    table = panel.item_table.drop(columns="target", errors="ignore")
    code = table["benchmark"].str.extract(r"(\d+)$")[0].astype(int)
    table["target"] = np.where(code % 2, "reasoning", "safety")
    with warnings.catch_warnings():
        # A second ability that is not there is slow to settle.
        warnings.simplefilter("ignore", ConvergenceWarning)
        audit = benchmark_audit(panel.data, table)
    differs = audit.subgroups["differs"] if len(audit.subgroups) else np.zeros(1)
    return (
        bool(audit.benchmarks["contradicts_target"].any()),
        bool(audit.benchmarks["split"].any()),
        bool(np.any(differs)),
    )


def peak_megabytes():
    """Peak memory of one large audit, in a process of its own."""
    code = (
        "import resource, audit_planted as m; m.audit_large(0, 1); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=Path(__file__).resolve().parent,
    )
    return float(out.stdout) / 1024


def write_page(large, null, peak, path):
    """Write what was found as a page."""
    n_models, n_items, n_benchmarks = _LARGE
    lines = [
        "# Audits of panels of which the truth is known",
        "",
        "Written by `examples/benchmarks/audit_planted.py --page FILE`; its docstring",
        "says what is simulated.",
        "",
        f"## {n_models} models x {n_items:,} items, {n_benchmarks} benchmarks",
        "",
        "| panel | mislabelled benchmark named, no other | split one named, no other "
        "| smallest abs(r) of an ability with the truth | seconds |",
        "|---|---|---|---|---|",
    ]
    for row in large:
        lines.append(
            f"| {row['seed']} | {'yes' if row['mislabelled'] else 'no'} "
            f"| {'yes' if row['split'] else 'no'} | {row['smallest abs r']:.4f} "
            f"| {row['seconds']:.0f} |"
        )
    if peak:
        matrix = n_models * n_items * 8 / 2**20
        lines += ["", f"Peak memory of the process: {peak:.0f} MB; the responses, as"]
        lines += [f"float64, are {matrix:.0f} MB."]
    if null:
        counts = np.sum(null, axis=0)
        n_models, n_items, n_benchmarks = _NULL
        lines += [
            "",
            f"## One ability, {n_models} models x {n_items} items, "
            f"{n_benchmarks} benchmarks",
            "",
            f"Of {len(null)} panels, {counts[0]} had a benchmark that was said to",
            f"contradict its target, {counts[1]} one that was said to be split, and",
            f"{counts[2]} a half of one that was said to differ from the other. The",
            "error rate asked for is .05 of the panels, each.",
        ]
    Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", type=int, default=3)
    parser.add_argument("--null", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--page", help="write the findings to this Markdown file")
    options = parser.parse_args()
    large = []
    for seed in range(options.large):
        large.append(audit_large(seed, options.jobs))
        print(large[-1], flush=True)
    peak = None if options.no_memory or not options.large else peak_megabytes()
    print("peak memory, MB:", peak, flush=True)
    null = Parallel(n_jobs=options.jobs, verbose=1)(
        delayed(audit_null)(seed) for seed in range(options.null)
    )
    print("null: mislabelled, split, sub-group:", np.sum(null, axis=0).tolist())
    if options.page:
        write_page(large, null, peak, options.page)


if __name__ == "__main__":
    main()
