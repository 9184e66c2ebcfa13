"""Which line of the sources names which equation of the literature: the directive ``equations``."""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nsmb_docs.sources import ROOT, link

FOLDERS = ("cpp/nsmb", "python/nsmb")
# (6.35), also as an end of (8.37)-(8.39) and in (7.9, 8.27); WP (29) of Wösle & Pfeiffer.
NUMBER = r"(?:[2-9]|1[0-4])\.[1-9]\d{0,2}"
BOOK = re.compile(rf"(?<![\w.])\(({NUMBER}(?:, {NUMBER})*)\)")
PAPER = re.compile(r"\bWP \((\d+)\)(?:-\((\d+)\))?")


def remarks(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers with what comments and texts say there."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                for offset, line in enumerate(token.string.splitlines()):
                    if not line.lstrip().startswith((">>>", "...")):
                        yield token.start[0] + offset, line
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if "//" in line:
                yield number, line[line.index("//") :]


def equations(text: str) -> list[str]:
    """Numbers of a remark: ``6.35`` of the book, ``WP 29`` of the paper."""
    rest = PAPER.sub("", text)
    book = [number for found in BOOK.findall(rest) for number in found.split(", ")]
    return book + [f"WP {number}" for found in PAPER.findall(text) for number in found if number]


def places() -> dict[str, list[tuple[str, int]]]:
    """Equation to files, from the root of the repository, and lines."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".py"):
                for line, text in remarks(path):
                    for equation in equations(text):
                        place = (str(path.relative_to(ROOT)), line)
                        if place not in found[equation]:
                            found[equation].append(place)
    return found


def order(equation: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", equation))


class Equations(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        chapters: dict[str, list[str]] = defaultdict(list)
        found = places()
        for equation in sorted(found, key=order):
            chapter = "Wösle & Pfeiffer 1996" if "WP" in equation else equation.partition(".")[0]
            chapters[chapter].append(equation)
        book = sorted(filter(str.isdigit, chapters), key=int)
        result: list[nodes.Node] = []
        for chapter in [*book, *(name for name in chapters if name not in book)]:
            title = f"Chapter {chapter}" if chapter in book else chapter
            section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(title)])
            section += self.table(chapters[chapter], found)
            result.append(section)
        return result

    def table(self, numbers: list[str], found: dict[str, list[tuple[str, int]]]) -> nodes.table:
        body = nodes.tbody()
        for equation in numbers:
            here = nodes.make_id(f"eq-{equation.replace('.', '-')}")
            target = nodes.inline("", f"({equation})", ids=[here])
            body += nodes.row(
                "",
                nodes.entry("", nodes.paragraph("", "", target)),
                nodes.entry("", nodes.paragraph("", "", *self.links(found[equation]))),
            )
        group = nodes.tgroup("", nodes.colspec(colwidth=12), nodes.colspec(colwidth=88), body)
        return nodes.table("", group)

    def links(self, lines: list[tuple[str, int]]) -> Iterator[nodes.Node]:
        for index, (path, line) in enumerate(lines):
            self.env.note_dependency(str(ROOT / path))
            if index:
                yield nodes.Text(", ")
            short = path.removeprefix("cpp/nsmb/").removeprefix("python/nsmb/")
            yield link(self.env, self.env.app.builder, f"{path}#L-{line}", f"{short}:{line}")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("equations", Equations)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
