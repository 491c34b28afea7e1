"""Items that two groups of models answer differently at equal ability."""

import sys

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm

from skirt.audit._purification import purified_effects

# ETS's unit of item difficulty, per unit of log-odds (Holland & Thayer 1988).
_ETS_UNIT = 2.35


def difference_table(bank, sample, alpha, n_jobs, verbose):
    """Return a table of the items that differ at equal ability.

    Parameters
    ----------
    bank : Bank
    sample : Sample
        Which rows are compared.
    alpha : float
        False discovery rate.
    n_jobs, verbose : int

    Returns
    -------
    DataFrame
        The `item_differences` of :class:`ModelComparison`.
    """
    values, first = bank.responses.values[sample.rows], sample.first
    answered = ~np.isnan(values)
    n_a, n_b = answered[first].sum(axis=0), answered[~first].sum(axis=0)
    right = np.nansum(values, axis=0)
    needed = bank.discrimination.shape[1] + 2
    tested = (np.minimum(n_a, n_b) >= needed) & (right > 0) & (right < n_a + n_b)

    def abilities(anchors):
        if verbose:
            n = int((tested & ~anchors).sum())
            print(
                f"[compare_models] abilities with {n} items set aside", file=sys.stderr
            )
        return bank.abilities(np.where(tested & ~anchors, np.nan, values))[0]

    effects, anchors = purified_effects(
        values, abilities, bank.discrimination, first, sample.weights(), tested, n_jobs
    )
    delta = _ETS_UNIT * effects.shift
    p_shift = _adjusted(effects.p_shift, tested)
    p_slope = _adjusted(effects.p_slope, tested)
    flagged = p_shift <= alpha
    return pd.DataFrame(
        {
            "n_a": n_a,
            "n_b": n_b,
            "tested": tested,
            "anchor": anchors,
            "shift": effects.shift,
            "shift_se": effects.shift_se,
            "probability_difference": effects.difference,
            "delta": delta,
            "ets_class": _ets_class(delta, effects.shift_se, tested, flagged),
            "p_value": effects.p_shift,
            "p_adjusted": p_shift,
            "flagged": flagged,
            "p_slope": effects.p_slope,
            "p_slope_adjusted": p_slope,
            "slope_flagged": p_slope <= alpha,
        },
        index=pd.Index(bank.responses.item_names, name="item"),
    )


def _adjusted(p, tested):
    """Adjust the p-values of the items tested for a false discovery rate."""
    out = np.full(p.size, np.nan)
    if tested.any():
        out[tested] = false_discovery_control(p[tested])
    return out


def _ets_class(delta, shift_se, tested, flagged):
    """Classify by size and significance; no class where not tested."""
    size = np.abs(delta)
    # Significantly above 1, one-sided at .05.
    above = (size - 1) / (_ETS_UNIT * shift_se) > norm.isf(0.05)
    large, moderate = flagged & (size >= 1.5) & above, flagged & (size >= 1)
    return np.select([~tested, large, moderate], ["", "C", "B"], "A")
