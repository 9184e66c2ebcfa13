"""Force elements with states and modes, against matrix exponentials of the same equations."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.linalg import expm

import nsmb
from nsmb import symbolic
from tests.multibody import actuator
from tests.multibody.actuator import END, START, Actuator, in_sympy, slide

ELEMENTS = {"python": Actuator, "sympy": in_sympy}


@pytest.mark.parametrize("language", ELEMENTS)
def test_two_states_and_a_switch_are_those_of_the_matrix_exponential(language: str) -> None:
    sol = nsmb.simulate(slide(ELEMENTS[language]()), END, rtol=1e-12)
    y, switches = actuator.truth()
    assert len(switches) == len(sol.events) == 14
    # Measured 2.6e-13 s and 2e-11; both are a hundred times larger for a rtol a hundred times
    # larger.
    np.testing.assert_allclose(sol.events.t, switches, rtol=0.0, atol=3e-12)
    end = np.concatenate([sol.q[-1], sol.u[-1], sol.x[-1][:2]])
    np.testing.assert_allclose(end, y[:4], rtol=0.0, atol=2e-10)


def test_python_and_sympy_move_alike() -> None:
    runs = [nsmb.simulate(slide(make()), END) for make in ELEMENTS.values()]
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(runs[0].x[-1], runs[1].x[-1], rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("integrator", ["cvode", "arkode_verner56"])
def test_every_integrator_finds_the_switches(integrator: str) -> None:
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-8)
    sol = nsmb.simulate(slide(in_sympy()), 1.0, method=method)
    switches = actuator.truth()[1]
    np.testing.assert_allclose(sol.events.t, switches[switches < 1.0], rtol=0.0, atol=1e-6)


def test_states_and_modes_are_named_and_modes_are_whole_numbers() -> None:
    system = slide(Actuator())
    assert system.states == ("actuator.s", "actuator.a", "actuator.locked")
    assert system.elements == ("actuator.locked",)
    sol = nsmb.simulate(system, END)
    assert set(np.unique(sol.x[:, 2])) == {0.0, 1.0}
    np.testing.assert_array_equal(sol.element_mode[:, 0], sol.x[:, 2])
    assert sol.x[:, 1].max() <= actuator.NUMBERS["a_max"] + 1e-9
    event = sol.events[0]
    assert event.kind == nsmb.EventKind.SWITCH
    assert event.elements == ("actuator.locked",)


def test_states_are_kept_in_files(tmp_path: Path) -> None:
    sol = nsmb.simulate(slide(in_sympy()), 1.0)
    sol.save(tmp_path / "run.npz")
    again = nsmb.Solution.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.x, sol.x)
    assert again.states == sol.states


@pytest.mark.parametrize("language", ELEMENTS)
def test_systems_with_elements_can_be_pickled(language: str) -> None:
    system = slide(ELEMENTS[language]())
    twin = pickle.loads(pickle.dumps(system))
    one, two = nsmb.simulate(system, 0.5), nsmb.simulate(twin, 0.5)
    np.testing.assert_array_equal(one.x, two.x)
    assert twin.states == system.states


def test_a_run_goes_on_with_the_mode_it_had() -> None:
    system = slide(in_sympy())
    first = nsmb.simulate(system, 0.2, rtol=1e-12)
    assert first.x[-1, 2] == 1.0
    rest = nsmb.simulate(system, END, start=first, rtol=1e-12)
    y, switches = actuator.truth()
    np.testing.assert_allclose(rest.events.t, switches[1:], rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(rest.x[-1][:2], y[2:4], rtol=0.0, atol=1e-9)


def test_a_function_that_is_negative_at_the_start_begins_in_the_other_mode() -> None:
    sol = nsmb.simulate(slide(in_sympy()), 0.01, x=[0.0, 0.06, 0.0])
    assert sol.x[0, 2] == 1.0
    assert len(sol.events) == 0
    np.testing.assert_array_equal(sol.x[:, 1], 0.06)


@pytest.mark.parametrize("language", ELEMENTS)
def test_what_elements_store_is_part_of_the_energy(language: str) -> None:
    sol = nsmb.simulate(slide(ELEMENTS[language]()), END)
    balance = sol.energy
    stored = 0.5 * actuator.SPRING * sol.q[:, 0] ** 2 + 50.0 * sol.x[:, 0] ** 2
    np.testing.assert_allclose(balance.potential, stored, atol=1e-12)
    assert balance.relative < 1e-7  # measured 1.6e-8 with rtol 1e-8
    # Lost in the damper T²/d and in the actuator T ȧ.
    T, free = 100.0 * sol.x[:, 0], sol.x[:, 2] == 0.0
    power = -(T**2) / 100.0 - np.where(free, T * 0.01 * (T + 4.0), 0.0)
    trapezes = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(sol.t))])
    np.testing.assert_allclose(balance.work, trapezes, atol=2e-4)


def test_an_element_without_energy_leaves_the_potential_unknown() -> None:
    at = symbolic.Places(coordinates=1)
    system = slide(in_sympy())
    m = actuator.model(in_sympy())
    m.add_user_force("drag", symbolic.BodyForce(at, joint_forces=[-at.u[0]]), coordinates="slide")
    sol = nsmb.simulate(m.build(), 0.1)
    assert np.isnan(sol.energy.potential).all()
    assert np.isfinite(nsmb.simulate(system, 0.1).energy.potential).all()


def rebuilt(**numbers: float) -> nsmb.MultibodySystem:
    m = actuator.model(in_sympy(**numbers))
    return m.build({"slide": START}, parameters=actuator.NUMBERS | numbers, rebuild=rebuilt)


def test_derivatives_by_parameters_and_states_are_those_of_the_exact_motion() -> None:
    t_end = 0.5  # after two switches
    system = rebuilt()
    sol = nsmb.simulate(system, t_end, sensitivity=["c", "a_max"])
    start = np.array([START, 0.0, 0.0, 0.0, 1.0])
    for k, (name, step) in enumerate((("c", 1e-2), ("a_max", 1e-6))):
        ends = [
            actuator.Truth(**{name: actuator.NUMBERS[name] + h}).run(start, t_end)[0]
            for h in (step, -step)
        ]
        slope = (ends[0] - ends[1])[:4] / (2.0 * step)
        mine = sol.sensitivity.parameter[:4, k]
        np.testing.assert_allclose(mine, slope, rtol=2e-5, atol=1e-7)


def test_with_parameters_changes_the_element() -> None:
    sol = nsmb.simulate(rebuilt().with_parameters(b=0.02), END, rtol=1e-10)
    np.testing.assert_allclose(sol.events.t, actuator.truth(b=0.02)[1], rtol=0.0, atol=1e-9)


def test_slides_apart_move_each_for_itself() -> None:
    one = nsmb.simulate(slide(in_sympy()), END, rtol=1e-12)
    many = nsmb.simulate(slide(in_sympy(), 3), END, rtol=1e-12)
    np.testing.assert_allclose(many.x[-1], np.tile(one.x[-1], 3), atol=1e-9)
    for k in range(3):
        own = many.events.at_element(f"actuator{k}.locked")
        np.testing.assert_allclose(own.t, one.events.t, rtol=0.0, atol=1e-11)
    names = [f"actuator{k}.{s}" for k in range(3) for s in ("s", "a", "locked")]
    assert list(many.states) == names


def test_an_element_joins_the_bodies_of_its_markers() -> None:
    # Parts take their own steps: the others stay bitwise identical.
    def last(pull: bool) -> Any:
        m = actuator.model(in_sympy(), 12)
        bodies = {body.name: body for body in m.bodies}
        if pull:
            rope = symbolic.BodyForce(symbolic.Places(markers=2), tension=1)
            m.add_user_force("rope", rope, [bodies["slide0"], bodies["slide2"]], at=[(1, 0), None])
        return nsmb.simulate(m.build(dict.fromkeys(m._records.joints, START)), 0.3)

    free, joined = last(False), last(True)
    assert joined.q[-1, 1] == free.q[-1, 1]
    assert abs(joined.q[-1, 0] - free.q[-1, 0]) > 1e-6
    assert abs(joined.q[-1, 2] - free.q[-1, 2]) > 1e-6


def motor(element: Any) -> nsmb.MultibodySystem:
    m = nsmb.Model()
    wheel = m.add_body("wheel", mass=1.0, inertia=2e-3)
    m.add_joint("axle", nsmb.joints.Revolute(), m.ground, wheel)
    m.add_user_force("motor", element, coordinates=["axle"])
    return m.build()


L, R, K, U, J = 0.02, 1.5, 0.08, 12.0, 2e-3


def motor_in_python() -> nsmb.MultibodySystem:
    m = nsmb.Model()
    wheel = m.add_body("wheel", mass=1.0, inertia=J)
    m.add_joint("axle", nsmb.joints.Revolute(), m.ground, wheel)
    m.add_user_force(
        "motor",
        lambda now: K * now.x[0],
        coordinates="axle",
        states={"current": 0.0},
        rates=lambda now: (U - R * now.x[0] - K * now.u[0]) / L,
        energy=lambda now: 0.5 * L * now.x[0] ** 2,
    )
    return m.build()


def motor_in_sympy() -> nsmb.MultibodySystem:
    at = symbolic.Places(coordinates=1)
    i = symbolic.states("current")
    return motor(
        symbolic.BodyForce(
            at,
            joint_forces=[K * i],
            rates={i: (U - R * i - K * at.u[0]) / L},
            energy=L * i**2 / 2,
        )
    )


@pytest.mark.parametrize("make", [motor_in_python, motor_in_sympy])
def test_a_direct_current_motor_runs_up_as_its_matrix_exponential_says(make: Any) -> None:
    """J ω̇ = k i,  L di/dt = U - R i - k ω."""
    t_end = 0.3
    sol = nsmb.simulate(make(), t_end, rtol=1e-10)
    A = np.array([[0, 1, 0, 0], [0, 0, K / J, 0], [0, -K / L, -R / L, U / L], [0, 0, 0, 0]])
    y = expm(A * t_end) @ np.array([0.0, 0.0, 0.0, 1.0])
    mine = np.array([sol.q[-1, 0], sol.u[-1, 0], sol.x[-1, 0]])
    # rtol 1e-10; measured 2e-11 of each.
    np.testing.assert_allclose(mine, y[:3], rtol=1e-9)
    assert sol.states == ("motor.current",)
    # The energy from the source is lost in R or stored: ∫ U i - R i² dt = ½ L i² + ½ J ω².
    assert sol.energy.relative < 1e-9


def torn_slide(width: float, language: str) -> nsmb.MultibodySystem:
    """Slide pushed down above u = -1 and up below, with modes that last by `width` beyond that."""
    m = nsmb.Model()
    body = m.add_body("slide", mass=1.0, inertia=1e-3)
    m.add_joint("slide", nsmb.joints.Prismatic((1, 0)), m.ground, body)
    if language == "sympy":
        at, torn = symbolic.Places(coordinates=1), symbolic.modes("torn")
        law: Any = symbolic.BodyForce(
            at,
            joint_forces=[torn.select(open=-1, closed=1)],
            watch={torn: (at.u[0] + 1 + width, -(at.u[0] + 1) + width)},
        )
    else:
        law = Torn(width)
    m.add_user_force("law", law, coordinates="slide")
    return m.build()


class Torn(nsmb.UserForce):
    watched: ClassVar[dict[str, bool]] = {"torn": False}

    def __init__(self, width: float) -> None:
        self.width = width

    def force(self, now: Any) -> Any:
        return [1.0 if now.closed[0] else -1.0]

    def watch(self, now: Any) -> float:
        above = float(now.u[0]) + 1.0
        return self.width + (-above if now.closed[0] else above)


@pytest.mark.parametrize("language", ["sympy", "python"])
def test_a_function_that_falls_in_both_modes_ends_the_run_at_once(language: str) -> None:
    sol = nsmb.simulate(torn_slide(0.0, language), 3.0, throw=False)
    assert sol.status == "event_limit"
    assert abs(sol.t[-1] - 1.0) < 1e-12
    assert sol.events.kinds == ["switch"] * len(sol.events)
    assert len(sol.events) < 5
    assert "'law.torn' switches back and forth" in sol.message
    assert "hysteresis" in sol.message


@pytest.mark.parametrize("language", ["sympy", "python"])
def test_hysteresis_is_the_way_on_that_the_message_tells(language: str) -> None:
    """u falls to -1 - h, rises to -1 + h, and so on, at 1 m/s²."""
    h = 0.01
    sol = nsmb.simulate(torn_slide(h, language), 3.0)
    times = 1.0 + h + 2.0 * h * np.arange(round((2.0 - h) / (2.0 * h)))
    assert len(sol.events) in (len(times), len(times) + 1)
    # Measured 2e-14.
    assert np.abs(sol.events.t[: len(times)] - times).max() < 1e-11


class Returning(nsmb.UserForce):
    """Element open to 1 s and closed from there to 1.1 s.

    At its closing, its function has slope zero up to the accuracy of the event, and no force
    shortens the steps.
    """

    watched: ClassVar[dict[str, bool]] = {"w": False}

    def force(self, now: Any) -> Any:
        return [0.0]

    def watch(self, now: Any) -> float:
        s = now.t - 1.0
        if now.closed[0]:
            return float(s * s * (0.1 - s) - 1e-11 * s)
        return float(-s * (0.05 - s))


@pytest.mark.parametrize("step", [np.inf, 0.3, 0.01])
def test_a_mode_that_begins_with_slope_zero_is_no_switch_back(step: float) -> None:
    """The first step of the mode may extend any distance beyond its end."""
    method = nsmb.EventDriven(max_step=step)
    sol = nsmb.simulate(on_slide(Returning()), 2.0, method=method)
    assert sol.events.kinds == ["switch", "switch"]
    assert np.abs(sol.events.t - [1.0, 1.1]).max() < 1e-9


def on_slide(element: Any, **options: Any) -> nsmb.MultibodySystem:
    m = nsmb.Model()
    body = m.add_body("slide", mass=1.0, inertia=1e-3)
    m.add_joint("slide", nsmb.joints.Prismatic((1, 0)), m.ground, body)
    m.add_user_force("e", element, **({"coordinates": "slide"} | options))
    return m.build()


def test_wrenches_on_several_markers_add_to_those_of_the_same_spring() -> None:
    """A tension on two markers, with moments that cancel, is a spring between them."""

    def build(own: bool) -> nsmb.MultibodySystem:
        m = nsmb.Model(gravity=(0, -9.81))
        one = m.add_body("one", mass=1.0, inertia=2e-3)
        two = m.add_body("two", mass=0.5, inertia=1e-3)
        m.add_joint("j1", nsmb.joints.Revolute(), m.ground, one)
        m.add_joint("j2", nsmb.joints.Planar(), m.ground, two, at=(0.5, -0.5))
        if own:
            m.add_user_force(
                "s",
                lambda now: np.stack(
                    [now.pull(30.0 * (now.distance() - 0.4) + 0.2 * now.rate()),
                     np.array([[0, 0, 0.1], [0, 0, -0.1]])], axis=1),
                [one, two],
                at=[(0.2, 0), (0.05, 0)],
                energy=lambda now: 15.0 * (now.distance() - 0.4) ** 2,
            )  # fmt: skip
        else:
            m.add_spring_damper("s", one, two, c=30.0, d=0.2, free_length=0.4, at=(0.2, 0),
                                at_2=(0.05, 0))  # fmt: skip
            m.add_load("m1", one, lambda t, r, A, v, w: ((0, 0, 0), (0, 0, 0.1)))
            m.add_load("m2", two, lambda t, r, A, v, w: ((0, 0, 0), (0, 0, -0.1)))
        return m.build()

    one, two = (nsmb.simulate(build(own), 1.0) for own in (True, False))
    np.testing.assert_allclose(one.q[-1], two.q[-1], rtol=0.0, atol=1e-9)
    assert np.isfinite(one.energy.potential).all()


MISUSES: dict[str, tuple[dict[str, Any], str]] = {
    "signature of force": ({"element": lambda t, x: 0.0}, "'e': force: expected a function of"),
    "signature of rates": (
        {"states": {"x": 0.0}, "rates": lambda t, x: 0.0},
        "'e': rates: expected a function of",
    ),
    "no rates": ({"states": {"x": 0.0}}, "'e': rates: expected a function"),
    "no states": ({"rates": lambda now: 0.0}, "'e': states: expected names"),
    "no watch": ({"watched": {"w": False}}, "'e': watch: expected a function"),
    "states": ({"states": ["x"], "rates": lambda now: 0.0}, "'e': states: expected a mapping"),
    "mode": ({"watched": {"w": 0.5}, "watch": lambda now: 1.0}, "'w': expected True or False"),
    "no place": ({"coordinates": ()}, "must act on places or coordinates"),
    "coordinate": ({"coordinates": "slido"}, "coordinate 'slido'"),
    "no function": ({"element": 3.0}, "expected a nsmb.UserForce or a function"),
    "resolution": (
        {"watched": {"w": False}, "watch": lambda now: 1.0, "resolution": 0.0},
        "resolution: expected a number > 0",
    ),
    "functions beside an element": (
        {"element": Actuator(), "rates": lambda now: 0.0},
        "expected functions with a function",
    ),
}


@pytest.mark.parametrize("case", MISUSES)
def test_misuse_names_the_element_and_what_is_wrong(case: str) -> None:
    options, message = MISUSES[case]
    options = {"element": lambda now: 0.0} | options
    with pytest.raises(ValueError, match=message):
        on_slide(**options)


RETURNED: dict[str, tuple[dict[str, Any], str]] = {
    "shape of force": ({"element": lambda now: [1.0, 2.0]}, r"force\(now\), on coordinates: exp"),
    "no number": ({"element": lambda now: np.nan}, r"force\(now\), on coordinates: expected a?"),
    "rates": (
        {"states": {"x": 0.0}, "rates": lambda now: [1.0, 2.0]},
        r"'e': rates\(now\): expected shape \(1,\)",
    ),
    "watch": (
        {"watched": {"w": False}, "watch": lambda now: [1.0, 2.0]},
        r"'e': watch\(now\): expected shape \(1,\)",
    ),
    "writes": (
        {"states": {"x": 0.0}, "rates": lambda now: now.x.__setitem__(0, 1.0)},
        r"'e': rates\(now\)",
    ),
}


@pytest.mark.parametrize("case", RETURNED)
def test_a_function_that_returns_something_else_is_named(case: str) -> None:
    options, message = RETURNED[case]
    system = on_slide(**({"element": lambda now: 0.0} | options))
    with pytest.raises(ValueError, match=message):
        nsmb.simulate(system, 0.1)


def test_forces_of_a_wrong_shape_on_markers_are_named() -> None:
    m = nsmb.Model()
    body = m.add_body("b", mass=1.0, inertia=1.0)
    m.add_joint("j", nsmb.joints.Planar(), m.ground, body)
    m.add_user_force("e", lambda now: [0.0, 1.0, 0.0], body)
    with pytest.raises(ValueError, match=r"shape \(1, 3\), or forces and moments \(1, 2, 3\)"):
        nsmb.simulate(m.build(), 0.1)


def test_expressions_of_unknown_symbols_are_named() -> None:
    at = symbolic.Places(coordinates=1)
    s = symbolic.states("s")
    with pytest.raises(ValueError, match="joint_forces: symbol 's'"):
        symbolic.BodyForce(at, joint_forces=[s])
    with pytest.raises(ValueError, match="expected 0 markers and 1 coordinates"):
        slide(symbolic.BodyForce(at, joint_forces=[1]))
    m = symbolic.modes("m")
    with pytest.raises(ValueError, match="watch of m: expected a pair"):
        symbolic.BodyForce(at, watch={m: at.q[0]})
    with pytest.raises(ValueError, match=r"watch of m: .*: neither mode can last"):
        symbolic.BodyForce(at, watch={m: (-1, -2)})
    with pytest.raises(ValueError, match=r"initial of m: expected True .*, got 0\.5"):
        symbolic.BodyForce(at, watch={m: (at.q[0], 1)}, initial={m: 0.5})
