"""How tests go: what `FluidBenchmark` was told, checked, in the form engines take."""

from dataclasses import dataclass

import numpy as np

from skirt.adaptive._content_balance import Strata, make_strata
from skirt.adaptive._criteria import CRITERIA, EXPECTED_INFORMATION
from skirt.adaptive._items import LogisticItems
from skirt.adaptive._multidim_items import MultidimItems
from skirt.adaptive._optimal_design import DESIGN_CRITERIA
from skirt.adaptive._score_criteria import SCORE_CRITERIA, ScoreTarget
from skirt.adaptive._stopping import StoppingRules
from skirt.selection._score_ranking import check_target_weights

RANDOM = "random"
CRITERION_NAMES = {
    *CRITERIA,
    EXPECTED_INFORMATION,
    *DESIGN_CRITERIA,
    *SCORE_CRITERIA,
    RANDOM,
}


@dataclass(frozen=True)
class TestDesign:
    """The rules of tests of a bank.

    Attributes
    ----------
    dimensions : tuple of int
        The abilities to measure; the others are a nuisance.
    target : ScoreTarget
        The full-benchmark score.
    """

    __test__ = False  # not for pytest to collect

    items: LogisticItems | MultidimItems
    criterion: str
    dimensions: tuple
    target: ScoreTarget
    ability_method: str
    start_ability: float
    bounds: tuple | None
    strata: Strata | None
    randomesque: int
    rules: StoppingRules
    seed: int


def make_design(bench, items, names, seed):
    """Return the design for the parameters of a bench.

    Raises
    ------
    ValueError
        If they do not fit each other or the items.
    """
    if items.n_abilities > 1:
        _check_several_abilities(bench, items.n_abilities)
    if bench.ranking == "ability" and bench.criterion in SCORE_CRITERIA:
        raise ValueError(
            f'criterion="{bench.criterion}" asks items for the score: use '
            'ranking="score", or criterion="fisher" for the ability.'
        )
    return TestDesign(
        items=items,
        criterion=bench.criterion,
        dimensions=_dimensions(bench.dimensions, items.n_abilities),
        target=ScoreTarget.of(items, check_target_weights(bench.target_weights, names)),
        ability_method=bench.ability_method,
        start_ability=float(bench.start_ability),
        bounds=_bounds(bench.ability_bounds, bench.start_ability),
        strata=make_strata(bench.strata, names),
        randomesque=int(bench.randomesque),
        rules=StoppingRules(
            int(bench.n_items),
            bench.se_target,
            bench.change_target,
            int(bench.min_items),
        ),
        seed=seed,
    )


def _check_several_abilities(bench, n_abilities):
    told = f"the bank has {n_abilities} abilities"
    known = [*DESIGN_CRITERIA, *SCORE_CRITERIA, RANDOM]
    if bench.criterion not in known:
        raise ValueError(
            f"criterion={bench.criterion!r} is for a bank of one ability, and {told}: "
            f"give one of {', '.join(map(repr, known))}."
        )
    if bench.ranking == "ability":
        raise ValueError(
            f"ranking='ability' is for a bank of one ability, and {told}: give 'auto' "
            "or 'score'; transform returns the abilities."
        )
    if bench.ability_method != "map":
        raise ValueError(
            f"ability_method={bench.ability_method!r} is for a bank of one ability, "
            f"and {told}: give 'map'."
        )
    if bench.ability_bounds is not None:
        raise ValueError(
            f"ability_bounds={bench.ability_bounds!r} are for a bank of one ability, "
            f"and {told}: give None. The prior keeps them finite."
        )


def _dimensions(dimensions, n_abilities):
    if dimensions is None:
        return tuple(range(n_abilities))
    chosen = np.asarray(dimensions)
    usable = chosen.ndim == 1 and chosen.size > 0 and chosen.dtype.kind in "iu"
    known = set(range(n_abilities))
    if not usable or len(set(chosen)) < len(chosen) or not known.issuperset(chosen):
        raise ValueError(
            f"dimensions is {dimensions!r}: give different integers from 0 to "
            f"{n_abilities - 1}, at least one, or None for all."
        )
    return tuple(sorted(int(k) for k in chosen))


def _bounds(given, start_ability):
    if given is None:
        return None
    bounds = np.asarray(given, dtype=np.float64)
    ordered = bounds.shape == (2,) and np.isfinite(bounds).all()
    if not ordered or bounds[0] >= bounds[1]:
        raise ValueError(
            f"ability_bounds is {given!r}: give a pair of finite numbers, the lower "
            "one first, or None."
        )
    low, high = float(bounds[0]), float(bounds[1])
    if not low <= start_ability <= high:
        raise ValueError(
            f"start_ability is {start_ability}, outside ability_bounds {low, high}."
        )
    return low, high
