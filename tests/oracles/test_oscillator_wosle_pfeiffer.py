"""The planar reference of the oscillator.

Tests cover the scalar limit, limit analysis by linear programming, bounds of the printed data, all
six equations of motion, and time stepping in six coordinates.
"""

from itertools import pairwise
from math import cos, pi, sin

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

from tests.oracles import oscillator_six_coordinates as six
from tests.oracles.oscillator_wosle_pfeiffer import Motion, Oscillator, simulate

PLANE = [0, 1, 5]  # x, y, gamma among the six coordinates


@pytest.fixture(scope="module")
def oscillator() -> Oscillator:
    """Return the oscillator with mu = 0.13, as the body never stops with the printed 0.098."""
    return Oscillator()


@pytest.fixture(scope="module")
def motion(oscillator: Oscillator) -> Motion:
    return simulate(oscillator, 1.0, rtol=1e-11, tau_limit=2e-4)


def scalar_limit(osc: Oscillator, t_end: float) -> tuple[list[float], list[float], float]:
    """Return stops, starts and x(t_end) of m xddot = load - friction limit in closed form."""
    k, w = osc.F_0 / osc.m, osc.Omega
    slope = osc.g * (sin(osc.delta) - osc.mu * cos(osc.delta))

    def acc(t: float) -> float:
        return slope + k * (cos(w * t) + osc.mu * sin(w * t))

    def vel(t: float) -> float:
        return slope * t + k / w * (sin(w * t) - osc.mu * cos(w * t))

    def pos(t: float) -> float:
        return 0.5 * slope * t * t - k / w**2 * (cos(w * t) + osc.mu * sin(w * t))

    t, x, stops, starts = 0.0, 0.0, [], []
    while True:
        stop = brentq(lambda s, t=t: vel(s) - vel(t), t + 0.05, t + 0.25, xtol=1e-16)
        x += pos(min(stop, t_end)) - pos(t) - vel(t) * (min(stop, t_end) - t)
        if stop >= t_end:
            return stops, starts, x
        stops.append(stop)
        t = brentq(acc, stop, stop + 0.2, xtol=1e-16)
        if t >= t_end:
            return stops, starts, x
        starts.append(t)


def test_without_lateral_offset_the_motion_is_the_scalar_one() -> None:
    """l_2 = 0 gives y = gamma = 0. Measured errors are 2e-11 s in the stops and 4e-12 m."""
    osc = Oscillator(l_2=0.0)
    stops, starts, x = scalar_limit(osc, 1.0)
    assert stops == pytest.approx([0.119199, 0.456956, 0.777527], abs=5e-7)
    # printed times add rounded periods to the rounded first time: 1.1e-6 s off
    assert starts == pytest.approx([0.267990, 0.588561, 0.909132], abs=1.5e-6)
    assert x == pytest.approx(4.73491e-3, abs=5e-9)
    motion = simulate(osc, 1.0)
    assert motion.stops == pytest.approx(stops, abs=1e-10)
    assert motion.starts == pytest.approx(starts, abs=1e-13)
    assert motion(1.0)[:3] == pytest.approx([x, 0.0, 0.0], abs=2e-11)


def test_normal_forces_at_rest(oscillator: Oscillator) -> None:
    first = [2.88136, 2.03308, 1.54663]
    assert oscillator.normal_forces_at_rest(0.0, 0.0) == pytest.approx(first, abs=6e-6)
    later = [3.16787, 1.59544, 1.48273]
    assert oscillator.normal_forces_at_rest(0.1, 0.0) == pytest.approx(later, abs=6e-6)


def test_printed_data_slide_for_ever_and_faster_than_the_bounds() -> None:
    osc = Oscillator(mu=0.098)
    motion = simulate(osc, 1.0, rtol=1e-10)
    assert motion.stops == ()
    k = osc.m_E * osc.r_E / osc.m
    slope = osc.g * (sin(osc.delta) - osc.mu * cos(osc.delta))
    for t in np.linspace(0.02, 1.0, 50):
        w = osc.Omega * t
        z = motion(t)
        assert z[3] >= slope * t + k * osc.Omega * (sin(w) + osc.mu * (1.0 - cos(w))) > 0.0
        assert z[0] >= 0.5 * slope * t * t + k * (1.0 - cos(w) + osc.mu * (w - sin(w)))
    assert motion(0.5)[0] > 24.0e-3
    assert motion(1.0)[0] > 87.2e-3


def test_stiction_recurs_with_the_excitation(oscillator: Oscillator, motion: Motion) -> None:
    """All three velocities vanish together. gamma drifts, so that periods differ by 1e-5."""
    assert len(motion.stops) == 3
    for a, b in (*pairwise(motion.starts), *pairwise(motion.stops[1:])):
        assert b - a == pytest.approx(oscillator.period, rel=1e-4)
    for lo, hi in motion.sticks:
        assert motion(lo) == pytest.approx(motion(hi - 1e-9), abs=0.0)
        assert motion(lo)[3:] == pytest.approx([0.0, 0.0, 0.0], abs=0.0)


