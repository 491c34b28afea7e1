"""Speed, accuracy, coverage and memory of the calibration, on simulated panels.

    python speed_and_accuracy.py [--shapes S1,S2,...] [--no-yardstick] [--memory]
                                 [--page docs/accuracy.md]

The yardstick is a plain joint maximum a posteriori fit of abilities and items by
L-BFGS with fixed priors that match the simulation: what a penalised fit without any
integration reaches. Times are ratios of one run on one machine; log-likelihoods are
per response, on a tenth of the cells that was hidden from both fits; the coverage of
nominal 95 % intervals is taken after linear linking of the true abilities to the
panel, for panel models and for new ones. Figures of small panels are means over several
of them. Where the package `mirt` is installed, its
two-parameter fit without standard errors is timed in the same run.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import time

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from skirt import TwoPLEstimator

SHAPES = {
    "S1": (200, 100),
    "S2": (100, 5_000),
    "S3": (2_000, 500),
    "S4": (5_000, 1_000),
    "S5": (80, 20_000),
    "S6": (100, 34_000),
    "S7": (30, 300),
}
# What one small panel shows is mostly chance.
PANELS = {"S1": 10, "S2": 3, "S3": 3, "S7": 20}


def simulate(n_models, n_items, seed):
    """Return abilities, slopes, intercepts, responses: the panel, then new models."""
    rng = np.random.default_rng([seed, n_models, n_items])
    theta = rng.normal(size=n_models + max(n_models, 500))
    a = rng.lognormal(0.0, 0.5, n_items)
    d = -a * rng.normal(0.0, 1.2, n_items)
    X = np.empty((theta.size, n_items))
    for row, ability in zip(X, theta, strict=True):
        row[:] = rng.random(n_items) < expit(a * ability + d)
    return theta, a, d, X


def joint_map(X):
    """Abilities N(0, 1), log slopes N(0, 0.5), intercepts N(0, 2): the joint mode."""
    n, m = X.shape
    seen = ~np.isnan(X)
    Y = np.where(seen, X, 0.0)
    score = (Y.sum(axis=1) + 0.5) / (seen.sum(axis=1) + 1)
    share = (Y.sum(axis=0) + 0.5) / (seen.sum(axis=0) + 1)
    start = np.log(score / (1 - score))
    start = (start - start.mean()) / start.std()

    def negative(v):
        theta, log_a, d = np.split(v, [n, n + m])
        a = np.exp(np.clip(log_a, -6, 6))
        logit = np.multiply.outer(theta, a) + d
        p = expit(logit)
        residual = np.where(seen, Y - p, 0.0)
        fit = np.sum(np.where(seen, Y * logit - np.logaddexp(0.0, logit), 0.0))
        prior = 0.5 * (theta @ theta + log_a @ log_a / 0.25 + d @ d / 4)
        gradient = np.concatenate(
            [
                residual @ a - theta,
                (theta @ residual) * a - log_a / 0.25,
                residual.sum(axis=0) - d / 4,
            ]
        )
        return prior - fit, -gradient

    first = np.concatenate([start, np.zeros(m), np.log(share / (1 - share))])
    found = minimize(
        negative, first, jac=True, method="L-BFGS-B", options={"maxiter": 400}
    )
    theta, log_a, d = np.split(found.x, [n, n + m])
    return theta, np.exp(log_a), d


def time_mirt(X):
    """Seconds of the Python package mirt, scoring included; None if not installed."""
    if importlib.util.find_spec("mirt") is None:
        return None
    import mirt

    def fit():
        found = mirt.fit_mirt(X, model="2PL", compute_standard_errors=False)
        return mirt.fscores(found, X, method="EAP")

    return timed(fit, 2)[0]


def per_response(theta, a, d, X, cells):
    """Mean log-likelihood of some cells."""
    p = np.clip(expit(np.multiply.outer(theta, a) + d)[cells], 1e-12, 1 - 1e-12)
    x = X[cells]
    return float(np.mean(np.where(x == 1, np.log(p), np.log1p(-p))))


def coverage(estimate, se, truth, link):
    """Share of nominal 95 % intervals that hold the linked truth."""
    linked = np.polyval(link, truth)
    return float(np.mean(np.abs(estimate - linked) < 1.96 * se))


def timed(function, repeats):
    """Return the shortest time and the result."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best, result


