"""All the figures of an audit, before they are laid out in tables."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from skirt._threads import one_blas_thread
from skirt.audit._benchmark_figures import (
    empirical_precision,
    information_shares,
    log_odds,
    mean_discrimination_influence,
    mean_scores,
    purity,
)
from skirt.audit._benchmark_tests import FEWEST_GROUPS, Links, holm, link
from skirt.audit._hidden_split import HiddenSplit, hidden_split
from skirt.audit._item_table import ItemTable
from skirt.audit._judgement import (
    RECOVERED,
    RELIABLE,
    SAME,
    assign_targets,
    compare_subgroups,
    judge_benchmarks,
)
from skirt.audit._leave_out import Whole

# Sub-groups, and the rest of their benchmarks, need this many items that vary; the
# scores of fewer are coarse.
FEWEST_ITEMS = 5


@dataclass(frozen=True)
class Subgroup:
    """Some items of a benchmark, by position, and the rest of its labelled ones."""

    column: str
    benchmark: int
    name: str
    items: np.ndarray
    rest: np.ndarray


@dataclass
class Study:
    """What goes into an audit, and every figure that comes of it.

    Attributes
    ----------
    table : ItemTable
    whole : Whole
    left_out : list of LeftOut
    responses : ndarray of shape (n_models, n_items)
    varying : ndarray of shape (n_items,), bool
    multiplicities : ndarray of shape (1 + n_bootstrap, n_models)
    group_code : ndarray of shape (n_models,), int
    alpha : float
    rng : numpy.random.Generator
        Halves the models.
    """

    table: ItemTable
    whole: Whole
    left_out: list
    responses: np.ndarray
    varying: np.ndarray
    multiplicities: np.ndarray
    group_code: np.ndarray
    alpha: float
    rng: np.random.Generator

    def __post_init__(self):
        self.size = self.whole.discrimination.shape[1]
        self.n_groups = len(np.unique(self.group_code))
        self.dimension_names = [f"ability{k}" for k in range(self.size)]
        self.run()

    @one_blas_thread
    def run(self):
        """Compute everything."""
        code, names = self.table.code, self.table.names
        self.members = [np.flatnonzero(code == b) for b in range(len(names))]
        self.scores = np.column_stack(
            [mean_scores(self.responses, own) for own in self.members]
        )
        self.links = [self._link(b, self.scores[:, b]) for b in range(len(names))]
        self.circular = np.array([self._circular(score) for score in self.scores.T])
        self.purity = [
            np.nan
            if left.abilities is None
            else purity(self.responses, own[self.varying[own]], left.abilities)
            for own, left in zip(self.members, self.left_out, strict=True)
        ]
        self._items()
        correlation = np.array([links.correlation[0] for links in self.links])
        self.label_dimension = assign_targets(
            self.table.target, correlation, self.dimension_names
        )
        targets = [
            None if label is None else self.label_dimension[label]
            for label in self.table.target
        ]
        self.targets = targets
        self.testable = [
            links.n_groups >= FEWEST_GROUPS and self.is_solid(b)
            for b, links in enumerate(self.links)
        ]
        self.findings = judge_benchmarks(self.links, self.testable, targets, self.alpha)
        self._subgroups()
        self._hidden()

    def lost(self, b):
        """Return the ability that is not to be had without a benchmark, or None."""
        recovered = self.left_out[b].recovered
        bad = np.flatnonzero(~(recovered >= RECOVERED))
        return int(bad[0]) if len(bad) else None

    def is_solid(self, b):
        """Whether the other benchmarks show the same abilities, and well enough."""
        return self.lost(b) is None and self.left_out[b].reliability >= RELIABLE

    def _link(self, b, score):
        abilities = self.left_out[b].abilities
        if abilities is None:
            nothing = np.full((len(self.multiplicities), self.size), np.nan)
            return Links(nothing, nothing, nothing, 0)
        return link(score, abilities, self.multiplicities, self.group_code)

    def _circular(self, score):
        use = np.isfinite(score)
        if use.sum() < 3 or np.ptp(score[use]) == 0:
            return np.full(self.size, np.nan)
        ability = self.whole.ability[use]
        varies = np.ptp(ability, axis=0) > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            r = np.corrcoef(score[use], ability.T)[0, 1:]
        return np.where(varies, r, np.nan)

    def _items(self):
        """Mean discriminations with intervals, and shares of information."""
        bank, a = self.whole.bank, self.whole.discrimination
        d, code = bank.intercept_, self.table.code
        unknown = np.full(a.shape, np.nan)
        self.discrimination_se = getattr(bank, "discrimination_se_", unknown)
        self.information_share = information_shares(
            self.responses, self.whole.ability, a, d, code
        )
        self.mean_discrimination = np.array(
            [
                a[own[self.varying[own]]].mean(axis=0)
                if self.varying[own].any()
                else np.full(self.size, np.nan)
                for own in self.members
            ]
        )
        self.discrimination_reach = np.full(
            (2, *self.mean_discrimination.shape), np.nan
        )
        if self.n_groups < FEWEST_GROUPS or not self.varying.any():
            return
        variance = np.square(
            np.column_stack(
                [self.discrimination_se, getattr(bank, "intercept_se_", unknown[:, 0])]
            )
        )
        influence = mean_discrimination_influence(
            self.responses,
            self.whole.ability,
            a,
            d,
            empirical_precision(
                a[self.varying], d[self.varying], variance[self.varying]
            ),
            code,
            self.varying,
        )
        extra = self.multiplicities[1:] - 1.0
        moved = (extra @ influence.reshape(len(influence), -1)).reshape(
            len(extra), *influence.shape[1:]
        )
        tails = self.alpha / 2, 1 - self.alpha / 2
        self.discrimination_reach = np.quantile(moved, tails, axis=0)

    def _subgroups(self):
        """Compare each sub-group with the rest of its benchmark."""
        rows, pairs, own_links = [], [], []
        for column in self.table.subgroups:
            labels = self.table.subgroups[column].to_numpy()
            for b, own in enumerate(self.members):
                named = own[pd.notna(labels[own])]
                kinds = list(dict.fromkeys(labels[named]))
                if len(kinds) < 2:
                    continue
                sides: dict = {}
                for kind in kinds:
                    own = labels[named] == kind
                    row = Subgroup(str(column), b, kind, named[own], named[~own])
                    rows.append(row)
                    pair = self._pair(row, sides)
                    pairs.append(pair)
                    own_links.append(
                        None
                        if pair is None
                        else self._link(b, mean_scores(self.responses, row.items))
                    )
        self.subgroup_rows, self.subgroup_links = rows, own_links
        along, p, p_adjusted = compare_subgroups(pairs)
        self.subgroup_tests = along, p, p_adjusted
        self.subgroup_differs = (p_adjusted < self.alpha) & (along < SAME)

    def fewest_varying(self, row):
        """The items that vary in a sub-group or the rest, whichever are fewer."""
        return min(self.varying[items].sum() for items in (row.items, row.rest))

    def _pair(self, row, sides):
        """Links of a sub-group and the rest; None where they cannot be tested.

        `sides` keeps them, so that of two sub-groups each is the other's rest.
        """
        if self.fewest_varying(row) < FEWEST_ITEMS or self.size < 2:
            return None
        if not self.is_solid(row.benchmark):
            return None
        for items in (row.items, row.rest):
            if items.tobytes() not in sides:
                score = log_odds(mean_scores(self.responses, items), len(items))
                sides[items.tobytes()] = self._link(row.benchmark, score)
        return sides[row.items.tobytes()], sides[row.rest.tobytes()]

    def _hidden(self):
        """Search each benchmark for two kinds of items."""
        self.hidden = []
        for b, own in enumerate(self.members):
            seed = self.rng.integers(2**32)
            abilities = self.left_out[b].abilities
            if abilities is None or not self.testable[b]:
                self.hidden.append(HiddenSplit())
                continue
            self.hidden.append(
                hidden_split(
                    self.responses[:, own[self.varying[own]]],
                    abilities,
                    self.multiplicities,
                    self.group_code,
                    self.alpha,
                    np.random.default_rng(seed),
                )
            )
        self.hidden_p_adjusted = holm([found.p for found in self.hidden])
        self.hidden_differs = [
            bool(p < self.alpha and found.dimensions is not None)
            for p, found in zip(self.hidden_p_adjusted, self.hidden, strict=True)
        ]
