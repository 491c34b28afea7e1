"""Make the data behind `skirt.datasets.load_classifier_panel`.

Some 170 scikit-learn classifiers of 18 families, which differ in settings, size of
the training sample and share of wrong training labels, answer the test records of
four data sets that come with scikit-learn. A digit classifier sees clean digits
only; its test is clean, noisy, occluded, rotated and shifted ones. No test record
is used twice.

Run it with::

    python examples/benchmarks/make_classifier_panel.py --n-jobs 2

The files depend on the seed, not on the number of jobs; other versions of
scikit-learn or of the linear algebra library may turn some answers round.
"""

import argparse
import gzip
import json
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from joblib import Parallel, delayed
from scipy import ndimage
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_wine,
)
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import skirt.datasets

# Training size (per cent of the training part) and wrong labels (per cent of the
# training sample). The settings of a family take these triples in turn.
CONDITIONS = [
    [(100, 0), (40, 10), (15, 30)],
    [(100, 10), (50, 0), (20, 20)],
    [(100, 30), (80, 0), (25, 0)],
]

TEST_SIZES = {"digits": 1200, "breast_cancer": 250, "wine": 90, "diabetes": 150}


def families():
    """Return family -> {name of the setting: classifier}."""
    return {
        "logistic": {
            "c0.01": LogisticRegression(C=0.01, max_iter=500),
            "c1": LogisticRegression(C=1.0, max_iter=500),
            "c100": LogisticRegression(C=100.0, max_iter=500),
        },
        "linear_svm": {
            "c0.003": LinearSVC(C=0.003),
            "c0.1": LinearSVC(C=0.1),
            "c10": LinearSVC(C=10.0, max_iter=5000),
        },
        "sgd": {
            "hinge": SGDClassifier(loss="hinge", alpha=1e-3),
            "huber-1epoch": SGDClassifier(
                loss="modified_huber", alpha=1e-2, max_iter=1, tol=None
            ),
            "l1": SGDClassifier(loss="log_loss", penalty="l1", alpha=3e-3),
        },
        "perceptron": {
            "plain": Perceptron(),
            "l2": Perceptron(penalty="l2", alpha=1e-3),
            "2epochs": Perceptron(max_iter=2, tol=None),
        },
        "ridge": {
            "a0.01": RidgeClassifier(alpha=0.01),
            "a1": RidgeClassifier(alpha=1.0),
            "a100": RidgeClassifier(alpha=100.0),
        },
        "rbf_svm": {
            "c1": SVC(C=1.0),
            "c10": SVC(C=10.0),
            "c0.3-g0.3": SVC(C=0.3, gamma=0.3),
            "poly3": SVC(C=1.0, kernel="poly"),
        },
        "neighbors": {
            "k1": KNeighborsClassifier(1),
            "k5": KNeighborsClassifier(5),
            "k5-cosine": KNeighborsClassifier(5, metric="cosine"),
            "k9-manhattan": KNeighborsClassifier(9, p=1, weights="distance"),
        },
        "centroid": {
            "euclidean": NearestCentroid(),
            "manhattan": NearestCentroid(metric="manhattan"),
        },
        "decision_tree": {
            "depth3": DecisionTreeClassifier(max_depth=3),
            "depth6": DecisionTreeClassifier(max_depth=6),
            "full": DecisionTreeClassifier(),
            "entropy-leaf5": DecisionTreeClassifier(
                criterion="entropy", min_samples_leaf=5
            ),
        },
        "random_forest": {
            "n5": RandomForestClassifier(5),
            "n20-depth4": RandomForestClassifier(20, max_depth=4),
            "n100": RandomForestClassifier(100),
            "n100-depth7": RandomForestClassifier(100, max_depth=7),
        },
        "extra_trees": {
            "n5": ExtraTreesClassifier(5),
            "n20-depth4": ExtraTreesClassifier(20, max_depth=4),
            "n100": ExtraTreesClassifier(100),
        },
        "boosting": {
            "n3": _boosting(3, 0.3),
            "n10": _boosting(10, 0.2),
            "n40": _boosting(40, 0.1),
        },
        "adaboost": {
            "stumps50": AdaBoostClassifier(n_estimators=50),
            "depth3-n20": AdaBoostClassifier(
                DecisionTreeClassifier(max_depth=3), n_estimators=20
            ),
            "depth6-n20": AdaBoostClassifier(
                DecisionTreeClassifier(max_depth=6), n_estimators=20
            ),
        },
        "naive_bayes": {
            "gaussian": GaussianNB(var_smoothing=1e-2),
            "gaussian-smooth": GaussianNB(var_smoothing=0.5),
            "bernoulli": BernoulliNB(binarize=0.5),
            "multinomial": MultinomialNB(),
        },
        "discriminant": {
            "lda": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.02),
            "lda-shrunk": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.7),
            "qda-pca2": make_pipeline(PCA(2), QuadraticDiscriminantAnalysis()),
        },
        "mlp": {
            "h5": MLPClassifier((5,), max_iter=300),
            "h30": MLPClassifier((30,), max_iter=200),
            "h100-tanh": MLPClassifier((100,), activation="tanh", max_iter=100),
            "h30x30": MLPClassifier((30, 30), max_iter=200),
        },
        "gaussian_process": {
            "length1": _gaussian_process(1.0),
            "length3": _gaussian_process(3.0),
        },
        "dummy": {
            "frequent": DummyClassifier(strategy="most_frequent"),
            "uniform": DummyClassifier(strategy="uniform"),
        },
    }


