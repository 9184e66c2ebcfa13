"""The integrators against closed forms, invariants and SciPy."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from nsmb._core.integration import Integrator, StepStatus

Array = NDArray[np.float64]
Rhs = Callable[[float, Array], Array]

EXPLICIT = [
    "dp853",
    "arkode_fehlberg78",
    "arkode_verner56",
    "arkode_dormand_prince45",
    "arkode_bogacki_shampine23",
]
METHODS = [*EXPLICIT, "cvode"]

# Two damped oscillators, coupled.
A = np.array([[0.0, 1, 0, 0], [-4, -0.1, 1, 0], [0, 0, 0, 1], [1, 0, -9, -0.2]])
Y0 = np.array([1.0, 0.0, -0.5, 1.0])


def linear(t: float, y: Array) -> Array:
    return A @ y


def linear_exact(t: float) -> Array:
    return np.asarray(expm(A * t) @ Y0)


def circle(t: float, y: Array) -> Array:
    return np.array([-y[1], y[0]])


def pendulum(t: float, y: Array) -> Array:
    return np.array([y[1], -9.81 * np.sin(y[0])])


def make(
    method: str,
    rhs: Rhs = linear,
    y: Array = Y0,
    rtol: float = 1e-8,
    atol: float | None = None,
    t: float = 0.0,
    **options: object,
) -> Integrator:
    weights = np.full(len(y), rtol if atol is None else atol)
    return Integrator(method, rhs, t, y, rtol, weights, **options)  # type: ignore[arg-type]


def make_fixed(method: str, rhs: Rhs, y: Array, h: float) -> Integrator:
    """Steps of length h: the error test passes whatever happens."""
    return make(method, rhs, y, 1e6, 1e6, initial_step=h, max_step=h)


def run(integrator: Integrator, t_end: float) -> None:
    while integrator.t < t_end:
        status = integrator.step(t_end)
        assert status == StepStatus.OK, integrator.message
    assert integrator.t == t_end


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
    # One step: a polynomial of degree p is off by O(h^(p+1)).
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
    # Measured 5e-8, 2e-7, 6e-7, 1e-7, 6e-7, 6e-6: what a local tolerance of 1e-9 leaves after four
    # swings up to 143 degrees, where the period depends strongly on the energy. Each times 5.
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
        # |y'| = 1, so 1e-13 of a step moves y by 1e-13; some 20 ulp for the polynomial.
        for t in (integrator.t_old + inside, integrator.t - inside):
            end = y_old if t < 0.5 * (integrator.t_old + integrator.t) else integrator.y
            np.testing.assert_allclose(integrator.interpolate(t), end, rtol=0, atol=5e-14 + inside)
        y_old = integrator.y


# Restart, stop, redo --------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXPLICIT)
def test_restarts_keep_the_step_size(method: str) -> None:
    """A jump costs the step that is cut, not a new search for the step size."""
    smooth = make(method, circle, np.array([1.0, 0.0]), 1e-9)
    run(smooth, 60.0)
    jumping = make(method, circle, np.array([1.0, 0.0]), 1e-9)
    jumps = 20
    for k in range(jumps):
        run(jumping, 3.0 * (k + 1))
        jumping.restart(jumping.t, -jumping.y)
    assert jumping.statistics["restarts"] == jumps
    extra = jumping.statistics["steps"] - smooth.statistics["steps"]
    # One cut step per jump; ARKODE's controller forgets its two last errors, too.
    assert extra <= 2 * jumps
    assert jumping.statistics["rejected"] <= smooth.statistics["rejected"] + jumps


@pytest.mark.parametrize("method", EXPLICIT)
def test_the_step_size_survives_a_stop_time_just_ahead(method: str) -> None:
    integrator = make(method, circle, np.array([1.0, 0.0]), 1e-8)
    run(integrator, 20.0)
    integrator.step(1e3)
    usual = integrator.t - integrator.t_old
    integrator.step(integrator.t + 1e-6 * usual)
    integrator.step(1e3)
    assert integrator.t - integrator.t_old > 0.5 * usual


@pytest.mark.parametrize("method", METHODS)
def test_stop_times_are_hit_to_the_bit(method: str) -> None:
    rng = np.random.default_rng(1)
    integrator = make(method)
    for gap in 10.0 ** rng.uniform(-14, 0, 60):
        t_stop = integrator.t + gap
        while integrator.t < t_stop:
            assert integrator.step(t_stop) == StepStatus.OK, integrator.message
        assert integrator.t == t_stop
    t_stop = np.nextafter(integrator.t, np.inf)
    assert integrator.step(t_stop) == StepStatus.OK
    assert integrator.t == t_stop
    # Measured up to 5e-7 (cvode): the global error of tolerance 1e-8.
    np.testing.assert_allclose(integrator.y, linear_exact(integrator.t), atol=1e-5)


@pytest.mark.parametrize("fraction", [0.003, 0.37, 0.999999])
@pytest.mark.parametrize("method", METHODS)
def test_redo_ends_exactly_where_asked_and_on_the_solution(method: str, fraction: float) -> None:
    rtol = 1e-8
    integrator = make(method, rtol=rtol)
    for _ in range(12):
        integrator.step(1e3)
    t_old, y_old = integrator.t_old, integrator.interpolate(integrator.t_old)
    usual = integrator.t - t_old
    t_end = t_old + fraction * usual
    before = integrator.interpolate(t_end)
    assert integrator.redo(t_end) == StepStatus.OK, integrator.message
    assert (integrator.t_old, integrator.t) == (t_old, t_end)
    assert np.array_equal(integrator.interpolate(t_old), y_old)
    assert np.array_equal(integrator.interpolate(t_end), integrator.y)

    # From y_old, not from the start: the error of this step alone. Measured up to 5e-8 (cvode).
    def exact(t: float) -> Array:
        return np.asarray(expm(A * (t - t_old)) @ y_old)

    np.testing.assert_allclose(integrator.y, exact(t_end), rtol=0, atol=20 * rtol)
    for t in np.linspace(t_old, t_end, 9):
        np.testing.assert_allclose(integrator.interpolate(t), exact(t), rtol=0, atol=20 * rtol)
    dense = 1e-4 if method == "arkode_fehlberg78" else 100 * rtol  # its dense output: order 5
    np.testing.assert_allclose(before, exact(t_end), rtol=0, atol=dense)

    integrator.step(1e3)
    assert integrator.t_old == t_end
    if method != "cvode":  # BDF begins again at order 1
        assert integrator.t - integrator.t_old > 0.5 * usual


@pytest.mark.parametrize("method", METHODS)
def test_redo_passes_its_own_error_test_in_several_steps_if_need_be(method: str) -> None:
    frequency = 1.0

    def rhs(t: float, y: Array) -> Array:
        return frequency * circle(t, y)

    integrator = make(method, rhs, np.array([1.0, 0.0]), 1e-6)
    for _ in range(12):
        integrator.step(1e3)
    t_old, y_old = integrator.t_old, integrator.interpolate(integrator.t_old)
    t_end = t_old + 0.8 * (integrator.t - t_old)
    integrator.interpolate(t_end)  # as a search for an event would: with the old right-hand side
    steps = integrator.statistics["steps"]
    frequency = 20.0 / (integrator.t - t_old)
    assert integrator.redo(t_end) == StepStatus.OK
    assert integrator.statistics["steps"] > steps + 1
    assert (integrator.t_old, integrator.t) == (t_old, t_end)
    cos, sin = np.cos(frequency * (t_end - t_old)), np.sin(frequency * (t_end - t_old))
    expected = np.array([[cos, -sin], [sin, cos]]) @ y_old
    # Over 16 rad; measured 4e-7 ... 7e-5 (cvode).
    np.testing.assert_allclose(integrator.y, expected, rtol=0, atol=3e-4)
    assert np.array_equal(integrator.interpolate(t_old), y_old)
    assert np.array_equal(integrator.interpolate(t_end), integrator.y)
    near = integrator.interpolate(t_end - 1e-12 * (t_end - t_old))
    np.testing.assert_allclose(near, integrator.y, rtol=0, atol=1e-11)  # moved by about 1 per step
    t_sooner = 0.5 * (t_old + t_end)
    assert integrator.redo(t_sooner) == StepStatus.OK
    assert (integrator.t_old, integrator.t) == (t_old, t_sooner)


@pytest.mark.parametrize("method", METHODS)
def test_absolute_tolerances_change_with_the_next_restart(method: str) -> None:
    integrator = make(method, circle, np.array([1.0, 0.0]), 1e-12, 1e-3)
    integrator.set_atol(np.full(2, 1e-10))
    run(integrator, 5.0)
    loose = integrator.statistics["steps"]
    integrator.restart(integrator.t, integrator.y)
    run(integrator, 10.0)
    assert integrator.statistics["steps"] - loose > 1.5 * loose


# Projection -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_projection_keeps_the_invariant(method: str) -> None:
    integrator = make(
        method, circle, np.array([1.0, 0.0]), 1e-4, project=lambda t, y: y / np.hypot(*y)
    )
    for k in range(30):
        integrator.step(100.0)
        assert abs(np.hypot(*integrator.y) - 1.0) < 1e-13
        if k % 3 == 2:
            integrator.redo(0.6 * integrator.t_old + 0.4 * integrator.t)
            assert abs(np.hypot(*integrator.y) - 1.0) < 1e-13
        if k % 10 == 9:
            integrator.restart(integrator.t, -integrator.y)
    without = make(method, circle, np.array([1.0, 0.0]), 1e-4)
    run(without, 10.0)
    assert abs(np.hypot(*without.y) - 1.0) > 1e-9


@pytest.mark.parametrize("method", EXPLICIT)
def test_the_step_after_a_projection_starts_with_the_slope_there(method: str) -> None:
    seen: set[tuple[float, float, float]] = set()

    def rhs(t: float, y: Array) -> Array:
        seen.add((t, *y))
        return circle(t, y)

    integrator = make(
        method, rhs, np.array([1.0, 0.0]), 1e-4, project=lambda t, y: y / np.hypot(*y)
    )
    for _ in range(5):
        integrator.step(100.0)
        start = (integrator.t, *integrator.y)
        integrator.step(100.0)
        assert start in seen


# Trouble --------------------------------------------------------------------------------------


class OwnError(Exception):
    pass


@pytest.mark.parametrize("method", METHODS)
def test_exception_of_the_rhs_comes_out_unchanged(method: str) -> None:
    error = OwnError("mine")
    armed = False

    def rhs(t: float, y: Array) -> Array:
        if armed and t > 0.5:
            raise error
        return linear(t, y)

    integrator = make(method, rhs)
    run(integrator, 0.25)
    armed = True
    with pytest.raises(OwnError) as caught:
        run(integrator, 1.0)
    assert caught.value is error
    t, y = integrator.t, integrator.y
    assert 0.25 <= t <= 0.5
    np.testing.assert_allclose(y, linear_exact(t), atol=1e-6)
    armed = False  # the integrator is still good
    run(integrator, 1.0)
    np.testing.assert_allclose(integrator.y, linear_exact(1.0), atol=1e-6)


@pytest.mark.parametrize("where", ["project", "jacobian", "redo", "interpolate"])
@pytest.mark.parametrize("method", METHODS)
def test_exceptions_of_all_other_calls_come_out_unchanged(method: str, where: str) -> None:
    error = OwnError(where)
    armed = where in ("project", "jacobian")

    def trap(*_: object) -> None:
        if armed:
            raise error

    def rhs(t: float, y: Array) -> Array:
        if where in ("redo", "interpolate"):
            trap()
        return linear(t, y)

    if where == "jacobian" and method != "cvode":
        pytest.skip("explicit methods take no Jacobian")
    if where == "interpolate" and method == "cvode":
        pytest.skip("CVODE interpolates without slopes")
    integrator = make(method, rhs, **({where: trap} if where in ("project", "jacobian") else {}))
    if where in ("project", "jacobian"):
        with pytest.raises(OwnError) as caught:
            integrator.step(1.0)
    else:
        integrator.step(1.0)
        middle = 0.5 * (integrator.t_old + integrator.t)
        armed = True
        with pytest.raises(OwnError) as caught:
            integrator.redo(middle) if where == "redo" else integrator.interpolate(middle)
    assert caught.value is error


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_rhs_that_is_not_finite_ends_in_a_status_close_to_the_place(
    method: str, bad: float
) -> None:
    integrator = make(method, lambda t, y: linear(t, y) if t <= 0.5 else np.full(4, bad))
    status = StepStatus.OK
    while status == StepStatus.OK and integrator.t < 1.0:
        status = integrator.step(1.0)
    assert status in (StepStatus.RHS_NOT_FINITE, StepStatus.STEP_TOO_SMALL)
    assert 0.5 - 1e-4 < integrator.t <= 0.5
    np.testing.assert_allclose(integrator.y, linear_exact(integrator.t), atol=1e-6)
    assert integrator.message


@pytest.mark.parametrize("method", METHODS)
def test_rhs_that_is_not_finite_at_the_start_is_a_status(method: str) -> None:
    integrator = make(method, lambda t, y: np.full(4, np.nan))
    assert integrator.step(1.0) == StepStatus.RHS_NOT_FINITE
    assert (integrator.t, integrator.t_old) == (0.0, 0.0)
    assert np.array_equal(integrator.y, Y0)
    assert integrator.name in integrator.message


@pytest.mark.parametrize("method", METHODS)
def test_blow_up_ends_in_a_status(method: str) -> None:
    integrator = make(method, lambda t, y: y**2, np.array([1.0]), 1e-8)  # y = 1 / (1 - t)
    status = StepStatus.OK
    for _ in range(20000):
        status = integrator.step(2.0)
        if status != StepStatus.OK:
            break
    assert status != StepStatus.OK
    assert 0.999 < integrator.t < 1.0 + 1e-6
    assert integrator.message


@pytest.mark.parametrize("method", METHODS)
def test_results_repeat_to_the_bit(method: str) -> None:
    def trace() -> bytes:
        integrator = make(method, pendulum, np.array([2.5, 0.0]), 1e-8)
        rows = []
        for k in range(40):
            integrator.step(100.0)
            middle = integrator.t_old + 0.3 * (integrator.t - integrator.t_old)
            rows.append(integrator.interpolate(middle))
            if k % 4 == 3:
                integrator.redo(middle)
            if k % 8 == 7:
                integrator.restart(integrator.t, -integrator.y)
            rows.append(np.append(integrator.y, integrator.t))
        return b"".join(row.tobytes() for row in rows)

    assert trace() == trace()


# Arguments ------------------------------------------------------------------------------------


def test_unknown_method_is_refused_with_the_known_ones() -> None:
    known = "method: expected one of dp853, .*arkode_fehlberg78.*cvode, got euler"
    with pytest.raises(ValueError, match=known):
        make("euler")


@pytest.mark.parametrize("method", METHODS)
def test_known_methods_say_their_name(method: str) -> None:
    assert make(method).name == method


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rtol": 0.0}, "rtol: expected"),
        ({"rtol": np.nan}, "rtol: expected"),
        ({"atol": np.ones(3)}, "atol: expected a vector of length 4, got length 3"),
        ({"atol": np.array([1.0, 1, 0, 1])}, "atol: expected"),
        ({"initial_step": -1.0}, "initial_step: expected"),
        ({"max_step": 0.0}, "max_step: expected"),
        ({"y": np.array([1.0, np.nan, 0, 0])}, "y: expected finite"),
        ({"t": np.inf}, "t: expected a finite"),
    ],
)
def test_options_out_of_range_are_refused(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"t": 0.0, "y": Y0, "rtol": 1e-8, "atol": np.full(4, 1e-8)}
    with pytest.raises(ValueError, match=message):
        Integrator("dp853", linear, **(arguments | change))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_times_out_of_range_are_refused(method: str) -> None:
    integrator = make(method)
    with pytest.raises(ValueError, match="t_stop: expected a time behind t = 0, got 0"):
        integrator.step(0.0)
    integrator.step(1.0)
    for t in (integrator.t_old, np.nextafter(integrator.t, 9.0), np.nan):
        with pytest.raises(ValueError, match="t_end: expected a time in"):
            integrator.redo(t)
    for t in (-1e-9, np.nextafter(integrator.t, 9.0), np.nan):
        with pytest.raises(ValueError, match="t: expected a number in"):
            integrator.interpolate(t)


def test_rhs_of_the_wrong_size_is_refused() -> None:
    integrator = make("dp853", lambda t, y: np.zeros(3))
    with pytest.raises(ValueError, match=r"rhs\(t, y\): expected a vector of length 4"):
        integrator.step(1.0)