def test_rest_ends_exactly_at_the_limit_load(oscillator: Oscillator, motion: Motion) -> None:
    for lo, hi in motion.sticks:
        gamma = motion(lo)[2]
        inside = [oscillator.limit(t, gamma)[0] for t in np.linspace(lo, hi, 30)]
        assert max(inside[:-1]) < 1.0
        assert inside[-1] == pytest.approx(1.0, abs=1e-12)


def test_body_that_carries_the_first_load_starts_later() -> None:
    osc = Oscillator(mu=0.1553)
    motion = simulate(osc, 0.4, rtol=1e-9, threshold=1e-7, tau_limit=1e-3)
    (begin, start), *_ = motion.sticks
    assert begin == 0.0
    assert osc.limit(start, 0.0)[0] == pytest.approx(1.0, abs=1e-12)
    assert motion(start)[:3] == pytest.approx([0.0, 0.0, 0.0], abs=0.0)
    assert motion(0.4)[0] > 0.0


def test_reference_has_converged(oscillator: Oscillator) -> None:
    """The tolerance, the threshold of a stop and the first step after a start are fine enough.

    Measured errors are 3e-11 m, 8e-11 rad, 4e-10 s.
    """
    ends = [
        simulate(oscillator, 0.47, rtol=rtol, threshold=threshold, tau_limit=tau)
        for rtol, threshold, tau in [(1e-12, 1e-8, 1e-4), (1e-10, 1e-7, 3e-4)]
    ]
    assert ends[0].stops == pytest.approx(ends[1].stops, abs=2e-9)
    assert ends[0].starts == pytest.approx(ends[1].starts, abs=1e-12)
    assert ends[0](0.47)[:3] == pytest.approx(ends[1](0.47)[:3], abs=4e-10)


def test_no_foot_is_pinned_or_unloaded(motion: Motion) -> None:
    assert min(s.slowest for s in motion.slides) > 0.6
    assert min(s.least_N for s in motion.slides) > 1.0


def limit_by_linear_program(osc: Oscillator, t: float, gamma: float, corners: int) -> float:
    """Return the largest load factor for polygons in the friction discs, by the static theorem."""
    n = osc.normal_forces_at_rest(t, gamma)
    angles = 2.0 * pi * np.arange(corners) / corners
    columns, owner = [], []
    for i, (x, y) in enumerate(osc.feet(t, gamma)):
        for angle in angles:
            fx, fy = osc.mu * n[i] * np.array([cos(angle), sin(angle)])
            columns.append([fx, fy, x * fy - y * fx])
            owner.append([float(j == i) for j in range(3)])
    balance = np.column_stack([np.array(columns).T, osc.planar_load(t, gamma)])
    share = np.column_stack([np.array(owner).T, np.zeros(3)])
    cost = np.append(np.zeros(3 * corners), -1.0)
    result = linprog(cost, A_ub=share, b_ub=np.ones(3), A_eq=balance, b_eq=np.zeros(3))
    return 1.0 / -result.fun


@pytest.mark.parametrize(
    ("osc", "t"),
    [
        (Oscillator(), 0.2),
        (Oscillator(), 0.267),
        (Oscillator(mu=0.098), 0.0),
        (Oscillator(a_1=0.02, l_2=0.5), 0.0),  # starts to rotate about foot 1
    ],
)
def test_limit_analysis_agrees_with_linear_programming(osc: Oscillator, t: float) -> None:
    """A polygon of n corners gives between cos(pi/n) and 1 of the disc's value."""
    value, twist = osc.limit(t, 0.01)
    inner = limit_by_linear_program(osc, t, 0.01, 240)
    assert value * (1.0 - 1e-9) <= inner <= value / cos(pi / 240) * (1.0 + 1e-9)
    power = osc.planar_load(t, 0.01) @ twist
    n = osc.normal_forces_at_rest(t, 0.01)
    speeds = [
        np.hypot(twist[0] - twist[2] * y, twist[1] + twist[2] * x) for x, y in osc.feet(t, 0.01)
    ]
    assert power / (osc.mu * n @ speeds) == pytest.approx(value, rel=1e-12)
    assert (min(speeds) < 1e-12) == (osc.a_1 == 0.02)


def test_sliding_satisfies_all_six_equations(oscillator: Oscillator) -> None:
    """The contact forces of the planar solution are inserted into the spatial model."""
    t, q, u = 0.07, np.array([1e-3, -2e-4, 0.0, 0.0, 0.0, 0.3]), np.zeros(6)
    u[PLANE] = [0.02, -0.01, 0.4]
    n, slip, a = oscillator.slip(t, q[5], tuple(u[PLANE]))
    w_t = six.W_T(oscillator, t, q)
    assert w_t.T @ u == pytest.approx(np.ravel(slip), abs=1e-16)
    friction = np.ravel(
        [-oscillator.mu * ni * np.array(s) / np.hypot(*s) for ni, s in zip(n, slip, strict=True)]
    )
    qdd = np.zeros(6)
    qdd[PLANE] = a
    forces = six.force(oscillator, t, q, u) + six.W_N(oscillator, t, q) @ n + w_t @ friction
    assert six.mass(oscillator, q) @ qdd == pytest.approx(forces, abs=1e-14)
    assert six.W_N(oscillator, t, q).T @ qdd + six.w_bar_N(oscillator, t, q, u) == pytest.approx(
        np.zeros(3), abs=1e-15
    )


