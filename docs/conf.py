"""Configuration of the documentation; see docs/building.md."""

import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

import skirt

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_extensions"))

project = "skirt"
author = "The skirt developers"
project_copyright = author
version = release = skirt.__version__
html_title = f"skirt {release}"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "repository_links",
    "own_members",
    "link_names",
]
exclude_patterns = ["_build", "_extensions"]
templates_path = ["_templates"]
default_role = "code"

# Pages are Markdown that reads well in the repository, too.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
# Methods are documented below the table, by autodoc; numpydoc would list them again.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# The order of the job.
EXAMPLES = [
    "plot_calibrate.py",
    "plot_gaps.py",
    "plot_standard_errors.py",
    "plot_select_and_score.py",
    "plot_selectors_grid_search.py",
    "plot_rank_selection.py",
    "plot_efficient_benchmarking.py",
    "plot_adaptive_test.py",
    "plot_number_of_abilities.py",
    "plot_audit_classifiers.py",
    "plot_audit_planted.py",
    "plot_compare_models.py",
    "plot_redundant_items.py",
]
sphinx_gallery_conf = {
    "examples_dirs": str(DOCS.parent / "examples"),
    "gallery_dirs": "gallery",
    "ignore_pattern": r"(^|[/\\])(?!plot_)[^/\\]*\.py$",
    "within_subsection_order": ExplicitOrder([*EXAMPLES, "*"]),
    "doc_module": ("skirt",),
    "backreferences_dir": "gallery/backreferences",
    "image_scrapers": ("matplotlib",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "parallel": 2,
}

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["skirt.css"]
html_theme_options = {
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "readme": []}
html_show_sourcelink = False
