"""Flexible bodies in models: energy, momentum, the rigid limit, contacts, loads, Jacobians."""

import numpy as np
import pytest

import nsmb
from nsmb import flexible
from tests.flexible.blocks import bar, block, brick, free_block
from tests.multibody.test_derivatives import check, forces_at_random

G = 9.81


@pytest.mark.parametrize("body", [block(), brick(n=2)], ids=["plane", "space"])
def test_energy_and_momentum_of_a_free_body_are_kept(body: nsmb.flexible.FlexibleBody) -> None:
    """The body is bent and spins for 10 s without damping."""
    rng = np.random.default_rng(7)
    spin = (0.3, -0.2, 2.0) if body.is_planar else (0.3, -0.2, 0.1, 1.0, -0.7, 1.5)
    bent = 0.02 * rng.normal(size=body.count)
    system = free_block(body, initial={"body": bent}, velocities={"free": spin})
    method = nsmb.EventDriven(rtol=1e-12, atol=1e-13)
    solution = nsmb.simulate(system, 10.0, method=method)
    energy = solution.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-9
    (p_0, L_0), (p_1, L_1) = (system.momentum(0.0, solution.q[k], solution.u[k]) for k in (0, -1))
    assert np.abs(p_1 - p_0).max() <= 1e-9 * np.abs(p_0).max()
    assert np.abs(L_1 - L_0).max() <= 1e-9 * np.abs(L_0).max()


def test_bodies_apart_move_as_each_alone() -> None:
    """Together they have too many velocities for a dense solution with M.

    They are strongly bent, so that directions of elastic velocities change.
    """
    body = block()
    rng = np.random.default_rng(3)
    states = 0.3 * rng.normal(size=(2, 2, body.count + 3))
    m = nsmb.Model()
    for name in ("a", "b"):
        m.add_joint(name, nsmb.joints.Planar(), m.ground, m.add_elastic_body(2 * name, body))
    alone = [nsmb.simulate(free_block(body), 0.5, q=q, u=u, rtol=1e-10) for q, u in states]
    both = nsmb.simulate(m.build(), 0.5, q=states[:, 0].ravel(), u=states[:, 1].ravel(), rtol=1e-10)
    assert both.system.nu >= 16
    separate = np.concatenate([run.q[-1] for run in alone])
    assert np.abs(both.q[-1] - separate).max() <= 1e-6
    energy = sum(run.energy.total[0] for run in alone)
    assert both.energy.total == pytest.approx(energy, rel=1e-8)


@pytest.mark.parametrize("stiffening", [False, True])
def test_stiff_body_moves_as_a_rigid_one(stiffening: bool) -> None:
    """The angle of a pendulum differs from that of a rigid bar as 1/E.

    This includes second-order terms, which do not depend on the modulus.
    """
    errors, rigid = [], None
    for E in (None, 1e9, 1e10):
        elements = bar(20, **({} if E is None else {"E": E}))
        body = flexible.reduce(
            elements, 3, frame=flexible.NodalFrame(0, along=60), damping_ratio=0.7,
            stiffening=stiffening and E is not None,
        )  # fmt: skip
        m = nsmb.Model(gravity=(0.0, -G))
        if E is None:
            part = body._rigid()
            pendulum = m.add_body("bar", mass=part.mass, inertia=part.inertia, center=part.center)
        else:
            pendulum = m.add_elastic_body("bar", body)
        m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, pendulum)
        end = nsmb.simulate(m.build({"hinge": -0.3}), 0.5).q[-1, 0]
        rigid = end if rigid is None else rigid
        errors.append(abs(end - rigid))
    assert errors[1] / errors[2] == pytest.approx(10.0, rel=0.1)
    assert errors[2] <= 1e-4


