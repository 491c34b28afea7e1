"""Adaptive tests of some models, all taking their next step together."""

from dataclasses import dataclass

import numpy as np

from skirt.adaptive._content_balance import Strata
from skirt.adaptive._criteria import CRITERIA, NEEDS_POSTERIOR, Known, joint_gain
from skirt.adaptive._exposure import pick
from skirt.adaptive._fisher_search import FisherSearch
from skirt.adaptive._items import LogisticItems
from skirt.adaptive._posterior import GridPosterior
from skirt.adaptive._stopping import StoppingRules

# Keeps the draws apart from those of a simulation with the same seed.
_SALT = 0x5EED_CA7


@dataclass(frozen=True)
class TestDesign:
    """How tests go: what `FluidBenchmark` was told, in the form engines take."""

    __test__ = False  # not for pytest to collect

    items: LogisticItems
    criterion: str
    ability_method: str
    start_ability: float
    bounds: tuple | None
    strata: Strata | None
    randomesque: int
    rules: StoppingRules
    seed: int


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
    asked : ndarray of int of shape (n_models, capacity)
        Items in the order of their answers; -1 beyond `n_answers`.
    n_answers, n_open : ndarray of int of shape (n_models,)
        How many answers there are, and how many items can still be asked.
    ability, standard_error, change : ndarray of shape (n_models,)
    """

    __test__ = False

    def __init__(self, design, open_items, key):
        n_models, n_items = open_items.shape
        self.design = design
        self.open_items = open_items
        self.n_open = open_items.sum(axis=1)
        self.n_answers = np.zeros(n_models, dtype=np.intp)
        self.ability = np.full(n_models, float(design.start_ability))
        # Before any answer the prior's, of which likelihoods know nothing.
        prior = 1.0 if design.ability_method in ("map", "eap") else np.inf
        self.standard_error = np.full(n_models, prior)
        self.change = np.full(n_models, np.nan)
        capacity = min(design.rules.n_items, n_items)
        self.asked = np.full((n_models, capacity), -1, dtype=np.intp)
        self.answers = np.zeros((n_models, capacity))
        self._abilities = design.items.abilities(
            design.ability_method, design.bounds, n_models, capacity
        )
        self._key = key
        self._search = FisherSearch(design.items, design.rules.n_items, design.strata)
        if design.strata is not None:
            self._answered_of = np.zeros((n_models, len(design.strata)), dtype=np.intp)
            self._open_of = design.strata.open_counts(open_items)
        self._priorities = None
        if design.criterion == "random":
            rng = np.random.default_rng([_SALT, design.seed, *key, 0])
            self._priorities = rng.random((n_models, n_items))
        self._posterior: GridPosterior | None = None
        needed = design.criterion in NEEDS_POSTERIOR or design.ability_method == "eap"
        if needed:
            self._start_posterior()

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
        if (
            design.criterion == "fisher"
            and not waiting
            and self._search.pays(len(models), design.randomesque)
        ):
            chosen, settled = self._search(
                self.ability[models],
                self.open_items[models],
                strata,
                design.randomesque,
                draws,
            )
            rest = np.flatnonzero(~settled)
        for block in design.items.blocks(len(rest)):
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

    def record(self, models, items, answers):
        """Take up one answer, 0 or 1, of each of the models."""
        place = self.n_answers[models]
        if place.size and place.max() >= self.asked.shape[1]:
            self._grow()
        self.close(models, items)
        self.asked[models, place] = items
        self.answers[models, place] = answers
        self._abilities.record(models, place, items, answers)
        self.n_answers[models] += 1
        if self.design.strata is not None:
            self._answered_of[models, self.design.strata.codes[items]] += 1
        if self._posterior is not None:
            self._posterior.record(models, items, answers)
        before = self.ability[models]
        self.ability[models], self.standard_error[models] = self._abilities.estimate(
            models, int(place.max(initial=-1)) + 1, before, self._posterior
        )
        self.change[models] = self.ability[models] - before

    def reasons(self, models):
        """Return why the models' tests are over: positions in `REASONS`."""
        return self.design.rules.reasons(
            self.n_answers[models],
            self.standard_error[models],
            self.change[models],
            self.n_open[models],
        )

    def _best_of_all(self, models, strata, draws, waiting):
        items = self.design.items
        if waiting and self.design.criterion != "random":
            if self._posterior is None:
                self._start_posterior()
            model = int(models[0])
            counted = self.asked[model, : self.n_answers[model]]
            waiting = np.asarray(waiting, dtype=np.intp)
            values = joint_gain(items, self._posterior, model, counted, waiting)
        else:
            priorities = self._priorities
            known = Known(
                models,
                self.ability[models],
                self._posterior,
                None if priorities is None else priorities[models],
            )
            values = CRITERIA[self.design.criterion](items, known)
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

    def _start_posterior(self):
        design = self.design
        self._posterior = design.items.posterior(len(self.open_items), design.bounds)
        for step in range(int(self.n_answers.max(initial=0))):
            models = np.flatnonzero(self.n_answers > step)
            self._posterior.record(
                models, self.asked[models, step], self.answers[models, step]
            )

    def _grow(self):
        """Make room for answers beyond the length of the test."""
        more = max(16, self.asked.shape[1])
        self.asked = np.pad(self.asked, ((0, 0), (0, more)), constant_values=-1)
        self.answers = np.pad(self.answers, ((0, 0), (0, more)))
        self._abilities.grow(more)
