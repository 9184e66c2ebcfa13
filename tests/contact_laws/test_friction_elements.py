"""Friction without a normal force of its own: clutches, bounds with the force of a contact, spin.

Wösle & Pfeiffer, J. Vibration and Control 2 (1996), (24)-(28) with |λ_T| <= β + μ λ_N.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ContactRole, ImpactLaw, solve_acceleration
from tests.contact_laws.planar import MINUS, OPEN, PLUS, STICK, Array, law, seeds
from tests.contact_laws.spatial import (
    Bodies,
    Contact,
    SpatialImpact,
    all_solutions_of_one_contact,
    bodies,
    random_bodies,
)

CLOSED = "closed"
LAWS_WITH_FRICTION = pytest.mark.parametrize("law_of_impact", [ImpactLaw.Poisson, ImpactLaw.Moreau])


def solve(
    system: Bodies,
    free: Any,
    bound: Any = None,
    roles: list[ContactRole] | None = None,
    friction: Any = None,
) -> dict[str, Any]:
    """Solve with all contacts as candidates, unless roles are given, and check the status."""
    normal, tangential = np.split(np.asarray(free, float), [system.nc])
    result = solve_acceleration(
        system.G,
        normal,
        tangential,
        system.all("mu"),
        roles or [ContactRole.Candidate] * system.nc,
        system.descriptions,
        None if bound is None else np.asarray(bound, float),
        friction,
    )
    assert result["status"] == LcpStatus.SOLVED
    return result


# Given bounds ---------------------------------------------------------------------------------

J_1, J_2 = 2.0, 0.5


def clutch() -> Bodies:
    return bodies(np.diag([J_1, J_2]), [[0, 0]], [[1, -1]], Contact(tangents=1, normal=-1))


@pytest.mark.parametrize("bound", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("torque", [-9.0, -2.5, -1.0, 0.0, 0.1, 2.49, 2.51, 7.0])
def test_clutch_holds_exactly_up_to_its_bound(bound: float, torque: float) -> None:
    """With a torque on shaft 1, the clutch carries J_2/(J_1 + J_2) of it.

    Beyond the bound it slips with constant torque.
    """
    system = clutch()
    result = solve(system, [0, torque / J_1], [bound])
    load = torque * J_2 / (J_1 + J_2)
    carried = np.clip(load, -bound, bound)
    np.testing.assert_allclose(result["lambda_T"], [-carried], atol=1e-14)
    slip = torque / J_1 - carried * (1 / J_1 + 1 / J_2)
    np.testing.assert_allclose(result["gammadot_T"], [slip], atol=1e-13)
    np.testing.assert_array_equal(result["lambda_N"], [0.0])


@pytest.mark.parametrize(
    ("role", "sign"), [(ContactRole.SlidesPositive, -1), (ContactRole.SlidesNegative, 1)]
)
@pytest.mark.parametrize("torque", [-3.0, 0.0, 3.0])
def test_slipping_clutch_transmits_its_bound(role: ContactRole, sign: int, torque: float) -> None:
    """The clutch torque opposes the slip, whatever the load."""
    result = solve(clutch(), [0, torque / J_1], [0.7], [role])
    np.testing.assert_array_equal(result["lambda_T"], [sign * 0.7])
    expected = torque / J_1 + sign * 0.7 * (1 / J_1 + 1 / J_2)
    np.testing.assert_allclose(result["gammadot_T"], [expected], rtol=1e-14)


@pytest.mark.parametrize("aspect", [1.0, 0.5])
@pytest.mark.parametrize("F", [(3, 1), (-1, 1.4), (0.5, -6), (20, 0), (0, 8)])
def test_clamped_plate_holds_inside_its_ellipse(aspect: float, F: Any) -> None:
    """A plate of mass 2 between clamps, |λ_T| <= 5: it sticks iff the load is in the ellipse.

    With aspect = 1 or a load along an axis it slips in the direction of the load.
    """
    plate = bodies(2 * np.eye(2), [[0, 0]], np.eye(2), Contact(aspect=aspect, normal=-1))
    result = solve(plate, [0, F[0] / 2, F[1] / 2], [5.0])
    share = max(1.0, np.hypot(F[0], F[1] / aspect) / 5.0)
    if share == 1.0 or aspect == 1.0 or 0 in F:
        np.testing.assert_allclose(result["lambda_T"], -np.array(F) / share, atol=1e-9)
    if share > 1.0:
        on_rim = np.hypot(result["lambda_T"][0], result["lambda_T"][1] / aspect)
        assert on_rim == pytest.approx(5.0, rel=1e-9)
        assert result["lambda_T"] @ result["gammadot_T"] < 0


# Bounds that share a normal force -------------------------------------------------------------

g = 10.0


@pytest.mark.parametrize("push", [-30.0, -12.9, 0.0, 12.9, 13.1, 40.0])
def test_clamp_and_weight_hold_together(push: float) -> None:
    """A block of mass 2 on smooth ground beside a clamp: β + μ λ_N = 3 + 0.5 · 20 = 13."""
    block = bodies(
        2 * np.eye(2),
        [[0, 1], [0, 0]],
        [[0, 0], [1, 0]],
        Contact(tangents=1),
        Contact(mu=0.5, tangents=1, normal=0),
    )
    roles = [ContactRole.Frictionless, ContactRole.Candidate]
    result = solve(block, [-g, 0, 0, push / 2], [0, 3.0], roles)
    held = np.clip(push, -13, 13)
    np.testing.assert_allclose(result["lambda_N"], [20, 0], rtol=1e-13)
    np.testing.assert_allclose(result["lambda_T"], [0, -held], atol=1e-12)
    np.testing.assert_allclose(result["gammadot_T"], [0, (push - held) / 2], atol=1e-12)
    lifted = solve(block, [5, 0, 0, push / 2], [0, 3.0], roles)
    np.testing.assert_allclose(lifted["lambda_N"], 0, atol=1e-14)
    np.testing.assert_allclose(lifted["lambda_T"], [0, -np.clip(push, -3, 3)], atol=1e-12)


def disc_on_table(mu: float, drill: float, e_N: float = 0.0) -> Bodies:
    """q = (x, y, z, φ), m = 2, J = 0.1: friction in the plane and against spin, one λ_N."""
    return bodies(
        np.diag([2, 2, 2, 0.1]),
        [[0, 0, 1, 0], [0, 0, 0, 0]],
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
        Contact(mu, e_N),
        Contact(drill, tangents=1, normal=0),
    )


@pytest.mark.parametrize("F", [(1, 1), (-8, 3), (6, 8)])
@pytest.mark.parametrize("torque", [-2.0, 0.1, 0.39, 0.41])
def test_sliding_and_spinning_friction_share_the_weight(F: Any, torque: float) -> None:
    """λ_N = 20: |λ_T| <= 0.4 · 20 in the plane, and 0.02 m · 20 N = 0.4 N m against spin."""
    system = disc_on_table(0.4, 0.02)
    result = solve(system, [-g, 0, F[0] / 2, F[1] / 2, torque / 0.1])
    share = max(1.0, np.hypot(*F) / 8.0)
    expected = [-F[0] / share, -F[1] / share, -np.clip(torque, -0.4, 0.4)]
    np.testing.assert_allclose(result["lambda_T"], expected, atol=1e-8)
    np.testing.assert_allclose(result["lambda_N"], [20, 0], rtol=1e-9)


@LAWS_WITH_FRICTION
@pytest.mark.parametrize("spin", [0.0, 0.5, -0.5, 3.0])
@pytest.mark.parametrize("speed", [0.2, 5.0])
def test_an_impact_stops_sliding_and_spinning_by_one_normal_impulse(
    spin: float, speed: float, law_of_impact: ImpactLaw
) -> None:
    """Λ_N = m (1 + ε_N), |Λ_T| <= μ Λ_N, |Λ_drill| <= 0.02 Λ_N, split over both phases."""
    system = disc_on_table(0.4, 0.02, e_N=0.5)
    i = SpatialImpact(system, [0.6 * speed, -0.8 * speed, -1, spin], law_of_impact)
    assert i.solved
    slide = min(2 * speed, 0.4 * 3)
    drill = np.clip(0.1 * spin, -0.02 * 3, 0.02 * 3)
    np.testing.assert_allclose(i.Lambda, [3, 0, -0.6 * slide, 0.8 * slide, -drill], atol=1e-8)
    works = i.result["work_T"]
    lost = [-speed * slide + slide**2 / 4, -spin * drill + drill**2 / 0.2]
    np.testing.assert_allclose(works, lost, atol=1e-7)


@LAWS_WITH_FRICTION
def test_finite_bounds_have_no_impulse(law_of_impact: ImpactLaw) -> None:
    """A friction element without normal force is idle in an impact: only its slip changes."""
    system = bodies(
        [[2, 0.5], [0.5, 1]], [[1, 0], [0, 0]], [[0, 0], [0, 1]], Contact(tangents=1),
        Contact(mu=0.9, tangents=1, normal=-1),
    )  # fmt: skip
    i = SpatialImpact(system, [-1, 0.4], law_of_impact)
    assert i.solved
    np.testing.assert_array_equal(i.result["Lambda_T"], 0.0)
    assert i.result["Lambda_N"][0] == pytest.approx(1 / i.G[0, 0], rel=1e-14)
    assert i.result["gamma_T"][1] == pytest.approx(0.4 + i.G[0, 3] / i.G[0, 0], rel=1e-14)


# Brute force ----------------------------------------------------------------------------------


def enumerate_elements(system: Bodies, b: Array, bound: Array, tol: float = 1e-9) -> list[Array]:
    """Return all forces of γ = G λ + b with one tangential direction everywhere.

    Every contact is open or closed, and every friction sticks or slips to either side.
    """
    G, nc = system.G, system.nc
    mu, normals, unilateral = system.all("mu"), system.normals, system.unilateral
    found = []
    for normal_modes in itertools.product((OPEN, CLOSED), repeat=len(unilateral)):
        for modes in itertools.product((STICK, PLUS, MINUS), repeat=nc):
            P, offset, rows = np.zeros((2 * nc, 0)), np.zeros(2 * nc), []
            for i, mode in zip(unilateral, normal_modes, strict=True):
                if mode == CLOSED:
                    column = np.eye(2 * nc)[i]
                    for j, slip in enumerate(modes):
                        if normals[j] == i and slip != STICK:
                            column[nc + j] = -mu[j] if slip == PLUS else mu[j]
                    P, rows = np.column_stack([P, column]), [*rows, i]
            for j, slip in enumerate(modes):
                if slip == STICK:
                    P, rows = np.column_stack([P, np.eye(2 * nc)[nc + j]]), [*rows, nc + j]
                else:
                    offset[nc + j] = -bound[j] if slip == PLUS else bound[j]
            A = G[rows] @ P
            if rows and np.linalg.cond(A) > 1e10:
                continue
            x = np.linalg.solve(A, -(b + G @ offset)[rows]) if rows else np.zeros(0)
            force = P @ x + offset
            rate = G @ force + b
            good = force[:nc].min() >= -tol and rate[unilateral].min() >= -tol
            for j, slip in enumerate(modes):
                radius = bound[j] + (mu[j] * force[normals[j]] if normals[j] >= 0 else 0.0)
                good &= abs(force[nc + j]) <= radius + tol
                good &= slip != PLUS or rate[nc + j] >= -tol
                good &= slip != MINUS or rate[nc + j] <= tol
            if good:
                found.append(force)
    return found


def random_elements(seed: int) -> tuple[Bodies, np.random.Generator]:
    """Return one or two unilateral contacts, one or two friction elements, μ <= 0.4."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 3))
    contacts = [Contact(mu=0.4 * rng.random(), tangents=1) for _ in range(n)]
    for _ in range(int(rng.integers(1, 3))):
        normal = int(rng.integers(-1, n))
        contacts.append(Contact(mu=0.4 * rng.random(), tangents=1, normal=normal))
    return random_bodies(rng, n + len(contacts) + 1, contacts), rng


