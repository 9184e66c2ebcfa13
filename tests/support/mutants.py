"""Find the tier of tests that detects a small mistake in the core: ``make mutants``.

A mutant is the core with one small mistake: a sign, a comparison, a constant, a term left out. One
build holds all mutants. It is made from a copy of the sources in which the environment variable
NSMB_MUTANT chooses one of them, or none.

For each mutant the quick tests run until the first one fails, those of the mutant's room first.
Only if none fails the slow tests run. A test that takes far too long is stopped and counts as
failed (`tests.support.children.Watch`). Without the mutant the same test must pass.

Results are kept in ``build/mutants/results.json``. The table at the end of
``tests/README.md`` is made from them.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.children import first_failure, function_of, preload, pytest_run
from tests.support.mutant_list import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"
SOURCE, SITE = BUILD / "source", BUILD / "site"
RESULTS = BUILD / "results.json"
PAGE, MARK = ROOT / "tests" / "README.md", "<!-- Written by make mutants. -->"

# What the build of the package reads.
PARTS = [
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "cmake",
    "cpp",
    "licenses",
    "pyproject.toml",
    "python",
]
HEADER = "nsmb/core/mutants.hpp"
HEADER_TEXT = """// Made by tests/support/mutants.py.
#pragma once

#include <cstdlib>

