"""Invariance of impulses with two tangential directions.

The contacts are independent with moderate friction, so that the solution is unique. The accepted
residual of the solver is 1e-10; the condition of the random G is up to 1e3.
"""

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
    bodies,
    random_bodies,
    random_spatial_system,
)

TOL = 1e-7
LAWS_WITH_FRICTION = st.sampled_from([ImpactLaw.Poisson, ImpactLaw.Moreau])


def check_same(a: SpatialImpact, b: SpatialImpact) -> None:
    """Check the velocities of the bodies after compression and impact."""
    assert a.solved
    assert b.solved
    np.testing.assert_allclose(a.u_C, b.u_C, atol=TOL * a.scale)
    np.testing.assert_allclose(a.u_E, b.u_E, atol=TOL * a.scale)


@law
@given(seed=seeds, law_of_impact=LAWS_WITH_FRICTION)
def test_order_of_contacts_does_not_matter(seed: int, law_of_impact: ImpactLaw) -> None:
    """P32; friction elements follow the contact whose normal force they share."""
    system, u = random_spatial_system(seed, max_mu=0.4, independent=True)
    order = np.random.default_rng(seed).permutation(system.nc)
    moved = system.pick(order)
    place = {int(old): new for new, old in enumerate(order)}
    contacts = tuple(
        c
        if c.normal is None
        else Contact(c.mu, c.e_N, c.e_T, c.nu, c.aspect, c.tangents, place[c.normal])
        for c in moved.contacts
    )
    other = SpatialImpact(Bodies(moved.M, moved.W_N, moved.W_T, contacts), u, law_of_impact)
    i = SpatialImpact(system, u, law_of_impact)
    check_same(i, other)
    np.testing.assert_allclose(
        other.result["Lambda_N"], i.result["Lambda_N"][order], atol=TOL * i.scale
    )


@law
@given(seed=seeds, law_of_impact=LAWS_WITH_FRICTION)
def test_tangent_bases_may_be_turned(seed: int, law_of_impact: ImpactLaw) -> None:
    """With isotropic friction, Λ_T rotates with t_1, t_2.

    They are rotated or mirrored contact by contact.
    """
    system, u = random_spatial_system(seed, max_mu=0.4, independent=True, isotropic=True)
    rng = np.random.default_rng(seed)
    W_T, turns = system.W_T.copy(), []
    for rows, contact in zip(system.tangents, system.contacts, strict=True):
        turns.append(np.linalg.qr(rng.standard_normal((contact.tangents,) * 2))[0])
        W_T[:, rows] = W_T[:, rows] @ turns[-1]
    i = SpatialImpact(system, u, law_of_impact)
    turned = SpatialImpact(Bodies(system.M, system.W_N, W_T, system.contacts), u, law_of_impact)
    check_same(i, turned)
    pairs = zip(turns, i.tangential(i.Lambda), turned.tangential(turned.Lambda), strict=True)
    for turn, before, after in pairs:
        np.testing.assert_allclose(turn @ after, before, atol=TOL * i.scale)


@law
@given(seed=seeds, law_of_impact=LAWS_WITH_FRICTION)
def test_a_contact_that_stays_open_changes_nothing(seed: int, law_of_impact: ImpactLaw) -> None:
    """P29, P32: it takes part with a large separating velocity and gets no impulse."""
    system, u = random_spatial_system(seed, max_mu=0.4, independent=True)
    i = SpatialImpact(system, u, law_of_impact)
    rng = np.random.default_rng(seed)
    open_contact = random_bodies(rng, len(u), [Contact(mu=1.0, e_N=0.9, e_T=0.5, nu=0.5)])
    more = Bodies(
        system.M,
        np.hstack([system.W_N, open_contact.W_N]),
        np.hstack([system.W_T, open_contact.W_T]),
        (*system.contacts, *open_contact.contacts),
    )
    w_tilde = np.zeros(more.nc + more.W_T.shape[1])
    w_tilde[more.nc - 1] = 1e3 * i.scale
    other = SpatialImpact(more, u, law_of_impact, w_tilde=w_tilde)
    check_same(i, other)
    assert other.result["Lambda_N"][-1] == 0.0
    np.testing.assert_allclose(other.result["Lambda_T"][-2:], 0.0, atol=TOL * i.scale)


