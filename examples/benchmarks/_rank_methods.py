"""Every way of choosing items on one split of the models, for `rank_selection.py`."""

import time
import warnings

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline

from skirt import (
    AnchorPointSelector,
    AutoSubsetSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)
from skirt.metrics import agreement_score

SIZES = (5, 10, 20, 50, 100, 200)
MEAN_DRAWS = 20
RIDGE_DRAWS = 5
ALPHAS = np.logspace(-1, 4, 11)
NORMAL_QUANTILE = 1.6448536269514722
# The size at which predicted scores are compared.
PREDICTED_SIZE = 100

COMPETITORS = (
    "random",
    "random + ridge",
    "total",
    "marginal",
    "stratified",
    "anchor points",
    "disagreement",
)
OURS = ("rank", "auto")


def evaluate(data, train, test, seed):
    """Fit every method on the train rows and rank the test rows.

    Returns
    -------
    list of dict
        method, k, rho; at `PREDICTED_SIZE` also error and coverage of predicted scores.
    """
    split = Split(data, train, test, seed)
    with warnings.catch_warnings():
        # Priors at their bound and the like: `real_data_table.py` tells of them.
        warnings.simplefilter("ignore")
        for measure in (split.random, split.one_dimension, split.others, split.ours):
            measure()
    return split.records


class Split:
    """One split of the models, and what has been measured on it."""

    def __init__(self, data, train, test, seed):
        self.X, self.y = data.X, data.y
        self.train, self.test, self.seed = train, test, seed
        self.groups = data.groups[train] if data.grouped else None
        self.sizes = [k for k in SIZES if k < self.X.shape[1]]
        self.records: list = []

    def add(self, method, k, predicted, error=None, *, score=True):
        """Record one prediction; `score` tells whether it is one of the score."""
        y = self.y[self.test]
        known = np.isfinite(predicted)
        record = {"method": method, "k": k, "seconds": None}
        record["rho"] = agreement_score(y[known], predicted[known])
        complete = known & ~np.isnan(self.X[self.test]).any(axis=1)
        if k == PREDICTED_SIZE and score and complete.any():
            off = np.abs(predicted - y)[complete]
            record["mae"] = float(off.mean())
            if error is not None:
                inside = off <= NORMAL_QUANTILE * error[complete]
                record["coverage"] = float(inside.mean())
        self.records.append(record)

    def mean(self, method, k, draws):
        """Average the records of several draws."""
        own, self.records[-draws:] = self.records[-draws:], []
        record = {"method": method, "k": k, "seconds": None}
        for key in ("rho", "mae"):
            values = [r[key] for r in own if key in r]
            if values:
                record[key] = float(np.mean(values))
        self.records.append(record)

    def random(self):
        X, test = self.X, self.test
        for k in self.sizes:
            for draw in range(MEAN_DRAWS):
                chooser = RandomSubsetSelector(k, random_state=1000 * self.seed + draw)
                self.add("random", k, chooser.fit(X[self.train]).predict(X[test]))
            self.mean("random", k, MEAN_DRAWS)
            for draw in range(RIDGE_DRAWS):
                chooser = RandomSubsetSelector(k, random_state=1000 * self.seed + draw)
                ridge = make_pipeline(
                    chooser, SimpleImputer(keep_empty_features=True), RidgeCV(ALPHAS)
                )
                ridge.fit(X[self.train], self.y[self.train])
                self.add("random + ridge", k, ridge.predict(X[test]))
            self.mean("random + ridge", k, RIDGE_DRAWS)

    def one_dimension(self):
        methods = {
            "total": FisherSubsetSelector(criterion="total"),
            "marginal": FisherSubsetSelector(),
            "stratified": FisherSubsetSelector(stratify="difficulty"),
            "p-IRT": FisherSubsetSelector(ranking="score"),
        }
        for method, selector in methods.items():
            selector.set_params(k=self.sizes[-1]).fit(self.X[self.train])
            for k in self.sizes:
                cut = selector.truncate(k)
                predicted, error = cut.predict(self.X[self.test], return_std=True)
                self.add(method, k, predicted, error, score=method == "p-IRT")

    def others(self):
        disagreement = DisagreementSelector(self.sizes[-1]).fit(self.X[self.train])
        for k in self.sizes:
            cut = disagreement.truncate(k)
            self.add("disagreement", k, cut.predict(self.X[self.test]))
            anchors = AnchorPointSelector(k, random_state=self.seed)
            anchors.fit(self.X[self.train])
            self.add("anchor points", k, anchors.predict(self.X[self.test]))

    def ours(self):
        X, test = self.X, self.test
        started = time.process_time()
        rank = FisherSubsetSelector(self.sizes[-1], criterion="rank")
        rank.fit(X[self.train], groups=self.groups)
        seconds = {"rank": time.process_time() - started}
        for k in self.sizes:
            self.add("rank", k, *rank.truncate(k).predict(X[test], return_std=True))
        started = time.process_time()
        auto = AutoSubsetSelector(self.sizes[-1], random_state=self.seed)
        auto.fit(X[self.train], groups=self.groups)
        seconds["auto"] = time.process_time() - started
        for k, predicted in zip(
            self.sizes, auto.predict_path(X[test], self.sizes), strict=True
        ):
            error = None
            if k == PREDICTED_SIZE:
                error = auto.predict_path(X[test], [k], return_std=True)[1][0]
            self.add("auto", k, predicted, error)
        for record in self.records:
            record["seconds"] = seconds.get(record["method"])
