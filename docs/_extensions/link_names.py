"""Names of the package in running text become links to their pages.

The pages are Markdown that is read in the repository too, where the syntax of
cross-references would be in the way: `TwoPLEstimator` is enough.
"""

import importlib
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

_MODULES = (
    "skirt",
    "skirt.adaptive",
    "skirt.audit",
    "skirt.datasets",
    "skirt.io",
    "skirt.metrics",
    "skirt.model_selection",
    "skirt.plotting",
)
# A name, perhaps with the package before it, a method after it, or a call.
_NAME = re.compile(
    r"(?:skirt\.)?(?:[a-z_]+\.)?(?P<name>\w+)(?:\.(?P<method>\w+))?(\(.*\))?"
)


def _documented():
    """Return the full name of each public name, the shortest where it has two."""
    found = {}
    for module in _MODULES:
        for name in importlib.import_module(module).__all__:
            found.setdefault(name, f"{module}.{name}")
    return found


class LinkNames(SphinxTransform):
    """Wrap literals that are public names in references."""

    default_priority = 500
    documented = _documented()

    def apply(self, **kwargs):
        """Look at every literal of a page."""
        if not self.document["source"].endswith(".md"):
            return
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(literal.parent, nodes.title | nodes.reference):
                continue
            match = _NAME.fullmatch(literal.astext())
            target = match and self.documented.get(match["name"])
            if target and not match["method"]:
                self.link(literal, target)

    def link(self, literal, target):
        """Put the literal into a reference that is resolved later."""
        reference = addnodes.pending_xref(
            "",
            refdomain="py",
            reftype="obj",
            reftarget=target,
            refexplicit=True,
            refwarn=False,
            refdoc=self.env.docname,
        )
        literal.replace_self(reference)
        reference += literal


def setup(app):
    """Connect it."""
    app.add_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
