"""What `FluidBenchmark` does with stored responses: replay tests, and what follows."""

from numbers import Integral

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from skirt._responses import check_responses, model_names
from skirt.adaptive._bench_bank import ready_bank
from skirt.adaptive._bench_results import (
    abilities_after,
    full_scores,
    looked_at,
    total_errors,
    warn_of_silent_models,
)
from skirt.adaptive._replay import replay_tests
from skirt.adaptive._replay_tables import replay_summary, replay_trace
from skirt.adaptive._score_criteria import SCORE_CRITERIA
from skirt.metrics import agreement_score
from skirt.metrics._labels import check_same_models


class ReplayMixin(TransformerMixin):
    """Replayed tests of a fitted bench."""

    def transform(self, X):
        """Replay the tests and return the abilities, one column for each.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen.

        Returns
        -------
        ndarray of shape (n_models, n_abilities)
        """
        ability, _ = self._abilities(self._replay(self._checked(X)), self.n_items)
        return ability.reshape(len(ability), -1)

    def predict(self, X, return_std=False):
        """Replay the tests and return the ability, or the expected score, at the end.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen. Items without a
            response (NaN) are never asked.
        return_std : bool or "total", default=False
            True adds the standard errors given the items; with "total" (one ability
            only, and no scores) both figures are those that the bank's own
            ``predict(X, return_std="total")`` gives for the responses that were
            looked at.

        Returns
        -------
        prediction : ndarray of shape (n_models,)
            With ``ranking="score"``, which "rank" and "score" imply, the expected
            full-benchmark score: what was looked at as it is, the rest predicted, as
            by :class:`FisherSubsetSelector` from the same answers.
            Otherwise, with a bank of one ability, the ability on the bank's scale: its
            calibration panel is N(0, 1). A model without any response gets the
            prior's mean ("ml" and "wl": NaN), with a warning. With a bank of several,
            the expected full-benchmark score at the abilities, as its own `predict`.
        prediction_std : ndarray of shape (n_models,)
            Only if `return_std`. With ``ranking="score"`` that of a prediction of the
            score that all items would show; of a score at the abilities by the delta
            method.
        """
        if not (isinstance(return_std, bool | np.bool_) or return_std == "total"):
            raise ValueError(
                f"return_std is {return_std!r}: give True, False or 'total'."
            )
        responses = self._checked(X)
        if self._by_score and isinstance(return_std, str):
            raise ValueError("return_std is 'total': give True or False for scores.")
        replay = self._replay(responses)
        if self._by_score:
            score, error = self._design.target.predict(looked_at(responses, replay))
            return (score, error) if return_std else score
        if return_std == "total":
            bank = self.estimator_
            return total_errors(bank, self.ability_method, responses, replay)
        ability, error = self._abilities(replay, self.n_items)
        if self._design.items.n_abilities > 1:
            bank = ready_bank(self.estimator_)
            ability, error = bank._expected_score(ability, replay.covariance)
        return (ability, error) if return_std else ability

    def predict_path(self, X, sizes):
        """Return the predictions after each of several numbers of items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen.
        sizes : array-like of int
            Numbers of items, none above `n_items`. A test that ended earlier keeps
            the prediction of its end.

        Returns
        -------
        ndarray of shape (n_sizes, n_models)
            Row by row what `predict` gives with that `n_items`, from one replay.
        """
        sizes = [self._checked_size(size) for size in np.atleast_1d(sizes)]
        responses = self._checked(X)
        replay = self._replay(responses)
        return np.stack([self._predictions(responses, replay, size) for size in sizes])

    def replay(self, X, *, return_summary=False):
        """Replay the tests and return every step of them.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all the items that `fit` has seen.
        return_summary : bool, default=False
            Whether to return one line for each model too.

        Returns
        -------
        trace : DataFrame
            One row for each step of each model: model, step (from 1), item,
            response, and ability and standard_error after the answer; with a bank
            of several abilities ability0, ..., standard_error0, ...
        summary : DataFrame, indexed by model
            Only with `return_summary`: n_items, ability, standard_error, and
            ``stopped``, the reason of the end: "standard_error", "change", "length"
            or "exhausted" (no item with a response was left).
        """
        responses = self._checked(X)
        replay = self._replay(responses)
        models = model_names(X, len(responses))
        trace = replay_trace(replay, models, self.item_names_)
        if not return_summary:
            return trace
        at_end = self._abilities(replay, self.n_items)
        return trace, replay_summary(replay, models, at_end)

    def score(self, X, y=None):
        """Return the agreement of the tests' ranking with a reference.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses to all items. The result says something about other models
            only if the bank was not calibrated on these.
        y : array-like of shape (n_models,), default=None
            The reference scores; the full-benchmark scores of `X` when None, by
            `target_weights` if there are any.

        Returns
        -------
        float
            Spearman's rank correlation between `predict` and the reference, as
            :func:`skirt.metrics.agreement_score` computes it.
        """
        responses = self._checked(X)
        replay = self._replay(responses)
        predicted = self._predictions(responses, replay, self.n_items)
        if y is None and (self._by_score or self.target_weights is not None):
            y = self._design.target.predict(responses)[0]
        elif y is None:
            y = full_scores(self.estimator_, responses)
        else:
            check_consistent_length(X, y)
            check_same_models(X, y, "X", "y")
        return agreement_score(y, predicted)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the transform's columns.

        They are ``ability``, or ``ability0``, ... with a bank of several.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        if self._design.items.n_abilities > 1:
            return ready_bank(self.estimator_).get_feature_names_out()
        return np.asarray(["ability"], dtype=object)

    def _checked_size(self, size):
        whole = isinstance(size, Integral | np.integer) and not isinstance(size, bool)
        if not whole or not 1 <= size <= self.n_items:
            raise ValueError(
                f"A test's length is an integer from 1 to n_items={self.n_items}; got "
                f"{size!r}."
            )
        return int(size)

    def _checked(self, X):
        check_is_fitted(self)
        return check_responses(self, X, reset=False, binarize=self.binarize)

    def _replay(self, responses):
        replay = replay_tests(self._design, responses)
        warn_of_silent_models(replay, self.ability_method)
        return replay

    def _abilities(self, replay, n_items):
        return abilities_after(replay, n_items, self.ability_method)

    @property
    def _by_score(self):
        if self.ranking == "auto":
            return self.criterion in SCORE_CRITERIA
        return self.ranking == "score"

    def _predictions(self, responses, replay, n_items):
        """Return what `predict` gives after so many items: one number for each."""
        if self._by_score:
            seen = looked_at(responses, replay, n_items)
            return self._design.target.predict(seen)[0]
        ability, _ = self._abilities(replay, n_items)
        if self._design.items.n_abilities == 1:
            return ability
        bank = ready_bank(self.estimator_)
        return bank._expected_score(ability, replay.covariance)[0]
