"""Moreau's impact: Newton's restitution with Coulomb friction on velocity level, in one phase.

The law in ξ = γ_E + ε γ_A: 0 <= Λ_N ⟂ ξ_N >= 0, |Λ_T| <= μ Λ_N and ξ_T against Λ_T. Its energy is
not bounded, which is the objection of section 8.10 to Newton's restitution with friction. Equation
numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts.
"""

import numpy as np
import pytest
from hypothesis import assume, given

from nsmb._core.contact_laws import ImpactLaw, solve_impact
from nsmb._core.system import UnilateralContact
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
    law,
    random_contacts,
    seeds,
)

MOREAU, NEWTON, POISSON = ImpactLaw.Moreau, ImpactLaw.Newton, ImpactLaw.Poisson


@law
@given(seed=seeds)
def test_without_friction_it_is_newtons_law(seed: int) -> None:
    """(7.11) with unequal ε_N, independent contacts that approach and have positive impulses."""
    rng = np.random.default_rng(seed)
    nc = int(rng.integers(1, 4))
    system = random_contacts(rng, nc + 2, nc)
    system = Contacts(system.M, system.W_N, np.zeros_like(system.W_T))
    e_N = rng.uniform(0, 1, nc)
    Lambda = rng.uniform(0.1, 1, nc)
    gamma = -(system.G[:nc, :nc] @ Lambda) / (1 + e_N)
    assume((gamma < 0).all())
    u = np.linalg.lstsq(system.W_N.T, gamma, rcond=None)[0]
    moreau, newton = (Impact(system, u, e_N=e_N, law=kind) for kind in (MOREAU, NEWTON))
    assert moreau.solved
    np.testing.assert_allclose(moreau.result["Lambda_N"], Lambda, rtol=1e-9)
    np.testing.assert_allclose(moreau.Lambda, newton.Lambda, atol=1e-11 * newton.scale)
    np.testing.assert_allclose(split(moreau.gamma_E)[0], -e_N * gamma, atol=1e-11 * newton.scale)


@law
@given(seed=seeds)
def test_brute_force_finds_the_same_impact(seed: int) -> None:
    """Open, stick or slip in ξ, two independent contacts, μ <= 0.4: one combination is valid."""
    p = random_impact(seed, max_mu=0.4, independent=True)
    i = Impact(p.system, p.u_A, p.mu, p.e_N, p.e_T, law=MOREAU)
    gamma_N, gamma_T = split(i.gamma_A)
    b = np.concatenate([gamma_N + i.e_N * np.minimum(gamma_N, 0), (1 + i.e_T) * gamma_T])
    found = enumerate_modes(i.G, b, i.mu, [(OPEN, STICK, PLUS, MINUS)] * i.system.nc)
    assert len(found) == 1
    assert i.solved
    assert distance(i.result, ("Lambda_N", "Lambda_T"), found[0]) <= 1e-11 * i.scale


