"""Force elements with switching and internal states, in both kinds of systems."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb

Array = NDArray[np.float64]
C, D = 400.0, 12.0  # N/m, N s/m


def place(t: float, q: Array) -> float:
    return float(q[0])


def free(t: float, q: Array, u: Array) -> list[float]:
    return [0.0]


def mass(kind: str, law: nsmb.GapForce, **changes: Any) -> nsmb.System:
    """Unit mass with a buffer at x = 0."""
    if kind == "linear":
        element = nsmb.ForceElement(w=[1.0], law=law, name="buffer")
        return nsmb.LinearSystem([[1.0]], elements=[element], coordinates=["x"], **changes)
    point = nsmb.ForceElement(place, law, name="buffer")
    return nsmb.CallbackSystem(["x"], [[1.0]], free, elements=[point], **changes)


both = pytest.mark.parametrize("kind", ["linear", "callback"])


@both
def test_an_elastic_buffer_gives_the_velocity_back_after_half_a_period(kind: str) -> None:
    """(3.16): contact at t = 0.5 s for π/ω with ω = √(c/m) = 20 1/s, depth v/ω."""
    system = mass(kind, nsmb.GapForce(C, law="elastic_gap"))
    assert (system.ne, system.nx, system.elements) == (1, 0, ("buffer",))
    sol = nsmb.simulate(system, 1.0, q=[1.0], u=[-2.0], rtol=1e-11)
    assert sol.events.kinds == ["switch", "switch"]
    assert sol.events[0].elements == ("buffer",)
    assert str(sol.events[0]) == "switch at t = 0.5 s (buffer)"
    np.testing.assert_allclose(sol.events.t, [0.5, 0.5 + np.pi / 20], rtol=1e-9)
    assert sol.u[-1, 0] == pytest.approx(2.0, rel=1e-8)
    np.testing.assert_allclose(sol.at(0.5 + np.pi / 40).q, [-0.1], rtol=1e-7)
    assert sol.element_names == ("buffer",)
    np.testing.assert_allclose(sol.element_gamma[:, 0], sol.q[:, 0], atol=1e-14)
    inside = sol.element_mode[:, 0] == 1
    assert inside.any()
    np.testing.assert_allclose(sol.element_force[inside, 0], -C * sol.q[inside, 0], atol=1e-10)
    np.testing.assert_array_equal(sol.element_force[~inside], 0.0)


@both
def test_a_relaxing_wall_is_left_without_tension_and_then_comes_back(kind: str) -> None:
    """(3.20)-(3.23): ẍ + d ẋ + c x = 0 while ζ > 0; then γ_w = γ_w(t_E) exp(-c (t - t_E)/d)."""
    system = mass(kind, nsmb.GapForce(C, D))
    assert system.states == ("buffer.wall",)
    sol = nsmb.simulate(system, 1.0, q=[1.0], u=[-2.0], rtol=1e-11)
    assert sol.events.kinds == ["switch", "switch"]
    begin, end = sol.events.t
    delta, omega = D / 2, np.sqrt(C - D**2 / 4)
    tau = end - begin
    fade, sin, cos = np.exp(-delta * tau), np.sin(omega * tau), np.cos(omega * tau)
    position = -2.0 * fade * sin / omega
    velocity = -2.0 * fade * (cos - delta / omega * sin)
    velocity = (
        -2.0 * np.exp(-delta * tau) * (np.cos(omega * tau) - delta / omega * np.sin(omega * tau))
    )
    assert sol.events.q[1, 0] == pytest.approx(position, rel=1e-7)
    assert sol.events.u_plus[1, 0] == pytest.approx(velocity, rel=1e-7)
    assert C * position + D * velocity == pytest.approx(0.0, abs=1e-5)  # ζ = 0, not x = 0
    assert position < 0.0
    np.testing.assert_allclose(sol.events.x, [[0.0], [position]], atol=1e-9)
    after = sol.t > end
    expected = position * np.exp(-C / D * (sol.t[after] - end))
    np.testing.assert_allclose(sol.x[after, 0], expected, atol=1e-9)
    np.testing.assert_allclose(sol.at(0.9).x, [position * np.exp(-C / D * (0.9 - end))], atol=1e-9)
    assert sol.at([0.1, 0.2]).x.shape == (2, 1)


def test_a_simulator_shows_and_takes_internal_states() -> None:
    sim = nsmb.Simulator(mass("linear", nsmb.GapForce(C, D)), output_step=0.0)
    np.testing.assert_array_equal(sim.x, [0.0])  # the default
    np.testing.assert_array_equal(sim.element_mode, [0])
    sim.reset(q=[1.0], u=[-20.0], x=[-0.3])
    np.testing.assert_array_equal(sim.x, [-0.3])
    event = sim.step(t_max=10.0)
    assert event is not None
    assert (event.kind, event.elements) == (nsmb.EventKind.SWITCH, ("buffer",))
    np.testing.assert_array_equal(sim.element_mode, [1])
    # the wall was still relaxing, γ_w = -0.3 exp(-c t/d), and is hit there
    assert event.q[0] < -0.03
    assert event.q[0] == pytest.approx(-0.3 * np.exp(-C / D * event.t), rel=1e-6)
    sim.advance(1.0)
    assert sim.solution.events.at_element("buffer").t.size == 2
    with pytest.raises(ValueError, match="force element: expected one of buffer, got 'bumper'"):
        sim.solution.events.at_element("bumper")


# Internal states ------------------------------------------------------------------------------


def motor(t: float, q: Array, u: Array, x: Array) -> list[float]:
    return [x[0]]


def fading(t: float, q: Array, u: Array, x: Array) -> list[float]:
    return [-2.0 * x[0], u[0]]


def drive(x: Any = (), **changes: Any) -> nsmb.CallbackSystem:
    """u̇ = x_0, ẋ_0 = -2 x_0, ẋ_1 = u."""
    start = nsmb.State(0.0, np.zeros(1), np.zeros(1), x=np.array(x, dtype=float))
    return nsmb.CallbackSystem(
        ["s"], [[1.0]], motor, states=["torque", "path"], state_rates=fading,
        initial_state=start, **changes,
    )  # fmt: skip


def test_states_of_a_system_move_with_it() -> None:
    """x_0 = 3 exp(-2t), u = 3/2 (1 - exp(-2t)), and x_1 = q."""
    sol = nsmb.simulate(drive([3.0, 0.0]), 1.0, rtol=1e-11)
    assert sol.states == ("torque", "path")
    np.testing.assert_allclose(sol.x[:, 0], 3.0 * np.exp(-2.0 * sol.t), rtol=1e-9)
    np.testing.assert_allclose(sol.u[:, 0], 1.5 * (1 - np.exp(-2 * sol.t)), atol=1e-9)
    np.testing.assert_allclose(sol.x[:, 1], sol.q[:, 0], atol=1e-9)


def test_states_are_zero_unless_given() -> None:
    np.testing.assert_array_equal(drive().initial_state.x, [0.0, 0.0])
    assert nsmb.State(0.0, np.zeros(1), np.zeros(1)).x.shape == (0,)
    sol = nsmb.simulate(drive(), 1.0, x=[3.0, 1.0])
    np.testing.assert_array_equal(sol.x[0], [3.0, 1.0])


def test_own_states_may_be_given_without_the_walls() -> None:
    buffer = nsmb.ForceElement(place, nsmb.GapForce(C, D), name="buffer")
    system = drive([3.0, 0.0], elements=[buffer])
    assert system.states == ("torque", "path", "buffer.wall")
    np.testing.assert_array_equal(system.initial_state.x[:2], [3.0, 0.0])
    np.testing.assert_array_equal(system.state_rates(0, [0], [5.0], [3.0, 0.0, 9.0]), [-6.0, 5.0])
    np.testing.assert_array_equal(system.forces(0, [0], [0], [3.0, 0.0, 9.0]), [3.0])
    kinematics = system.element_kinematics(0, [0.25])
    np.testing.assert_allclose(kinematics["gamma"], [0.25])
    np.testing.assert_allclose(kinematics["W"], [[1.0]], atol=1e-9)
    sol = nsmb.simulate(system, 0.5)
    assert sol.x.shape == (sol.t.size, 3)