@law
@given(seed=seeds)
def test_copies_of_contacts_share_the_impulse(seed: int) -> None:
    """P32 with friction: cones of equal ellipses add up.

    With ν = ε_T = 0 two copies carry the impulse of one contact; the split between them is not
    unique.
    """
    system, u = random_spatial_system(seed, max_mu=0.4, independent=True)
    system = system.pick(system.unilateral).having(e_T=0.0, nu=0.0)
    i = SpatialImpact(system, u)
    double = SpatialImpact(system.pick([*range(system.nc), *range(system.nc)]), u)
    check_same(i, double)
    Lambda_N = double.result["Lambda_N"].reshape(2, -1).sum(axis=0)
    np.testing.assert_allclose(Lambda_N, i.result["Lambda_N"], atol=TOL * i.scale)
    Lambda_T = double.result["Lambda_T"].reshape(2, -1).sum(axis=0)
    np.testing.assert_allclose(Lambda_T, i.result["Lambda_T"], atol=TOL * i.scale)


@law
@given(seed=seeds, velocities=st.integers(-37, 20), masses=st.integers(-40, 40))
def test_impulses_scale_with_velocities_and_masses(seed: int, velocities: int, masses: int) -> None:
    """There is no absolute threshold: with powers of two, results agree bitwise."""
    system, u = random_spatial_system(seed)
    i = SpatialImpact(system, u)
    scaled = i.solve(2.0**velocities, 2.0**masses)
    for name in ("Lambda_NC", "Lambda_TC", "Lambda_N", "Lambda_T"):
        np.testing.assert_array_equal(
            scaled[name], 2.0**velocities * 2.0**masses * i.result[name], err_msg=name
        )


