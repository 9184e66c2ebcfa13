"""Switching times of functions of time are found from the equations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsmb
from nsmb import symbolic

t = symbolic.time
PI = math.pi


def times(force: Any, end: float = 4.0, **parameters: float) -> list[float]:
    """Return all switching times in (0, end) of a mass under that force."""
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    p = symbolic.parameters(**parameters)
    made = force(p, x, v) if callable(force) and not isinstance(force, sp.Basic) else force
    system = symbolic.LagrangianSystem([x], v**2 / 2, 0, [made], parameters=p)
    found, now = [], 0.0
    while (now := system.next_discontinuity(now)) < end:
        found.append(now)
    return found


AFFINE = {
    "piecewise": (sp.Piecewise((1, t < 2), (0, True)), [2.0]),
    "pulse": (sp.Piecewise((1, (t >= 1) & (t < sp.Rational(3, 2))), (0, True)), [1.0, 1.5]),
    "heaviside": (sp.Heaviside(2 * t - 3), [1.5]),
    "sign": (sp.sign(1 - t), [1.0]),
    "abs": (sp.Abs(t - 1) + sp.Abs(3 - 2 * t), [1.0, 1.5]),
    "min": (sp.Min(t, 3 - t), [1.5]),
    "max": (sp.Max(t, 1, 2 * t - 2), [1.0, 2.0]),
    "nested": (sp.Piecewise((sp.Abs(t - 2), t < 3), (0, True)), [2.0, 3.0]),
    "in a product": (sp.sin(5 * t) * sp.Heaviside(t - 1), [1.0]),
}
REPEATING = {
    "floor": (sp.floor(2 * t), [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]),
    "saw": (sp.Mod(t, sp.Rational(3, 2)), [1.5, 3.0]),
    "fraction": (sp.frac(t / 2), [2.0]),
    "square": (sp.Heaviside(sp.sin(PI * t)), [1.0, 2.0, 3.0]),
    "shifted": (sp.sign(sp.cos(PI * t - 1) - sp.Rational(1, 2)), [1 / PI + 1 / 3, 1 / PI + 5 / 3,
                                                                 1 / PI + 7 / 3, 1 / PI + 11 / 3]),
    "rectified": (sp.Abs(sp.sin(2 * t)), [PI / 2, PI]),
    "pulse width": (
        sp.Piecewise((1, sp.Mod(t, 1) < sp.Rational(1, 4)), (0, True)),
        [0.25, 1.0, 1.25, 2.0, 2.25, 3.0, 3.25],
    ),
    "two waves": (sp.Max(sp.sin(t), sp.sin(2 * t)), [PI / 3, PI]),
    "beside a ramp": (t + sp.floor(t), [1.0, 2.0, 3.0]),
}  # fmt: skip
SEEN = {
    "square root": (sp.Piecewise((1, t**2 < 2), (0, True)), [math.sqrt(2.0)]),
    "decay": (sp.Heaviside(sp.exp(-t) - sp.Rational(1, 10)), [math.log(10.0)]),
    "chirp": (sp.sign(sp.sin(t**2)), [math.sqrt(k * PI) for k in range(1, 6)]),
    "wave on a ramp": (sp.sign(t + sp.sin(t) - 2), [1.1060601577]),
}
NONE = {
    "smooth": sp.sin(3 * t) * sp.exp(-t),
    "constant": sp.Integer(2),
    "of the coordinate": lambda p, x, v: sp.Heaviside(x) + sp.Abs(v) + sp.Min(x, t),
}


@pytest.mark.parametrize("name", [*AFFINE, *REPEATING, *SEEN])
def test_times_are_those_of_the_function(name: str) -> None:
    force, expected = {**AFFINE, **REPEATING, **SEEN}[name]
    np.testing.assert_allclose(times(force), expected, rtol=1e-10 if name in SEEN else 1e-14)


@pytest.mark.parametrize("name", NONE)
def test_what_does_not_switch_in_time_alone_has_none(name: str) -> None:
    assert times(NONE[name]) == []


def test_parameters_move_the_times() -> None:
    def force(p: Any, x: Any, v: Any) -> Any:
        return sp.Piecewise((1, p.w * t < p.a), (0, True)) + sp.Heaviside(sp.sin(p.w * t))

    assert times(force, w=2.0, a=1.0) == pytest.approx([0.5, PI / 2, PI], rel=1e-14)
    assert times(force, end=2.0, w=4.0, a=6.0) == pytest.approx([PI / 4, 1.5, PI / 2], rel=1e-14)


def test_times_hold_far_from_the_start() -> None:
    """After 10⁶ periods a wave agrees with its times, between which it is constant."""
    x = symbolic.coordinates("x")
    square = sp.Heaviside(sp.sin(3 * t + 1))
    system = symbolic.LagrangianSystem([x], symbolic.velocities(x) ** 2 / 2, 0, [square])
    begin = system.next_discontinuity(2e6)
    end = system.next_discontinuity(begin)
    assert end - begin == pytest.approx(PI / 3, rel=1e-8)
    inside = [system.forces(s, [0.0], [0.0])[0] for s in np.linspace(begin + 1e-8, end - 1e-8, 9)]
    assert len(set(inside)) == 1


def test_constraints_gaps_and_masses_count_too() -> None:
    x, y = symbolic.coordinates("x y")
    v, w = symbolic.velocities(x, y)
    system = symbolic.LagrangianSystem(
        [x, y],
        (v**2 + w**2) / 2,
        contacts=[nsmb.Contact(gap=x - sp.Abs(t - 1))],
        constraints=[y - sp.Piecewise((t, t < 2), (2, True))],
    )
    assert system.next_discontinuity(0.0) == 1.0
    assert system.next_discontinuity(1.0) == 2.0


def test_a_linear_system_with_switched_forces_runs_by_machine_code() -> None:
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    system = symbolic.LagrangianSystem([x], v**2 / 2, x**2 / 2, [sp.Heaviside(t - 1)])
    sol = nsmb.simulate(system, 1.0 + 2.0 * PI)
    assert sol.q[-1, 0] == pytest.approx(0.0, abs=1e-8)
