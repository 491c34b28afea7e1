"""Which way of choosing items ranks held-out models best: agreement inside the panel.

Likelihood does not tell: a further dimension may predict answers better and still cost
agreement. So the panel is split again and again, each design chooses on the one part
and ranks the other, on Fisher's z scale, with much pooling over neighbouring sizes. Of
small panels the best mean is mostly the luckiest: what the splits say is weighed
against what simulated panels have shown beforehand.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from skirt._twopl import TwoPLEstimator
from skirt.metrics._ranks import spearman
from skirt.selection._banks import map_ability
from skirt.selection._greedy import fewest_standard_errors
from skirt.selection._score_ranking import ScoreRanking, default_banks, group_counts

DESIGNS = ("marginal", "rank", "rank, then random")
# What is taken where there is no evidence.
DEFAULT = "rank"
_RANK, _DRAWN = DESIGNS.index(DEFAULT), DESIGNS.index("rank, then random")

# From here on "rank, then random" draws.
_GREEDY_ITEMS = 20
# Sizes at which designs are compared.
_SIZES = np.array([5, 10, 20, 50, 100, 200])
# Larger panels are compared on a part: which design is best hardly depends on it.
_MOST_ITEMS = 1000
_MOST_MODELS = 250
# Cycles of the calibrations of the comparison.
_CYCLES = 12
# What is known beforehand of the gain of another design over the default with k items,
# on the z scale: mean and variance, each times k, up to so many items. In 70 simulated
# panels of 14 to 100 models "marginal" was behind by .02, .04, .06 and .15 with 5, 10,
# 20 and 50 items, with standard deviations between panels of .06, .09, .09 and .17,
# whatever the number of models; "rank, then random" by .14 with 50, with .17. (Banks of
# several dimensions weighed less at first then, which hardly moved "rank".)
_PRIOR_MEAN, _PRIOR_VARIANCE, _PRIOR_ITEMS = -0.003, 0.0009, 50
# No agreement counts as more than this.
_HIGHEST = 0.999
_NORMAL_QUANTILE = 1.6448536269514722
# Held-out models needed before intervals are stretched or narrowed by them.
_FEWEST_RESIDUALS = 30


@dataclass(frozen=True)
class Designs:
    """The orders and predictions of all designs, fitted to one panel.

    Attributes
    ----------
    bank : fitted estimator
        Of one dimension.
    orders : dict of str to ndarray of int of shape (k,)
    rankings : dict of str to ScoreRanking
    """

    bank: TwoPLEstimator
    orders: dict
    rankings: dict

    @classmethod
    def fit(cls, panel, k, rng, calibrate, **bank_options):
        """Calibrate the banks and choose by every design.

        Parameters
        ----------
        panel : Panel
        k : int
        rng : Generator
        calibrate : callable
            Takes an unfitted bank and responses; returns the fitted bank and whether
            these responses have calibrated it.
        **bank_options
            Of `default_banks`.
        """
        responses, target = panel.responses, panel.target
        given = default_banks(responses, panel.n_groups, **bank_options)
        banks, shaped = zip(
            *(calibrate(bank, responses) for bank in given), strict=True
        )
        several = ScoreRanking.of(banks, target)
        rank = several.order(
            responses, k, shaped=shaped, counts=panel.counts, dense=True
        )
        drawn = rng.permutation(responses.shape[1])
        drawn = drawn[~np.isin(drawn, rank[:_GREEDY_ITEMS])]
        information = banks[0].item_information(map_ability(banks[0], responses)).T
        marginal = fewest_standard_errors(
            np.ascontiguousarray(information), k, counts=panel.counts
        )
        then_random = np.concatenate([rank[:_GREEDY_ITEMS], drawn])[:k]
        one = ScoreRanking.of(banks[:1], target)
        return cls(
            banks[0],
            dict(zip(DESIGNS, (marginal, rank, then_random), strict=True)),
            dict(zip(DESIGNS, (one, several, several), strict=True)),
        )

    def predict(self, design, k, responses):
        """Scores and standard errors from the first `k` items of a design."""
        chosen = np.sort(self.orders[design][:k])
        return self.rankings[design].predict(chosen, responses[:, chosen])


@dataclass(frozen=True)
class Panel:
    """Models to choose on.

    Attributes
    ----------
    responses : ndarray of shape (n_models, n_items)
    target : ndarray of shape (n_items,)
        Weights of the items in the score, sum 1.
    group : ndarray of int of shape (n_models,)
    """

    responses: np.ndarray
    target: np.ndarray
    group: np.ndarray

    @property
    def counts(self):
        """How much each model counts; None where all count once."""
        if self.n_groups == len(self.group):
            return np.ones(len(self.group))
        return group_counts(np.unique(self.group, return_inverse=True)[1])

    @property
    def n_groups(self):
        """Number of independent models."""
        return len(np.unique(self.group))


@dataclass(frozen=True)
class Evidence:
    """What the splits of the panel have shown.

    Attributes
    ----------
    sizes : ndarray of int of shape (n_sizes,)
    agreement : ndarray of shape (n_splits, n_designs, n_sizes)
        On Fisher's z scale.
    stretch : ndarray of shape (n_designs, n_sizes)
        By how much 90 % intervals must be widened to hold 90 % of held-out models.
    """

    sizes: np.ndarray
    agreement: np.ndarray
    stretch: np.ndarray

    def design(self, k):
        """The design to take for `k` items: the one of highest expected agreement."""
        gain = self.expected_gain(k)
        # Where no other is expected to gain, the default is taken.
        return DESIGNS[int(np.argmax(gain)) if gain.max() > 0 else _RANK]

    def expected_gain(self, k):
        """Posterior means of the designs' gains over the default, on the z scale.

        The paired differences of the splits are weighed against what is known
        beforehand. As splits share models, the variance of their mean is the one of
        Nadeau and Bengio (2003) for halves.
        """
        n_splits = len(self.agreement)
        if not self.sizes.size or n_splits < 2:
            return np.zeros(len(DESIGNS))
        pooled = self.agreement @ self._near(k)
        gain = pooled - pooled[:, [_RANK]]
        noise = gain.var(axis=0, ddof=1) * (1.0 / n_splits + 1.0)
        k = min(k, _PRIOR_ITEMS)
        between = _PRIOR_VARIANCE * k
        known = between * gain.mean(axis=0) + noise * _PRIOR_MEAN * k
        return known / (between + noise)

    def stretch_of(self, design, k):
        """The factor for the standard errors of a design at `k` items."""
        if not self.sizes.size:
            return 1.0
        log = np.log(self.stretch[DESIGNS.index(design)])
        return float(np.exp(log @ self._near(k)))

    def _near(self, k):
        """Weights of the sizes compared: falling to .61 at half and twice the size."""
        k = np.clip(k, self.sizes[0], self.sizes[-1])
        weights = np.exp(-0.5 * np.square(np.log2(self.sizes / k)))
        return weights / weights.sum()

    def table(self):
        """Mean agreement, one row for each design and one column for each size."""
        return pd.DataFrame(
            np.tanh(self.agreement.mean(axis=0)),
            index=pd.Index(DESIGNS, name="design"),
            columns=pd.Index(self.sizes, name="k"),
        )


NO_EVIDENCE = Evidence(
    np.empty(0, int), np.empty((1, len(DESIGNS), 0)), np.empty((len(DESIGNS), 0))
)


def gather_evidence(panel, score, n_splits, rng, calibrate):
    """Let every design choose on one half of the models and rank the other.

    Parameters
    ----------
    panel : Panel
    score : ndarray of shape (n_models,)
        Full-benchmark scores.
    n_splits : int
    rng : Generator
    calibrate : callable
        As of `Designs.fit`.

    Returns
    -------
    Evidence
    """
    n_items = panel.responses.shape[1]
    sizes = _SIZES[_SIZES <= min(n_items, _MOST_ITEMS) // 2]
    if not sizes.size:
        return NO_EVIDENCE
    shape = n_splits, len(DESIGNS), len(sizes)
    agreement = np.full(shape, np.nan)
    residuals: list = []
    with warnings.catch_warnings():
        # Halves of a panel, calibrated in few cycles, have much to warn of.
        warnings.simplefilter("ignore")
        for split in range(n_splits):
            train, test, items = _split(panel, rng)
            part = _part(panel, train, items)
            tested = panel.responses[np.ix_(test, items)]
            designs = Designs.fit(part, sizes[-1], rng, calibrate, max_iter=_CYCLES)
            truth, known = _observed_score(tested, part.target)
            found = np.full((*shape[1:], len(test)), np.nan)
            for row, design in enumerate(DESIGNS):
                for column, k in enumerate(sizes):
                    if row == _DRAWN and k <= _GREEDY_ITEMS:
                        # Until then the same items.
                        agreement[split, row, column] = agreement[split, _RANK, column]
                        found[row, column] = found[_RANK, column]
                        continue
                    predicted, error = designs.predict(design, k, tested)
                    rho = spearman(score[test], predicted)
                    agreement[split, row, column] = rho
                    off = np.abs(predicted - truth) / np.maximum(error, 1e-9)
                    found[row, column] = np.where(known, off, np.nan)
            residuals.append(found)
        z = np.arctanh(np.clip(agreement, -_HIGHEST, _HIGHEST))
        off = np.concatenate(residuals, axis=-1)
        stretch = np.nanquantile(off, 0.9, axis=-1) / _NORMAL_QUANTILE
    # A half of the models that all have one score tells nothing.
    z = z[np.isfinite(z).all(axis=(1, 2))]
    if not len(z):
        return NO_EVIDENCE
    known = np.isfinite(off).sum(axis=-1) >= _FEWEST_RESIDUALS
    return Evidence(sizes, z, np.where(known, np.maximum(stretch, 0.1), 1.0))


def _split(panel, rng):
    """Draw models to choose on, models to rank and items; groups stay whole."""
    labels = rng.permutation(np.unique(panel.group))
    half = labels[: (len(labels) + 1) // 2]
    rows = rng.permutation(len(panel.group))
    inside = np.isin(panel.group[rows], half)
    train, test = rows[inside][:_MOST_MODELS], rows[~inside][:_MOST_MODELS]
    items = rng.permutation(panel.responses.shape[1])[:_MOST_ITEMS]
    # Of items that do not enter the score alone nothing could be learned.
    if not panel.target[items].any():
        items = np.argsort(-panel.target, kind="stable")[:_MOST_ITEMS]
    return np.sort(train), np.sort(test), np.sort(items)


def _part(panel, rows, items):
    rows = rows[~np.isnan(panel.responses[np.ix_(rows, items)]).all(axis=1)]
    target = panel.target[items]
    responses = panel.responses[np.ix_(rows, items)]
    return Panel(responses, target / target.sum(), panel.group[rows])


def _observed_score(responses, target):
    """Weighted means, and for which models everything was observed."""
    known = ~(np.isnan(responses) & (target > 0)).any(axis=1)
    return np.nan_to_num(responses) @ target, known
