"""The greedy engine against its own definition, evaluated the slow way."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from skirt.selection import _greedy
from skirt.selection._greedy import fewest_standard_errors, highest_first


def summed_standard_errors(information, items, prior_precision=1.0):
    chosen = information[list(items)].sum(axis=0)
    return ((prior_precision + chosen) ** -0.5).sum()


# Few different values, so that items tie, exactly and by rearrangement.
matrices = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(
        float, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, 7.0, 1e-9])
    )
)


@settings(deadline=None)
@given(matrices, st.data())
def test_every_step_takes_the_best_item(information, data):
    n_items = len(information)
    strata = data.draw(
        st.none() | arrays(int, n_items, elements=st.integers(0, 3)), "strata"
    )
    order = fewest_standard_errors(information, n_items, strata=strata)
    assert sorted(order) == list(range(n_items))
    open_items = set(range(n_items))
    for step, item in enumerate(order):
        before = list(order[:step])
        values = {
            j: summed_standard_errors(information, [*before, j]) for j in open_items
        }
        assert values[item] <= min(values.values()) + 1e-12
        # Of equal items the first column comes first.
        equal = [j for j in open_items if (information[j] == information[item]).all()]
        assert item == min(equal)
        if strata is None:
            open_items.remove(item)
            continue
        open_items = {j for j in open_items if strata[j] != strata[item]}
        open_items = open_items or set(range(n_items)) - {*before, item}


@settings(deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_the_lazy_search_is_the_plain_search(seed, stratified):
    rng = np.random.default_rng(seed)
    n_items, n_models = rng.integers(2, 300), rng.integers(1, 12)
    information = rng.lognormal(0, 2, (n_items, n_models))
    copies = rng.integers(0, n_items, (2, n_items // 3))
    information[copies[0]] = information[copies[1]]
    strata = rng.integers(0, 4, n_items) if stratified else None
    k = rng.integers(1, n_items + 1)
    lazy = fewest_standard_errors(information, k, strata=strata)
    with pytest.MonkeyPatch.context() as patch:
        # One batch for all: every item is evaluated anew at every step.
        patch.setattr(_greedy, "_FIRST_BATCH", 10**9)
        plain = fewest_standard_errors(information, k, strata=strata)
        patch.setattr(_greedy, "_FIRST_BATCH", 1)
        one_by_one = fewest_standard_errors(information, k, strata=strata)
    np.testing.assert_array_equal(lazy, plain)
    np.testing.assert_array_equal(lazy, one_by_one)


def test_greedy_reaches_the_guaranteed_share_of_the_best_set():
    rng = np.random.default_rng(0)
    information = rng.lognormal(0, 1.5, (11, 6))
    nothing = summed_standard_errors(information, [])
    best = min(
        summed_standard_errors(information, s) for s in combinations(range(11), 4)
    )
    found = summed_standard_errors(information, fewest_standard_errors(information, 4))
    assert nothing - found >= (1 - np.exp(-1)) * (nothing - best)
    assert found <= best * 1.02  # far better than guaranteed, as usual


def test_rounds_pass_over_a_stratum_that_has_run_out():
    scores = np.array([5.0, 4.0, 3.0, 2.0, 9.0, 1.0])
    strata = np.array([0, 0, 0, 0, 1, 2])
    assert highest_first(scores, 6, strata=strata).tolist() == [4, 0, 5, 1, 2, 3]
    information = scores[:, None]
    order = fewest_standard_errors(information, 6, strata=strata)
    assert order.tolist() == [4, 0, 5, 1, 2, 3]


def test_highest_first_breaks_ties_by_column():
    assert highest_first(np.array([1.0, 2.0, 1.0, 2.0]), 3).tolist() == [1, 3, 0]
