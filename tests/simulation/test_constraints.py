"""Bilateral constraints: closed loops, redundant constraints, contacts of constrained bodies."""

import numpy as np
import pytest
import sympy as sp

import nsmb
from nsmb import symbolic

G = 9.81


def pendulum(*, redundant=False, contacts=(), length=0.7, start=0.9):
    """A point mass on a circle, in Cartesian coordinates."""
    bond = nsmb.Constraint(
        lambda t, q: 0.5 * (q @ q - length**2),
        w=lambda t, q: q,
        w_bar=lambda t, q, u: u @ u,
        name="rod",
    )
    again = nsmb.Constraint(
        lambda t, q: np.hypot(*q) - length,
        w=lambda t, q: q / np.hypot(*q),
        w_bar=lambda t, q, u: u @ u / np.hypot(*q) - (q @ u) ** 2 / np.hypot(*q) ** 3,
        name="rod again",
    )
    place = length * np.array([np.sin(start), -np.cos(start)])
    return nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=np.diag([2.0, 2.0]),
        forces=lambda t, q, u: [0.0, -2.0 * G],
        contacts=contacts,
        constraints=[bond, again] if redundant else [bond],
        initial_state=nsmb.State(0.0, place, np.zeros(2)),
    )


def angle_pendulum(*, contacts=(), length=0.7, start=0.9):
    """The same pendulum in its minimal coordinate."""
    return nsmb.CallbackSystem(
        ["phi"],
        mass_matrix=[[2.0 * length**2]],
        forces=lambda t, q, u: [-2.0 * G * length * np.sin(q[0])],
        contacts=contacts,
        initial_state=nsmb.State(0.0, np.array([start]), np.zeros(1)),
    )


@pytest.mark.parametrize(
    ("integrator", "redundant"),
    [
        ("dp853", False),
        ("dp853", True),
        ("arkode_fehlberg78", False),
        ("arkode_fehlberg78", True),
        ("cvode", False),
    ],
)
def test_constrained_mass_moves_like_the_pendulum_in_its_angle(integrator, redundant):
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-10)
    rod = nsmb.simulate(pendulum(redundant=redundant), t_end=3.0, method=method)
    phi = nsmb.simulate(angle_pendulum(), t_end=3.0, method=method)
    expected = 0.7 * np.array([np.sin(phi.q[-1, 0]), -np.cos(phi.q[-1, 0])])
    # Measured 3e-10 (dp853) and 4e-8 (BDF, whose tolerance is local, over 3 s).
    assert rod.q[-1] == pytest.approx(expected, abs=2e-7 if integrator == "cvode" else 3e-9)
    # Exact at the ends of steps; between them, the dense output is as accurate as the integration.
    # g = (q² - l²)/2 is zero to 1e-13.
    assert np.hypot(*rod.q[-1]) == pytest.approx(0.7, abs=1e-13 / 0.7)
    assert rod.q[-1] @ rod.u[-1] == pytest.approx(0.0, abs=1e-12)
    assert np.hypot(*rod.q.T) == pytest.approx(0.7, abs=1e-7)


@pytest.mark.parametrize("redundant", [False, True])
def test_constraint_force_is_the_tension_of_the_rod(redundant):
    sol = nsmb.simulate(pendulum(redundant=redundant), t_end=1.0, rtol=1e-11)
    phi = np.arctan2(sol.q[:, 0], -sol.q[:, 1])
    speed = np.einsum("ij,ij->i", sol.u, sol.u)
    tension = 2.0 * (G * np.cos(phi) + speed / 0.7)
    system = sol.system
    for q, u, lam, expected in zip(sol.q, sol.u, sol.lambda_B, tension, strict=True):
        W = system.constraint_kinematics(0.0, q, u)["W"]
        assert W @ lam == pytest.approx(-expected * q / 0.7, rel=1e-9)


def test_impact_against_a_wall_obeys_the_constraint():
    law = nsmb.ContactLaw(e_N=0.6)
    wall = nsmb.Contact(lambda t, q: q[0] + 0.2, law=law, name="wall")
    same = nsmb.Contact(lambda t, q: 0.7 * np.sin(q[0]) + 0.2, law=law, name="wall")
    rod = nsmb.simulate(pendulum(contacts=[wall]), t_end=4.0, rtol=1e-11)
    phi = nsmb.simulate(angle_pendulum(contacts=[same]), t_end=4.0, rtol=1e-11)
    assert rod.events.kinds == phi.events.kinds
    assert len(rod.events) >= 3
    assert rod.events.t == pytest.approx(phi.events.t, abs=1e-8)
    assert rod.events.Lambda_N == pytest.approx(phi.events.Lambda_N, abs=1e-8)
    for event in rod.events:
        assert event.q @ event.u_plus == pytest.approx(0.0, abs=1e-12)


def test_friction_on_a_constrained_mass_stops_it_where_it_stops_the_angle():
    # The bead is not pressed against anything: a friction element with a given bound brakes it.
    brake = nsmb.Friction(w_T=lambda t, q: [q[1], -q[0]] / np.hypot(*q), bound=3.0)
    same = nsmb.Friction(w_T=lambda t, q: [0.7], bound=3.0)
    rod = nsmb.simulate(pendulum(contacts=[brake]), t_end=3.0, rtol=1e-11)
    phi = nsmb.simulate(angle_pendulum(contacts=[same]), t_end=3.0, rtol=1e-11)
    assert rod.events.kinds == phi.events.kinds
    assert rod.events.kinds[-1] == "stick"
    assert rod.events.t == pytest.approx(phi.events.t, abs=1e-8)


