"""Invariance of impulses: units, other bodies, contacts that do not take part, order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsmb._core.contact_laws import ImpactLaw
from tests.contact_laws.impacts import IMPULSES, LAWS_OF_IMPACT, Impact, random_impact
from tests.contact_laws.planar import contacts, law, seeds

# Scales ---------------------------------------------------------------------------------------


@law
@given(seed=seeds, velocities=st.integers(-37, 20), masses=st.integers(-40, 40))
def test_impulses_scale_with_velocities_and_masses(seed: int, velocities: int, masses: int) -> None:
    """There is no absolute threshold.

    With powers of two, results agree bitwise at 7e-12 to 1e6 times the speed.
    """
    i = random_impact(seed)
    factor = 2.0**velocities * 2.0**masses
    scaled = i.solve(2.0**velocities, 2.0**masses)
    for name in IMPULSES:
        np.testing.assert_array_equal(scaled[name], factor * i.result[name])


@pytest.mark.parametrize("velocities", [1e-11, 1e-3, 10, 1e6])
@pytest.mark.parametrize("masses", [1e-6, 1, 1e3])
def test_impulses_scale_with_any_unit(velocities: float, masses: float) -> None:
    """For independent contacts, rounding of the data changes the impulses equally little."""
    for seed in range(40):
        i = random_impact(seed, max_mu=0.4, independent=True)
        scaled = i.solve(velocities, masses)
        tol = 1e-11 * i.scale
        for name in IMPULSES:
            np.testing.assert_allclose(
                scaled[name] / (velocities * masses), i.result[name], atol=tol
            )


@pytest.mark.parametrize("small", [1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("what", ["velocity", "mass"])
def test_a_small_impact_beside_a_large_one_is_as_exact(what: str, small: float) -> None:
    """Two impacts of separate bodies in one problem: Λ = m v (1 + ε_N, ...) each."""
    mass = small if what == "mass" else 1.0
    speed = small if what == "velocity" else 1.0
    system = contacts(
        np.diag([1, 1, mass, mass]),
        [[0, 1, 0, 0], [0, 0, 0, 1]],
        [[1, 0, 0, 0], [0, 0, 1, 0]],
    )
    i = Impact(system, [0.3, -1, 0.3 * speed, -speed], mu=0.5, e_N=0.5, e_T=0.2, nu=0.9)
    assert i.solved
    # Stick: Λ_TC = -0.3, 2Λ_TS = -(0.5 · 0.9 · 0.5 + 0.5 · 0.2 · 0.3) = -0.255 shifts the upper
    # bound to 0.25 - 0.255, which is Λ_TE.
    normal, tangential = np.array([1.5, -0.305])[:, None] * [1, mass * speed]
    np.testing.assert_allclose(i.result["Lambda_N"], normal, rtol=1e-12)
    np.testing.assert_allclose(i.result["Lambda_T"], tangential, rtol=1e-6)


# Who takes part -------------------------------------------------------------------------------


@LAWS_OF_IMPACT
def test_contacts_that_do_not_take_part_get_velocities_but_no_impulse(
    law_of_impact: ImpactLaw,
) -> None:
    """Three balls in a row of which only the first pair touches (8.1)."""
    row = contacts(np.eye(3), [[-1, 1, 0], [0, -1, 1]])
    i = Impact(row, [1, 0, 0], e_N=1.0, law=law_of_impact, participants=[0])
    assert i.solved
    np.testing.assert_array_equal(i.Lambda, [1, 0, 0, 0])
    np.testing.assert_array_equal(i.result["gamma_N"], [1, -1])
    nobody = Impact(row, [1, 0, 0], e_N=1.0, law=law_of_impact, participants=[])
    assert nobody.solved
    np.testing.assert_array_equal(nobody.result["gamma_N"], nobody.gamma_A[:2])


@law
@given(seed=seeds)
def test_order_of_participants_does_not_matter(seed: int) -> None:
    """Independent contacts with moderate friction, where the solution is the only one."""
    i = random_impact(seed, max_mu=0.4, independent=True)
    back = Impact(i.system, i.u_A, i.mu, i.e_N, i.e_T, i.nu, participants=range(i.system.nc)[::-1])
    for name in IMPULSES:
        np.testing.assert_allclose(back.result[name], i.result[name], atol=1e-11 * i.scale)
