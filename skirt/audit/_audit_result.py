"""What an audit of benchmarks found."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from skirt.audit._audit_page import audit_page


@dataclass(frozen=True, repr=False, eq=False)
class BenchmarkAudit:
    """What each benchmark, sub-group, item and model is found to be.

    Made by :func:`benchmark_audit`, whose notes say how the figures come about.
    Abilities are called ability0, ability1, ... in the estimator's order; a column
    that ends in `...` is there once for each.

    Attributes
    ----------
    benchmarks : DataFrame, indexed by benchmark
        ``n_items``, ``n_varying`` (on which models differ), ``n_models`` (that
        answered it), ``mean_score``; ``target``, as declared, and ``target_ability``,
        what it stands for; ``dominant``, the ability with which the score correlates
        most; ``follows``, the same where that is significant and its weight twice that
        of any other; ``correlation_...``, ``weight_...`` (standardised) and
        ``recovered_...`` of the abilities without the benchmark, and the
        ``reliability`` of the worst-known mixture of them; ``compared``, which
        two abilities, and the ``difference`` of its correlations with them, with
        ``low``, ``high``, ``p`` and ``p_adjusted``; ``circular_correlation_...``, with
        the abilities from all items, descriptive only; ``discrimination_...``, the
        items' mean, with ``..._low`` and ``..._high``; ``information_share_...``;
        ``purity``; ``hidden_correlation``, ``hidden_p`` and ``hidden_p_adjusted`` of
        the search for two kinds of items; ``contradicts_target`` (<NA> where it cannot
        be said); ``split``; ``verdict``, all this in words.
    subgroups : DataFrame
        One row for each sub-group of a benchmark with several: the benchmark,
        ``column`` and ``subgroup``; ``n_items``, ``n_varying``, ``mean_score``,
        ``dominant``, ``correlation_...``, ``weight_...`` (abilities without the
        benchmark); ``latent_correlation`` with the rest of the benchmark, ``p``,
        ``p_adjusted``, ``differs``, ``verdict``.
    items : DataFrame, indexed by item
        The benchmark and sub-groups; ``discrimination_...`` and ``..._se``;
        ``intercept``; ``mdisc`` and ``mdiff``, multidimensional discrimination and
        difficulty; ``dominant``, the ability with the largest discrimination in
        absolute value (None where all models answer alike); the estimator's item
        flags.
    models : DataFrame, indexed by model
        ``n_answers``; ``ability...`` and ``ability..._se`` from all items;
        ``mean_<benchmark>``, the mean score, adjusted for which items were answered.
    dimensions : DataFrame, indexed by ability
        ``targets`` that stand for it, ``explained_share``, ``n_followers`` and
        ``followers`` (benchmarks), and the ``correlation_...`` of abilities.
    estimator_ : estimator
        Fitted to all items.
    protocol : str
        How the figures were found. It is part of each of them.
    """

    benchmarks: pd.DataFrame
    subgroups: pd.DataFrame
    items: pd.DataFrame
    models: pd.DataFrame
    dimensions: pd.DataFrame
    estimator_: object
    protocol: str

    def to_frame(self):
        """Return a copy of the table of benchmarks.

        Returns
        -------
        DataFrame
        """
        return self.benchmarks.copy()

    def to_html(self, path=None):
        """Return the audit as one page of HTML, and write it if a path is given.

        The page holds its pictures and styles itself, and no script; it explains its
        words.

        Parameters
        ----------
        path : str or path-like, default=None
            Where to write it.

        Returns
        -------
        str
        """
        page = audit_page(self)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def summary(self):
        """Return the findings in a few lines.

        Returns
        -------
        str
        """
        table = self.benchmarks
        names = list(self.dimensions.index)
        shown = table[[f"correlation_{name}" for name in names]].round(2)
        shown.columns = names
        longest = table["verdict"].str.len().max()
        shown = shown.assign(
            purity=table["purity"].round(2), verdict=table["verdict"].str.ljust(longest)
        )
        shown.index.name = None
        claims = [
            f"{name} is what benchmarks declared as {targets} should follow"
            for name, targets in self.dimensions["targets"].items()
            if targets
        ]
        lines = [
            f"BenchmarkAudit of {len(table)} benchmarks: {len(self.models)} models x "
            f"{len(self.items)} items, {len(names)} abilities",
            self.protocol,
            *claims,
            "correlation of each benchmark's score with the abilities estimated "
            "without it",
            shown.to_string(max_colwidth=None, justify="left"),
        ]
        return "\n".join(lines)

    def __repr__(self):
        return self.summary()
