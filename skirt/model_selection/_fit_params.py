"""Which parts of an estimator want to know the models' groups when they are fitted."""

import sklearn
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter


def group_params(estimator, groups):
    """Return the keyword arguments of `fit` that hand over the groups.

    Where scikit-learn's metadata routing is enabled, what the estimator requests
    decides. Otherwise every estimator whose `fit` has a parameter `groups` gets them,
    the steps of pipelines too.

    Parameters
    ----------
    estimator : estimator
    groups : ndarray of shape (n_models,) or None

    Returns
    -------
    dict
    """
    if groups is None:
        return {}
    if sklearn.get_config()["enable_metadata_routing"]:
        wanted = get_routing_for_object(estimator).consumes("fit", ["groups"])
        return {"groups": groups} if wanted else {}
    if isinstance(estimator, Pipeline):
        return {
            f"{name}__{key}": value
            for name, step in estimator.steps
            for key, value in group_params(step, groups).items()
        }
    # A step may be None or "passthrough".
    takes = hasattr(estimator, "fit") and has_fit_parameter(estimator, "groups")
    return {"groups": groups} if takes else {}
