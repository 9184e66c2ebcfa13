"""The oscillator with backlash (12.2) agrees with its describing function and known numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import nsmb
from nsmb.systems import ship_turning_gear
from tests.support.draws import numbers
from tests.systems.examples import Array

law = settings(max_examples=60, derandomize=True, deadline=None)

# Amplitudes x_0/(F_0/c) of (12.35), (12.36) for D_L = 0.05, the outer two of three.
RATIOS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
TABLE = {
    0.0: [(1.556,), (1.943,), (2.712,), (4.757,), (10.0,), (2.193,)],
    1.0: [(2.533,), (3.155,), (4.367,), (7.311,), (7.715,), (0.893,)],
    2.0: [(3.490,), (4.342,), (5.962,), (9.454,), (0.995,), (0.692,)],
    4.0: [(5.364,), (2.028, 6.652), (1.550, 8.953), (1.227,), (0.995,), (0.692,)],
    8.0: [(2.740, 9.003), (2.020, 11.011), (1.550,), (1.227,), (0.995,), (0.692,)],
}


def settle(r: float, p: float, x: float = 0.0, u: float = 0.0) -> nsmb.Solution:
    """Return the last of sixty periods. Transients decay like e^(-D_L t), here to 1e-10.

    Some starts are so close to the border of two basins that errors of 1e-8 lead to the other.
    """
    system = ship_turning_gear(r=r, p=p)
    assert system.period == pytest.approx(2 * np.pi / r, rel=1e-15)
    run = nsmb.simulate(system, 59 * system.period, q=[x], u=[u], output_step=0, rtol=1e-11)
    return nsmb.simulate(
        system,
        60 * system.period,
        t_start=59 * system.period,
        q=run.q[-1],
        u=run.u[-1],
        output_step=0,
        rtol=1e-11,
    )


def amplitude(sol: nsmb.Solution) -> float:
    """Return half the stroke."""
    x = sol.at(np.linspace(*sol.t_span, 2000)).q[:, 0]
    return float(np.ptp(x) / 2)


@pytest.mark.parametrize("p", TABLE)
def test_the_describing_function_gives_the_tabulated_amplitudes(p: float) -> None:
    for r, expected in zip(RATIOS, TABLE[p], strict=True):
        found = ship_turning_gear.amplitudes(r, p)
        assert found.size == 2 * len(expected) - 1
        np.testing.assert_allclose(found[::2], expected, atol=0.5001e-3)


def test_the_upper_branch_ends_and_the_lower_begins_where_tabulated() -> None:
    for r, lower, upper in ((0.6, 5.4, 17.7), (0.8, 2.9, 7.4), (0.9, 2.2, 3.7)):
        np.testing.assert_allclose(ship_turning_gear.folds(r), [lower, upper], atol=0.06)
    # The source of this table has 12.0. The fold of the equations is at 11.914.
    np.testing.assert_allclose(ship_turning_gear.folds(0.7), [3.9, 12.0], atol=0.09)
    assert ship_turning_gear.folds(1.0).size == 0


@law
@given(numbers(0.3, 1.5), st.just(0.0) | numbers(1e-3, 20.0), numbers(0.01, 0.3))
def test_every_amplitude_solves_the_equation_and_none_is_missing(
    r: float, p: float, D_L: float
) -> None:
    """Solutions of (12.36) in y and p are counted by changes of sign on a fine grid."""

    def residual(y: Array) -> Array:
        k = ship_turning_gear.stiffness(y / p) if p > 0 else 1.0
        return np.asarray(y**2 * ((r**2 - k) ** 2 + (2 * D_L * r) ** 2) - 1)

    found = ship_turning_gear.amplitudes(r, p, D_L)
    assert np.abs(residual(found)).max() < 1e-10  # measured: 3e-13
    signs = np.sign(residual(np.geomspace(1e-2, 1e3, 20001)))
    changes = int((signs[1:] != signs[:-1]).sum())
    gaps = np.diff(found)
    assert changes == found.size or gaps.min() < 2e-3 * found.max()  # a pair inside one cell


@law
@given(numbers(0.5, 50.0))
def test_the_describing_function_is_the_first_harmonic_of_the_spring(xi_0: float) -> None:
    """(12.35) is a quadrature of φ(ξ_0 cos τ) cos τ, with squared-step errors by kinks."""
    tau = (np.arange(20000) + 0.5) * np.pi / 20000
    xi = xi_0 * np.cos(tau)
    spring = xi - np.clip(xi, -0.5, 0.5)
    expected = 2 / np.pi * (spring * np.cos(tau)).sum() * np.pi / 20000 / xi_0
    assert ship_turning_gear.stiffness(xi_0) == pytest.approx(expected, abs=1e-7)  # measured: 3e-9
    assert ship_turning_gear.stiffness([0.0, 0.3, 0.5]).tolist() == [0.0, 0.0, 0.0]
    assert ship_turning_gear.stiffness(np.inf) == 1.0


@pytest.mark.parametrize(
    ("r", "p", "x", "expected"),
    [(0.8, 4.0, 9.0, 9.08), (0.8, 4.0, 0.0, 1.55), (0.9, 2.0, 9.0, 9.51)],
)
def test_amplitudes_of_integration(r: float, p: float, x: float, expected: float) -> None:
    """Published numbers agree to their digits, and the describing function to its 4 %."""
    found = amplitude(settle(r, p, x))
    assert found == pytest.approx(expected, abs=0.006)
    assert np.abs(ship_turning_gear.amplitudes(r, p) / found - 1).min() < 0.04


def test_motion_within_the_play_is_that_of_a_free_mass() -> None:
    """It is a cosine with amplitude (r⁴ + 4 D_L² r²)^-½, after transients of e^(-2 D_L t)."""
    sol = settle(0.8, 4.0)
    assert len(sol.events) == 0
    x = 1 / complex(-(0.8**2), 2 * 0.05 * 0.8)
    times = np.linspace(*sol.t_span, 50)
    drift = sol.at(times).q[:, 0] - (x * np.exp(0.8j * times)).real
    np.testing.assert_allclose(drift, drift[0], atol=1e-7)  # within the backlash; measured: 4e-8
    assert abs(drift[0]) < 2 - abs(x)


def swept(plays: Array, x: float) -> dict[float, float]:
    """Return amplitudes at r = 0.8, each motion started at the end of the previous one."""
    found, u = {}, 0.0
    for p in plays.round(1).tolist():
        sol = settle(0.8, p, x, u)
        x, u = float(sol.q[-1, 0]), float(sol.u[-1, 0])
        found[p] = amplitude(sol)
    return found


def test_the_jump_up_and_the_jump_down_lie_at_different_plays() -> None:
    """The upper motion ends between p = 7.0 and 7.5, the lower one between 3.0 and 2.5."""
    up = swept(np.arange(6.0, 7.51, 0.1), 11.0)
    assert up[7.0] > 12.0
    assert up[7.5] < 2.0
    down = swept(np.arange(4.0, 2.49, -0.1), 0.0)
    assert down[3.0] < 2.0
    assert down[2.5] > 6.0


def test_the_events_are_those_of_a_piecewise_integration() -> None:
    """The reference is SciPy with its own events, over ten periods of the upper motion."""
    r, p, D_L = 0.8, 4.0, 0.05
    system = ship_turning_gear(r=r, p=p, D_L=D_L)
    sol = nsmb.simulate(system, 10 * 2 * np.pi / r, q=[9.0], rtol=1e-11)

    def motion(t: float, y: Array) -> list[float]:
        spring = y[0] - min(max(y[0], -p / 2), p / 2)
        return [y[1], np.cos(r * t) - 2 * D_L * y[1] - spring]

    other = solve_ivp(
        motion, sol.t_span, [9.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-12, max_step=0.05,
        dense_output=True,
    )  # fmt: skip
    times = [
        brentq(lambda t, side=side: other.sol(t)[0] - side, event.t - 0.01, event.t + 0.01)
        for event in sol.events
        for side in (p / 2 if event.elements == ("upper",) else -p / 2,)
    ]
    assert len(times) == 40
    assert set(sol.events.kinds) == {"switch"}
    # Measured: 3e-9, by reference steps across kinks.
    np.testing.assert_allclose(sol.events.t, times, atol=3e-8)


@pytest.mark.parametrize(("x", "inside"), [(9.0, False), (0.0, True)])
def test_areas_shrink_by_the_damping_alone(x: float, inside: bool) -> None:
    """By Liouville's theorem, det ∂y(T)/∂y(0) = e^(-2 D_L T) with or without switches.

    Within the backlash x is free.
    """
    last = settle(0.8, 4.0, x)
    system = last.system
    assert system is not None
    start = {"t_start": last.t[-1], "q": last.q[-1], "u": last.u[-1]}
    T = 2 * np.pi / 0.8
    sol = nsmb.simulate(system, float(last.t[-1]) + T, **start, sensitivity=True)
    assert sol.sensitivity is not None
    monodromy = sol.sensitivity.state
    shrinking = np.exp(-2 * 0.05 * T)
    assert np.linalg.det(monodromy) == pytest.approx(shrinking, rel=1e-7)  # measured: 3e-9
    if inside:
        expected = [shrinking, 1.0]
        np.testing.assert_allclose(np.sort(np.linalg.eigvals(monodromy)), expected, atol=1e-7)


def test_bad_numbers_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="parameter 'p': expected a number >= 0, got -1"):
        ship_turning_gear(p=-1.0)
    with pytest.raises(ValueError, match="parameter 'r': expected a number > 0, got 0"):
        ship_turning_gear(r=0.0)
    with pytest.raises(ValueError, match="r: expected a finite number > 0, got 0"):
        ship_turning_gear.amplitudes(0.0, 1.0)
    with pytest.raises(ValueError, match="p: expected a finite number >= 0, got -1"):
        ship_turning_gear.amplitudes(0.8, -1.0)
    with pytest.raises(ValueError, match="D_L: expected a finite number > 0, got nan"):
        ship_turning_gear.folds(0.8, float("nan"))
    with pytest.raises(ValueError, match="amplitude: expected numbers >= 0"):
        ship_turning_gear.stiffness([1.0, -1.0])
