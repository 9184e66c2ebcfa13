"""What a browser without network makes of the pages."""

from pathlib import Path

import pytest

FORMULAS = "span.math, div.math"


def with_formulas(site: Path) -> list[Path]:
    marks = ('<span class="math', '<div class="math')
    return [
        page
        for page in sorted(site.rglob("*.html"))
        if any(mark in page.read_text("utf-8") for mark in marks)
    ]


def test_pages_with_formulas_typeset_them_all_and_ask_nobody_else(site: Path, visit) -> None:
    pages = with_formulas(site)
    assert pages
    for page in pages:
        visit.open(page)
        assert not visit.outside, page
        assert not visit.errors, page
        formulas = visit.page.locator(FORMULAS)
        plain = formulas.evaluate_all(
            "all => all.filter(e => !e.querySelector('.katex-html')).map(e => e.textContent)"
        )
        assert formulas.count(), page
        assert not plain, f"{page}: {plain[:3]}"


NAMES = [
    "index",
    "project/changelog",
    "reference/analysis/maps",
    "reference/cpp/contact_laws",
    "reference/solution",
    "search",
    "systems/index",
    "theory/equations",
    "theory/geometry",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [1400, 400])
def test_a_page_fits_into_a_window_and_asks_nobody_else(
    site: Path, visit, name: str, width: int
) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.open(site / f"{name}.html")
    assert not visit.outside
    assert not visit.errors
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
