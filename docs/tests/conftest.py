"""The built site, and a browser without network to look at it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / os.environ.get("NSMB_SITE", "build/docs/html")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@pytest.fixture(scope="session")
def site() -> Path:
    assert (SITE / "index.html").is_file(), "the site is not built: make docs"
    return SITE


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian: apt-get install chromium; .ci/setup.sh does so where it may."""
    assert CHROMIUM, "no Chromium on this machine"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Visit:
    """A page in a browser that reaches files only, and what it asked for beside them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.outside: list[str] = []
        self.errors: list[str] = []
        page.route("**/*", self._serve)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _serve(self, route: Route) -> None:
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self.outside.append(route.request.url)
            route.abort()

    def open(self, path: Path, query: str = "") -> None:
        self.outside, self.errors = [], []
        self.page.goto(path.as_uri() + query)


@pytest.fixture(scope="module")
def visit(browser: Browser) -> Iterator[Visit]:
    page = browser.new_page()
    yield Visit(page)
    page.close()
