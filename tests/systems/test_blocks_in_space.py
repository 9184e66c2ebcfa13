"""Spatial blocks on a plane: onset of motion on an incline, and energy loss by rocking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from nsmb.systems import rocking_block

Array = NDArray[np.float64]
G = 9.81


def on_incline(
    angle: float, mu: float, size: tuple[float, float, float], turn: float = 0.0
) -> nsmb.MultibodySystem:
    """Return a box on an incline with +x downhill, rotated by `turn` about the normal."""
    m = nsmb.Model(gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    box = m.add_solid("box", geometry.Box(size), 500.0)
    m.add_joint("box", joints.Free(), m.ground, box)
    m.ground.shape("plane", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=mu))
    pose = (0, 0, 0.5 * size[2], np.cos(0.5 * turn), 0, 0, np.sin(0.5 * turn))
    return m.build(initial={"box": pose})


def stepped(step: float) -> nsmb.Midpoint:
    return nsmb.Midpoint(step)


def first_accelerations(angle: float, mu: float, b: float, h: float) -> tuple[str, Array]:
    """Return the motion and a_x, a_z, ω̇_y of a box at rest, b wide and h high.

    Forces T and N act at its lower edge: a_x = g sin α - T/m, a_z = N/m - g cos α = ω̇ b/2, (b² +
    h²)/12 m ω̇ = (h T - b N)/2. The edge sticks, a_x = ω̇ h/2, or slides, T = μ N.
    """
    s, c = np.sin(angle), np.cos(angle)
    if s * h <= c * b and mu >= s / c:
        return "sticks", np.zeros(3)
    if mu < s / c and mu * h <= b:
        return "slides", np.array([G * (s - mu * c), 0.0, 0.0])
    rate = 1.5 * G * (h * s - b * c) / (b**2 + h**2)
    T, N = G * s - 0.5 * rate * h, G * c + 0.5 * rate * b
    if mu * N >= T:
        return "tips", np.array([0.5 * rate * h, 0.5 * rate * b, rate])
    share = 6.0 * (mu * h - b) / (b**2 + h**2)  # ω̇ = share N/m
    N = G * c / (1.0 - 0.5 * share * b)
    return "tips and slides", np.array([G * s - mu * N, 0.5 * share * N * b, share * N])


@pytest.mark.parametrize(
    ("degrees", "mu", "h", "does"),
    [
        (20.0, 0.5, 0.3, "sticks"),
        (30.0, 0.5, 0.3, "slides"),
        (50.0, 0.6, 0.2, "slides"),
        (30.0, 0.8, 0.6, "tips"),
        (20.0, 0.5, 0.7, "tips"),
        (60.0, 0.7, 0.4, "tips and slides"),
        (50.0, 0.45, 0.6, "tips and slides"),
    ],
)
def test_a_box_on_an_incline_begins_to_move_as_statics_and_dynamics_say(
    degrees: float, mu: float, h: float, does: str
) -> None:
    """One step from rest is exact up to `tol`, u = h a."""
    angle, b = np.radians(degrees), 0.2
    kind, expected = first_accelerations(angle, mu, b, h)
    assert kind == does
    step = 1e-4
    sol = nsmb.simulate(on_incline(angle, mu, (b, 0.3, h)), step, method=stepped(step))
    a_x, a_y, a_z, *turns = sol.u[-1] / step
    np.testing.assert_allclose((a_x, a_z, turns[1]), expected, atol=1e-6 * G)
    np.testing.assert_allclose((a_y, turns[0], turns[2]), 0.0, atol=1e-6 * G)


@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4, 1.1])
def test_it_slides_straight_down_however_it_is_turned(turn: float) -> None:
    """It slides with g (sin α - μ cos α), as friction is a cone, not a pyramid."""
    angle, mu = np.radians(30.0), 0.4
    sol = nsmb.simulate(on_incline(angle, mu, (0.3, 0.2, 0.1), turn), 0.5, method=stepped(1e-3))
    a = G * (np.sin(angle) - mu * np.cos(angle))
    np.testing.assert_allclose(sol.u[:, 0], a * sol.t, atol=1e-6)
    np.testing.assert_allclose(sol.q[-1, 0], 0.5 * a * 0.25, rtol=1e-6)
    assert np.abs(sol.u[:, 1:]).max() < 1e-6


def planar_block(mu: float, **changes: float) -> nsmb.MultibodySystem:
    """Return the rocking block as a rectangle in its plane, in the same pose."""
    p = rocking_block(**changes).parameters
    B, H, theta = p["B"], p["H"], p["theta"]
    m = nsmb.Model(gravity=(0.0, -p["g"]))
    mass = p["rho"] * B * H * p["D"]
    block = m.add_body("block", mass=mass, inertia=mass * (B**2 + H**2) / 12.0)
    m.add_joint("block", joints.Planar(), m.ground, block)
    corners = 0.5 * np.array([(-B, -H), (B, -H), (B, H), (-B, H)])
    m.add_contact(
        m.ground.contour("floor", geometry.Line()),
        block.contour("skin", geometry.Polygon(corners)),
        nsmb.ContactLaw(mu=mu),
        name="edges",
        points=2,
    )
    x, _, z = rocking_block(**changes).initial_state.q[:3]
    return m.build(initial={"block": (x, z, -theta)})


def block_of_corners(mu: float, **changes: float) -> nsmb.MultibodySystem:
    """Return the spatial block with named contacts, for event-driven runs."""
    p = rocking_block(**changes).parameters
    m = nsmb.Model(gravity=(0.0, 0.0, -p["g"]))
    mass = p["rho"] * p["B"] * p["H"] * p["D"]
    box = geometry.Box((p["B"], p["D"], p["H"]))
    block = m.add_body("block", mass=mass, inertia=box.mass_properties(p["rho"]).inertia)
    m.add_joint("block", joints.Free(), m.ground, block)
    floor = m.ground.shape("floor", geometry.HalfSpace())
    m.add_contact(floor, block.shape("skin", box), nsmb.ContactLaw(mu=mu), name="corner")
    return m.build(initial={"block": rocking_block(**changes).initial_state.q})


def kept(system: nsmb.System, **options: Any) -> float:
    """Return the ratio of kinetic energies after and before the first impact."""
    sol = nsmb.simulate(system, 0.6, method=nsmb.EventDriven(rtol=1e-10, **options))
    hit = sol.events.of_kind("impact")[0]
    before, behind = (system.kinetic_energy(hit.t, hit.q, u) for u in (hit.u_minus, hit.u_plus))
    return behind / before


SHAPES: list[dict[str, float]] = [{}, {"B": 0.12, "theta": 0.1}, {"B": 0.35, "theta": 0.3}]


@pytest.mark.parametrize("changes", SHAPES)
@pytest.mark.parametrize("law", ["poisson", "moreau"])
@pytest.mark.parametrize("build", [planar_block, block_of_corners])
def test_rocking_keeps_housner_s_part_of_the_energy_event_by_event(
    build: Any, law: str, changes: dict[str, float]
) -> None:
    """The ratio is (1 - 3/2 sin² α)², with a measured error of 4e-14.

    Friction is just sufficient. With less the block slides.
    """
    least = rocking_block.friction(**changes)
    expected = rocking_block.energy_ratio(**changes)
    assert kept(build(1.01 * least, **changes), impact_law=law) == pytest.approx(
        expected, abs=1e-11
    )
    slides = kept(build(0.9 * least, **changes), impact_law=law)
    assert abs(slides - expected) > 1e-4


@pytest.mark.parametrize("changes", SHAPES)
def test_and_step_by_step_to_the_order_of_the_step(changes: dict[str, float]) -> None:
    """The error of the remaining energy is of first order in the step.

    It is 0.0038 of 0.72 with 5e-4 s, half with half the step, and ten times less extrapolated.
    """
    expected = rocking_block.energy_ratio(**changes)
    ratios = []
    for step in (1e-3, 5e-4, 2.5e-4):
        sol = nsmb.simulate(rocking_block(**changes), 0.6, method=stepped(step), output_step=step)
        kinetic = sol.energy.kinetic
        row = int(np.argmin(np.diff(kinetic)))
        ratios.append(kinetic[row + 1] / kinetic[row])
        assert sol.stats["missed_steps"] == 0
        # The block rocks in its plane.
        assert np.abs(sol.u[:, [1, 3, 5]]).max() < 1e-5
    errors = np.abs(np.array(ratios) - expected)
    assert errors[-1] < 0.005
    assert (errors[1:] < 0.7 * errors[:-1]).all()
    assert 2.0 * ratios[-1] - ratios[-2] == pytest.approx(expected, abs=5e-4)


def test_a_flat_block_comes_to_rest_at_once() -> None:
    """For sin² α > 2/3 it would have to rotate back after the impact, which both edges prevent."""
    assert rocking_block.energy_ratio(B=0.6, H=0.3) == 0.0
    block = rocking_block(B=0.6, H=0.3, theta=0.05)
    sol = nsmb.simulate(block, 0.5, method=stepped(5e-4))
    assert np.abs(sol.u[-1]).max() < 1e-6


def test_the_slope_may_have_either_sign_and_none() -> None:
    left, right = (rocking_block(theta=theta).initial_state.q for theta in (-0.2, 0.2))
    np.testing.assert_allclose(left, right * (-1, 1, 1, 1, 1, -1, 1), atol=1e-15)
    upright = nsmb.simulate(rocking_block(theta=0.0), 0.05)
    assert np.abs(upright.u).max() < 1e-9
