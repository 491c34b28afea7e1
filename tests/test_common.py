"""scikit-learn's whole check suite, with no expected failure, for the estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from skirt import OnePLEstimator, TwoPLEstimator

# At some thresholds many checks see identical rows, which is worth a warning.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*not identified"),
    pytest.mark.filterwarnings("ignore:An estimated prior"),
    pytest.mark.filterwarnings("ignore:Skipping check"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


@parametrize_with_checks(
    [
        estimator(binarize=threshold)
        for estimator in (TwoPLEstimator, OnePLEstimator)
        for threshold in (0.0, 0.5, 1.5)
    ]
    + [TwoPLEstimator(binarize=0.0, ability_method="wl")]
)
def test_scikit_learn(estimator, check):
    check(estimator)
