"""The clutch judder of a starting car, (13.8)-(13.20)."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import fft, integrate

import nsmb
from nsmb import analysis
from nsmb.systems import clutch_judder
from nsmb.systems.machines.clutch_data import ClutchJudderParameters

Array = NDArray[np.float64]

DEFAULT = ClutchJudderParameters()
STEADY = ((60.0, 1.0, 0.3), (30.0, 3.0, 0.4), (100.0, 0.1, 0.2), (-40.0, 2.0, 0.3))
"""Slip in rad/s, speed in m/s, closing force, for tyres around v_min and both slip signs."""

SUM = np.tril(np.ones((9, 9)))
"""Map from the coordinates, differences of neighbours, to the angles of the book."""


# ---- reference: (13.13)-(13.20) written out for nine masses -------------------------------------


def masses(p: ClutchJudderParameters) -> tuple[Array, Array]:
    """Return nine inertias and eight stiffnesses at the engine's shaft.

    Stiffnesses of clutch and tyres are 0.
    """
    g, a = p.i_G**2, (p.i_G * p.i_D) ** 2
    inertias = [p.I_crank, p.I_flywheel, p.I_disc, p.I_input, p.I_output / g, p.I_pinion / g]
    inertias += [p.I_axle / a, p.I_wheels / a, p.m_car * p.r**2 / a]
    springs = [p.c_crank, 0.0, p.c_disc, p.c_gear, p.c_shaft / g, p.c_pinion / g, p.c_half / a, 0.0]
    return np.array(inertias), np.array(springs)


def coupled(values: Array) -> Array:
    """Return the matrix of values between neighbours, shape (9, 9)."""
    matrix = np.zeros((9, 9))
    for i, value in enumerate(values):
        matrix[i : i + 2, i : i + 2] += value * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return matrix


def judder(p: ClutchJudderParameters, slip: float, speed: float, closing: float) -> complex:
    """Return the eigenvalue of the slowest oscillation of nine masses about steady sliding."""
    I, c = masses(p)
    falls = -p.r_m * (p.T_ST - p.T_SL) / p.k_r * math.exp(-p.r_m * abs(slip) / p.k_r)
    torque = closing * (p.T_SL - falls * p.k_r / p.r_m) * math.copysign(1.0, slip)
    k, car = p.r * p.k_s / p.ratio, speed * p.ratio / p.r
    s = torque / k  # (13.18)
    wheels = car / (1.0 - s) if s > 0.0 else car * (1.0 + s)
    least = p.v_min * p.ratio / p.r
    if max(wheels, car) < least:
        tyres = [k / least, -k / least]
    elif s > 0.0:  # v_Nom = r ω_Tire
        tyres = [k * car / wheels**2, -k / wheels]
    else:
        tyres = [k / car, -k * wheels / car**2]
    D = p.beta * coupled(c) + closing * falls * coupled(np.eye(8)[1])
    D[0, 0] -= p.d_in
    D[7, 7:] += tyres
    D[8, 7:] -= tyres
    A = np.block([[np.zeros((9, 9)), np.eye(9)], [-coupled(c) / I[:, None], -D / I[:, None]]])
    values = np.linalg.eigvals(A)
    swings = values[values.imag > 1.0]
    return complex(swings[np.argmin(swings.imag)])


def slowest(found: analysis.results.ModalAnalysis) -> tuple[complex, NDArray[np.complex128]]:
    """Return eigenvalue and eigenvector of the slowest oscillation."""
    place = np.flatnonzero(found.eigenvalues.imag > 1.0)[0]
    return complex(found.eigenvalues[place]), found.vectors[:, place]


@functools.cache
def run(n: int = 9, t_end: float = 5.0) -> nsmb.Solution:
    """Return a start of the car."""
    return nsmb.simulate(clutch_judder(n=n), t_end)


# ---- equations ----------------------------------------------------------------------------------


def test_forces_and_bound_are_those_of_the_book() -> None:
    """Some states agree with (13.13)-(13.15), (13.20), and with (13.16), (13.17)."""
    p, rng = DEFAULT, np.random.default_rng(7)
    system = clutch_judder()
    I, c = masses(p)
    M = system.mass_matrix(0.0, np.zeros(9))
    np.testing.assert_allclose(M, SUM.T @ np.diag(I) @ SUM, rtol=1e-12)
    for _ in range(5):
        t, q, u = rng.uniform(0.0, 20.0), rng.uniform(-1.0, 1.0, 9), rng.uniform(0.0, 100.0, 9)
        own = t, np.diff(q, prepend=0.0), np.diff(u, prepend=0.0)
        h = -coupled(c) @ (q + p.beta * u)
        h[0] += p.k_in + p.d_in * u[0]
        h[0] += p.s_in_3 * math.sin(3 * q[0] + p.phi_in_3)
        h[0] += p.s_in_6 * math.sin(6 * q[0] + p.phi_in_6)
        v_tire, v_car = p.r * u[7] / p.ratio, p.r * u[8] / p.ratio
        s = (v_tire - v_car) / max(abs(v_tire), abs(v_car), p.v_min)  # (13.18)
        h[7:] += p.r * p.k_s * s / p.ratio * np.array([-1.0, 1.0])
        h[8] -= p.k_out / p.ratio
        scale = np.abs(coupled(c)).max()
        np.testing.assert_allclose(system.forces(*own), SUM.T @ h, atol=1e-11 * scale)
        v_r = p.r_m * (u[2] - u[1])
        T_C = p.T_SL + (p.T_ST - p.T_SL) * math.exp(-abs(v_r) / p.k_r)
        T_C *= p.b_0 + (p.b_1 - p.b_0) * min(t / p.t_C, 1.0)
        T_C *= (
            1.0
            + p.s_Mot * math.sin(q[0])
            + p.s_CL * math.sin(q[2] - q[1] + p.phi_CL)
            + p.s_GR * math.sin(q[2])
            + p.s_CA_1 * math.sin(p.omega_A * t + p.phi_CA_1)
            + p.s_CA_2 * math.sin(2 * p.omega_A * t + p.phi_CA_2)
        )
        found = system.contact_kinematics(*own)
        assert found["bound"][0] == pytest.approx(T_C / p.r_m, rel=1e-12)
        assert found["W_T"][:, 0] @ own[2] == pytest.approx(v_r, rel=1e-12)


@pytest.mark.parametrize("n", range(2, 10))
def test_both_sides_start_without_oscillation(n: int) -> None:
    """All masses behind the clutch share one acceleration, and all masses before it another."""
    off = dict.fromkeys(("s_in_3", "s_in_6", "s_Mot", "s_CL", "s_GR", "s_CA_1", "s_CA_2"), 0.0)
    system = clutch_judder(n=n, **off)
    start, disc = system.initial_state, clutch_judder.train(system).disc
    udot = np.cumsum(nsmb.instant.accelerations(system, 0.0, start.q, start.u).udot)
    for side in (udot[:disc], udot[disc:]):
        # Measured: 1e-4 of several hundred at the crankshaft, by rounding of its angle.
        assert np.ptp(side) <= 1e-8 * np.abs(udot).max() if side.size else True


def test_the_clutch_lets_go_at_its_sticking_torque_and_slides_on_without_a_jump() -> None:
    """T_ST bounds the sticking torque, where (13.16) starts."""
    sol = run()
    slips = sol.events.of_kind("slip")
    assert len(slips) >= 2
    p = DEFAULT
    for t in slips.t:
        before, after = sol.at(t, "left"), sol.at(t, "right")
        bound = sol.system.contact_kinematics(float(t), after.q, after.u)["bound"][0]
        full = p.closing(float(t)) * p.T_ST / p.r_m
        assert abs(bound / full - 1.0) < sum((p.s_Mot, p.s_CL, p.s_GR, p.s_CA_1, p.s_CA_2))
        assert abs(before.lambda_T[0]) == pytest.approx(bound, rel=1e-6)
        assert after.lambda_T[0] == pytest.approx(before.lambda_T[0], rel=1e-6)


# ---- linearisation ------------------------------------------------------------------------------


@pytest.mark.parametrize(("slip", "speed", "closing"), STEADY)
def test_modes_of_steady_sliding_are_those_of_the_book_linearised(
    slip: float, speed: float, closing: float
) -> None:
    frozen = clutch_judder.frozen(clutch_judder(), slip, speed, closing)
    found, _ = slowest(analysis.modes(frozen, frozen.initial_state))
    expected = judder(DEFAULT, slip, speed, closing)
    assert abs(found - expected) < 1e-6 * abs(expected)


@pytest.mark.parametrize(("slip", "speed", "closing"), STEADY[:3])
def test_judder_grows_by_the_real_part_of_the_eigenvalue(
    slip: float, speed: float, closing: float
) -> None:
    """A start along the mode grows by exp(σ t) over five periods, to 1e-3 of σ."""
    p = DEFAULT
    frozen = clutch_judder.frozen(clutch_judder(), slip, speed, closing)
    sigma = judder(p, slip, speed, closing).real
    value, vector = slowest(analysis.modes(frozen, frozen.initial_state))
    start = frozen.initial_state
    # for 0.02 rad/s of slip the characteristic curves by (0.1 · 0.02/k_r)² of its slope
    size = 0.02 / np.abs(vector[9:]).max()
    period = 2.0 * math.pi / value.imag
    sol = nsmb.simulate(
        frozen, 5.0 * period, q=start.q + size * vector[:9].real,
        u=start.u + size * vector[9:].real, method=nsmb.EventDriven(rtol=1e-12),
    )  # fmt: skip
    assert len(sol.events) == 0
    t = np.linspace(0.0, period, 200)
    turns = [sol.at(t + 4.0 * k * period) for k in (0, 1)]
    # the remainder is constant speeds and their drift, identical at equal phases
    first, last = (at.u[:, 3:6].sum(axis=1) for at in turns)
    first, last = first - first.mean(), last - last.mean()
    grown = math.sqrt(float((last @ last) / (first @ first)))
    assert math.log(grown) / (4.0 * period) == pytest.approx(sigma, rel=1e-3)


def test_judder_decays_where_the_characteristic_does_not_fall() -> None:
    flat = clutch_judder.frozen(clutch_judder(T_SL=DEFAULT.T_ST), *STEADY[0])
    assert slowest(analysis.modes(flat, flat.initial_state))[0].real < 0.0


def test_sticking_swings_at_half_the_frequency() -> None:
    """The frequency is about 10 Hz with a sliding clutch and about 5 Hz with a sticking one."""
    train = clutch_judder.train(clutch_judder())
    assert train.driven.frequencies()[1] == pytest.approx(10.0, rel=0.06)
    assert train.stuck.frequencies()[1] == pytest.approx(5.0, rel=0.06)


# ---- fewer masses -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(2, 9))
def test_all_chains_share_the_lowest_frequencies(n: int) -> None:
    """With sliding, all frequencies agree exactly.

    With sticking, the lowest agrees to 2 per cent.
    """
    full, fewer = clutch_judder.train(clutch_judder()), clutch_judder.train(clutch_judder(n=n))
    own = fewer.driven.frequencies()
    np.testing.assert_allclose(own, full.driven.frequencies()[: own.size], rtol=1e-9)
    assert fewer.driven.I.sum() == pytest.approx(full.driven.I.sum(), rel=1e-12)
    if n > 2:
        swings = fewer.stuck.frequencies()[1], full.stuck.frequencies()[1]
        assert swings[0] == pytest.approx(swings[1], rel=0.02)


# ---- a start of the car -------------------------------------------------------------------------


T = np.arange(0.0, 5.0, 2.5e-3)


def judder_of(sol: nsmb.Solution) -> NDArray[np.complex128]:
    """Return the analytic signal of the car's acceleration between 2.5 and 25 Hz."""
    f = fft.fftfreq(T.size, T[1])
    lines = 2.0 * fft.fft(clutch_judder.acceleration(sol, T))
    return np.asarray(fft.ifft(np.where((f >= 2.5) & (f <= 25.0), lines, 0.0)))