def test_moving_constraint_does_its_work():
    # A mass held at x = 0.1 sin(3 t): the constraint force is that of the prescribed motion.
    drive = nsmb.Constraint(lambda t, q: q[0] - 0.1 * np.sin(3.0 * t), name="drive")
    system = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=np.diag([2.0, 1.0]),
        forces=lambda t, q, u: [0.0, -5.0 * q[1]],
        constraints=[drive],
        initial_state=nsmb.State(0.0, np.array([0.0, 0.3]), np.array([0.3, 0.0])),
        scale=[0.1, 0.1],
    )
    sol = nsmb.simulate(system, t_end=2.0, rtol=1e-9, output_step=0.1)
    assert sol.q[:, 0] == pytest.approx(
        0.1 * np.sin(3.0 * sol.t), abs=1e-8
    )  # w_bar from differences
    # w_bar comes from second differences: 1e-7 of its value.
    assert sol.lambda_B[:, 0] == pytest.approx(-1.8 * np.sin(3.0 * sol.t), abs=1e-5)


def test_start_that_breaks_a_constraint_is_refused_with_the_remedy():
    system = pendulum()
    with pytest.raises(
        ValueError, match=r"q: expected g = 0 at constraint 'rod'.*consistent_state"
    ):
        nsmb.simulate(system, t_end=0.1, q=[0.3, -0.7])
    with pytest.raises(ValueError, match=r"u: expected γ = 0 at constraint 'rod'"):
        nsmb.simulate(system, t_end=0.1, u=[0.1, 0.1])


def test_consistent_state_is_the_nearest_one():
    system = pendulum(redundant=True)
    state = nsmb.instant.consistent_state(system, q=[0.3, -0.7], u=[1.0, 2.0])
    direction = np.array([0.3, -0.7]) / np.hypot(0.3, 0.7)
    assert state.q == pytest.approx(0.7 * direction, abs=1e-12)
    assert state.u == pytest.approx(
        np.array([1.0, 2.0]) - direction * (direction @ [1.0, 2.0]), abs=1e-12
    )
    nsmb.simulate(system, t_end=0.1, q=state.q, u=state.u)


def test_consistent_state_says_when_there_is_none():
    never = nsmb.Constraint(lambda t, q: 1.0 + q[0] ** 2, name="never")
    system = nsmb.CallbackSystem(
        ["x"], [[1.0]], lambda t, q, u: [0.0], constraints=[never], check=False
    )
    with pytest.raises(ValueError, match="'never'"):
        nsmb.instant.consistent_state(system, q=[0.3])


def test_constraint_forces_are_kept_in_files_and_tables(tmp_path):
    sol = nsmb.simulate(pendulum(), t_end=0.5)
    sol.save(tmp_path / "run.npz")
    again = nsmb.Solution.load(tmp_path / "run.npz")
    assert again.lambda_B.tolist() == sol.lambda_B.tolist()
    assert again.constraint_names == ("rod",)
    assert sol.to_dataframe()["lambda_B[rod]"].tolist() == sol.lambda_B[:, 0].tolist()
    assert sol.to_xarray()["lambda_B"].dims == ("time", "constraint")


def test_directions_may_be_constant_beside_a_constraint_that_turns():
    """The wall is straight and the masses are constant, but G still changes because of the rod."""
    x, y = symbolic.coordinates("x y")
    v, w = symbolic.velocities(x, y)
    rod = symbolic.LagrangianSystem(
        [x, y],
        v**2 + w**2,
        2 * sp.Float(G) * y,
        constraints=[nsmb.Constraint((x**2 + y**2 - sp.Float(0.49)) / 2, name="rod")],
        contacts=[
            nsmb.Contact(gap=x + sp.Float(0.2), slip=w, law=nsmb.ContactLaw(e_N=0.6), name="wall")
        ],
        initial={x: 0.7 * np.sin(0.9), y: -0.7 * np.cos(0.9)},
    )
    law = nsmb.ContactLaw(e_N=0.6)
    same = nsmb.Contact(lambda t, q: 0.7 * np.sin(q[0]) + 0.2, law=law, name="wall")
    found = nsmb.simulate(rod, t_end=4.0, rtol=1e-11)
    expected = nsmb.simulate(angle_pendulum(contacts=[same]), t_end=4.0, rtol=1e-11)
    assert found.events.kinds == expected.events.kinds
    assert found.events.t == pytest.approx(expected.events.t, abs=1e-8)


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3, 1e4])
def test_consistent_velocities_at_all_lengths(length):
    rng = np.random.default_rng(2)
    system = pendulum(length=length)
    for _ in range(50):
        place, speed = rng.normal(size=(2, 2))
        state = nsmb.instant.consistent_state(
            system, q=1.1 * length * place / np.hypot(*place), u=speed
        )
        # 1e-10 of the terms in the constraint, whose rounding is 1e-16 of them.
        assert abs(state.q @ state.u) <= 1e-10 * max(1.0, length) * np.hypot(*speed)
        assert np.hypot(*state.q) == pytest.approx(length, rel=1e-9)
