"""The Law School Admission Test data, sections 6 and 7."""

import numpy as np
import pandas as pd
from sklearn.utils import Bunch
from sklearn.utils._param_validation import validate_params

# How many of the 1,000 people gave each answer pattern, from 00000 (all wrong),
# 00001 (only item 5 right), 00010 ... to 11111, that is in binary order.
_LSAT6 = [3, 6, 2, 11, 1, 1, 3, 4, 1, 8, 0, 16, 0, 3, 2, 15]
_LSAT6 += [10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298]
_LSAT7 = [12, 19, 1, 7, 3, 19, 3, 17, 10, 5, 3, 7, 7, 23, 8, 28]
_LSAT7 += [7, 39, 11, 34, 14, 51, 15, 90, 6, 25, 7, 35, 18, 136, 32, 308]

_DESCR = """\
Law School Admission Test, section {section}
=======================================

Answers of 1,000 people to five items, 1 = right and 0 = wrong, none missing. The
people are known only through the frequencies of the 32 possible answer patterns, so
the order of the expanded rows has no meaning. Both sections were printed by Bock
and Lieberman (1970) and became the standard worked examples of item response
theory. Section 6 is easy and fits a one-parameter model; the items of section 7
differ more in discrimination.

:Number of rows: 1,000 people, or 32 answer patterns with `expand=False`
:Number of items: 5
:Items right, of 1,000: {totals}

References
----------
Bock, R. D. and Lieberman, M. (1970). Fitting a response model for n dichotomously
scored items. Psychometrika 35, 179-197.

Bock, R. D. and Aitkin, M. (1981). Marginal maximum likelihood estimation of item
parameters: application of an EM algorithm. Psychometrika 46, 443-459.
"""

_CONSTRAINTS = {
    "expand": ["boolean"],
    "return_X_y": ["boolean"],
    "as_frame": ["boolean"],
}


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)
def load_lsat6(*, expand=True, return_X_y=False, as_frame=False):
    """Load the answers to section 6 of the Law School Admission Test.

    Five easy items answered by 1,000 people, the standard worked example of item
    response theory ([1]_, [2]_). Nothing is missing.

    Parameters
    ----------
    expand : bool, default=True
        True gives one row per person, False one row per answer pattern, to be
        weighted by `frequency`.
    return_X_y : bool, default=False
        If True, return `(data, target)` instead of a Bunch. Needs `expand=True`,
        since the frequencies of patterns would be lost.
    as_frame : bool, default=False
        If True, `data` is a DataFrame and `frequency` and `target` are Series.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        data : ndarray or DataFrame of shape (1000, 5) or (32, 5), float64
            The responses, 1 = right. With `expand=False` all 32 patterns, those
            that nobody gave included.
        frequency : ndarray or Series of shape (1000,) or (32,), int64
            How many people each row stands for, which serves as `sample_weight`; 1
            in every place when expanded.
        target : ndarray or Series of shape (1000,) or (32,), float64
            The score of each row, that is its share of right answers. Nothing was
            measured beside the items; this is the ranking they give.
        feature_names : list of str
            The names of the items.
        frame : DataFrame or None
            The same table as `data` if `as_frame`. It has no column for the target,
            so that it can be handed to an estimator as it is.
        DESCR : str
            Description of the data.
    (data, target) : tuple if `return_X_y`

    Raises
    ------
    ValueError
        If `return_X_y` comes with `expand=False`, or an option is not a bool.

    References
    ----------
    .. [1] Bock, R. D. and Lieberman, M. (1970). Fitting a response model for n
       dichotomously scored items. Psychometrika 35, 179-197.
    .. [2] Bock, R. D. and Aitkin, M. (1981). Marginal maximum likelihood estimation
       of item parameters: application of an EM algorithm. Psychometrika 46, 443-459.

    Examples
    --------
    >>> from skirt.datasets import load_lsat6
    >>> lsat = load_lsat6()
    >>> lsat.data.shape
    (1000, 5)
    >>> lsat.data.mean(axis=0)
    array([0.924, 0.709, 0.553, 0.763, 0.87 ])
    >>> patterns = load_lsat6(expand=False)
    >>> patterns.data[27], int(patterns.frequency[27])
    (array([1., 1., 0., 1., 1.]), 173)
    """
    return _load(6, _LSAT6, expand, return_X_y, as_frame)


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)
def load_lsat7(*, expand=True, return_X_y=False, as_frame=False):
    """Load the answers to section 7 of the Law School Admission Test.

    Five items answered by 1,000 people; their discriminations differ more than
    those of section 6 ([1]_, [2]_). Nothing is missing.

    Parameters
    ----------
    expand : bool, default=True
        True gives one row per person, False one row per answer pattern, to be
        weighted by `frequency`.
    return_X_y : bool, default=False
        If True, return `(data, target)` instead of a Bunch. Needs `expand=True`,
        since the frequencies of patterns would be lost.
    as_frame : bool, default=False
        If True, `data` is a DataFrame and `frequency` and `target` are Series.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        The same entries as :func:`load_lsat6` returns.
    (data, target) : tuple if `return_X_y`

    Raises
    ------
    ValueError
        If `return_X_y` comes with `expand=False`, or an option is not a bool.

    See Also
    --------
    load_lsat6 : Section 6, and the entries of the Bunch.

    References
    ----------
    .. [1] Bock, R. D. and Lieberman, M. (1970). Fitting a response model for n
       dichotomously scored items. Psychometrika 35, 179-197.
    .. [2] Bock, R. D. and Aitkin, M. (1981). Marginal maximum likelihood estimation
       of item parameters: application of an EM algorithm. Psychometrika 46, 443-459.

    Examples
    --------
    >>> from skirt.datasets import load_lsat7
    >>> patterns = load_lsat7(expand=False, as_frame=True)
    >>> patterns.data.shape, int(patterns.frequency.sum())
    ((32, 5), 1000)
    >>> X, y = load_lsat7(return_X_y=True)
    >>> round(float(y.mean()), 4)
    0.7414
    """
    return _load(7, _LSAT7, expand, return_X_y, as_frame)


def _load(section, frequency, expand, return_X_y, as_frame):
    if return_X_y and not expand:
        raise ValueError(
            "return_X_y=True with expand=False would lose the frequencies of the "
            "answer patterns. Use expand=True, or take data, target and frequency "
            "from the Bunch."
        )
    frequency = np.array(frequency, dtype=np.int64)
    # The binary digits of 0 to 31 are the patterns.
    patterns = (np.arange(32)[:, np.newaxis] >> np.arange(4, -1, -1)) & 1
    data = np.asarray(patterns, dtype=np.float64)
    totals = ", ".join(f"{total:g}" for total in frequency @ data)
    if expand:
        data = np.repeat(data, frequency, axis=0)
        frequency = np.ones(len(data), dtype=np.int64)
    target = data.mean(axis=1)
    names = [f"item{j}" for j in range(1, 6)]
    frame = pd.DataFrame(data, columns=names) if as_frame else None
    if as_frame:
        frequency = pd.Series(frequency, name="frequency")
        target = pd.Series(target, name="score")
    X = frame if as_frame else data
    if return_X_y:
        return X, target
    return Bunch(
        data=X,
        frequency=frequency,
        target=target,
        feature_names=names,
        frame=frame,
        DESCR=_DESCR.format(section=section, totals=totals),
    )
