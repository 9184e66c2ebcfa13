"""Maps of schemes that solve for forces: their weights, and real steps under constant forces."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb._core.stepping import RungeKuttaMethod, RungeKuttaTableau
from tests.oracles.held_force_steps import STEPS, radau_nodes
from tests.support.methods import FORCE_SCHEMES, stepping

G = 9.81


def tableau(name: str) -> RungeKuttaTableau:
    return RungeKuttaTableau(getattr(RungeKuttaMethod, name.capitalize()))


@pytest.mark.parametrize("name", ["euler", "rk4", "radau"])
def test_rows_sum_to_times_and_weights_to_one_and_a_half(name: str) -> None:
    t = tableau(name)
    np.testing.assert_allclose(t.A.sum(axis=1), t.c, atol=1e-15)
    for weights, total in ((t.b, 1.0), (t.b_q, 1.0), (t.position_weights, 0.5)):
        assert weights.sum() == pytest.approx(total, abs=1e-15)


def test_position_weights_are_those_of_the_source() -> None:
    """bᵀA, and for Radau γ_p (1 - α_p), the identity of its columns."""
    assert tableau("euler").position_weights.tolist() == [0.5, 0.0]
    np.testing.assert_allclose(
        tableau("rk4").position_weights, [1 / 6, 1 / 6, 1 / 6, 0], atol=1e-16
    )
    radau = tableau("radau")
    np.testing.assert_allclose(radau.position_weights, [0.31804138, 0.18195862, 0.0], atol=5e-9)
    np.testing.assert_allclose(radau.position_weights, radau.b * (1.0 - radau.c), atol=1e-15)


def test_radau_is_the_collocation_method() -> None:
    """c and A from the roots of its polynomial; B(5), C(3), D(2)."""
    t = tableau("radau")
    c, A = radau_nodes()
    np.testing.assert_allclose(t.c, c, atol=1e-13)
    np.testing.assert_allclose(t.A, A, atol=1e-13)
    for k in range(1, 6):
        assert t.b @ t.c ** (k - 1) == pytest.approx(1.0 / k, abs=1e-15)
    for k in range(1, 4):
        np.testing.assert_allclose(t.A @ t.c ** (k - 1), t.c**k / k, atol=1e-15)
    for k in range(1, 3):
        columns = (t.b * t.c ** (k - 1)) @ t.A
        np.testing.assert_allclose(columns, t.b * (1.0 - t.c**k) / k, atol=1e-15)


def heavy(t: float) -> float:
    """Return a mass that grows, in kg."""
    return 2.0 + 30.0 * t + 400.0 * t * t


def growing(gap: float, speed: float) -> nsmb.CallbackSystem:
    """M(t) u̇ = -F over a floor: M depends on time only."""
    floor = nsmb.Contact(gap=lambda t, q: q[0], w_N=lambda t, q: [1.0], name="floor")
    return nsmb.CallbackSystem(
        mass_matrix=lambda t, q: [[heavy(t)]],
        forces=lambda t, q, u: [-5.0],
        contacts=[floor],
        coordinates=["y"],
        initial_state=nsmb.State(0.0, np.array([gap]), np.array([speed])),
    )


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_the_force_is_that_of_the_map_at_once(scheme: str) -> None:
    """W = h² Σ bᵀA/m(t_p) on position level, h Σ b/m on velocity level, and W λ + w = 0.

    One problem gives the force for which a real step ends on the law.
    """
    h, gap, speed = 0.1, 0.02 if "position" in scheme else 0.0, -0.7
    t = tableau(scheme.split("-")[0])
    inverse = 1.0 / heavy(h * t.c)
    if "position" in scheme:
        W, w = h * h * t.position_weights @ inverse, gap + h * speed
    else:
        W, w = h * t.b @ inverse, speed
    method = stepping(h, scheme)
    sol = nsmb.simulate(growing(gap, speed), h, method=method)
    assert sol.step_iterations.tolist() == [1]
    assert sol.lambda_N[-1, 0] == pytest.approx(5.0 - w / W, rel=1e-13)
    end = sol.q if "position" in scheme else sol.u
    assert abs(end[-1, 0]) <= 1e-15


@pytest.mark.parametrize("scheme", ["euler-position", "rk4-position", "radau-position"])
def test_a_point_mass_moves_by_half_a_step_squared_over_its_mass(scheme: str) -> None:
    """W = h²/(2 m)."""
    m, h, gap, speed = 3.0, 0.02, 0.001, -0.4
    start = nsmb.State(0.0, np.array([gap]), np.array([speed]))
    floor = nsmb.Contact(w_N=[1.0], name="floor")
    mass = nsmb.LinearSystem([[m]], force=[-m * G], contacts=[floor], initial_state=start)
    sol = nsmb.simulate(mass, h, method=stepping(h, scheme))
    W = h * h / (2.0 * m)
    assert sol.lambda_N[-1, 0] == pytest.approx(m * G - (gap + h * speed) / W, rel=1e-13)


def bouncer(gap: float) -> nsmb.LinearSystem:
    """Two masses on springs and dampers in a row, the lower one above a floor."""
    start = nsmb.State(0.0, np.array([gap, gap + 0.03]), np.array([-1.0, -2.0]))
    return nsmb.LinearSystem(
        np.diag([0.5, 2.0]),
        K=[[300.0, -300.0], [-300.0, 300.0]],
        D=[[4.0, -4.0], [-4.0, 4.0]],
        force=[-0.5 * G, -2.0 * G],
        contacts=[nsmb.Contact(w_N=[1.0, 0.0], name="floor")],
        initial_state=start,
    )


@pytest.mark.parametrize("main", ["euler", "rk4", "radau"])
@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_the_end_is_that_of_the_main_integrator(scheme: str, main: str) -> None:
    """With the computed force, an explicit step has the same end, which satisfies the law.

    This holds whichever method the map belongs to.
    """
    h, system = 0.02, bouncer(0.001 if "position" in scheme else 0.0)
    method = stepping(h, scheme, main_integrator=main, tol=1e-13)
    sol = nsmb.simulate(system, h, method=method)
    force = sol.lambda_N[-1, 0]
    M = np.diag([0.5, 2.0])

    def a(t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        f = 300.0 * (q[1] - q[0]) + 4.0 * (u[1] - u[0])
        return np.linalg.solve(M, [f - 0.5 * G + force, -f - 2.0 * G])

    q, u = STEPS[main](a, 0.0, h, system.initial_state.q, system.initial_state.u)
    assert force > 1.0
    np.testing.assert_allclose(sol.q[-1], q, atol=1e-14)
    np.testing.assert_allclose(sol.u[-1], u, atol=1e-12)
    law = q[0] if "position" in scheme else u[0]
    assert abs(law) < 2e-11  # m/s: slower than 1e-11 m/s counts as rest of a contact
    # Only the map of Radau includes stiffness; the others neglect (ω h)² = 0.3.
    assert sol.step_iterations[0] <= (3 if main == "radau" and "radau" in scheme else 25)
