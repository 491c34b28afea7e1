"""Calibration: maximise the penalised marginal likelihood of the items.

The gradient of the marginal likelihood is that of the EM algorithm's Q function, and
one Newton step on Q per item (Lange 1995) is its natural unit of progress. EM is slow
exactly along a common shift and a common stretch of ability, where theta's population
is all that holds the items; both get a step of their own, as in parameter-expanded EM
(Liu, Rubin & Wu 1998). What is left is accelerated by limited-memory quasi-Newton
updates on top of these steps, safeguarded by a line search on the exact objective.
"""

from dataclasses import dataclass

import numpy as np

from skirt._item_posterior import item_posterior
from skirt._marginal import Evaluation, MarginalLikelihood
from skirt._mstep import guarded_step
from skirt._prior_iteration import PriorIteration
from skirt._priors import NormalPrior, Priors, reestimated
from skirt._threads import one_blas_thread

_MEMORY = 10
# Log slopes, and logits where an item is informative, move no farther in one step.
_LONGEST_STEP = 1.5
# Slopes and intercepts beyond these are on their way to infinity.
SLOPE_LIMIT = 60.0
INTERCEPT_LIMIT = 60.0


@dataclass
class Calibration:
    """The outcome of `calibrate`."""

    discrimination: np.ndarray
    intercept: np.ndarray
    evaluation: Evaluation
    priors: Priors
    n_iter: int
    converged: bool
    criterion: float
    prior_change: float  # relative change of the prior SDs proposed last
    diverged: np.ndarray  # items whose parameters run to infinity
    likelihood: MarginalLikelihood


@one_blas_thread
def calibrate(
    data,
    *,
    slope_prior,
    intercept_prior,
    common_slope=False,
    max_iter=200,
    tol=1e-4,
    report=None,
):
    """Estimate the items' slopes and intercepts.

    Parameters
    ----------
    data : ResponseData
    slope_prior, intercept_prior : "auto", (mean, sd) or None
    common_slope : bool
    max_iter : int
        Most steps taken.
    tol : float
        Stop when no gradient, an item's or that along shift and stretch, exceeds
        this in units of its standard error.
    report : callable or None
        Called with (step, objective, criterion) after each step.

    Returns
    -------
    Calibration
    """
    likelihood = MarginalLikelihood(
        data, log_slope=slope_prior is not None, common_slope=common_slope
    )
    priors = Priors(
        NormalPrior.from_parameter(slope_prior, (0.0, 0.5)),
        NormalPrior.from_parameter(intercept_prior, (0.0, 1.5)),
    )
    current = likelihood.evaluate(likelihood.join(*starting_values(data, common_slope)))
    priors = likelihood.located(priors, current.parameters)
    history = _History()
    pace = PriorIteration()
    criterion = np.inf
    converged, diverged = False, np.empty(0, dtype=np.intp)
    for step in range(max_iter + 1):
        proposed = _rescaled(likelihood, priors, current)
        priors = pace(priors, proposed, settled=criterion < 0.1)
        priors = likelihood.located(priors, current.parameters)
        metric = _Metric(likelihood, priors, current)
        gradient = current.gradient + likelihood.prior_gradient(
            priors, current.parameters
        )
        criterion = metric.standardised(gradient)
        objective = current.log_likelihood + likelihood.log_prior(
            priors, current.parameters
        )
        if report is not None:
            report(step, objective, criterion)
        diverged = _runaway_items(likelihood, priors, current.parameters)
        converged = criterion < tol and pace.at_rest
        if converged or diverged.size or step == max_iter:
            break
        trial, trial_priors = _ascend(
            likelihood, priors, current, gradient, objective, metric, history
        )
        if trial is None:
            break
        current, priors = trial, trial_priors
    discrimination, intercept = likelihood.split(current.parameters)
    return Calibration(
        discrimination=discrimination,
        intercept=intercept,
        evaluation=current,
        priors=priors,
        n_iter=max(step, 1),
        converged=converged,
        criterion=criterion,
        prior_change=pace.change,
        diverged=diverged,
        likelihood=likelihood,
    )


