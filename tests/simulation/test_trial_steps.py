"""Trial steps to a point without function value are repeated shorter, or end with a status."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import nsmb
from nsmb import joints
from nsmb.system.method import Method
from tests.simulation.systems import METHODS

# Overflow is intended in these models; NumPy warns about it.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*overflow:RuntimeWarning", "ignore:.*invalid value:RuntimeWarning"
)

INTEGRATORS = [name for name in METHODS if name != "auto"]


def late_drag(t: float, u: float) -> float:
    """No load until t = 1 s, then a load against a steep quadratic drag."""
    return 0.0 if t < 1.0 else 1e3 * math.sin(t) - 50.0 * u * abs(u)


def reference(t_end: float) -> np.ndarray:
    """Return the solution of SciPy's DOP853."""
    found = solve_ivp(
        lambda t, y: [y[1], late_drag(t, y[1])],
        (0.0, t_end),
        [0.0, 0.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    return np.asarray(found.y[:, -1])


def callbacks() -> nsmb.System:
    return nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [late_drag(t, u[0])])


def above_a_floor() -> nsmb.System:
    """Add a contact that stays open, so that the steps are checked for it."""
    floor = nsmb.Contact(lambda t, q: q[0] + 100.0, law=nsmb.ContactLaw(), name="floor")
    return nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [late_drag(t, u[0])], [floor])


def loads() -> nsmb.System:
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.add_joint("rail", joints.Prismatic((1, 0, 0)), m.ground, body)
    m.add_load("drag", body, lambda t, r, A, v, Omega: [late_drag(t, v[0]), 0.0, 0.0])
    return m.build()


def joint_laws() -> nsmb.System:
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.add_joint("rail", joints.Prismatic((1, 0, 0)), m.ground, body)
    m.add_joint_force("drag", "rail", lambda t, x, v: late_drag(t, v))
    return m.build()


def energies() -> nsmb.System:
    """The same with a load that rises within 20 ms, compiled."""
    sympy = pytest.importorskip("sympy")
    from nsmb import symbolic

    x = symbolic.coordinates("x")
    (v,) = symbolic.rate([x])
    rise = (1 + sympy.tanh(200 * (symbolic.time - 1))) / 2
    force = 1000 * rise * sympy.sin(symbolic.time) - 50 * v * sympy.Abs(v)
    return symbolic.LagrangianSystem([x], v**2 / 2, 0, forces=[force])


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("build", [callbacks, above_a_floor])
def test_a_trial_step_that_overflows_is_repeated_shorter(
    build: Callable[[], nsmb.System], integrator: str
) -> None:
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-7)
    sol = nsmb.simulate(build(), 10.0, q=[0.0], u=[0.0], method=method)
    q, u = reference(10.0)
    assert u == pytest.approx(-3.2907756, abs=5e-8)
    assert sol.u[-1, 0] == pytest.approx(u, rel=2e-5)
    # The Fehlberg pair has no error estimate for a function of time alone: it steps over the jump.
    rel = 2e-3 if integrator == "arkode_fehlberg78" else 2e-5
    assert sol.q[-1, 0] == pytest.approx(q, rel=rel)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_compiled_energies_that_overflow_are_integrated(integrator: str) -> None:
    def rate(t: float, y: np.ndarray) -> list[float]:
        rise = 0.5 * (1.0 + math.tanh(200.0 * (t - 1.0)))
        return [y[1], 1e3 * rise * math.sin(t) - 50.0 * y[1] * abs(y[1])]

    found = solve_ivp(
        rate, (0.0, 10.0), [0.0, 0.0], method="Radau", rtol=1e-9, atol=1e-9, max_step=0.05
    )
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-7, max_step=2.0)
    sol = nsmb.simulate(energies(), 10.0, q=[0.0], u=[0.0], method=method)
    assert sol.u[-1, 0] == pytest.approx(found.y[1, -1], rel=2e-5)


@pytest.mark.parametrize("rtol", [1e-5, 1e-8, 1e-11])
@pytest.mark.parametrize("build", [callbacks, loads, joint_laws])
def test_the_error_falls_with_the_tolerance(build: Callable[[], nsmb.System], rtol: float) -> None:
    sol = nsmb.simulate(build(), 10.0, q=[0.0], u=[0.0], rtol=rtol)
    q, u = reference(10.0)
    assert abs(sol.u[-1, 0] - u) <= 20.0 * rtol * abs(u)
    assert abs(sol.q[-1, 0] - q) <= 20.0 * rtol * abs(q)


def ends(t: float, _: float) -> float:
    return math.nan if t > 0.6 else 1.0


def overflows(t: float, _: float) -> float:
    return math.exp(1e4 * (t - 0.6)) if t > 0.6 else 1.0  # OverflowError from t = 0.671


def diverges(t: float, u: float) -> float:
    return 2.0 * (1.0 + u) ** 1.5 if u < 1e200 else math.inf  # u + 1 = 1/(1 - t)²


FAILURES = {"nan": ends, "OverflowError": overflows, "diverges": diverges}
LAST = {"nan": 0.6, "OverflowError": 0.671, "diverges": 1.0}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("kind", list(FAILURES))
def test_what_cannot_be_avoided_is_a_status_with_the_partial_run(
    kind: str, integrator: str
) -> None:
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [FAILURES[kind](t, float(u[0]))])
    method = nsmb.EventDriven(integrator=integrator)
    sol = nsmb.simulate(system, 2.0, method=method, output_step=0.05, throw=False)
    assert sol.status == "integration_failure"
    assert LAST[kind] - 0.06 < sol.t[-1] <= LAST[kind] + 1e-3
    assert sol.message.startswith("t = ")
    if kind != "diverges":
        assert "forces(t, q, u)" in sol.message
    before = sol.t < 0.59
    assert before.sum() > 10
    if kind == "nan":
        np.testing.assert_allclose(sol.u[before, 0], sol.t[before], rtol=0, atol=1e-9)
    with pytest.raises(nsmb.SimulationError, match="t = ") as caught:
        nsmb.simulate(system, 2.0, method=method)
    assert caught.value.solution.t[-1] > LAST[kind] - 0.06


