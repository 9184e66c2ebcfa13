"""Files of the repository as pages of the site, and links to them.

The role ``source`` links to a file, ``path``, or to one of its lines, ``text <path#L-12>``.
Texts of the repository that a page includes keep their links: to what is a page of the site, and
to the source otherwise. Names of files in code spans become links, too.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "sources"
logger = logging.getLogger(__name__)


def page_of(path: str) -> str:
    """Name of the page that shows a file."""
    return f"{FOLDER}/{path}"


def shown(env: BuildEnvironment) -> dict[str, set[str]]:
    """Files that pages link to: page to paths from the root of the repository."""
    if not hasattr(env, "nsmb_sources"):
        env.nsmb_sources = {}  # type: ignore[attr-defined]
    files: dict[str, set[str]] = env.nsmb_sources
    return files


def link(env: BuildEnvironment, builder: Any, target: str, text: str = "") -> nodes.reference:
    """A reference to ``path`` or ``path#L-12``; a ValueError for a file there is not."""
    path, _, line = target.partition("#")
    if not (ROOT / path).is_file():
        raise ValueError(f"no file {path} in the repository")
    shown(env).setdefault(env.docname, set()).add(path)
    uri = builder.get_relative_uri(env.docname, page_of(path)) + (f"#{line}" if line else "")
    return nodes.reference("", "", nodes.literal("", text or path), internal=True, refuri=uri)


class SourceRole(SphinxRole):
    """``{source}`path` `` or ``{source}`text <path#L-12>` ``."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        match = re.fullmatch(r"(?s)(.*?)\s*<(.*)>", self.text)
        text, target = match.groups() if match else ("", self.text)
        try:
            return [link(self.env, self.env.app.builder, target, text)], []
        except ValueError as error:
            message = self.inliner.reporter.error(str(error), line=self.lineno)
            return [nodes.problematic(self.rawtext, self.rawtext)], [message]


def including_pages(docs: Path) -> dict[str, str]:
    """Texts of the repository that pages include: path to the name of the page."""
    pages = {}
    for page in docs.rglob("*.md"):
        for name in re.findall(r"^```\{include\} (\S+)", page.read_text("utf-8"), re.M):
            path = (page.parent / name).resolve()
            if path.is_relative_to(ROOT):
                pages[str(path.relative_to(ROOT))] = str(page.relative_to(docs).with_suffix(""))
    return pages


class Included:
    """A text at `path` from the root of the repository, as the page `docname` is to show it."""

    FENCE = re.compile(r"^\s*(```|~~~)")
    LINK = re.compile(
        r"(?<!`)(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)|(?<![`{}\w])`([^`\n]+)`(?!`)"
    )

    def __init__(self, path: str, docname: str, pages: dict[str, str]) -> None:
        self.folder = PurePosixPath(path).parent
        self.docname = docname
        self.pages = pages

    def rewritten(self, text: str) -> str:
        lines, fenced = [], False
        for line in text.splitlines(keepends=True):
            if self.FENCE.match(line):
                fenced = not fenced
            elif not fenced:
                line = self.LINK.sub(self._link, line)
            lines.append(line)
        return "".join(lines)

    def _resolved(self, name: str) -> str:
        """The path from the root that a relative one means; empty for no file."""
        path = os.path.normpath(self.folder / name)
        if (ROOT / path).is_dir():
            path = os.path.join(path, "README.md")
        return path if not path.startswith("..") and (ROOT / path).is_file() else ""

    def _from_page(self, path: str) -> str:
        """`path` from the root of the site's sources as a path from the page."""
        return os.path.relpath(path, os.path.dirname(self.docname) or ".")

    def _link(self, match: re.Match[str]) -> str:
        image, text, target, anchor, code = match.groups()
        if code is not None:
            return self._code(code) or match[0]
        if re.match(r"[a-z]+:", target) or not target:
            return match[0]
        path = self._resolved(target)
        if not path:
            logger.warning("%s: link to %s, which is no file", self.docname, target)
            return match[0]
        if path in self.pages:
            return f"[{text}]({self._from_page(self.pages[path])}.md{anchor or ''})"
        if path.startswith("docs/"):
            return f"{image}[{text}]({self._from_page(path.removeprefix('docs/'))}{anchor or ''})"
        if image:
            return f"![{text}]({self._from_page(f'../{path}')})"
        plain = text.replace("`", "")
        return f"{{source}}`{plain} <{path}>`"

    def _code(self, code: str) -> str:
        """A link for a code span that is the name of a file."""
        if not re.fullmatch(r"[\w./]+\.(hpp|cpp|py|pyi|md|txt|sh)", code):
            return ""
        path = self._resolved(code) or (code if (ROOT / code).is_file() else "")
        return f"{{source}}`{code} <{path}>`" if path else ""


def rewrite_links(app: Sphinx, relative: Path, parent: str, content: list[str]) -> None:
    path = (Path(app.srcdir) / relative).resolve()
    if path.is_relative_to(ROOT) and path.suffix == ".md":
        pages = including_pages(Path(app.srcdir))
        here = str(path.relative_to(ROOT))
        content[0] = Included(here, app.env.docname, pages).rewritten(content[0])


def highlighted(path: Path) -> str:
    """A file as HTML, with an anchor ``L-12`` for line 12."""
    text = path.read_text("utf-8")
    try:
        lexer = get_lexer_for_filename(path.name, text)
    except ClassNotFound:
        lexer = TextLexer()
    formatter = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True)
    return highlight(text, lexer, formatter)


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    for path in sorted(set().union(*shown(app.env).values())):
        file, name = ROOT / path, page_of(path)
        written = Path(app.builder.get_outfilename(name))
        if written.is_file() and written.stat().st_mtime > file.stat().st_mtime:
            continue
        title = html.escape(path)
        body = f"<h1>{title}</h1>{highlighted(file)}"
        yield name, {"title": title, "body": body, "parents": []}, "page.html"


def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    shown(env).pop(docname, None)


def merge(
    app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment
) -> None:
    for docname in docnames:
        if docname in shown(other):
            shown(env)[docname] = shown(other)[docname]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_role("source", SourceRole())
    app.connect("include-read", rewrite_links)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", source_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
