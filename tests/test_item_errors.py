"""Item standard errors against a numeric Hessian of a plainly written objective."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from skirt import TwoPLEstimator

NODES = np.linspace(-8, 8, 161)
N_ITEMS = 5


def objective(v, X, weights, model):
    """Penalised marginal log-likelihood, locations of estimated priors profiled."""
    slopes, d = np.split(v, 2)
    log_slope = model.discrimination_prior is not None
    a = np.exp(slopes) if log_slope else slopes
    z = np.multiply.outer(NODES, a) + d
    joint = np.nan_to_num(X) @ z.T - ~np.isnan(X) @ np.logaddexp(0, z).T
    value = weights @ logsumexp(joint - NODES**2 / 2, axis=1)
    if log_slope:
        mean, sd = model.discrimination_prior_
        mean = slopes.mean() if model.discrimination_prior == "auto" else mean
        value -= 0.5 * np.sum((slopes - mean) ** 2) / sd**2
    if model.intercept_prior is not None:
        mean, lean, sd = model.intercept_prior_
        if model.intercept_prior == "auto":
            lean = a @ (d - mean) / (a @ a)
        value -= 0.5 * np.sum((d - mean - lean * a) ** 2) / sd**2
    return value


def hessian(function, x, h=2e-3):
    steps = np.eye(x.size) * h
    out = np.empty((x.size, x.size))
    for i, e in enumerate(steps):
        for j, f in enumerate(steps):
            out[i, j] = (
                function(x + e + f)
                - function(x + e - f)
                - function(x - e + f)
                + function(x - e - f)
            ) / (4 * h * h)
    return out


@pytest.mark.filterwarnings("ignore:An estimated prior")
@pytest.mark.parametrize("slope_prior", ["auto", None, (0, 0.1), (0, 0.5)])
@pytest.mark.parametrize("intercept_prior", ["auto", None, (0, 2.0)])
def test_item_errors_with_weights_and_gaps(simulate, slope_prior, intercept_prior):
    X, *_ = simulate(250, N_ITEMS, seed=3)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.2] = np.nan
    weights = rng.integers(1, 3, len(X)).astype(float)
    model = TwoPLEstimator(
        discrimination_prior=slope_prior, intercept_prior=intercept_prior, tol=1e-7
    ).fit(X, sample_weight=weights)
    a, d = model.discrimination_, model.intercept_
    scale = np.ones(N_ITEMS) if slope_prior is None else a
    best = np.concatenate([a if slope_prior is None else np.log(a), d])
    bend = hessian(lambda v: objective(v, X, weights, model), best)
    se = np.sqrt(np.diag(np.linalg.inv(-bend)))
    assert_allclose(model.discrimination_se_, scale * se[:N_ITEMS], rtol=2e-3)
    assert_allclose(model.intercept_se_, se[N_ITEMS:], rtol=2e-3)
