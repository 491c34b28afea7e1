"""Links that work in the repository, made to work on the site.

Pages refer to the README, which is a page of the site too, and to examples, of which
those with pictures are pages of the gallery. The README refers to pages and examples
from where it lies.
"""

import re

_README = "readme"
_GALLERY = re.compile(r"\]\((?:\.\./)*examples/(plot_\w+)\.py\)")


def rewrite(app, docname, source):
    """Point links to the README and to examples to their pages."""
    # A doctest in Markdown needs a blank line at its end, which nobody wants to see.
    source[0] = _to_pages(source[0]).replace("\n\n```\n", "\n```\n")


def rewrite_included(app, relative_path, parent_docname, content):
    """Point the README's links to pages, seen from the folder of the pages."""
    if parent_docname == _README:
        content[0] = _to_pages(content[0].replace("](docs/", "]("))
        content[0] = content[0].replace("](examples/", "](../examples/")
        content[0] = content[0].replace("\n\n```\n", "\n```\n")


def _to_pages(text):
    text = re.sub(r"\]\((?:\.\./)+(?:README|readme)\.md", f"](/{_README}.md", text)
    text = re.sub(
        r"\]\((?:\.\./)*examples/GALLERY_HEADER.rst", "](/gallery/index.rst", text
    )
    return _GALLERY.sub(r"](/gallery/\1.rst)", text)


def setup(app):
    """Connect it."""
    app.connect("source-read", rewrite)
    app.connect("include-read", rewrite_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
