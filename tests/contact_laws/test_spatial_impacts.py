"""Random impacts with two tangential directions: the laws contact by contact, energy.

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, chapter 8; (26),
(27): Wösle & Pfeiffer, J. Vibration and Control 2 (1996). Planar contacts, ellipses and friction
elements that share a normal force are among the contacts.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsmb._core.contact_laws import ImpactLaw
from tests.contact_laws.planar import Array, law, normal_defect, seeds
from tests.contact_laws.spatial import (
    Contact,
    SpatialImpact,
    bodies,
    dissipation_gap,
    ellipse_norm,
    random_spatial_system,
)
from tests.support.draws import numbers

# Residuals accepted by the solver of friction problems are 1e-10 of the largest velocity; measured
# over 6000 impacts: 4e-11. Tolerances of 2e-9 leave room for the condition of G.
TOL = 2e-9


def check_coulomb(i: SpatialImpact, Lambda: Array, gamma: Array) -> None:
    """Check 0 <= Λ_N ⟂ γ_N >= 0, |Λ_T| <= μ Λ_N, -γ_T ∈ N_C(Λ_T), and friction work <= 0."""
    s, tol = i.system, TOL * i.scale
    unilateral = s.unilateral
    Lambda_N, gamma_N = Lambda[unilateral], gamma[unilateral]
    assert Lambda_N.min() >= 0
    assert gamma_N.min() >= -tol
    assert normal_defect(Lambda_N, gamma_N) <= tol
    tangential = zip(s.contacts, i.tangential(Lambda), i.tangential(gamma), strict=True)
    for k, (contact, force, rate) in enumerate(tangential):
        radius = contact.mu * Lambda[s.normals[k]]
        assert ellipse_norm(force, contact.aspect) <= radius + tol
        assert dissipation_gap(force, rate, radius, contact.aspect) <= tol * i.scale
        assert force @ rate <= tol * i.scale


@law
@given(seed=seeds)
def test_compression_obeys_its_law_contact_by_contact(seed: int) -> None:
    """P21, P30 with vectors: (8.13), (8.23), T_C <= T_A by (8.52), including dependent contacts."""
    i = SpatialImpact(*random_spatial_system(seed))
    assert i.solved
    check_coulomb(i, i.Lambda_C, i.gamma_C)
    T = i.system.kinetic_energy
    lost = T(i.u_C) - T(i.u_A)
    assert lost <= TOL * i.energy_scale
    expected = i.Lambda_C @ (i.gamma_C + i.gamma_A) / 2
    assert lost == pytest.approx(expected, abs=1e-11 * i.energy_scale)
    assert i.result["compression_change"] == pytest.approx(expected, abs=1e-12 * i.energy_scale)


@law
@given(seed=seeds)
def test_expansion_obeys_its_law_contact_by_contact(seed: int) -> None:
    """P22 with vectors: (8.26)-(8.30); (8.31) with (8.37), sgn(Λ_TC) the direction of Λ_TC."""
    i = SpatialImpact(*random_spatial_system(seed))
    assert i.solved
    s, tol = i.system, TOL * i.scale
    np.testing.assert_allclose(i.result["gamma_N"], i.gamma_E[: s.nc], atol=1e-12 * i.scale)
    np.testing.assert_allclose(i.result["gamma_T"], i.gamma_E[s.nc :], atol=1e-12 * i.scale)
    assert i.gamma_E[s.unilateral].min() >= -tol
    Lambda_NP = i.Lambda_P[s.unilateral]
    assert Lambda_NP.min() >= -1e-14 * i.scale
    assert normal_defect(Lambda_NP, i.gamma_E[s.unilateral]) <= tol

    stored = zip(
        s.contacts, s.normals, *(i.tangential(v) for v in (i.Lambda_C, i.Lambda_E)), strict=True
    )
    for (contact, normal, Lambda_TC, Lambda_TE), Lambda_TP, gamma_TE in zip(
        stored, i.tangential(i.Lambda_P), i.tangential(i.gamma_E), strict=True
    ):
        Lambda_NE = i.Lambda_E[normal]
        e_N, aspect = s.contacts[normal].e_N, contact.aspect
        norm = ellipse_norm(Lambda_TC, aspect)
        direction = Lambda_TC / norm if norm > 0 else 0 * Lambda_TC
        twice = contact.mu * contact.nu * Lambda_NE * direction + e_N * contact.e_T * Lambda_TC
        centre, radius = twice / 2, contact.mu * Lambda_NE - ellipse_norm(twice, aspect) / 2
        assert radius >= -tol  # (8.32)
        assert ellipse_norm(Lambda_TE - centre, aspect) <= radius + tol
        gap = dissipation_gap(Lambda_TE - centre, gamma_TE, radius, aspect)
        assert gap <= tol * i.scale
        # The returned impulse is admissible, so that Λ_P dissipates energy (8.36).
        assert ellipse_norm(e_N * Lambda_TC - centre, aspect) <= radius + tol
        assert Lambda_TP @ gamma_TE <= tol * i.scale


@law
@given(seed=seeds, dependent=st.booleans())
def test_moreau_obeys_coulomb_with_its_restituted_velocities(seed: int, dependent: bool) -> None:
    """The law of one phase in ξ = γ_E + ε γ_A, with restitution of approaching contacts only.

    The restitutions of dependent contacts may contradict each other; then there is no restitution.
    """
    system, u = random_spatial_system(seed, independent=not dependent)
    i = SpatialImpact(system, u, ImpactLaw.Moreau)
    assert i.solved
    np.testing.assert_array_equal(i.Lambda_C, 0.0)
    e_N, e_T = system.all("e_N"), system.all("e_T")
    restituted = np.concatenate(
        [
            e_N * np.minimum(i.gamma_A[: system.nc], 0.0),
            np.repeat(e_T, [c.tangents for c in system.contacts]) * i.gamma_A[system.nc :],
        ]
    )
    normal = (i.Lambda[system.unilateral], (i.gamma_E + restituted)[system.unilateral])
    if dependent and normal_defect(*normal) > TOL * i.scale:
        restituted[:] = 0.0
    check_coulomb(i, i.Lambda, i.gamma_E + restituted)
    assert i.gamma_E[system.unilateral].min() >= -TOL * i.scale


# Energy ---------------------------------------------------------------------------------------


@law
@given(seed=seeds)
def test_energy_of_an_impact_is_accounted_for(seed: int) -> None:
    """P23, (8.56) with vectors, whatever the parameters; measured: below 1e-13 of the energies."""
    i = SpatialImpact(*random_spatial_system(seed))
    given_back = i.given_back * i.Lambda_C
    identity = (
        -i.Lambda_C @ i.G @ i.Lambda_C / 2
        - i.Lambda_P @ i.G @ i.Lambda_P / 2
        + given_back @ i.G @ given_back / 2
        + i.Lambda_C @ i.gamma_C
        + i.Lambda_P @ i.gamma_E
        + given_back @ i.gamma_C
    )
    assert i.energy_change == pytest.approx(identity, abs=1e-12 * i.energy_scale)


@law
@given(seed=seeds, law_of_impact=st.sampled_from(list(ImpactLaw.__members__.values())))
def test_the_energy_book_adds_up(seed: int, law_of_impact: ImpactLaw) -> None:
    """The works of all impulses add up to T_E - T_A of the bodies (7.13).

    Each is its ½ Λᵀ(γ + γ).
    """
    i = SpatialImpact(*random_spatial_system(seed), law_of_impact)
    if not i.solved:
        assert law_of_impact == ImpactLaw.Moreau
        return
    r, s, tol = i.result, i.system, 1e-12 * i.energy_scale
    assert r["energy_change"] == pytest.approx(i.energy_change, abs=10 * tol)
    assert r["work_N"].sum() + r["work_T"].sum() == pytest.approx(r["energy_change"], abs=tol)
    work = i.Lambda_C * (i.gamma_A + i.gamma_C) / 2 + i.Lambda_E * (i.gamma_C + i.gamma_E) / 2
    if law_of_impact != ImpactLaw.Poisson:
        assert r["compression_change"] == 0.0
        work = i.Lambda * (i.gamma_A + i.gamma_E) / 2
    np.testing.assert_allclose(r["work_N"], work[: s.nc], atol=tol)
    np.testing.assert_allclose(r["work_T"], [w.sum() for w in i.tangential(work)], atol=tol)


@law
@given(seed=seeds, e=st.sampled_from([0.0, 1.0]) | numbers(1e-3, 1))
def test_equal_restitution_never_gains_energy(seed: int, e: float) -> None:
    """(8.57) with vectors: any μ, ε_T, ν and aspect, including dependent contacts."""
    system, u = random_spatial_system(seed)
    i = SpatialImpact(system.having(e_N=e), u)
    assert i.solved
    assert i.energy_change <= TOL * i.energy_scale


@law
@given(seed=seeds)
def test_without_restitution_expansion_adds_nothing(seed: int) -> None:
    """P27, for any ε_T and ν."""
    system, u = random_spatial_system(seed)
    i = SpatialImpact(system.having(e_N=0.0), u)
    assert i.solved
    np.testing.assert_array_equal(i.Lambda_E, 0.0)


# Many dependent contacts, little restitution --------------------------------------------------


def body_on_feet(seed: int) -> SpatialImpact:
    """A rigid body falls on 3 to 8 feet: 9 to 24 rows, six degrees of freedom, equal ε_N."""
    rng = np.random.default_rng(seed)
    w_N, w_T, e_N = [], [], rng.random()
    for x, y in rng.uniform(-1, 1, (int(rng.integers(3, 9)), 2)):
        for axis, rows in zip(np.eye(3), (w_T, w_T, w_N), strict=True):
            rows.append([*axis, *np.cross([x, y, -0.5], axis)])
    feet = [Contact(rng.uniform(0, 1.5), e_N, *rng.random(2)) for _ in w_N]
    system = bodies(np.diag([1, 1, 1, 0.2, 0.3, 0.4]), w_N, w_T, *feet)
    return SpatialImpact(system, rng.standard_normal(6))


def test_bodies_on_many_feet_obey_the_law_and_lose_energy() -> None:
    """Measured over 1500 impacts: all solved."""
    for seed in range(200):
        i = body_on_feet(seed)
        assert i.solved
        check_coulomb(i, i.Lambda_C, i.gamma_C)
        assert i.gamma_E[i.system.unilateral].min() >= -TOL * i.scale
        assert i.energy_change <= TOL * i.energy_scale


@pytest.mark.parametrize("e", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_little_restitution_is_close_to_none(e: float) -> None:
    """P27 for ε_N -> 0: |γ_E - γ_C| <= 2 e of the scale, including dependent contacts."""
    for seed in range(100):
        system, u = random_spatial_system(seed, max_mu=0.4)
        i = SpatialImpact(system.having(e_N=e), u)
        assert i.solved
        assert np.abs(i.gamma_E - i.gamma_C).max() <= (2 * e + 1e-12) * i.scale
