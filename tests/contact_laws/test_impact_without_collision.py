"""Impacts without collision: a sliding contact that jams without approach (Painlevé).

Equation numbers: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts, 5.3 and 8.10.
"""

from typing import Any

import numpy as np
import pytest

from nsmb._core.complementarity import LcpStatus
from nsmb._core.contact_laws import ImpactLaw, solve_impact
from nsmb._core.system import UnilateralContact
from tests.contact_laws.planar import Array
from tests.contact_laws.spatial import Bodies, Contact, SpatialImpact, bodies

m, v = 2.0, 1.5
LAWS_WITH_FRICTION = pytest.mark.parametrize("law_of_impact", [ImpactLaw.Poisson, ImpactLaw.Moreau])
# μ = 5/3: a < 0 from 45° to 75.963757° (5.36).
JAMMING = [45.1, 50, 60, 63.434949, 70, 75]
SLIDING = [10, 30, 44.9, 76, 80]


def rod(degrees: float, law: UnilateralContact, slip: float, kind: ImpactLaw) -> dict[str, Any]:
    """E4, s = 1: γ_A = (0, slip)."""
    phi = np.radians(degrees)
    s, c = np.sin(phi), np.cos(phi)
    G = np.array([[1 + 3 * c**2, 3 * s * c], [3 * s * c, 1 + 3 * s**2]]) / m
    zero = np.zeros(1)
    return solve_impact(G, zero, np.array([slip]), [law], [0], kind, [], True)


def sticking(degrees: float) -> tuple[float, float]:
    """Λ_NC = ¾ m v sin φ cos φ, Λ_TC = -¼ m v (1 + 3 cos²φ)."""
    phi = np.radians(degrees)
    s, c = np.sin(phi), np.cos(phi)
    return 3 / 4 * m * v * s * c, -1 / 4 * m * v * (1 + 3 * c**2)


@LAWS_WITH_FRICTION
@pytest.mark.parametrize("degrees", JAMMING)
def test_rod_stops_where_its_reduced_mass_is_negative(
    degrees: float, law_of_impact: ImpactLaw
) -> None:
    r = rod(degrees, UnilateralContact(5 / 3, 0, 0, 0), v, law_of_impact)
    assert r["status"] == LcpStatus.SOLVED
    Lambda_N, Lambda_T = sticking(degrees)
    np.testing.assert_allclose(r["Lambda_N"], [Lambda_N], rtol=1e-12)
    np.testing.assert_allclose(r["Lambda_T"], [Lambda_T], rtol=1e-12)
    np.testing.assert_allclose([*r["gamma_N"], *r["gamma_T"]], 0, atol=1e-13)
    assert r["energy_change"] == pytest.approx(Lambda_T * v / 2, rel=1e-12)


