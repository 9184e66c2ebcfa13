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
    "gallery_scripts",
]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"nsmb\..*")]  # as long as there is no reference

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
myst_update_mathjax = False
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build/docs/notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_ipywidgets_js = {}  # would be fetched from elsewhere when a page is looked at

autosummary_generate = False
autodoc_member_order = "groupwise"

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
