"""The pendulum that hits a moving surface (8.104)-(8.114), behaviours I to VI of E12."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ellipkinc

import nsmb

RTOL = 1e-12


def first_impact(degrees: float, v_0: float) -> nsmb.results.Event:
    """Return the first impact after the fall from 90° to φ_0."""
    system = nsmb.systems.impact_pendulum(phi_0=np.radians(degrees), v_0=v_0)
    sim = nsmb.Simulator(system, nsmb.EventDriven(impact_law="poisson", rtol=RTOL), output_step=0.0)
    event = sim.step(t_max=5.0)
    assert event is not None
    assert event.kind == nsmb.EventKind.IMPACT
    return event


def ratios(degrees: float, v_0: float, t_end: float) -> NDArray[np.float64]:
    """Return r = -γ_NE/γ_NA of all impacts, with γ_N = l φ̇ sin φ."""
    system = nsmb.systems.impact_pendulum(phi_0=np.radians(degrees), v_0=v_0)
    events = nsmb.simulate(system, t_end, rtol=RTOL, output_step=0).events
    assert set(events.kinds) == {"impact"}
    return -events.u_plus[:, 0] / events.u_minus[:, 0]


def test_pendulum_has_the_equations_of_the_book() -> None:
    """The equations are (8.104)-(8.108)."""
    system = nsmb.systems.impact_pendulum(phi_0=0.9, v_0=0.7)
    phi, omega = 1.1, -2.0
    k = system.contact_kinematics(0.0, [phi], [omega])
    k |= system.contact_quantities(0.0, [phi], [omega])
    assert system.mass_matrix(0.0, [phi])[0, 0] == 1 / 3
    assert system.forces(0.0, [phi], [omega])[0] == pytest.approx(-5 * np.sin(phi), rel=1e-15)
    sin, cos = np.sin(phi), np.cos(phi)
    assert k["g_N"][0] == pytest.approx(np.cos(0.9) - cos, rel=1e-15)
    assert k["gamma_N"][0] == pytest.approx(omega * sin, rel=1e-15)
    assert k["gamma_T"][0] == pytest.approx(omega * cos - 0.7, rel=1e-15)
    W = np.hstack([k["W_N"], k["W_T"]])
    np.testing.assert_allclose(W, [[sin, cos]], rtol=1e-15)
    assert k["w_tilde_T"][0] == -0.7
    assert abs(np.linalg.det(3 * W.T @ W)) < 1e-15


def test_fall_takes_the_time_of_the_elliptic_integral() -> None:
    """From rest at 90°, (8.104) gives φ̇² = 30 cos φ and t = ∫ dφ/√(30 cos φ)."""
    for degrees in (30.0, 60.0, 75.0):
        event = first_impact(degrees, 1.0)
        cos = np.cos(np.radians(degrees))
        assert event.u_minus[0] == pytest.approx(-np.sqrt(30 * cos), rel=1e-10)
        # sin(φ/2) = sin 45° sin ψ transforms it to (F(90° | ½) - F(ψ | ½))/√15
        psi = np.arcsin(np.sin(np.radians(degrees / 2)) / np.sin(np.pi / 4))
        t = (ellipkinc(np.pi / 2, 0.5) - ellipkinc(psi, 0.5)) / np.sqrt(15)
        assert event.t == pytest.approx(t, rel=1e-10)


@pytest.mark.parametrize(
    ("degrees", "v_0", "Lambda", "ratio"),
    [
        (30, 1, (1.243787, 1.243787, 1.243787, -0.273656), 0.226539),
        (60, 1, (0.945074, 0.945074, 0.945074, -0.303582), 0.516398),
        (70, 1, (0.833057, 0.833057, 0.833057, 0.560740), 0.912771),
        (75, 1, (0.758389, 0.758389, 0.758389, 0.758389), 1),
        (50, -1, (11.875779, -11.875779, 11.875779, -11.875779), 1),
        (60, -1, (3.527062, -3.527062, 3.527062, -3.527062), 1),
        (75, -1, (1.313568, -1.313568, 1.313568, -1.313568), 1),
    ],
)
def test_first_impact_is_that_of_the_table(
    degrees: float, v_0: float, Lambda: tuple[float, ...], ratio: float
) -> None:
    """Sums of compression and expansion, and r, agree with six digits of the table of E12."""
    event = first_impact(degrees, v_0)
    assert event.Lambda_N[0] == pytest.approx(Lambda[0] + Lambda[2], abs=1.1e-6)
    assert event.Lambda_T[0] == pytest.approx(Lambda[1] + Lambda[3], abs=1.1e-6)
    assert -event.u_plus[0] / event.u_minus[0] == pytest.approx(ratio, abs=6e-7)


def test_no_bounce_from_flat_impact_on_a_resting_surface() -> None:
    """In I, v_0 = 0 and φ_0 < 45°, it hits once and stays."""
    for degrees in (10.0, 30.0, 44.0):
        system = nsmb.systems.impact_pendulum(phi_0=np.radians(degrees), v_0=0.0)
        sol = nsmb.simulate(system, 3.0, rtol=RTOL)
        assert sol.events.kinds == ["impact"]
        assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
        assert sol.q[-1, 0] == pytest.approx(np.radians(degrees), abs=1e-13)
        assert abs(sol.u[-1, 0]) < 1e-13


@pytest.mark.parametrize("degrees", [50.0, 60.0, 80.0])
def test_reversed_sliding_dissipates(degrees: float) -> None:
    """In II, v_0 -> 0+ and φ_0 > 45°, r = tan(φ_0 - 45°) and the friction impulse reverses."""
    event = first_impact(degrees, 1e-9)
    r = -event.u_plus[0] / event.u_minus[0]
    assert r == pytest.approx(np.tan(np.radians(degrees - 45)), abs=1e-8)
    assert abs(event.Lambda_T[0]) < 1e-8  # Λ_TE = -Λ_TC
    if degrees == 60.0:
        assert event.Lambda_N[0] == pytest.approx(2 * 0.945074, abs=1.1e-6)
        assert r == pytest.approx(0.267949, abs=5.1e-7)


@pytest.mark.parametrize("degrees", [50.0, 60.0, 80.0])
def test_resting_surface_leaves_a_choice_that_is_within_the_law(degrees: float) -> None:
    """In II at v_0 = 0, r = (sin - cos)/(sin + k cos) for some |k| <= 1."""
    event = first_impact(degrees, 0.0)
    sin, cos = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    r = -event.u_plus[0] / event.u_minus[0]
    k = ((sin - cos) / r - sin) / cos
    assert -1 - 1e-9 < k < 1 + 1e-9


@pytest.mark.parametrize("degrees", [45.1, 50.0, 60.0, 75.0, 89.0])
@pytest.mark.parametrize(("mu", "e_N"), [(1.0, 1.0), (0.5, 0.8)])
def test_reversed_sliding_on_a_resting_surface(degrees: float, mu: float, e_N: float) -> None:
    """In II with k = 1 as in the book, Λ_TC = μ Λ_NC and Λ_TE = -μ Λ_NE.

    Hence r = ε_N (sin φ_0 - μ cos φ_0)/(sin φ_0 + μ cos φ_0), with μ = ε_N = 1 tan(φ_0 - 45°).
    """
    phi = np.radians(degrees)
    system = nsmb.systems.impact_pendulum(phi_0=phi, v_0=0.0, mu=mu, e_N=e_N, reversed_sliding=1)
    sim = nsmb.Simulator(system, output_step=0.0)
    event = sim.step(t_max=5.0)
    assert event is not None
    sin, cos = np.sin(phi), np.cos(phi)
    Lambda_NC = -event.u_minus[0] / 3 / (sin + mu * cos)
    assert event.Lambda_NC[0] == pytest.approx(Lambda_NC, rel=1e-12)
    assert event.Lambda_TC[0] == pytest.approx(mu * Lambda_NC, rel=1e-12)
    assert event.Lambda_N[0] == pytest.approx((1 + e_N) * Lambda_NC, rel=1e-12)
    assert event.Lambda_T[0] == pytest.approx(mu * (1 - e_N) * Lambda_NC, abs=1e-12)
    r = -event.u_plus[0] / event.u_minus[0]
    assert r == pytest.approx(e_N * (sin - mu * cos) / (sin + mu * cos), rel=1e-9)
    if mu == e_N == 1.0:
        assert r == pytest.approx(np.tan(phi - np.pi / 4), rel=1e-9)
        if degrees == 60.0:
            assert r == pytest.approx(0.2679, abs=5e-5)
            assert event.Lambda_NC[0] == pytest.approx(0.945074, abs=1e-6)


def test_without_the_option_the_choice_is_lemkes() -> None:
    """With k = 0, r = 1 - cot φ_0, 0.4226 at 60°."""
    event = first_impact(60.0, 0.0)
    assert -event.u_plus[0] / event.u_minus[0] == pytest.approx(0.4226, abs=5e-5)


@pytest.mark.parametrize(("degrees", "v_0"), [(30, 0), (30, 1), (60, 1), (60, -1), (75, 1)])
def test_the_option_changes_nothing_where_compression_is_unique(degrees: int, v_0: int) -> None:
    """This holds in all areas except II."""
    phi = np.radians(degrees)
    runs = [
        nsmb.simulate(
            nsmb.systems.impact_pendulum(phi_0=phi, v_0=v_0, reversed_sliding=option), 2.0
        )
        for option in (0, 1)
    ]
    assert runs[0].events.kinds == runs[1].events.kinds
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, atol=1e-9)
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-9)


def test_reversed_sliding_is_a_parameter_that_stays() -> None:
    system = nsmb.systems.impact_pendulum(reversed_sliding=1)
    assert system.recommended.options == {"sliding_compression": True}
    assert system.with_parameters(v_0=0.0).recommended.method.sliding_compression
    assert system.with_parameters(reversed_sliding=0).recommended.options == {}
    with pytest.raises(ValueError, match="'reversed_sliding': expected 0 or 1, got 2"):
        nsmb.systems.impact_pendulum(reversed_sliding=2)


@pytest.mark.parametrize("degrees", [30.0, 60.0, 70.0])
def test_drawn_pendulum_loses_energy_once(degrees: float) -> None:
    """In III it leaves with γ_TE = 0, φ̇_E = v_0/(l cos φ_0), and then loses no energy."""
    event = first_impact(degrees, 1.0)
    assert event.u_plus[0] == pytest.approx(1 / np.cos(np.radians(degrees)), rel=1e-12)
    r = ratios(degrees, 1.0, 3.0)
    assert len(r) >= 4
    assert r[0] < 0.95
    # The speed after a flight has the accuracy of the integration.
    np.testing.assert_allclose(r[1:], 1.0, atol=1e-9)


def test_steep_impact_preserves_energy_beyond_the_boundary() -> None:
    """In IV, cos φ_0 < 30^(-1/3), φ_0 > 71.226381°."""
    boundary = np.degrees(np.arccos(30 ** (-1 / 3)))
    assert boundary == pytest.approx(71.226381, abs=5e-7)
    np.testing.assert_allclose(ratios(boundary + 0.01, 1.0, 3.0), 1.0, atol=1e-12)
    assert ratios(boundary - 0.01, 1.0, 0.5)[0] < 0.9999


@pytest.mark.parametrize("degrees", [10.0, 30.0, 40.0, 44.0])
def test_pushed_pendulum_jams(degrees: float) -> None:
    """In V, v_0 < 0 is solvable only if tan φ_0 > μ (8.114).

    Otherwise the run ends with a status at the impact.
    """
    system = nsmb.systems.impact_pendulum(phi_0=np.radians(degrees), v_0=-1.0)
    sol = nsmb.simulate(system, 3.0, rtol=RTOL, throw=False)
    assert sol.status == "no_impact_solution"
    assert "surface" in sol.message
    assert len(sol.events) == 0
    assert sol.q[-1, 0] == pytest.approx(np.radians(degrees), abs=1e-11)


@pytest.mark.parametrize("degrees", [46.0, 60.0, 80.0])
def test_pushed_steep_pendulum_preserves_energy(degrees: float) -> None:
    """In VI, v_0 < 0, φ_0 > 45° and μ = 1, Λ_NC = J_0 |φ̇_A|/(l (sin φ_0 - cos φ_0))."""
    event = first_impact(degrees, -1.0)
    sin, cos = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    Lambda_NC = abs(event.u_minus[0]) / 3 / (sin - cos)
    assert event.Lambda_N[0] == pytest.approx(2 * Lambda_NC, rel=1e-11)
    assert event.Lambda_T[0] == pytest.approx(-2 * Lambda_NC, rel=1e-11)
    np.testing.assert_allclose(ratios(degrees, -1.0, 3.0), 1.0, atol=1e-11)


@pytest.mark.parametrize("v_0", [1.0, 0.0, -1.0])
def test_newton_would_give_the_ratio_one_everywhere(v_0: float) -> None:
    for degrees in (30.0, 60.0):
        system = nsmb.systems.impact_pendulum(phi_0=np.radians(degrees), v_0=v_0)
        method = nsmb.EventDriven(impact_law="newton", rtol=RTOL)
        event = nsmb.Simulator(system, method, output_step=0.0).step(t_max=5.0)
        assert event is not None
        assert -event.u_plus[0] / event.u_minus[0] == pytest.approx(1.0, rel=1e-13)
