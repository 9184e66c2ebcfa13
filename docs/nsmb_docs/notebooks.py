"""The notebooks of the repository as pages of the site, as they are stored.

`tests/pages/test_notebooks.py` executes them and compares the stored outputs. Here only the digest
of their cells is compared. They are copied beside
`notebooks/index.md`, with links as the site needs them, each with the picture of the cell that has
the tag `thumbnail`.
"""

from __future__ import annotations

import base64
import io
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from PIL import Image, ImageOps
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from .sources import ROOT, Included, including_pages

THUMBNAIL = (480, 320)


class InNotebook(Included):
    """A text of a notebook: what leads to another one stays."""

    def _link(self, match: re.Match[str]) -> str:
        if (match[3] or "").endswith(".ipynb"):
            return match[0]
        return super()._link(match)


def page(path: Path, pages: dict[str, str]) -> Any:
    """A notebook as its page shows it."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from notebooks import store

    notebook = store.read(path)
    if not store.is_fresh(notebook):
        raise ExtensionError(f"{path.name}: its outputs are of other cells; make notebooks")
    text = InNotebook(f"notebooks/{path.name}", f"notebooks/{path.stem}", pages)
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = ([heading, *re.findall(r"^#+ (.+)$", cell.source, re.M)])[-1]
            cell.source = text.rewritten(cell.source)
        else:
            cell.metadata["mystnb"] = {"image": {"alt": f"Picture to {heading}"}}
    notebook.metadata["mystnb"] = {"execution_mode": "off"}
    return notebook


def thumbnail(notebook: Any) -> bytes:
    """The picture of the cell with that tag, on a white card."""
    tagged = [cell for cell in notebook.cells if "thumbnail" in cell.metadata.get("tags", ())]
    if len(tagged) != 1:
        raise ExtensionError(f"expected one cell with the tag thumbnail, found {len(tagged)}")
    shown = (output.get("data", {}).get("image/png") for output in tagged[0].outputs)
    picture = base64.b64decode(next(filter(None, shown)))
    card = ImageOps.pad(Image.open(io.BytesIO(picture)).convert("RGB"), THUMBNAIL, color="white")
    file = io.BytesIO()
    card.save(file, format="PNG", optimize=True)
    return file.getvalue()


def write(path: Path, content: bytes) -> None:
    """Only what is new, so that Sphinx reads no page again for nothing."""
    if not path.is_file() or path.read_bytes() != content:
        path.write_bytes(content)


def copy(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "notebooks"
    pages = including_pages(Path(app.srcdir))
    kept = set()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = page(path, pages)
        write(folder / path.name, (nbformat.writes(notebook) + "\n").encode())
        write(folder / f"{path.stem}.png", thumbnail(notebook))
        kept |= {path.name, f"{path.stem}.png"}
    for path in folder.iterdir():
        if path.suffix in (".ipynb", ".png") and path.name not in kept:
            path.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", copy)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
