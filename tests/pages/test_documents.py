"""Code in README.md and the pages of the site runs and prints the output shown."""

from pathlib import Path

import pytest

from tests.support.documents import agree, run_page, steps_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "learn").glob("*.md")),
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
    *sorted((ROOT / "docs").glob("comparison.md")),
]
WITH_CODE = [page for page in PAGES if steps_of(page)]


def test_readme_shows_python_and_commands_with_what_they_print() -> None:
    steps = steps_of(ROOT / "README.md")
    assert {step.kind for step in steps} == {"python", "command"}
    assert any(step.kind == "python" and step.shown for step in steps)


def test_readme_fits_on_a_screen() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 75


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix()


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    wrong = run_page(page, tmp_path)
    assert not wrong, "\n\n".join(wrong)


def test_each_of_the_ten_tasks_has_at_most_25_lines() -> None:
    page = ROOT / "docs" / "learn" / "ten-tasks.md"
    tasks = [step.text for step in steps_of(page) if step.kind == "python"][1:]
    assert len(tasks) == 10
    lengths = [sum(bool(line.strip()) for line in task.splitlines()) for task in tasks]
    assert max(lengths) <= 25


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "howto").glob("*.md")), ids=lambda p: p.stem
)
def test_recipe_has_something_to_run(page: Path) -> None:
    assert page.stem == "index" or steps_of(page)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("period 0.145976 s", "period 0.145977 s", True),
        ("period 0.145976 s", "period 0.145979 s", False),
        ("3 impacts", "4 impacts", False),
        ("3 impacts", "3  impacts\n", True),
        ("[1. 2.]", "[1. 2.]", True),
        ("1.2e-3 J", "1.25e-3 J", True),
        ("1.2e-3 J", "1.5e-3 J", False),
        ("first ... last", "first and then last", True),
        ("first ... last", "first and then lost", False),
        ("0.1 s of computing", "0.7 s of computing", True),
        ("a", "a b", False),
    ],
)
def test_what_is_shown_is_compared_with_what_is_printed(
    shown: str, printed: str, same: bool
) -> None:
    assert agree(shown, printed) is same


def test_a_page_that_says_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 2.0\nprint(x)\n```\n\n```text\n3.0\n```\n", "utf-8")
    assert "page.md:2" in run_page(page, tmp_path)[0]


def test_a_page_whose_code_fails_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nimport nsmb\n\nnsmb.simulation_of_all()\n```\n", "utf-8")
    assert "simulation_of_all" in run_page(page, tmp_path)[0]
