"""Which item tells most about a model's one ability: the criteria of item selection.

A criterion is a function of the items and of what is known of some models; it
returns a value of each item (column) for each model (row), the larger the better.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Known:
    """What is known of some models.

    Attributes
    ----------
    models : ndarray of int
        Which ones.
    ability : ndarray of shape (n_models,)
        Current estimates.
    posterior : GridPosterior or None
        Of all models; None if the criterion does not need one.
    """

    models: np.ndarray
    ability: np.ndarray
    posterior: object


def fisher(items, known):
    """Fisher information at the current ability."""
    return items.information(known.ability)


def posterior_weighted(items, known):
    """Fisher information averaged over the posterior (van der Linden 1998)."""
    return known.posterior.expect(known.models, "information")[0]


def kullback_leibler(items, known):
    """Divergence of the answer at the current ability from that elsewhere.

    Averaged over the posterior (Chang & Ying 1996): with the logit z linear in
    theta, log P = z - s and log(1 - P) = -s, s the softplus of z.
    """
    mean, _ = known.posterior.moments(known.models)
    expected = known.posterior.expect(known.models, "softplus")[0]
    values = items.probability(known.ability)
    values *= items.discrimination
    values *= (known.ability - mean)[:, None]
    values -= items.softplus(known.ability)
    values += expected
    return values


def expected_variance(items, known):
    """Minus the posterior variance that is expected after the answer."""
    right, first = known.posterior.expect(known.models, "probability", (0, 1))
    mean, sd = known.posterior.moments(known.models)
    # The first moment of the posterior about its mean, weighted by P; weighted by
    # 1 - P it is the opposite. By the law of total variance the answer takes
    # first^2 / P + first^2 / (1 - P) off; one that is certain takes nothing.
    first -= mean[:, None] * right
    spread = right * (1.0 - right)
    gain = np.square(first, out=first)
    gain = np.divide(gain, spread, out=np.zeros_like(gain), where=spread > 0)
    return gain - np.square(sd)[:, None]


CRITERIA = {
    "fisher": fisher,
    # With one ability what an answer takes off the posterior's variance, and off its
    # share, grows with the information: the best item is the same.
    "d_optimal": fisher,
    "a_optimal": fisher,
    "mpwi": posterior_weighted,
    "kl": kullback_leibler,
    "mepv": expected_variance,
}
# Looks at both answers' abilities: see `OneAbility`.
EXPECTED_INFORMATION = "mei"
AT_THE_ABILITY = {name for name, rule in CRITERIA.items() if rule is fisher}
NEEDS_POSTERIOR = set(CRITERIA) - AT_THE_ABILITY

# Where a posterior is looked at for answers that are still awaited.
PROBABILITIES = (np.arange(15) + 0.5) / 15


def joint_gain(items, posterior, model, counted, waiting):
    """What each item would add to those whose answers are still awaited.

    The mean reduction of the standard error (1 + information)^(-1/2) at abilities
    spread like the posterior, where the information is that of the answered and the
    awaited items: an item like an awaited one adds less than one that measures well
    where that one does not.

    Parameters
    ----------
    items : LogisticItems
    posterior : GridPosterior
    model : int
    counted, waiting : ndarray of int
        Items that were answered, and items whose answers are awaited.

    Returns
    -------
    ndarray of shape (1, n_items)
    """
    # The posterior has the answered items' information in its spread already; here
    # they say how precise the test is by now, wherever the ability may be.
    theta = posterior.quantiles(model, PROBABILITIES)
    information = items.information(theta)
    precision = 1.0 + information[:, np.r_[counted, waiting]].sum(axis=1)
    root = np.sqrt(precision)[:, None]
    information += precision[:, None]
    # p^-1/2 - (p + I)^-1/2, averaged; only the sum matters for the choice.
    np.sqrt(information, out=information)
    np.divide(1.0, information, out=information)
    return (1.0 / root - information).mean(axis=0, keepdims=True)
