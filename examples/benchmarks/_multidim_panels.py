"""Simulated panels of several abilities, and a plain fit of them to compare with."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from skirt.datasets import make_multidim_responses

SHAPES = {
    "M1": (100, 5_000, 2),
    "M2": (1_000, 300, 2),
    "D4": (200, 2_000, 4),
    "B": (100, 34_000, 2),
}
CORRELATION = 0.5


@dataclass(frozen=True)
class Panel:
    """Responses and the truth behind them."""

    X: np.ndarray
    ability: np.ndarray
    discrimination: np.ndarray
    intercept: np.ndarray


def simulate(name, seed):
    """Draw one panel.

    Of B, `make_multidim_responses` draws 16 benchmarks, of which one follows another
    dimension than it claims and one is half and half. Of the others each item follows
    one dimension drawn at random, with log-normal(0, .4) discrimination, and loads a
    little, abs(N(0, .15)), on the rest; its difficulty is N(0, 1.2).
    """
    n, m, n_components = SHAPES[name]
    if name == "B":
        drawn = make_multidim_responses(
            n,
            m,
            n_components=n_components,
            n_benchmarks=16,
            mislabelled=1,
            split=1,
            ability_correlation=CORRELATION,
            random_state=seed,
        )
        return Panel(drawn.data, drawn.ability, drawn.discrimination, drawn.intercept)
    rng = np.random.default_rng([seed, n, m, n_components])
    phi = np.full((n_components, n_components), CORRELATION)
    np.fill_diagonal(phi, 1.0)
    ability = rng.multivariate_normal(np.zeros(n_components), phi, size=n)
    a = np.abs(rng.normal(0.0, 0.15, (m, n_components)))
    own = rng.integers(n_components, size=m)
    a[np.arange(m), own] = rng.lognormal(0.0, 0.4, m)
    d = -np.linalg.norm(a, axis=1) * rng.normal(0.0, 1.2, m)
    p = expit(ability @ a.T + d)
    return Panel((rng.random(p.shape) < p).astype(float), ability, a, d)


def joint_map(X, n_components, seed=0):
    """Abilities N(0, I), slopes N(0, 1), intercepts N(0, 2): the joint mode.

    By L-BFGS from the models' means and noise, as the dimensions must differ.
    """
    n, m = X.shape
    seen = ~np.isnan(X)
    Y = np.where(seen, X, 0.0)
    rng = np.random.default_rng(seed)
    score = (Y.sum(axis=1) + 0.5) / (seen.sum(axis=1) + 1)
    share = (Y.sum(axis=0) + 0.5) / (seen.sum(axis=0) + 1)
    level = np.log(score / (1 - score))
    level = (level - level.mean()) / level.std()
    sizes = np.cumsum([n * n_components, m * n_components])

    def parts(v):
        theta, a, d = np.split(v, sizes)
        return theta.reshape(n, n_components), a.reshape(m, n_components), d

    def negative(v):
        theta, a, d = parts(v)
        logit = theta @ a.T + d
        fit = np.sum(np.where(seen, Y * logit - np.logaddexp(0.0, logit), 0.0))
        residual = np.where(seen, Y - expit(logit), 0.0)
        prior = 0.5 * (np.sum(theta**2) + np.sum(a**2) + d @ d / 4)
        gradient = (
            (residual @ a - theta).ravel(),
            (residual.T @ theta - a).ravel(),
            residual.sum(axis=0) - d / 4,
        )
        return prior - fit, -np.concatenate(gradient)

    first = (
        (level[:, None] + 0.3 * rng.normal(size=(n, n_components))).ravel(),
        0.7 + 0.3 * rng.normal(size=m * n_components),
        np.log(share / (1 - share)),
    )
    found = minimize(
        negative,
        np.concatenate(first),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 400},
    )
    return parts(found.x)
