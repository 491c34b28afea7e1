"""The criteria that choose items for one ability: arrays out of a bank, columns out."""

import numpy as np
from sklearn.utils import gen_batches

from skirt.selection._greedy import fewest_standard_errors, highest_first

# Ability is N(0, 1) among the calibrated models.
_PRIOR_PRECISION = 1.0

# Models whose information is computed at a time, so that the bank's result and its
# transpose never stand in memory together.
_MODELS_AT_A_TIME = 16


def most_information(bank, ability, k, strata, counts):
    """Return the items whose information, summed over the models, is largest."""
    information = _item_information(bank, ability)
    total = information.sum(axis=1) if counts is None else information @ counts
    return highest_first(total, k, strata=strata)


def fewest_errors(bank, ability, k, strata, counts):
    """Return, one after the other, the items that most reduce the standard errors."""
    return fewest_standard_errors(
        _item_information(bank, ability),
        k,
        prior_precision=_PRIOR_PRECISION,
        strata=strata,
        counts=counts,
    )


# A criterion of one ability receives the bank, the abilities, the number of items,
# their strata and how much each model counts (or None), asks the bank for what it
# needs, and returns column indices, best first.
BY_ABILITY = {"total": most_information, "marginal": fewest_errors}


def _item_information(bank, ability):
    """Return the information of each item (row) at each ability, in C order."""
    out = np.empty((bank.n_features_in_, len(ability)))
    for models in gen_batches(len(ability), _MODELS_AT_A_TIME):
        out[:, models] = bank.item_information(ability[models]).T
    return out


def difficulty_quartiles(bank):
    """Return the quartile (0 to 3) of each item; equal difficulties stay together."""
    difficulty = bank.difficulty_
    ordered = np.sort(difficulty)  # undefined ones, of items without slope, come last
    quarters = np.arange(1, 4)
    edges = ordered[(quarters * len(ordered) + 3) // 4 - 1]
    return np.searchsorted(edges, difficulty, side="left")