def run(name, *, yardstick, seed=0):
    """Print and return the figures of one shape."""
    n, m = SHAPES[name]
    theta, a, d, X = simulate(n, m, seed)
    panel, new = X[:n], X[n:]
    repeats = 5 if n * m < 2e6 else 2
    seconds, model = timed(lambda: TwoPLEstimator().fit(panel), repeats)
    out = {"shape": f"{name} {n} x {m}", "seconds": seconds, "steps": model.n_iter_}
    link = np.polyfit(theta[:n], model.ability_, 1)
    out["rmse"] = float(
        np.std(model.ability_ - np.polyval(link, theta[:n])) / abs(link[0])
    )
    out["distinct"] = int(np.unique(model.ability_.round(6)).size)
    fresh, se = model.predict(new, return_std=True)
    # How much nearer to zero new models are scored than equal ones of the panel.
    out["scale of new models"] = float(np.polyfit(theta[n:], fresh, 1)[0] / link[0])
    placed, total = model.predict(new, return_std="total")
    out["coverage"] = {
        "panel": coverage(model.ability_, model.ability_se_, theta[:n], link),
        "panel total": coverage(
            model.ability_, model.ability_se_total_, theta[:n], link
        ),
        "new": coverage(fresh, se, theta[n:], link),
        "new total": coverage(placed, total, theta[n:], link),
    }
    hidden = np.random.default_rng(seed).random(panel.shape) < 0.1
    shown = np.where(hidden, np.nan, panel)
    held = TwoPLEstimator().fit(shown)
    out["held out"] = per_response(
        held.ability_, held.discrimination_, held.intercept_, panel, hidden
    )
    out["held out, truth"] = per_response(theta[:n], a, d, panel, hidden)
    if yardstick:
        slow, _ = timed(lambda: joint_map(panel), 1)
        out["yardstick seconds / skirt seconds"] = slow / seconds
        out["held out, yardstick"] = per_response(*joint_map(shown), panel, hidden)
        peer = time_mirt(panel)
        if peer is not None:
            out["mirt seconds / skirt seconds"] = peer / seconds
    return out


def mean_run(name, *, yardstick, seed):
    """Return the figures of one shape, averaged over its panels."""
    runs = [
        run(name, yardstick=yardstick, seed=seed + i)
        for i in range(PANELS.get(name, 1))
    ]

    def mean(values):
        if isinstance(values[0], dict):
            return {key: mean([v[key] for v in values]) for key in values[0]}
        return values[0] if isinstance(values[0], str) else float(np.mean(values))

    return mean(runs) | {"panels": len(runs)}


def peak_memory(name):
    """Peak of the memory allocated by a fit, the matrix included, in matrices."""
    code = (
        "import sys, tracemalloc, numpy as np\n"
        "from skirt import TwoPLEstimator\n"
        "n, m = map(int, sys.argv[1:])\n"
        "rng = np.random.default_rng(0)\n"
        "tracemalloc.start()\n"
        "X = np.empty((n, m))\n"
        "a = rng.lognormal(0, .5, m); d = rng.normal(0, 1.2, m)\n"
        "for row in X:\n"
        "    row[:] = rng.random(m) < 1 / (1 + np.exp(-a * rng.normal() - d))\n"
        "TwoPLEstimator().fit(X)\n"
        "print(tracemalloc.get_traced_memory()[1] / X.nbytes)\n"
    )
    n, m = SHAPES[name]
    command = [sys.executable, "-c", code, str(n), str(m)]
    return float(subprocess.run(command, capture_output=True, check=True).stdout)


def _memory(row):
    """Peak memory of a large matrix; of small ones other things take more."""
    n, m = SHAPES[row["shape"].split()[0]]
    peak = row.get("peak memory / matrix")
    return "-" if peak is None or n * m < 400_000 else f"{peak:.1f} x matrix"


def write_page(rows, path):
    """Write the figures as a page."""
    lines = [
        "# Speed and accuracy on simulated panels",
        "",
        "Written by `examples/benchmarks/speed_and_accuracy.py --memory --page FILE`;",
        "its docstring says what is measured. Times are ratios to skirt's own seconds",
        "on the same machine in the same run.",
        "",
        "| panel | panels | seconds | steps | RMSE of ability"
        " | coverage, panel: given items / total |"
        " coverage, new: given items / total"
        " | held-out log-likelihood: skirt / yardstick / truth"
        " | yardstick time | mirt time | peak memory |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cover = row["coverage"]
        lines.append(
            f"| {row['shape']} | {row['panels']} | {row['seconds']:.3g} "
            f"| {row['steps']:.0f} | {row['rmse']:.3f} "
            f"| {cover['panel']:.3f} / {cover['panel total']:.3f} "
            f"| {cover['new']:.3f} / {cover['new total']:.3f} "
            f"| {row['held out']:.4f} / {row.get('held out, yardstick', np.nan):.4f} / "
            f"{row['held out, truth']:.4f} "
            f"| {row.get('yardstick seconds / skirt seconds', np.nan):.1f} x "
            f"| {row.get('mirt seconds / skirt seconds', np.nan):.1f} x "
            f"| {_memory(row)} |"
        )
    lines += [
        "",
        "Given the items, the interval of a new model is too short on long tests: the",
        "panel's own models have shaped the items, which spreads their abilities by",
        'several per cent. `predict(X, return_std="total")` places new models on their',
        "scale and counts what the panel leaves unknown of the items, and of the shape",
        "of its scale: quadratic and cubic bends of about .5 / N (N models), a size",
        "that was measured on simulated panels, not derived.",
    ]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", default="S1,S2,S3,S4,S5,S6,S7")
    parser.add_argument("--no-yardstick", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--page", help="write the figures to this Markdown file")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = []
    for name in options.shapes.split(","):
        yardstick = not options.no_yardstick
        figures = mean_run(name, yardstick=yardstick, seed=options.seed)
        if options.memory:
            figures["peak memory / matrix"] = peak_memory(name)
        rows.append(figures)
        rounded = json.dumps(figures)
        figures = json.loads(rounded, parse_float=lambda text: round(float(text), 4))
        print(json.dumps(figures), flush=True)
    if options.page:
        write_page(rows, options.page)


if __name__ == "__main__":
    main()
