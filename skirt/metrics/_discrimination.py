"""How unequal the items' discriminations are."""

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted


def discrimination_cv(bank, *, corrected=False):
    """Coefficient of variation of the items' discriminations.

    It predicts how much choosing items can save: where every item discriminates
    alike (0), a chosen subset is hardly better than a random one of the same size;
    the more unequal they are (above about .5), the more of the information sits in
    few items, and the smaller the subset that still ranks the models.

    Parameters
    ----------
    bank : fitted estimator or array-like of shape (n_items,)
        An item response model, or discriminations. With more than one dimension the
        lengths of the items' discrimination vectors are used.
    corrected : bool, default=False
        False is SD / mean of the estimates (divisor n_items). With a prior the
        estimates are pulled together, without one their errors pull them apart; True
        is free of both: ``sqrt(exp(s_a ** 2) - 1)``, the coefficient of variation of
        a lognormal distribution whose scale s_a was estimated with the bank. That
        takes a bank calibrated with ``discrimination_prior="auto"`` on a panel large
        enough to tell s_a.

    Returns
    -------
    float
        At least 0.

    Raises
    ------
    ValueError
        When the mean of the discriminations is not positive, when one is not
        finite, or when `corrected` is asked of discriminations whose scale s_a was
        not estimated: a prior that was given, none, a common discrimination, item
        parameters that were given.
    NotFittedError
        When the bank is not fitted.

    Examples
    --------
    >>> from skirt.metrics import discrimination_cv
    >>> round(discrimination_cv([0.5, 1.0, 1.5, 1.0]), 3)
    0.354
    """
    if hasattr(bank, "fit"):
        check_is_fitted(bank)
    if corrected:
        return float(np.sqrt(np.expm1(_estimated_scale(bank) ** 2)))
    slopes = getattr(bank, "discrimination_", bank)
    slopes = check_array(
        slopes, ensure_2d=False, dtype=np.float64, input_name="discrimination"
    )
    if slopes.ndim == 2:
        slopes = np.linalg.norm(slopes, axis=1)
    mean = slopes.mean()
    if mean <= 0:
        raise ValueError(
            f"The mean discrimination is {mean:g}: SD / mean says nothing unless it is "
            "positive. Recode the items so that 1 is the wanted outcome."
        )
    return float(slopes.std() / mean)


def _estimated_scale(bank):
    """Return s_a, refusing one that is not what the panel says of the items."""
    if getattr(bank, "_common_slope", False):
        raise ValueError(
            f"corrected=True has no meaning for {_name_of(bank)}: all items share one "
            "discrimination, so that the model itself says that they do not vary. Fit "
            "a TwoPLEstimator to see how they do."
        )
    if not getattr(bank, "_slope_prior_estimated", False):
        raise ValueError(
            "corrected=True needs the scale of the discriminations as estimated from a "
            f"panel, and {_name_of(bank)} has none: the prior was given, switched off, "
            "or could not be estimated, or there was no calibration. Fit a "
            "TwoPLEstimator with discrimination_prior='auto', or pass corrected=False."
        )
    return bank.discrimination_prior_[1]


def _name_of(bank):
    return f"this {type(bank).__name__}"
