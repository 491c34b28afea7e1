"""Item parameters of simulated multidimensional benchmarks."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from skirt.datasets._simulators import _NODES, _WEIGHTS


def draw_discriminations(rng, own, n_components, cv, mean, cross_loading):
    """Draw discriminations: a lognormal on the item's own dimension, others near 0."""
    s = np.sqrt(np.log1p(cv**2))
    slope = np.exp(np.log(mean) - s**2 / 2 + s * rng.standard_normal(len(own)))
    out = rng.standard_normal((len(own), n_components))
    out *= cross_loading * slope[:, np.newaxis]
    out[np.arange(len(own)), own] = slope
    return out


def draw_intercepts(rng, spread, benchmark, mean_score):
    """Draw intercepts that give the expected mean score, over all or by benchmark."""
    scale = np.where(spread > 0, spread, 1.0)
    intercept = -scale * rng.standard_normal(len(scale))
    if np.ndim(mean_score) == 0:
        return intercept + scale * _shift(intercept, spread, scale, mean_score)
    wanted = np.asarray(mean_score, dtype=np.float64)
    n_benchmarks = benchmark[-1] + 1
    if wanted.shape != (n_benchmarks,) or not ((wanted > 0) & (wanted < 1)).all():
        raise ValueError(
            f"mean_score must be one number, or one for each of the {n_benchmarks} "
            f"benchmarks, between 0 and 1; got {mean_score!r}."
        )
    for b, score in enumerate(wanted):
        own = benchmark == b
        shift = _shift(intercept[own], spread[own], scale[own], score)
        intercept[own] += scale[own] * shift
    return intercept


def _shift(intercept, spread, scale, mean_score):
    """Return the shift, in units of `scale`, that gives the expected mean score.

    Given abilities N(0, Phi) the logit of an item is N(intercept, spread^2), so that
    one dimension is enough to average over.
    """

    def excess(shift):
        location = intercept + shift * scale
        expected = (
            weight * expit(location + spread * node).mean()
            for node, weight in zip(_NODES, _WEIGHTS, strict=True)
        )
        return sum(expected) - mean_score

    reach = 1.0
    while excess(-reach) > 0 or excess(reach) < 0:
        reach *= 2
    return brentq(excess, -reach, reach, xtol=1e-10)