def starting_values(data, common_slope):
    """Return rough slopes and intercepts from raw scores.

    Abilities are the models' standardised mean residuals, slopes the linear
    discriminant's, kept away from zero so that high ability is the better model.
    """
    weights = data.weights
    asked = data.answers_per_item()
    right = weights @ data.responses
    # Half an answer of each kind keeps the logits of unanimous items finite.
    share = (right + 0.5) / (asked + 1.0)
    residual = data.responses.sum(axis=1) - (data.masks @ share)[data.pattern]
    spread = (data.masks @ (share * (1 - share)))[data.pattern]
    ability = residual / np.maximum(spread, 1e-12)
    ability -= weights @ ability / weights.sum()
    scale = np.sqrt(weights @ np.square(ability) / weights.sum())
    if scale > 1e-9:
        ability /= scale
    mean_right = (weights * ability) @ data.responses
    if data.masks.shape[0] == 1:
        mean_asked = np.zeros(data.n_items)
    else:
        mean_asked = data.sum_over_patterns(ability[:, None])[:, 0] @ data.masks
    covariance = (mean_right - share * mean_asked) / np.maximum(asked, 1e-12)
    variance = share * (1 - share)
    slope = covariance / np.maximum(variance - np.square(covariance), 0.05 * variance)
    slope = np.clip(slope, 0.25, 2.5)
    if common_slope:
        slope = np.full_like(slope, slope.mean())
    intercept = np.log(share / (1 - share)) * np.sqrt(1 + np.square(slope) / 2.9)
    return slope, intercept


def _rescaled(likelihood, priors, current):
    """Move what is estimated of the priors toward its fixed point."""
    if not priors.estimated:
        return priors
    discrimination, intercept = likelihood.split(current.parameters)
    return reestimated(
        priors,
        item_posterior(likelihood, priors, current),
        current.parameters[: likelihood.n_slopes],
        intercept,
        None if likelihood.common_slope else discrimination,
    )


def _ascend(likelihood, priors, current, gradient, objective, metric, history):
    """Take one step uphill, accelerated if possible.

    Returns the new evaluation and the priors located at it; (None, priors) when no
    step gains more than the objective's numerical noise.
    """
    noise = 1e-9 * abs(objective)

    def arrive(displacement):
        trial = likelihood.evaluate(current.parameters + displacement)
        located = likelihood.located(priors, trial.parameters)
        log_prior = likelihood.log_prior(located, trial.parameters)
        return trial, located, trial.log_likelihood + log_prior

    directions = [metric.item_steps(gradient) + metric.common_steps(gradient)]
    if history.pairs:
        directions.insert(0, history.direction(gradient, metric))
    for direction in directions:
        direction = _limited(likelihood, current, direction)
        slope = gradient @ direction
        length = 1.0
        for _ in range(2):
            if slope <= 0:
                break
            displacement = likelihood.displacement(current, length * direction)
            trial, located, value = arrive(displacement)
            if value >= objective + 1e-4 * length * slope - noise:
                new_gradient = trial.gradient + likelihood.prior_gradient(
                    located, trial.parameters
                )
                history.remember(displacement, gradient - new_gradient)
                return trial, located
            # The best length of the parabola through value, slope and new value.
            bend = 2 * (objective + length * slope - value)
            length *= float(np.clip(slope * length / bend, 0.1, 0.5))
        history.clear()
    step = _limited(likelihood, current, metric.item_steps(gradient))
    displacement = guarded_step(likelihood, priors, current, step)
    common = _limited(likelihood, current, metric.common_steps(gradient))
    for whole in (displacement + common, displacement):
        trial, located, value = arrive(whole)
        if value > objective - noise:
            return trial, located
    return None, priors


def _limited(likelihood, current, direction):
    """Shorten the step of each item whose curve would move too far.

    What counts is log a and the logit where the item is informative: the intercept of
    a steep item far from zero may have a long way to go.
    """
    n = likelihood.n_slopes
    by_slope, by_intercept = direction[:n], direction[n:]
    if likelihood.common_slope:
        factor = _LONGEST_STEP / max(np.abs(by_slope).max(), _LONGEST_STEP)
        return direction * factor
    logit = by_intercept + likelihood.pivot(current) * by_slope
    longest = np.maximum(np.abs(by_slope), np.abs(logit))
    factor = _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP)
    return direction * np.concatenate([factor, factor])


