"""Steps whose contact problem was not solved: no body is thrown, and no energy is created."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints
from nsmb._core.stepping import CoupledContacts, PlasticLock

Array = NDArray[np.float64]

G = 9.81
A = 0.1  # m, edge of a box
STEP = 2e-3


def on_a_line(masses: Any, v: Any, given: Any = None) -> CoupledContacts:
    """Masses in a row on a line, with a contact between neighbours."""
    W = np.eye(len(masses))[:, 1:] - np.eye(len(masses))[:, :-1]
    gamma = W.T @ np.asarray(v, float)
    given = np.zeros(len(gamma)) if given is None else np.asarray(given, float)
    return CoupledContacts(np.diag(masses), W, gamma, given, [0] * len(gamma), 0.0 * gamma)


def boxes(masses: Any, v: Any, mu: float = 0.5) -> tuple[CoupledContacts, Array, Array]:
    """Planar boxes flush on one another on a floor: contacts, M and W. Each has x, y, φ."""
    n, h = len(masses), A / 2
    M = np.diag([entry for m in masses for entry in (m, m, m * A * A / 6)])
    columns = []
    for k in range(n):
        for x in (-h, h):
            normal, tangent = np.zeros(3 * n), np.zeros(3 * n)
            normal[3 * k : 3 * k + 3] = 0.0, 1.0, x
            tangent[3 * k : 3 * k + 3] = 1.0, 0.0, h
            if k:
                normal[3 * k - 3 : 3 * k] = 0.0, -1.0, -x
                tangent[3 * k - 3 : 3 * k] = -1.0, 0.0, h
            columns += [normal, tangent]
    W = np.array(columns).T
    gamma = W.T @ np.asarray(v, float)
    ones = [1] * (2 * n)
    return CoupledContacts(M, W, gamma, 0.0 * gamma, ones, np.full(2 * n, mu)), M, W


def rested(contacts: CoupledContacts, rows: int) -> PlasticLock:
    lock = contacts.lock(np.zeros(rows))
    assert lock.holds
    return lock


@pytest.mark.parametrize(("more", "taken"), [(0.0, True), (1e-10, True), (1e-8, False)])
def test_impulses_that_create_energy_are_not_taken(more: float, taken: bool) -> None:
    """Two equal masses meet at 1 m/s. An elastic impact needs 2 N s."""
    contacts = on_a_line([2.0, 2.0], [1.0, 0.0])
    Lambda = np.array([2.0 * (1.0 + more)])
    assert contacts.are_acceptable(Lambda, Lambda - 1.0) is taken


def test_impulses_give_what_restitution_asks_for() -> None:
    contacts = on_a_line([2.0, 2.0], [1.0, 0.0], given=[-0.5])
    assert contacts.are_acceptable(np.array([1.5]), np.array([0.5]))
    assert not contacts.are_acceptable(np.array([2.51]), np.array([1.51]))


@pytest.mark.parametrize(("gamma", "taken"), [(1.0 + 1e-7, True), (1.0 + 1e-5, False)])
def test_what_parts_faster_than_it_came_is_locked(gamma: float, taken: bool) -> None:
    contacts = on_a_line([1.0, 1.0], [1.0, 0.0])
    assert contacts.are_acceptable(np.zeros(1), np.array([gamma])) is taken


def test_energy_alone_does_not_keep_a_light_body_from_being_thrown() -> None:
    """1e6 kg at 1 m/s on 1 kg at rest: 800 J of 500 kJ are 40 m/s."""
    contacts = on_a_line([1e12, 1.0, 1e6], [0.0, 0.0, -1.0])
    gamma = np.array([40.0, -41.0 + 1e-3])
    assert not contacts.are_acceptable(np.array([1040.0, 1000.0]), gamma)


@pytest.mark.parametrize(
    "masses", [(1.0, 1e6), (1e3, 1e-3, 1e3), (1e-3, 1.0, 1e3, 1e6), (1e6, 1e-3)]
)
def test_faces_on_each_other_come_to_rest(masses: tuple[float, ...]) -> None:
    """The two frictional contacts between neighbouring boxes depend on each other."""
    falling = np.tile([0.0, -G * STEP, 0.0], len(masses))
    contacts, _, W = boxes(masses, falling)
    change = rested(contacts, W.shape[1]).change
    assert np.abs(falling + change).max() <= 1e-14 * G * STEP


@pytest.mark.parametrize("masses", [(1.0,), (1.0, 1e6), (1e3, 1e-3, 1e3), (1e-3, 1.0, 1e3, 1e6)])
def test_a_stack_at_rest_is_a_solution(masses: tuple[float, ...]) -> None:
    falling = np.tile([1e-3 * G * STEP, -G * STEP, 0.0], len(masses))
    contacts, M, W = boxes(masses, falling)
    lock = rested(contacts, W.shape[1])
    assert lock.certified
    load = M @ lock.change
    np.testing.assert_allclose(W @ lock.Lambda, load, atol=1e-9 * np.abs(load).max())
    N, T = lock.Lambda[::2], lock.Lambda[1::2]
    assert (N >= 0.0).all()
    assert (np.abs(T) <= 0.5 * N * (1.0 + 1e-12)).all()


def test_what_slides_is_no_solution_at_rest() -> None:
    contacts, _, W = boxes([1.0], [1.0, -G * STEP, 0.0])
    lock = rested(contacts, W.shape[1])
    assert not lock.certified
    assert lock.residual > 0.1


def test_without_friction_what_slides_goes_on() -> None:
    contacts, _, W = boxes([1.0], [1.0, -G * STEP, 0.0], mu=0.0)
    lock = rested(contacts, W.shape[1])
    assert lock.certified
    np.testing.assert_allclose(lock.change, [0.0, G * STEP, 0.0], atol=1e-15)


def test_what_a_lock_runs_into_joins_it() -> None:
    """Two masses that stick together catch up with a third one: momentum is conserved."""
    contacts = on_a_line([1.0, 1.0, 1.0], [2.0, 1.0, 1.1])
    lock = rested(contacts, 2)
    np.testing.assert_allclose(np.array([2.0, 1.0, 1.1]) + lock.change, 4.1 / 3.0, rtol=1e-14)
    assert lock.certified


def test_what_parts_stays_free() -> None:
    contacts = on_a_line([1.0, 1.0, 1.0], [2.0, 1.0, 5.0])
    np.testing.assert_allclose(rested(contacts, 2).change, [-0.5, 0.5, 0.0], atol=1e-15)


def test_rest_is_no_solution_where_restitution_asks_for_more() -> None:
    lock = rested(on_a_line([1.0, 1.0], [1.0, 0.0], given=[-0.5]), 1)
    np.testing.assert_allclose(lock.change, [-0.5, 0.5], atol=1e-15)
    assert not lock.certified


def test_what_may_go_on_until_it_touches_does() -> None:
    """A gap that closes at 0.2 m/s within the step satisfies the contact law."""
    lock = rested(on_a_line([1.0, 1.0], [1.0, 0.0], given=[0.2]), 1)
    np.testing.assert_allclose(lock.change, [-0.4, 0.4], atol=1e-15)
    assert lock.certified


def test_two_surfaces_that_close_on_a_body_cannot_rest() -> None:
    W = np.array([[1.0, -1.0]])
    contacts = CoupledContacts(np.eye(1), W, -np.ones(2), np.zeros(2), [0, 0], np.zeros(2))
    assert not contacts.lock(np.zeros(2)).holds


def plane(masses: Any) -> nsmb.System:
    model, start, h = nsmb.Model(gravity=(0, -G)), {}, A / 2
    below = model.ground.contour("floor", geometry.Line())
    corners = [(-h, -h), (h, -h), (h, h), (-h, h)]
    for k, mass in enumerate(masses):
        box = model.add_body(f"b{k}", mass=mass, inertia=mass * A * A / 6)
        model.add_joint(f"j{k}", joints.Planar(), model.ground, box)
        start[f"j{k}"] = (0, h + k * A, 0)
        outline = box.contour("c", geometry.Polygon(corners))
        model.add_contact(below, outline, nsmb.ContactLaw(mu=0.5), f"c{k}")
        below = outline
    return model.build(initial=start)


def space(masses: Any) -> nsmb.System:
    model, start = nsmb.Model(gravity=(0, 0, -G)), {}
    model.ground.shape("floor", geometry.HalfSpace())
    for k, mass in enumerate(masses):
        box = model.add_solid(f"b{k}", geometry.Box((A, A, A)), mass / A**3)
        model.add_joint(f"j{k}", joints.Free(), model.ground, box)
        start[f"j{k}"] = (0, 0, A / 2 + k * A, 1, 0, 0, 0)
    model.collide(nsmb.ContactLaw(mu=0.5))
    return model.build(initial=start)


@pytest.mark.parametrize("build", [plane, space])
@pytest.mark.parametrize("seed", range(6))
def test_a_stack_of_any_masses_stays_where_it_is(build: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = build(10.0 ** rng.uniform(-2.0, 4.0, rng.integers(2, 5)))
    sol = nsmb.simulate(system, 0.1, method=nsmb.Midpoint(STEP))
    assert np.abs(sol.q - sol.q[0]).max() < 1e-9 * A


def test_a_solver_without_time_creates_no_energy_and_throws_nothing() -> None:
    """One sweep per step, for boxes that fall on one another, creates no energy."""
    model, start = nsmb.Model(gravity=(0, 0, -G)), {}
    model.ground.shape("floor", geometry.HalfSpace())
    rng = np.random.default_rng(3)
    for k, mass in enumerate(10.0 ** rng.uniform(-2.0, 2.0, 5)):
        box = model.add_solid(f"b{k}", geometry.Box((A, A, A)), mass / A**3)
        model.add_joint(f"j{k}", joints.Free(), model.ground, box)
        start[f"j{k}"] = (*rng.uniform(-0.3 * A, 0.3 * A, 2), A * (0.55 + 1.1 * k), 1, 0, 0, 0)
    model.collide(nsmb.ContactLaw(mu=0.5))
    system = model.build(initial=start)
    method = nsmb.Midpoint(STEP, solver="gauss_seidel", max_iterations=1)
    sol = nsmb.simulate(system, 0.5, method=method)
    assert sol.stats["missed_steps"] > 10
    locked = sol.step_status == nsmb.results.StepStatus.LOCKED
    assert sol.stats["locked_steps"] == locked.sum() > 0
    heights = sol.q.reshape(len(sol.t), 5, 7)[:, :, 2]
    assert np.abs(sol.u.reshape(len(sol.t), 5, 6)[:, :, :3]).max() < np.sqrt(2 * G * 6 * A)
    assert heights.min() > 0.4 * A
    total = sol.energy.total
    # Impulses are compared with the effect of forces in a step, to the first order of its length.
    assert np.diff(total).max() <= 0.01 * (total[0] - total[-1])
