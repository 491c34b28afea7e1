"""Adaptive tests of some models, all taking their next step together."""

import numpy as np

from skirt._cells import model_blocks
from skirt.adaptive._answers import Answers
from skirt.adaptive._design import RANDOM
from skirt.adaptive._exposure import pick
from skirt.adaptive._one_ability import OneAbility
from skirt.adaptive._several_abilities import SeveralAbilities

# Keeps the draws apart from those of a simulation with the same seed.
_SALT = 0x5EED_CA7


class TestsInStep:
    """The state of the models' tests.

    Parameters
    ----------
    design : TestDesign
    open_items : ndarray of bool of shape (n_models, n_items)
        Which items can be asked. Kept, and written to by `close` alone.
    key : tuple of int
        Tells the random numbers of these tests from those of others.

    Attributes
    ----------
    answers : Answers
    measured : OneAbility or SeveralAbilities
        What the answers say.
    n_open : ndarray of int of shape (n_models,)
        How many items can still be asked.
    """

    __test__ = False  # not for pytest to collect

    def __init__(self, design, open_items, key):
        n_models, n_items = open_items.shape
        self.design = design
        self.open_items = open_items
        self.n_open = open_items.sum(axis=1)
        self.answers = Answers(n_models, min(design.rules.n_items, n_items))
        several = design.items.n_abilities > 1
        measure = SeveralAbilities if several else OneAbility
        self.measured = measure(design, self.answers)
        self._key = key
        if design.strata is not None:
            self._answered_of = np.zeros((n_models, len(design.strata)), dtype=np.intp)
            self._open_of = design.strata.open_counts(open_items)
        self._priorities = None
        if design.criterion == RANDOM:
            rng = np.random.default_rng([_SALT, design.seed, *key, 0])
            self._priorities = rng.random((n_models, n_items))

    def choose(self, models, step, waiting=None):
        """Return the next item of each of the models, and close it.

        Parameters
        ----------
        models : ndarray of int
            Each must have an open item.
        step : int
            How many items were chosen before: which random numbers are due.
        waiting : list of int, optional
            Items of the one model whose answers are still awaited.
        """
        design = self.design
        draws = None
        if design.randomesque > 1:
            rng = np.random.default_rng([_SALT, design.seed, *self._key, 1 + step])
            draws = rng.random(len(self.open_items))[models]
        strata = self._strata_due(models, waiting)
        chosen = np.empty(len(models), dtype=np.intp)
        rest = np.arange(len(models))
        found = None
        if not waiting and design.criterion != RANDOM:
            found = self.measured.search(models, self.open_items, strata, draws)
        if found is not None:
            chosen, settled = found
            rest = np.flatnonzero(~settled)
        for block in model_blocks(len(rest), len(design.items)):
            part = rest[block]
            chosen[part] = self._best_of_all(
                models[part],
                None if strata is None else strata[part],
                None if draws is None else draws[part],
                waiting,
            )
        self.close(models, chosen)
        return chosen

    def close(self, models, items):
        """Let an item of each of the models, if it is open, not be asked any more."""
        was_open = self.open_items[models, items]
        self.open_items[models, items] = False
        self.n_open[models] -= was_open
        if self.design.strata is not None:
            self._open_of[models, self.design.strata.codes[items]] -= was_open

    def record(self, models, items, values):
        """Take up one answer, 0 or 1, of each of the models."""
        self.close(models, items)
        self.answers.add(models, items, values)
        if self.design.strata is not None:
            self._answered_of[models, self.design.strata.codes[items]] += 1
        self.measured.record(models)

    def reasons(self, models):
        """Return why the models' tests are over: positions in `REASONS`."""
        return self.design.rules.reasons(
            self.answers.count[models],
            *self.measured.precision(models),
            self.n_open[models],
        )

    def _best_of_all(self, models, strata, draws, waiting):
        if self._priorities is not None:
            values = self._priorities[models]
        else:
            values = self.measured.values(models, waiting)
        eligible = self.open_items[models]
        if strata is not None:
            eligible &= self.design.strata.codes == strata[:, None]
        return pick(values, eligible, self.design.randomesque, draws)

    def _strata_due(self, models, waiting):
        strata = self.design.strata
        if strata is None:
            return None
        counts = self._answered_of[models]
        if waiting:
            counts += np.bincount(strata.codes[waiting], minlength=len(strata))
        return strata.next(counts, self._open_of[models] > 0)
