"""Adaptive tests replayed over stored responses, all models at once."""

from dataclasses import dataclass

import numpy as np

from skirt._threads import one_blas_thread
from skirt.adaptive._tests_in_step import TestsInStep


@dataclass(frozen=True)
class Replay:
    """What happened at each step of each model's test.

    Attributes
    ----------
    items : ndarray of int of shape (n_models, n_steps)
        -1 after the end of a test.
    responses : ndarray of shape (n_models, n_steps)
        NaN after the end of a test.
    ability, standard_error : ndarray of shape (n_models, n_steps[, n_abilities])
        After each answer; NaN after the end of a test.
    covariance : ndarray of shape (n_models, n_abilities, n_abilities) or None
        Of several abilities, at the end.
    n_items : ndarray of int of shape (n_models,)
        Length of each test.
    reason : ndarray of int of shape (n_models,)
        Position in `REASONS`.
    """

    items: np.ndarray
    responses: np.ndarray
    ability: np.ndarray
    standard_error: np.ndarray
    covariance: np.ndarray | None
    n_items: np.ndarray
    reason: np.ndarray

    def after(self, n_items):
        """Return abilities and standard errors after so many items or at the end.

        NaN for a model that was asked nothing.
        """
        last = np.minimum(self.n_items, n_items) - 1
        out = []
        for values in (self.ability, self.standard_error):
            at_end = np.full((len(last), *values.shape[2:]), np.nan)
            asked = np.flatnonzero(last >= 0)
            at_end[asked] = values[asked, last[asked]]
            out.append(at_end)
        return tuple(out)


@one_blas_thread
def replay_tests(design, responses):
    """Run the test of every model.

    Parameters
    ----------
    design : TestDesign
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN; read only where an item was asked.

    Returns
    -------
    Replay
    """
    n_models, n_items = responses.shape
    tests = TestsInStep(design, ~np.isnan(responses), (0,))
    n_steps = min(design.rules.n_items, n_items)
    measured = tests.measured
    given = np.full((n_models, n_steps), np.nan)
    ability = np.full((n_models, n_steps, *measured.ability.shape[1:]), np.nan)
    error = ability.copy()
    reason = tests.reasons(np.arange(n_models))
    for step in range(n_steps):
        models = np.flatnonzero(reason == 0)
        if not models.size:
            break
        chosen = tests.choose(models, step)
        answers = responses[models, chosen]
        tests.record(models, chosen, answers)
        given[models, step] = answers
        ability[models, step] = measured.ability[models]
        error[models, step] = measured.standard_error[models]
        reason[models] = tests.reasons(models)
    return Replay(
        tests.answers.items[:, :n_steps],
        given,
        ability,
        error,
        measured.covariance,
        tests.answers.count,
        reason,
    )
