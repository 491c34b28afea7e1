"""Which parameters of a FisherSubsetSelector go together, and the banks they mean."""

from skirt._twopl import TwoPLEstimator
from skirt.selection._score_ranking import default_banks

BY_SCORE = ("rank", "score")


def ranks_by_score(selector):
    """Whether `predict` returns expected full-benchmark scores, not abilities."""
    if selector.ranking == "auto":
        return selector.criterion in BY_SCORE
    return selector.ranking == "score"


def check_options(selector, targets):
    """Refuse parameters that make no sense together.

    Parameters
    ----------
    selector : FisherSubsetSelector
    targets : Targets
    """
    if selector.criterion in BY_SCORE:
        _check_by_score(selector)
    else:
        _check_by_ability(selector)
    if targets.several and not ranks_by_score(selector):
        raise ValueError(
            f"target_weights has {len(targets.weights)} rows, each of them a score to "
            "rank by, and the ability is one ranking: use criterion='rank' or 'score' "
            "to choose items for all of them, or ranking='score' to predict them from "
            f"the items of criterion={selector.criterion!r}."
        )


def _check_by_score(selector):
    if selector.ranking == "ability":
        raise ValueError(
            f'criterion="{selector.criterion}" chooses items for the score: use '
            'ranking="score", or criterion="marginal" for the ability.'
        )
    if selector.stratify is not None:
        raise ValueError(
            'stratify is for the criteria of ability, "total" and "marginal", not for '
            f'criterion="{selector.criterion}".'
        )


def _check_by_ability(selector):
    given = selector.estimator
    banks = given if isinstance(given, list) else [given]
    if len(banks) != 1 or not (
        banks[0] is None or hasattr(banks[0], "item_information")
    ):
        raise ValueError(
            f'criterion="{selector.criterion}" takes one one-dimensional bank; got '
            f'{given!r}. Use criterion="rank" for others.'
        )


def given_banks(selector, responses, n_groups):
    """Return the unfitted or fixed banks that a selector is to use.

    Parameters
    ----------
    selector : FisherSubsetSelector
    responses : ndarray of shape (n_models, n_items)
    n_groups : int
        Independent models.

    Returns
    -------
    list of estimator
    """
    if isinstance(selector.estimator, list):
        if not selector.estimator:
            raise ValueError("estimator is an empty list: give at least one bank.")
        return selector.estimator
    if selector.estimator is not None:
        return [selector.estimator]
    if selector.criterion in BY_SCORE:
        return default_banks(responses, n_groups)
    return [TwoPLEstimator()]
