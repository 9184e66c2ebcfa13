"""The paper quotes the results of its script and cites entries of its bibliography."""

import re
import subprocess
import sys
from pathlib import Path

PAPER = Path(__file__).resolve().parents[2] / "paper"


def text() -> str:
    return (PAPER / "paper.md").read_text("utf-8")


def test_numbers_and_figures_of_the_text_are_those_of_the_script(tmp_path: Path) -> None:
    command = [sys.executable, str(PAPER / "figures.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    numbers = re.findall(r"\d+\.\d+|\de-\d+", done.stdout)
    assert len(numbers) == 7
    assert [number for number in numbers if number not in text()] == []
    shown = re.findall(r"\]\(figures/(.+)\)", text())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(shown)


def test_every_reference_is_cited_and_every_citation_is_known() -> None:
    entries = re.findall(r"^@\w+\{(\w+),$", (PAPER / "paper.bib").read_text("utf-8"), re.M)
    assert len(entries) == len(set(entries)) > 10
    assert set(re.findall(r"@([a-z]+\d*)\b", text())) == set(entries)


def test_paper_has_the_sections_of_the_journal_and_its_length() -> None:
    sections = re.findall(r"^# (.+)$", text(), re.M)
    assert sections[:3] == ["Summary", "Statement of need", "State of the field"]
    assert sections[-1] == "References"
    assert 250 <= len(re.findall(r"\w+", text().split("---", 2)[2])) <= 1750
