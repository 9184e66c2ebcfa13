"""`nsmb.instant.accelerations` agrees with a run that starts from the same state.

The tests compare the accelerations M⁻¹(W_N λ_N + W_T λ_T) due to contact forces: the forces of
dependent contacts are not unique, but their effect on the motion is.
"""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from tests.systems.examples import BY_EVENTS


def effect(system: nsmb.System, sol: nsmb.Solution) -> tuple[np.ndarray, float]:
    """Return the effect of the contact forces at the first sample, and its scale.

    The scale is the size of all accelerations at that sample.
    """
    t, q, u = float(sol.t[0]), sol.q[0], sol.u[0]
    kinematics = system.contact_kinematics(t, q, u)
    force = kinematics["W_N"] @ sol.lambda_N[0] + kinematics["W_T"] @ sol.lambda_T[0]
    Minv = np.linalg.inv(system.mass_matrix(t, q))
    h = np.abs(system.forces(t, q, u, np.zeros(system.nx)))
    return Minv @ force, float(1e-12 + (np.abs(Minv) @ (np.abs(force) + h)).max())


def same(system: nsmb.System, q: np.ndarray, u: np.ndarray, t: float = 0.0) -> None:
    sol = nsmb.simulate(system, t_end=t + 1e-9, t_start=t, q=q, u=u, output_step=0.0, throw=False)
    if len(sol.t) < 2 or "impact" in sol.events.kinds:
        return
    said = nsmb.instant.accelerations(
        system, float(sol.t[0]), sol.q[0], sol.u[0], rest_velocity=1e-11
    )
    assert said.lambda_N is not None
    assert said.lambda_T is not None
    kinematics = system.contact_kinematics(float(sol.t[0]), sol.q[0], sol.u[0])
    force = kinematics["W_N"] @ said.lambda_N + kinematics["W_T"] @ said.lambda_T
    moved, size = effect(system, sol)
    expected = np.linalg.inv(system.mass_matrix(float(sol.t[0]), sol.q[0])) @ force
    # Both solve to 1e-10; the largest measured difference is 1e-12.
    np.testing.assert_allclose(moved, expected, atol=1e-8 * size)


def plate(mu: list[float]) -> nsmb.System:
    """Plate with m = 2, J = 0.1, feet at (±0.3, ±0.3, -0.2) and friction in the plane.

    The coordinates are x, y, z and a rotation about each axis.
    """
    feet = [np.array([x, y, -0.2]) for x in (-0.3, 0.3) for y in (-0.3, 0.3)]

    def direction(axis: int, foot: np.ndarray) -> list[float]:
        e = np.eye(3)[axis]
        return [*e, *np.cross(foot, e)]

    contacts = [
        nsmb.Contact(
            w_N=direction(2, foot),
            w_T=np.array([direction(0, foot), direction(1, foot)]).T,
            law=nsmb.ContactLaw(mu=m),
        )
        for foot, m in zip(feet, mu, strict=True)
    ]
    return nsmb.LinearSystem(
        np.diag([2.0, 2.0, 2.0, 0.1, 0.1, 0.1]), force=[0, 0, -19.62, 0, 0, 0], contacts=contacts
    )


@pytest.mark.parametrize("mu", [[0.3, 0.35, 0.4, 0.45], [0.3] * 4, [0.0, 0.2, 0.4, 0.6]])
@pytest.mark.parametrize("u", [[1, 0.2, 0, 0, 0, 0.5], [0, 0, 0, 0, 0, 2.0], [0.0] * 6])
def test_a_plate_on_four_feet(mu: list[float], u: list[float]) -> None:
    same(plate(mu), np.zeros(6), np.array(u, dtype=float))


@pytest.mark.parametrize("name", BY_EVENTS)
def test_every_ready_made_system_at_its_start(name: str) -> None:
    system = nsmb.systems.build(name)
    start = system.initial_state
    if system.nx or system.nb or system.ne:
        pytest.skip("its states are more than q and u")
    same(system, start.q, start.u, start.t)


