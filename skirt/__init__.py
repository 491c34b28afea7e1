"""Item response theory for people who evaluate models, as scikit-learn estimators."""

from skirt._multidim import MultidimIRT
from skirt._onepl import OnePLEstimator
from skirt._twopl import TwoPLEstimator
from skirt._version import __version__
from skirt.adaptive import FluidBenchmark
from skirt.selection import (
    AnchorPointSelector,
    AutoSubsetSelector,
    DisagreementSelector,
    FisherSubsetSelector,
    RandomSubsetSelector,
)

__all__ = [
    "AnchorPointSelector",
    "AutoSubsetSelector",
    "DisagreementSelector",
    "FisherSubsetSelector",
    "FluidBenchmark",
    "MultidimIRT",
    "OnePLEstimator",
    "RandomSubsetSelector",
    "TwoPLEstimator",
    "__version__",
]
