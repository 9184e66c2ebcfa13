"""MeshCat animations played in a real browser with WebGL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nsmb.viewer.server import visualizer
from tests.explore.pages import BROWSER

FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip


@contextmanager
def meshcat_server() -> Iterator[Any]:
    """Yield a visualizer whose server ends with it. Skip if MeshCat is missing."""
    pytest.importorskip("meshcat")
    window = visualizer()
    try:
        yield window
    finally:
        window.close()


@contextmanager
def played(html: str, path: Path, width: int, height: int) -> Iterator[Any]:
    """Yield a page with an animation ready to play. Its `complaints` are the errors."""
    playwright = pytest.importorskip("playwright.sync_api")
    if BROWSER is None:
        pytest.skip("no Chromium on this machine")
    path.write_text(html, "utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(90e3)  # ms
            page.complaints = []
            page.on("pageerror", lambda error: page.complaints.append(str(error)))
            page.goto(path.as_uri())
            page.wait_for_function(
                "typeof viewer !== 'undefined' && viewer.animator && viewer.animator.duration > 0"
            )
            yield page
        finally:
            browser.close()
