"""Pages on machines refer to existing systems, and their content can be regenerated."""

import re
from pathlib import Path

import pytest

import nsmb

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "systems"
PAGES = sorted(page.stem for page in FOLDER.glob("*.md") if page.stem not in {"README", "index"})


def test_the_index_lists_every_page() -> None:
    listed = re.findall(r"\]\((\w+)\.md\)", (FOLDER / "README.md").read_text("utf-8"))
    assert sorted(listed) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_system_its_script_its_figure_and_its_verdicts(name: str) -> None:
    assert name in nsmb.systems.names()
    text = (FOLDER / f"{name}.md").read_text("utf-8")
    assert (FOLDER / f"{name}.py").is_file()
    assert 1_000 < (FOLDER / f"{name}.png").stat().st_size < 300_000
    assert f"]({name}.png)" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    heads = [i for i, line in enumerate(rows) if re.match(r"\|.*\bverdict\b", line)]
    assert heads
    verdicts = [line for line in rows[heads[0] + 2 :] if line.count("|") >= 4]
    assert len(verdicts) >= 3
