"""Calibration of the multidimensional model.

EM whose M-step is one Newton step of every item (Lange 1995), whose E-step is adaptive
quadrature or, on long tests, the best normal posteriors, and which re-standardises the
abilities each cycle, as in parameter-expanded EM (Liu, Rubin & Wu 1998): the
population, not the prior, sets location and scale. Anderson's method accelerates the
whole map as long as the objective, a lower bound of the evidence, does not fall
(Henderson & Varadhan 2019): saddles, from which the map itself gets away, would hold an
extrapolation. It starts from the leading dimensions of the responses, so that nothing
in it is random.
"""

from dataclasses import dataclass

import numpy as np

from skirt._multidim._anderson import Anderson
from skirt._multidim._gaussian import GaussianPosterior
from skirt._multidim._nodes import NodePosterior
from skirt._multidim._priors import ItemPriors
from skirt._multidim._state import CalibrationState
from skirt._threads import one_blas_thread

# Quadrature where so many model x node x item cells are affordable in each cycle.
_AFFORDABLE = 1e7
# The same where each cell is an average over what an item may be.
_AFFORDABLE_AVERAGES = 2e6
# Answers for each component up to which posteriors are worth integrating: at more,
# the normal that fits best gives the same items to a hundredth of a standard error.
_SHORT = 100
# The same where items have posteriors of their own, which are normal in any case.
_SHORTEST = 25
# Cycles before the acceleration: far from the maximum it has nothing to go by.
_UNAIDED = 8
# Relative change of the priors' spreads in a cycle that is none.
_SETTLED = 1e-3
_PRIOR_PATIENCE = 100


@dataclass
class Calibration:
    """The outcome of `calibrate`, abilities ~ N(0, correlation), axes not rotated."""

    discrimination: np.ndarray
    intercept: np.ndarray
    correlation: np.ndarray
    posterior: GaussianPosterior | NodePosterior
    information: np.ndarray
    covariance: np.ndarray | None  # of the items; None where they are taken as they are
    priors: ItemPriors
    n_iter: int
    converged: bool
    criterion: float
    prior_change: float
    diverged: np.ndarray


def chosen_integration(data, n_components, integration, exact_items):
    """Return nodes per dimension; 0 for normal posteriors.

    Parameters
    ----------
    data : ResponseData
    n_components : int
    integration : {"auto", "quadrature", "variational"}
    exact_items : bool
        Whether the items are points, without posteriors of their own.
    """
    if integration == "variational":
        return 0
    cells = data.n_models * data.n_items
    answers = np.median(data.answers_per_model())
    short = (_SHORT if exact_items else _SHORTEST) * n_components
    affordable = _AFFORDABLE if exact_items else _AFFORDABLE_AVERAGES
    if integration == "quadrature" or answers <= short:
        # The longer the test, the nearer posteriors are to normal ones.
        for n_nodes in (7, 5) if answers <= _SHORT else (5,):
            if cells * n_nodes**n_components <= affordable:
                return n_nodes
    if integration == "auto":
        return 0
    return 3 if n_components > 3 else 5


@one_blas_thread
def calibrate(
    data,
    n_components,
    *,
    slope_prior,
    intercept_prior,
    free=None,
    correlated=True,
    integration="auto",
    random_state=None,
    max_iter=500,
    tol=1e-3,
    report=None,
):
    """Estimate slopes and intercepts.

    Parameters
    ----------
    data : ResponseData
    n_components : int
    slope_prior : "auto", float or None
    intercept_prior : "auto", (mean, sd) or None
    free : ndarray of bool, shape (n_items, n_components), or None
        The loadings to estimate in a confirmatory model.
    correlated : bool
        Whether the abilities of a confirmatory model correlate.
    integration : {"auto", "quadrature", "variational"}
    random_state : RandomState or None
        Start from noise as well.
    max_iter, tol : int, float
        Most cycles; largest gradient at the end, in standard errors.
    report : callable or None
        Called with (cycle, criterion) after each.

    Returns
    -------
    Calibration

    Raises
    ------
    FloatingPointError
        If an item's parameters are no longer numbers.
    """
    state = CalibrationState(
        data,
        n_components,
        slope_prior,
        intercept_prior,
        free,
        correlated,
        random_state,
    )
    priors = state.priors
    exact_items = not (priors.slope_estimated or priors.intercept_estimated)
    n_nodes = chosen_integration(data, n_components, integration, exact_items)
    if n_nodes:
        state.use_nodes(n_nodes)
    acceleration = Anderson()
    objective, change = -np.inf, np.inf
    plain, unaided, extrapolated = state.snapshot(), _UNAIDED, False
    converged, diverged = False, np.empty(0, dtype=np.intp)
    for cycle in range(1, max_iter + 1):
        before = state.vector()
        criterion = state.cycle(settle=cycle <= _PRIOR_PATIENCE)
        change = state.prior_change
        if report is not None:
            report(cycle, criterion)
        if not np.isfinite(criterion):
            item = int(np.argmax(~np.isfinite(state.d + state.a.sum(axis=1))))
            raise FloatingPointError(
                f"Cycle {cycle} of the calibration led item {item} (counted from 0) "
                "out of the range of numbers. Use priors of the items, fewer "
                "components, or leave that item out."
            )
        diverged = state.runaway_items()
        settled = change < max(_SETTLED, tol) or cycle > _PRIOR_PATIENCE
        converged = criterion < tol and settled
        if converged or diverged.size:
            break
        if extrapolated and state.objective < objective - state.noise:
            # The extrapolation went astray: back to where the plain map had led.
            acceleration.forget()
            state.restore(plain)
            extrapolated, unaided = False, cycle + _UNAIDED
            if cycle == max_iter:
                criterion = state.cycle(settle=False)
            continue
        objective = state.objective
        # What is returned is where a cycle has led.
        extrapolated = unaided < cycle < max_iter
        if extrapolated:
            plain, after = state.snapshot(), state.vector()
            state.set_vector(acceleration(before, after, state.units()))
    return Calibration(
        state.a,
        state.d,
        state.correlation,
        state.posterior,
        state.information,
        state.covariance,
        state.priors,
        cycle,
        converged,
        criterion,
        change,
        diverged,
    )
