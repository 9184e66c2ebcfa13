"""The mistakes of `make mutants` match the sources, and tests/README.md has the results."""

import re

from tests.repository.test_tolerances import exists
from tests.support.mutant_list import MUTANTS
from tests.support.mutants import ROOT, mutated_sources

ROW = re.compile(
    r"^\| `(\w+)` \| (.+?) \| (quick|full|alive|not by its room|not run) \| (?:`(.+?)`)? ?\|$",
    re.MULTILINE,
)
ROWS = ROW.findall((ROOT / "tests" / "README.md").read_text("utf-8"))


def test_each_mutant_changes_the_sources_once() -> None:
    texts = mutated_sources()
    assert len(MUTANTS) == 40
    for number, mutant in enumerate(MUTANTS, start=1):
        text = texts[f"cpp/nsmb/{mutant.file}"]
        assert text.count(f"::nsmb::is_mutant({number})") == 1, mutant.meaning
        assert all((ROOT / file).is_file() for file in mutant.first), mutant.meaning


def test_each_mutant_is_whole_expressions_or_statements() -> None:
    """Otherwise the choice between both texts does not compile."""
    for mutant in MUTANTS:
        for text in (mutant.old, mutant.new):
            assert [text.count(c) for c in "({["] == [text.count(c) for c in ")}]"], mutant.meaning
            if not mutant.is_statement:
                assert not text.lstrip().startswith(("if", "for", "while")), mutant.meaning


def test_page_tells_what_became_of_each_mutant() -> None:
    assert [row[:2] for row in ROWS] == [(m.room, m.meaning) for m in MUTANTS]
    assert all(exists(f"tests/{test}") for *_, test in ROWS if test)
