"""The reference of the sliding rod agrees with printed values, theory, and an ODE."""

from math import atan, cos, degrees, inf, log, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.oracles.sliding_rod_painleve import FRICTION_CRITICAL, Rod

ROD = Rod(5.0 / 3.0)


@pytest.mark.parametrize(
    ("mu", "phi", "value"),
    [
        (5.0 / 3.0, 60.0, -0.4150635095),
        (5.0 / 3.0, 30.0, 1.0849364905),
        (5.0 / 3.0, 80.0, 0.2354107105),
        (1.0, 63.0, 0.4047966300),
    ],
)
def test_printed_samples_of_a(mu: float, phi: float, value: float) -> None:
    assert Rod(mu).A(radians(phi)) == pytest.approx(value, abs=5e-11)


def test_boundary_angles() -> None:
    assert [degrees(x) for x in ROD.angles] == pytest.approx([45.0, 75.963757], abs=5e-7)
    assert tan(Rod(4.0 / 3.0).angles[0]) == pytest.approx(2.0, rel=1e-7)  # double root
    for mu in (1.4, 2.0, 5.0):
        assert [Rod(mu).A(x) for x in Rod(mu).angles] == pytest.approx([0.0, 0.0], abs=1e-14)
    with pytest.raises(ValueError, match="mu"):
        _ = Rod(1.3).angles


@pytest.mark.parametrize(
    ("phi", "phidot", "names"),
    [
        (30.0, 8.0, ["take-off"]),
        (30.0, 1.0, ["slide"]),
        (60.0, 8.0, ["take-off", "slide"]),
        (60.0, 1.0, []),
    ],
)
def test_four_cases(phi: float, phidot: float, names: list[str]) -> None:
    found = ROD.solutions(radians(phi), phidot)
    assert [name for name, *_ in found] == names
    a, b = ROD.A(radians(phi)) / ROD.m, ROD.b(radians(phi), phidot)
    for _, force, gap in found:
        assert force >= 0.0 <= gap
        assert gap == pytest.approx(a * force + b, abs=1e-12)


def matrices(rod: Rod, phi: float) -> tuple[np.ndarray, np.ndarray]:
    """Return M^-1 and (w_N, w_T) of q = (x, y, phi)."""
    w = np.array([[0.0, 1.0, -rod.s * cos(phi)], [1.0, 0.0, -rod.s * sin(phi)]]).T
    return np.diag([1.0, 1.0, 3.0 / rod.s**2]) / rod.m, w


@pytest.mark.parametrize("phi", [0.3, 0.9, 1.2, 1.4])
def test_impact_without_collision_stops_the_end_and_is_in_the_cone_iff_a_is_not_positive(
    phi: float,
) -> None:
    rod, v = Rod(5.0 / 3.0, m=2.3, s=0.7), 1.7
    normal, tangential, jump = rod.impact_without_collision(phi, v)
    inverse, w = matrices(rod, phi)
    change = inverse @ w @ [normal, tangential]
    assert w.T @ change == pytest.approx([0.0, -v], abs=1e-13)
    assert change[2] == pytest.approx(jump, rel=1e-13)
    assert (abs(tangential) <= rod.mu * normal) == (rod.A(phi) <= 0.0)
    # work of the impulses: mean of the velocities of C before and after
    assert 0.5 * tangential * v < 0.0


def test_sticking_forces_hold_the_end() -> None:
    rod, phi, phidot = Rod(2.0, m=2.3, s=0.7), 0.8, 1.9
    inverse, w = matrices(rod, phi)
    forces = np.array(rod.sticking_forces(phi, phidot))
    qdd = inverse @ (w @ forces + [0.0, -rod.m * rod.g, 0.0])
    rest = rod.s * phidot**2 * np.array([sin(phi), -cos(phi)])
    assert w.T @ qdd + rest == pytest.approx([0.0, 0.0], abs=1e-13)


