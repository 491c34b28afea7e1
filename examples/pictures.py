"""Draw every picture of skirt from the panel that comes with it.

Run it with ``python examples/pictures.py FOLDER``: PNG files are written there, the
folder is made if it is not there. It needs the extra `plot` and takes about a minute,
most of it for the audit.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from sklearn.model_selection import GroupShuffleSplit  # noqa: E402

from skirt import (  # noqa: E402
    FisherSubsetSelector,
    FluidBenchmark,
    RandomSubsetSelector,
    TwoPLEstimator,
)
from skirt.audit import benchmark_audit  # noqa: E402
from skirt.datasets import load_classifier_panel  # noqa: E402
from skirt.model_selection import agreement_curve  # noqa: E402
from skirt.plotting import (  # noqa: E402
    AbilityForestDisplay,
    AdaptiveTraceDisplay,
    AgreementCurveDisplay,
    BenchmarkHeatmapDisplay,
    DiscriminationHistogramDisplay,
    InformationDisplay,
    ItemCurveDisplay,
    ItemScatterDisplay,
    WrightMapDisplay,
)


def pictures():
    """Yield the name and the display of each picture."""
    panel = load_classifier_panel(as_frame=True)
    digits = panel.data.loc[:, panel.item_table["benchmark"] == "digits_clean"]
    bank = TwoPLEstimator().fit(digits)

    by_difficulty = bank.item_parameters()["difficulty"].sort_values().index
    items = list(by_difficulty[[20, 160, 220]])
    yield "item_curves", ItemCurveDisplay.from_estimator(bank, digits, items=items)
    yield "wright_map", WrightMapDisplay.from_estimator(bank)
    yield "test_information", InformationDisplay.from_estimator(bank)
    yield "item_information", InformationDisplay.from_estimator(bank, items=items)
    yield "ability_forest", AbilityForestDisplay.from_estimator(bank, digits)
    yield "discrimination", DiscriminationHistogramDisplay.from_estimator(bank)

    curve = agreement_curve(
        {"fisher": FisherSubsetSelector(), "random": RandomSubsetSelector()},
        digits,
        k=[5, 10, 20, 40, 80],
        cv=GroupShuffleSplit(10, test_size=0.5, random_state=0),
        groups=panel.groups,
    )
    yield "agreement_curve", AgreementCurveDisplay.from_curve(curve)

    # Every other family calibrates the items, one of the others is tested.
    families = list(dict.fromkeys(panel.groups))
    known = panel.groups.isin(families[::2])
    bench = FluidBenchmark(n_items=40).fit(digits[known])
    newcomer = digits[~known].iloc[:1]
    trace = AdaptiveTraceDisplay.from_estimator(bench, newcomer)
    yield "adaptive_trace", trace

    # Every third item, so that the audit does not take long.
    some, table = panel.data.iloc[:, ::3], panel.item_table.iloc[::3]
    audit = benchmark_audit(some, table, groups=panel.groups, n_bootstrap=100)
    yield "benchmark_heatmap", BenchmarkHeatmapDisplay.from_audit(audit)
    scatter = ItemScatterDisplay.from_estimator(audit.estimator_, table)
    yield "item_scatter", scatter


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to write the PNG files")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, display in pictures():
        path = folder / f"{name}.png"
        display.figure_.savefig(path, dpi=150)
        plt.close(display.figure_)
        print(path)


if __name__ == "__main__":
    main()
