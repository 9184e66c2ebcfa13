"""Two stacked masses under harmonic forces (6.65), the second part of E7, T6.6c."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import nsmb
from tests.systems.examples import Array, accelerations, work

OMEGA, LIMIT = 2 * np.pi, 10.0  # rad/s; μ m g, N


def forces(t: Array) -> Array:
    """Return the forces (6.65), with phase π in the second."""
    swing = np.cos(OMEGA * t)
    zero = np.zeros_like(swing)
    return np.column_stack([60 * swing, zero, -15 * swing, zero])


@pytest.fixture(scope="module")
def run() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.stick_slip_oscillator(), 10.0)


def sides(sol: nsmb.Solution, t: float) -> tuple[int, int]:
    """Return the samples before and after the events of one instant."""
    rows = np.flatnonzero(sol.t == t)
    return int(rows[0]), int(rows[-1])


def jerk(sol: nsmb.Solution, t: float, sign: int) -> Array:
    """Return ü on one side of t by differences of u inside one smooth phase, to some 1e-4."""
    h = sign * 1e-4
    side = "right" if sign > 0 else "left"
    u = [sol.at(t, side).u, *(sol.at(t + k * h).u for k in (1, 2, 3))]
    return np.asarray((2 * u[0] - 5 * u[1] + 4 * u[2] - u[3]) / h**2)


def test_first_reversal_has_a_closed_form() -> None:
    """From rest both slip under F = (60, -15), + and -, as linear oscillators until u_1 = 0."""
    sol = nsmb.simulate(nsmb.systems.stick_slip_oscillator(), 0.2)
    first = sol.events[0]
    slow, fast = OMEGA, np.sqrt(150.0)
    swing = 60.0 / (fast**2 - slow**2)

    def x_1(t: float) -> float:
        return float(swing * (np.cos(slow * t) - np.cos(fast * t)) - 0.2 * (1 - np.cos(fast * t)))

    def u_1(t: float) -> float:
        fall = -swing * slow * np.sin(slow * t) + (swing - 0.2) * fast * np.sin(fast * t)
        return float(fall)

    t = brentq(u_1, 0.1, 0.25, xtol=1e-15)
    assert first.kind == nsmb.EventKind.REVERSAL
    assert first.contacts == ("ground",)
    assert first.t == pytest.approx(t, abs=1e-13)
    assert first.q[0] == pytest.approx(x_1(t), abs=1e-13)
    assert first.u_plus[2] == pytest.approx(10 * t - 15 / slow * np.sin(slow * t), abs=1e-12)


@pytest.mark.parametrize("t", [0.0, 0.1, 0.17, 0.22, 0.25, 0.29, 0.4, 0.5, 0.7, 0.9])
def test_rest_with_unstressed_springs_is_decided_without_history(t: float) -> None:
    """The map of E7 with F of (6.65) gives the accelerations (6.59)."""
    system = nsmb.systems.stick_slip_oscillator()
    sol = nsmb.simulate(system, t, t_start=t)
    F_1, _, F_2, _ = forces(np.array([t]))[0]
    S, D, F = F_1 + F_2, F_1 - F_2, LIMIT
    regions = [
        (abs(F_2) <= F and abs(S) <= 2 * F, 0.0, 0.0),
        (S >= 2 * F and 0 <= D <= 4 * F, (S - 2 * F) / 2, (S - 2 * F) / 2),
        (S <= -2 * F and -4 * F <= D <= 0, (S + 2 * F) / 2, (S + 2 * F) / 2),
        (F_2 >= F and -3 * F <= F_1 <= F, 0.0, F_2 - F),
        (F_2 <= -F and -F <= F_1 <= 3 * F, 0.0, F_2 + F),
        (F_1 >= 3 * F and D >= 4 * F, F_1 - 3 * F, F_2 + F),
        (F_1 <= -3 * F and D <= -4 * F, F_1 + 3 * F, F_2 - F),
    ]
    a_1, a_2 = next((a, b) for inside, a, b in regions if inside)
    np.testing.assert_allclose(accelerations(sol)[0], [a_1, 0.0, a_2, 0.0], atol=1e-12)


def test_velocities_are_continuous_and_positions_smooth(run: nsmb.Solution) -> None:
    """There are no impacts (T6.6c)."""
    assert set(run.events.kinds) == {"stick", "slip", "reversal"}
    np.testing.assert_allclose(run.events.u_plus, run.events.u_minus, rtol=0, atol=1e-12)


def test_slip_that_ends_or_turns_makes_accelerations_jump(run: nsmb.Solution) -> None:
    """Reversal jumps by 2 μ λ_N, at the upper contact in both coordinates (T6.6c)."""
    both = 0
    for event in run.events.of_kind("reversal", "stick"):
        before, behind = (accelerations(run, row)[0] for row in sides(run, event.t))
        jump = np.abs(behind - before)[[0, 2]]
        assert jump.max() > 0.1
        if event.kind == nsmb.EventKind.REVERSAL and event.contacts == ("masses",):
            np.testing.assert_allclose(jump, 2 * LIMIT, rtol=1e-10)
        if event.contacts == ("masses",):
            both += bool(jump.min() > 0.1)
    assert both > 3


def test_slip_that_begins_makes_a_kink(run: nsmb.Solution) -> None:
    """Accelerations are continuous at the end of sticking, their slopes are not (T6.6c)."""
    seen = 0
    times = run.events.t
    for event in run.events.of_kind("slip"):
        others = np.abs(times - event.t)
        if (others[others > 0] < 1e-3).any() or (others == 0).sum() > 1:
            continue  # other events at the same instant, or too close for differences
        before, behind = (accelerations(run, row)[0] for row in sides(run, event.t))
        np.testing.assert_allclose(behind, before, rtol=0, atol=1e-8)
        kink = np.abs(jerk(run, event.t, +1) - jerk(run, event.t, -1))[[0, 2]]
        assert kink.max() > 1.0
        seen += 1
    assert seen > 3


def test_energy_comes_from_the_forces_and_goes_into_friction(run: nsmb.Solution) -> None:
    stored = 0.5 * (run.u**2).sum(axis=1) + 75.0 * run.q[:, 0] ** 2
    gained = work(run, forces) - run.friction_loss[-1].sum()
    assert run.friction_loss[-1].min() > 10.0
    assert stored[-1] - stored[0] == pytest.approx(gained, abs=1e-9)


def test_motion_becomes_periodic_with_the_forces(run: nsmb.Solution) -> None:
    """The period is 1 s.

    Friction removes the influence of the start, but the upper mass may drift.
    """
    late = nsmb.simulate(nsmb.systems.stick_slip_oscillator(), 40.0)
    a, b = late.at(38.3), late.at(39.3)
    np.testing.assert_allclose(a.u, b.u, rtol=0, atol=1e-9)
    assert a.q[0] == pytest.approx(b.q[0], abs=1e-9)
