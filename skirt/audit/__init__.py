"""What benchmarks, prompts and models measure, and how they differ."""

from skirt.audit._audit_result import BenchmarkAudit
from skirt.audit._benchmark_audit import benchmark_audit
from skirt.audit._compare_models import compare_models
from skirt.audit._compare_result import ModelComparison
from skirt.audit._dimension_selector import DimensionItemSelector
from skirt.audit._redundancy import item_redundancy
from skirt.audit._redundancy_result import ItemRedundancy
from skirt.audit._stability import dimension_stability
from skirt.audit._stability_result import DimensionStability

__all__ = [
    "BenchmarkAudit",
    "DimensionItemSelector",
    "DimensionStability",
    "ItemRedundancy",
    "ModelComparison",
    "benchmark_audit",
    "compare_models",
    "dimension_stability",
    "item_redundancy",
]
