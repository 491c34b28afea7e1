"""Descriptive figures of benchmarks: scores, discriminations, information, purity."""

import numpy as np
from scipy.special import expit, logit

# Items are gone through in blocks of about this many cells.
_BLOCK_CELLS = 1 << 21


def mean_scores(responses, chosen):
    """Mean of each model over some items, adjusted for which of them it answered.

    Each answer counts by its distance from its item's mean, so that a model that was
    asked the easier ones is not ahead; without gaps it is the plain mean.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN.
    chosen : ndarray of int or bool

    Returns
    -------
    ndarray of shape (n_models,)
        NaN for models that answered none of them.
    """
    x = responses[:, chosen]
    seen = ~np.isnan(x)
    if seen.all():
        return x.mean(axis=1)
    x = np.where(seen, x, 0.0)
    asked = seen.sum(axis=0)
    item_mean = x.sum(axis=0) / np.maximum(asked, 1)
    answered = seen.sum(axis=1)
    surplus = (x.sum(axis=1) - seen @ item_mean) / np.maximum(answered, 1)
    return np.where(answered > 0, surplus + item_mean[asked > 0].mean(), np.nan)


def log_odds(score, n_items):
    """Log-odds of mean scores of so many items, finite at 0 and 1.

    They are nearly linear in the abilities over the whole range, so that an easy and a
    hard set of items can be compared without the bend that each has elsewhere.
    """
    least = 0.5 / (n_items + 1)
    return logit(np.clip(score, least, 1 - least))


def varying_items(responses):
    """Whether the answers to each item differ between models."""
    with np.errstate(invalid="ignore"):
        low = np.fmin.reduce(responses, axis=0)
        return np.fmax.reduce(responses, axis=0) > low


def information_shares(responses, ability, discrimination, intercept, code):
    """Share of each ability in the Fisher information of each benchmark's items.

    The information that item j gives of ability k, P (1 - P) a_jk^2, is summed over
    the answers that there are.

    Returns
    -------
    ndarray of shape (n_benchmarks, n_dimensions)
        Rows add up to 1; NaN without any information.
    """
    spread = np.empty(len(intercept))
    for block, probability, seen in _blocks(
        responses, ability, discrimination, intercept
    ):
        spread[block] = (probability * (1 - probability) * seen).sum(axis=0)
    information = spread[:, None] * np.square(discrimination)
    out = np.zeros((code.max() + 1, discrimination.shape[1]))
    np.add.at(out, code, information)
    total = out.sum(axis=1, keepdims=True)
    return np.divide(out, total, out=np.full(out.shape, np.nan), where=total > 0)


def mean_discrimination_influence(
    responses, ability, discrimination, intercept, precision, code, counted
):
    """What each model contributes to each benchmark's mean discrimination.

    To first order, abilities held, counting model i once more moves item j's
    parameters by H_j^-1 s_ij, where s_ij is the gradient of the model's log-likelihood
    and H_j the item's information with its prior.

    Parameters
    ----------
    precision : ndarray of shape (n_dimensions + 1, n_dimensions + 1)
        Of the prior of (a, d).
    code : ndarray of shape (n_items,), int
        The benchmark of each item.
    counted : ndarray of shape (n_items,), bool
        The items over which the mean is taken.

    Returns
    -------
    ndarray of shape (n_models, n_benchmarks, n_dimensions)
    """
    n_models, size = ability.shape
    design = np.column_stack([ability, np.ones(n_models)])
    products = (design[:, :, None] * design[:, None, :]).reshape(n_models, -1)
    n_benchmarks = code.max() + 1
    moved = np.zeros((n_models, n_benchmarks, (size + 1) ** 2))
    for block, probability, seen in _blocks(
        responses, ability, discrimination, intercept
    ):
        weight = probability * (1 - probability) * seen
        information = (weight.T @ products).reshape(-1, size + 1, size + 1)
        inverse = np.linalg.inv(information + precision).reshape(-1, (size + 1) ** 2)
        x = np.where(seen, responses[:, block], 0.0)
        residual = (x - probability) * seen * counted[block]
        for benchmark in np.unique(code[block]):
            own = code[block] == benchmark
            moved[:, benchmark] += residual[:, own] @ inverse[own]
    count = np.bincount(code[counted], minlength=n_benchmarks)
    moved /= np.maximum(count, 1)[:, None]
    moved = moved.reshape(n_models, n_benchmarks, size + 1, size + 1)
    return np.einsum("nbkl,nl->nbk", moved, design)[:, :, :size]


def empirical_precision(discrimination, intercept, variance):
    """Inverse covariance of the items' parameters, estimation error counted in.

    Parameters
    ----------
    variance : ndarray of shape (n_items, n_dimensions + 1)
        Squared standard errors of (a, d).
    """
    parameters = np.column_stack([discrimination, intercept])
    finite = np.isfinite(parameters).all(axis=1)
    covariance = np.atleast_2d(np.cov(parameters[finite].T, bias=True))
    error = np.where(np.isfinite(variance), variance, 0.0).mean(axis=0)
    # A spread of zero would hold every item where it is.
    return np.linalg.inv(covariance + np.diag(error + 1e-3))


def purity(responses, chosen, abilities):
    """Share of a benchmark's discriminating power along its main direction.

    The items' covariances with the abilities are, up to how hard the items are, their
    discriminations as vectors; the share is that of the largest eigenvalue in their
    second moment, in uncorrelated abilities of variance 1. Pairs of one model with
    itself are left out of the moment: they hold the noise.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
    chosen : ndarray of int or bool
    abilities : Abilities

    Returns
    -------
    float
        From 1 / n_dimensions to 1, or NaN where nothing discriminates.
    """
    use = abilities.known & np.isfinite(abilities.mean).all(axis=1)
    x = responses[np.ix_(use, np.arange(responses.shape[1])[chosen])]
    theta = abilities.mean[use] - abilities.mean[use].mean(axis=0)
    if len(theta) < 3:
        return np.nan
    seen = ~np.isnan(x)
    x = np.where(seen, x, 0.0)
    x = (x - x.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)) * seen
    gram = x @ x.T
    np.fill_diagonal(gram, 0.0)
    spread = theta.T @ theta / len(theta) + abilities.error[use].mean(axis=0)
    values, vectors = np.linalg.eigh(spread)
    if values[0] < 1e-8:
        return np.nan
    theta = theta @ (vectors / np.sqrt(values))
    moments = np.maximum(np.linalg.eigvalsh(theta.T @ gram @ theta), 0.0)
    return moments[-1] / moments.sum() if moments.sum() > 0 else np.nan


def _blocks(responses, ability, discrimination, intercept):
    """Go through the items: their positions, probabilities and what was answered."""
    n_models, n_items = responses.shape
    width = max(1, _BLOCK_CELLS // max(1, n_models))
    for start in range(0, n_items, width):
        block = slice(start, min(start + width, n_items))
        probability = expit(ability @ discrimination[block].T + intercept[block])
        yield block, probability, ~np.isnan(responses[:, block])
