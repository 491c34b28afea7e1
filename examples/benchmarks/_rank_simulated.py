"""Simulated panels of many kinds, for `rank_selection.py`.

The constants of the selection were found on such panels, never on the real sets.
"""

import warnings

import numpy as np
from scipy.special import expit
from sklearn.frozen import FrozenEstimator

from skirt import (
    AnchorPointSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)
from skirt.metrics import agreement_score

SIZES = (5, 10, 20, 50)
MODELS = (8, 14, 28, 60, 100)
SIMULATED_METHODS = (
    "random",
    "anchor points",
    "disagreement",
    "stratified",
    "marginal",
    "rank, one bank",
    "rank",
)
# Models that are ranked, and draws of random items.
N_TESTED, N_DRAWS = 200, 8


def simulate(seed):
    """Draw a panel and models to rank.

    One to four abilities, correlated .3 to .9; benchmarks of unequal size and
    sharpness; topics with abilities of their own; hard or easy items, guessing; models
    that crowd at the low end or come in two sorts, or whose answers to some topics are
    spoiled; families; a trait that helps on some topics and harms on others; topics
    that run against the rest; whole benchmarks not taken.

    Returns
    -------
    X : ndarray of shape (n_models, n_items)
    tested : ndarray of shape (N_TESTED, n_items)
    family : ndarray of int of shape (n_models,)
    kind : str
        "one dimension", "topics too", "several", "trait" or "against".
    """
    rng = np.random.default_rng(seed)
    n_groups = MODELS[seed % len(MODELS)]
    n_items, n_dimensions = (
        int(rng.choice([100, 250])),
        int(rng.choice([1, 1, 2, 3, 4])),
    )
    size = 3 if rng.random() < 0.2 else 1
    family = np.repeat(np.arange(n_groups), size)
    n_topics = max(3, n_items // 40)
    items = _Items(rng, n_items, n_dimensions, n_topics)
    crowd, two_sorts = rng.random() < 0.25, rng.random() < 0.3
    spoiled = rng.choice([0.0, 0.0, 0.05, 0.12])

    def abilities(group):
        def normal(columns):
            between = rng.normal(size=(group.max() + 1, columns))[group]
            within = rng.normal(size=(len(group), columns))
            return between if size == 1 else 0.92 * between + 0.39 * within

        theta = normal(n_dimensions) @ items.root.T
        if crowd:
            theta = (np.exp(0.6 * theta) - 1.197) / 0.788
        if two_sorts:
            theta = 0.6 * theta + rng.choice([-0.64, 0.95], (group.max() + 1, 1))[group]
        return np.column_stack([theta, normal(1)]), normal(n_topics)

    def answers(group):
        theta, own = abilities(group)
        logits = items.logits(theta, own)
        for row in np.flatnonzero(rng.random(len(group)) < spoiled):
            some = rng.choice(n_topics, max(1, n_topics // rng.integers(2, 8)), False)
            logits[row, np.isin(items.topic, some)] -= rng.uniform(1.5, 4)
        p = items.guessing + (1 - items.guessing) * expit(logits)
        return (rng.random(p.shape) < p) * 1.0

    items.centre(*abilities(np.arange(500)), rng.choice([0.12, 0.3, 0.5, 0.7]))
    X, tested = answers(family), answers(np.arange(N_TESTED))
    if rng.random() < 0.12:
        part = items.dimension if n_dimensions > 1 else items.topic % 2
        for benchmark in range(2):
            out = rng.random(len(X)) < 0.25
            X[np.ix_(out, part == benchmark)] = np.nan
        kept = ~np.isnan(X).all(axis=1)
        X, family = X[kept], family[kept]
    return X, tested, family, items.kind


class _Items:
    """Items of one panel."""

    def __init__(self, rng, n_items, n_dimensions, n_topics):
        correlation = np.full((n_dimensions, n_dimensions), rng.uniform(0.3, 0.9))
        np.fill_diagonal(correlation, 1.0)
        self.root = np.linalg.cholesky(correlation)
        share = rng.dirichlet(np.full(n_dimensions, 3.0))
        self.dimension = np.sort(rng.choice(n_dimensions, n_items, p=share))
        self.topic = np.sort(rng.integers(0, n_topics, n_items))
        spread = np.sqrt(np.log1p(rng.uniform(0.3, 1.0) ** 2))
        mean = np.log(rng.uniform(0.6, 1.8)) - 0.5 * spread**2
        slope = rng.lognormal(mean, spread, n_items)
        self.slopes = 0.1 * slope[:, None] * rng.normal(size=(n_items, n_dimensions))
        sharp = rng.lognormal(0, 0.3, n_dimensions)[self.dimension]
        self.slopes[np.arange(n_items), self.dimension] += slope * sharp
        self.of_topic = rng.choice([0.0, 0.3, 0.6]) * slope
        self.guessing = rng.choice([0.0, 0.0, 0.1, 0.25])
        self.kind = "several" if n_dimensions > 1 else "one dimension"
        if n_dimensions == 1 and self.of_topic.any():
            self.kind = "topics too"
        trait = np.zeros(n_items)
        if rng.random() < 0.15:
            side = rng.random(n_topics) < rng.uniform(0.4, 0.7)
            trait = np.where(side, 1, -1)[self.topic] * rng.uniform(0.5, 1.5)
            trait = trait * rng.lognormal(0, 0.4, n_items)
            self.kind = "trait"
        elif rng.random() < 0.2:
            self.slopes[self.topic == rng.integers(n_topics)] *= -0.6
            self.kind = "against"
        hardness = rng.normal(0, rng.uniform(0.7, 2.0), n_items)
        self.intercept = -hardness * np.maximum(np.abs(self.slopes).max(axis=1), 0.3)
        self.slopes = np.column_stack([self.slopes, trait])

    def logits(self, theta, own):
        return (
            theta @ self.slopes.T + own[:, self.topic] * self.of_topic + self.intercept
        )

    def centre(self, theta, own, score):
        """Shift the intercepts so that the mean score without guessing is as wanted."""
        logits = self.logits(theta, own)
        low, high = -12.0, 12.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            below = expit(logits + middle).mean() < score
            low, high = (middle, high) if below else (low, middle)
        self.intercept = self.intercept + low


def evaluate_simulated(seed):
    """Rank the models of one simulated panel by every method.

    Returns
    -------
    dict
        seed, models (independent ones, before gaps), kind, and records of method, k,
        rho.
    """
    X, tested, family, kind = simulate(seed)
    y = tested.mean(axis=1)
    records: list = []

    def add(method, k, predicted):
        rho = agreement_score(y, predicted)
        records.append({"method": method, "k": k, "rho": float(rho)})

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        most = SIZES[-1]
        rank = FisherSubsetSelector(most, criterion="rank").fit(X, groups=family)
        bank = FrozenEstimator(rank.estimator_)
        marginal = FisherSubsetSelector(most, estimator=bank).fit(X, groups=family)
        one = FisherSubsetSelector(most, criterion="rank", estimator=bank)
        one.fit(X, groups=family)
        nested = {
            "disagreement": DisagreementSelector(most).fit(X),
            "marginal": marginal,
            "rank, one bank": one,
            "rank": rank,
        }
        for k in SIZES:
            draws = [
                RandomSubsetSelector(k, random_state=draw).fit(X).score(tested)
                for draw in range(N_DRAWS)
            ]
            records.append({"method": "random", "k": k, "rho": float(np.mean(draws))})
            for method, selector in nested.items():
                add(method, k, selector.truncate(k).predict(tested))
            stratified = FisherSubsetSelector(
                k, criterion="total", stratify="difficulty", estimator=bank
            )
            for method, selector in {
                "anchor points": AnchorPointSelector(k, random_state=0),
                "stratified": stratified,
            }.items():
                add(method, k, selector.fit(X).predict(tested))
    models = MODELS[seed % len(MODELS)]
    return {"seed": seed, "models": models, "kind": kind, "records": records}