def _boosting(n_iterations, learning_rate):
    return HistGradientBoostingClassifier(
        max_iter=n_iterations,
        learning_rate=learning_rate,
        max_leaf_nodes=8,
        min_samples_leaf=5,
        early_stopping=False,
    )


def _gaussian_process(length):
    return GaussianProcessClassifier(RBF(length), optimizer=None)


def list_models():
    """Return one dict per model: name, family, settings, training, classifier."""
    models = []
    for family, settings in families().items():
        for number, (setting, classifier) in enumerate(settings.items()):
            conditions = CONDITIONS[number % len(CONDITIONS)]
            # Labels and sizes make no difference to a classifier that ignores them.
            for size, noise in conditions[:1] if family == "dummy" else conditions:
                models.append(
                    {
                        "model": f"{family}-{setting}-train{size}-noise{noise}",
                        "family": family,
                        "settings": " ".join(repr(classifier).split()),
                        "train_size": size / 100,
                        "label_noise": noise / 100,
                        "classifier": classifier,
                    }
                )
    return models


def load_sources(seed):
    """Return data set -> (X in [0, 1], y, training indices, test indices)."""
    digits, diabetes = load_digits(), load_diabetes()
    raw = {
        "digits": (digits.data / 16, digits.target),
        "breast_cancer": load_breast_cancer(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "diabetes": (
            diabetes.data,
            (diabetes.target > np.median(diabetes.target)).astype(int),
        ),
    }
    sources = {}
    for name, (X, y) in raw.items():
        train, test = train_test_split(
            np.arange(len(y)),
            test_size=TEST_SIZES[name],
            stratify=y,
            random_state=seed,
        )
        if name != "digits":
            low, high = X[train].min(axis=0), X[train].max(axis=0)
            X = np.clip((X - low) / (high - low), 0, 1)
        sources[name] = (X, y, train, test)
    return sources


def add_noise(image, rng):
    severity = rng.uniform(0.1, 0.5)
    return np.clip(image + rng.normal(0, severity, image.shape), 0, 1), severity


def occlude(image, rng):
    height, width = rng.integers(2, 5, size=2)
    top, left = rng.integers(0, 9 - height), rng.integers(0, 9 - width)
    image = image.copy()
    image[top : top + height, left : left + width] = 0
    return image, height * width / 64


def rotate(image, rng):
    angle = rng.uniform(5, 30)
    sign = rng.choice([-1, 1])
    turned = ndimage.rotate(image, sign * angle, reshape=False, order=1)
    return np.clip(turned, 0, 1), angle


def shift(image, rng):
    distance, direction = rng.uniform(0.2, 1.2), rng.uniform(0, 2 * np.pi)
    by = distance * np.array([np.sin(direction), np.cos(direction)])
    return np.clip(ndimage.shift(image, by, order=1), 0, 1), distance


def make_benchmarks(sources, seed):
    """Return the item table and data set -> test records in the table's order."""
    rng = np.random.default_rng([seed, 1])
    corruptions = {
        "digits_clean": lambda image, rng: (image, 0.0),
        "digits_noisy": add_noise,
        "digits_occluded": occlude,
        "digits_rotated": rotate,
        "digits_shifted": shift,
    }
    items, tests = [], {}
    X, y, _, test = sources["digits"]
    images = []
    parts = np.array_split(rng.permutation(test), len(corruptions))
    for (benchmark, corrupt), part in zip(corruptions.items(), parts, strict=True):
        for source in np.sort(part):
            image, severity = corrupt(X[source].reshape(8, 8), rng)
            images.append(image.ravel())
            items.append((benchmark, source, y[source], round(severity, 3)))
    tests["digits"] = np.array(images)
    for name in ("breast_cancer", "wine", "diabetes"):
        X, y, _, test = sources[name]
        test = np.sort(test)
        tests[name] = X[test]
        items.extend((name, source, y[source], 0.0) for source in test)
    columns = ["benchmark", "source_index", "label", "severity"]
    return pd.DataFrame(items, columns=columns), tests


def training_sample(y, train, size, noise, rng):
    """Return the rows to train on and their labels, some of them wrong.

    Every class has at least four records, three of which keep their labels, so that
    every classifier can be fitted; so small samples may get less noise than asked.
    """
    classes = np.unique(y)
    kept, open_to_noise = [], []
    for label in classes:
        rows = rng.permutation(train[y[train] == label])
        rows = rows[: max(4, round(size * len(rows)))]
        kept.append(rows[:3])
        open_to_noise.append(rows[3:])
    kept, exposed = np.concatenate(kept), np.concatenate(open_to_noise)
    labels = y[exposed]
    n_wrong = min(len(exposed), round(noise * (len(kept) + len(exposed))))
    wrong = rng.choice(len(exposed), n_wrong, replace=False)
    steps = rng.integers(1, len(classes), n_wrong)
    labels[wrong] = (labels[wrong] + steps) % len(classes)
    return np.concatenate([kept, exposed]), np.concatenate([y[kept], labels])


def answer(model, sources, tests, seed):
    """Train one model on every data set; return the labels it gives to all items."""
    predictions = []
    with threadpool_limits(1), warnings.catch_warnings():
        # Some are stopped early on purpose, or see a feature that is constant.
        warnings.simplefilter("ignore")
        for number, (name, (X, y, train, _)) in enumerate(sources.items()):
            key = [seed, 2, number, zlib.crc32(model["model"].encode())]
            rng = np.random.default_rng(key)
            rows, labels = training_sample(
                y, train, model["train_size"], model["label_noise"], rng
            )
            classifier = clone(model["classifier"])
            if "random_state" in classifier.get_params():
                classifier.set_params(random_state=int(rng.integers(2**31)))
            classifier.fit(X[rows], labels)
            predictions.append(classifier.predict(tests[name]))
    return np.concatenate(predictions)


def write_gzip(path, text):
    """Write `text` so that the same text gives the same bytes at any time."""
    with open(path, "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped:
            zipped.write(text.encode("ascii"))


def write_panel(output, responses, items, models, seed):
    output.mkdir(parents=True, exist_ok=True)
    rows = "".join("".join(map(str, row)) + "\n" for row in responses)
    write_gzip(output / "panel_responses.txt.gz", rows)
    csv = {"index": False, "lineterminator": "\n"}
    write_gzip(output / "panel_items.csv.gz", items.to_csv(**csv))
    write_gzip(output / "panel_models.csv.gz", models.to_csv(**csv))
    about = {"seed": seed, "scikit_learn": sklearn.__version__}
    about["numpy"] = np.__version__
    text = json.dumps(about, indent=2) + "\n"
    (output / "panel_about.json").write_text(text, encoding="ascii")


def summarize(responses, items, models):
    frame = pd.DataFrame(responses.T).groupby(items["benchmark"].to_numpy()).mean().T
    frame.insert(0, "all", responses.mean(axis=1))
    print("\nMean score by family and benchmark")
    print(frame.groupby(models["family"].to_numpy()).mean().round(2).to_string())
    print("\nQuantiles of the models' scores")
    print(frame.quantile([0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]).round(2).to_string())
    counts, _ = np.histogram(responses.mean(axis=0), bins=10, range=(0, 1))
    print("\nItems by share of models right, tenths from 0 to 1:", counts.tolist())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = Path(skirt.datasets.__file__).parent / "data"
    parser.add_argument("--output", type=Path, default=default, metavar="DIR")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n-jobs", type=int, default=1)
    args = parser.parse_args()

    start = time.perf_counter()
    sources = load_sources(args.seed)
    items, tests = make_benchmarks(sources, args.seed)
    models = list_models()
    print(f"{len(models)} models, {len(items)} items", flush=True)
    jobs = (delayed(answer)(model, sources, tests, args.seed) for model in models)
    given = []
    for labels in Parallel(args.n_jobs, return_as="generator")(jobs):
        given.append(labels)
        if len(given) % 10 == 0 or len(given) == len(models):
            seconds = time.perf_counter() - start
            print(f"{len(given)}/{len(models)} models, {seconds:.0f} s", flush=True)
    responses = (np.array(given) == items["label"].to_numpy()).astype(int)
    table = pd.DataFrame(models).drop(columns="classifier")
    write_panel(args.output, responses, items, table, args.seed)
    summarize(responses, items, table)


if __name__ == "__main__":
    main()
