"""Steady starts with drives, grids, contacts, elements and states agree with closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import analysis

sympy = pytest.importorskip("sympy")
pytest.importorskip("llvmlite")

from nsmb import symbolic  # noqa: E402


def grid_machine(**changes: float) -> nsmb.System:
    """Return a rotor held by a grid, J θ̈ = T - K sin(pole θ - ω t) - D θ̇."""
    theta = symbolic.coordinates("theta")
    speed = symbolic.velocities(theta)
    values = {"J": 2.0, "T": 30.0, "K": 50.0, "D": 0.1, "omega": 314.0, "pole": 2.0}
    p = symbolic.parameters(**(values | changes))
    pull = p.K * sympy.sin(p.pole * theta - p.omega * symbolic.time)
    return symbolic.LagrangianSystem(
        [theta],
        p.J * speed**2 / 2,
        forces=[p.T - pull - p.D * speed],
        parameters=p,
        initial={speed: 150.0},
    )


def governor(**changes: float) -> nsmb.System:
    """Return a bead on a hoop that rotates about its vertical diameter."""
    theta, phi = symbolic.coordinates("theta phi")
    spin, turn = symbolic.velocities(theta, phi)
    p = symbolic.parameters(**({"m": 0.3, "R": 0.2, "J": 0.05, "g": 9.81, "M": 0.0} | changes))
    kinetic = p.m * p.R**2 * (spin**2 + (turn * sympy.sin(theta)) ** 2) / 2 + p.J * turn**2 / 2
    return symbolic.LagrangianSystem(
        [theta, phi],
        kinetic,
        -p.m * p.g * p.R * sympy.cos(theta),
        [-0.02 * spin, p.M - 0.03 * turn],
        parameters=p,
        initial={theta: 0.9},
    )


def motor(x_start: float = 0.0) -> nsmb.CallbackSystem:
    """Return a motor with its current as state: L ẋ = U - R x - k u, J u̇ = k x - b u."""
    return nsmb.CallbackSystem(
        coordinates=["angle"],
        mass_matrix=lambda t, q: [[0.02]],
        forces=lambda t, q, u, x: [0.1 * x[0] - 0.002 * u[0]],
        states=["current"],
        state_rates=lambda t, q, u, x: [(24.0 - 0.5 * x[0] - 0.1 * u[0]) / 5e-3],
        initial_state=nsmb.State(0.0, np.zeros(1), np.zeros(1), np.array([x_start])),
    )


def test_a_rotor_on_a_grid_turns_with_it_at_the_angle_of_its_load() -> None:
    begin = nsmb.State(0.3, np.array([0.5 * 314.0 * 0.3 + 0.1]), np.array([150.0]))
    here = analysis.steady_start(grid_machine(), start=begin)
    assert here.u[0] == pytest.approx(157.0, rel=1e-13)  # 2.11e-15 measured
    lag = math.asin((30.0 - 0.1 * 157.0) / 50.0)
    assert here.q[0] == pytest.approx(0.5 * (lag + 314.0 * 0.3), rel=1e-12)
    run = nsmb.simulate(here.system, t_end=1.3, start=here.state, method=TIGHT)
    assert np.ptp(run.u) < 1e-8


TIGHT = nsmb.EventDriven(rtol=1e-11)


def test_a_load_beyond_the_pull_out_torque_has_no_steady_start() -> None:
    with pytest.raises(analysis.AnalysisError, match="give a start nearer to it"):
        analysis.steady_start(grid_machine(T=80.0))


def test_a_bead_on_a_turning_hoop_climbs_to_the_angle_of_its_speed() -> None:
    here = analysis.steady_start(governor(), speeds={"phi": 12.0}, free=["M"])
    assert here.found["M"] == pytest.approx(0.03 * 12.0, rel=1e-12)
    assert math.cos(here.q[0]) == pytest.approx(9.81 / (0.2 * 12.0**2), rel=1e-12)
    assert here.u == pytest.approx([0.0, 12.0], abs=1e-12)
    assert abs(here.q[1]) < 1e-12  # open, as at the start
    found = analysis.steady_start(governor(M=0.36), start=nsmb.State(0.0, here.q, [0.0, 10.0]))
    assert found.u[1] == pytest.approx(12.0, rel=1e-9)


def test_states_of_a_system_of_functions_settle_with_its_speed() -> None:
    here = analysis.steady_start(motor())
    speed = 24.0 / (0.1 + 0.5 * 0.002 / 0.1)
    assert here.u[0] == pytest.approx(speed, rel=1e-12)
    assert here.x[0] == pytest.approx(0.02 * speed, rel=1e-12)
    rate = here.system.state_rates(0.0, here.q, here.u, here.x)
    assert abs(rate[0]) < 1e-9 * 24.0 / 5e-3


def test_exact_jacobians_and_differences_find_the_same() -> None:
    """A shaft has a two-sided mesh of force elements, loaded through its front flank."""
    one = analysis.steady_start(mesh())
    # r c γ_1 = T, and the shaft carries T. The brake sets the speed of both masses.
    assert one.u == pytest.approx([40.0, 40.0, 40.0], rel=1e-12)
    assert one.acting == ("front",)
    assert one.q[1] - one.q[2] == pytest.approx(20.0 / (0.1**2 * 1e7), rel=1e-9)
    assert one.q[0] - one.q[1] == pytest.approx(20.0 / 3e4, rel=1e-9)
    front, rear = one.x
    assert front == pytest.approx(-20.0 / (0.1 * 1e7), rel=1e-9)  # where the mass is, (3.22)
    assert rear == 0.0
    run = nsmb.simulate(one.system, t_end=0.05, start=one.state, method=TIGHT)
    assert len(run.events.of_kind("switch")) == 0
    assert np.ptp(run.u, axis=0).max() < 1e-7


def mesh() -> nsmb.System:
    q = a, b, c = symbolic.coordinates("a b c")
    u = symbolic.velocities(*q)
    p = symbolic.parameters(c=3e4, c_T=1e7, d_T=400.0, r=0.1, s=1e-4, T=20.0, brake=0.5)
    gap = p.r * (c - b)
    return symbolic.LagrangianSystem(
        q,
        sum(v**2 for v in u) * 0.05,
        p.c * (a - b) ** 2 / 2,
        {a: p.T, c: -p.brake * u[2]},
        elements=[
            nsmb.ForceElement(gap, nsmb.GapForce(p.c_T, p.d_T), "front"),
            nsmb.ForceElement(p.s - gap, nsmb.GapForce(p.c_T, p.d_T), "rear"),
        ],
        parameters=p,
        initial={a: 1e-3, b: 1e-6},
    )


def test_a_mesh_that_was_taken_on_the_wrong_flank_is_told() -> None:
    with pytest.raises(
        analysis.AnalysisError, match=r"rear were assumed to act, but none would act"
    ):
        analysis.steady_start(mesh(), acting=["rear"])


def test_a_block_slides_down_at_the_speed_its_drag_allows() -> None:
    x, y = symbolic.coordinates("x y")
    vx, vy = symbolic.velocities(x, y)
    down, press = 2.0 * 9.81 * math.sin(0.5), 2.0 * 9.81 * math.cos(0.5)
    law = nsmb.ContactLaw(mu=0.3)
    block = symbolic.LagrangianSystem(
        [x, y],
        vx**2 + vy**2,
        forces=[down - 1.5 * vx, -press],
        contacts=[nsmb.Contact(gap=y, slip=vx, law=law, name="slope")],
        initial={vx: 1.0},
    )
    here = analysis.steady_start(block)
    assert here.u[0] == pytest.approx((down - 0.3 * press) / 1.5, rel=1e-12)
    assert here.lambda_N[0] == pytest.approx(press, rel=1e-12)
    assert here.lambda_T[0] == pytest.approx(-0.3 * press, rel=1e-12)
    assert "slope: slip +" in repr(here)
    with pytest.raises(analysis.AnalysisError, match="give a start nearer"):
        analysis.steady_start(block, contact_state={"slope": "open"})


def test_a_contact_that_would_pull_is_told() -> None:
    x = symbolic.coordinates("x")
    lifted = symbolic.LagrangianSystem(
        [x],
        symbolic.velocities(x) ** 2,
        forces=[5.0],
        contacts=[nsmb.Contact(gap=x, name="floor")],
    )
    with pytest.raises(
        analysis.AnalysisError, match=r"\(floor: slip \+\): if the contacts act freely, 'x_dot'"
    ):
        analysis.steady_start(lifted)


def test_wheels_geared_together_share_their_loads() -> None:
    a, b = symbolic.coordinates("a b")
    u, v = symbolic.velocities(a, b)
    pair = symbolic.LagrangianSystem(
        [a, b],
        (u**2 + 3.0 * v**2) / 2,
        forces=[10.0 - 0.1 * u, -0.2 * v],
        constraints=[nsmb.Constraint(velocity=u - 2.0 * v)],
    )
    here = analysis.steady_start(pair)
    assert here.u == pytest.approx([200.0 / 3.0, 100.0 / 3.0], rel=1e-12)
    assert here.lambda_B[0] == pytest.approx(-10.0 / 3.0, rel=1e-12)


def test_what_no_load_decides_stays_as_it_is() -> None:
    pair = nsmb.LinearSystem(
        np.eye(2), [[9.0, -9.0], [-9.0, 9.0]], initial_state=nsmb.State(0.0, [1.0, 3.0], [4.0, 6.0])
    )
    here = analysis.steady_start(pair)
    assert here.q == pytest.approx([2.0, 2.0], abs=1e-10)
    assert here.u == pytest.approx([5.0, 5.0], abs=1e-10)


def test_a_rheonomic_system_is_refused() -> None:
    load = nsmb.Force(harmonics=[nsmb.system.Harmonic([1.0], omega=3.0)])
    driven = nsmb.LinearSystem([[1.0]], [[4.0]], force=load)
    with pytest.raises(ValueError, match=r"depends on time\. Use periodic_orbit"):
        analysis.steady_start(driven)


def test_bodies_in_space_turn_steadily_about_a_driven_shaft() -> None:
    """A conical pendulum has cos φ = g/(l ω²), with the required motor torque."""
    model = nsmb.Model(gravity=(0, 0, -9.81))
    shaft = model.add_body("shaft", mass=1.0, inertia=np.diag([0.1, 0.1, 0.1]))
    arm = model.add_body("arm", mass=2.0, inertia=1e-9 * np.eye(3), center=(0, 0, -0.5))
    model.add_joint("spin", nsmb.joints.Revolute((0, 0, 1)), model.ground, shaft)
    model.add_joint("swing", nsmb.joints.Revolute((0, 1, 0)), shaft, arm)
    model.add_joint_force("motor", "spin", lambda t, q, v: 8.0 - 1.0 * v)
    model.add_joint_force("oil", "swing", lambda t, q, v: -0.5 * v)
    system = model.build(initial={"swing": 0.8})
    begin = nsmb.State(0.0, system.initial_state.q, np.array([7.0, 0.0]))
    here = analysis.steady_start(system, start=begin)
    assert here.u == pytest.approx([8.0, 0.0], abs=1e-12)
    assert math.cos(here.q[1]) == pytest.approx(9.81 / (0.5 * 8.0**2), rel=1e-7)  # inertia 1e-9
    free = nsmb.Model()
    ball = free.add_body("ball", mass=2.0, inertia=np.eye(3))
    free.add_joint("free", nsmb.joints.Free(), free.ground, ball)
    with pytest.raises(ValueError, match="as many velocities as coordinates, got 6 and 7"):
        analysis.steady_start(free.build())


def test_arguments_out_of_range_are_named() -> None:
    machine = grid_machine()
    with pytest.raises(ValueError, match="speeds: velocity 'phi': expected one of theta_dot"):
        analysis.steady_start(machine, speeds={"phi": 1.0})
    with pytest.raises(ValueError, match=r"speeds\['theta'\]: expected a finite number, got nan"):
        analysis.steady_start(machine, speeds={"theta": np.nan})
    with pytest.raises(ValueError, match="free: parameter 'Q': expected one of J"):
        analysis.steady_start(machine, free=["Q"])
    with pytest.raises(ValueError, match="free: must be a sequence of names, got 'T'"):
        analysis.steady_start(machine, free="T")
    with pytest.raises(ValueError, match="acting: force element 'tooth': expected no name"):
        analysis.steady_start(machine, acting=["tooth"])
    with pytest.raises(ValueError, match="tol: expected a number between 0 and 1, got 2"):
        analysis.steady_start(machine, tol=2.0)
    for argument, value, words in (
        ("speeds", 5, "expected a mapping of names to numbers, got 5"),
        ("speeds", {"theta": 1.0, "theta_dot": 2.0}, "expected one number for 'theta_dot', got tw"),
        ("free", 5, "expected a sequence of names, got 5"),
        ("free", ["T", "T"], "must contain each name once"),
        ("acting", 5, "expected a sequence of names, got 5"),
        ("acting", "tooth", "must be a sequence of names, got 'tooth'. Put a single one in a list"),
        ("contact_state", "stick", "expected a mapping of names to states, got 'stick'"),
    ):
        given: Any = {argument: value}
        with pytest.raises(ValueError, match=f"{argument}: {words}"):
            analysis.steady_start(machine, **given)
    with pytest.raises(ValueError, match=r"start: must be a nsmb\.State, got 3"):
        analysis.steady_start(machine, start=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"start\.q: expected shape \(1,\), got shape \(2,\)"):
        analysis.steady_start(machine, start=nsmb.State(0.0, np.zeros(2), np.zeros(1)))
