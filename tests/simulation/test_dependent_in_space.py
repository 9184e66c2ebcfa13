"""Bodies on four feet in space, with more normal forces than the motion determines."""

from __future__ import annotations

from itertools import product
from math import hypot

import numpy as np
import pytest

import nsmb
from tests.simulation.spatial import G, block

PLACES = np.array([(-0.3, -0.2), (0.3, -0.25), (0.25, 0.3), (-0.2, 0.35)])
CORNERS = 0.3 * np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])
DIRECTIONS = (0.0, 1.0, 2.0, 4.0)
ALL = list(product(product((0.2, 0.5, 0.8), repeat=4), DIRECTIONS))
UNEQUAL = [case for case in ALL if len(set(case[0])) > 1]
SAMPLE = [UNEQUAL[i] for i in np.random.default_rng(0).permutation(len(UNEQUAL))[:30]]
LIMITED = nsmb.EventDriven(max_events=2000, max_events_per_instant=200)


def body(
    mu: tuple[float, ...],
    u: tuple[float, ...],
    places: np.ndarray = PLACES,
    mass: tuple[float, ...] = (2.0, 2.0, 2.0, 0.08, 0.1, 0.15),
    load: nsmb.Force | None = None,
    aspect: float = 1.0,
    e_N: float = 0.0,
    q: tuple[float, ...] = (0.0,) * 6,
) -> nsmb.System:
    """Rigid body on feet 0.1 m below its centre, linear because its rotations are small."""
    h = 0.1
    contacts = [
        nsmb.Contact(
            w_N=[0.0, 0.0, 1.0, y, -x, 0.0],
            w_T=np.array([[1.0, 0.0, 0.0, 0.0, -h, -y], [0.0, 1.0, 0.0, h, 0.0, x]]).T,
            law=nsmb.ContactLaw(mu=mu_i, aspect=aspect, e_N=e_N),
            name=f"foot_{i + 1}",
        )
        for i, (mu_i, (x, y)) in enumerate(zip(mu, places.tolist(), strict=True))
    ]
    weight = [0.0, 0.0, -mass[0] * G, 0.0, 0.0, 0.0]
    return nsmb.LinearSystem(
        np.diag(mass),
        force=weight if load is None else load,
        contacts=contacts,
        coordinates=["x", "y", "z", "alpha", "beta", "gamma"],
        initial_state=nsmb.State(0.0, np.array(q), np.array(u)),
    )


def table(u: tuple[float, ...] = (0.0,) * 6, mu: float = 0.3, **other: object) -> nsmb.System:
    """Square table of unit mass."""
    mass = (1.0, 1.0, 1.0, 0.1, 0.1, 0.1)
    return body((mu,) * 4, u, CORNERS, mass, **other)  # type: ignore[arg-type]


def losses(sol: nsmb.Solution) -> float:
    return float(sol.friction_loss[-1].sum() + sol.stats["impact_loss"] + sol.stats["rest_loss"])


def energy(sol: nsmb.Solution, row: int) -> float:
    system = sol.system
    assert system is not None
    height, weight = sol.q[row, 2], -system.forces(0.0, sol.q[row], sol.u[row])[2]
    return system.kinetic_energy(float(sol.t[row]), sol.q[row], sol.u[row]) + height * weight


def check_law(sol: nsmb.Solution, mu: tuple[float, ...]) -> None:
    """Check λ_N >= 0 and |λ_T| <= μ λ_N at all samples, with rounding relative to the weight."""
    weight = sol.lambda_N.sum(axis=1).max()
    assert sol.lambda_N.min() >= -1e-9 * weight
    force = np.linalg.norm(sol.lambda_T.reshape(len(sol.t), 4, 2), axis=2)
    assert (force - np.array(mu) * sol.lambda_N).max() <= 1e-8 * weight


@pytest.mark.parametrize(("mu", "angle"), SAMPLE)
def test_block_on_feet_of_different_friction_comes_to_rest_by_the_law(
    mu: tuple[float, ...], angle: float
) -> None:
    """Neither the distribution of the load nor the motion is unique, which is counted."""
    system = body(mu, (np.cos(angle), np.sin(angle), 0.0, 0.0, 0.0, 0.5))
    sol = nsmb.simulate(system, 1.0, throw=False, method=LIMITED)
    assert sol.status == "finished"
    check_law(sol, mu)
    stop = sol.events.of_kind("stick").t[-1]
    assert stop < 1.0
    np.testing.assert_allclose(sol.u[sol.t > stop], 0.0, atol=1e-10)
    np.testing.assert_allclose(sol.q[-1], sol.at(stop).q, atol=1e-10)
    assert losses(sol) + energy(sol, -1) == pytest.approx(energy(sol, 0), rel=1e-6)
    assert sol.stats["energy_gains"] == 0
    assert sol.stats["dependent_contacts"] > 0
    assert sol.stats["ambiguous_accelerations"] > 0


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5, 4.0])
@pytest.mark.parametrize("mu", [0.2, 0.5, 0.8])
def test_equal_friction_decelerates_by_mu_g_however_the_load_is_shared(
    mu: float, angle: float
) -> None:
    """In translation, friction is mu m g against the motion; its moment only shifts the load."""
    along = np.array([np.cos(angle), np.sin(angle)])
    stop = 1.0 / (mu * G)
    sol = nsmb.simulate(block(0.0, mu, 4, (*along, 0.0, 0.0, 0.0, 0.0)), 1.0)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(stop, abs=1e-9)
    t = np.minimum(sol.t, stop)[:, None]
    np.testing.assert_allclose(sol.u[:, :2], (1.0 - mu * G * t) * along, atol=1e-9)
    np.testing.assert_allclose(sol.q[:, :2], (t - 0.5 * mu * G * t**2) * along, atol=1e-9)
    np.testing.assert_allclose(sol.u[:, 2:], 0.0, atol=1e-9)
    assert (sol.contact_state[-1] == nsmb.ContactState.STICK).all()
    assert sol.stats["dependent_contacts"] > 0
    check_law(sol, (mu,) * 4)


