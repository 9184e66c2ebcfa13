"""The gallery: pages made by executing the scripts in docs/gallery_scripts with Sphinx-Gallery."""

from __future__ import annotations

import os
import warnings
import weakref
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

KINDS = ("theory", "benchmarks", "machines", "gears", "space", "flexible")
_caught: list[warnings.catch_warnings[None]] = []
_shown: weakref.WeakSet[Any] = weakref.WeakSet()  # films; a value stays until there is another


def strict(gallery_conf: dict[str, Any], name: str | None, when: str) -> None:
    """Turn warnings into errors while a script runs, and set the size of its figures."""
    if when == "before" and name is not None:
        caught = warnings.catch_warnings()
        caught.__enter__()
        _caught.append(caught)
        warnings.simplefilter("error")
        if not os.environ.get("NSMB_STRICT_WARNINGS"):  # as in tests/support/strict_warnings.py
            for announced in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
                warnings.simplefilter("default", announced)
        import matplotlib

        matplotlib.rcParams.update({"figure.dpi": 90, "axes.titlesize": "medium"})
    while when == "after" and _caught:
        _caught.pop().__exit__(None, None, None)


def films(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The animation that a block ends with, as a GIF."""
    from sphinx_gallery.scrapers import figure_rst

    from nsmb.pictures.animation import Animation

    film = block_vars["example_globals"].get("___")
    if not isinstance(film, Animation) or film in _shown:
        return ""
    _shown.add(film)
    path = Path(next(block_vars["image_path_iterator"])).with_suffix(".gif")
    film.save(path, progress=False)
    alt = f"{film.times[0]:g} s to {film.times[-1]:g} s of the run as a film"
    rst: str = figure_rst([path], gallery_conf["src_dir"], alt)
    return rst


sphinx_gallery_conf = {
    "examples_dirs": "gallery_scripts",
    "gallery_dirs": "gallery",
    "subsection_order": [f"gallery_scripts/{kind}" for kind in KINDS],
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"\.py$",
    "notebook_extensions": set(),  # MyST-NB would take them for pages
    "download_all_examples": False,
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),
    "ignore_repr_types": r"matplotlib|nsmb\.pictures",
    "image_scrapers": ("nsmb_docs.gallery.films", "matplotlib"),
    "reset_modules": ("matplotlib", "nsmb_docs.gallery.strict"),
    "reset_modules_order": "both",
    "doc_module": ("nsmb",),
    "reference_url": {"nsmb": None},
    "show_signature": False,
    "remove_config_comments": True,
    "parallel": 2,
}


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_css_file("gallery.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