def test_stepped_runs_end_with_the_status_too() -> None:
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [ends(t, 0.0)])
    method = nsmb.Midpoint(1e-2)
    sol = nsmb.simulate(system, 2.0, method=method, throw=False)
    assert sol.status == "integration_failure"
    assert "forces(t, q, u): expected finite numbers, got nan for 'x'" in sol.message
    assert sol.t[-1] == pytest.approx(0.6, abs=0.011)


def test_a_first_step_without_value_is_no_misuse() -> None:
    """The initial state is valid, but the function has no value anywhere within the first step."""

    def forces(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        return [1.0 if t == 0.0 else math.nan]

    system = nsmb.CallbackSystem(["x"], [[1.0]], forces)
    method = nsmb.Midpoint(1e-2)
    sol = nsmb.simulate(system, 1.0, method=method, throw=False)
    assert sol.status == "integration_failure"
    assert "forces(t, q, u): expected finite numbers, got nan for 'x'" in sol.message
    assert sol.t.tolist() == [0.0]


PARTS: dict[str, Callable[..., Any]] = {
    "gap": lambda t, q: math.nan if t > 0.6 else 1.0 + q[0],
    "w_N": lambda t, q: [math.nan if t > 0.6 else 1.0],
    "w_bar_N": lambda t, q, u: math.nan if t > 0.6 else 0.0,
}


@pytest.mark.parametrize("part", list(PARTS))
def test_functions_of_contacts_end_a_run_by_name(part: str) -> None:
    functions: dict[str, Any] = {"gap": lambda t, q: 1.0 + q[0], "w_tilde_N": lambda t, q: 0.0}
    floor = nsmb.Contact(**(functions | {part: PARTS[part]}), name="floor")
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.1], [floor], check=False)
    sol = nsmb.simulate(system, 2.0, throw=False)
    assert sol.status == "integration_failure"
    assert f"contact 'floor': {part}(" in sol.message
    assert 0.5 < sol.t[-1] <= 0.6 + 1e-9


def test_the_mass_matrix_ends_a_run_by_name() -> None:
    system = nsmb.CallbackSystem(["x"], lambda t, q: [[0.6 - t]], lambda t, q, u: [0.0])
    sol = nsmb.simulate(system, 2.0, throw=False)
    assert sol.status == "integration_failure"
    assert "mass_matrix(t, q): expected a positive definite matrix" in sol.message
    assert 0.59 < sol.t[-1] <= 0.6


def test_functions_of_events_end_a_run_by_name() -> None:
    event = nsmb.When(lambda t, q, u: math.nan if t > 0.6 else 1.0, name="mine")
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.1])
    sol = nsmb.simulate(system, 2.0, events=[event], throw=False)
    assert sol.status == "integration_failure"
    assert "function of event 'mine': expected a finite number, got nan" in sol.message


def test_forces_of_bodies_and_of_linear_systems_end_a_run_by_name() -> None:
    linear = nsmb.LinearSystem([[1.0]], force=lambda t: [ends(t, 0.0)])
    sol = nsmb.simulate(linear, 2.0, throw=False)
    assert sol.status == "integration_failure"
    assert "force.user(t): expected finite numbers, got nan" in sol.message
    m = nsmb.Model()
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.add_joint("rail", joints.Prismatic((1, 0, 0)), m.ground, body)
    m.add_load("drive", body, lambda t, r, A, v, Omega: [ends(t, 0.0), 0.0, 0.0])
    sol = nsmb.simulate(m.build(), 2.0, throw=False)
    assert sol.status == "integration_failure"
    assert "load 'drive'" in sol.message


@pytest.mark.parametrize(
    "method",
    [nsmb.EventDriven(), nsmb.EventDriven(integrator="cvode"), nsmb.Midpoint(0.1)],
)
def test_a_start_without_value_is_misuse(method: Method) -> None:
    system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [math.nan])
    with pytest.raises(ValueError, match=r"forces\(t, q, u\): expected finite numbers, got nan"):
        nsmb.simulate(system, 1.0, method=method, throw=False)


def test_a_first_step_is_bounded_by_the_motion_so_far() -> None:
    """A ball hits the floor after 0.45 s, and t_end is far: trial steps stay within minutes."""
    latest = 0.0

    def weight(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        nonlocal latest
        latest = max(latest, t)
        return [-9.81]

    floor = nsmb.Contact(lambda t, q: q[0], law=nsmb.ContactLaw(e_N=0.9), name="floor")
    ball = nsmb.CallbackSystem(["y"], [[1.0]], weight, [floor], check=False)
    simulator = nsmb.Simulator(ball, output_step=0.0)
    simulator.reset(q=[1.0], u=[0.0])
    far = 1e9
    simulator.step(far)  # the first flight
    flight = simulator.t
    assert flight == pytest.approx(math.sqrt(2.0 / 9.81), rel=1e-9)
    latest = 0.0
    simulator.step(far)
    assert simulator.t == pytest.approx(2.8 * flight, rel=1e-9)
    assert latest < 1100.0 * flight