namespace nsmb {

inline const int chosen_mutant = [] {
  const char* const text = std::getenv("NSMB_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}();

inline bool is_mutant(int number) { return chosen_mutant == number; }

}  // namespace nsmb
"""

OPEN = "not by its room"  # after --room, where the other tests may still find the mutant
LONGEST = 4 * 3600.0  # s for one run of pytest, in case a test waits indefinitely


@dataclasses.dataclass(frozen=True)
class Result:
    """The tier whose tests fail, "alive" if none does, and the first test that failed."""

    killed_by: str
    test: str = ""


def with_choice(text: str, mutant: Mutant, number: int) -> str:
    """Replace the old text by a choice between both texts."""
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"{mutant.file}: must hold the text of the mutant '{mutant.meaning}' once, "
            f"got {text.count(mutant.old)} times. Correct tests/support/mutant_list.py."
        )
    condition = f"::nsmb::is_mutant({number})"
    if mutant.is_statement:
        choice = f"if ({condition}) {{\n{mutant.new}\n}} else {{\n{mutant.old}\n}}"
    else:
        choice = f"({condition} ? ({mutant.new}) : ({mutant.old}))"
    return text.replace(mutant.old, choice)


def mutated_sources() -> dict[str, str]:
    """Return the texts of the files with mutants, by their path in the repository."""
    texts: dict[str, str] = {}
    for number, mutant in enumerate(MUTANTS, start=1):
        place = f"cpp/nsmb/{mutant.file}"
        text = texts.get(place) or (ROOT / place).read_text("utf-8")
        texts[place] = with_choice(text, mutant, number)
    return {place: f'#include "{HEADER}"\n{text}' for place, text in texts.items()}


def build() -> None:
    """Copy and change the sources, and install the package next to the ordinary one.

    Files that have not changed keep their time, so that a second build is short.
    """
    changed = mutated_sources() | {f"cpp/{HEADER}": HEADER_TEXT}

    def copy(source: str, target: str) -> str:
        if os.path.relpath(target, SOURCE) in changed:
            return target
        return str(shutil.copy2(source, target))

    ignore = shutil.ignore_patterns("__pycache__", "*.so")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(
                ROOT / part, SOURCE / part, ignore=ignore, copy_function=copy, dirs_exist_ok=True
            )
        else:
            SOURCE.mkdir(parents=True, exist_ok=True)
            copy(str(ROOT / part), str(SOURCE / part))
    for place, text in changed.items():
        path = SOURCE / place
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run(
        [*pip, "--no-build-isolation", "--no-deps", "--upgrade", "--target", str(SITE), "."],
        cwd=SOURCE,
        env=os.environ | {"SKBUILD_BUILD_DIR": "build/cmake"},
        check=True,
    )


def run(number: int, arguments: list[str]) -> str | None:
    """Return the first test that fails with a mutant (0: without), None if all pass."""
    code, text = pytest_run(
        ["-x", "--tb=no", *arguments],
        {"PYTHONPATH": str(SITE), "NSMB_MUTANT": str(number)},
        BUILD / f"output-{number}.txt",
        LONGEST,
    )
    return first_failure(code, text)


def stages(mutant: Mutant) -> list[tuple[str, list[str]]]:
    """Return tiers and arguments of pytest in the order in which they run."""
    folder = f"tests/{mutant.room}"
    others = [f"--ignore={folder}", "tests"]
    quick, slow = ["-m", "not slow"], ["-m", "slow"]
    return [
        ("quick", [*quick, *mutant.first]),
        ("quick", [*quick, folder]),
        ("quick", [*quick, *others]),
        ("full", [*slow, folder]),
        ("full", [*slow, *others]),
    ]


def judge(number: int, mutant: Mutant, most: int | None = None) -> Result:
    """Run the tests until one fails, those of `most` stages."""
    for tier, arguments in stages(mutant)[:most]:
        test = run(number, arguments)
        if test is None:
            continue
        # A core that cannot be imported fails before any test.
        again = [test] if test.startswith("tests/") else ["--collect-only", *arguments]
        if run(0, again) is not None:
            raise SystemExit(f"{test} fails without a mutant. Repair it first.")
        return Result(tier, test)
    return Result(OPEN if most else "alive")


def read_results() -> dict[str, Result]:
    if not RESULTS.exists():
        return {}
    known = json.loads(RESULTS.read_text("utf-8"))
    return {meaning: Result(**result) for meaning, result in known.items()}


def write_result(mutant: Mutant, result: Result) -> None:
    known = read_results() | {mutant.meaning: result}
    lines = {meaning: dataclasses.asdict(result) for meaning, result in known.items()}
    beside = RESULTS.with_name(f"results-{os.getpid()}.json")
    beside.write_text(json.dumps(lines, indent=1, ensure_ascii=False) + "\n", "utf-8")
    beside.replace(RESULTS)  # two of these commands may run at once


def table(results: dict[str, Result]) -> str:
    """Return the results as Markdown: one row per mutant, then the share of each tier."""
    lines = ["| room | mistake | found by | first test that fails |", "| --- | --- | --- | --- |"]
    for mutant in MUTANTS:
        result = results.get(mutant.meaning, Result("not run"))
        test = f"`{function_of(result.test).removeprefix('tests/')}`" if result.test else ""
        lines.append(f"| `{mutant.room}` | {mutant.meaning} | {result.killed_by} | {test} |")
    found = [results[m.meaning].killed_by for m in MUTANTS if m.meaning in results]
    run, left = [tier for tier in found if tier != OPEN], found.count(OPEN)
    quick, full = run.count("quick"), len(run) - run.count("alive")
    share = (
        f"Of {len(run)} mutants that ran to the end, `make test` finds {quick} and "
        f"`make test-full` {full}."
    )
    if left:
        share += f" Of {left} more, only the quick tests of their room have run, and found nothing."
    if len(found) < len(MUTANTS):
        share += f" Of {len(MUTANTS) - len(found)} more, none has run."
    return "\n".join([*lines, "", share])


def record(results: dict[str, Result]) -> None:
    """Write the table to the end of tests/README.md."""
    text = PAGE.read_text("utf-8").split(MARK)[0]
    PAGE.write_text(f"{text}{MARK}\n\n{table(results)}\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.mutants", description=__doc__)
    parser.add_argument("--numbers", nargs="*", type=int, help="only these, counted from 1")
    parser.add_argument("--keep", action="store_true", help="keep known results, run the others")
    parser.add_argument("--no-build", action="store_true", help="use the build that is there")
    parser.add_argument(
        "--room", action="store_true", help="only quick tests of the mutant's room, as a first look"
    )
    parser.add_argument(
        "--table", action="store_true", help="only write known results into the page"
    )
    options = parser.parse_args()
    os.chdir(ROOT)
    if options.table:
        record(read_results())
        return
    numbers = options.numbers or range(1, len(MUTANTS) + 1)
    if not options.no_build:
        build()
    if not (SITE / "nsmb").is_dir():  # otherwise the ordinary core would be tested
        raise SystemExit(f"{SITE} holds no build. Leave out --no-build.")
    preload()
    for number in numbers:
        mutant = MUTANTS[number - 1]
        known = read_results().get(mutant.meaning)
        if options.keep and known and (options.room or known.killed_by != OPEN):
            continue
        result = judge(number, mutant, 2 if options.room else None)
        write_result(mutant, result)
        print(f"{number:2} {result.killed_by:5} {mutant.meaning}: {result.test}", flush=True)
    record(read_results())


if __name__ == "__main__":
    main()
