"""Shared material of the tests."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.fixture(scope="session")
def gold():
    """Folder of reference values from R; skips where it is absent."""
    folder = SHARED / "gold"
    if not folder.is_dir():
        pytest.skip("the folder of reference values is not here")
    return folder


@pytest.fixture(scope="session")
def simulate():
    """Simulate 2PL responses: (X, theta, a, d)."""

    def draw(n_models, n_items, seed=0, spread=0.5, mean_log=0.0):
        rng = np.random.default_rng([seed, n_models, n_items])
        theta = rng.normal(size=n_models)
        a = rng.lognormal(mean_log, spread, n_items)
        d = -a * rng.normal(0.0, 1.2, n_items)
        p = expit(np.multiply.outer(theta, a) + d)
        return (rng.random(p.shape) < p).astype(float), theta, a, d

    return draw


def brute_force_posterior(X, a, d, n_nodes=121):
    """Integrate each row's posterior on a grid of its own, in log space.

    Returns log-likelihood, mean and SD; nothing of it is shared with the package.
    """
    out = np.empty((X.shape[0], 3))
    for i, x in enumerate(X):
        seen = ~np.isnan(x)

        def log_joint(theta, x=x, seen=seen):
            z = np.multiply.outer(np.atleast_1d(theta), a[seen]) + d[seen]
            fit = z @ x[seen] - np.logaddexp(0.0, z).sum(axis=1)
            return fit - 0.5 * np.square(theta) - 0.5 * np.log(2 * np.pi)

        mode = minimize_scalar(lambda t: -log_joint(t)[0], (-1, 1), tol=1e-10).x
        top = log_joint(mode)[0]
        edges = []
        for side in (-1, 1):
            reach = 0.01
            while log_joint(mode + side * reach)[0] > top - 40:
                reach *= 1.3
            edges.append(mode + side * reach)
        theta = np.linspace(*edges, n_nodes)
        weight = np.exp(log_joint(theta) - top)
        total = weight.sum()
        mean = weight @ theta / total
        variance = weight @ (theta - mean) ** 2 / total
        out[i] = top + np.log(total * (theta[1] - theta[0])), mean, np.sqrt(variance)
    return out.T
