"""How well the dimensions of a panel came back."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

_MEASURES = (
    "ability",
    "discrimination",
    "ability_procrustes",
    "discrimination_procrustes",
)


@dataclass(frozen=True, repr=False, eq=False)
class DimensionStability:
    """Agreement of refits with the fit on all data, dimension by dimension.

    Made by :func:`dimension_stability`.

    Attributes
    ----------
    protocol : str
        What was refitted. It is part of every number here.
    table : DataFrame
        What :meth:`to_frame` returns a copy of.
    reference : estimator
        The fit on all data.
    reference_ability : ndarray of shape (n_models, n_components)
        Its abilities.
    abilities : ndarray of shape (n_repeats, n_models, n_components)
        Those of the refits, columns matched: their standard deviation over
        resamples of the models is what the panel leaves unknown of them.
    """

    protocol: str
    table: pd.DataFrame
    reference: object
    reference_ability: np.ndarray
    abilities: np.ndarray

    @property
    def smallest(self):
        """The smallest correlation of matched abilities; NaN if one is undefined."""
        return float(self.table["ability"].min(skipna=False))

    def to_frame(self):
        """Return one row for each refit and dimension of the reference.

        Returns
        -------
        DataFrame
            Columns ``repeat``; ``dimension``; ``column`` and ``sign``, the refit's
            column that matches it and whether that was turned round (-1);
            ``ability`` and ``discrimination``, correlations with the reference over
            models and over items, axes as they came out; ``congruence`` of the
            discriminations (their correlation with the means left in); the same
            correlations after an oblique Procrustes rotation,
            ``ability_procrustes`` and ``discrimination_procrustes``; ``converged``.
            A correlation is NaN where abilities or discriminations are constant, and
            those after rotation where the refit's columns are linearly dependent.
        """
        return self.table.copy()

    def summary(self):
        """Return mean and smallest correlations of each dimension over the refits.

        Returns
        -------
        DataFrame, indexed by dimension
            Columns ``ability_mean``, ``ability_smallest`` and so on for each kind of
            correlation of :meth:`to_frame` (NaN where one is undefined), and
            ``moved``, the number of refits in which the dimension came out in
            another place or with another sign.
        """
        by = self.table.groupby("dimension")
        out: dict = {}
        for name in _MEASURES:
            out[f"{name}_mean"] = by[name].agg(lambda v: v.mean(skipna=False))
            out[f"{name}_smallest"] = by[name].agg(lambda v: v.min(skipna=False))
        moved = (self.table["column"] != self.table["dimension"]) | (
            self.table["sign"] < 0
        )
        out["moved"] = moved.groupby(self.table["dimension"]).sum()
        return pd.DataFrame(out)

    def __repr__(self):
        shown = self.summary()[
            [
                "ability_mean",
                "ability_smallest",
                "discrimination_mean",
                "ability_procrustes_mean",
                "moved",
            ]
        ]
        return (
            f"DimensionStability\n{self.protocol}\ncorrelations with the fit on all "
            f"data\n{shown.to_string(float_format='{:.3f}'.format)}"
        )


def make_table(results):
    """Lay the refits out as the table of a :class:`DimensionStability`.

    `results` are pairs of alignments (the second None where there is none) and
    whether the refit converged.
    """
    rows = []
    for repeat, (matched, rotated, converged) in enumerate(results):
        undefined = np.full(len(matched.signs), np.nan)
        rows.append(
            pd.DataFrame(
                {
                    "repeat": repeat,
                    "dimension": np.arange(len(matched.signs)),
                    "column": matched.permutation,
                    "sign": matched.signs,
                    "ability": matched.ability_correlation,
                    "discrimination": matched.discrimination_correlation,
                    "congruence": matched.congruence,
                    "ability_procrustes": undefined
                    if rotated is None
                    else rotated.ability_correlation,
                    "discrimination_procrustes": undefined
                    if rotated is None
                    else rotated.discrimination_correlation,
                    "converged": converged,
                }
            )
        )
    return pd.concat(rows, ignore_index=True)