@LAWS_WITH_FRICTION
@pytest.mark.parametrize("degrees", SLIDING)
def test_rod_slides_on_where_its_reduced_mass_is_positive(
    degrees: float, law_of_impact: ImpactLaw
) -> None:
    r = rod(degrees, UnilateralContact(5 / 3, 0.5, 0, 0), v, law_of_impact)
    assert r["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose([*r["Lambda_N"], *r["Lambda_T"]], 0, atol=1e-14)
    np.testing.assert_allclose(r["gamma_T"], [v], rtol=1e-14)


@LAWS_WITH_FRICTION
@pytest.mark.parametrize("degrees", JAMMING)
def test_a_dragged_rod_does_not_jam(degrees: float, law_of_impact: ImpactLaw) -> None:
    """Slip to the other side: a = (1 + 3 cos (cos + μ sin))/m > 0."""
    r = rod(degrees, UnilateralContact(5 / 3, 0.5, 0, 0), -v, law_of_impact)
    assert r["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose([*r["Lambda_N"], *r["Lambda_T"]], 0, atol=1e-14)


@pytest.mark.parametrize("mu", [0.0, 0.5, 1.0, 1.3])
@pytest.mark.parametrize("degrees", JAMMING + SLIDING)
def test_little_friction_never_jams(mu: float, degrees: float) -> None:
    """μ < 4/3: a > 0 for all angles."""
    r = rod(degrees, UnilateralContact(mu, 0.5, 0, 0), v, ImpactLaw.Poisson)
    assert r["status"] == LcpStatus.SOLVED
    np.testing.assert_allclose([*r["Lambda_N"], *r["Lambda_T"]], 0, atol=1e-14)


@pytest.mark.parametrize("e_N", [0.3, 1.0])
@pytest.mark.parametrize("degrees", JAMMING)
def test_what_compression_stored_lifts_the_rod(degrees: float, e_N: float) -> None:
    """Poisson: Λ_NE >= ε_N Λ_NC lifts the end with γ_NE > 0; energy is still lost (8.57)."""
    r = rod(degrees, UnilateralContact(5 / 3, e_N, 0, 0), v, ImpactLaw.Poisson)
    assert r["status"] == LcpStatus.SOLVED
    Lambda_N, Lambda_T = sticking(degrees)
    np.testing.assert_allclose(r["Lambda_NC"], [Lambda_N], rtol=1e-12)
    np.testing.assert_allclose(r["Lambda_TC"], [Lambda_T], rtol=1e-12)
    np.testing.assert_allclose(r["Lambda_N"], [(1 + e_N) * Lambda_N], rtol=1e-12)
    assert r["gamma_N"][0] > 0
    assert r["energy_change"] < 0


def test_it_is_the_limit_of_slow_approaches() -> None:
    """γ_NA = -δ: Λ_C = -G⁻¹ (-δ, v) tends to the impulses without collision."""
    zero = rod(60, UnilateralContact(5 / 3, 0, 0, 0), v, ImpactLaw.Poisson)
    phi = np.radians(60)
    s, c = np.sin(phi), np.cos(phi)
    G = np.array([[1 + 3 * c**2, 3 * s * c], [3 * s * c, 1 + 3 * s**2]]) / m
    law = [UnilateralContact(5 / 3, 0, 0, 0)]
    for delta in (1e-2, 1e-4, 1e-8):
        slow = solve_impact(G, np.array([-delta]), np.array([v]), law, [0])
        assert slow["status"] == LcpStatus.SOLVED
        exact = -np.linalg.solve(G, [-delta, v])
        np.testing.assert_allclose([*slow["Lambda_N"], *slow["Lambda_T"]], exact, rtol=1e-12)
        assert abs(slow["Lambda_N"][0] - zero["Lambda_N"][0]) <= 4 * m * delta


# The rod in space -----------------------------------------------------------------------------


def rod_in_space(degrees: float, heading: float) -> tuple[Bodies, Array]:
    """q = (x', y, φ, z'), x' along the motion; tangents rotated by -heading; sliding with v."""
    phi = np.radians(degrees)
    sin, cos = np.sin(phi), np.cos(phi)
    slide, side = np.array([1, 0, -sin, 0]), np.array([0, 0, 0, 1])
    c, s = np.cos(heading), np.sin(heading)
    system = bodies(
        m * np.diag([1, 1, 1 / 3, 1]),
        [[0, 1, -cos, 0]],
        [c * slide - s * side, s * slide + c * side],
        Contact(5 / 3),
    )
    return system, np.array([v, 0, 0, 0])


@LAWS_WITH_FRICTION
@pytest.mark.parametrize("heading", [0.0, 0.8, 4.0])
@pytest.mark.parametrize("degrees", [30, 50, 60, 70, 80])
def test_rod_in_space_stops_or_slides_on_alike(
    degrees: float, heading: float, law_of_impact: ImpactLaw
) -> None:
    system, u = rod_in_space(degrees, heading)
    i = SpatialImpact(system, u, law_of_impact, without_collision=True)
    assert i.solved
    Lambda_N, Lambda_T = sticking(degrees) if 45 < degrees < 76 else (0.0, 0.0)
    along = np.array([np.cos(heading), np.sin(heading)])
    np.testing.assert_allclose(i.Lambda, [Lambda_N, *(Lambda_T * along)], atol=1e-8)


def test_impact_without_collision_has_its_closed_form_at_every_angle() -> None:
    """(8.31) ff. with γ_N = 0: Λ = -G⁻¹ (0, γ_T), and det G = 4. μ = 5/3 jams up to 75.96°."""
    law = [UnilateralContact(5.0 / 3.0, 0.0, 0.0, 0.0)]
    for degrees in np.linspace(45.05, 75.95, 310):
        s, c = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
        g = np.array([[1.0 + 3.0 * c * c, 3.0 * s * c], [3.0 * s * c, 1.0 + 3.0 * s * s]])
        impact = solve_impact(g, np.zeros(1), np.ones(1), law, [0], without_collision=True)
        assert impact["Lambda_N"][0] == pytest.approx(0.75 * s * c, abs=1e-9)
        assert impact["Lambda_T"][0] == pytest.approx(-0.25 * (1.0 + 3.0 * c * c), abs=1e-9)
