"""What is tested of benchmarks: how their scores go with the abilities.

A score (a benchmark's mean over the models, or a sub-group's) is regressed on the
abilities. These are posterior means or modes, whose errors are independent of the
estimates rather than of the truth, so that the regression weights are those on the
abilities themselves, without attenuation (Berkson's errors); their latent covariance is
that of the estimates plus the mean posterior covariance.

Errors come from resampling the models: all statistics are computed for every set of
multiplicities at once, the first set being the sample itself.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import t as student_t

# What a model contributes to the direction of a score is a product, of its residual and
# its abilities. The square of a product of normal numbers has the relative variance 8,
# so that a variance estimated from G of them has G / 4 degrees of freedom (in place of
# G, rates of .0125 for .00625 were found with 60 models).
_DIRECTION_FREEDOM = 1 / 4
# Resampling fewer groups tells nothing of errors.
FEWEST_GROUPS = 8


@dataclass(frozen=True)
class Abilities:
    """The models' abilities as some items give them.

    Attributes
    ----------
    mean : ndarray of shape (n_models, n_dimensions)
    error : ndarray of shape (n_models, n_dimensions, n_dimensions)
        Posterior covariances.
    known : ndarray of shape (n_models,), bool
        Whether the model answered any of the items.
    """

    mean: np.ndarray
    error: np.ndarray
    known: np.ndarray


@dataclass(frozen=True)
class Links:
    """How one score goes with the abilities, for each set of multiplicities.

    Attributes
    ----------
    correlation : ndarray of shape (n_sets, n_dimensions)
        Of the score with each ability, corrected for the error of the ability.
    weight : ndarray of shape (n_sets, n_dimensions)
        Standardised weights of the abilities in the score.
    direction : ndarray of shape (n_sets, n_dimensions)
        What of the abilities is in the score, as a unit vector: the inner product of
        two is the latent correlation of what two scores measure.
    n_groups : int
        The groups of models that have both score and abilities.
    """

    correlation: np.ndarray
    weight: np.ndarray
    direction: np.ndarray
    n_groups: int

    @property
    def freedom(self):
        """Groups left over by the mean and the weights of the abilities."""
        return self.n_groups - 1 - self.correlation.shape[1]


def link(score, abilities, multiplicities, groups):
    """Relate a score to the abilities.

    Parameters
    ----------
    score : ndarray of shape (n_models,)
        NaN leaves a model out.
    abilities : Abilities
    multiplicities : ndarray of shape (n_sets, n_models)
        How often each model counts; the first row is the sample itself.
    groups : ndarray of shape (n_models,), int

    Returns
    -------
    Links
        NaN where the score or the abilities do not vary.
    """
    use = np.isfinite(score) & abilities.known & np.isfinite(abilities.mean).all(axis=1)
    use &= multiplicities[0] > 0
    size = abilities.mean.shape[1]
    n_sets = len(multiplicities)
    if use.sum() < 3 or np.ptp(score[use]) == 0:
        nothing = np.full((n_sets, size), np.nan)
        return Links(nothing, nothing, nothing, 0)
    y = score[use] - score[use].mean()
    y = y / y.std()
    theta = abilities.mean[use] - abilities.mean[use].mean(axis=0)
    share = multiplicities[:, use]
    total = share.sum(axis=1, keepdims=True)
    share = share / np.where(total > 0, total, np.nan)
    mean = share @ theta
    mean_y = share @ y
    joint = share @ (theta * y[:, None]) - mean * mean_y[:, None]
    variance = share @ np.square(y) - np.square(mean_y)
    spread = _moments(share, theta) - mean[:, :, None] * mean[:, None, :]
    error = (share @ abilities.error[use].reshape(len(y), -1)).reshape(spread.shape)
    n_groups = len(np.unique(groups[use]))
    sane = np.isfinite(spread).all(axis=(1, 2)) & (variance > 1e-12)
    beta = np.full((n_sets, size), np.nan)
    beta[sane] = np.einsum(
        "skl,sl->sk", np.linalg.pinv(spread[sane], hermitian=True), joint[sane]
    )
    latent = spread + error
    sd = np.sqrt(np.einsum("skk->sk", latent))
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = sd * np.sqrt(variance)[:, None]
        correlation = np.einsum("skl,sl->sk", latent, beta) / scale
        weight = beta * sd / np.sqrt(variance)[:, None]
        direction = beta @ _root(latent[0])
        length = np.linalg.norm(direction, axis=1, keepdims=True)
        direction = direction / np.where(length > 0, length, np.nan)
    return Links(correlation, weight, direction, n_groups)


def difference_test(links, first, second):
    """Test whether a score goes with two abilities alike.

    Returns
    -------
    difference, standard_error, p : float
        Correlation with the first less that with the second; the p-value is
        two-sided, of Student's t.
    """
    return t_test(links.correlation[:, first] - links.correlation[:, second], links)


def t_test(values, links, *, one_sided=False):
    """Test the first of `values` against 0 by the spread of the others.

    Resampled residuals are those of a fit to the sample, too small by the parameters
    that it spent; the variance is made up for them, as in a regression.
    """
    estimate, draws = values[0], values[1:]
    draws = draws[np.isfinite(draws)]
    if not _enough(links, draws, values) or not np.isfinite(estimate):
        return estimate, np.nan, np.nan
    se = draws.std(ddof=1) * np.sqrt(links.n_groups / links.freedom)
    if not se > 1e-12:
        return estimate, np.nan, np.nan
    p = student_t.sf(estimate / se if one_sided else abs(estimate / se), links.freedom)
    return estimate, se, p if one_sided else 2 * p


def _enough(links, draws, values):
    """Whether there are groups and finite draws enough to tell of errors."""
    fewest_draws = max(20, len(values) // 2)
    groups = links.n_groups >= FEWEST_GROUPS and links.freedom > 0
    return groups and len(draws) > fewest_draws


def strongest(links):
    """Return the ability a score goes with most, the next, and whether they differ.

    Returns
    -------
    first, second : int
    difference, standard_error, p : float
        Of the first against the second; the p-value is the largest over all others,
        so that a small one says that the first exceeds every other.
    """
    r = links.correlation[0]
    order = np.argsort(-r, kind="stable")
    tests = [difference_test(links, order[0], other) for other in order[1:]]
    difference, se, _ = tests[0]
    return order[0], order[1], difference, se, max(p for _, _, p in tests)


def against_target(links, target):
    """Return the strongest ability but the target and the test of the two.

    Returns
    -------
    other : int
    difference, standard_error, p : float
        Target less other; p is adjusted for the choice among all others.
    """
    r = links.correlation[0].copy()
    n_others = len(r) - 1
    r[target] = -np.inf
    other = int(r.argmax())
    difference, se, p = difference_test(links, target, other)
    return other, difference, se, min(1.0, n_others * p)


def same_direction_test(first, second):
    """Test whether two scores measure the same mixture of the abilities.

    What the one has beside the direction of the other, D - 1 numbers, is tested by
    Wald's statistic. Two scores that run opposite ways have nothing beside each other;
    whether they do is tested by their latent correlation, where that is negative.

    Parameters
    ----------
    first, second : Links
        Of the same abilities and multiplicities.

    Returns
    -------
    latent_correlation : float
        Of what the two measure, -1 to 1.
    p : float
    """
    u, v = first.direction, second.direction
    along = (u * v).sum(axis=1)
    fewer = min(first, second, key=lambda links: links.n_groups)
    if not np.isfinite(along[0]):
        return np.nan, np.nan
    p = _wald(tangent(u, v, v[0]), fewer)
    if along[0] < 0:
        _, _, p_opposed = t_test(-along, fewer, one_sided=True)
        p = min(1.0, 2 * np.fmin(p, p_opposed))
    return along[0], p


def tangent(u, v, reference):
    """What of the unit vectors `u` is orthogonal to `v`, in a basis of D - 1 axes.

    The axes are orthogonal to `reference`, so that they are the same in all sets.
    """
    rest = u - (u * v).sum(axis=1, keepdims=True) * v
    return rest @ complement(reference)


def complement(direction):
    """Orthonormal basis, (D, D - 1), of what is orthogonal to a unit vector."""
    _, _, rows = np.linalg.svd(direction[None, :])
    return rows[1:].T


def _wald(values, links):
    size = values.shape[1]
    estimate, draws = values[0], values[1:]
    draws = draws[np.isfinite(draws).all(axis=1)]
    freedom = direction_freedom(links)
    enough = _enough(links, draws, values)
    left = freedom + 1 - size
    if not enough or size == 0 or left <= 0 or not np.isfinite(estimate).all():
        return np.nan
    covariance = np.atleast_2d(np.cov(draws.T)) * links.n_groups / links.freedom
    if not np.linalg.matrix_rank(covariance, hermitian=True) == size:
        return np.nan
    ratio = estimate @ np.linalg.solve(covariance, estimate)
    return f_distribution.sf(ratio * left / (size * freedom), size, left)


def direction_freedom(links):
    """Degrees of freedom of the variance of what concerns a score's direction."""
    return links.freedom * _DIRECTION_FREEDOM


def holm(p):
    """Adjust p-values for their number (Holm 1979); NaN stay and do not count."""
    p = np.asarray(p, dtype=np.float64)
    out = np.full(p.shape, np.nan)
    tested = np.flatnonzero(np.isfinite(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = (len(order) - np.arange(len(order))) * p[order]
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return out


def _moments(share, theta):
    size = theta.shape[1]
    products = (theta[:, :, None] * theta[:, None, :]).reshape(len(theta), -1)
    return (share @ products).reshape(-1, size, size)


def _root(covariance):
    """Matrix L with beta L of length sqrt(beta' covariance beta)."""
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
