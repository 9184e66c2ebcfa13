"""Code blocks of Markdown pages, their output, and the output shown on the page.

The blocks of a page run in order, as a reader would type them: Python blocks in one session,
commands of `console` blocks in the same folder. A Python block that starts with ``# name.py`` is
saved as this file. A `text` block directly after the code, or the lines below a command, show the
expected output. There ``...`` matches anything, and numbers agree to the last digit shown.
Exceptions are part of the output.

A comment ``<!-- without: matplotlib -->`` before a block hides that package from it.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

FENCE = re.compile(
    r"^(?:<!-- without: (?P<without>[\w ,]+) -->\n+)?"
    r"^```(?P<language>[\w+-]+)[^\n]*\n(?P<text>.*?)^```$",
    re.M | re.S,
)
RUN = ("nsmb", "python", "pytest", "mpiexec")
# These commands install, build or inspect. Other tests cover them.
NOT_RUN = (
    "make",
    "pip",
    "git",
    "cd",
    ".",
    "python3",
    "apt-get",
    "sudo",
    "cmake",
    "export",
    "voila",
)
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
WALL_TIME = re.compile(r"\S+ s of computing")
RULE = re.compile("─+")


@dataclass
class Step:
    """A Python block, file or command of a page."""

    kind: str
    """Kind of the step: python, file or command."""
    text: str
    line: int
    shown: str | None = None
    name: str = ""
    """Name of a file."""
    without: list[str] = field(default_factory=list)


def steps_of(page: Path, *, every: bool = False) -> list[Step]:
    """Return all steps of a page in order, with `every` also those of `NOT_RUN`."""
    text = page.read_text("utf-8")
    steps: list[Step] = []
    end = 0
    for match in FENCE.finditer(text):
        language, body = match["language"], match["text"]
        line = text.count("\n", 0, match.start("text")) + 1
        if language == "text":
            if steps and not text[end : match.start()].strip() and steps[-1].kind != "file":
                steps[-1].shown = body
        elif language == "python":
            hidden = re.split(r"[ ,]+", match["without"]) if match["without"] else []
            saved = re.match(r"# ([\w/]+\.py)\n", body)
            kind, name = ("file", saved[1]) if saved else ("python", "")
            steps.append(Step(kind, body, line, name=name, without=hidden))
        elif language == "console":
            steps += _commands(body, line, RUN + NOT_RUN if every else RUN)
        end = match.end()
    return steps


def _commands(body: str, line: int, wanted: tuple[str, ...]) -> list[Step]:
    """Return the commands of a console block, each with the lines below it."""
    found: list[Step] = []
    for i, row in enumerate(body.replace("\\\n", "\\ ").splitlines()):
        if row.startswith("$ "):
            found.append(Step("command", row[2:].replace("\\ ", " "), line + i))
        elif found:
            found[-1].shown = (found[-1].shown or "") + row + "\n"
    for step in found:
        step.text = re.sub(r"\s+# .*$", "", step.text)
        if step.text.split()[0] not in RUN + NOT_RUN:
            raise ValueError(f"line {step.line}: {step.text!r} is neither run nor known not to be")
    return [step for step in found if step.text.split()[0] in wanted]


def run_page(page: Path, folder: Path) -> list[str]:
    """Run a page and return one text for each difference from the page."""
    steps = [step for step in steps_of(page) if _can_run(step)]
    plan = folder / "plan.json"
    plan.write_text(json.dumps([asdict(step) for step in steps]), "utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = os.environ | {
        "MPLBACKEND": "Agg",
        "PATH": path,
        "PYTHONIOENCODING": "utf-8",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    (folder / "work").mkdir()
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("documents_session.py")), str(plan)],
        cwd=folder / "work",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((folder / "results.json").read_text("utf-8"))
    assert len(results) == len(steps)
    return [
        f"{page.name}:{step.line}: {wrong}"
        for step, result in zip(steps, results, strict=True)
        if (wrong := _difference(step, result))
    ]


def _can_run(step: Step) -> bool:
    """Return True unless the step needs MPI and MPI is missing."""
    return not step.text.startswith("mpiexec ") or (
        shutil.which("mpiexec") is not None and importlib.util.find_spec("mpi4py") is not None
    )


def _difference(step: Step, result: dict[str, str | bool]) -> str:
    printed = str(result["printed"])
    if result["failed"] and step.shown is None:
        return f"{step.text}\nfailed:\n{printed}"
    if step.shown is not None and not agree(step.shown, printed):
        return f"{step.text}\nshown:\n{step.shown}\nprinted:\n{printed}"
    return ""


def agree(shown: str, printed: str) -> bool:
    """Return True if the output is that of the page, except for line breaks."""
    wanted, found = (RULE.sub("─", WALL_TIME.sub("", text)).split() for text in (shown, printed))
    pieces: list[list[str]] = [[]]
    for token in wanted:
        if token == "...":
            pieces.append([])
        else:
            pieces[-1].append(token)
    at = 0
    for i, piece in enumerate(pieces):
        last = i == len(pieces) - 1
        if last and i > 0:
            at = max(at, len(found) - len(piece))
        elif i > 0:
            while at + len(piece) <= len(found) and not _same(piece, found[at:]):
                at += 1
        if not _same(piece, found[at:]) or (last and at + len(piece) != len(found)):
            return False
        at += len(piece)
    return True


def _same(piece: list[str], found: list[str]) -> bool:
    return len(piece) <= len(found) and all(
        a == b or _same_numbers(a, b) for a, b in zip(piece, found, strict=False)
    )


def _same_numbers(shown: str, printed: str) -> bool:
    """Return True if texts are equal and numbers agree to one unit of the last digit shown."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    return all(
        abs(float(a) - float(b)) <= _last_digit(a)
        for a, b in zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    )


def _last_digit(number: str) -> float:
    """Return one unit of the last digit, slightly enlarged for rounding, or 0 for integers."""
    mantissa, _, exponent = number.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    if "." not in mantissa:
        return 0.0
    return 1.001 * 10.0 ** (int(exponent or 0) - places)
