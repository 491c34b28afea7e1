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

from skirt._item_moves import Move
from skirt._item_posterior import item_posterior
from skirt._marginal import Evaluation, MarginalLikelihood
from skirt._metric import Metric
from skirt._mstep import guarded_step
from skirt._prior_iteration import PriorIteration
from skirt._priors import NormalPrior, Priors, reestimated
from skirt._quasi_newton import History
from skirt._starting_values import starting_values
from skirt._threads import one_blas_thread

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
    priors = Priors(
        NormalPrior.from_parameter(slope_prior, (0.0, 0.5)),
        NormalPrior.from_parameter(intercept_prior, (0.0, 1.5)),
    )
    likelihood = MarginalLikelihood(
        data,
        log_slope=slope_prior is not None,
        common_slope=common_slope,
        higher=priors.estimated,
    )
    current = likelihood.evaluate(likelihood.join(*starting_values(data, common_slope)))
    priors = likelihood.located(priors, current.parameters)
    history = History()
    pace = PriorIteration()
    criterion = np.inf
    converged, diverged = False, np.empty(0, dtype=np.intp)
    for step in range(max_iter + 1):
        proposed = _rescaled(likelihood, priors, current)
        priors = pace(priors, proposed, settled=criterion < 0.1)
        priors = likelihood.located(priors, current.parameters)
        metric = Metric(likelihood, priors, current)
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
            # Rejected trials have overwritten the curves of the last good point.
            current = likelihood.evaluate(current.parameters)
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
        likelihood.data.answers_per_item() > 0,
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
        move = Move.along(likelihood, current, metric, direction)
        slope = gradient @ move.direction
        length = 1.0
        for _ in range(2):
            if slope <= 0:
                break
            displacement = move.displacement(length)
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
    own = Move(likelihood, current, metric.item_steps(gradient))
    displacement = guarded_step(likelihood, priors, current, own)
    scale = Move.along(likelihood, current, metric, metric.common_steps(gradient))
    common = scale.displacement()
    for whole in (displacement + common, displacement):
        trial, located, value = arrive(whole)
        if value > objective - noise:
            return trial, located
    return None, priors


def _runaway_items(likelihood, priors, parameters):
    """Return items without a prior whose parameters leave every plausible range."""
    slopes, intercepts = likelihood.split(parameters)
    runaway = np.zeros(intercepts.size, dtype=bool)
    if priors.slope.sd is None:
        runaway |= np.abs(slopes) > SLOPE_LIMIT
    if priors.intercept.sd is None:
        runaway |= np.abs(intercepts) > INTERCEPT_LIMIT
    return np.flatnonzero(runaway)
