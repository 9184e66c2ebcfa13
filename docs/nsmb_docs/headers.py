"""The headers of the core by Doxygen and Breathe: a page for each room.

Comments behind members, ``int n;  // what it is``, are Doxygen's ``///<`` here: the sources need no
marks for it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import desc_signature, pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "cpp" / "nsmb"
WORK = ROOT / "build" / "docs" / "headers"
PAGES = "reference/cpp/"
SETTINGS = """
INPUT = {work}/nsmb
RECURSIVE = YES
FILE_PATTERNS = *.hpp
STRIP_FROM_PATH = {work}
STRIP_FROM_INC_PATH = {work}
OUTPUT_DIRECTORY = {work}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_PRIVATE = NO
EXCLUDE_SYMBOLS = *internal* *detail*
AUTOLINK_SUPPORT = NO
MARKDOWN_SUPPORT = NO
QUIET = YES
WARNINGS = NO
MACRO_EXPANSION = YES
"""

BEHIND = re.compile(r"^(\s*[^\s/].*?[;,{}])(\s+)// (.*)$")
ENTRY = re.compile(r"^(\s*[A-Za-z_]\w*)(\s+)// (.*)$")  # the last one of an enumeration
GOES_ON = re.compile(r"^\s+// (.*)$")


def marked(text: str) -> str:
    """A header with Doxygen's marks in comments behind members and before declarations."""
    lines, column, before = [], -1, False
    for number, line in enumerate(text.splitlines()):
        behind = BEHIND.match(line) or ENTRY.match(line)
        goes_on = GOES_ON.match(line)
        if number == 0 and line.startswith("// "):
            line = f"/// @file\n/// {line[3:]}"
            before = True
        elif before and line.startswith("// "):
            line = f"/// {line[3:]}"
        elif behind and "///" not in line:
            column = behind.end(2)
            line = f"{behind[1]}{behind[2]}///< {escaped(behind[3])}"
            before = False
        elif goes_on and line.index("//") == column:
            line = f"{line[:column]}///< {escaped(goes_on[1])}"
        else:
            column, before = -1, False
            if "///" in line:
                line = escaped(line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Without characters that are commands to Doxygen; code spans as it writes them."""
    if "@file" in text:
        return text
    text = re.sub(r"([<>\\@&#%])(?!<)", r"\\\1", text)
    return re.sub(r"`([^`]+)`", r"<tt>\1</tt>", text)


def headers(room: str) -> list[str]:
    return sorted(path.name for path in (CORE / room).glob("*.hpp"))


def run_doxygen(app: Sphinx) -> None:
    """XML of all headers, made anew when one of them has changed."""
    texts = {path.relative_to(CORE.parent): path.read_text("utf-8") for path in CORE.rglob("*.hpp")}
    marks = {path: marked(text) for path, text in texts.items()}
    settings = SETTINGS.format(work=WORK)
    made = WORK / "xml" / "index.xml"
    if made.is_file() and all(
        (WORK / path).is_file() and (WORK / path).read_text("utf-8") == text
        for path, text in {**marks, Path("Doxyfile"): settings}.items()
    ):
        return
    if shutil.which("doxygen") is None:
        raise ConfigError("doxygen is missing (Debian, Ubuntu: sudo apt-get install doxygen)")
    shutil.rmtree(WORK, ignore_errors=True)
    for path, text in marks.items():
        (WORK / path).parent.mkdir(parents=True, exist_ok=True)
        (WORK / path).write_text(text, "utf-8")
    (WORK / "Doxyfile").write_text(settings, "utf-8")
    done = subprocess.run(["doxygen", "Doxyfile"], cwd=WORK, capture_output=True, text=True)
    if done.returncode:
        raise ConfigError(f"doxygen failed: {done.stderr[-2000:]}")
    name_files_by_path(made)


def name_files_by_path(index: Path) -> None:
    """Breathe looks for files by the name in the index, which several rooms may have."""

    def with_path(match: re.Match[str]) -> str:
        text = (index.parent / f"{match[1]}.xml").read_text("utf-8")
        (path,) = re.findall(r'<location file="([^"]+)"/>\s*</compounddef>', text)
        return f'<compound refid="{match[1]}" kind="file"><name>{path}</name>'

    pattern = r'<compound refid="(\w+)" kind="file"><name>[^<]*</name>'
    index.write_text(re.sub(pattern, with_path, index.read_text("utf-8")), "utf-8")


def fill_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """The headers of a room below what its page says."""
    room = docname.removeprefix(PAGES)
    if not docname.startswith(PAGES) or not (CORE / room).is_dir():
        return
    parts = [source[0]]
    for name in headers(room):
        path = f"cpp/nsmb/{room}/{name}"
        app.env.note_dependency(str(ROOT / path))
        parts.append(
            f"## {name}\n\n{{source}}`{path}`\n\n"
            f"```{{eval-rst}}\n.. doxygenfile:: nsmb/{room}/{name}\n   :project: nsmb\n```\n"
        )
    source[0] = "\n".join(parts)


def shorten_contents(app: Sphinx, doctree: nodes.document) -> None:
    """The contents of a page name its headers, not the thousands of names in them."""
    if app.env.docname.startswith(PAGES):
        for signature in doctree.findall(desc_signature):
            signature["_toc_name"] = ""


def plain_text(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Doxygen's references to files, and to what another page only declares, are text."""
    own = re.search(r"_8hpp$|^(class|struct|namespace)nsmb|^group__", node.get("reftarget", ""))
    return content if node.get("reftype") == "ref" and own else None


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", run_doxygen)
    app.connect("source-read", fill_page)
    app.connect("doctree-read", shorten_contents, priority=400)  # before contents are collected
    app.connect("missing-reference", plain_text)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
