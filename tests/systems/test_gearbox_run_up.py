"""A gearbox behind an accelerating engine (fig. 12.13): excitation, detachment, noise curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import nsmb
from nsmb.systems import gearbox_branched, gearbox_run_up
from nsmb.systems.gears.gearbox_run_up import GearboxRunUpParameters
from tests.systems.examples import contact_errors

SOFT = {"I_F": 0.1, "I_G": 0.08, "c_C": 120.0}  # a dual-mass flywheel


def excitation(p: GearboxRunUpParameters, t: float) -> float:
    """Return e(t) = r_e Im(entrance exp(iθ)), θ = order ∫Ω dt."""
    rise = (p.Omega_1 - p.Omega_0) / p.duration
    theta = p.order * (p.Omega_0 * t + 0.5 * rise * t**2)
    entrance = gearbox_run_up.entrance(p, p.Omega_0 + rise * t)[0]
    return float(p.r_e * (entrance * np.exp(1j * theta)).imag)


@pytest.mark.parametrize("car", [{}, SOFT])
def test_the_entrance_is_the_steady_motion_of_the_drive_train(car: dict[str, float]) -> None:
    """The reference uses matrix exponentials until transients have decayed, T_E/c_S at rest."""
    system = gearbox_run_up(**car)
    p = dict(system.parameters)
    omega = 2.0 * 200.0
    A = np.zeros((6, 6))  # for angles, speeds, sin ωt, cos ωt
    A[:2, 2:4] = np.eye(2)
    A[2] = [-p["c_C"], p["c_C"], -p["d_C"], p["d_C"], p["T_E"], 0.0]
    A[3] = [p["c_C"], -p["c_C"] - p["c_S"], p["d_C"], -p["d_C"] - p["d_S"], 0.0, 0.0]
    A[2:4] /= np.array([[p["I_F"]], [p["I_G"]]])
    A[4, 5], A[5, 4] = omega, -omega
    turn = 2.0 * np.pi / omega
    late = np.linalg.matrix_power(expm(A * turn), 2**12) @ np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    quarter = expm(A * turn / 4.0) @ late
    entrance = gearbox_run_up.entrance(system, 200.0)[0]
    # Transients have decayed by exp(-100) or more. The error is rounding of 12 squarings.
    np.testing.assert_allclose(
        [late[1], quarter[1]], [entrance.imag, entrance.real], rtol=0, atol=1e-12
    )
    assert gearbox_run_up.entrance(system, 0.0)[0] == pytest.approx(p["T_E"] / p["c_S"], rel=1e-14)


@pytest.mark.parametrize("car", [{}, SOFT])
def test_the_drive_turns_as_the_entrance_says_at_each_speed(car: dict[str, float]) -> None:
    """By (12.2), -g_N of the driving flank of the counter wheel at φ = 0 is e(t)."""
    system, p = gearbox_run_up(**car), GearboxRunUpParameters(**car)
    for t in (0.0, 0.3, 1.7, 4.9, 6.0):
        gap = system.contact_quantities(t, np.zeros(system.nq), np.zeros(system.nu))["g_N"][0]
        assert -gap == pytest.approx(excitation(p, t), rel=1e-9, abs=1e-16)


def test_contact_directions_are_derivatives_of_the_gaps() -> None:
    """(4.38), (4.45) hold for an engine slow enough for differences over 1e-5 s."""
    system = gearbox_run_up(Omega_0=1.0, Omega_1=4.0, duration=5.0, loose="all")
    rng = np.random.default_rng(5)
    q, u = rng.uniform(-1.0, 1.0, (2, 7))
    for t in (0.0, 2.3, 7.0):
        assert contact_errors(system, t, q, u).max() < 1e-8


def test_at_a_kept_speed_it_is_the_gearbox_with_one_frequency() -> None:
    """Integrated rotations from energies agree with backlashes as a linear closed-form system."""
    Omega = 150.0  # half of omega_d, for equal damping
    up = gearbox_run_up(Omega_0=Omega, Omega_1=Omega, loose="all", gear="fourth")
    entrance = gearbox_run_up.entrance(up, Omega)[0]
    one = gearbox_branched(A=abs(entrance), omega=2.0 * Omega, loose="all")
    # θ of the engine and ωt of the gearbox differ by the phase of the entrance.
    late = float(np.angle(entrance)) % (2.0 * np.pi) / (2.0 * Omega)
    plays = np.linspace(-0.8e-4, -0.2e-4, 7)
    here = nsmb.State(late, plays, np.zeros(7))
    # φ and φ̇ for these backlashes at t = 0, as rows of -g_N are affine in φ.
    empty = up.contact_quantities(0.0, np.zeros(7), np.zeros(7))
    W = up.contact_kinematics(0.0, np.zeros(7), np.zeros(7))["W_N"][:, ::2]
    phi = np.linalg.solve(W.T, -plays - empty["g_N"][::2])
    phi_dot = np.linalg.solve(W.T, -empty["gamma_N"][::2])
    duration = 0.05
    fast = nsmb.EventDriven(impact_law="newton", rtol=1e-12, atol=1e-14)
    theirs = nsmb.simulate(one, late + duration, start=here, output_step=0.0).events
    ours = nsmb.simulate(
        up, duration, start=nsmb.State(0.0, phi, phi_dot), method=fast, output_step=0.0
    ).events
    assert len(ours) == len(theirs) > 100
    # Rounding grows in chaos. Measured: 2e-11 s and 2e-10 N s.
    np.testing.assert_allclose(ours.t, theirs.t - late, rtol=0, atol=1e-8)
    np.testing.assert_allclose(ours.Lambda_N, theirs.Lambda_N, rtol=0, atol=1e-8)


def test_wheels_leave_their_flanks_where_the_drive_lets_them_go() -> None:
    """In third gear, a wheel follows its flank until I φ̈ + d φ̇ + T_r = 0 (12.1).

    r φ = e R/r_counter, with e by differences.
    """
    p = GearboxRunUpParameters(gear="third", loose="all", duration=5.0, T_E=6.0, T=0.03)
    system = gearbox_run_up(**p.values())
    values = p.values()
    size = 1e-5  # s

    def force(t: float, wheel: str) -> float:
        e = [excitation(p, t + k * size) for k in (-2, -1, 0, 1, 2)]
        first = (e[0] - 8.0 * e[1] + 8.0 * e[3] - e[4]) / (12.0 * size)
        second = (-e[0] + 16.0 * e[1] - 30.0 * e[2] + 16.0 * e[3] - e[4]) / (12.0 * size**2)
        drive = second + p.beta * p.omega_d * first
        turned = drive * values[f"R_{wheel}"] / p.r_counter / values[f"r_{wheel}"]
        return float(values[f"I_{wheel}"] * turned + p.T)

    sol = nsmb.simulate(system, 2.5, output_step=0.0)
    for wheel in ("first", "second", "fifth"):
        left = float(sol.events.of_kind("detach").at_contact(f"{wheel}.driving").t[0])
        exact = brentq(force, left - 2e-4, left + 2e-4, args=(wheel,), xtol=1e-12)
        assert left == pytest.approx(exact, abs=1e-9)  # measured 3e-12 s
        earlier = np.arange(max(0.0, left - 0.05), left - 1e-4, 2e-4)
        assert min(force(t, wheel) for t in earlier) > 0.0


def test_the_noise_curve_is_the_sum_of_impulses_in_each_piece() -> None:
    """(12.9) is evaluated by hand."""
    sol = nsmb.simulate(gearbox_run_up(duration=5.0), 1.0, output_step=0.0)
    curve = gearbox_run_up.noise(sol, pieces=4)
    np.testing.assert_allclose(curve.Omega, 104.7 + 104.72 * np.array([0.125, 0.375, 0.625, 0.875]))
    hits = sol.events.of_kind("impact")
    for k in range(4):
        here = hits[(hits.t >= 0.25 * k) & (hits.t < 0.25 * (k + 1))]
        N = np.unique(here.t).size
        assert N > 50
        assert curve.noise[k] == pytest.approx(np.abs(here.Lambda_N).sum() / N, rel=1e-12)
        assert curve.rate[k] == pytest.approx(4.0 * N, rel=1e-12)
    forces = sum(curve.force.values())
    np.testing.assert_allclose(forces, curve.noise * curve.rate, rtol=1e-12)
    assert list(curve.force) == ["counter", "first", "third", "idler", "reverse"]


def test_a_quiet_engine_makes_no_noise() -> None:
    """Drag holds every wheel on its flank while A ω² is small enough."""
    sol = nsmb.simulate(gearbox_run_up(T_E=0.3), 0.5, output_step=0.0)
    curve = gearbox_run_up.noise(sol, pieces=3)
    assert (curve.noise == 0.0).all()
    assert (curve.rate == 0.0).all()


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="parameter 'order': expected a whole number"):
        gearbox_run_up(order=1.5)
    with pytest.raises(ValueError, match="parameter 'duration': expected a number > 0, got 0"):
        gearbox_run_up(duration=0.0)
    with pytest.raises(ValueError, match="data: expected a gearbox_run_up, got 'gear_rattling'"):
        gearbox_run_up.entrance(nsmb.systems.gear_rattling(), 100.0)
    other = nsmb.simulate(nsmb.systems.gear_rattling(), 1.0)
    with pytest.raises(ValueError, match="expected a gearbox_run_up, got 'gear_rattling'"):
        gearbox_run_up.noise(other)
    with pytest.raises(ValueError, match="pieces: expected a whole number"):
        gearbox_run_up.noise(nsmb.simulate(gearbox_run_up(), 0.01), pieces=0)
