"""Tables as expressions agree with SciPy's curves and closed-form motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

import nsmb
from nsmb import symbolic

interpolate = pytest.importorskip("scipy.interpolate")
sympy = pytest.importorskip("sympy")

X = np.array([-1.0, 0.2, 1.0, 2.5, 3.0])
Y = np.array([0.0, 2.0, -1.0, 0.5, 0.0])
INSIDE = np.linspace(-1.0, 3.0, 41)[:-1]


def values(expression: object, symbol: object, at: np.ndarray) -> np.ndarray:
    return np.array([float(expression.subs(symbol, v)) for v in at])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "curve"),
    [
        ("cubic", interpolate.CubicSpline(X, Y)),
        ("monotone", interpolate.PchipInterpolator(X, Y)),
        ("linear", lambda v: np.interp(v, X, Y)),
    ],
)
def test_a_table_is_scipys_curve_and_goes_straight_on(kind: str, curve: object) -> None:
    s = sympy.Symbol("s", real=True)
    e = symbolic.table(s, X, Y, kind=kind)
    np.testing.assert_allclose(values(e, s, INSIDE), curve(INSIDE), atol=1e-13)  # type: ignore[operator]
    outside = values(e, s, np.array([-3.0, -2.0, -1.0, 3.0, 4.0, 5.0]))
    assert outside[0] - outside[1] == pytest.approx(outside[1] - outside[2], abs=1e-13)
    assert outside[5] - outside[4] == pytest.approx(outside[4] - outside[3], abs=1e-13)


@pytest.mark.parametrize("kind", ["cubic", "linear", "monotone"])
def test_a_periodic_table_repeats(kind: str) -> None:
    s = sympy.Symbol("s", real=True)
    e = symbolic.table(s, X, Y, kind=kind, periodic=True)
    once = values(e, s, INSIDE)
    np.testing.assert_allclose(values(e, s, INSIDE + 8.0), once, atol=1e-12)
    np.testing.assert_allclose(values(e, s, INSIDE - 12.0), once, atol=1e-12)


def test_a_load_over_time_is_met_at_its_points() -> None:
    """Velocities of a mass under a piecewise linear force are exact for any steps."""
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    times, force = [0.0, 0.1, 0.11, 0.5, 0.500001], [0.0, 0.0, 30.0, 30.0, 0.0]
    load = symbolic.table(symbolic.time, times, force, kind="linear")
    system = symbolic.LagrangianSystem([x], v**2 / 2, 0, {x: load})
    sol = nsmb.simulate(system, 0.6)
    impulse = trapezoid(force, times)
    # after the last point the load continues linearly, at -3e7 N/s
    steep = -30.0 / 1e-6 * (0.6 - 0.500001) ** 2 / 2.0
    assert sol.u[-1, 0] == pytest.approx(impulse + steep, rel=1e-9)


def test_a_torque_over_an_angle_does_the_work_under_its_curve() -> None:
    """Over a revolution ½ J Δω² is the area of the table, here of a cubic spline."""
    phi = symbolic.coordinates("phi")
    omega = symbolic.velocities(phi)
    at = np.array([0.0, 1.0, 2.0, 4.0, 2 * np.pi])
    torque = np.array([1.0, 4.0, 2.0, -0.5, 1.0])
    pump = symbolic.table(phi, at, torque, periodic=True)
    system = symbolic.LagrangianSystem([phi], omega**2 / 2, 0, {phi: pump}, initial={omega: 3.0})
    turned = nsmb.When(lambda t, q, u: q[0] - 4 * np.pi, "up", terminal=True, name="turned")
    sol = nsmb.simulate(system, 50.0, events=[turned])
    spline = interpolate.CubicSpline(at, torque, bc_type="periodic")
    gained = (sol.u[-1, 0] ** 2 - 3.0**2) / 2.0
    # Measured: 4e-7 at the default tolerance.
    assert gained == pytest.approx(2.0 * float(spline.integrate(0.0, 2 * np.pi)), rel=2e-6)


def test_bad_tables_are_named() -> None:
    s = sympy.Symbol("s")
    with pytest.raises(ValueError, match="x: expected two increasing"):
        symbolic.table(s, [0.0, 0.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="y: expected 2 finite numbers"):
        symbolic.table(s, [0.0, 1.0], [1.0])
    with pytest.raises(ValueError, match="end where it began"):
        symbolic.table(s, [0.0, 1.0], [1.0, 2.0], periodic=True)
    with pytest.raises(ValueError, match="kind"):
        symbolic.table(s, [0.0, 1.0], [1.0, 2.0], kind="steps")  # type: ignore[arg-type]


@pytest.mark.parametrize("at", ["1 + 1", None, [1.0], float("nan"), 1j])
def test_places_are_expressions_and_no_text_that_is_evaluated(at: object) -> None:
    with pytest.raises(ValueError, match="at: expected a"):
        symbolic.table(at, [0.0, 1.0], [1.0, 2.0])
