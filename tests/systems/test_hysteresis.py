"""Material with hysteresis (14.30) by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import nsmb
from nsmb import symbolic
from nsmb.systems.machines.hysteresis import hysteresis, hysteresis_force
from tests.systems.examples import Array

C_1, M = 3.0e7, 0.6


def thrown(c_2: float, height: float, speed: float = 0.0, push: Any = 0) -> nsmb.System:
    """A mass above the material; x is its height."""
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    p = symbolic.parameters(m=M, c_1=C_1, c_2=c_2)
    material: Any = hysteresis(-x, -v, p.c_1, p.c_2, "f")
    return symbolic.LagrangianSystem(
        [x],
        p.m * v**2 / 2,
        forces=[material.force + push],
        states=material.rates,
        watch=material.watch,
        energy=material.energy,
        parameters=p,
        initial={x: height, v: speed} | material.apart(-height),
    )


def play(depth: Array, c_1: float, c_2: float) -> Array:
    """The force along a path, step by step: slope c_2, cut off at zero and at c_1 δ."""
    force, last = np.zeros_like(depth), 0.0
    for k in range(1, depth.size):
        last += c_2 * (depth[k] - depth[k - 1])
        last = min(max(last, 0.0), max(c_1 * depth[k], 0.0))
        force[k] = last
    return force


@pytest.mark.parametrize("share", [0.5, 0.25, 1.0])
def test_the_loop_returns_the_ratio_of_the_slopes(share: float) -> None:
    system = thrown(C_1 / share, 1e-4, -2.5)
    sol = nsmb.simulate(system, 2e-3, method=nsmb.EventDriven(rtol=1e-12))
    assert sol.q[-1, 0] > 1e-4
    assert (sol.u[-1, 0] / 2.5) ** 2 == pytest.approx(share, rel=1e-9)
    deepest = 2.5 * np.sqrt(M / C_1)
    # An elastic material has no event at the deepest place, and samples 2e-6 s apart.
    assert -sol.q[:, 0].min() == pytest.approx(deepest, rel=1e-9 if share < 1.0 else 1e-5)
    # The reversal point stays stored until the force ends: a of (14.30).
    back = (sol.u[:, 0] > 0) & (sol.q[:, 0] < -(1 - share) * deepest - 1e-9)
    np.testing.assert_allclose(sol.x[back, 0], (1 - share) * deepest, rtol=1e-9, atol=1e-13)
    energy = sol.energy
    lost = energy.work[-1] + energy.element_loss[-1]
    assert energy.relative < 1e-9
    assert energy.kinetic[-1] - energy.kinetic[0] == pytest.approx(lost, abs=1e-9)


def test_blows_do_not_change_the_material() -> None:
    """Thrown back again and again: each time half of the energy, to the last digits."""
    system = thrown(2 * C_1, 1e-3, push=-200.0)
    sol = nsmb.simulate(system, 0.03, method=nsmb.EventDriven(rtol=1e-11))
    down = np.flatnonzero((sol.q[:-1, 0] >= 0) & (sol.q[1:, 0] < 0))
    assert len(down) >= 3
    entry = sol.events.of_kind("switch").at_element("f")
    speeds = entry.u_plus[:, 0]
    assert speeds[0] < 0.0 < speeds[1]
    # Between touch at δ = 0 and the end of the force at δ = a, F_f and the push work.
    for k in (0, 2):
        a = -entry.q[k + 1, 0]
        gained = 0.5 * M * (speeds[k + 1] ** 2 - speeds[k] ** 2) - 200.0 * a
        returned = 0.5 * (2 * C_1) * a**2  # c_2 (δ_r - a)²/2 with δ_r = 2 a
        absorbed = 0.5 * C_1 * (2 * a) ** 2
        assert gained == pytest.approx(returned - absorbed, rel=1e-8)


def test_reversals_before_the_force_ends_run_in_the_loop() -> None:
    """Pushed in and let go by turns: the force is that of the play operator along the path."""
    t = symbolic.time
    push = -3000.0 - 2800.0 * sympy.sin(3000 * t) - 900.0 * sympy.sin(7100 * t)
    system = thrown(2.5 * C_1, 1e-5, push=push)
    sol = nsmb.simulate(system, 0.02, method=nsmb.EventDriven(rtol=1e-11))
    times = np.linspace(0.0, 0.02, 200_001)
    at = sol.at(times)
    depth = -at.q[:, 0]
    force = hysteresis_force(depth, at.x[:, 0], C_1, 2.5 * C_1)
    # Steps of 1e-7 s at 1 m/s cut corners by 1e-7 m at most.
    np.testing.assert_allclose(force, play(depth, C_1, 2.5 * C_1), atol=2.5 * C_1 * 1e-8)
    switches = sol.events.of_kind("switch")
    assert len(switches.at_element("f_returns")) > 20
    assert (force > 100.0).mean() > 0.5
    assert sol.energy.relative < 1e-8
