"""Choosing few items that rank the models as the whole benchmark does."""

from skirt.selection._anchor import AnchorPointSelector
from skirt.selection._auto import AutoSubsetSelector
from skirt.selection._baselines import DisagreementSelector, RandomSubsetSelector
from skirt.selection._fisher import FisherSubsetSelector

__all__ = [
    "AnchorPointSelector",
    "AutoSubsetSelector",
    "DisagreementSelector",
    "FisherSubsetSelector",
    "RandomSubsetSelector",
]
