"""Without extras the package can be inspected, and its commands explain themselves.

Tests use a process in which only NumPy can be imported, not even SciPy. Commands are quick because
they build no system and import no large package. This is tested without a clock.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys

import pytest

NOTHING_ELSE = """
import sys

class NumpyAlone:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        known = sys.stdlib_module_names | {"numpy", "nsmb"}
        if top not in known and not top.startswith("_sysconfigdata"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in list(sys.modules):  # what .pth files of the environment have imported
    if name.partition(".")[0] in {"sympy", "scipy", "matplotlib", "pandas"}:
        del sys.modules[name]
sys.meta_path.insert(0, NumpyAlone())
"""
LOOK = """
import contextlib, inspect, io, json, pydoc, rlcompleter
import nsmb

said = {}
with contextlib.redirect_stdout(io.StringIO()) as out:
    help(nsmb)
said["help"] = out.getvalue()
said["symbolic"] = hasattr(nsmb, "symbolic")
said["members"] = [name for name, _ in inspect.getmembers(nsmb)]
said["dir"] = dir(nsmb)
completer = rlcompleter.Completer({"nsmb": nsmb})
said["completed"] = [completer.complete("nsmb.sym", k) for k in range(2)]
modules = {name: value for name, value in inspect.getmembers(nsmb, inspect.ismodule)
           if not name.startswith("_")}
said["modules"] = {}
for name, module in modules.items():
    found = {key for key, _ in inspect.getmembers(module)}
    completer = rlcompleter.Completer({name: module})
    matches = []
    while (match := completer.complete(f"{name}.", len(matches))) is not None:
        matches.append(match)
    said["modules"][name] = {
        "missing": sorted(set(getattr(module, "__all__", ())) - found),
        "help": len(pydoc.render_doc(module)),
        "matches": len(matches),
    }
print(json.dumps(said))
"""
USE = """
import json
from nsmb import symbolic
from nsmb.symbolic import LagrangianSystem, elements

def subclass():
    class Own(symbolic.Element):
        pass

uses = {
    "call": lambda: LagrangianSystem([], 0, 0),
    "function": lambda: symbolic.coordinates("x"),
    "element": lambda: elements.tyre("t", 0, stiffness=[1]),
    "attribute": lambda: symbolic.BodyForce.anything,
    "subclass": subclass,
    "system": lambda: __import__("nsmb").systems.hammer_drill(),
}
said = {}
for name, use in uses.items():
    try:
        use()
    except ImportError as error:
        said[name] = str(error)
print(json.dumps(said))
"""
COMMAND = """
import contextlib, io, json, sys
from nsmb import cli
from nsmb.system.base import System

built = []
start = System.__init__
def counted(self, *args, **kwargs):
    built.append(1)
    start(self, *args, **kwargs)
System.__init__ = counted

said = []
for command in json.loads(sys.argv[1]):
    before = set(sys.modules)
    built.clear()
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main(command)
        except SystemExit as end:
            code = end.code
    new = [name for name in set(sys.modules) - before if name.startswith("nsmb.systems.")]
    said.append([code, out.getvalue(), err.getvalue(), len(built), sorted(new)])
loaded = [name for name in sys.modules if name.startswith("nsmb.systems.")]
print(json.dumps({"said": said, "loaded": loaded}))
"""
COMMANDS = {
    "help": ["--help"],
    "list": ["list"],
    "run help": ["run", "--help"],
    "info": ["info", "woodpecker"],
    "info of a drill": ["info", "hammer_drill"],
    "run": ["run", "bouncing_ball", "--events", "none"],
    "run of a drill": ["run", "hammer_drill"],
    "plot": ["run", "bouncing_ball", "--plot", "run.png"],
}


def alone(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", NOTHING_ELSE + code, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def commands() -> dict[str, list[object]]:
    said = json.loads(alone(COMMAND, json.dumps(list(COMMANDS.values()))))["said"]
    return dict(zip(COMMANDS, said, strict=True))


def test_the_package_can_be_looked_at() -> None:
    said = json.loads(alone(LOOK))
    assert said["symbolic"]
    assert "Simulate `system`" in said["help"]
    assert set(said["dir"]) <= set(said["members"])
    assert said["completed"] == ["nsmb.symbolic", None]
    assert {"analysis", "flexible", "gears", "symbolic", "systems", "testing"} <= set(
        said["modules"]
    )
    for name, module in said["modules"].items():
        assert module["missing"] == [], name
        assert module["help"] > 200, name
        assert module["matches"] > 0, name


def test_what_needs_sympy_says_so_when_it_is_used() -> None:
    remedy = "sympy is not installed: pip install 'nsmb[symbolic]'"
    said = json.loads(alone(USE))
    assert said == dict.fromkeys(
        ("call", "function", "element", "attribute", "subclass", "system"), remedy
    )


@pytest.mark.parametrize("name", ["help", "list", "run help", "info", "info of a drill"])
def test_commands_that_tell_build_nothing(name: str) -> None:
    code, out, err, built, imported = commands()[name]
    assert (code, err, built) == (0, "", 0)
    assert isinstance(out, str)
    assert isinstance(imported, list)
    assert max(map(len, out.splitlines())) <= 80
    assert ":func:" not in out
    assert "``" not in out
    systems = {module.split(".")[3] for module in imported if module.count(".") == 3}
    if not name.startswith("info"):
        assert systems == set()
    elif name == "info":
        assert systems == {"woodpecker"}


def test_a_run_without_drawing_needs_numpy_alone() -> None:
    code, out, err, *_ = commands()["run"]
    assert (code, err) == (0, "")
    assert str(out).startswith("bouncing_ball: finished at t = 2 s, ")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("run of a drill", "nsmb: sympy is not installed: pip install 'nsmb[symbolic]'\n"),
        ("plot", "nsmb: --plot: matplotlib is not installed: pip install 'nsmb[plot]'\n"),
    ],
)
def test_a_command_that_needs_more_says_what_in_one_line(name: str, remedy: str) -> None:
    code, out, err, *_ = commands()[name]
    assert (code, out, err) == (2, "", remedy)