@pytest.mark.parametrize("seed", range(60))
def test_random_planar_systems_that_touch(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    root = rng.standard_normal((n, n))
    contacts = [
        nsmb.Contact(
            w_N=rng.standard_normal(n),
            w_T=rng.standard_normal(n),
            law=nsmb.ContactLaw(mu=float(rng.uniform(0, 0.5))),
        )
        for _ in range(k)
    ]
    system = nsmb.LinearSystem(
        np.eye(n) + root @ root.T, force=10.0 * rng.standard_normal(n), contacts=contacts
    )
    # Along the contacts, so that none opens and none approaches; half of the starts are at rest.
    W = np.array([contact.w_N for contact in contacts])
    u = rng.standard_normal(n) * float(rng.random() < 0.5)
    u -= np.linalg.pinv(W) @ (W @ u)
    same(system, np.zeros(n), u)


@pytest.mark.parametrize("mu", [(0.0, 1.0), (1.0, 0.0)])
def test_a_motion_that_depends_on_the_order_of_contacts_is_counted(mu: tuple[float, ...]) -> None:
    """A block on two coincident contacts, smooth and rough, pulled with half its weight.

    It rests or slides, depending on which contact carries it.
    """
    contacts = [nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=nsmb.ContactLaw(mu=m)) for m in mu]
    block = nsmb.LinearSystem(np.eye(2), force=[5.0, -10.0], contacts=contacts)
    assert nsmb.simulate(block, 0.1).stats["ambiguous_accelerations"] >= 1
    assert (
        nsmb.instant.accelerations(block, 0.0, [0.0, 0.0], [0.0, 0.0]).unique_accelerations is False
    )


def test_a_motion_that_does_not_is_not() -> None:
    """Two coincident contacts with the same law, and a rod on three such contacts."""
    law = nsmb.ContactLaw(mu=0.7)
    twice = [nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law) for _ in range(2)]
    block = nsmb.LinearSystem(np.eye(2), force=[5.0, -10.0], contacts=twice)
    assert nsmb.simulate(block, 0.1).stats["ambiguous_accelerations"] == 0
    feet = [nsmb.Contact(w_N=[0, 1, x], w_T=[1, 0, 0.1], law=law) for x in (-0.5, 0.0, 0.4)]
    rod = nsmb.LinearSystem(np.diag([1.0, 1.0, 0.1]), force=[2.0, -10.0, 0.0], contacts=feet)
    assert nsmb.simulate(rod, 0.1).stats["ambiguous_accelerations"] == 0


def slot(seed: int) -> tuple[nsmb.System, np.ndarray, np.ndarray]:
    """Mass between two opposed, rough walls of different friction, without normal load.

    The free accelerations at the walls are sums of terms of size 100 that cancel.
    """
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(4, 4))
    M = B @ B.T + np.eye(4)
    w, *slips = rng.normal(size=(3, 4))
    h = 100.0 * rng.normal(size=4)
    direction = np.linalg.solve(M, w)
    h -= w * (h @ direction) / (w @ direction)
    contacts = [
        nsmb.Contact(w_N=sign * w, w_T=slip, gap=0.0, law=nsmb.ContactLaw(mu=mu))
        for sign, slip, mu in zip((1.0, -1.0), slips, (0.1, 0.3), strict=True)
    ]
    u = rng.normal(size=4)
    u -= w * (w @ u) / (w @ w)
    return nsmb.LinearSystem(M, force=h, contacts=contacts), np.zeros(4), u


# One in 300 of these problems has no solution to the last digit.
@pytest.mark.parametrize("first", range(0, 300, 60))
def test_opposed_walls_without_load_contradict_each_other_by_rounding_only(first: int) -> None:
    for seed in range(first, first + 60):
        system, q, u = slot(seed)
        free = np.linalg.solve(system.mass_matrix(0.0, q), system.forces(0.0, q, u, np.zeros(0)))
        said = nsmb.instant.accelerations(system, 0.0, q, u)
        assert said.udot is not None, seed
        # Measured: 1.5e-15.
        np.testing.assert_allclose(said.udot, free, rtol=0.0, atol=1e-13 * np.abs(free).max())
        sol = nsmb.simulate(system, 1e-3, q=q, u=u, throw=False)
        assert sol.success, (seed, sol.message)
