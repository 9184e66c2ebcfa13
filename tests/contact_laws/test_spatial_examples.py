"""Impacts of one body in space in closed form, and by brute force over the direction of slip.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapter 8.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsmb._core.contact_laws import ImpactLaw
from tests.contact_laws.planar import Array, law, seeds
from tests.contact_laws.spatial import (
    Bodies,
    Contact,
    SpatialImpact,
    all_solutions_of_one_contact,
    bodies,
    dissipation_gap,
    ellipse_norm,
    random_bodies,
)
from tests.support.draws import numbers

LAWS_WITH_FRICTION = pytest.mark.parametrize("law_of_impact", [ImpactLaw.Poisson, ImpactLaw.Moreau])
# Accepted residual 1e-10; closed forms are reached to 1e-9 of numbers of order one.
TOL = 1e-9


def cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def ball(contact: Contact, k: float = 0.4) -> Bodies:
    """Return a ball with m = 1, R = 1, J = k m R² on the floor z = 0.

    q = (x, y, z, ω_x, ω_y, ω_z).
    """
    # The contact point has v + ω × (0, 0, -1) = v + (-ω_y, ω_x, 0).
    w_T = [[1, 0, 0, 0, -1, 0], [0, 1, 0, 1, 0, 0]]
    return bodies(np.diag([1, 1, 1, k, k, k]), [[0, 0, 1, 0, 0, 0]], w_T, contact)


spheres = given(
    speed=numbers(0, 5),
    heading=numbers(0, 6.28),
    mu=numbers(0, 1.5),
    e_N=numbers(0, 1),
    k=st.sampled_from([0.4, 2 / 3]),
)


@law
@spheres
def test_ball_slips_by_coulomb_or_ends_rolling(
    speed: float, heading: float, mu: float, e_N: float, k: float
) -> None:
    """ν = ε_T = 0, both laws: Λ_N = 1 + ε_N, Λ_T = -min(μ Λ_N, m_T v) along the slip, 1/m_T = G_T.

    Poisson reaches the bound of the whole impact because the slip keeps its direction in both
    phases; spin about the normal has no effect.
    """
    way = np.array([np.cos(heading), np.sin(heading)])
    system = ball(Contact(mu, e_N), k)
    G_T = 1 + 1 / k
    u = np.array([0.3, -0.2, -1, 0, 0, 7.0])
    u[:2] += system.W_T[:2] @ (speed * way)
    u[3:5] = [0.2, 0.3]  # the surface velocity of this spin cancels (0.3, -0.2)
    for law_of_impact in (ImpactLaw.Poisson, ImpactLaw.Moreau):
        i = SpatialImpact(system, u, law_of_impact)
        assert i.solved
        np.testing.assert_allclose(i.gamma_A[1:], speed * way, atol=1e-14)
        held = min(mu * (1 + e_N), speed / G_T)
        np.testing.assert_allclose(i.Lambda, [1 + e_N, *(-held * way)], atol=TOL)
        np.testing.assert_allclose(i.gamma_E, [e_N, *((speed - G_T * held) * way)], atol=5 * TOL)
        assert i.u_E[5] == 7.0
        lost = (1 - e_N**2) / 2 + held * (speed - G_T * held / 2)
        assert i.result["energy_change"] == pytest.approx(-lost, abs=20 * TOL)
        assert i.result["work_T"][0] <= TOL


@law
@spheres
def test_ball_gives_back_its_tangential_impulse(
    speed: float, heading: float, mu: float, e_N: float, k: float
) -> None:
    """ε_N = ε_T = ν = 1 and no slip in compression: γ_E = -γ_A (8.69), energy kept."""
    way = np.array([np.cos(heading), np.sin(heading)])
    system = ball(Contact(mu, 1.0, 1.0, 1.0), k)
    G_T = 1 + 1 / k
    i = SpatialImpact(system, [*(speed * way), -1, 0, 0, 0])
    assert i.solved
    if speed / G_T <= mu:
        np.testing.assert_allclose(i.gamma_E, -i.gamma_A, atol=10 * TOL)
        np.testing.assert_allclose(i.result["energy_change"], 0, atol=20 * TOL)
    else:  # slip in compression is lost, and slip continues: Λ_TE between 0 and the stored impulse
        assert i.energy_change <= TOL
        assert i.Lambda_E[1:] @ -way <= mu + TOL
    np.testing.assert_allclose(cross(i.Lambda[1:], way), 0, atol=10 * TOL)


@law
@given(seed=seeds, aspect=st.sampled_from([0.2, 0.7, 3.0]), e_N=numbers(0, 1))
def test_point_on_anisotropic_ground_minimises_its_tangential_energy(
    seed: int, aspect: float, e_N: float
) -> None:
    """A point of unit mass, Moreau: Λ_T = argmin ½ |γ_TA + Λ_T|² over the ellipse.

    It follows from the secular equation, and the point sticks where -γ_TA is inside. Poisson's
    compression is the same with ε_N = 0.
    """
    v = np.random.default_rng(seed).uniform(-2, 2, 2)
    mu = 0.5
    point = bodies(np.eye(3), [[0, 0, 1]], [[1, 0, 0], [0, 1, 0]], Contact(mu, e_N, aspect=aspect))
    moreau = SpatialImpact(point, [*v, -1], ImpactLaw.Moreau)
    poisson = SpatialImpact(point, [*v, -1])
    assert moreau.solved
    assert poisson.solved
    np.testing.assert_allclose(moreau.Lambda[1:], nearest(-v, mu * (1 + e_N), aspect), atol=1e-8)
    np.testing.assert_allclose(poisson.Lambda_C[1:], nearest(-v, mu, aspect), atol=1e-8)


def nearest(point: Array, radius: float, aspect: float) -> Array:
    """Return the nearest point of the ellipse, p / (1 + s metric) with s >= 0 by bisection."""
    if ellipse_norm(point, aspect) <= radius:
        return point
    metric = np.array([1.0, aspect**-2])
    low, high = 0.0, 1e4
    for _ in range(200):
        s = (low + high) / 2
        outside = ellipse_norm(point / (1 + s * metric), aspect) > radius
        low, high = (s, high) if outside else (low, s)
    return np.array(point / (1 + s * metric))


@LAWS_WITH_FRICTION
def test_brute_force_over_the_direction_of_slip_finds_the_same_impact(
    law_of_impact: ImpactLaw,
) -> None:
    """One eccentric contact, μ <= 0.4, ε_N = 0 so that both laws are (8.13) and (8.23)."""
    for seed in range(150):
        rng = np.random.default_rng(seed)
        contact = Contact(0.4 * rng.random(), aspect=float(rng.choice([1.0, 0.3, 2.5])))
        system = random_bodies(rng, 5, [contact])
        i = SpatialImpact(system, rng.standard_normal(5), law_of_impact)
        found = all_solutions_of_one_contact(i.G, i.gamma_A, contact.mu, aspect=contact.aspect)
        assert len(found) == 1
        assert i.solved
        np.testing.assert_allclose(i.Lambda, found[0], atol=1e-7 * (1 + i.scale))


@pytest.mark.parametrize("nu", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("e_T", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("aspect", [1.0, 0.5])
def test_stored_impulse_comes_back_along_itself(nu: float, e_T: float, aspect: float) -> None:
    """A central contact that sticks in compression returns a part of Λ_TC along its direction.

    Λ_TE = max(0, ε_N ε_T |Λ_TC| - (1 - ν) μ Λ_NE) along Λ_TC, norms in the metric of the ellipse,
    as derived from (8.31), (8.37). For the point (where aspect ≠ 1 would rotate the slip) Λ_TC is
    along an axis of the ellipse.
    """
    mu, e_N = 0.6, 0.8
    for axis in (0, 1):
        v = np.zeros(2)
        v[axis] = 0.3 * (aspect if axis else 1.0)
        contact = Contact(mu, e_N, e_T, nu, aspect)
        point = bodies(np.eye(3), [[0, 0, 1]], [[1, 0, 0], [0, 1, 0]], contact)
        i = SpatialImpact(point, [*v, -1])
        assert i.solved
        np.testing.assert_allclose(i.Lambda_C, [1, *-v], atol=TOL)
        back = max(0.0, e_N * e_T * 0.3 - (1 - nu) * mu * e_N)
        np.testing.assert_allclose(i.Lambda_E[1:], -v / 0.3 * back, atol=TOL)


def shifted_ellipse(contact: Contact, Lambda_C: Array, Lambda_NE: float) -> tuple[Any, float]:
    """Return the centre Λ_TS (8.37) and the radius of the law of expansion (8.31)."""
    norm = ellipse_norm(Lambda_C[1:], contact.aspect)
    twice = (contact.mu * contact.nu * Lambda_NE / norm + contact.e_N * contact.e_T) * Lambda_C[1:]
    return twice / 2, contact.mu * Lambda_NE - ellipse_norm(twice, contact.aspect) / 2


def test_slip_across_the_stored_impulse_follows_the_shifted_ellipse() -> None:
    """Two bodies of different inertia along t_1 and t_2, so that slip rotates between the phases.

    Λ_TE comes from a search over the boundary of the shifted ellipse, for a central contact with
    Λ_NE = ε_N Λ_NC.
    """
    contact = Contact(mu=0.4, e_N=0.7, e_T=0.9, nu=0.8)
    system = bodies(np.diag([0.2, 3.0, 1.0]), [[0, 0, 1]], [[1, 0, 0], [0.4, 1, 0]], contact)
    i = SpatialImpact(system, [2.0, 1.5, -1.0])
    assert i.solved
    assert i.Lambda_E[0] == pytest.approx(0.7, rel=1e-9)
    centre, radius = shifted_ellipse(contact, i.Lambda_C, 0.7)
    angle = np.linspace(0, 2 * np.pi, 400_001)
    rim = centre[:, None] + radius * np.array([np.cos(angle), np.sin(angle)])
    G_T, gamma_TC = i.G[1:, 1:], i.gamma_C[1:]
    energy = (rim * (G_T @ rim)).sum(axis=0) / 2 + gamma_TC @ rim
    best = rim[:, np.argmin(energy)]
    inside = np.linalg.solve(G_T, -gamma_TC)
    assert np.linalg.norm(inside - centre) > radius
    np.testing.assert_allclose(i.Lambda_E[1:], best, atol=2e-5 * radius)
    gap = dissipation_gap(i.Lambda_E[1:] - centre, i.gamma_E[1:], radius, 1.0)
    assert gap <= 1e-8
    turn = cross(i.Lambda_E[1:], i.Lambda_C[1:])
    assert abs(turn) > 0.05 * np.linalg.norm(i.Lambda_E[1:]) * np.linalg.norm(i.Lambda_C[1:])


# E12: impact pendulum in space (8.104)-(8.114) ------------------------------------------------


def pendulum(degrees: float, v_0: float, way: str) -> SpatialImpact:
    """Return the planar pendulum, μ = ε_N = 1, with a second tangential direction.

    This direction does not move or belongs to another body; both directions are rotated by 40°.
    """
    phi = np.radians(degrees)
    sin, cos = np.sin(phi), np.cos(phi)
    across = 0.0 if way == "does not move" else 1.0
    c, s = np.cos(0.7), np.sin(0.7)
    system = bodies(
        np.diag([1 / 3, 1]),
        [[sin, 0]],
        [[c * cos, -s * across], [s * cos, c * across]],
        Contact(mu=1.0, e_N=1.0),
    )
    w_tilde = [0.0, -v_0 * c, -v_0 * s]
    return SpatialImpact(system, [-np.sqrt(30 * cos), 0], w_tilde=w_tilde)


@pytest.mark.parametrize("way", ["does not move", "other body"])
@pytest.mark.parametrize(
    ("degrees", "v_0", "Lambda"),
    [
        (30, 1, (1.243787, 1.243787, 1.243787, -0.273656)),
        (60, 1, (0.945074, 0.945074, 0.945074, -0.303582)),
        (70, 1, (0.833057, 0.833057, 0.833057, 0.560740)),
        (75, 1, (0.758389, 0.758389, 0.758389, 0.758389)),
        (50, -1, (11.875779, -11.875779, 11.875779, -11.875779)),
        (60, -1, (3.527062, -3.527062, 3.527062, -3.527062)),
        (75, -1, (1.313568, -1.313568, 1.313568, -1.313568)),
    ],
)
def test_pendulum_hits_the_moving_surface_in_any_direction(
    degrees: float, v_0: float, Lambda: Any, way: str
) -> None:
    """The table of the planar example, six digits each: dependent normal and tangent.

    In a direction that does not move, sticking friction is arbitrary.
    """
    i = pendulum(degrees, v_0, way)
    assert i.solved
    along, across = np.array([[np.cos(0.7), np.sin(0.7)], [-np.sin(0.7), np.cos(0.7)]])
    found = [i.Lambda_C[0], i.Lambda_C[1:] @ along, i.Lambda_E[0], i.Lambda_E[1:] @ along]
    np.testing.assert_allclose(found, Lambda, atol=6e-7)
    if way == "other body":
        np.testing.assert_allclose([i.Lambda_C[1:] @ across, i.Lambda_E[1:] @ across], 0, atol=1e-8)


@pytest.mark.parametrize("way", ["does not move", "other body"])
@pytest.mark.parametrize("degrees", [30, 40, 44])
def test_pushed_pendulum_jams_in_space(degrees: float, way: str) -> None:
    """(8.114): no impulse exists, and none is reported.

    For discs there is no proof.
    """
    i = pendulum(degrees, -1, way)
    assert not i.solved
    assert not i.result["in_expansion"]
    np.testing.assert_array_equal(i.Lambda, 0.0)
