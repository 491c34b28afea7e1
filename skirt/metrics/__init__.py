"""Agreement of rankings, the full-benchmark score, and what selection can save."""

from skirt.metrics._agreement import agreement_score, agreement_scorer
from skirt.metrics._discrimination import discrimination_cv
from skirt.metrics._full_score import full_benchmark_score, missingness_report

__all__ = [
    "agreement_score",
    "agreement_scorer",
    "discrimination_cv",
    "full_benchmark_score",
    "missingness_report",
]
