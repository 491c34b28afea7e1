"""Bringing the dimensions of two solutions into one order, sign and direction."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lstsq, orthogonal_procrustes
from scipy.optimize import linear_sum_assignment
from sklearn.utils import check_array
from sklearn.utils._param_validation import StrOptions, validate_params


@dataclass(frozen=True, eq=False)
class Alignment:
    """A solution in the order, signs and directions of a reference.

    Made by :func:`align_dimensions`.

    Attributes
    ----------
    discrimination : ndarray of shape (n_items, n_components)
        The aligned discriminations, ``discrimination @ rotation``.
    ability : ndarray of shape (n_models, n_components) or None
        The aligned abilities, ``ability @ inv(rotation).T``: every probability is
        what it was.
    rotation : ndarray of shape (n_components, n_components)
    permutation : ndarray of int of shape (n_components,)
        The column of the solution that matches each column of the reference.
    signs : ndarray of int of shape (n_components,)
        1, or -1 where that column had to be turned round.
    congruence : ndarray of shape (n_components,)
        Tucker's coefficient of congruence of each column of aligned discriminations
        with the reference: their correlation with the means left in.
    discrimination_correlation, ability_correlation : ndarray of shape (n_components,)
        Pearson's correlation of each aligned column with that of the reference; NaN
        where one of them is constant. Those of abilities are None without abilities.
    """

    discrimination: np.ndarray
    ability: np.ndarray | None
    rotation: np.ndarray
    permutation: np.ndarray
    signs: np.ndarray
    congruence: np.ndarray
    discrimination_correlation: np.ndarray
    ability_correlation: np.ndarray | None


@validate_params(
    {
        "reference": ["array-like"],
        "discrimination": ["array-like"],
        "method": [StrOptions({"match", "orthogonal", "oblique"})],
        "reference_ability": ["array-like", None],
        "ability": ["array-like", None],
        "ability_correlation": ["array-like", None],
    },
    prefer_skip_nested_validation=True,
)
def align_dimensions(
    reference,
    discrimination,
    *,
    method="match",
    reference_ability=None,
    ability=None,
    ability_correlation=None,
):
    """Align a multidimensional solution with a reference.

    Two fits of one panel can have the same dimensions in another order or with
    other signs, or the same space with other axes. Matching undoes the former and
    leaves every column what it was; a Procrustes rotation undoes the latter too.

    Parameters
    ----------
    reference : array-like of shape (n_items, n_components)
        The discriminations to align with.
    discrimination : array-like of shape (n_items, n_components)
        The solution's discriminations of the same items.
    method : {"match", "orthogonal", "oblique"}, default="match"
        "match" only reorders and reflects columns, so that the sum of the absolute
        coefficients of congruence is largest (Hungarian method). "orthogonal" turns
        the solution rigidly, "oblique" by any linear map that leaves the abilities'
        variances 1, to the least squared distance from the reference (for "oblique",
        before the scales are set).
    reference_ability, ability : array-like of shape (n_models, n_components), optional
        The abilities of both solutions, to be aligned and compared by the same map.
    ability_correlation : array-like of shape (n_components, n_components), optional
        The solution's own correlations of abilities, for the scales of an oblique
        alignment. None takes them to be uncorrelated.

    Returns
    -------
    Alignment

    Raises
    ------
    ValueError
        If shapes differ, a value is not finite, only one of the abilities is given,
        or the discriminations of the solution are linearly dependent, so that no
        oblique map can be found.

    Notes
    -----
    Columns are matched by congruence (means left in), not by correlation. Where each
    item follows one of two dimensions, the discriminations on the two correlate near
    -1 over items, so that by correlation a dimension would match the other one,
    reflected, as well as itself.

    References
    ----------
    .. [1] Schönemann, P. H. (1966). "A generalized solution of the orthogonal
       Procrustes problem". Psychometrika 31, 1-10.
    .. [2] Mosier, C. I. (1939). "Determining a simple structure when loadings for
       certain tests are known". Psychometrika 4, 149-162.
    .. [3] Lorenzo-Seva, U. and ten Berge, J. M. F. (2006). "Tucker's congruence
       coefficient as a meaningful index of factor similarity". Methodology 2, 57-64.

    Examples
    --------
    >>> import numpy as np
    >>> from skirt.audit._alignment import align_dimensions
    >>> reference = np.array([[1.0, 0.1], [0.8, 0.0], [0.2, 1.5], [0.1, 0.9]])
    >>> aligned = align_dimensions(reference, reference[:, ::-1] * [1, -1])
    >>> aligned.permutation, aligned.signs
    (array([1, 0]), array([-1,  1]))
    >>> bool((aligned.discrimination == reference).all())
    True
    """
    reference = _matrix(reference, "reference")
    discrimination = _matrix(discrimination, "discrimination")
    _check_same_shape(reference, discrimination, "discrimination", "item")
    if (reference_ability is None) != (ability is None):
        raise ValueError(
            "Only one of reference_ability and ability is given: pass both, to have "
            "the abilities aligned and compared, or neither."
        )
    if ability is not None:
        reference_ability = _matrix(reference_ability, "reference_ability")
        ability = _matrix(ability, "ability")
        _check_same_shape(reference_ability, ability, "ability", "model")
        _check_width(ability, discrimination, "ability")
    if ability_correlation is not None:
        ability_correlation = _matrix(ability_correlation, "ability_correlation")
        _check_width(ability_correlation, discrimination, "ability_correlation")
    return align(
        reference,
        discrimination,
        method,
        reference_ability,
        ability,
        ability_correlation,
    )


def align(reference, discrimination, method, reference_ability, ability, phi):
    """Align checked arrays; see :func:`align_dimensions`."""
    permutation, signs = match_columns(reference, discrimination)
    if method == "match":
        rotation = np.zeros((len(signs), len(signs)))
        rotation[permutation, np.arange(len(signs))] = signs
    elif method == "orthogonal":
        rotation, _ = orthogonal_procrustes(discrimination, reference)
    else:
        rotation = _oblique_procrustes(discrimination, reference, phi)
    aligned = discrimination @ rotation
    aligned_ability = correlation = None
    if ability is not None:
        aligned_ability = np.linalg.solve(rotation, ability.T).T
        correlation = column_correlations(reference_ability, aligned_ability)
    return Alignment(
        discrimination=aligned,
        ability=aligned_ability,
        rotation=rotation,
        permutation=permutation,
        signs=signs,
        congruence=_congruence(reference, aligned, paired=True),
        discrimination_correlation=column_correlations(reference, aligned),
        ability_correlation=correlation,
    )


def match_columns(reference, columns):
    """Return the column that matches each of the reference's, and its sign."""
    congruence = _congruence(reference, columns)
    _, permutation = linear_sum_assignment(-np.abs(congruence))
    matched = congruence[np.arange(len(permutation)), permutation]
    return permutation, np.where(matched < 0, -1, 1)


