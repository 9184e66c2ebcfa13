"""The site: `make docs` builds it into build/docs/html."""

import os
import sys
from importlib.metadata import metadata
from pathlib import Path

import nsmb

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))  # nsmb_docs

from nsmb_docs.gallery import sphinx_gallery_conf  # noqa: E402, F401

project = "nsmb"
author = "The nsmb developers"
copyright = author
version = release = nsmb.__version__

extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "nsmb_docs.katex",
    "nsmb_docs.sources",
    "nsmb_docs.notebooks",
    "nsmb_docs.equations",
    "nsmb_docs.api",
    "nsmb_docs.headers",
    "breathe",
    "sphinx_gallery.gen_gallery",
    "nsmb_docs.gallery",
]

# Notebooks that other extensions write beside their pages are no pages of their own.
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = [
    "tests",
    "nsmb_docs",
    "browser/app",
    "systems/README.md",  # systems/index.md includes it
    "**.ipynb_checkpoints",
    "**sg_execution_times.rst",  # times of one machine, in a table that asks other hosts
    "gallery_scripts",
]
nitpicky = True
# Types of Eigen and of the standard library, whose sites are not asked when this one is built.
nitpick_ignore_regex = [("cpp:.*", ".*")]

suppress_warnings = ["duplicate_declaration.cpp"]  # every header opens namespace nsmb

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_fence_as_directive = {"math"}  # as in texts that are read outside of the site, too
myst_heading_anchors = 4
myst_update_mathjax = False
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build/docs/notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_ipywidgets_js = {}  # would be fetched from elsewhere when a page is looked at

default_role = "name"  # of docstrings: a link if there is something of that name
autosummary_generate = False
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}  # and not the dozen types it stands for
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"
add_module_names = False
napoleon_google_docstring = False
napoleon_use_param = False  # types are text: their words are no names to look up
napoleon_use_rtype = False
napoleon_custom_sections = ["Evaluations"]  # of builders of systems

breathe_projects = {"nsmb": str(ROOT / "build/docs/headers/xml")}
breathe_default_project = "nsmb"
breathe_show_include = False

html_theme = "pydata_sphinx_theme"
html_title = f"nsmb {version}"
html_static_path = ["_static", "../build/browser/static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
html_sidebars = {"index": [], "browser/*": [], "project/*": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "nsmb"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "icon_links": [
        {"name": name, "url": url, "icon": "fa-solid fa-code-branch"}
        for name, url in (
            line.split(", ", 1) for line in metadata("nsmb").get_all("Project-URL") or ()
        )
        if name.lower() in ("source", "repository")
    ],
}

html_math_renderer = "katex"

os.environ.setdefault("MPLBACKEND", "agg")  # of notebooks and galleries
