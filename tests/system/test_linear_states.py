"""First-order states of linear systems, against the matrix exponential and other descriptions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import expm

import nsmb

Matrix = NDArray[np.float64]


def draw(seed: int, n: int, nx: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(n, n))
    stiff = rng.normal(size=(n, n))
    return {
        "M": B @ B.T + np.eye(n),
        "K": stiff @ stiff.T,
        "D": 0.2 * rng.normal(size=(n, n)),
        "A": rng.normal(size=(nx, nx)) - 1.5 * np.eye(nx),
        "Q": rng.normal(size=(nx, n)),
        "U": rng.normal(size=(nx, n)),
        "C": rng.normal(size=(n, nx)),
        "q": rng.normal(size=n),
        "u": rng.normal(size=n),
        "x": rng.normal(size=nx),
        "f": rng.normal(size=n),
        "b": rng.normal(size=(3, nx)),
        "omega": float(rng.uniform(0.5, 4.0)),
    }


def rates(d: dict[str, Any]) -> Matrix:
    """Return ∂ẏ/∂y of y = (q, u, x)."""
    n, nx = d["K"].shape[0], d["A"].shape[0]
    Minv = np.linalg.inv(d["M"])
    return np.block(
        [
            [np.zeros((n, n)), np.eye(n), np.zeros((n, nx))],
            [-Minv @ d["K"], -Minv @ d["D"], Minv @ d["C"]],
            [d["Q"], d["U"], d["A"]],
        ]
    )


def linear(d: dict[str, Any], **more: Any) -> nsmb.LinearSystem:
    drive = nsmb.Force(
        constant=d["b"][0], ramp=d["b"][1], harmonics=[nsmb.Harmonic(d["b"][2], d["omega"], 0.4)]
    )
    states = nsmb.LinearStates(d["A"], d["Q"], d["U"], d["C"], drive)
    start = nsmb.State(0.0, d["q"], d["u"], d["x"])
    return nsmb.LinearSystem(
        d["M"], d["K"], d["D"], force=d["f"], states=states, initial_state=start, **more
    )


def exact(d: dict[str, Any], t: float) -> tuple[Matrix, float]:
    """Return y(t), and the size of its sum.

    The excitation is included as further states (1, t, cos, sin).
    """
    n, nx = d["K"].shape[0], d["A"].shape[0]
    ny = 2 * n + nx
    whole = np.zeros((ny + 4, ny + 4))
    whole[:ny, :ny] = rates(d)
    whole[n : 2 * n, ny] = np.linalg.solve(d["M"], d["f"])
    whole[2 * n : ny, ny : ny + 2] = d["b"][:2].T
    whole[2 * n : ny, ny + 2] = d["b"][2] * np.cos(0.4)
    whole[2 * n : ny, ny + 3] = -d["b"][2] * np.sin(0.4)
    whole[ny + 1, ny] = 1.0
    whole[ny + 2, ny + 3] = -d["omega"]
    whole[ny + 3, ny + 2] = d["omega"]
    start = np.concatenate([d["q"], d["u"], d["x"], [1.0, 0.0, 1.0, 0.0]])
    flow = expm(whole * t)
    return np.asarray(flow @ start)[:ny], float(np.abs(flow).sum(1).max() * np.abs(start).max())


def end(sol: nsmb.Solution) -> Matrix:
    return np.concatenate([sol.q[-1], sol.u[-1], sol.x[-1]])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 5), nx=st.integers(1, 4))
def test_the_motion_is_the_matrix_exponential(seed: int, n: int, nx: int) -> None:
    d = draw(seed, n, nx)
    sol = nsmb.simulate(linear(d), 2.0, output_step=0.5)
    y, size = exact(d, 2.0)
    # Measured 3e-15 of the size of the sum.
    assert end(sol) == pytest.approx(y, abs=1e-13 * size)


@pytest.mark.parametrize("method", ["dp853", "cvode"])
def test_a_numerical_method_agrees_with_the_closed_form(method: str) -> None:
    d = draw(3, 3, 2)
    sol = nsmb.simulate(linear(d), 3.0, method=nsmb.EventDriven(integrator=method, rtol=1e-10))
    bound = 1e-7 if method == "dp853" else 1e-5
    assert end(sol) == pytest.approx(exact(d, 3.0)[0], abs=bound)


def test_the_derivative_by_the_start_is_the_matrix_exponential() -> None:
    d = draw(5, 2, 2)
    sol = nsmb.simulate(linear(d), 1.5, sensitivity=True)
    assert sol.sensitivity is not None
    assert sol.sensitivity.state == pytest.approx(expm(1.5 * rates(d)), abs=1e-11)


def with_contacts(d: dict[str, Any]) -> nsmb.LinearSystem:
    law = nsmb.ContactLaw(e_N=0.6, mu=0.3)
    contacts = [
        nsmb.Contact(w_N=[1.0, 0.0], w_T=[0.0, 1.0], gap=0.8, law=law, name="wall"),
        nsmb.Friction(w_T=[0.0, 1.0], bound=0.4, mu=0.0, name="rail"),
    ]
    return linear(d, contacts=contacts)


def as_callbacks(d: dict[str, Any]) -> nsmb.CallbackSystem:
    """Return the same system by functions."""

    def forces(t: float, q: Matrix, u: Matrix, x: Matrix) -> Matrix:
        return np.asarray(d["f"] - d["K"] @ q - d["D"] @ u + d["C"] @ x)

    def state_rates(t: float, q: Matrix, u: Matrix, x: Matrix) -> Matrix:
        b = d["b"][0] + d["b"][1] * t + d["b"][2] * np.cos(d["omega"] * t + 0.4)
        return np.asarray(d["A"] @ x + d["Q"] @ q + d["U"] @ u + b)

    law = nsmb.ContactLaw(e_N=0.6, mu=0.3)
    wall = nsmb.Contact(
        gap=lambda t, q: q[0] + 0.8,
        w_N=lambda t, q: [1.0, 0.0],
        w_T=lambda t, q: [0.0, 1.0],
        w_bar_N=lambda t, q, u: 0.0,
        w_bar_T=lambda t, q, u: 0.0,
        law=law,
        name="wall",
    )
    rail = nsmb.Friction(w_T=lambda t, q: [0.0, 1.0], bound=0.4, name="rail")
    return nsmb.CallbackSystem(
        ["a", "b"],
        mass_matrix=lambda t, q: d["M"],
        forces=forces,
        states=["x1", "x2"],
        state_rates=state_rates,
        contacts=[wall, rail],
        initial_state=nsmb.State(0.0, d["q"], d["u"], d["x"]),
    )


@pytest.mark.parametrize("seed", range(6))
def test_contacts_beside_states_agree_with_the_same_system_as_functions(seed: int) -> None:
    d = draw(100 + seed, 2, 2)
    d["q"] = np.array([0.3, 0.0])
    one = nsmb.simulate(with_contacts(d), 4.0)
    other = nsmb.simulate(as_callbacks(d), 4.0, rtol=1e-11)
    assert one.events.kinds == other.events.kinds
    assert len(one.events) > 0
    assert one.events.t == pytest.approx(other.events.t, abs=1e-6)
    assert end(one) == pytest.approx(end(other), rel=1e-6, abs=1e-6)
    assert one.check().ok


def test_a_drive_that_is_switched_on_is_located_exactly() -> None:
    """ẋ = -x + b, with b from t = 0.5 on; the force ends together with another pulse."""
    states = nsmb.LinearStates(
        [[-1.0]], C=[[2.0]], drive=nsmb.Force(pulses=[nsmb.Pulse([3.0], 0.5)])
    )
    system = nsmb.LinearSystem(
        [[1.0]], states=states, force=nsmb.Force(pulses=[nsmb.Pulse([1.0], 0.25, 0.75)])
    )
    sol = nsmb.simulate(system, 2.0)
    assert sol.x[-1, 0] == pytest.approx(3.0 * (1.0 - np.exp(-1.5)), abs=1e-14)
    # u: the pulse gives 0.5; 2 ∫ x = 6 (τ - 1 + e^-τ), τ = 1.5
    assert sol.u[-1, 0] == pytest.approx(0.5 + 6.0 * (0.5 + np.exp(-1.5)), abs=1e-13)


def test_fast_states_beside_slow_masses_stay_exact() -> None:
    """A filter of 1 µs: x follows u, and acts as a damper."""
    fast = 1e6
    states = nsmb.LinearStates([[-fast]], U=[[fast]], C=[[-0.5]])
    system = nsmb.LinearSystem(
        [[1.0]], states=states, initial_state=nsmb.State(0.0, [0.0], [1.0], [1.0])
    )
    sol = nsmb.simulate(system, 0.01)
    J = np.array([[0.0, -0.5], [fast, -fast]])
    expected = expm(0.01 * J) @ [1.0, 1.0]
    assert [sol.u[-1, 0], sol.x[-1, 0]] == pytest.approx(expected, rel=1e-9)


def test_copies_have_the_same_states() -> None:
    d = draw(9, 2, 1)
    system = linear(d)
    again = pickle.loads(pickle.dumps(system))
    assert again.states == system.states == ("x1",)
    assert end(nsmb.simulate(again, 1.0)).tolist() == end(nsmb.simulate(system, 1.0)).tolist()


def test_many_masses_with_states_are_one_system() -> None:
    n = 6
    states = nsmb.LinearStates([[-1.0]], U=np.ones((1, n)), C=-np.ones((n, 1)))
    start = nsmb.State(0.0, np.zeros(n), np.arange(n, dtype=float), np.zeros(1))
    system = nsmb.LinearSystem(np.eye(n), states=states, initial_state=start)
    sol = nsmb.simulate(system, 1.0)
    J = np.block([[np.zeros((n, n)), -np.ones((n, 1))], [np.ones((1, n)), -np.ones((1, 1))]])
    expected = expm(J) @ np.concatenate([start.u, start.x])
    assert np.concatenate([sol.u[-1], sol.x[-1]]) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"A": [[1.0, 2.0]]}, "states.A: expected a square matrix"),
        ({"A": [[1.0]], "C": [1.0]}, r"states.C: expected shape \(2, 1\)"),
        ({"A": [[1.0]], "U": [[np.nan, 0.0]]}, "states.U"),
        ({"A": [[1.0]], "names": ["a", "b"]}, "states.names: expected 1 names, got 2"),
        (
            {"A": [[1.0]], "drive": lambda t: [0.0]},
            "states.drive: must be a nsmb.Force or numbers",
        ),
        ({"A": [[1.0]], "drive": [1.0, 2.0]}, "states.drive"),
    ],
)
def test_wrong_states_are_refused_by_name(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nsmb.LinearSystem(np.eye(2), states=nsmb.LinearStates(**arguments))


def test_something_else_as_states_is_refused() -> None:
    with pytest.raises(ValueError, match=r"states: expected a nsmb.LinearStates"):
        nsmb.LinearSystem([[1.0]], states=[[1.0]])  # type: ignore[arg-type]
