"""What choosing by rank costs on a long benchmark, for `rank_selection.py`."""

import time
import tracemalloc
import warnings

from sklearn.frozen import FrozenEstimator

from skirt import (
    AutoSubsetSelector,
    FisherSubsetSelector,
    MultidimIRT,
    TwoPLEstimator,
)
from skirt.datasets import make_multidim_responses

N_MODELS, N_DIMENSIONS, N_CHOSEN = 100, 4, 200
ITEMS = (6000, 12000)
REPEATS = 3


def measure_selection():
    """Time the choice and take its memory, beside the plain marginal criterion.

    Returns
    -------
    list of dict
        For each number of items: items; seconds of rank and marginal, once the banks
        are calibrated, and of auto with all its calibrations; peak memory of rank in
        units of the responses.
    """
    return [_measure(n_items) for n_items in ITEMS]


def _measure(n_items):
    X = make_multidim_responses(
        N_MODELS, n_items, n_components=N_DIMENSIONS, random_state=0
    ).data
    with warnings.catch_warnings():
        # Half-settled parameters take as long to choose by.
        warnings.simplefilter("ignore")
        several = MultidimIRT(N_DIMENSIONS, rotation=None, max_iter=10).fit(X)
        one = TwoPLEstimator().fit(X)
    selectors = {
        "rank": FisherSubsetSelector(
            N_CHOSEN, criterion="rank", estimator=FrozenEstimator(several)
        ),
        "marginal": FisherSubsetSelector(N_CHOSEN, estimator=FrozenEstimator(one)),
    }
    seconds: dict = {name: [] for name in selectors}
    # In turn, so that both meet the same disturbances.
    for _ in range(REPEATS):
        for name, selector in selectors.items():
            started = time.perf_counter()
            selector.fit(X)
            seconds[name].append(time.perf_counter() - started)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        AutoSubsetSelector(N_CHOSEN, random_state=0).fit(X)
        auto = time.perf_counter() - started
    tracemalloc.start()
    selectors["rank"].fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "items": n_items,
        **{name: min(times) for name, times in seconds.items()},
        "auto": auto,
        "memory": peak / X.nbytes,
    }