def _runaway_items(likelihood, priors, parameters):
    """Return items without a prior whose parameters leave every plausible range."""
    slopes, intercepts = likelihood.split(parameters)
    runaway = np.zeros(intercepts.size, dtype=bool)
    if priors.slope.sd is None:
        runaway |= np.abs(slopes) > SLOPE_LIMIT
    if priors.intercept.sd is None:
        runaway |= np.abs(intercepts) > INTERCEPT_LIMIT
    return np.flatnonzero(runaway)


class _Metric:
    """The curvature that one item sees, and that of the common shift and stretch."""

    def __init__(self, likelihood, priors, current):
        self.common_slope = likelihood.common_slope
        self.n = likelihood.n_slopes
        prior = likelihood.prior_information(priors, current.parameters)
        self.block = current.information + prior
        if self.common_slope:
            # The prior of a common slope counts once, not once per item.
            self.block[:, 0] -= priors.slope.precision
            self.slope_curvature = self.block[:, 0].sum() + priors.slope.precision
        self.block[:, [0, 2]] += 1e-10 * likelihood.total_weight
        self.shift, self.stretch = likelihood.scale_directions(current.parameters)
        # A fixed prior also holds shift and stretch; an estimated one moves along.
        self.shift_curvature = likelihood.total_weight
        self.stretch_curvature = 2.0 * likelihood.total_weight
        if not priors.intercept.estimated:
            shift = self.shift[self.n :]
            self.shift_curvature += priors.intercept.precision * shift @ shift
        if not priors.slope.estimated:
            self.stretch_curvature += priors.slope.precision * self.n

    def standardised(self, gradient):
        """Largest gradient in units of its own standard deviation."""
        by_slope, by_intercept = gradient[: self.n], gradient[self.n :]
        solved = self.item_steps(gradient)
        if self.common_slope:
            squares = np.append(
                by_slope**2 / self.slope_curvature, by_intercept**2 / self.block[:, 2]
            )
        else:
            squares = by_slope * solved[: self.n] + by_intercept * solved[self.n :]
        return float(
            max(
                np.sqrt(max(squares.max(), 0.0)),
                abs(self.shift @ gradient) / np.sqrt(self.shift_curvature),
                abs(self.stretch @ gradient) / np.sqrt(self.stretch_curvature),
            )
        )

    def common_steps(self, gradient):
        """Newton step along the common shift and stretch."""
        shift = self.shift @ gradient / self.shift_curvature
        stretch = self.stretch @ gradient / self.stretch_curvature
        return shift * self.shift + stretch * self.stretch

    def item_steps(self, gradient):
        """Newton step of every item by itself."""
        n, block = self.n, self.block
        by_slope, by_intercept = gradient[:n], gradient[n:]
        if self.common_slope:
            ratio = block[:, 1] / block[:, 2]
            schur = self.slope_curvature - ratio @ block[:, 1]
            slope = (by_slope - ratio @ by_intercept) / max(
                schur, 1e-8 * self.slope_curvature
            )
            return np.concatenate([slope, by_intercept / block[:, 2] - ratio * slope])
        determinant = block[:, 0] * block[:, 2] - np.square(block[:, 1])
        return np.concatenate(
            [
                (block[:, 2] * by_slope - block[:, 1] * by_intercept) / determinant,
                (block[:, 0] * by_intercept - block[:, 1] * by_slope) / determinant,
            ]
        )


class _History:
    """The last steps and gradient changes (limited-memory BFGS, Nocedal 1980)."""

    def __init__(self):
        self.pairs = []

    def clear(self):
        self.pairs = []

    def remember(self, step, change):
        """Keep a pair if it shows positive curvature."""
        curvature = step @ change
        if curvature > 1e-10 * np.sqrt((step @ step) * (change @ change)):
            self.pairs = [*self.pairs[1 - _MEMORY :], (step, change, curvature)]

    def direction(self, gradient, metric):
        """Return the quasi-Newton step on top of the metric's own."""
        out = gradient.copy()
        shares = []
        for step, change, curvature in reversed(self.pairs):
            share = step @ out / curvature
            out -= share * change
            shares.append(share)
        out = metric.item_steps(out) + metric.common_steps(out)
        for (step, change, curvature), share in zip(
            self.pairs, reversed(shares), strict=True
        ):
            out += (share - change @ out / curvature) * step
        return out
