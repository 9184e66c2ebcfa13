"""Masses on one-sided springs: a step ends where a spring sets in or lets go."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import nsmb

C, G, HEIGHT = 1e6, 9.81, 0.3
Law = Literal["elastic_gap", "relaxing_wall", "clipped"]


def falling(law: Law, d: float) -> nsmb.LinearSystem:
    """A mass of 1 kg over a stiff spring, whose half period of 3 ms is shorter than the steps."""
    spring = nsmb.ForceElement(0.0, nsmb.GapForce(c=C, d=d, law=law), w=[1.0], name="spring")
    return nsmb.LinearSystem([[1.0]], force=[-G], elements=[spring])


def top(sol: nsmb.Solution) -> float:
    """Highest point after the first contact, from the energy between the contacts."""
    later = (sol.t > 0.3) & (sol.q[:, 0] > 0.0)
    energy = G * sol.q[later, 0] + 0.5 * sol.u[later, 0] ** 2
    return float(energy.max() / G)


@pytest.mark.parametrize("step", [0.02, 0.01, 0.003, 1e-3])
def test_a_mass_bounces_to_its_height(step: float) -> None:
    sol = nsmb.simulate(falling("elastic_gap", 0.0), 2.0, q=[HEIGHT], method=nsmb.Midpoint(step))
    assert top(sol) == pytest.approx(HEIGHT, rel=2e-5)
    assert sol.q[:, 0].max() <= HEIGHT * (1.0 + 2e-5)


@pytest.mark.parametrize("height", [0.0, 1e-6, 1e-4])
@pytest.mark.parametrize("step", [0.02, 0.01, 0.005])
def test_a_mass_laid_on_a_spring_is_not_thrown(step: float, height: float) -> None:
    """The mass may set in and let go within one step, so its ends alone show nothing."""
    sol = nsmb.simulate(falling("elastic_gap", 0.0), 1.0, q=[height], method=nsmb.Midpoint(step))
    assert sol.q[:, 0].max() < height + 1e-6


@pytest.mark.parametrize("law", ["relaxing_wall", "clipped"])
@pytest.mark.parametrize("step", [0.02, 0.005, 1e-3])
def test_a_damped_spring_returns_less(law: Law, step: float) -> None:
    sol = nsmb.simulate(falling(law, 200.0), 1.0, q=[HEIGHT], method=nsmb.Midpoint(step))
    assert 0.1 < top(sol) < HEIGHT


@pytest.mark.parametrize("law", ["relaxing_wall", "clipped"])
def test_short_steps_agree_with_events(law: Law) -> None:
    system = falling(law, 200.0)
    exact = nsmb.simulate(system, 0.45, q=[HEIGHT])
    errors = []
    for step in (4e-4, 1e-4):
        sol = nsmb.simulate(system, 0.45, q=[HEIGHT], method=nsmb.Midpoint(step))
        errors.append(float(abs(sol.q[-1, 0] - exact.q[-1, 0])))
    assert errors[1] < 0.3 * errors[0] < 1e-3


@pytest.mark.parametrize("error", [1e-3, 1e-4])
def test_controlled_steps_do_not_throw_the_mass(error: float) -> None:
    method = nsmb.Midpoint(0.01, error=error)
    sol = nsmb.simulate(falling("relaxing_wall", 200.0), 1.0, q=[HEIGHT], method=method)
    exact = nsmb.simulate(falling("relaxing_wall", 200.0), 1.0, q=[HEIGHT])
    assert top(sol) == pytest.approx(top(exact), abs=30.0 * error)


@pytest.mark.parametrize("method", [nsmb.VelocityForces(1e-3), nsmb.PositionForces(1e-3)])
def test_methods_with_forces_end_at_switches_too(method: Any) -> None:
    sol = nsmb.simulate(falling("elastic_gap", 0.0), 0.5, q=[HEIGHT], method=method)
    assert top(sol) < 1.1 * HEIGHT


def test_springs_on_both_sides_take_turns() -> None:
    """A mass between two springs keeps its energy for many impacts."""
    springs = [
        nsmb.ForceElement(0.1, nsmb.GapForce(c=C, law="elastic_gap"), w=[sign], name=name)
        for sign, name in ((1.0, "left"), (-1.0, "right"))
    ]
    system = nsmb.LinearSystem([[1.0]], elements=springs)
    sol = nsmb.simulate(system, 10.0, u=[2.0], method=nsmb.Midpoint(0.007))
    free = np.abs(sol.q[:, 0]) < 0.09
    np.testing.assert_allclose(np.abs(sol.u[free, 0]), 2.0, rtol=1e-5)


@pytest.mark.parametrize("output_step", [1e-3, 0.1, 0.5])
def test_the_balance_does_not_depend_on_the_samples(output_step: float) -> None:
    """Modes of springs belong to steps; samples may miss all contacts between them."""
    spring = nsmb.ForceElement(0.0, nsmb.GapForce(c=500.0, d=4.0), w=[1.0], name="spring")
    system = nsmb.LinearSystem([[1.0]], force=[-G], elements=[spring])
    exact = nsmb.simulate(system, 2.0, q=[HEIGHT]).energy
    method = nsmb.Midpoint(1e-3)
    energy = nsmb.simulate(system, 2.0, q=[HEIGHT], method=method, output_step=output_step).energy
    assert energy.element_loss[-1] == pytest.approx(exact.element_loss[-1], rel=1e-3)
    assert energy.relative < 1e-3
    assert energy.parts.relative < 1e-5
