"""Texts for people, with the code in them: pages, docstrings, messages, notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FOLDERS = (
    "", ".github", "benchmarks", "cpp", "docs", "examples", "notebooks", "paper", "python", "tests",
)  # fmt: skip
FENCE = re.compile(r"^( *)(```+|~~~+|:::+)[^\n]*\n.*?^\1\2[ \t]*$", re.M | re.S)
CODE_SPAN = re.compile(r"(?<![`\w])(`{1,2})(?!`)([^`]+?)\1(?!`)")
PYTHON_TOKEN = re.compile(
    r'[rbfRBF]{0,2}("""|\'\'\')(?P<long>.*?)\1'
    r'|[rbfRBF]{0,2}"(?P<double>(?:\\.|[^"\\\n])*)"'
    r"|[rbfRBF]{0,2}'(?P<single>(?:\\.|[^'\\\n])*)'"
    r"|#(?P<comment>[^\n]*)",
    re.S,
)
CPP_TOKEN = re.compile(
    r'R"\((?P<long>.*?)\)"'
    r"|'(?:\\.|[^'\\\n])'"
    r'|"(?P<double>(?:\\.|[^"\\\n])*)"'
    r"|//(?P<comment>[^\n]*)|/\*.*?\*/",
    re.S,
)


@dataclass(frozen=True)
class Text:
    """A piece of prose."""

    path: Path
    line: int
    """Line of its first character."""
    text: str
    kind: str
    """Kind of the text: page, docstring, message or comment."""

    def place(self, offset: int) -> str:
        line = self.line + self.text.count("\n", 0, offset)
        return f"{self.path.relative_to(ROOT)}:{line}"

    def spans(self) -> Iterator[tuple[int, str]]:
        """Yield code in backquotes, with its offset in the text."""
        for match in CODE_SPAN.finditer(self.text):
            yield match.start(2), match[2]


def pages() -> Iterator[Text]:
    """Yield Markdown pages without their code blocks, and Markdown cells of notebooks."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.md") if folder else ROOT.glob("*.md")):
            yield Text(path, 1, without_blocks(path.read_text("utf-8")), "page")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        image = path.read_text("utf-8")
        for cell in json.loads(image)["cells"]:
            if cell["cell_type"] == "markdown" and cell["source"]:
                first = json.dumps(cell["source"][0], ensure_ascii=False)
                line = image.count("\n", 0, max(image.find(first), 0)) + 1
                yield Text(path, line, without_blocks("".join(cell["source"])), "page")


def without_blocks(text: str) -> str:
    """Return the text with empty code blocks and unchanged line numbers."""
    return FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)


@cache
def sources(pattern: str, *folders: str) -> list[tuple[Path, str]]:
    """Return paths and texts of source files."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob(pattern))]
    return [(path, path.read_text("utf-8")) for path in paths]


def python_texts(*folders: str) -> Iterator[Text]:
    """Yield docstrings, comments and messages of Python sources."""
    for path, source in sources("*.py", *folders):
        yield from texts_of(path, source, PYTHON_TOKEN)


def cpp_texts(*folders: str) -> Iterator[Text]:
    """Yield messages and comments of C++ sources."""
    for path, source in sources("*.[ch]pp", *folders):
        yield from texts_of(path, source, CPP_TOKEN)


def texts_of(path: Path, source: str, token: re.Pattern[str]) -> Iterator[Text]:
    """Yield the texts of a source. Adjacent strings and comments are one text."""
    kinds = {"long": "docstring", "double": "message", "single": "message", "comment": "comment"}
    parts: list[str] = []
    kind, end, line, at = "", 0, 1, 0
    for match in token.finditer(source):
        group = match.lastgroup
        if group is None:
            continue
        found = kinds[group]
        joins = found == kind != "docstring" and not source[end : match.start()].strip(" \n")
        if not joins:
            if parts:
                yield Text(path, line, "".join(parts), kind)
            parts, kind = [], found
            line += source.count("\n", at, match.start())
            at = match.start()
        elif kind == "comment":
            parts.append("\n")
        parts.append(match[group])
        end = match.end()
    if parts:
        yield Text(path, line, "".join(parts), kind)