def area(z: NDArray[np.complex128]) -> float:
    """Return the area between both envelopes in m/s."""
    return float(2.0 * integrate.trapezoid(np.abs(z), T))


def frequency(z: NDArray[np.complex128], t_start: float, t_end: float) -> float:
    """Return the mean frequency in Hz."""
    inside = (t_start <= T) & (t_end >= T)
    phase = np.unwrap(np.angle(z))
    return float(np.polyfit(T[inside], phase[inside], 1)[0] / (2.0 * math.pi))


@pytest.mark.parametrize("n", [9, 5])
def test_the_slip_reverses_three_times(n: int) -> None:
    """Each reversal exceeds 1 rad/s, and the clutch sticks after the last one."""
    sol = run(n)
    turns = clutch_judder.reversals(sol)
    assert turns.size == 3
    disc = clutch_judder.train(sol.system).disc
    for k, (begin, end) in enumerate(zip(turns, [*turns[1:], 5.0], strict=True)):
        slip = sol.at(np.linspace(begin, end, 2001)).u[:, disc]
        assert (slip[np.argmax(np.abs(slip))] > 0.0) == (k % 2 == 0)  # first the engine is faster
        assert np.abs(slip).max() > 1.0
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK


def test_chains_of_five_masses_and_more_reverse_at_the_same_times() -> None:
    """Fewer masses are only qualitatively right, as the book says of two."""
    full = clutch_judder.reversals(run())
    for n in range(5, 9):
        # Measured: 1e-3 s
        np.testing.assert_allclose(clutch_judder.reversals(run(n)), full, atol=3e-3)


