"""What a comparison of models found."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class ModelComparison:
    """Two models, or two groups of models, compared.

    Made by :func:`compare_models`. Every difference is a less b.

    Attributes
    ----------
    a, b : tuple of str
        Names of the models on either side.
    unit : {"items", "models", "pairs"}
        What the tests of means take for a random sample: see :func:`compare_models`.
    ends : DataFrame
        One row for each dimension and end ("most", "least"): ``n_items``;
        ``mean_discrimination`` on that dimension; ``observed``, the share of
        responses that are not filled in; ``mean_a``, ``mean_b``, ``difference``,
        ``low`` and ``high``; ``cohen_d``, ``d_low`` and ``d_high``; ``p_value`` and
        ``p_adjusted`` (Holm, over the rows); ``test``.
    abilities : DataFrame
        One row for each dimension: ``ability_a``, ``se_a``, ``ability_b``, ``se_b``,
        ``difference``, ``se``, ``z`` = difference / se, ``low``, ``high``,
        ``p_value``, ``p_adjusted`` (Holm), ``test``.
    curve : DataFrame
        One row for each dimension and ``quantile`` of the items' discrimination on
        it, ascending from 1; columns as in `ends`, without tests.
    items : DataFrame indexed by item
        ``mean_a``, ``mean_b``, ``difference`` over the models that answered it, and
        for each dimension ``discrimination0``, ... and ``end0``, ...: "most",
        "least", "between", or "unranked" if its discrimination is not known.
    item_differences : DataFrame indexed by item, or None
        Items answered differently at equal ability (differential item functioning);
        None for single models. ``n_a``, ``n_b``: models that answered; ``tested``;
        ``anchor``: used to make abilities comparable; ``shift``, the difference of
        log-odds at equal ability, and ``shift_se``; ``probability_difference``, the
        same in probability, mean over the models; ``delta``, on ETS's scale, 2.35
        times the shift; ``ets_class``: "A" negligible or not significant, "B", "C"
        large; ``p_value`` and ``p_adjusted`` (false discovery rate), ``flagged``;
        ``p_slope``, ``p_slope_adjusted``, ``slope_flagged``: the same for a
        difference in discrimination.
    protocol : str
        What calibrated the items, and how means were tested.
    """

    a: tuple
    b: tuple
    unit: str
    ends: pd.DataFrame
    abilities: pd.DataFrame
    curve: pd.DataFrame
    items: pd.DataFrame
    item_differences: pd.DataFrame | None
    protocol: str

    def to_frame(self):
        """Return a copy of `ends`."""
        return self.ends.copy()

    def __repr__(self):
        shown = ["dimension", "end", "n_items", "mean_a", "mean_b", "difference"]
        shown += ["low", "high", "cohen_d", "p_adjusted"]
        told = ""
        if self.item_differences is not None:
            table = self.item_differences
            told = (
                f"\nat equal ability {table['flagged'].sum()} of "
                f"{table['tested'].sum()} items differ"
            )
        return (
            f"ModelComparison of a ({_listed(self.a)}) and b ({_listed(self.b)})\n"
            f"{self.protocol}\n"
            f"{self.ends[shown].to_string(index=False, float_format='{:.3g}'.format)}"
            f"{told}"
        )


def _listed(names):
    more = f" and {len(names) - 2} more" if len(names) > 3 else ""
    return ", ".join(names[:3] if not more else names[:2]) + more
