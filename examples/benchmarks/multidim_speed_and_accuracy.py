"""Speed, accuracy and memory of MultidimIRT, on simulated panels.

    python multidim_speed_and_accuracy.py [--shapes M1,M2,...] [--no-yardstick]
                                          [--reruns 10] [--memory]
                                          [--page docs/multidim_accuracy.md]

The yardstick is a plain joint maximum a posteriori fit of abilities and items by
L-BFGS, with fixed priors of about the spread of the simulation: what a penalised fit
without any integration reaches. Times are ratios of one run on one machine. The error
of abilities is what the best linear map of them leaves of the true ones, so that axes
do not matter; abs(r) is between the abilities on the rotated axes, as they are, and the
true dimensions, matched one to one. Log-likelihoods are per response, on a tenth of
the cells that was hidden from both fits. Reruns are half of them fits of the same
responses with rows and columns in another order, half from starts that are half noise;
r is the smallest correlation of an ability with that of the first fit, column by
column, neither matched nor turned.
"""

import argparse
import json
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
from _multidim_panels import SHAPES, joint_map, simulate
from scipy.optimize import linear_sum_assignment
from scipy.special import expit
from speed_and_accuracy import timed

from skirt import MultidimIRT


def linked_rmse(estimate, truth):
    """Root mean square of what a linear map of the estimates leaves of the truth."""
    design = np.column_stack([estimate, np.ones(len(estimate))])
    left = truth - design @ np.linalg.lstsq(design, truth, rcond=None)[0]
    return float(np.sqrt(np.mean(left**2)))


def matched_correlations(estimate, truth):
    """abs(r) of each true dimension with the estimated one that is matched to it."""
    size = truth.shape[1]
    r = np.abs(np.corrcoef(truth.T, estimate.T)[:size, size:])
    return [float(v) for v in r[linear_sum_assignment(-r)]]


def per_response(logit, X, cells):
    """Mean log-likelihood of some cells."""
    p = np.clip(expit(logit[cells]), 1e-12, 1 - 1e-12)
    return float(np.mean(np.where(X[cells] == 1, np.log(p), np.log1p(-p))))


def predicted(model):
    """Logits of the probabilities that a model predicts for its own panel."""
    p = np.clip(model.inverse_transform(model.ability_), 1e-15, 1 - 1e-15)
    return np.log(p) - np.log1p(-p)


def rerun_correlations(X, model, n_reruns, seed):
    """Smallest r with the first fit, of permuted responses and of random starts."""
    rng = np.random.default_rng(seed)
    smallest = {"permuted": [], "random start": []}
    for rerun in range(n_reruns):
        kind = "permuted" if rerun < n_reruns / 2 else "random start"
        estimator = MultidimIRT(model.n_components)
        rows = np.arange(len(X))
        if kind == "permuted":
            rows = rng.permutation(len(X))
            ability = estimator.fit(X[rows][:, rng.permutation(X.shape[1])]).ability_
        else:
            estimator.set_params(start="random", random_state=seed + rerun)
            ability = estimator.fit(X).ability_
        first = model.ability_[rows]
        smallest[kind] += [
            np.corrcoef(a, b)[0, 1] for a, b in zip(ability.T, first.T, strict=True)
        ]
    return {kind: float(min(r)) for kind, r in smallest.items() if r}