@pytest.mark.parametrize("part", range(3))
def test_brute_force_finds_the_same_forces_of_elements(part: int) -> None:
    """Independent directions: one solution, up to copies where a force is zero."""
    for seed in range(40 * part, 40 * part + 40):
        system, rng = random_elements(seed)
        nc = system.nc
        bound = np.where([c.normal is None for c in system.contacts], 0.0, rng.random(nc))
        b = rng.standard_normal(2 * nc) * (np.arange(2 * nc) >= nc)
        b[system.unilateral] = rng.choice([-1.0, 1.0], len(system.unilateral), p=[0.8, 0.2])
        found = enumerate_elements(system, b, bound)
        assert found
        result = solve(system, b, bound)
        force = np.concatenate([result["lambda_N"], result["lambda_T"]])
        for other in found:
            np.testing.assert_allclose(force, other, atol=1e-8)


def test_brute_force_finds_the_same_impulses_of_elements() -> None:
    """Compression with shared normal impulses and without the finite bounds."""
    for seed in range(60):
        system, rng = random_elements(seed)
        i = SpatialImpact(system, rng.standard_normal(len(system.M)))
        assert i.solved
        found = enumerate_elements(system, i.gamma_A, np.zeros(system.nc))
        assert found
        for other in found:
            np.testing.assert_allclose(i.Lambda_C, other, atol=1e-8)