@pytest.mark.parametrize("e_N", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("e_T", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("speed", [-0.3, 0.2, 4.0])
def test_a_central_contact_has_a_closed_form(e_N: float, e_T: float, speed: float) -> None:
    """m = 2: Λ_N = m (1 + ε_N); Λ_T = -m (1 + ε_T) v, limited to μ Λ_N."""
    point = contacts(2 * np.eye(2), [[0, 1]], [[1, 0]])
    i = Impact(point, [speed, -1], mu=0.5, e_N=e_N, e_T=e_T, law=MOREAU)
    limit = 0.5 * 2 * (1 + e_N)
    expected = [2 * (1 + e_N), -np.clip(2 * (1 + e_T) * speed, -limit, limit)]
    np.testing.assert_allclose(i.Lambda, expected, rtol=1e-13)
    np.testing.assert_allclose(i.gamma_E, [e_N, speed + expected[1] / 2], atol=1e-14)
    np.testing.assert_array_equal(i.Lambda_C, 0.0)


def test_a_separating_contact_has_nothing_to_restitute() -> None:
    pair = contacts(np.eye(2), [[-1, 1]], [[0.5, 1]])
    i = Impact(pair, [-1, 3], mu=0.5, e_N=1.0, e_T=1.0, law=MOREAU)
    assert i.solved
    np.testing.assert_array_equal(i.Lambda, 0.0)


# Energy ---------------------------------------------------------------------------------------

# G = (1, -1/2; -1/2, 1): normal impulses drive the contact point along t.
ECCENTRIC = contacts(np.eye(2), [[1, 0]], [[-1 / 2, np.sqrt(3) / 2]])


def eccentric(kind: ImpactLaw) -> Impact:
    """γ_A = (-1, 1/2), ε_N = 1, μ = 1/2."""
    u = np.linalg.solve(ECCENTRIC.W.T, [-1, 1 / 2])
    return Impact(ECCENTRIC, u, mu=0.5, e_N=1.0, law=kind)


def test_moreau_gains_energy_where_poisson_loses_it() -> None:
    """One contact that sticks at the end.

    Moreau: Λ = -G⁻¹ (-2, 1/2) = (7/3, 2/3), and the work of friction is ½ · 2/3 · 1/2 = 1/6.
    Poisson: Λ_C = (1, 0), Λ_E = (1, 1/2), T_E - T_A = -1/8.
    """
    moreau, poisson = eccentric(MOREAU), eccentric(POISSON)
    np.testing.assert_allclose(moreau.Lambda, [7 / 3, 2 / 3], rtol=1e-13)
    np.testing.assert_allclose(moreau.gamma_E, [1, 0], atol=1e-14)
    assert moreau.energy_change == pytest.approx(1 / 6, rel=1e-13)
    assert moreau.result["energy_change"] == pytest.approx(1 / 6, rel=1e-13)
    np.testing.assert_allclose(moreau.result["work_T"], [1 / 6], rtol=1e-13)
    np.testing.assert_allclose(moreau.result["work_N"], [0], atol=1e-14)

    np.testing.assert_allclose(poisson.Lambda_C, [1, 0], atol=1e-14)
    np.testing.assert_allclose(poisson.Lambda_E, [1, 1 / 2], rtol=1e-13)
    assert poisson.energy_change == pytest.approx(-1 / 8, rel=1e-13)
    assert poisson.result["energy_change"] == pytest.approx(-1 / 8, rel=1e-13)


def test_moreau_gains_energy_in_some_random_impacts_where_poisson_never_does() -> None:
    """Equal ε_N with friction, ε_T = ν = 0: the test only requires that this occurs."""
    gained = 0
    for seed in range(400):
        p = random_impact(seed, independent=True)
        e_N = p.e_N[0]
        moreau, poisson = (
            Impact(p.system, p.u_A, p.mu, e_N, law=kind) for kind in (MOREAU, POISSON)
        )
        assert moreau.solved
        assert poisson.solved
        assert poisson.result["energy_change"] <= 1e-12 * poisson.energy_scale
        gained += moreau.result["energy_change"] > 1e-3 * moreau.energy_scale
    assert gained > 0


@law
@given(seed=seeds)
def test_without_restitution_moreau_is_poissons_compression(seed: int) -> None:
    """ε_N = ε_T = 0: both are (8.13) and (8.23), and no energy is gained."""
    p = random_impact(seed, max_mu=0.4, independent=True)
    moreau = Impact(p.system, p.u_A, p.mu, law=MOREAU)
    np.testing.assert_allclose(moreau.Lambda, p.Lambda_C, atol=1e-11 * p.scale)
    assert moreau.result["energy_change"] <= 1e-12 * moreau.energy_scale


def test_poisson_reports_the_energy_it_gains_with_unequal_restitution() -> None:
    """P23, the four masses of the counterexample to (8.57): 7/12 more, reported in energy_change.

    Compression loses, expansion gains.
    """
    system = contacts(np.eye(4), [[1, 0, 1, 1], [0, 2, 0, 0]], [[-1, -1, 1, 0], [2, -1, 0, 2]])
    i = Impact(system, [-2, -1, -2, -1], mu=0.5, e_N=[1, 0])
    r = i.result
    assert r["energy_change"] == pytest.approx(7 / 12, rel=1e-13)
    T = system.kinetic_energy
    assert r["compression_change"] == pytest.approx(T(i.u_C) - T(i.u_A), rel=1e-13)
    assert r["compression_change"] < 0
    assert r["work_N"].sum() + r["work_T"].sum() == pytest.approx(7 / 12, rel=1e-13)


@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_moreaus_mass_between_two_walls_does_not_penetrate(e_N: float) -> None:
    """The mass touches both walls and moves at one.

    The restitutions contradict each other, so the mass stops.
    """
    g = np.zeros((4, 4))
    g[:2, :2] = [[1.0, -1.0], [-1.0, 1.0]]
    gamma_N = np.array([-1.0, 1.0])
    walls = [UnilateralContact(0.0, e_N, 0.0, 0.0)] * 2
    impact = solve_impact(g, gamma_N, np.zeros(2), walls, [0, 1], law=MOREAU)
    after = gamma_N + g[:2, :2] @ impact["Lambda_N"]
    assert impact["Lambda_N"].min() >= 0.0
    np.testing.assert_allclose(after, 0.0, atol=1e-12)
