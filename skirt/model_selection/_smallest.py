"""The smallest subset that is good enough, chosen by a grid search."""

import re
import warnings

import numpy as np

from skirt.model_selection._bootstrap import mean_of_finite
from skirt.model_selection._sizes import is_size_name


def smallest_subset(target=0.9, metric="score", param=None):
    """Make a ``refit`` rule that takes the smallest size with enough agreement.

    For ``GridSearchCV`` and ``RandomizedSearchCV``. Scores are means over the splits
    whose score is finite. The smallest size is taken that reaches `target` and, with
    all other parameters the same, holds it at every larger size tried: one lucky
    small size is not enough.

    Parameters
    ----------
    target : float, default=0.9
        The mean score wanted.
    metric : str, default="score"
        Whose test scores to read; "score" unless several metrics are computed.
    param : str, default=None
        The parameter that is the size, such as "k" or "select__k". None finds it:
        the one that is called ``k`` or ``n_items``, nested or not.

    Returns
    -------
    callable
        Takes ``cv_results_`` and returns the index of a candidate; can be pickled.
        When called it raises ValueError where the size is ambiguous or absent, or
        no score is finite, and warns when no size reaches the target, in which case
        it returns the candidate with the best mean (the smallest of equals).

    See Also
    --------
    agreement_curve : Agreement by size, with intervals, for several methods.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest, f_regression
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV, ShuffleSplit
    >>> from sklearn.pipeline import Pipeline
    >>> from skirt.metrics import agreement_scorer
    >>> from skirt.model_selection import smallest_subset
    >>> rng = np.random.default_rng(0)
    >>> X = (rng.random((60, 50)) < np.linspace(0.1, 0.9, 60)[:, None]).astype(float)
    >>> search = GridSearchCV(
    ...     Pipeline([("select", SelectKBest(f_regression)), ("score", Ridge())]),
    ...     {"select__k": [1, 5, 20, 50]},
    ...     scoring=agreement_scorer,
    ...     cv=ShuffleSplit(5, test_size=0.5, random_state=0),
    ...     refit=smallest_subset(0.9),
    ... )
    >>> search.fit(X, X.mean(axis=1)).best_params_
    {'select__k': 20}
    """
    return SmallestSubset(target, metric, param)


class SmallestSubset:
    """The rule that :func:`smallest_subset` makes."""

    def __init__(self, target, metric, param):
        self.target = target
        self.metric = metric
        self.param = param

    def __repr__(self):
        return f"smallest_subset({self.target}, {self.metric!r}, {self.param!r})"

    def __call__(self, cv_results):
        name = self._size_name(cv_results)
        sizes = _sizes(cv_results, name)
        means = self._means(cv_results)
        others = [
            {key: value for key, value in params.items() if key != name}
            for params in cv_results["params"]
        ]
        reached = means >= self.target  # False for NaN
        kept = [
            index
            for index in np.flatnonzero(reached)
            if all(
                reached[larger]
                for larger in np.flatnonzero(sizes > sizes[index])
                if _same(others[index], others[larger])
            )
        ]
        if kept:
            return int(min(kept, key=lambda index: (sizes[index], -means[index])))
        finite = np.flatnonzero(np.isfinite(means))
        best = int(min(finite, key=lambda index: (-means[index], sizes[index])))
        warnings.warn(
            f"No {name} reaches and keeps a mean {self.metric} of {self.target}: the "
            f"best is taken, {name}={sizes[best]:g} with {means[best]:.3f}. Try larger "
            "sizes, or a lower target.",
            UserWarning,
            stacklevel=2,
        )
        return best

    def _size_name(self, cv_results):
        tried = [key.removeprefix("param_") for key in cv_results if _is_param(key)]
        if self.param is not None:
            name = self.param.removeprefix("param_")
            if name not in tried:
                raise ValueError(
                    f"param={self.param!r} was not searched over; these were: "
                    f"{', '.join(tried)}."
                )
            return name
        names = [name for name in tried if is_size_name(name)]
        if len(names) != 1:
            found = ", ".join(names) if names else "none"
            raise ValueError(
                f"Which parameter is the number of items? Found {found} among "
                f"{', '.join(tried)}: name it, smallest_subset(param=...)."
            )
        return names[0]

    def _means(self, cv_results):
        pattern = re.compile(rf"split\d+_test_{re.escape(self.metric)}")
        scores = [cv_results[key] for key in cv_results if pattern.fullmatch(key)]
        if not scores:
            ranked = [key for key in cv_results if key.startswith("mean_test_")]
            metrics = ", ".join(key.removeprefix("mean_test_") for key in ranked)
            raise ValueError(
                f"There is no metric {self.metric!r}; computed were: {metrics}."
            )
        table = np.array(scores, dtype=np.float64)
        if not np.isfinite(table).any():
            raise ValueError(
                f"Every test {self.metric} is NaN or infinite, so that no size can be "
                "chosen. Test sets of at least five models, and error_score='raise', "
                "show why."
            )
        return mean_of_finite(table)


def _is_param(key):
    return key.startswith("param_")


def _sizes(cv_results, name):
    values = np.ma.asarray(cv_results[f"param_{name}"])
    if np.ma.getmaskarray(values).any():
        raise ValueError(
            f"Some candidates have no {name}: search over them apart, since without a "
            "size they cannot be compared."
        )
    try:
        return np.asarray(values.data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} takes values that are no numbers, {list(values.data)}: give every "
            "candidate its number of items."
        ) from error


def _same(left, right):
    """Say whether two candidates' other parameters are equal."""
    return left.keys() == right.keys() and all(
        _same_value(value, right[name]) for name, value in left.items()
    )


def _same_value(left, right):
    if left is right:
        return True
    try:
        return bool(left == right)
    except ValueError:  # arrays compare cell by cell
        return np.array_equal(left, right)
