"""The agreement curve spread over a real cluster of local processes."""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline

from skirt import TwoPLEstimator
from skirt.model_selection import agreement_curve
from skirt.selection import FisherSubsetSelector, RandomSubsetSelector

distributed = pytest.importorskip("distributed")


@pytest.fixture
def client(tmp_path):
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_numbers(client):
    rng = np.random.default_rng(0)
    able = np.linspace(0.2, 0.8, 24)
    X = pd.DataFrame((rng.random((24, 60)) < able[:, None]).astype(float))
    # Priors that are given, because so small a panel hardly determines them.
    bank = TwoPLEstimator(discrimination_prior=(0, 0.3), intercept_prior=(0, 1))
    methods = {
        "random": RandomSubsetSelector(),
        "fisher": FisherSubsetSelector(estimator=bank),
        "ridge": make_pipeline(RandomSubsetSelector(), SimpleImputer(), RidgeCV()),
    }
    here = agreement_curve(methods, X, k=[5, 20], n_bootstrap=10)
    with joblib.parallel_config(backend="dask"):
        there = agreement_curve(methods, X, k=[5, 20], n_bootstrap=10)
    pd.testing.assert_frame_equal(here.to_frame(), there.to_frame())
    ran_on = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert sum(ran_on.values()) > 0
