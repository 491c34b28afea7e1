"""How many items are enough, and how many dimensions: by held-out data."""

from skirt.model_selection._cell_scores import CellScores
from skirt.model_selection._cross_val_responses import cross_val_responses
from skirt.model_selection._curve import agreement_curve
from skirt.model_selection._result import AgreementCurve
from skirt.model_selection._smallest import smallest_subset

__all__ = [
    "AgreementCurve",
    "CellScores",
    "agreement_curve",
    "cross_val_responses",
    "smallest_subset",
]
