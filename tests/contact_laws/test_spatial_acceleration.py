"""Detachment and stick-slip with two tangential directions: brute force, closed forms, the law.

Source of (12)-(28): Wösle & Pfeiffer, J. Vibration and Control 2 (1996); other equation numbers:
Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ContactRole, solve_acceleration
from tests.contact_laws.planar import Array, law, normal_defect, seeds
from tests.contact_laws.spatial import (
    Bodies,
    Contact,
    all_solutions_of_one_contact,
    bodies,
    dissipation_gap,
    ellipse_norm,
    random_bodies,
    random_spatial_system,
)
from tests.support.draws import numbers

g = 9.81
# Accepted residual 1e-10 of the largest acceleration, condition of the random G up to 1e3.
TOL = 1e-7


def solve(
    system: Bodies,
    free: Any,
    roles: list[ContactRole],
    bound: Array | None = None,
    friction: Array | None = None,
) -> dict[str, Any]:
    normal, tangential = np.split(np.asarray(free, float), [system.nc])
    return solve_acceleration(
        system.G,
        normal,
        tangential,
        system.all("mu"),
        roles,
        system.descriptions,
        bound,
        friction,
    )


def stacked(result: dict[str, Any]) -> Array:
    return np.concatenate([result["lambda_N"], result["lambda_T"]])


CANDIDATE, ABSENT = ContactRole.Candidate, ContactRole.Absent
SLIDES = ContactRole.SlidesPositive

# One contact ----------------------------------------------------------------------------------


def one_contact(seed: int, max_mu: float, nu: int = 5) -> tuple[Bodies, Array]:
    rng = np.random.default_rng(seed)
    contact = Contact(mu=max_mu * rng.random(), aspect=float(rng.choice([1.0, 1.0, 0.3, 2.5])))
    free = rng.standard_normal(3)
    free[0] = -abs(free[0]) if rng.random() < 0.8 else free[0]
    return random_bodies(rng, nu, [contact]), free


@law
@given(seed=seeds)
def test_one_contact_does_what_brute_force_finds(seed: int) -> None:
    """μ <= 0.4: open, stick, or slip in exactly one direction, found by roots over the angle."""
    system, free = one_contact(seed, 0.4)
    contact = system.contacts[0]
    found = all_solutions_of_one_contact(system.G, free, contact.mu, aspect=contact.aspect)
    assert len(found) == 1
    result = solve(system, free, [CANDIDATE])
    assert result["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose(stacked(result), found[0], atol=TOL * (1 + np.abs(found[0]).max()))


@law
@given(seed=seeds)
def test_one_contact_does_one_of_the_things_brute_force_finds(seed: int) -> None:
    """μ up to 3, three degrees of freedom: one or three solutions.

    Measured over 20000: the 12 unsolved ones have G of condition 5e4 to 1e8.
    """
    system, free = one_contact(seed, 3.0, 3)
    contact = system.contacts[0]
    found = all_solutions_of_one_contact(system.G, free, contact.mu, aspect=contact.aspect)
    assert len(found) in (1, 3)
    result = solve(system, free, [CANDIDATE])
    if np.linalg.cond(system.G) > 1e4 and result["status"] != LcpStatus.SOLVED:
        return
    assert result["status"] == LcpStatus.SOLVED
    force = stacked(result)
    distances = [np.abs(force - f).max() for f in found]
    assert min(distances) <= TOL * (1 + np.abs(force).max())


@law
@given(slope=numbers(0.01, 1.4), heading=numbers(0, 6.28), mu=st.sampled_from([0.1, 0.5, 1.0]))
def test_point_on_an_incline_slides_straight_down(slope: float, heading: float, mu: float) -> None:
    """The point sticks iff tan α <= μ, λ_T = -m g sin α uphill.

    Otherwise γ̇ = g (sin α - μ cos α) downhill.
    """
    m = 2.0
    point = bodies(m * np.eye(3), [[0, 0, 1]], [[1, 0, 0], [0, 1, 0]], Contact(mu))
    down = np.array([np.cos(heading), np.sin(heading)])
    sin, cos = np.sin(slope), np.cos(slope)
    result = solve(point, [-g * cos, *(g * sin * down)], [CANDIDATE])
    assert result["status"] == LcpStatus.SOLVED
    held = min(sin, mu * cos)
    np.testing.assert_allclose(result["lambda_N"], [m * g * cos], rtol=1e-9)
    np.testing.assert_allclose(result["lambda_T"], -m * g * held * down, atol=1e-9 * m * g)
    np.testing.assert_allclose(result["gammadot_T"], g * (sin - held) * down, atol=1e-9 * g)


@pytest.mark.parametrize("aspect", [0.25, 2.0])
@pytest.mark.parametrize("heading", np.linspace(0, np.pi, 9))
def test_point_on_anisotropic_ground_turns_off_the_slope(aspect: float, heading: float) -> None:
    """A central contact minimises ½ |γ̇_T|² over the friction ellipse.

    The force comes from a search over its boundary; the point sticks iff the weight is in the
    ellipse.
    """
    mu, m = 0.5, 2.0
    point = bodies(m * np.eye(3), [[0, 0, 1]], [[1, 0, 0], [0, 1, 0]], Contact(mu, aspect=aspect))
    rim_angle = np.linspace(0, 2 * np.pi, 200_001)
    rim = m * g * mu * np.array([np.cos(rim_angle), aspect * np.sin(rim_angle)])
    for steepness in (0.1, 0.8, 3.0):  # of the weight along the slope to the normal force
        weight = steepness * g * np.array([np.cos(heading), np.sin(heading)])
        result = solve(point, [-g, *weight], [CANDIDATE])
        assert result["status"] == LcpStatus.SOLVED
        if ellipse_norm(m * weight, aspect) <= mu * m * g:
            np.testing.assert_allclose(result["lambda_T"], -m * weight, atol=1e-9 * m * g)
            np.testing.assert_allclose(result["gammadot_T"], 0, atol=1e-9 * g)
            continue
        best = rim[:, np.argmin(np.linalg.norm(weight[:, None] + rim / m, axis=0))]
        # The grid spacing is 3e-5.
        np.testing.assert_allclose(result["lambda_T"], best, atol=1e-4 * m * g)
        gap = dissipation_gap(result["lambda_T"], result["gammadot_T"], mu * m * g, aspect)
        assert gap <= 1e-8 * m * g**2


# Painlevé's rod in space ----------------------------------------------------------------------


@pytest.mark.parametrize("heading", [0.0, 0.9, 3.5])
@pytest.mark.parametrize(("degrees", "spin"), [(30, 0.4), (80, 0.0), (60, 0.5), (60, 2.0)])
def test_sliding_rod_in_any_direction(heading: float, degrees: float, spin: float) -> None:
    """E4, (5.35), with μ = 5/3 and the direction of slip given as -γ_T/|γ_T| (12).

    It slides with λ_N = -b/a, has no solution where a, b < 0, and one of two where a < 0 < b.
    """
    mu, phi = 5 / 3, np.radians(degrees)
    sin, cos = np.sin(phi), np.cos(phi)
    a, b = 1 + 3 * cos * (cos - mu * sin), g * (spin * sin - 1)
    along, across = np.array(
        [[np.cos(heading), np.sin(heading)], [-np.sin(heading), np.cos(heading)]]
    )
    # q = (x', y, φ, z'), x' along the motion; tangents rotated by -heading.
    slide, side = np.array([1, 0, -sin, 0]), np.array([0, 0, 0, 1])
    w_T = [along[0] * slide + across[0] * side, along[1] * slide + across[1] * side]
    rod = bodies(np.diag([1, 1, 1 / 3, 1]), [[0, 1, -cos, 0]], w_T, Contact(mu))
    free = rod.W.T @ [0, -g, 0, 0] + [spin * g * sin, *(-spin * g * cos * along)]
    result = solve(rod, free, [SLIDES], friction=-along)
    if a < 0 and b < 0:
        assert result["status"] == LcpStatus.NO_SOLUTION
        return
    assert result["status"] == LcpStatus.SOLVED
    lambda_N = result["lambda_N"][0]
    if a > 0:
        assert lambda_N == pytest.approx(-b / a, rel=1e-11)
    else:
        assert lambda_N in (0.0, pytest.approx(-b / a, rel=1e-11))
    np.testing.assert_allclose(result["lambda_T"], -mu * lambda_N * along, rtol=1e-12)


# Stacked masses in space ----------------------------------------------------------------------


@pytest.mark.parametrize("heading", [0.0, 0.5, 2.2])
@pytest.mark.parametrize(
    ("F", "lambda_T", "gammadot_T"),
    [
        ((20, 10), (-20, -5), (5, 0)),
        ((5, 5), (-10, -5), (0, 0)),
        ((0, 20), (-10, -10), (0, 10)),
        ((50, -20), (-20, 10), (20, -30)),
        ((-50, -20), (20, -5), (-25, 0)),
    ],
)
def test_stack_is_pushed_in_any_direction(
    heading: float, F: Any, lambda_T: Any, gammadot_T: Any
) -> None:
    """E7, (6.55)-(6.64) with μ = 1, m = 1, g = 10.

    The printed numbers come first, the others are derived by hand.
    """
    along = np.array([np.cos(heading), np.sin(heading)])
    I = np.eye(6)  # q = (x_1, y_1, z_1, x_2, y_2, z_2), z up
    stack = bodies(
        np.eye(6),
        [I[2], I[5] - I[2]],
        [I[0], I[1], I[3] - I[0], I[4] - I[1]],
        Contact(1.0),
        Contact(1.0),
    )
    h = np.array([*(F[0] * along), -10, *(F[1] * along), -10])
    result = solve(stack, stack.W.T @ h, [CANDIDATE] * 2)
    assert result["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose(result["lambda_N"], [20, 10], atol=1e-8)
    np.testing.assert_allclose(
        result["lambda_T"].reshape(2, 2), np.outer(lambda_T, along), atol=1e-7
    )
    np.testing.assert_allclose(
        result["gammadot_T"].reshape(2, 2), np.outer(gammadot_T, along), atol=1e-7
    )


# Random systems -------------------------------------------------------------------------------


class Problem:
    """Random contacts of all kinds, some of them sliding in given directions, with bounds."""

    def __init__(self, seed: int, *, max_mu: float = 0.4, independent: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.system, _ = random_spatial_system(seed, max_mu=max_mu, independent=independent)
        s = self.system
        self.roles = [
            [CANDIDATE, SLIDES, ContactRole.Frictionless, ABSENT][k]
            for k in rng.choice(4, s.nc, p=[0.6, 0.2, 0.1, 0.1])
        ]
        self.bound = np.where([c.normal is None for c in s.contacts], 0.0, rng.random(s.nc))
        self.friction = np.zeros(s.W_T.shape[1])
        self.u_slip = []
        for rows, contact, role in zip(s.tangents, s.contacts, self.roles, strict=True):
            if role == SLIDES:
                way = rng.standard_normal(contact.tangents)
                metric = np.array([1.0, contact.aspect**2])[: contact.tangents]
                scaled = np.sqrt(metric) if contact.tangents == 2 else 1.0
                self.friction[rows] = -metric * way / np.linalg.norm(scaled * way)
        self.free = rng.uniform(0.1, 10) * rng.standard_normal(s.nc + s.W_T.shape[1])
        self.result = solve(s, self.free, self.roles, self.bound, self.friction)


@law
@given(seed=seeds)
def test_solutions_obey_the_law_contact_by_contact(seed: int) -> None:
    """P16, P17 with vectors: (20), (25)-(28), (12), γ̇ computed from the forces here (16)."""
    p = Problem(seed, max_mu=1.0)
    s, r = p.system, p.result
    if r["status"] != LcpStatus.SOLVED:
        return
    force = stacked(r)
    rate = s.G @ force + p.free
    scale = max(np.abs(p.free).max(), np.abs(force).max())
    tol = 2e-9 * scale
    computed = np.concatenate([r["gammadot_N"], r["gammadot_T"]])
    np.testing.assert_allclose(computed, rate, atol=1e-12 * scale)
    present = [i for i in s.unilateral if p.roles[i] != ABSENT]
    assert force[: s.nc].min(initial=0.0) >= 0
    assert normal_defect(force[present], rate[present]) <= tol
    for i, (contact, rows) in enumerate(zip(s.contacts, s.tangents, strict=True)):
        lambda_T, gammadot_T = r["lambda_T"][rows], r["gammadot_T"][rows]
        radius = p.bound[i] + contact.mu * force[s.normals[i]]
        if p.roles[i] == CANDIDATE:
            assert ellipse_norm(lambda_T, contact.aspect) <= radius + tol
            assert lambda_T @ gammadot_T <= tol * scale
            assert dissipation_gap(lambda_T, gammadot_T, radius, contact.aspect) <= tol * scale
        elif p.roles[i] == SLIDES:
            np.testing.assert_allclose(lambda_T, radius * p.friction[rows], atol=1e-13 * scale)
        else:
            np.testing.assert_array_equal(lambda_T, 0.0)


@law
@given(seed=seeds)
def test_a_slip_that_began_goes_on_with_the_same_forces(seed: int) -> None:
    """Slipping candidates, given as sliding in that direction, keep forces and accelerations."""
    p = Problem(seed, independent=True)
    s, r = p.system, p.result
    assert r["status"] == LcpStatus.SOLVED
    roles, friction = list(p.roles), p.friction.copy()
    for i, (contact, rows) in enumerate(zip(s.contacts, s.tangents, strict=True)):
        radius = p.bound[i] + contact.mu * r["lambda_N"][s.normals[i]]
        slips = np.abs(r["gammadot_T"][rows]).max() > 1e-3 and radius > 1e-3
        if p.roles[i] == CANDIDATE and slips:
            roles[i], friction[rows] = SLIDES, r["lambda_T"][rows] / radius
    sliding = solve(s, p.free, roles, p.bound, friction)
    assert sliding["status"] == LcpStatus.SOLVED
    scale = 1 + np.abs(stacked(r)).max()
    np.testing.assert_allclose(stacked(sliding), stacked(r), atol=TOL * scale)
    np.testing.assert_allclose(sliding["gammadot_T"], r["gammadot_T"], atol=TOL * scale)


@law
@given(seed=seeds)
def test_tangent_bases_may_be_turned(seed: int) -> None:
    """Isotropic candidates: forces rotate with t_1, t_2, and γ̇_N is unchanged."""
    rng = np.random.default_rng(seed)
    system, _ = random_spatial_system(seed, max_mu=0.4, independent=True, isotropic=True)
    h = rng.standard_normal(len(system.M))
    roles = [CANDIDATE] * system.nc
    W_T, turns = system.W_T.copy(), []
    for rows, contact in zip(system.tangents, system.contacts, strict=True):
        turns.append(np.linalg.qr(rng.standard_normal((contact.tangents,) * 2))[0])
        W_T[:, rows] = W_T[:, rows] @ turns[-1]
    other = Bodies(system.M, system.W_N, W_T, system.contacts)
    a, b = (solve(s, s.W.T @ np.linalg.solve(s.M, h), roles) for s in (system, other))
    assert a["status"] == b["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose(b["lambda_N"], a["lambda_N"], atol=TOL)
    np.testing.assert_allclose(b["gammadot_N"], a["gammadot_N"], atol=TOL)
    for rows, turn in zip(system.tangents, turns, strict=True):
        np.testing.assert_allclose(turn @ b["lambda_T"][rows], a["lambda_T"][rows], atol=TOL)


@pytest.mark.parametrize("aspect", [1.0, 0.4])
def test_planar_contacts_in_space_stay_planar(aspect: float) -> None:
    """A second tangential direction of other, unloaded bodies changes no force.

    The planar problem is solved as the LCP (6.35).
    """
    for seed in range(80):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 4))
        contacts = [Contact(0.4 * rng.random(), aspect=aspect, tangents=1) for _ in range(n)]
        planar = random_bodies(rng, 2 * n + 1, contacts)
        free_N, free_T = rng.standard_normal((2, n))
        M = np.eye(3 * n + 1)
        M[: 2 * n + 1, : 2 * n + 1] = planar.M
        W_N, W_T = np.zeros((3 * n + 1, n)), np.zeros((3 * n + 1, 2 * n))
        W_N[: 2 * n + 1], W_T[: 2 * n + 1, ::2] = planar.W_N, planar.W_T
        W_T[2 * n + 1 :, 1::2] = np.eye(n)
        space = Bodies(M, W_N, W_T, planar.having(tangents=2).contacts)
        a = solve(planar, [*free_N, *free_T], [CANDIDATE] * n)
        pairs = np.column_stack([free_T, np.zeros(n)]).ravel()
        b = solve(space, [*free_N, *pairs], [CANDIDATE] * n)
        assert a["status"] == b["status"] == LcpStatus.SOLVED
        scale = 1 + np.abs(stacked(a)).max()
        np.testing.assert_allclose(b["lambda_N"], a["lambda_N"], atol=TOL * scale)
        np.testing.assert_allclose(b["lambda_T"][::2], a["lambda_T"], atol=TOL * scale)
        np.testing.assert_allclose(b["lambda_T"][1::2], 0, atol=TOL * scale)
        np.testing.assert_allclose(b["gammadot_T"][::2], a["gammadot_T"], atol=TOL * scale)