def bouncing(
    E: float = 1e6, damping: float = 0.02, stiffening: bool = False
) -> nsmb.MultibodySystem:
    """Return a bar with contacts at its lower corners, a load, a spring and a pendulum on nodes."""
    elements = bar(10, E=E)
    body = flexible.reduce(
        elements,
        3,
        method="attachment",
        interface=[0, 20],
        damping_ratio=damping,
        stiffening=stiffening,
    )
    m = nsmb.Model(gravity=(0.0, -G))
    elastic = m.add_elastic_body("bar", body)
    m.add_joint("free", nsmb.joints.Planar(), m.ground, elastic)
    floor = m.ground.contour("floor", nsmb.geometry.Line())
    for node in (0, 20):
        foot = elastic.contour(f"foot_{node}", nsmb.geometry.Circle(0.02), at=node)
        m.add_contact(foot, floor, nsmb.ContactLaw(mu=0.3, e_N=0.4))
    m.add_spring_damper(
        "rope", m.ground, elastic, c=200.0, d=2.0, free_length=1.5, at=(0, 2), at_2="right"
    )
    rod = m.add_body("rod", mass=3.0, inertia=0.02)
    m.add_joint("pin", nsmb.joints.Revolute(), elastic, rod, at=11, at_2=(0.0, 0.2))
    return m.build({"free": (0.0, 0.25, 0.02)}, {"free": (0.5, 0.0, -0.3)})


def test_contacts_at_nodes_bounce_without_energy_from_nowhere() -> None:
    system = bouncing()
    solution = nsmb.simulate(system, 0.5)
    assert solution.success
    kinds = [event.kind for event in solution.events]
    assert kinds.count(nsmb.EventKind.IMPACT) >= 2
    energy = solution.energy.total
    assert (np.diff(energy) <= 1e-7 * energy[0]).all()
    assert solution.check().ok


def test_jacobians_are_those_of_differences() -> None:
    """They include inertia, contacts, spring and joints on nodes. Differences have order 8."""
    rng = np.random.default_rng(6)
    core = bouncing()._core
    q = bouncing().initial_state.q + 0.05 * rng.normal(size=core.nq)
    check(core, 0.0, q, rng.normal(size=core.nu), forces_at_random(core, rng))


def test_motion_depends_on_its_start_as_sensitivities_say() -> None:
    """Sensitivities through an impact of a node agree with central differences of runs."""
    system = bouncing()
    method = nsmb.EventDriven(rtol=1e-11, atol=1e-13)
    t_end = 0.2
    run = nsmb.simulate(system, t_end, method=method, sensitivity=True)
    assert [event.kind for event in run.events] == [nsmb.EventKind.IMPACT]
    S = run.sensitivity.state
    q, u, step = system.initial_state.q, system.initial_state.u, 1e-5
    for k in (1, 3):  # height, and the first elastic coordinate
        e = step * np.eye(system.nq)[k]
        ends = [
            nsmb.simulate(system, t_end, q=place, u=u, method=method) for place in (q + e, q - e)
        ]
        exact = (ends[0].q[-1] - ends[1].q[-1]) / (2.0 * step)
        assert S[: system.nq, k] == pytest.approx(exact, abs=1e-6 * np.abs(exact).max())  # 1.5e-7


