"""Abilities of two groups, purified of the items that differ between them."""

import numpy as np

from skirt._threads import one_blas_thread
from skirt.audit._group_effects import GroupRegressions

_MOST_ROUNDS = 5
# The rounds end where no more than this share of the items changes sides.
_SETTLED = 0.001
# Items this many standard errors from no difference are not used to align groups.
_NOT_ALIGNED = 1.96
# Tukey's weight is 0 from here on, in standard errors. They are known, so that no
# scale has to be estimated from residuals which the differences inflate.
_FARTHEST = 3.0
_ALIGNING_STEPS = 30


@one_blas_thread
def purified_effects(
    responses, abilities, discrimination, first, weights, testable, n_jobs
):
    """Test all items at abilities that the items which differ have not shaped.

    Abilities from all items carry a part of the differences: if some items favour a
    group, the group appears abler and all other items seem to be against it. Each
    round (1) estimates the abilities from the items that do not differ so far, (2)
    aligns the two groups, by the change of ability that explains the shifts of those
    items best, robustly, and (3) sets aside the items that still differ at the
    unadjusted level of .05. The tests come after the last round.

    Parameters
    ----------
    responses : ndarray of shape (n_models, n_items)
        1, 0, NaN.
    abilities : callable
        Takes a boolean mask of the testable items not set aside; returns abilities
        without those set aside, of shape (n_models, n_dimensions).
    discrimination : ndarray of shape (n_items, n_dimensions)
    first, weights, testable, n_jobs
        As in `GroupRegressions`.

    Returns
    -------
    effects : GroupEffects
    anchors : ndarray of shape (n_items,), bool
        The items from which the abilities were estimated in the end.
    """
    side = np.where(first, 0.5, -0.5)[:, None]
    work = GroupRegressions(responses, first, weights, testable, n_jobs)
    anchors, earlier, beta = testable, [], None
    for _ in range(_MOST_ROUNDS):
        ability = abilities(anchors)
        beta, shift, se = work.shifts(ability, beta)
        offset = _robust_offset(shift[anchors], se[anchors], discrimination[anchors])
        ability = ability + side * offset
        left = np.abs(shift - discrimination @ offset) < _NOT_ALIGNED * se
        earlier.append(anchors)
        settled = (left != anchors).sum() <= _SETTLED * testable.sum()
        if settled or not left.any() or any((left == mask).all() for mask in earlier):
            break
        anchors = left
    return work.effects(ability, beta), earlier[-1]


def _robust_offset(shift, se, discrimination):
    """Return the change of ability, first less second group, that explains shifts.

    Least absolute deviations, then Tukey's biweight from there: shifts of a minority
    of items, all of one sign, pull a least-squares fit with them.
    """
    scaled = discrimination / se[:, None]
    target = shift / se
    offset = np.zeros(discrimination.shape[1])
    for step in range(2 * _ALIGNING_STEPS):
        far = np.abs(target - scaled @ offset)
        if step < _ALIGNING_STEPS:
            weight = 1 / np.maximum(far, 0.05)
        else:
            weight = np.square(np.maximum(1 - np.square(far / _FARTHEST), 0))
        root = np.sqrt(weight)
        offset = np.linalg.lstsq(root[:, None] * scaled, root * target, rcond=None)[0]
    return offset