def test_contact_kinematics_are_derivatives_of_gap_and_slip(oscillator: Oscillator) -> None:
    """Compare with central differences along q(t) with constant qdot, measured error 4e-8."""
    t, q = 0.13, np.array([1e-3, 2e-3, 1e-4, 0.02, -0.03, 0.4])
    u, e = np.array([0.03, -0.02, 0.001, 0.5, -0.3, 0.7]), 1e-5

    def gap(s: float) -> np.ndarray:
        return six.g_N(oscillator, t + s, q + s * u)

    rate = six.W_N(oscillator, t, q).T @ u + six.w_tilde_N(oscillator, t, q)
    assert (gap(e) - gap(-e)) / (2.0 * e) == pytest.approx(rate, abs=1e-9)
    second = (gap(1e-4) - 2.0 * gap(0.0) + gap(-1e-4)) / 1e-8
    assert second == pytest.approx(six.w_bar_N(oscillator, t, q, u), abs=1e-6)

    def slip(s: float) -> np.ndarray:
        return six.W_T(oscillator, t + s, q + s * u).T @ u

    w_bar_t = six.w_bar_T(oscillator, t, q, u)
    assert (slip(e) - slip(-e)) / (2.0 * e) == pytest.approx(w_bar_t, abs=1e-8)
    matrix = np.hstack([six.W_N(oscillator, t, q), six.W_T(oscillator, t, q)])
    assert np.linalg.matrix_rank(matrix, tol=1e-10) == 6


def test_load_is_the_virtual_work_of_weight_and_unbalance(oscillator: Oscillator) -> None:
    """Rotations alpha, beta, gamma about x, y, z are differentiated at alpha = beta = 0."""
    osc, t, gamma = oscillator, 0.083, 0.35
    c, s = cos(osc.Omega * t), sin(osc.Omega * t)
    at = np.array([osc.l_1 - osc.Delta_a * c, -osc.l_2, -(osc.l_3 + osc.Delta_h * s)])
    weight = osc.m * osc.g * np.array([sin(osc.delta), 0.0, -cos(osc.delta)])

    def turned(angles: np.ndarray, vector: np.ndarray) -> np.ndarray:
        for k in (2, 1, 0):
            r, (ca, sa) = np.eye(3), (cos(angles[k]), sin(angles[k]))
            i, j = (k + 1) % 3, (k + 2) % 3
            r[i, i] = r[j, j] = ca
            r[j, i], r[i, j] = sa, -sa
            vector = r @ vector
        return vector

    angles, e = np.array([0.0, 0.0, gamma]), 1e-6
    force = turned(angles, osc.F_0 * np.array([c, 0.0, s]))
    work = [
        force @ (turned(angles + d, at) - turned(angles - d, at)) / (2.0 * e) for d in e * np.eye(3)
    ]
    q = np.array([0.0, 0.0, 0.0, 0.0, 0.0, gamma])
    expected = np.concatenate([weight + force, work])
    assert six.force(osc, t, q, np.zeros(6)) == pytest.approx(expected, abs=1e-11)
    assert osc.load(t, gamma) == pytest.approx(expected, abs=1e-11)


def test_time_stepping_in_six_coordinates_converges_to_it_with_first_order(
    oscillator: Oscillator, motion: Motion
) -> None:
    """Measured errors with 1000 steps are 1.3e-6, 3.3e-7 m, 1.4e-4 rad, half with half the step."""
    errors = []
    for steps in (500, 1000):
        times, q, u = six.time_stepping(oscillator, 1.0, steps)
        exact = np.array([motion(t) for t in times])
        errors.append(np.abs(q[:, PLANE] - exact[:, :3]).max(axis=0))
        assert np.abs(q[:, 2:5]).max() < 1e-9  # feet stay closed: solver tolerance only
        still = np.abs(u[:, PLANE]).max(axis=1) < 1e-8
        inside = np.zeros(steps + 1, dtype=bool)
        near = np.zeros(steps + 1, dtype=bool)
        for lo, hi in motion.sticks:
            inside |= (times > lo + 3.0 / steps) & (times < hi - 3.0 / steps)
            near |= (times > lo - 3.0 / steps) & (times < hi + 3.0 / steps)
        assert np.all(still[inside])
        assert np.all(near[1:][still[1:]])
    assert errors[1] == pytest.approx(np.zeros(3), abs=2e-4)
    assert errors[1][:2] == pytest.approx([0.0, 0.0], abs=2e-6)
    assert errors[1] / errors[0] == pytest.approx(0.5 * np.ones(3), abs=0.06)