def test_judder_begins_near_10_hz_goes_on_near_5_hz_and_is_over_after_4_s() -> None:
    sol = run()
    z = judder_of(sol)
    train = clutch_judder.train(sol.system)
    took = float(sol.events.t[0])
    assert 0.7 < took < 1.0
    sliding = frequency(z, 0.2, took - 0.05)
    assert sliding == pytest.approx(10.0, rel=0.05)
    assert sliding == pytest.approx(train.driven.frequencies()[1], rel=0.05)
    sticking = frequency(z, 1.3, 2.5)
    assert sticking == pytest.approx(5.0, rel=0.08)
    assert sticking == pytest.approx(train.stuck.frequencies()[1], rel=0.02)
    size = {t: float(np.abs(z)[np.argmin(np.abs(T - t))]) for t in (0.3, 0.7, 3.0, 4.0)}
    assert size[0.7] > 2.0 * size[0.3]  # it excites itself
    assert size[3.0] < 0.12 * np.abs(z).max()
    assert size[4.0] < 0.06 * np.abs(z).max()


def test_a_characteristic_that_does_not_fall_has_a_smaller_area() -> None:
    flat = nsmb.simulate(clutch_judder(T_SL=DEFAULT.T_ST), 5.0)
    assert area(judder_of(flat)) < 0.7 * area(judder_of(run()))


