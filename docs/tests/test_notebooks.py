"""The notebooks of the repository are pages of the site, with their pictures."""

import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_page_shows_the_stored_pictures(site: Path, path: Path) -> None:
    page = (site / "notebooks" / f"{path.stem}.html").read_text("utf-8")
    stored = path.read_text("utf-8").count('"image/png": "')
    shown = re.findall(r'<img alt="Picture to [^"]+" src="\.\./_images/(\w+\.png)"', page)
    assert stored > 0
    assert len(shown) == stored
    assert all((site / "_images" / name).is_file() for name in shown)


def test_index_has_a_card_for_each(site: Path) -> None:
    page = (site / "notebooks" / "index.html").read_text("utf-8")
    cards = re.findall(r'class="sd-stretched-link [^"]*" href="(\w+)\.html"', page)
    assert sorted(cards) == [path.stem for path in NOTEBOOKS]
    pictures = re.findall(
        r'<img alt="[^"]+" class="sd-card-img-top" src="\.\./_images/(\w+)\.png"', page
    )
    assert sorted(pictures) == sorted(cards)
