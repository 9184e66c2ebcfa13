"""Closed forms of the point mass on an incline agree with published numbers and integration."""

from math import cos, hypot, pi, sin, tan

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.oracles.incline_point_mass import Launch

KS = [0.0, 0.4, 0.5, 1.0, 1.130, 1.5, 3.0]  # logarithms at 1/2 and 1


def launch(k: float, psi_0: float = 0.5 * pi, delta: float = 0.2, v_0: float = 1.3) -> Launch:
    return Launch(k * tan(delta), delta, v_0, psi_0)


def test_stop_of_the_example() -> None:
    """The example has delta = 0.115, mu = 0.13, v_0 = 0.1 m/s and six printed digits."""
    t, x, y = Launch(0.13, 0.115, 0.1).stop
    assert t == pytest.approx(0.374977, abs=5e-7)
    assert x == pytest.approx(8.32952e-3, abs=5e-9)
    assert y == pytest.approx(4.91725e-3, abs=5e-9)


@pytest.mark.parametrize("k", [1.01, 1.13, 2.0, 5.0])
def test_launch_across_stops_where_the_short_formulas_say(k: float) -> None:
    one = launch(k)
    pull, v = one.g * sin(one.delta), one.v_0
    short = (
        v * k / (pull * (k * k - 1.0)),
        v * v / (4.0 * pull * (k * k - 1.0)),
        2.0 * k * v * v / (pull * (4.0 * k * k - 1.0)),
    )
    assert one.stop == pytest.approx(short, rel=1e-13)  # 1/(k - 1) costs two digits


@pytest.mark.parametrize("psi_0", [0.6, 0.5 * pi, 2.8])
@pytest.mark.parametrize("k", KS)
def test_closed_forms_agree_with_integration_over_the_angle(k: float, psi_0: float) -> None:
    """The largest measured deviation is 2e-13."""
    one = launch(k, psi_0)
    for psi in (0.9 * psi_0, 0.3, 0.01):
        closed = (one.speed(psi), *one.at_angle(psi))
        assert closed == pytest.approx(tuple(one.by_angle(psi)), rel=2e-12, abs=1e-13)


@pytest.mark.parametrize("k", KS)
def test_state_agrees_with_newtons_law_in_time(k: float) -> None:
    one = launch(k, 2.2)
    t_end = min(0.9 * one.stop[0], 0.8)

    def rhs(_: float, z: np.ndarray) -> list[float]:
        v = hypot(z[2], z[3])
        friction = one.mu * one.g * cos(one.delta) / v
        return [z[2], z[3], one.g * sin(one.delta) - friction * z[2], -friction * z[3]]

    times = np.linspace(0.0, t_end, 7)
    run = solve_ivp(rhs, (0.0, t_end), one.state(0.0), "DOP853", times, rtol=1e-12, atol=1e-13)
    for t, z in zip(times, run.y.T, strict=True):
        assert one.state(t) == pytest.approx(z, rel=1e-10, abs=1e-11)


def test_mass_stays_where_it_stopped() -> None:
    one = launch(1.5)
    t, x, y = one.stop
    assert one.state(2.0 * t) == pytest.approx([x, y, 0.0, 0.0])
    assert one.state(t * (1.0 - 1e-9)) == pytest.approx([x, y, 0.0, 0.0], abs=1e-7)


def test_friction_equal_to_the_slope_leaves_half_the_speed_downhill() -> None:
    one = launch(1.0)
    for psi in (1.0, 0.1, 1e-3):
        assert one.speed(psi) * (1.0 + cos(psi)) == pytest.approx(one.v_0, rel=1e-14)
    assert one.stop[0] == np.inf
    assert one.state(1e3)[2:] == pytest.approx([0.5 * one.v_0, 0.0], abs=1e-12)


def test_without_friction_the_path_is_a_parabola() -> None:
    one, t = launch(0.0, 2.5), 0.7
    pull = one.g * sin(one.delta)
    x = one.v_0 * cos(2.5) * t + 0.5 * pull * t * t
    assert one.state(t)[:2] == pytest.approx([x, one.v_0 * sin(2.5) * t], rel=1e-13)
