"""The embedded panel of scikit-learn classifiers."""

import gzip
import io
import json
from importlib import resources

import numpy as np
import pandas as pd
from sklearn.utils import Bunch
from sklearn.utils._param_validation import validate_params

_DESCR = """\
Panel of scikit-learn classifiers
=================================

{n_models} classifiers of {n_families} families answered {n_items} test records of
{n_benchmarks} benchmarks: 1 = classified rightly, 0 = wrongly. No response is
missing.

:Models: {n_models}, see `model_table`
:Items: {n_items}, see `item_table`
:Missing responses: none

Models
------
A model is a family (random forest, naive Bayes, ...) with its settings, the share of
the training part it was given and the share of wrong labels in that training sample.
It was fitted on its sample of each of four data sets that come with scikit-learn:
the digits (clean images only), breast cancer, wine and diabetes (is the progression
of the disease above the median?). Each model drew its own training sample, with at
least four records of every class, three of them with the right label. Models of one
family err alike, so keep them together when you split: pass `groups` to
GroupShuffleSplit or GroupKFold.

Items
-----
{benchmarks}
All are records that no model was trained on, and no record serves in two benchmarks.
The corrupted digits differ in severity: the standard deviation of the noise (pixels
run from 0 to 1), the share of the image hidden, the angle in degrees, the distance
in pixels. Some items are answered alike by (nearly) all models, some favour
the weaker ones, as in other benchmarks: labels near a threshold, or images that no
longer look like their label.

How it was made
---------------
By `examples/benchmarks/make_classifier_panel.py` with seed {seed}, scikit-learn
{scikit_learn} and numpy {numpy}. The stored file is what counts: made with other
versions or another linear algebra library, some responses turn round (one in 200
with scikit-learn 1.6.0 and numpy 1.26.4, in 21 of the models).
"""


@validate_params(
    {
        "return_X_y": ["boolean"],
        "return_X_groups": ["boolean"],
        "as_frame": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def load_classifier_panel(*, return_X_y=False, return_X_groups=False, as_frame=False):
    """Load the responses of scikit-learn classifiers to eight small benchmarks.

    A real panel that comes with the package: 167 classifiers of 18 families, from
    chance to nearly faultless, answered 1,690 test records (clean, noisy, occluded,
    rotated and shifted digits, breast cancer, wine, diabetes). Nothing is missing.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return `(data, target)` instead of a Bunch.
    return_X_groups : bool, default=False
        If True, return `(data, groups)` instead of a Bunch.
    as_frame : bool, default=False
        If True, `data` is a DataFrame with the names of models and items, `target`
        and `groups` are Series.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        data : ndarray or DataFrame of shape (167, 1690), float64
            The responses, 1 = classified rightly.
        target : ndarray or Series of shape (167,), float64
            The full-benchmark score of each model: its share of right answers.
        groups : ndarray or Series of shape (167,) of str
            The family of each model, for splits that keep families together.
        item_table : DataFrame of shape (1690, 4)
            One row per column of `data`, indexed by item name
            (`digits_noisy/0123`): `benchmark`, `source_index` (row of the
            record in scikit-learn's data set), `label` (the right answer),
            `severity` (of the corruption, in the benchmark's own unit; 0 if none).
        model_table : DataFrame of shape (167, 4)
            One row per row of `data`, indexed by model name
            (`random_forest-n5-train40-noise10`, both in per cent): `family`,
            `settings`, `train_size` (share of the training part), `label_noise`
            (share of wrong training labels).
        feature_names, model_names : list of str
            Names of the columns and rows.
        frame : DataFrame or None
            The same table as `data` if `as_frame`.
        DESCR : str
            Description of the data and how it was made.
    (data, target) : tuple if `return_X_y`
    (data, groups) : tuple if `return_X_groups`

    Raises
    ------
    ValueError
        If both `return_X_y` and `return_X_groups` are True, or an option is not a
        bool.

    Examples
    --------
    >>> from skirt.datasets import load_classifier_panel
    >>> panel = load_classifier_panel(as_frame=True)
    >>> panel.data.shape
    (167, 1690)
    >>> panel.groups.nunique(), panel.item_table["benchmark"].nunique()
    (18, 8)
    >>> digits = panel.data.loc[:, panel.item_table["benchmark"] == "digits_clean"]
    >>> digits.shape
    (167, 240)
    """
    if return_X_y and return_X_groups:
        raise ValueError(
            "return_X_y and return_X_groups are both True: choose one, or take data, "
            "target and groups from the Bunch."
        )
    text = gzip.decompress(_read("panel_responses.txt.gz"))
    characters = np.array([list(row) for row in text.split()], dtype=np.uint8)
    data = (characters == ord("1")).astype(float)
    items = _read_table("panel_items.csv.gz")
    item_names = items["benchmark"] + items["source_index"].map("/{:04d}".format)
    items.index = pd.Index(item_names.tolist(), name="item")
    models = _read_table("panel_models.csv.gz").set_index("model")
    target, groups = data.mean(axis=1), models["family"].to_numpy(dtype=str)
    frame = None
    if as_frame:
        frame = data = pd.DataFrame(data, index=models.index, columns=items.index)
        target = pd.Series(target, index=models.index, name="score")
        groups = models["family"].copy()
    if return_X_y:
        return data, target
    if return_X_groups:
        return data, groups
    return Bunch(
        data=data,
        target=target,
        groups=groups,
        item_table=items,
        model_table=models,
        feature_names=items.index.tolist(),
        model_names=models.index.tolist(),
        frame=frame,
        DESCR=_describe(items, models),
    )


def _describe(items, models):
    counts = items["benchmark"].value_counts(sort=False)
    return _DESCR.format(
        n_models=len(models),
        n_families=models["family"].nunique(),
        n_items=len(items),
        n_benchmarks=len(counts),
        benchmarks="".join(f"* `{name}`: {n} records\n" for name, n in counts.items()),
        **json.loads(_read("panel_about.json")),
    )


def _read(name):
    return resources.files("skirt.datasets").joinpath("data", name).read_bytes()


def _read_table(name):
    return pd.read_csv(io.BytesIO(gzip.decompress(_read(name))))
