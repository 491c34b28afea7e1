"""What the selectors share that calibrate item banks on their panel."""

from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods

from skirt.selection._base import SubsetSelector


class CalibratingSelector(SubsetSelector):
    """Base class of the selectors that calibrate banks and know groups of models.

    A subclass implements ``_order(responses, k, groups)``.
    """

    _parameter_constraints: dict = {
        **SubsetSelector._parameter_constraints,
        "memory": [str, HasMethods("cache"), None],
    }

    # Splitters ask for groups too; the selector takes them only if told to.
    __metadata_request__fit = {"groups": False}

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, groups=None):
        """Calibrate the banks and choose the items.

        Parameters
        ----------
        X : array-like of shape (n_models, n_items)
            The responses: 1, 0 or NaN (not administered).
        y : None
            Ignored, present for scikit-learn's conventions.
        groups : array-like of shape (n_models,), default=None
            The family of each model (variants, seeds, trials of one). Where models
            are weighed each family counts once, and where parts of the panel test
            what others have found families stay whole. All rows calibrate the items.

        Returns
        -------
        self : object
            The fitted selector.

        Raises
        ------
        ValueError
            If `X` holds anything but 0, 1 and missing while ``binarize=None``, or no
            response at all; if parameters, banks, weights or groups do not fit; if
            the panel is too small to test what it has to.

        Warns
        -----
        UserWarning
            If `k` exceeds the number of items; all are kept then.
        """
        return self._choose(X, groups=groups)