@pytest.mark.parametrize("small", [1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("what", ["velocity", "mass"])
def test_a_small_impact_beside_a_large_one_is_as_exact(what: str, small: float) -> None:
    """Two points in one problem, with the numbers of the planar test along (0.6, 0.8).

    Λ_N = 1.5 m v, Λ_T = -0.305 m v.
    """
    mass = small if what == "mass" else 1.0
    speed = small if what == "velocity" else 1.0
    I = np.eye(6)
    contact = Contact(mu=0.5, e_N=0.5, e_T=0.2, nu=0.9)
    points = bodies(
        np.diag([1, 1, 1, mass, mass, mass]), I[[2, 5]], I[[0, 1, 3, 4]], *[contact] * 2
    )
    one = np.array([0.18, 0.24, -1])
    i = SpatialImpact(points, [*one, *(speed * one)])
    assert i.solved
    expected = np.array([1.5, -0.305 * 0.6, -0.305 * 0.8])
    np.testing.assert_allclose(i.Lambda[[0, 2, 3]], expected, rtol=1e-12)
    np.testing.assert_allclose(i.Lambda[[1, 4, 5]] / (mass * speed), expected, rtol=1e-6)


# Planar problems in space ---------------------------------------------------------------------


def in_space(system: Bodies, u: Array, way: str) -> tuple[Bodies, Array]:
    """Add a second tangential direction to every planar contact.

    It is zero, or that of other degrees of freedom, which are at rest.
    """
    nc, nu = system.nc, len(u)
    contacts = system.having(tangents=2).contacts
    extra = nc if way == "other bodies at rest" else 0
    M = np.eye(nu + extra)
    M[:nu, :nu] = system.M
    W_N, W_T = np.zeros((nu + extra, nc)), np.zeros((nu + extra, 2 * nc))
    W_N[:nu] = system.W_N
    W_T[:nu, ::2] = system.W_T
    if extra:
        W_T[nu:, 1::2] = np.eye(nc)
    return Bodies(M, W_N, W_T, contacts), np.concatenate([u, np.zeros(extra)])


@pytest.mark.parametrize("way", ["no second direction", "other bodies at rest"])
@pytest.mark.parametrize("law_of_impact", [ImpactLaw.Poisson, ImpactLaw.Moreau])
@pytest.mark.parametrize("aspect", [1.0, 0.4])
def test_planar_impacts_in_space_stay_planar(
    way: str, law_of_impact: ImpactLaw, aspect: float
) -> None:
    """Poisson's law for discs, solved by another method, is (8.31) with (8.37) in a plane."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 4))
        contacts = [Contact(*rng.uniform(0, [0.4, 1, 1, 1]), 1.0, 1) for _ in range(n)]
        system, u = random_bodies(rng, 2 * n + 1, contacts), rng.standard_normal(2 * n + 1)
        planar = SpatialImpact(system, u, law_of_impact)
        space, u_space = in_space(system.having(aspect=aspect), u, way)
        spatial = SpatialImpact(space, u_space, law_of_impact)
        assert planar.solved
        assert spatial.solved
        for name in ("Lambda_NC", "Lambda_N", "gamma_N"):
            np.testing.assert_allclose(spatial.result[name], planar.result[name], atol=TOL)
        for name in ("Lambda_TC", "Lambda_T", "gamma_T"):
            both = spatial.result[name].reshape(-1, 2)
            np.testing.assert_allclose(both[:, 0], planar.result[name], atol=TOL)
            np.testing.assert_allclose(both[:, 1], 0.0, atol=TOL)


def superball(angle: float, contact: int, **parameters: float) -> Bodies:
    """E11 as a sphere, q = (x, y, z, φ_x, φ_y, φ_z), y up; m = 1, J = 0.004, R = 0.1.

    Tangent directions are at an angle to x. Contact 0 is the floor, contact 1 the table.
    """
    side = 1.0 if contact == 0 else -1.0
    cos, sin = np.cos(angle), np.sin(angle)
    # The contact point has v + ω × r with r = (0, -side R, 0): v_x + side R ω_z, v_z - side R ω_x.
    along_x = np.array([1, 0, 0, 0, 0, side * 0.1])
    along_z = np.array([0, 0, 1, -side * 0.1, 0, 0])
    return bodies(
        np.diag([1, 1, 1, 0.004, 0.004, 0.004]),
        [[0, side, 0, 0, 0, 0]],
        [cos * along_x + sin * along_z, -sin * along_x + cos * along_z],
        Contact(mu=1.0, e_N=1.0, **parameters),
    )


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.4])
@pytest.mark.parametrize("angle", [0.0, 0.3, 1.9])
def test_superball_comes_back_from_under_the_table_in_any_direction(
    heading: float, angle: float
) -> None:
    """E11, ν = ε_T = 1: the table of the planar example, nine digits, along the heading."""
    speeds = [0.428571429, -0.632653061, -0.970845481, -0.199500208, 0.799845303]
    spins = [-14.285714286, 12.244897959, 3.790087464, -15.493544357, 9.490093413]
    along, across = (
        np.array([np.cos(heading), np.sin(heading)]),
        np.array([-np.sin(heading), np.cos(heading)]),
    )
    u: Array = np.array([along[0], -1, along[1], 0, 0, 0])
    for k, (speed, spin) in enumerate(zip(speeds, spins, strict=True)):
        i = SpatialImpact(superball(angle, k % 2, nu=1.0, e_T=1.0), u)
        assert i.solved
        u = i.u_E
        np.testing.assert_allclose([u[[0, 2]] @ along, u[[0, 2]] @ across], [speed, 0], atol=2e-9)
        # Rolling along x is about -z, along z about x.
        np.testing.assert_allclose(u[5] * along[0] - u[3] * along[1], spin, atol=2e-8)
        np.testing.assert_allclose(u[3] * along[0] + u[5] * along[1], 0, atol=2e-8)
        assert i.system.kinetic_energy(u) == pytest.approx(1, rel=1e-9)
        np.testing.assert_allclose(i.Lambda_E, i.Lambda_C, atol=1e-9)


def test_superball_gives_back_a_part_in_any_direction() -> None:
    """E11, ε_N = 0.8, ν = 0.9, ε_T = 0.6: Λ_TE = -0.0571428571, γ_TE = -0.2 along the heading."""
    along = np.array([0.6, 0.8])
    system = superball(0.4, 0, nu=0.9, e_T=0.6).having(e_N=0.8)
    i = SpatialImpact(system, [along[0], -1, along[1], 0, 0, 0])
    t = system.W_T[[0, 2]]  # columns: the tangents in the plane of the floor
    np.testing.assert_allclose(t @ i.Lambda_C[1:], -2 / 7 * along, atol=1e-9)
    np.testing.assert_allclose(t @ i.Lambda_E[1:], -0.0571428571 * along, atol=1e-9)
    np.testing.assert_allclose(t @ i.gamma_E[1:], -0.2 * along, atol=1e-9)
    assert i.gamma_E[0] == pytest.approx(0.8, abs=1e-9)