@pytest.mark.parametrize(
    ("mu", "phi", "phidot"), [(1.0, 0.4, 2.0), (2.0, 0.2, 3.0), (2.0, 1.45, 0.5)]
)
def test_sliding_agrees_with_the_equations_of_motion_in_time(
    mu: float, phi: float, phidot: float
) -> None:
    rod, v, t_end = Rod(mu, m=2.3, s=0.7), 9.0, 0.04

    def rhs(_: float, z: np.ndarray) -> np.ndarray:
        angle, rate = z[2], z[5]
        inverse, w = matrices(rod, angle)
        load = inverse @ [0.0, -rod.m * rod.g, 0.0]
        push = w @ [1.0, -rod.mu]
        normal = w[:, 0]
        rest = rod.s * rate**2 * sin(angle)
        force = -(normal @ load + rest) / (normal @ inverse @ push)
        return np.concatenate([z[3:], load + inverse @ push * force])

    s, c = rod.s * sin(phi), rod.s * cos(phi)
    start = [-c, s, phi, v + s * phidot, c * phidot, phidot]
    z = solve_ivp(rhs, (0.0, t_end), start, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    end = rod.slide(phi, phidot, v, t_end)
    assert end.kind == "time"
    assert (end.phi, end.phidot) == pytest.approx((z[2], z[5]), rel=1e-10)
    assert end.x_C == pytest.approx(z[0] + rod.s * cos(z[2]), rel=1e-10)
    assert end.v == pytest.approx(z[3] - rod.s * z[5] * sin(z[2]), rel=1e-10)
    momentum = rod.m * (z[4] - start[4]) + rod.m * rod.g * t_end
    assert end.Lambda_N == pytest.approx(momentum, rel=1e-9)


def test_singular_point_attracts_above_the_critical_friction_only() -> None:
    """The ratio of the rates is 1 at 8/(3 sqrt 3), see Génot and Brogliato."""
    assert Rod(FRICTION_CRITICAL).ratio == pytest.approx(1.0, rel=1e-14)
    assert Rod(1.5).ratio > 1.0 > ROD.ratio == pytest.approx(2.0 / 3.0, rel=1e-14)


@pytest.mark.parametrize("mu", [1.4, 1.5])
def test_between_the_two_frictions_every_motion_takes_off_first(mu: float) -> None:
    rod, phi = Rod(mu), radians(20.0)
    largest = sqrt(rod.g / (rod.s * sin(phi)))
    for phidot in np.linspace(2.05, 0.999 * largest, 12):
        end = rod.slide(phi, phidot, 30.0)
        assert end.kind == "take-off"
        assert end.phi < rod.angles[0]
        assert end.lambda_N == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("mu", [5.0 / 3.0, 2.0, 3.0])
def test_dividing_motion_separates_singular_point_from_take_off(mu: float) -> None:
    """Forward motions 1e-8 to both sides of the eigenvector's motion end differently."""
    rod, phi = Rod(mu), radians(10.0)
    rate = rod.dividing_rate(phi)
    assert rod.slide(phi, rate * (1.0 + 1e-8), 30.0).kind == "take-off"
    end = rod.slide(phi, rate * (1.0 - 1e-8), 30.0)
    assert end.kind == "critical"
    assert (end.phi, end.phidot) == pytest.approx(rod.critical_point, rel=1e-12)
    with pytest.raises(ValueError, match="mu"):
        Rod(1.5).dividing_rate(phi)


@pytest.mark.parametrize("mu", [5.0 / 3.0, 2.0])
def test_force_grows_with_the_predicted_power_while_its_impulse_stays_finite(mu: float) -> None:
    rod = Rod(mu)
    start = (radians(20.0), 2.5, 30.0)
    last = rod.slide(*start)
    assert last.kind == "critical"
    assert last.lambda_N == inf
    phi_1, phidot_1 = rod.critical_point
    ends = [rod.slide(*start, t_end=last.t - eps / phidot_1) for eps in (1e-6, 1e-7)]
    assert all(e.kind == "time" for e in ends)
    power = log(ends[1].lambda_N / ends[0].lambda_N) / log(
        (phi_1 - ends[1].phi) / (phi_1 - ends[0].phi)
    )
    # next term of the expansion: relative size eps^min(r, 1 - r), here at most 1e-2
    assert power == pytest.approx(rod.ratio - 1.0, abs=0.01)
    # momentum balance of the centre of mass: its height is s sin(phi)
    rise = rod.s * (phidot_1 * cos(phi_1) - start[1] * cos(start[0]))
    assert last.Lambda_N == pytest.approx(rod.m * (rise + rod.g * last.t), rel=1e-10)


def test_end_at_rest_needs_less_speed_than_the_path_consumes() -> None:
    """(phi, phidot) do not depend on v, so that only the loss up to the singular point matters."""
    phi, phidot = radians(20.0), 4.0
    loss = 30.0 - ROD.slide(phi, phidot, 30.0).v
    assert ROD.slide(phi, phidot, loss + 1e-6).kind == "critical"
    end = ROD.slide(phi, phidot, loss - 1e-6)
    assert end.kind == "stop"
    assert end.v == pytest.approx(0.0, abs=1e-12)


def test_slow_rod_left_of_the_saddle_falls_flat() -> None:
    """tan phi = 1/mu with phidot = 0 is the equilibrium of the sliding rod."""
    phi = atan(1.0 / ROD.mu)
    assert ROD.slide(phi - 1e-6, 0.0, 30.0).kind == "flat"
    end = ROD.slide(phi + 1e-6, 0.0, 60.0)
    assert end.kind == "critical"
    assert 0.0 < end.phi < 0.5 * pi


def test_start_outside_sliding_is_refused() -> None:
    with pytest.raises(ValueError, match="a > 0"):
        ROD.slide(radians(60.0), 1.0, 1.0)
