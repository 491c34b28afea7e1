"""Choose a few items of a benchmark, and judge the choice on held-out models.

The panel of classifiers that comes with skirt answered eight small benchmarks; this
takes the 240 clean digits. Run it with ``python examples/choose_subset.py``.
"""

from skirt import FisherSubsetSelector, RandomSubsetSelector, TwoPLEstimator
from skirt.datasets import load_classifier_panel
from skirt.metrics import discrimination_cv
from skirt.model_selection import agreement_curve


def main():
    panel = load_classifier_panel(as_frame=True)
    digits = panel.data.loc[:, panel.item_table["benchmark"] == "digits_clean"]

    model = TwoPLEstimator().fit(digits)
    print("The best models, with standard errors:")
    print(model.ability_table().head().round(2), "\n")
    print(f"Discriminations vary by {discrimination_cv(model):.2f} of their mean.\n")

    curve = agreement_curve(
        {"fisher": FisherSubsetSelector(), "random": RandomSubsetSelector()},
        digits,
        k=[5, 10, 20, 40, 80],
        groups=panel.groups,
    )
    print(curve, "\n")

    k = curve.smallest_k(0.9, "fisher")
    print(f"{k} items reach .90 and save {curve.saving(0.9, 'fisher'):.0%}.")
    selector = FisherSubsetSelector(k=k).fit(digits)
    chosen = model.item_parameters().iloc[selector.order_]
    print(chosen[["discrimination", "difficulty"]].head().round(2))


if __name__ == "__main__":
    main()
