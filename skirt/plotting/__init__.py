"""Pictures of items, models, benchmarks and tests, as scikit-learn's displays.

They need matplotlib, the extra `plot`.
"""

from skirt.plotting._ability_forest import AbilityForestDisplay
from skirt.plotting._adaptive_trace import AdaptiveTraceDisplay
from skirt.plotting._agreement_curve import AgreementCurveDisplay
from skirt.plotting._benchmark_heatmap import BenchmarkHeatmapDisplay
from skirt.plotting._discrimination import DiscriminationHistogramDisplay
from skirt.plotting._information import InformationDisplay
from skirt.plotting._item_curves import ItemCurveDisplay
from skirt.plotting._item_scatter import ItemScatterDisplay
from skirt.plotting._wright_map import WrightMapDisplay

__all__ = [
    "AbilityForestDisplay",
    "AdaptiveTraceDisplay",
    "AgreementCurveDisplay",
    "BenchmarkHeatmapDisplay",
    "DiscriminationHistogramDisplay",
    "InformationDisplay",
    "ItemCurveDisplay",
    "ItemScatterDisplay",
    "WrightMapDisplay",
]
