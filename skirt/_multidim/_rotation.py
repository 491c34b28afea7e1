"""Rotation of the axes: the same model in coordinates that are easier to name.

The gradient projection algorithm (Bernaards & Jennrich 2005) is that of statsmodels.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

# mirt's constant: a logistic curve with this slope is nearly the normal ogive.
SCALING = 1.702
ROTATIONS = (
    "varimax",
    "quartimax",
    "promax",
    "oblimin",
    "quartimin",
    "geomin",
    "target",
)
# Added to each squared loading in the geometric means of geomin (Yates 1987).
_GEOMIN_EPSILON = 0.01
_PROMAX_POWER = 4
_STARTS = 8
_TRIES = 500
# Gradients of the criteria, which are of order 1: where to stop, and to complain.
_TOLERANCE = 1e-7
_LOOSE = 1e-4


def standardised_loadings(discrimination, correlation):
    """Return loadings of the normal-ogive model in standard deviations.

    a / sqrt(1.702^2 + a' Phi a): what rotations look at, so that steep items do not
    rule them.
    """
    common = np.einsum("jk,kl,jl->j", discrimination, correlation, discrimination)
    return discrimination / np.sqrt(SCALING**2 + common)[:, None]


def rotate(discrimination, method, target=None):
    """Find a rotation of orthogonal axes.

    Parameters
    ----------
    discrimination : ndarray of shape (n_items, n_components)
        On abilities N(0, I).
    method : str or None
    target : ndarray of shape (n_items, n_components) or None
        For "target": the loadings to come near to; NaN where they are free.

    Returns
    -------
    ndarray T of shape (n_components, n_components)
        The abilities become T' theta, the discriminations a T'^-1, the correlations
        of the abilities T' T.
    """
    axes = _principal_axes(discrimination)
    n_components = discrimination.shape[1]
    if method is None or n_components == 1:
        turned = axes
    else:
        loadings = standardised_loadings(discrimination, np.eye(n_components)) @ axes
        turned = axes @ _rotation(loadings, method, target)
    if method == "target":
        return turned  # its columns are named already
    return turned @ _ordered_and_signed(discrimination, turned)


def _principal_axes(discrimination):
    """The axes by explained variance: the same wherever the calibration ended."""
    values, vectors = np.linalg.eigh(discrimination.T @ discrimination)
    vectors = vectors[:, ::-1]
    signs = np.sign((discrimination @ vectors).sum(axis=0))
    return vectors * np.where(signs == 0, 1.0, signs)


def _ordered_and_signed(discrimination, turned):
    """Permutation and signs: most variance first, discriminations sum positive."""
    slopes = np.linalg.solve(turned, discrimination.T).T
    loadings = standardised_loadings(slopes, turned.T @ turned)
    shares = explained(loadings, turned.T @ turned)
    signs = np.where(slopes.sum(axis=0) < 0, -1.0, 1.0)
    order = np.argsort(-shares, kind="stable")
    return (np.eye(signs.size) * signs)[:, order]


def explained(loadings, correlation):
    """Variance of the standardised responses that each ability explains.

    Where abilities correlate, what two share is divided evenly between them.
    """
    return (loadings * (loadings @ correlation)).sum(axis=0)


def _rotation(loadings, method, target):
    """Return T for loadings on orthogonal axes."""
    if method == "promax":
        # Rows of length 1 for varimax (Kaiser): items count alike.
        length = np.sqrt(np.square(loadings).sum(axis=1, keepdims=True))
        normed = loadings / np.where(length > 0, length, 1.0)
        return _promax(loadings, _rotation(normed, "varimax", None))
    if method == "target":
        return _toward(loadings, target)
    criterion, kind = _CRITERIA[method]
    first, *others = _starts(loadings.shape[1])
    best, best_turn, steepness = _descend(loadings, criterion, kind, first)
    for start in others:
        value, turn, steep = _descend(loadings, criterion, kind, start)
        # Another start must be better by more than rounding to be preferred.
        if value < best - 1e-9 * max(1.0, abs(best)):
            best, best_turn, steepness = value, turn, steep
    if steepness > _LOOSE:
        warnings.warn(
            f"The {method} rotation stopped at a gradient of {steepness:.0e}: its axes "
            "are not well determined.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return best_turn


def _descend(loadings, criterion, kind, start):
    """Minimise a criterion by gradient projection; value, T, size of the gradient."""
    # Imported here: it takes a second, and nobody else needs it.
    from statsmodels.multivariate.factor_rotation._gpa_rotation import GPA

    # It logs the size of the gradient, which may be 0 to the last digit.
    with np.errstate(divide="ignore"):
        _, _, turn, table = GPA(
            loadings,
            vgQ=lambda L: criterion(L),
            T=start,
            rotation_method=kind,
            tol=_TOLERANCE,
            max_tries=_TRIES,
        )
    return table[-1][1], turn, 10.0 ** table[-1][2]


def _starts(n_components):
    """The axes as they are, and some others, always the same."""
    rng = np.random.RandomState(0)
    yield np.eye(n_components)
    for _ in range(_STARTS):
        turn, _ = np.linalg.qr(rng.normal(size=(n_components, n_components)))
        yield turn


# Criteria and their gradients, as means over items: statsmodels' own ones make a
# matrix of items x items for some of them, too large for a long benchmark.


def _varimax(loadings):
    squares = np.square(loadings)
    centred = squares - squares.mean(axis=0)
    value = -np.sum(squares * centred) / 4
    return value / len(loadings), -loadings * centred / len(loadings)


def _quartimax(loadings):
    squares = np.square(loadings)
    return (
        -np.sum(np.square(squares)) / 4 / len(loadings),
        -loadings * squares / len(loadings),
    )


def _quartimin(loadings):
    """Oblimin with gamma = 0: squared loadings of two dimensions do not meet."""
    squares = np.square(loadings)
    others = squares.sum(axis=1, keepdims=True) - squares
    value = np.sum(squares * others) / 4
    return value / len(loadings), loadings * others / len(loadings)


def _geomin(loadings):
    """Sum over items of the geometric mean of the squared loadings (Yates 1987)."""
    squares = np.square(loadings) + _GEOMIN_EPSILON
    means = np.exp(np.log(squares).mean(axis=1))
    gradient = 2.0 / loadings.shape[1] * loadings / squares * means[:, None]
    return means.mean(), gradient / len(loadings)


_CRITERIA = {
    "varimax": (_varimax, "orthogonal"),
    "quartimax": (_quartimax, "orthogonal"),
    "oblimin": (_quartimin, "oblique"),
    "quartimin": (_quartimin, "oblique"),
    "geomin": (_geomin, "oblique"),
}


def _promax(loadings, varimax):
    """Promax (Hendrickson & White 1964): oblique toward sharpened varimax loadings."""
    turned = loadings @ varimax
    sharp = turned * np.abs(turned) ** (_PROMAX_POWER - 1)
    inverse = np.linalg.lstsq(turned, sharp, rcond=None)[0]
    # L = A T'^-1; columns scaled so that the abilities keep variance 1.
    scale = np.sqrt(np.diag(np.linalg.inv(inverse.T @ inverse)))
    return np.linalg.inv(varimax @ (inverse * scale)).T


def _toward(loadings, target):
    """Oblique rotation to a target whose NaN are free (Browne 1972)."""
    free = np.isnan(target)
    goal = np.where(free, 0.0, target)

    def distance(turned):
        away = np.where(free, 0.0, turned - goal) / len(loadings)
        return 0.5 * np.sum(away * (turned - goal)), away

    # It starts from the orthogonal rotation that comes nearest.
    left, _, right = np.linalg.svd(loadings.T @ goal)
    return _descend(loadings, distance, "oblique", left @ right)[1]
