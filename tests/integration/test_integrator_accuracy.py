"""Orders, accuracy and dense output of the integrators against closed forms and SciPy."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from nsmb._core.integration import StepStatus
from tests.integration.integrators import (
    EXPLICIT,
    METHODS,
    Y0,
    Array,
    circle,
    linear,
    linear_exact,
    make,
    make_fixed,
    pendulum,
    run,
)


def slopes(errors: list[float]) -> Array:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


# Order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "order", "coarsest"),
    [
        ("dp853", 8, 4),
        ("arkode_fehlberg78", 8, 8),
        ("arkode_verner56", 6, 20),
        ("arkode_dormand_prince45", 5, 20),
        ("arkode_bogacki_shampine23", 3, 80),
    ],
)
def test_error_at_the_end_falls_with_the_order_of_the_method(
    method: str, order: int, coarsest: int
) -> None:
    errors = []
    for n in (coarsest, 2 * coarsest, 4 * coarsest):
        integrator = make_fixed(method, linear, Y0, 2.0 / n)
        run(integrator, 2.0)
        assert integrator.statistics["steps"] == n
        errors.append(float(np.abs(integrator.y - linear_exact(2.0)).max()))
    assert errors[-1] > 1e-12  # measured 2e-12 ... 1e-6: not yet rounding
    np.testing.assert_allclose(slopes(errors)[-1], order, atol=0.2)  # measured: within 0.13


@pytest.mark.parametrize(
    ("method", "order"),
    [
        ("dp853", 7),
        ("arkode_fehlberg78", 5),
        ("arkode_verner56", 5),
        ("arkode_dormand_prince45", 5),
        ("arkode_bogacki_shampine23", 3),
    ],
)
def test_error_of_the_dense_output_falls_with_its_order(method: str, order: int) -> None:
    errors = []
    for h in (0.25, 0.125, 0.0625):
        integrator = make_fixed(method, linear, Y0, h)
        assert integrator.step(10.0) == StepStatus.OK
        times = np.linspace(0, integrator.t, 41)
        errors.append(
            max(float(np.abs(integrator.interpolate(t) - linear_exact(t)).max()) for t in times)
        )
    # In one step, a polynomial of degree p has an error of O(h^(p+1)).
    np.testing.assert_allclose(slopes(errors)[-1], order + 1, atol=0.2)  # measured: within 0.14


@pytest.mark.parametrize(
    ("method", "order"), [("dp853", 8), ("arkode_fehlberg78", 8), ("arkode_verner56", 6)]
)
def test_polynomials_below_the_order_are_integrated_exactly(method: str, order: int) -> None:
    powers = np.arange(order)
    integrator = make_fixed(method, lambda t, y: (powers + 1) * t**powers, np.zeros(order), 1.0)
    assert integrator.step(1.0) == StepStatus.OK
    # Σ b_i (k+1) c_i^k = 1: 13 products with |b_i| < 6, (k+1) <= 8, so within 13·6·8 ulp = 1e-13.
    np.testing.assert_allclose(integrator.y, 1.0, rtol=0, atol=1e-13)


def test_weights_of_dp853_are_not_exact_for_the_power_of_the_order() -> None:
    integrator = make_fixed("dp853", lambda t, y: np.array([9 * t**8]), np.zeros(1), 1.0)
    integrator.step(1.0)
    assert 1e-8 < abs(integrator.y[0] - 1.0) < 1e-2


def test_dense_output_of_dp853_is_exact_for_polynomials_of_degree_7() -> None:
    powers = np.arange(7)
    integrator = make_fixed("dp853", lambda t, y: (powers + 1) * t**powers, np.zeros(7), 1.0)
    integrator.step(1.0)
    for t in np.linspace(0, 1, 11):
        # The weights of the dense output go up to 2e2, with 16 slopes up to 7: 2e4 ulp = 5e-12.
        np.testing.assert_allclose(integrator.interpolate(t), t ** (powers + 1), atol=5e-12)


@pytest.mark.parametrize("method", EXPLICIT)
def test_row_sums_every_stage_of_unit_slope_lies_at_its_own_time(method: str) -> None:
    seen: list[tuple[float, float]] = []

    def unit(t: float, y: Array) -> Array:
        seen.append((t, y[0]))
        return np.ones(1)

    integrator = make_fixed(method, unit, np.zeros(1), 1.0)
    integrator.step(1.0)
    integrator.interpolate(0.4)
    stages = np.array(seen)
    assert len(stages) >= 4
    # Σ_j a_ij = c_i: terms up to 44 cancel in row 8 and 11, so 100 ulp = 2e-14.
    np.testing.assert_allclose(stages[:, 1], stages[:, 0], rtol=0, atol=2e-14)


# Accuracy -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "tolerance"),
    # Measured 5e-8, 2e-7, 6e-7, 1e-7, 6e-7, 6e-6: the effect of a local tolerance of 1e-9 after
    # four swings up to 143 degrees, where the period depends strongly on the energy. Each times 5.
    [
        ("dp853", 3e-7),
        ("arkode_fehlberg78", 1e-6),
        ("arkode_verner56", 3e-6),
        ("arkode_dormand_prince45", 5e-7),
        ("arkode_bogacki_shampine23", 3e-6),
        ("cvode", 3e-5),
    ],
)
def test_all_methods_agree_with_scipy_on_a_large_swing(method: str, tolerance: float) -> None:
    y = np.array([2.5, 0.0])
    reference = solve_ivp(pendulum, (0, 10), y, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    radau = solve_ivp(pendulum, (0, 10), y, method="Radau", rtol=1e-9, atol=1e-9).y[:, -1]
    np.testing.assert_allclose(radau, reference, atol=1e-5)
    integrator = make(method, pendulum, y, 1e-9)
    run(integrator, 10.0)
    np.testing.assert_allclose(integrator.y, reference, rtol=0, atol=tolerance)


def test_arenstorf_orbit_closes() -> None:
    """[HNW II.0, eq. (0.1)]: the periodic orbit in the restricted three-body problem."""
    mu = 0.012277471

    def rhs(t: float, y: Array) -> Array:
        d1 = ((y[0] + mu) ** 2 + y[1] ** 2) ** 1.5
        d2 = ((y[0] - 1 + mu) ** 2 + y[1] ** 2) ** 1.5
        ax = y[0] + 2 * y[3] - (1 - mu) * (y[0] + mu) / d1 - mu * (y[0] - 1 + mu) / d2
        ay = y[1] - 2 * y[2] - (1 - mu) * y[1] / d1 - mu * y[1] / d2
        return np.array([y[2], y[3], ax, ay])

    y = np.array([0.994, 0.0, 0.0, -2.00158510637908252240537862224])
    integrator = make("dp853", rhs, y, 1e-13)
    run(integrator, 17.0652165601579625588917206249)
    np.testing.assert_allclose(integrator.y[:2], y[:2], atol=2e-7)  # measured 2e-8; unstable orbit
    assert integrator.statistics["steps"] < 600  # measured 390


@pytest.mark.parametrize("with_jacobian", [True, False])
def test_cvode_solves_a_stiff_relaxation_oscillation_in_few_steps(with_jacobian: bool) -> None:
    mu = 1000.0

    def rhs(t: float, y: Array) -> Array:
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

    def jacobian(t: float, y: Array) -> Array:
        return np.array([[0.0, 1.0], [-2 * mu * y[0] * y[1] - 1, mu * (1 - y[0] ** 2)]])

    y = np.array([2.0, 0.0])
    options = {"jacobian": jacobian} if with_jacobian else {}
    integrator = make("cvode", rhs, y, 1e-7, 1e-10, **options)
    run(integrator, 2000.0)
    reference = solve_ivp(rhs, (0, 2000), y, method="Radau", rtol=1e-10, atol=1e-12, jac=jacobian)
    # An explicit method would need some 1e6 steps.
    statistics = integrator.statistics
    assert statistics["steps"] < 4000  # measured 2200, 2.5 periods
    assert 0 < statistics["jacobian_evaluations"] < statistics["steps"] / 2
    np.testing.assert_allclose(integrator.y, reference.y[:, -1], rtol=1e-3)  # measured 1e-4


def test_cvode_passes_an_eigenvalue_of_minus_1e6_in_few_steps() -> None:
    def rhs(t: float, y: Array) -> Array:
        return np.array([-1e6 * (y[0] - np.cos(t))])

    integrator = make("cvode", rhs, np.array([0.0]), 1e-6, 1e-9)
    run(integrator, 1.0)
    assert integrator.statistics["steps"] < 300
    np.testing.assert_allclose(integrator.y[0], np.cos(1.0), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_dense_output_is_as_accurate_as_the_steps(method: str) -> None:
    integrator = make(method, rtol=1e-7)
    errors_at_steps, errors_between = [0.0], []
    while integrator.t < 3.0:
        integrator.step(3.0)
        errors_at_steps.append(float(np.abs(integrator.y - linear_exact(integrator.t)).max()))
        for t in np.linspace(integrator.t_old, integrator.t, 7)[1:-1]:
            errors_between.append(float(np.abs(integrator.interpolate(t) - linear_exact(t)).max()))
    # Steps of order p are long for a polynomial of lower order. Measured 6, 290, 2.4, 1, 1, 1.
    factor = {"dp853": 20.0, "arkode_fehlberg78": 1000.0, "arkode_verner56": 10.0}.get(method, 3.0)
    assert max(errors_between) < factor * max(errors_at_steps)


@pytest.mark.parametrize("project", [None, lambda t, y: y / np.hypot(*y)])
@pytest.mark.parametrize("method", METHODS)
def test_dense_output_meets_both_ends_of_every_step(
    method: str, project: Callable[[float, Array], Array] | None
) -> None:
    integrator = make(method, circle, np.array([1.0, 0.0]), 1e-5, project=project)
    y_old = integrator.y
    while integrator.t < 10.0:
        integrator.step(10.0)
        assert np.array_equal(integrator.interpolate(integrator.t_old), y_old)
        assert np.array_equal(integrator.interpolate(integrator.t), integrator.y)
        inside = 1e-13 * (integrator.t - integrator.t_old)
        # |y'| = 1, so 1e-13 of a step changes y by 1e-13; some 20 ulp for the polynomial.
        for t in (integrator.t_old + inside, integrator.t - inside):
            end = y_old if t < 0.5 * (integrator.t_old + integrator.t) else integrator.y
            np.testing.assert_allclose(integrator.interpolate(t), end, rtol=0, atol=5e-14 + inside)
        y_old = integrator.y