def test_place_moves_with_its_node_and_turns_as_it_does() -> None:
    """Node, offset and group of a deformed, rotated bar agree with (2.18) and nodal means."""
    body = flexible.reduce(bar(20), 4)
    m = nsmb.Model()
    elastic = m.add_elastic_body("bar", body)
    m.add_joint("free", nsmb.joints.Planar(), m.ground, elastic)
    for name, at in (
        ("node", 7), ("off", body.at(7, offset=(0.1, 0.2))), ("side", "right"),
        ("same", body.nodes[7]), ("frame", None),
    ):  # fmt: skip
        elastic.marker(name, at=at, is_output=True)
    system = m.build()
    q = np.array([0.3, -0.2, 0.7, 0.01, 0.02, 0.005, 0.01])
    c, s = np.cos(0.7), np.sin(0.7)
    A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    origin = np.array([0.3, -0.2, 0.0])
    points = origin + (body.nodes + body.displacements(q[3:])) @ A.T
    assert system.position("bar.frame", 0.0, q) == pytest.approx(origin, abs=1e-15)
    for name in ("node", "same"):
        assert system.position(f"bar.{name}", 0.0, q) == pytest.approx(points[7], abs=1e-14)
    right = body.places["right"]
    mean = right.shares @ points[right.nodes]
    assert system.position("bar.side", 0.0, q) == pytest.approx(mean, abs=1e-14)
    assert body.turns is not None
    turn = 0.7 + body.turns[7, 2] @ q[3:]
    c, s = np.cos(turn), np.sin(turn)
    arm = np.array([0.1 * c - 0.2 * s, 0.1 * s + 0.2 * c])
    assert system.position("bar.off", 0.0, q)[:2] == pytest.approx(points[7, :2] + arm, abs=1e-14)
    ends = points[right.nodes[[0, -1]]]
    chord = (ends[1] - ends[0])[:2]
    A_side = system.pose("bar.side", 0.0, q)[1]
    across = np.arctan2(A_side[1, 1], A_side[0, 1])  # its e_y is along the side
    assert across == pytest.approx(np.arctan2(chord[1], chord[0]), abs=1e-4)  # curved: 3e-5


def test_loads_do_the_work_of_their_points() -> None:
    """Force at a node, moment by rotation shapes and pressure on a side obey (2.55), (2.59).

    Each is compared by its power for any velocity.
    """
    body = flexible.reduce(bar(20), 4)
    rng = np.random.default_rng(8)
    q, u = 0.05 * rng.normal(size=7), rng.normal(size=7)
    F, moment = np.array([3.0, -2.0, 0.0]), np.array([0.0, 0.0, 1.5])
    for at in (7, "right"):
        m = nsmb.Model()
        elastic = m.add_elastic_body("bar", body)
        m.add_joint("free", nsmb.joints.Planar(), m.ground, elastic)
        mark = elastic.marker("here", at=at, is_output=True)
        bare = m.build()
        m.add_load("load", mark, lambda t, r, A, v, Omega: (F, moment))
        loaded = m.build()
        power = (loaded.forces(0.0, q, u) - bare.forces(0.0, q, u)) @ u
        v, Omega = loaded.velocity("bar.here", 0.0, q, u)
        assert power == pytest.approx(F @ v + moment @ Omega, rel=1e-12)
    # A traction on the side has the power ∫ p·v dA, with v linear on each line.
    side = body.places["right"].nodes
    rates = body.shapes[side] @ u[3:]
    c, s = np.cos(q[2]), np.sin(q[2])
    A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    place = (body.nodes[side] + body.displacements(q[3:])[side]) @ A.T
    speeds = np.array([u[0], u[1], 0.0]) + np.cross([0, 0, u[2]], place) + rates @ A.T
    lengths = np.diff(body.nodes[side, 1])
    means = 0.5 * (speeds[1:] + speeds[:-1])
    work = (lengths / lengths.sum()) @ means @ F
    assert F @ v == pytest.approx(work, rel=1e-12)


def test_stiff_body_in_implicit_integration() -> None:
    """CVODE with closed-form Jacobians agrees with Dormand-Prince."""
    system = bouncing(E=1e11, damping=1.0)
    runs = [
        nsmb.simulate(system, 0.1, method=nsmb.EventDriven(integrator=name, rtol=1e-9, atol=1e-11))
        for name in ("dp853", "cvode")
    ]
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() <= 1e-6
    assert runs[1].stats["steps"] < runs[0].stats["steps"]


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (999, "at: expected a node 0 ... 21, got 999"),
        (1.5, "at: expected the number or name of a node, got 1.5"),
        ("rigth", "did you mean 'right'"),
        ((0.013, 0.0), "at: must be the position of a node"),
    ],
)
def test_places_that_are_none_are_refused(at: object, message: str) -> None:
    m = nsmb.Model()
    elastic = m.add_elastic_body("bar", flexible.reduce(bar(10), 2))
    with pytest.raises(ValueError, match=message):
        elastic.marker("here", at=at)