def solutions_with_drilling(G: Array, b: Array, mu: float, drill: float) -> list[Array]:
    """Return all forces (λ_N, λ_T1, λ_T2, λ_drill) of one contact that also resists drilling.

    Drilling that sticks is eliminated, drilling that slips is ∓ drill λ_N.
    """
    found = []
    k, rest = 3, slice(0, 3)
    eliminated = G[rest, rest] - np.outer(G[rest, k], G[k, rest]) / G[k, k]
    reduced = b[rest] - G[rest, k] * b[k] / G[k, k]
    for force in all_solutions_of_one_contact(eliminated, reduced, mu):
        spin = -(b[k] + G[k, rest] @ force) / G[k, k]
        if abs(spin) <= drill * force[0]:
            found.append(np.array([*force, spin]))
    for sign in (-1.0, 1.0):
        folded = G[rest, rest].copy()
        folded[:, 0] += sign * drill * G[rest, k]
        for force in all_solutions_of_one_contact(folded, b[rest], mu):
            full = np.array([*force, sign * drill * force[0]])
            if sign * (G[k] @ full + b[k]) <= 0:
                found.append(full)
    return found


@law
@given(seed=seeds, drill=st.sampled_from([0.05, 0.3]))
def test_brute_force_finds_the_same_sliding_and_spinning(seed: int, drill: float) -> None:
    """An eccentric contact, accelerations and impulses of compression."""
    rng = np.random.default_rng(seed)
    mu = 0.3 * rng.random()
    system = random_bodies(rng, 6, [Contact(mu), Contact(drill, tangents=1, normal=0)])
    u = rng.standard_normal(6)
    i = SpatialImpact(system, u)
    keep = [0, 2, 3, 4]  # the element has no normal row of its own
    found = solutions_with_drilling(i.G[np.ix_(keep, keep)], i.gamma_A[keep], mu, drill)
    assert len(found) == 1
    assert i.solved
    np.testing.assert_allclose(i.Lambda_C[keep], found[0], atol=1e-7 * (1 + i.scale))
    result = solve(system, i.gamma_A)
    force = np.concatenate([result["lambda_N"], result["lambda_T"]])
    np.testing.assert_allclose(force[keep], found[0], atol=1e-7 * (1 + i.scale))
