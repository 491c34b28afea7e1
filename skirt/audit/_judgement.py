"""What the tests say of each benchmark and its sub-groups."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import t as student_t

from skirt.audit._benchmark_tests import (
    against_target,
    holm,
    same_direction_test,
    strongest,
    t_test,
)

# One ability outweighs another in a benchmark from this ratio of their weights on;
# below it the benchmark mixes the two, however significant a small difference is.
DOMINANCE = 2.0
# Two scores with a latent correlation from this on measure the same for all purposes.
SAME = 0.9
# Abilities that correlate less than this with those of the whole panel, once the
# benchmark is left out, stood on the benchmark itself.
RECOVERED = 0.7
# Where some mixture of the abilities is known with less than this reliability, the
# panel does not tell that many apart: what it follows would be drawn by chance.
RELIABLE = 0.5


@dataclass(frozen=True)
class Finding:
    """What is found of one benchmark.

    Attributes
    ----------
    dominant : int or None
        The ability that its score goes with most.
    follows : int or None
        The same, if it exceeds every other significantly and outweighs it.
    first, second : int
        The abilities compared: the target and the strongest other, or the strongest
        and the next.
    difference, low, high, p, p_adjusted : float
        Correlation with the first less that with the second.
    contradicts : bool or None
        Whether it follows another ability than its target; None without a verdict.
    lacks_rival : bool
        Whether it would contradict its target if another benchmark followed that.
    linked : bool
        Whether its correlation with the dominant ability is significantly positive.
    against : int or None
        The ability with which its correlation is most negative, if significantly.
    """

    dominant: int | None = None
    follows: int | None = None
    first: int | None = None
    second: int | None = None
    difference: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan
    p_adjusted: float = np.nan
    contradicts: bool | None = None
    lacks_rival: bool = False
    linked: bool = False
    against: int | None = None


def judge_benchmarks(links, testable, targets, alpha):
    """Say which ability each benchmark follows and whether that contradicts its target.

    A benchmark contradicts its target if its score goes with another ability
    significantly more, that ability has at least `DOMINANCE` times the target's weight
    and is itself significantly linked, and another benchmark follows the target: where
    none does, that ability may be nothing but noise, or another name for this one.

    Parameters
    ----------
    links : list of Links
    testable : list of bool
    targets : list of int or None
    alpha : float
        The error rate over all benchmarks.

    Returns
    -------
    list of Finding
    """
    size = links[0].correlation.shape[1]
    if size < 2:
        return [Finding(dominant=0) for _ in links]
    found: list[Any] = [
        strongest(link) if np.isfinite(link.correlation[0]).all() else None
        for link in links
    ]
    p = [
        f[4] if f and test else np.nan for f, test in zip(found, testable, strict=True)
    ]
    follows = [
        int(f[0])
        if p_adjusted < alpha
        and _outweighs(link, f[0])
        and _is_linked(link, f[0], alpha)
        else None
        for f, link, p_adjusted in zip(found, links, holm(p), strict=True)
    ]
    compared: list[Any] = []
    for f, link, target in zip(found, links, targets, strict=True):
        if f is None:
            compared.append((None, None, np.nan, np.nan, np.nan))
        elif target is None:
            compared.append((int(f[0]), int(f[1]), *f[2:]))
        else:
            compared.append((target, *against_target(link, target)))
    p_values = np.where(testable, [c[4] for c in compared], np.nan)
    findings = []
    for b, (link, p_adjusted) in enumerate(zip(links, holm(p_values), strict=True)):
        first, second, difference, se, _ = compared[b]
        contradicts, lacks_rival = None, False
        if targets[b] is not None and np.isfinite(p_adjusted):
            elsewhere = (
                difference < 0
                and p_adjusted < alpha
                and link.weight[0, second] >= DOMINANCE * link.weight[0, first]
                and _is_linked(link, second, alpha)
            )
            rival = targets[b] in follows[:b] + follows[b + 1 :]
            contradicts, lacks_rival = elsewhere and rival, elsewhere and not rival
        reach = np.nan
        if testable[b] and link.freedom > 0:
            reach = se * student_t.isf(alpha / 2, link.freedom)
        linked, against = False, None
        if testable[b] and found[b] is not None:
            linked = _is_linked(link, found[b][0], alpha)
            lowest = int(link.correlation[0].argmin())
            if _is_linked(link, lowest, alpha, sign=-1.0):
                against = lowest
        findings.append(
            Finding(
                None if found[b] is None else int(found[b][0]),
                follows[b],
                first,
                second,
                difference,
                difference - reach,
                difference + reach,
                p_values[b],
                p_adjusted,
                contradicts,
                lacks_rival,
                linked,
                against,
            )
        )
    return findings


def _outweighs(link, first):
    weight = link.weight[0]
    return bool(weight[first] >= DOMINANCE * np.delete(weight, first).max())


def _is_linked(link, dimension, alpha, sign=1.0):
    _, _, p = t_test(sign * link.correlation[:, dimension], link, one_sided=True)
    return bool(p < alpha)


def assign_targets(labels, correlation, dimension_names):
    """Say which ability each declared target stands for.

    A target that is the name of an ability stands for it. Other labels are claims
    whose abilities are not known beforehand: they are matched with the abilities so
    that the benchmarks' mean correlations with those of their label are largest, each
    label with an ability of its own while there are enough.

    Parameters
    ----------
    labels : list of str or None
        Of each benchmark.
    correlation : ndarray of shape (n_benchmarks, n_dimensions)
        NaN where it is not known.
    dimension_names : list of str

    Returns
    -------
    dict of str to int
    """
    different = sorted({label for label in labels if label is not None})
    if set(different) <= set(dimension_names):
        return {label: dimension_names.index(label) for label in different}
    known = np.where(np.isfinite(correlation), correlation, 0.0)
    means = np.array(
        [known[[own == label for own in labels]].mean(axis=0) for label in different]
    )
    if len(different) <= len(dimension_names):
        rows, columns = linear_sum_assignment(-means)
        return {different[r]: int(c) for r, c in zip(rows, columns, strict=True)}
    return dict(zip(different, map(int, means.argmax(axis=1)), strict=True))


def compare_subgroups(pairs):
    """Test sub-groups against the rest of their benchmarks.

    Parameters
    ----------
    pairs : list of (Links, Links) or None
        Of a sub-group and of the rest. Where a benchmark has two sub-groups they are
        one comparison: the second is the very same pair, turned round.

    Returns
    -------
    latent_correlation, p, p_adjusted : ndarray of shape (n_subgroups,)
    """
    along, p = np.full((2, len(pairs)), np.nan)
    done: dict = {}
    first = np.zeros(len(pairs), dtype=bool)
    for place, pair in enumerate(pairs):
        if pair is None:
            continue
        key = frozenset(map(id, pair))
        if key not in done:
            first[place] = True
            done[key] = place
            along[place], p[place] = same_direction_test(*pair)
        along[place], p[place] = along[done[key]], p[done[key]]
    p_adjusted = holm(np.where(first, p, np.nan))
    for place, pair in enumerate(pairs):
        if pair is not None:
            p_adjusted[place] = p_adjusted[done[frozenset(map(id, pair))]]
    return along, p, p_adjusted
