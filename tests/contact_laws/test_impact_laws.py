"""Random impacts: the laws of Poisson and Newton, their theorems on energy, brute force.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapters 7, 8.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw
from tests.contact_laws.impacts import Impact, random_impact, split
from tests.contact_laws.planar import (
    MINUS,
    OPEN,
    PLUS,
    STICK,
    Contacts,
    contacts,
    distance,
    enumerate_modes,
    friction_defect,
    law,
    normal_defect,
    random_contacts,
    seeds,
)
from tests.support.draws import numbers

# Random impacts -------------------------------------------------------------------------------


@law
@given(seed=seeds)
def test_compression_obeys_its_law_contact_by_contact(seed: int) -> None:
    """P21, P30: (8.13), (8.23), (8.24), T_C <= T_A.

    Dependent contacts are included. Measured over 6000 impacts: defects below 5e-14 of the scale.
    """
    i = random_impact(seed)
    assert i.solved
    tol = 1e-11 * i.scale
    (Lambda_N, Lambda_T), (gamma_N, gamma_T) = split(i.Lambda_C), split(i.gamma_C)
    limit = i.mu * Lambda_N
    assert Lambda_N.min() >= 0
    assert gamma_N.min() >= -tol
    assert normal_defect(Lambda_N, gamma_N) <= tol
    assert (np.abs(Lambda_T) <= limit + tol).all()
    assert friction_defect(Lambda_T, gamma_T, -limit, limit) <= tol
    assert (Lambda_T * gamma_T <= tol * i.scale).all()
    T = i.system.kinetic_energy
    assert T(i.u_C) - T(i.u_A) <= 1e-12 * i.energy_scale
    expected = i.Lambda_C @ (i.gamma_C + i.gamma_A) / 2  # (8.52)
    assert T(i.u_C) - T(i.u_A) == pytest.approx(expected, abs=1e-11 * i.energy_scale)


@law
@given(seed=seeds)
def test_expansion_obeys_its_law_contact_by_contact(seed: int) -> None:
    """P22: (8.26)-(8.30), (8.31) with (8.37), (8.36).

    Measured over 6000 impacts: defects below 4e-15 of the scale.
    """
    i = random_impact(seed)
    assert i.solved
    assert i.result["residual"] <= 1e-11
    tol = 1e-12 * i.scale
    (Lambda_NE, Lambda_TE), (gamma_N, gamma_T) = split(i.Lambda_E), split(i.gamma_E)
    np.testing.assert_allclose(i.result["gamma_N"], gamma_N, atol=tol)
    np.testing.assert_allclose(i.result["gamma_T"], gamma_T, atol=tol)

    assert gamma_N.min() >= -tol  # no approach after the impact
    Lambda_NP, Lambda_TP = split(i.Lambda_P)
    assert Lambda_NP.min() >= -tol
    assert normal_defect(Lambda_NP, gamma_N) <= tol

    Lambda_TC = i.result["Lambda_TC"]
    stored = i.mu * i.nu * Lambda_NE * np.sign(Lambda_TC) + i.e_N * i.e_T * Lambda_TC  # (8.37)
    half = i.mu * Lambda_NE - np.abs(stored) / 2
    assert half.min() >= -tol  # (8.32)
    assert (np.abs(stored) <= i.mu * Lambda_NE + i.e_N * np.abs(Lambda_TC) + tol).all()  # (8.33)
    assert (np.abs(Lambda_TE - stored / 2) <= half + tol).all()  # (8.31)
    lower, upper = stored / 2 - half, stored / 2 + half
    assert friction_defect(Lambda_TE, gamma_T, lower, upper) <= tol
    assert (Lambda_TP * gamma_T <= tol * i.scale).all()  # (8.36)
    returned = i.e_N * Lambda_TC  # Λ_TP = 0 is admissible
    assert (lower - tol <= returned).all()
    assert (returned <= upper + tol).all()


@law
@given(seed=seeds)
def test_energy_of_an_impact_is_accounted_for(seed: int) -> None:
    """P23: (8.56) and (8.52), whatever the parameters.

    Measured over 6000 impacts: below 6e-14 of the energies involved.
    """
    i = random_impact(seed)
    tol = 1e-11 * i.energy_scale
    given_back = np.tile(i.e_N, 2) * i.Lambda_C
    identity = (
        -i.Lambda_C @ i.G @ i.Lambda_C / 2
        - i.Lambda_P @ i.G @ i.Lambda_P / 2
        + given_back @ i.G @ given_back / 2
        + i.Lambda_C @ i.gamma_C
        + i.Lambda_P @ i.gamma_E
        + given_back @ i.gamma_C
    )
    assert i.energy_change == pytest.approx(identity, abs=tol)
    assert i.energy_change == pytest.approx(i.Lambda @ (i.gamma_A + i.gamma_E) / 2, abs=tol)


@law
@given(seed=seeds, e=st.sampled_from([0.0, 1.0]) | numbers(1e-3, 1))
def test_equal_restitution_never_gains_energy(seed: int, e: float) -> None:
    """P23: (8.57) with arbitrary μ, ε_T, ν, including dependent contacts."""
    i = random_impact(seed)
    equal = Impact(i.system, i.u_A, i.mu, e, i.e_T, i.nu)
    assert equal.solved
    assert equal.energy_change <= 1e-12 * equal.energy_scale


def test_unequal_restitution_with_friction_may_gain_energy() -> None:
    """(8.57) is only proven for equal ε_N; here T grows from 5 to 5 + 7/12, and this is reported.

    Four unit masses, u = (-2, -1, -2, -1), μ = 1/2, ε_N = (1, 0), ε_T = ν = 0. The contacts are
    independent and brute force finds no other compression: Λ_C = (17/9, 1/3, -1/6, -1/6), Λ_E =
    (17/9, 0, 0, 0).
    """
    system = contacts(np.eye(4), [[1, 0, 1, 1], [0, 2, 0, 0]], [[-1, -1, 1, 0], [2, -1, 0, 2]])
    i = Impact(system, [-2, -1, -2, -1], mu=0.5, e_N=[1, 0])
    assert i.solved
    assert len(enumerate_modes(i.G, i.gamma_A, i.mu, [(OPEN, STICK, PLUS, MINUS)] * 2)) == 1
    np.testing.assert_allclose(i.Lambda_C, [17 / 9, 1 / 3, -1 / 6, -1 / 6], rtol=1e-13)
    np.testing.assert_allclose(i.Lambda_E, [17 / 9, 0, 0, 0], rtol=1e-13, atol=1e-14)
    assert i.energy_change == pytest.approx(7 / 12, rel=1e-13)
    assert i.energy_change == pytest.approx(i.Lambda @ (i.gamma_A + i.gamma_E) / 2, rel=1e-13)


@pytest.mark.parametrize("e", [1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, 1e-15])
def test_little_restitution_is_close_to_none(e: float) -> None:
    """P27 for ε_N -> 0: equal ε_N = e, moderate friction, including dependent contacts.

    Measured over 2000 impacts, those solved: |γ_E - γ_C| <= e of the scale, as γ_NE = -e γ_NA.
    """
    unsolved = []
    for seed in range(300):
        i = random_impact(seed, max_mu=0.4)
        little = Impact(i.system, i.u_A, i.mu, e, i.e_T, i.nu)
        if not little.solved:
            unsolved.append((seed, little.result["status"].name))
            continue
        moved = np.abs(little.gamma_E - little.gamma_C).max()
        assert moved <= (2 * e + 1e-12) * little.scale
    assert not unsolved


@pytest.mark.parametrize("e", [0.5, 1e-3, 1e-6, 1e-9])
def test_pinched_mass_bounces_however_little(e: float) -> None:
    """A mass between two walls whose normals are opposite, which also hits a third contact.

    Compression stops it: Λ_NC = (3, 2/3, 0) without friction impulses. Between the walls it cannot
    bounce, so that only γ_NE1 = 3 e remains, less the effect of friction at the walls.
    """
    system = contacts(np.eye(2), [[1, 0], [0, 3], [0, -1]], [[1, 0], [-1, -2], [1, 0]])
    i = Impact(system, [-3, -2], mu=0.1, e_N=e)
    np.testing.assert_allclose(i.u_C, 0, atol=1e-15)
    assert i.result["status"] == LcpStatus.SOLVED
    gamma_NE = split(i.gamma_E)[0]
    np.testing.assert_allclose(gamma_NE[1:], 0, atol=1e-14)
    assert 0 < gamma_NE[0] <= 3 * e * (1 + 1e-9)


@law
@given(seed=seeds)
def test_brute_force_finds_the_same_compression(seed: int) -> None:
    """Open, stick or slip in two independent contacts, μ <= 0.4: one combination is valid."""
    i = random_impact(seed, max_mu=0.4, independent=True)
    found = enumerate_modes(i.G, i.gamma_A, i.mu, [(OPEN, STICK, PLUS, MINUS)] * i.system.nc)
    assert len(found) == 1
    names = ("Lambda_NC", "Lambda_TC")
    assert distance(i.result, names, found[0]) <= 1e-11 * i.scale


@law
@given(seed=seeds)
def test_without_restitution_expansion_adds_nothing(seed: int) -> None:
    """P27, for any ε_T and ν."""
    i = random_impact(seed)
    plastic = Impact(i.system, i.u_A, i.mu, 0.0, i.e_T, i.nu)
    assert plastic.solved
    np.testing.assert_array_equal(plastic.Lambda_E, 0.0)
    np.testing.assert_array_equal(plastic.Lambda_C, i.Lambda_C)  # compression depends only on μ


@law
@given(seed=seeds)
def test_expansion_without_tangential_restitution_is_coulomb_friction(seed: int) -> None:
    """P28: ν = ε_T = 0, |Λ_TE| <= μ Λ_NE with the plain three branches."""
    i = random_impact(seed)
    plain = Impact(i.system, i.u_A, i.mu, i.e_N, 0.0, 0.0)
    assert plain.solved
    (Lambda_NE, Lambda_TE), (_, gamma_T) = split(plain.Lambda_E), split(plain.gamma_E)
    limit = plain.mu * Lambda_NE
    assert (np.abs(Lambda_TE) <= limit + 1e-12 * plain.scale).all()
    assert friction_defect(Lambda_TE, gamma_T, -limit, limit) <= 1e-12 * plain.scale


@law
@given(seed=seeds)
def test_central_impacts_have_normal_impulses_without_friction(seed: int) -> None:
    """P26: W_Nᵀ M⁻¹ W_T = 0; normal results do not depend on μ, ν, ε_T."""
    rng = np.random.default_rng(seed)
    nc, nu = int(rng.integers(1, 4)), 7
    raw = random_contacts(rng, nu, nc)
    V = np.linalg.solve(raw.M, raw.W_N)
    W_T = raw.W_T - raw.W_N @ np.linalg.solve(raw.W_N.T @ V, V.T @ raw.W_T)
    system = Contacts(raw.M, raw.W_N, W_T)
    assert np.abs(system.G[:nc, nc:]).max() < 1e-14
    u = rng.standard_normal(nu)
    mu, e_N, e_T, reversible = rng.uniform(0, 1, (4, nc))
    rough = Impact(system, u, mu, e_N, e_T, reversible)
    smooth = Impact(system, u, 0.0, e_N)
    assert rough.solved
    assert smooth.solved
    tol = 1e-11 * rough.scale
    for name in ("Lambda_NC", "Lambda_N", "gamma_N"):
        np.testing.assert_allclose(rough.result[name], smooth.result[name], atol=tol)


# Where no energy is lost (8.58)-(8.69) --------------------------------------------------------


@law
@given(seed=seeds)
def test_smooth_elastic_impacts_keep_their_energy(seed: int) -> None:
    """8.5, case 2: ε_N = 1, μ = 0, all approaching: γ_E - γ_C = γ_C - γ_A (8.64)."""
    i = random_impact(seed)
    # Against the sum of all directions, so that most contacts approach.
    i = Impact(i.system, -i.system.jump(np.ones(i.system.nc), np.zeros(i.system.nc)), e_N=1.0)
    assume((split(i.gamma_A)[0] <= 0).all())
    assert i.solved
    assert abs(i.energy_change) <= 1e-11 * i.energy_scale
    tol = 1e-11 * i.scale
    np.testing.assert_allclose(i.u_E - i.u_C, i.u_C - i.u_A, atol=tol)
    np.testing.assert_allclose(i.Lambda_C @ i.gamma_C, 0, atol=tol * i.scale)


@law
@given(seed=seeds)
def test_fully_reversible_impacts_keep_their_energy(seed: int) -> None:
    """P24, 8.5 case 3: ε_N = ε_T = ν = 1 and no slip in compression: γ_E = -γ_A.

    Constructed backwards: Λ_C inside the cone of μ = 0.4, γ_A = -G Λ_C, so that γ_C = 0.
    """
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 3))
    system = random_contacts(rng, 2 * nc + 1, nc)
    Lambda_NC = rng.uniform(0.1, 1, nc)
    Lambda_TC = 0.4 * Lambda_NC * rng.uniform(-0.95, 0.95, nc)
    u = -system.jump(Lambda_NC, Lambda_TC)
    i = Impact(system, u, mu=0.4, e_N=1.0, e_T=1.0, nu=1.0)
    # Otherwise Λ_P = 0 does not solve the expansion: γ_NE < 0, or γ_TE has the wrong sign at the
    # shifted bound that equals Λ_TE = Λ_TC.
    gamma_NA, gamma_TA = split(i.gamma_A)
    assume((gamma_NA < 0).all() and (Lambda_TC * gamma_TA <= 0).all())
    assert i.solved
    np.testing.assert_allclose(i.Lambda_C, [*Lambda_NC, *Lambda_TC], atol=1e-11 * i.scale)
    np.testing.assert_allclose(i.gamma_E, -i.gamma_A, atol=1e-11 * i.scale)
    assert abs(i.energy_change) <= 1e-11 * i.energy_scale


# Without friction: uniqueness, Newton's law ---------------------------------------------------


def smooth_impact(
    seed: int, *, equal: bool, law_of_impact: ImpactLaw = ImpactLaw.Poisson
) -> Impact:
    """Return frictionless contacts, often dependent, most of them approaching."""
    rng = np.random.default_rng(seed)
    nu, nc = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    W_N = rng.standard_normal((nu, nc))
    u = rng.standard_normal(nu)
    W_N *= np.where(rng.random(nc) < 0.9, -np.sign(W_N.T @ u), 1.0)
    system = Contacts(random_contacts(rng, nu, 1).M, W_N, np.zeros((nu, nc)))
    e_N = rng.uniform(0, 1, nc)
    return Impact(system, u, e_N=e_N[0] if equal else e_N, law=law_of_impact)


@law
@given(seed=seeds)
def test_smooth_impacts_do_not_depend_on_order_or_copies(seed: int) -> None:
    """P32, P33: equal ε_N; permuted and duplicated contacts change Λ_N but neither u_C nor u_E."""
    i = smooth_impact(seed, equal=True)
    assert i.solved
    order = np.random.default_rng(seed).permutation(i.system.nc)
    for contact_list in (order, [*order, order[0], *order]):
        W_N, W_T = i.system.W_N[:, contact_list], i.system.W_T[:, contact_list]
        other = Impact(Contacts(i.system.M, W_N, W_T), i.u_A, e_N=i.e_N[0])
        assert other.solved
        # Velocities of order 1; the active directions are conditioned up to about 1e4.
        np.testing.assert_allclose(other.u_C, i.u_C, atol=1e-10)
        np.testing.assert_allclose(other.u_E, i.u_E, atol=1e-10)


@law
@given(seed=seeds)
def test_newton_neither_pulls_nor_penetrates_nor_gains_energy(seed: int) -> None:
    """P19, P20 with the check of 7.2: Λ_N >= 0, γ_NE >= 0 in I_S*, T_E <= T_A, (7.13)."""
    i = smooth_impact(seed, equal=False, law_of_impact=ImpactLaw.Newton)
    assert i.solved
    approaching = split(i.gamma_A)[0] <= 0
    (Lambda_N, Lambda_T), (gamma_N, _) = split(i.Lambda), split(i.gamma_E)
    tol = 1e-10 * i.scale
    np.testing.assert_array_equal(Lambda_T, 0.0)
    np.testing.assert_array_equal(Lambda_N[~approaching], 0.0)
    assert Lambda_N.min() >= 0
    assert gamma_N[approaching].min(initial=0.0) >= -tol
    pushing = Lambda_N > tol
    np.testing.assert_allclose(i.result["gamma_N"], gamma_N, atol=tol)
    assert i.energy_change <= 1e-11 * i.energy_scale
    identity = i.Lambda @ (i.gamma_A + i.gamma_E) / 2
    assert i.energy_change == pytest.approx(identity, abs=1e-10 * i.energy_scale)
    # Independent contacts with positive impulses have exactly their restitution (7.9).
    if np.linalg.matrix_rank(i.system.W_N[:, pushing], tol=1e-3) == pushing.sum():
        np.testing.assert_allclose(
            gamma_N[pushing], -i.e_N[pushing] * split(i.gamma_A)[0][pushing], atol=tol
        )


@law
@given(seed=seeds)
def test_newton_and_poisson_agree_for_equal_restitution(seed: int) -> None:
    """P25, (8.78): all contacts push in compression and γ_E = -e γ_A >= 0, so Λ_NP = 0."""
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 4))
    system = random_contacts(rng, nc + 2, nc)
    system = Contacts(system.M, system.W_N, np.zeros_like(system.W_T))
    u = -system.jump(rng.uniform(0.1, 1, nc), np.zeros(nc))
    e_N = rng.uniform(0, 1)
    poisson, newton = (
        Impact(system, u, e_N=e_N, law=kind) for kind in (ImpactLaw.Poisson, ImpactLaw.Newton)
    )
    assume((split(poisson.gamma_A)[0] < 0).all())
    np.testing.assert_allclose(poisson.Lambda, newton.Lambda, atol=1e-11 * newton.scale)
    np.testing.assert_allclose(poisson.u_E, newton.u_E, atol=1e-11 * newton.scale)
