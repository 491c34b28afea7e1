"""Which items of a benchmark were found to depend on one another."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class ItemRedundancy:
    """Which items of a benchmark depend on one another beyond ability.

    Made by :func:`item_redundancy`.

    Attributes
    ----------
    pairs : DataFrame
        One row for each dependent pair, strongest first. Columns ``item_1``,
        ``item_2``; ``q3``, the correlation of their residuals; ``n_models``, those
        that answered both; ``agreement``, the share of equal answers among these, and
        ``expected_agreement``, the same if they depended on ability only;
        ``p_value``; ``p_adjusted``, for the number of pairs; ``kind``: "identical"
        (no different answer), "near-duplicate", "dependent" or "opposed" (negative);
        ``related``: are they of one of the `item_groups`?
    clusters : DataFrame indexed by cluster, largest first
        The connected components of the pairs with positive q3. Columns ``n_items``;
        ``n_pairs``; ``density``, the share of the cluster's pairs that are dependent;
        ``mean_q3`` of those; ``effective_n_items``; ``representative``, the item with
        the most dependence on the others.
    items : DataFrame indexed by item
        ``cluster`` (<NA> for items in none), ``n_partners``, ``largest_q3`` among its
        dependent pairs (NaN without), ``varies`` over the models, ``testable``: are
        its answers uncertain enough to show dependence at all?
    effective_n_items_ : float
        Number of independent items that carry as much information as those that vary.
    n_items, n_varying, n_testable : int
    mean_q3 : float
        Mean over all pairs of varying items; -1 / (n_items - 1) or so where nothing
        depends, because the abilities come from the same answers (Yen 1993).
    detectable_q3 : float
        About the smallest q3 that a pair of items of medium difficulty needs to be
        told from chance; 1 where the models are too few for any.
    protocol : str
        How pairs were tested.
    """

    pairs: pd.DataFrame
    clusters: pd.DataFrame
    items: pd.DataFrame
    effective_n_items_: float
    n_items: int
    n_varying: int
    n_testable: int
    mean_q3: float
    detectable_q3: float
    protocol: str

    def to_frame(self):
        """Return a copy of `pairs`."""
        return self.pairs.copy()

    def __repr__(self):
        counts = self.pairs["kind"].value_counts()
        kinds = ", ".join(f"{n} {kind}" for kind, n in counts.items()) or "none"
        return (
            f"ItemRedundancy of {self.n_items} items, {self.n_varying} of which vary "
            f"and {self.n_testable} can be tested\n{self.protocol}\n"
            f"dependent pairs: {kinds}\n{len(self.clusters)} clusters; effective "
            f"number of items {self.effective_n_items_:.1f} of {self.n_varying}"
        )