def run(name, *, yardstick, n_reruns, seed=0):
    """Return the figures of one shape."""
    n, m, n_components = SHAPES[name]
    panel = simulate(name, seed)
    X = panel.X
    repeats = 3 if n * m < 2e6 else 2
    seconds, model = timed(lambda: MultidimIRT(n_components).fit(X), repeats)
    out = {
        "shape": f"{name} {n} x {m} x {n_components}",
        "seconds": seconds,
        "cycles": model.n_iter_,
        "converged": bool(model.converged_),
        "integration": model.integration_,
        "rmse": linked_rmse(model.ability_, panel.ability),
        "abs r": matched_correlations(model.ability_, panel.ability),
    }
    hidden = np.random.default_rng(seed).random(X.shape) < 0.1
    shown = np.where(hidden, np.nan, X)
    held = MultidimIRT(n_components).fit(shown)
    truth = panel.ability @ panel.discrimination.T + panel.intercept
    out["held out"] = per_response(predicted(held), X, hidden)
    out["held out, truth"] = per_response(truth, X, hidden)
    if yardstick:
        slow, (ability, _, _) = timed(lambda: joint_map(X, n_components), 1)
        out["yardstick seconds / skirt seconds"] = slow / seconds
        out["rmse, yardstick"] = linked_rmse(ability, panel.ability)
        theta, a, d = joint_map(shown, n_components)
        out["held out, yardstick"] = per_response(theta @ a.T + d, X, hidden)
    if n_reruns:
        out["r of reruns"] = rerun_correlations(X, model, n_reruns, seed)
    return out


def print_peak(name, seed=0):
    """Print the peak of the memory of a fit, the matrix included, in matrices."""
    X = simulate(name, seed).X
    tracemalloc.start()
    MultidimIRT(SHAPES[name][2]).fit(X)
    print((X.nbytes + tracemalloc.get_traced_memory()[1]) / X.nbytes)


def peak_memory(name):
    """Peak memory in a process of its own."""
    code = f"import {Path(__file__).stem} as m; m.print_peak({name!r})"
    command = [sys.executable, "-c", code]
    folder = Path(__file__).resolve().parent
    return float(
        subprocess.run(command, capture_output=True, check=True, cwd=folder).stdout
    )


def write_page(rows, path):
    """Write the figures as a page."""
    lines = [
        "# Speed and accuracy of MultidimIRT on simulated panels",
        "",
        "Written by `examples/benchmarks/multidim_speed_and_accuracy.py --memory",
        "--page FILE`; its docstring says what is measured. Times are ratios of one",
        "run.",
        "",
        "| panel | integration | cycles | RMSE of ability: skirt / yardstick "
        "| abs(r) with the true dimensions "
        "| held-out log-likelihood: skirt / yardstick / truth "
        "| smallest r of reruns: permuted / random start "
        "| yardstick time | peak memory |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        reruns = row.get("r of reruns", {})
        cycles = f"{row['cycles']}{'' if row['converged'] else ', not converged'}"
        lines.append(
            f"| {row['shape']} | {row['integration']} | {cycles} "
            f"| {row['rmse']:.3f} / {row.get('rmse, yardstick', np.nan):.3f} "
            f"| {', '.join(f'{r:.3f}' for r in row['abs r'])} "
            f"| {row['held out']:.4f} / {row.get('held out, yardstick', np.nan):.4f} / "
            f"{row['held out, truth']:.4f} "
            f"| {' / '.join(_correlation(r) for r in reruns.values()) or '-'} "
            f"| {row.get('yardstick seconds / skirt seconds', np.nan):.1f} x "
            f"| {row.get('peak memory / matrix', np.nan):.1f} x matrix |"
        )
    Path(path).write_text("\n".join(lines) + "\n")


def _correlation(r):
    """As many nines as there are."""
    return "> .99999" if r > 0.99999 else f"{r:.5f}".removeprefix("0")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--no-yardstick", action="store_true")
    parser.add_argument("--reruns", type=int, default=10)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--page", help="write the figures to this Markdown file")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("always")
    rows = []
    for name in options.shapes.split(","):
        figures = run(
            name,
            yardstick=not options.no_yardstick,
            n_reruns=options.reruns,
            seed=options.seed,
        )
        if options.memory:
            figures["peak memory / matrix"] = peak_memory(name)
        rows.append(figures)
        rounded = json.dumps(figures)
        figures = json.loads(rounded, parse_float=lambda text: round(float(text), 6))
        print(json.dumps(figures), flush=True)
    if options.page:
        write_page(rows, options.page)


if __name__ == "__main__":
    main()