def test_acceleration_is_that_of_the_dense_output() -> None:
    sol = run()
    p, t, h = DEFAULT, np.linspace(0.5, 4.5, 41), 1e-4
    speed = [sol.at(t + side).u.sum(axis=1) * p.r / p.ratio for side in (-h, h)]
    difference = (speed[1] - speed[0]) / (2.0 * h)
    found = clutch_judder.acceleration(sol, t)
    # Measured: 2e-3, as tyres convert rtol errors of speeds into force
    np.testing.assert_allclose(found, difference, atol=1e-2)
    assert clutch_judder.acceleration(sol, 1.0).shape == (1,)


@functools.cache
def mean_area(**changes: float) -> float:
    """Return the mean area in m/s of starts with the long-slip clutch, over three phases."""
    long_slip = nsmb.systems.clutch_judder.parameter_sets["long_slip"]
    areas = []
    for phase in 2.0 * math.pi * np.arange(3) / 3.0:
        system = clutch_judder(**{**long_slip, "phi_CA_1": float(phase), **changes})
        areas.append(area(judder_of(nsmb.simulate(system, 5.0))))
    return float(np.mean(areas))


@pytest.mark.parametrize(("name", "sign"), [("T_SL", -1.0), ("k_r", -1.0), ("i_D", 1.0)])
def test_a_clutch_that_slips_longer_judders_over_the_whole_start_as_the_book_says(
    name: str, sign: float
) -> None:
    """A small T_ST - T_SL, a large k_r and a small ratio i_D reduce judder."""
    value = getattr(DEFAULT, name)
    step = 0.1 * (DEFAULT.T_ST - DEFAULT.T_SL if name == "T_SL" else value)
    slope = math.log(mean_area(**{name: value + step}) / mean_area(**{name: value - step})) / 0.2
    assert sign * slope > 0.05


# ---- bad input ----------------------------------------------------------------------------------


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'n': expected a number from 2 to 9, got 10"):
        clutch_judder(n=10)
    with pytest.raises(ValueError, match="parameter 'T_SL': expected a number >= 0, got -1"):
        clutch_judder(T_SL=-1.0)
    with pytest.raises(ValueError, match="must have a sum less than 1"):
        clutch_judder(s_CL=0.6, s_GR=-0.5)
    with pytest.raises(
        ValueError,
        match="parameter 'k_s': must be large enough to transmit the initial clutch torque",
    ):
        clutch_judder(k_s=1e3, b_0=1.0)
    system = clutch_judder(n=4)
    for change, text in (
        ({"slip": 0.0}, "slip: expected a finite number other than 0"),
        ({"speed": -1.0}, "speed: expected a finite number >= 0"),
        ({"closing": math.inf}, "closing: expected a finite number >= 0"),
    ):
        with pytest.raises(ValueError, match=text):
            clutch_judder.frozen(system, **{"slip": 1.0, "speed": 1.0, "closing": 1.0, **change})
    with pytest.raises(ValueError, match="`n`: must be from 3 to 9, got 2"):
        _ = clutch_judder.train(clutch_judder(n=2)).stuck
    other = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1)
    with pytest.raises(ValueError, match="expected a clutch_judder, got 'bouncing_ball'"):
        clutch_judder.reversals(other)
    with pytest.raises(ValueError, match="system: expected a clutch_judder"):
        clutch_judder.train(nsmb.systems.bouncing_ball())
