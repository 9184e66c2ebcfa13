"""CVODE with the Jacobian of the system: the same motion, without finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsmb
from nsmb import Constraint, Contact, ContactLaw, ForceElement, GapForce, symbolic
from nsmb.symbolic import LagrangianSystem


@pytest.fixture(autouse=True)
def _cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSMB_CACHE_DIR", str(tmp_path))


def pressed(**options: Any) -> LagrangianSystem:
    """A stiff chain of two masses that slides, sticks and lifts on a curved floor."""
    x, y, s = q = symbolic.coordinates("x y s")
    p = symbolic.parameters(k=1e6, d=300.0, g=9.81, mu=0.3, c=1e5)
    v, w, r = symbolic.velocities(*q)
    floor = y - sp.sin(2 * x) / 5
    arguments: dict[str, Any] = {
        "contacts": [Contact(floor, v + w * sp.cos(2 * x) * 2 / 5, ContactLaw(mu=p.mu), "floor")],
        "elements": [ForceElement(sp.Rational(3, 2) - s - x**2 / 10, GapForce(p.c, p.d), "stop")],
        "parameters": p,
        "initial": {v: 3.0, r: 3.0},
        "linear": False,
    }
    return LagrangianSystem(
        q,
        (v**2 + w**2 + r**2 * (1 + x**2)) / 2,
        p.g * y + p.k / 2 * (s - x) ** 2 + 5 * x**2,
        [-p.d * (v - r), 0, -p.d * (r - v)],
        **arguments | options,
    )


def run(system: nsmb.System, integrator: str, t_end: float = 1.0) -> nsmb.Solution:
    return nsmb.simulate(system, t_end, method=nsmb.EventDriven(integrator=integrator, rtol=1e-9))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"contacts": ()},
        {"elements": ()},
        {"constraints": [Constraint(velocity=symbolic.velocities(symbolic.coordinates("y")))]},
    ],
    ids=["everything", "no contact", "no element", "bilateral"],
)
def test_motion_with_the_jacobian_of_the_system(options: dict[str, Any]) -> None:
    system = pressed(**options)
    if "constraints" in options:
        system = pressed(**options, contacts=())
    found, expected = run(system, "cvode"), run(system, "dp853")
    assert found.events.kinds == expected.events.kinds
    np.testing.assert_allclose(found.events.t, expected.events.t, atol=1e-5)
    # BDF with rtol 1e-9 over some 10³ steps; measured 1e-7.
    np.testing.assert_allclose(found.q[-1], expected.q[-1], atol=1e-5)
    stats = found.stats
    assert stats["jacobian_evaluations"] > 0


def test_differences_cost_more_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same system without its Jacobians."""
    from nsmb.symbolic import program

    with_jacobian = run(pressed(), "cvode").stats
    original = program._system.CompiledSystem

    def without(description: Any, addresses: Any, *rest: Any) -> Any:
        kept = {name: a for name, a in addresses.items() if name != "jacobians"}
        return original(description, kept, *rest)

    monkeypatch.setattr(program._system, "CompiledSystem", without)
    differences = run(pressed(), "cvode").stats
    # A set of differences is 6 evaluations and one for the wall.
    assert with_jacobian["rhs_evaluations"] < differences["rhs_evaluations"]
    # An inexact Jacobian would need more steps.
    assert with_jacobian["steps"] < 1.05 * differences["steps"]
