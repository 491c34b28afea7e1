"""Abilities after some answers, each model having answered items of its own."""

import numpy as np
from scipy.special import expit

from skirt._ability import _Scores

# Where the maximum of the likelihood is kept unless bounds are given.
_ML_BOUNDS = (-4.0, 4.0)
# Answers to make room for at a time.
_FEWEST = 16


class InterimAbilities:
    """The answers of models to items of their own, and the abilities they give.

    Parameters
    ----------
    items : LogisticItems
    method : {"map", "eap", "ml", "wl"}
    bounds : (low, high) or None
        "ml" stays within (-4, 4) where there are none.
    n_models, n_answers : int
        Room for so many answers of each model; there will be more if needed.
    """

    def __init__(self, items, method, bounds, n_models, n_answers):
        self._items = items
        self._method = method
        self._bounds = _ML_BOUNDS if bounds is None and method == "ml" else bounds
        # A slope of 0 fills up the rows: such an answer says nothing.
        self._slopes = np.zeros((n_models, n_answers))
        self._intercepts = np.zeros((n_models, n_answers))
        self._answers = np.zeros((n_models, n_answers))

    def record(self, models, place, items, answers):
        """Take up the answers with these numbers, counted from 0."""
        room = self._slopes.shape[1]
        if place.max(initial=-1) >= room:
            self._grow(max(_FEWEST, room))
        self._slopes[models, place] = self._items.discrimination[items]
        self._intercepts[models, place] = self._items.intercept[items]
        self._answers[models, place] = answers

    def estimate(self, models, n_answers, start, posterior):
        """Estimate abilities and their standard errors.

        Parameters
        ----------
        models : ndarray of int
        n_answers : int
            The most answers that one of them has given.
        start : ndarray of shape (n_models,)
            Finite abilities to search from: those before the last answer.
        posterior : GridPosterior or None
            Needed for "eap".

        Returns
        -------
        ability, standard_error : ndarray of shape (n_models,)
            The abilities are finite. The errors are 1 / sqrt(1 + I) for "map", the
            posterior standard deviation for "eap", and 1 / sqrt(I) for "ml" and "wl",
            with I the information at the estimate.
        """
        if self._method == "eap":
            return posterior.moments(models)
        equations = _GatheredScores(
            self._slopes[models, :n_answers],
            self._intercepts[models, :n_answers],
            self._answers[models, :n_answers],
            self._method,
        )
        ability = self._solved(equations, start)
        information = equations.information(ability)
        if self._method == "map":
            information += 1.0
        with np.errstate(divide="ignore"):
            return ability, 1.0 / np.sqrt(information)

    def after_one_more(self, models, n_answers, start, posterior, answer):
        """Estimate the abilities as they would be after one more answer.

        Parameters
        ----------
        models, n_answers, start, posterior
            As in `estimate`.
        answer : {0.0, 1.0}

        Returns
        -------
        ndarray of shape (n_models, n_items)
            With this answer to each item in turn.
        """
        if self._method == "eap":
            mass, moment = posterior.expect(models, "probability", (0, 1))
            mean = np.tile(posterior.moments(models)[0][:, None], mass.shape[1])
            if answer == 0.0:
                mass, moment = 1.0 - mass, mean - moment
            return np.divide(moment, mass, out=mean, where=mass > 0)
        items = self._items
        shape = len(models), len(items), n_answers + 1

        def with_one_more(told, last):
            table = np.empty(shape)
            table[:, :, :-1] = told[models, None, :n_answers]
            table[:, :, -1] = last
            return table.reshape(-1, n_answers + 1)

        equations = _GatheredScores(
            with_one_more(self._slopes, items.discrimination),
            with_one_more(self._intercepts, items.intercept),
            with_one_more(self._answers, answer),
            self._method,
        )
        ability = self._solved(equations, np.repeat(start, len(items)))
        return ability.reshape(shape[:2])

    def _solved(self, equations, start):
        ability = equations.solve(start)
        if self._bounds is not None:
            np.clip(ability, *self._bounds, out=ability)
        # There is no likelihood to speak of where no item discriminates.
        return np.where(np.isnan(ability), start, ability)

    def _grow(self, more):
        for name in ("_slopes", "_intercepts", "_answers"):
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, more))))


class _GatheredScores(_Scores):
    """The estimating equations of models that answered items of their own."""

    def __init__(self, slopes, intercepts, answers, method):
        self.a, self.d = slopes, intercepts
        self.method = method
        self.right = np.einsum("nk,nk->n", slopes, answers)

    def information(self, theta):
        p = expit(self.a * theta[:, None] + self.d)
        return np.einsum("nk,nk->n", np.square(self.a), p * (1.0 - p))

    def _score(self, theta, rows):
        whole = rows.size == self.right.size
        a = self.a if whole else self.a[rows]
        d = self.d if whole else self.d[rows]
        p = expit(a * theta[:, None] + d)
        score = self.right[rows] - np.einsum("nk,nk->n", a, p)
        p *= 1.0 - p
        squared = np.square(a)
        information = np.einsum("nk,nk->n", squared, p)
        if self.method == "map":
            return score - theta, information + 1.0
        information = np.maximum(information, 1e-300)
        if self.method == "wl":
            # 1 - 2 P, from the logit: P (1 - P) is in p by now.
            skewness = squared * a * p * -np.tanh(0.5 * (a * theta[:, None] + d))
            score = score + 0.5 * skewness.sum(axis=1) / information
        return score, information

    def _without_maximum(self, theta):
        best = np.maximum(self.a, 0.0).sum(axis=1)
        worst = np.minimum(self.a, 0.0).sum(axis=1)
        nothing = best - worst <= 0
        theta = np.where(nothing, np.nan, theta)
        if self.method == "wl":
            return theta, np.flatnonzero(~nothing)
        slack = 1e-12 * np.maximum(best - worst, 1e-300)
        top = ~nothing & (self.right >= best - slack)
        bottom = ~nothing & (self.right <= worst + slack)
        theta = np.where(top, np.inf, np.where(bottom, -np.inf, theta))
        return theta, np.flatnonzero(~(nothing | top | bottom))
