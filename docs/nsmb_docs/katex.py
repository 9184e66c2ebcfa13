"""Formulas set in the reader's browser by KaTeX, which is served with the site."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ConfigError

FOLDERS = ("/usr/share/javascript/katex", "/usr/share/nodejs/katex/dist")  # Debian's packages
LICENCE = Path("/usr/share/doc/libjs-katex/copyright")


def katex_folder() -> Path:
    """The folder with katex.min.js: of NSMB_KATEX, or of the distribution."""
    for name in (os.environ.get("NSMB_KATEX", ""), *FOLDERS):
        if name and (Path(name) / "katex.min.js").is_file():
            return Path(name)
    raise ConfigError(
        "KaTeX is missing: install libjs-katex (Debian, Ubuntu), or set NSMB_KATEX to the folder "
        "of a release of KaTeX that has katex.min.js, katex.min.css and fonts"
    )


def copy_katex(app: Sphinx) -> None:
    if app.builder.format != "html":
        return
    source, target = katex_folder(), Path(app.outdir) / "_static" / "katex"
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copyfile(source / name, target / name)
    for font in (source / "fonts").glob("*.woff2"):
        shutil.copyfile(font, target / "fonts" / font.name)
    if LICENCE.is_file():
        shutil.copyfile(LICENCE, target / "LICENSE.txt")


def visit_math(writer: Any, node: nodes.Element) -> None:
    writer.body.append(writer.starttag(node, "span", "", CLASS="math"))
    writer.body.append(f"{writer.encode(node.astext())}</span>")
    raise nodes.SkipNode


def visit_displaymath(writer: Any, node: nodes.Element) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math display"))
    writer.body.append(f"{writer.encode(node.astext())}</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("katex", (visit_math, None), (visit_displaymath, None))
    app.connect("builder-inited", copy_katex)
    app.add_css_file("katex/katex.min.css")
    app.add_js_file("katex/katex.min.js")
    app.add_js_file("formulas.js")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
