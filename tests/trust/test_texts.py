"""No text that a user gives is evaluated as a program: a guarantee of SECURITY.md."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nsmb
from nsmb import geometry

PACKAGE = Path(nsmb.__file__).parent
sympy = pytest.importorskip("sympy")
pytest.importorskip("llvmlite")
TEXT = "__import__('builtins').print('evaluated')"


def calls() -> dict[str, Callable[[], Any]]:
    """Return calls of all functions that take an expression."""
    from nsmb import symbolic
    from nsmb.symbolic import elements
    from nsmb.symbolic.element import Wall

    q = symbolic.coordinates("q")
    v = q.velocity
    x, mode = symbolic.states("x"), symbolic.modes("m")
    kinetic = v**2 / 2

    def system(**changes: Any) -> Any:
        given: dict[str, Any] = {"q": [q], "kinetic": kinetic, **changes}
        return symbolic.LagrangianSystem(**given)

    def equations(mass: Any, force: Any) -> Any:
        return symbolic.from_equations([q], mass, [force])

    return {
        "rate": lambda: symbolic.rate(TEXT),
        "rates": lambda: symbolic.rate([q, TEXT]),
        "kinetic": lambda: system(kinetic=TEXT),
        "potential": lambda: system(potential=TEXT),
        "forces": lambda: system(forces=[TEXT]),
        "energy": lambda: system(energy=TEXT),
        "limits": lambda: system(limits={"l": TEXT}),
        "states": lambda: system(states={x: TEXT}),
        "watch": lambda: system(watch={mode: (TEXT, q)}),
        "initial": lambda: system(initial={q: TEXT}),
        "period": lambda: system(period=TEXT),
        "gap": lambda: system(contacts=[nsmb.Contact(TEXT)]),
        "slip": lambda: system(contacts=[nsmb.Contact(q, slip=TEXT)]),
        "point": lambda: system(contacts=[symbolic.point_contact(point=(TEXT, q), tangent=(1, 0))]),
        "tangent": lambda: system(
            contacts=[symbolic.point_contact(point=(q, q), tangent=(TEXT, 0))]
        ),
        "law": lambda: system(contacts=[nsmb.Contact(q, law=nsmb.ContactLaw(e_N=TEXT))]),
        "friction": lambda: system(contacts=[nsmb.Friction(TEXT)]),
        "bound": lambda: system(contacts=[nsmb.Friction(v, bound=TEXT)]),
        "constraint": lambda: system(constraints=[TEXT]),
        "force element": lambda: system(elements=[nsmb.ForceElement(TEXT, nsmb.GapForce(1.0))]),
        "stiffness": lambda: system(elements=[nsmb.ForceElement(q, nsmb.GapForce(TEXT))]),
        "element": lambda: symbolic.Element("e", [(v, TEXT)]),
        "element's energy": lambda: system(
            elements=[symbolic.Element("e", [(v, -q)], energy=TEXT)]
        ),
        "walls' energy": lambda: symbolic.Element(
            "e", [(v, -q)], energy=TEXT, walls=[Wall("w", q, v, 1.0, 1.0)]
        ).without_walls(),
        "penalty": lambda: elements.penalty_contact("e", q, K=TEXT),
        "bearing": lambda: elements.bearing("e", [q], stiffness=[[TEXT]]),
        "mass matrix": lambda: equations([[TEXT]], q),
        "mass": lambda: equations(sympy.eye(1), TEXT),
        "table": lambda: symbolic.table(TEXT, [0.0, 1.0], [0.0, 1.0]),
        "tension": lambda: symbolic.BodyForce(symbolic.Places(2), tension=TEXT),
        "body's forces": lambda: symbolic.BodyForce(symbolic.Places(1), forces=[[TEXT, 0, 0]]),
        "body's energy": lambda: symbolic.BodyForce(
            symbolic.Places(1),
            elements=[symbolic.Element("e", [(symbolic.Places(1).v[0][0], -1)])],
            energy=TEXT,
        ),
        "curve": lambda: geometry.UserCurve((TEXT, TEXT), 0.0, 1.0),
        "curve as a text": lambda: geometry.UserCurve(TEXT, 0.0, 1.0),
    }


@pytest.fixture
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the only SymPy function that evaluates text fail."""
    from sympy.parsing import sympy_parser

    def evaluated(*arguments: object) -> object:
        raise AssertionError("a text was evaluated")

    monkeypatch.setattr(sympy_parser, "eval_expr", evaluated)
    with pytest.raises(AssertionError):
        sympy.sympify("1 + 1")


@pytest.mark.usefixtures("no_parser")
def test_no_text_is_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    for name, call in calls().items():
        with pytest.raises((ValueError, TypeError)) as refused:
            call()
        assert not isinstance(refused.value, AssertionError), name
    assert "evaluated" not in capsys.readouterr().out


def test_names_of_functions_do_not_become_programs() -> None:
    """SymPy writes names of undefined functions into the program that `lambdify` compiles."""
    s = sympy.Symbol("s")
    evil = sympy.Function(TEXT)(s)
    with pytest.raises(ValueError, match="r: expected functions that SymPy defines"):
        geometry.UserCurve((evil, s), 0.0, 1.0)


def test_expressions_are_still_taken() -> None:
    s = sympy.Symbol("s")
    circle = geometry.UserCurve((sympy.cos(s), sympy.sin(s)), 0.0, 6.28)
    assert not circle.closed


FORBIDDEN = {"eval", "exec", "compile", "sympify", "parse_expr", "S", "safe_eval", "literal_eval"}


def test_no_module_evaluates_text() -> None:
    """`sympify` and `lambdify` are called in one place each, after texts have been rejected."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                is_method = isinstance(node.func, ast.Attribute) and name == "compile"
                if name in FORBIDDEN | {"lambdify"} and not is_method:
                    found.add((path.relative_to(PACKAGE).as_posix(), name))
    assert found == {("common/expressions.py", "sympify"), ("common/expressions.py", "lambdify")}
