"""How many items are enough: agreement on held-out models by subset size."""

from skirt.model_selection._curve import agreement_curve
from skirt.model_selection._result import AgreementCurve
from skirt.model_selection._smallest import smallest_subset

__all__ = ["AgreementCurve", "agreement_curve", "smallest_subset"]
