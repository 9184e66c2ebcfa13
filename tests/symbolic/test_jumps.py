"""Jumps are neither linearised nor lost: forces of signs and steps, energies, gaps, slips."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from nsmb import Constraint, Contact, ForceElement, Friction, GapForce, symbolic
from nsmb.symbolic import LagrangianSystem, point_contact

x, y = symbolic.coordinates("x y")
v, w = symbolic.velocities(x, y)
t = symbolic.time
p = symbolic.parameters(m=2.0, F=3.0, k=5.0, d=0.4)


def build(**changes: Any) -> LagrangianSystem:
    arguments: dict[str, Any] = {
        "q": [x, y],
        "kinetic": p.m / 2 * (v**2 + w**2),
        "parameters": p,
    }
    return LagrangianSystem(**arguments | changes)


# Force on x and its value at x = 0.7, v = -1.3.
FORCES: dict[str, tuple[Any, float]] = {
    "sign": (-p.F * sp.sign(v), 3.0),
    "step": (p.F * sp.Heaviside(x - p.d), 3.0),
    "two constants": (sp.Piecewise((p.F, x < 0), (2 * p.F, True)), 6.0),
    "floor": (p.F * sp.floor(4 * x), 6.0),
    "ceiling": (p.F * sp.ceiling(v), -3.0),
    "kink of constant slope": (sp.Piecewise((p.k * x, x < 0), (p.k * x + 1, True)), 4.5),
    "least": (sp.Min(v, v + p.F), -1.3),
    "saw tooth": (sp.atan(sp.tan(3 * x)), 2.1 - np.pi),
}


@pytest.mark.parametrize("name", FORCES)
@pytest.mark.parametrize("linear", [None, False])
def test_forces_with_kinks_or_jumps_are_not_linear(name: str, linear: bool | None) -> None:
    force, expected = FORCES[name]
    system = build(forces=[force, 0], linear=linear)
    assert not system.is_linear
    found = system.forces(1.0, [0.7, 0.0], [-1.3, 0.0])
    np.testing.assert_allclose(found, [expected, 0.0], rtol=1e-14)


def test_the_force_of_a_kink_in_the_potential_is_not_lost() -> None:
    system = build(potential=p.F * sp.Abs(x))
    assert not system.is_linear
    np.testing.assert_array_equal(system.forces(0.0, [-2.0, 0.0], [0.0, 0.0]), [3.0, 0.0])


def test_linear_true_names_the_jump() -> None:
    with pytest.raises(ValueError, match="where the forces have kinks or jumps"):
        build(forces=[-p.F * sp.sign(v), 0], linear=True)


def test_a_smooth_linear_system_stays_linear() -> None:
    assert build(potential=p.k * x**2 / 2, forces=[-p.d * v, 0], contacts=[Contact(y)]).is_linear


STEPS = {
    "two constants": sp.Piecewise((0, x < 0), (p.F, True)),
    "step": sp.Heaviside(x),
    "step far away": p.F * sp.Heaviside(x - 1000 * p.F),
    "offset pieces": sp.Piecewise((x, x < p.d), (x + 1, True)),
    "stairs": sp.floor(x / p.d),
    "sign": sp.sign(x - y),
    "quadratic pieces": sp.Piecewise((p.k * x**2 / 2, x < p.d), (p.k * x * p.d, True)),
    "in a function": sp.sin(sp.sign(x)) * p.F,
}


@pytest.mark.parametrize("name", STEPS)
def test_energies_and_gaps_that_jump_are_refused(name: str) -> None:
    step = STEPS[name]
    moving: list[tuple[str, dict[str, Any]]] = [
        ("potential", {"potential": p.k * y**2 + step}),
        ("kinetic", {"kinetic": p.m * (v**2 + w**2) * (30000 + step)}),
        ("contact 'contact_1': gap", {"contacts": [Contact(y + step, v)]}),
        ("force element 'element_1': gap", {"elements": [ForceElement(y + step, GapForce(1.0))]}),
        ("constraint 'constraint_1': gap", {"constraints": [y + step]}),
        (
            "contact 'contact_1': slip",
            {"contacts": [point_contact(point=(x + step, y), tangent=(1, 0))]},
        ),
    ]
    for where, changes in moving:
        with pytest.raises(
            ValueError, match=rf"{where}: expected a continuous expression.*jump by"
        ):
            build(**changes)


def test_a_gap_or_mass_that_jumps_in_time_is_refused_and_a_potential_is_not() -> None:
    step = sp.Heaviside(t - 1)
    for changes in ({"contacts": [Contact(y + step)]}, {"kinetic": (v**2 + w**2) * (1 + step)}):
        with pytest.raises(ValueError, match="expected a continuous expression"):
            build(**changes)
    system = build(potential=p.m * 10 * y * step)
    assert system.forces(0.5, [0, 0], [0, 0])[1] == 0.0
    assert system.forces(1.5, [0, 0], [0, 0])[1] == -20.0


CONTINUOUS = {
    "kink": sp.Abs(x - y),
    "least": sp.Min(x, p.d),
    "one-sided spring": p.k * x**2 * sp.Heaviside(x),
    "odd square": x**2 * sp.sign(x),
    "pieces that meet": sp.Piecewise(
        (p.k * x**2 / 2, x < p.d), (p.k * p.d * (x - p.d / 2), True)
    ),
    "pieces that meet in six digits": sp.Piecewise(
        (sp.sin(x), x < 1), (0.84147098 + 0.540302 * (x - 1), True)
    ),
    "root": sp.Piecewise((0, x < 0), (sp.sqrt(sp.Abs(x)), True)),
    "pole": sp.Piecewise((sp.log(sp.Abs(x)), x < 0), (1 / (x + 1e-30), True)),
    "saw without teeth": sp.Abs(x - 2 * sp.floor(x / 2) - 1),
    "a short ramp": sp.Piecewise((0, x < 0), (1e6 * x, x < 1e-6), (1, True)),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_energies_and_gaps_are_accepted(name: str) -> None:
    build(potential=CONTINUOUS[name], contacts=[Contact(y + CONTINUOUS[name], v)])


@pytest.mark.parametrize("energy", [sp.sign(v), sp.Abs(v), sp.Max(v, 0) ** 2])
def test_kinetic_energy_with_kinks_in_the_velocities_is_refused(energy: Any) -> None:
    with pytest.raises(ValueError, match="kinetic: expected a quadratic form of velocities"):
        build(kinetic=v**2 + w**2 + energy)


@pytest.mark.parametrize("slip", [x, 0, x * t, (v, x)])
def test_a_slip_without_velocities_is_refused(slip: Any) -> None:
    message = r"'{}': slip: expected an expression of the velocities, got .*rate\(\)"
    with pytest.raises(ValueError, match=message.format("c")):
        build(contacts=[Contact(y, slip, name="c")])
    with pytest.raises(ValueError, match=message.format("f")):
        build(contacts=[Friction(slip, 1.0, name="f")])


@pytest.mark.parametrize("slip", [t, 1.5, p.F, (v, 1.0), (sp.sin(t), w)])
def test_a_slip_that_is_prescribed_is_accepted(slip: Any) -> None:
    build(contacts=[Contact(y, slip)])


@pytest.mark.parametrize("slip", [sp.sign(v), v + sp.floor(w), sp.Heaviside(v)])
def test_a_slip_that_jumps_with_the_velocity_is_refused(slip: Any) -> None:
    with pytest.raises(ValueError, match="slip: expected an expression affine in the velocities"):
        build(contacts=[Contact(y, slip)])


def test_a_constraint_without_velocities_is_refused() -> None:
    with pytest.raises(ValueError, match="velocity: expected an expression of the velocities"):
        build(constraints=[Constraint(velocity=x)])


def test_a_point_that_cannot_slip_is_accepted() -> None:
    system = build(contacts=[point_contact(point=(0, y), tangent=(1, 0))])
    assert system.nc == 1