def column_correlations(first, second):
    """Pearson's correlation of each column with its counterpart; NaN if constant."""
    # A mean is exact to rounding only, which must not make a constant one vary.
    varies = (np.ptp(first, axis=0) > 0) & (np.ptp(second, axis=0) > 0)
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    return np.where(varies, _congruence(first, second, paired=True), np.nan)


def _congruence(first, second, paired=False):
    """Cosines of all pairs of columns, or of corresponding ones; 0 with a zero."""
    first, second = _unit(first), _unit(second)
    if paired:
        return np.clip((first * second).sum(axis=0), -1.0, 1.0)
    return np.clip(first.T @ second, -1.0, 1.0)


def _unit(columns):
    length = np.linalg.norm(columns, axis=0)
    return columns / np.where(length > 0, length, 1.0)


def _oblique_procrustes(discrimination, reference, phi):
    rotation, _, rank, _ = lstsq(discrimination, reference)
    if rank < discrimination.shape[1] or np.linalg.cond(rotation) > 1e10:
        raise np.linalg.LinAlgError(  # a ValueError
            "The columns of the discriminations are linearly dependent, so that no "
            "oblique map brings them to the reference: use method='match', or fewer "
            "components."
        )
    inverse = np.linalg.inv(rotation)
    if phi is None:
        phi = np.eye(len(inverse))
    # The abilities' covariance after the map; scaled to give them the variance 1.
    variances = np.einsum("de,ef,df->d", inverse, phi, inverse)
    return rotation * np.sqrt(variances)


def _matrix(values, name):
    values = np.asarray(values)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    return check_array(values, dtype=np.float64, input_name=name)


def _check_same_shape(first, second, name, row):
    if first.shape != second.shape:
        raise ValueError(
            f"The {name} has the shape {second.shape} and its reference "
            f"{first.shape}: both need the same {row}s in the same order, and the same "
            "number of components."
        )


def _check_width(array, discrimination, name):
    if array.shape[1] != discrimination.shape[1]:
        raise ValueError(
            f"{name} has {array.shape[1]} columns, but discrimination "
            f"{discrimination.shape[1]}: one is needed for each component."
        )
