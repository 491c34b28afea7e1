"""Where the calibration starts: the leading dimensions of the responses."""

import numpy as np


def starting_abilities(data, n_components, random_state=None):
    """Return abilities with mean 0 and covariance I, shape (n_models, n_components).

    The leading left singular vectors of the standardised responses, missing ones at
    the item's mean; mixed with as much noise where a `random_state` is given.
    """
    weights = data.weights / data.weights.sum()
    root = np.sqrt(weights)[:, None]
    scores = _standardised(data) * root
    n_models, n_items = scores.shape
    if n_models <= n_items:
        values, left = np.linalg.eigh(scores @ scores.T)
    else:
        values, right = np.linalg.eigh(scores.T @ scores)
        left = scores @ right[:, -n_components:]
    left = left[:, ::-1][:, :n_components]
    abilities = left / np.where(root > 0, root, 1.0)
    if random_state is not None:
        scale = np.sqrt(weights @ np.square(abilities))
        noise = random_state.normal(size=abilities.shape)
        mixing = np.linalg.qr(random_state.normal(size=(n_components, n_components)))[0]
        abilities = (abilities / np.where(scale > 0, scale, 1.0)) @ mixing + noise
    return whitened(abilities, weights)


def whitened(abilities, weights):
    """Return abilities of weighted mean 0 and covariance I."""
    abilities = abilities - weights @ abilities
    covariance = (abilities * weights[:, None]).T @ abilities
    values, vectors = np.linalg.eigh(covariance)
    keep = values > 1e-12 * max(values.max(), 1e-300)
    scale = np.where(keep, 1.0 / np.sqrt(np.where(keep, values, 1.0)), 0.0)
    return abilities @ (vectors * scale) @ vectors.T


def _standardised(data):
    asked = np.maximum(data.answers_per_item(), 1e-12)
    p = data.weights @ data.responses / asked
    variance = p * (1.0 - p)
    scale = np.where(
        variance > 0, 1.0 / np.sqrt(np.where(variance > 0, variance, 1)), 0
    )
    out = data.responses - p
    out *= scale
    if not data.complete:
        out *= data.masks[data.pattern]
    return out


def starting_intercepts(data):
    """Logits of the items' shares of right answers, a little inward."""
    asked = data.answers_per_item()
    right = data.weights @ data.responses
    share = (right + 0.5) / (asked + 1.0)
    return np.log(share) - np.log1p(-share)


def confirmatory_abilities(data, free):
    """Starting abilities of a confirmatory model: scores on each dimension's items.

    Those that load on as few dimensions as possible; under a general dimension, what
    that leaves of them.
    """
    weights = data.weights / data.weights.sum()
    out = np.empty((data.n_models, free.shape[1]))
    overall = None
    for k in range(free.shape[1]):
        own = free[:, k] & (free.sum(axis=1) == free[free[:, k]].sum(axis=1).min())
        asked = data.masks[:, own].sum(axis=1)[data.pattern]
        share = data.weights @ data.responses[:, own]
        share /= np.maximum(data.answers_per_item()[own], 1e-12)
        expected = (data.masks[:, own] @ share)[data.pattern]
        score = data.responses[:, own].sum(axis=1) - expected
        score /= np.maximum(asked, 1.0)
        if overall is not None and free[:, 0].all():
            # Under a general dimension the others are what is left of their items.
            score -= overall * (weights @ (score * overall))
        score -= weights @ score
        score /= max(np.sqrt(weights @ np.square(score)), 1e-12)
        if k == 0:
            overall = score
        out[:, k] = score
    return out