def test_table_under_a_slowly_growing_load_begins_to_slide_at_mu_g_and_then_accelerates() -> None:
    """The load is √1.25 t against mu m g.

    Slip starts at t_0, then v = √1.25 (t - t_0)²/2 along the load.
    """
    growth = np.array([1.0, 0.5])
    rate = hypot(*growth)
    begin = 0.3 * G / rate
    load = nsmb.Force(constant=[0.0, 0.0, -G, 0.0, 0.0, 0.0], ramp=[*growth, 0.0, 0.0, 0.0, 0.0])
    sol = nsmb.simulate(table(load=load), 5.0, throw=False, method=LIMITED)
    assert sol.status == "finished"
    assert set(sol.events.kinds) == {"slip"}
    # The contact law resolves loads to 1e-9 of their size.
    np.testing.assert_allclose(sol.events.t, begin, atol=1e-7)
    since = np.maximum(sol.t - begin, 0.0)[:, None]
    np.testing.assert_allclose(sol.u[:, :2], 0.5 * since**2 * growth, atol=1e-7)
    np.testing.assert_allclose(sol.q[:, :2], since**3 / 6.0 * growth, atol=1e-7)
    np.testing.assert_allclose(sol.u[:, 2:], 0.0, atol=1e-7)


def test_table_that_pivots_about_one_foot_comes_to_rest() -> None:
    """The foot at (-0.3, 0.3) rests at the start, and the others slide around it."""
    sol = nsmb.simulate(table((0.3, 0.3, 0.0, 0.0, 0.0, 1.0)), 1.0, throw=False, method=LIMITED)
    np.testing.assert_allclose(sol.gamma_T[0, 6:], 0.0, atol=1e-15)
    assert np.linalg.norm(sol.gamma_T[0, :6].reshape(3, 2), axis=1).min() > 0.5
    assert sol.status == "finished"
    check_law(sol, (0.3,) * 4)
    assert losses(sol) == pytest.approx(0.5 * (2 * 0.3**2 + 0.1), rel=1e-7)
    assert (sol.contact_state[-1] == nsmb.ContactState.STICK).all()
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-10)


@pytest.mark.parametrize("aspect", [1.0, 0.5])
def test_friction_takes_the_energy_of_a_turning_table(aspect: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(15):
        u = (*rng.normal(0.0, 1.0, 2), 0.0, 0.0, 0.0, rng.normal(0.0, 3.0))
        sol = nsmb.simulate(table(u, aspect=aspect), 4.0, throw=False, output_step=0.01)
        assert sol.status == "finished"
        assert losses(sol) + energy(sol, -1) == pytest.approx(energy(sol, 0), rel=1e-6)
        assert sol.lambda_N.min() >= -1e-9
        assert (sol.contact_state[-1] == nsmb.ContactState.STICK).all()


def test_table_dropped_on_one_foot_settles_and_accounts_for_its_energy() -> None:
    rng = np.random.default_rng(3)
    for _ in range(8):
        q = (0.0, 0.0, 0.3, *rng.normal(0.0, 0.05, 2), 0.0)
        u = tuple(rng.normal(0.0, 1.0, 6))
        sol = nsmb.simulate(table(u, e_N=0.3, q=q), 3.0, throw=False, output_step=0)
        assert sol.status == "finished"
        assert sol.stats["impacts"] > 10
        assert losses(sol) + energy(sol, -1) == pytest.approx(energy(sol, 0), rel=1e-6)
        assert sol.g_N.min() > -1e-8


def test_friction_of_many_planar_feet_beside_one_in_space_follows_their_load() -> None:
    """Eight weights on a plate become lighter until they cannot hold it: 8 μ (10 - 5 t) = 20 N."""
    n, mu = 8, 0.5
    unit = np.eye(n + 4)
    law = nsmb.ContactLaw(mu=mu)
    contacts = [
        nsmb.Contact(w_N=unit[1 + k], w_T=unit[0], law=law, name=f"weight_{k}") for k in range(n)
    ]
    contacts.append(nsmb.Contact(w_N=unit[-1], w_T=unit[[-3, -2]].T, law=law, name="in space"))
    load = np.concatenate([[20.0], np.full(n, -10.0), [0.0, 0.0, -10.0]])
    growth = np.concatenate([[0.0], np.full(n, 5.0), np.zeros(3)])
    system = nsmb.LinearSystem(np.eye(n + 4), force=nsmb.Force(load, growth), contacts=contacts)
    sol = nsmb.simulate(system, 1.2)
    assert sol.events.kinds[0] == "slip"
    assert sol.events.t[0] == pytest.approx(1.0, abs=1e-7)
    assert sol.u[-1, 0] == pytest.approx(0.5 * 8.0 * mu * 5.0 * 0.2**2, rel=1e-6)
