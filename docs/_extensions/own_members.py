"""Leave out of a class's page what it only inherits from other packages."""

# Of scikit-learn's methods these are part of the job; the others (parameters,
# metadata routing, output containers) are the same for every estimator.
_WORTH_SHOWING = {"fit_transform", "get_support", "inverse_transform"}


def skip_foreign(app, what, name, member, skip, options):
    """Tell autodoc to skip members that were not written here."""
    module = getattr(member, "__module__", None) or ""
    if skip or name in _WORTH_SHOWING or not callable(member):
        return skip or None
    return None if module.startswith("skirt") else True


def setup(app):
    """Connect it."""
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
