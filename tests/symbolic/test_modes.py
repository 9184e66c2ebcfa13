"""Systems from energies with user modes agree with matrix exponentials and closed forms."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import symbolic
from tests.multibody import actuator
from tests.multibody.actuator import END, MASS, NUMBERS, SPRING, START, Truth, in_sympy

y = symbolic.coordinates("y")
v = symbolic.velocities(y)
s, a = symbolic.states("s a")
locked = symbolic.modes("locked")
p = symbolic.parameters(**NUMBERS)
FLOW = locked.select(open=p.b * (p.c * s - p.T0), closed=0)
PARTS: dict[str, Any] = {
    "states": {s: v - p.c * s / p.d - FLOW, a: FLOW},
    "watch": {locked: (p.a_max - a, p.c * s - p.T0)},
    "energy": p.c * s**2 / 2,
    "parameters": p,
    "initial": {y: START},
}


def slide(**changes: Any) -> Any:
    """Return the slide of `tests.multibody.actuator` from its energies."""
    return symbolic.LagrangianSystem(
        [y], MASS * v**2 / 2, SPRING * y**2 / 2, {y: -p.c * s}, **(PARTS | changes)
    )


def by_equations() -> Any:
    return symbolic.from_equations(
        [y], [[MASS]], [-SPRING * y - p.c * s], potential=SPRING * y**2 / 2, **PARTS
    )


@pytest.mark.parametrize("make", [slide, by_equations])
def test_two_states_and_a_switch_are_those_of_the_matrix_exponential(make: Any) -> None:
    sol = nsmb.simulate(make(), END, rtol=1e-12)
    end, switches = actuator.truth()
    # Margins of tests/multibody/test_user_forces.py, where the same equations are a model's.
    np.testing.assert_allclose(sol.events.t, switches, rtol=0.0, atol=3e-12)
    mine = np.concatenate([sol.q[-1], sol.u[-1], sol.x[-1][:2]])
    np.testing.assert_allclose(mine, end[:4], rtol=0.0, atol=2e-10)


def test_a_model_with_the_same_element_moves_alike() -> None:
    one = nsmb.simulate(slide(), END, rtol=1e-12)
    two = nsmb.simulate(actuator.slide(in_sympy()), END, rtol=1e-12)
    np.testing.assert_allclose(one.events.t, two.events.t, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(one.x[-1], two.x[-1], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(one.energy.total[-1], two.energy.total[-1], rtol=1e-9)


@pytest.mark.parametrize("integrator", ["cvode", "arkode_verner56"])
def test_every_integrator_finds_the_switches(integrator: str) -> None:
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-8)
    sol = nsmb.simulate(slide(), 1.0, method=method)
    switches = actuator.truth()[1]
    np.testing.assert_allclose(sol.events.t, switches[switches < 1.0], rtol=0.0, atol=1e-6)


def test_modes_are_named_events_and_whole_numbers() -> None:
    system = slide()
    assert system.states == ("s", "a", "locked")
    assert system.elements == ("locked",)
    assert not system.is_linear
    sol = nsmb.simulate(system, END)
    assert set(sol.events.kinds) == {"switch"}
    assert sol.events[0].elements == ("locked",)
    assert set(np.unique(sol.x[:, 2])) == {0.0, 1.0}
    np.testing.assert_array_equal(sol.element_mode[:, 0], sol.x[:, 2])


def test_a_run_is_saved_and_goes_on_with_the_mode_it_had(tmp_path: Path) -> None:
    system = slide()
    first = nsmb.simulate(system, 0.2, rtol=1e-12)
    assert first.x[-1, 2] == 1.0
    first.save(tmp_path / "run.npz")
    again = nsmb.Solution.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.x, first.x)
    rest = nsmb.simulate(system, END, start=first, rtol=1e-12)
    np.testing.assert_allclose(rest.events.t, actuator.truth()[1][1:], rtol=0.0, atol=1e-11)


def test_pickles_and_other_parameters_keep_modes() -> None:
    twin = pickle.loads(pickle.dumps(slide()))
    np.testing.assert_array_equal(nsmb.simulate(twin, 0.5).x, nsmb.simulate(slide(), 0.5).x)
    sol = nsmb.simulate(twin.with_parameters(b=0.02), END, rtol=1e-10)
    np.testing.assert_allclose(sol.events.t, actuator.truth(b=0.02)[1], rtol=0.0, atol=1e-9)


def test_modes_start_as_given_unless_their_function_says_otherwise() -> None:
    closed = slide(initial={y: START, locked: True})
    assert closed.initial_state.x[2] == 1.0
    # The closed mode lasts while T >= T_0, which fails at s = -0.05.
    assert nsmb.simulate(closed, 0.01).x[0, 2] == 1.0
    assert nsmb.simulate(closed, 0.001, x=[-0.05, 0.0, 1.0]).x[0, 2] == 0.0


def test_derivatives_of_runs_cross_switches() -> None:
    t_end, names = 0.5, ["c", "a_max"]  # after two switches
    sol = nsmb.simulate(slide(), t_end, sensitivity=names)
    start = np.array([START, 0.0, 0.0, 0.0, 1.0])
    for k, (name, step) in enumerate(zip(names, (1e-2, 1e-6), strict=True)):
        ends = [Truth(**{name: NUMBERS[name] + h}).run(start, t_end)[0] for h in (step, -step)]
        slope = (ends[0] - ends[1])[:4] / (2.0 * step)
        mine = sol.sensitivity.parameter[:4, k]
        np.testing.assert_allclose(mine, slope, rtol=2e-5, atol=1e-7)


def test_what_is_stored_in_states_is_part_of_the_energy() -> None:
    balance = nsmb.simulate(slide(), END).energy
    assert np.isfinite(balance.potential).all()
    assert balance.relative < 1e-7  # measured 1.6e-8 with rtol 1e-8
    without = nsmb.simulate(slide(energy=None), END).energy
    assert np.abs(without.potential - balance.potential).max() > 0.1


def test_the_jacobian_of_the_motion_holds_in_each_mode() -> None:
    system, t, q, u = slide(), 0.0, np.array([0.2]), np.array([0.3])
    for mode in (0.0, 1.0):
        x = np.array([0.01, 0.02, mode])
        J = system.jacobians(t, q, u, x)
        for i in range(2):
            h = np.eye(3)[i] * 1e-6
            rates = [system.state_rates(t, q, u, x + sign * h) for sign in (1, -1)]
            np.testing.assert_allclose(J["xdot"][:, 2 + i], (rates[0] - rates[1]) / 2e-6, rtol=1e-8)
        np.testing.assert_array_equal(J["xdot"][:, 4], 0.0)  # frozen
        np.testing.assert_array_equal(J["element"], 0.0)


# ---- memory ---------------------------------------------------------------------------------

deepest = symbolic.states("deepest")
loading = symbolic.modes("loading")


def swing(integrator: str = "auto") -> Any:
    """Return y = y_0 cos ωt with a continuous state that stores its reversal points."""
    omega = 3.0
    system = symbolic.LagrangianSystem(
        [y],
        v**2 / 2,
        omega**2 * y**2 / 2,
        states={deepest: loading.select(open=0, closed=v)},
        watch={loading: (v, -v)},
        initial={y: 1.0, deepest: 1.0, loading: True},
    )
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-10)
    return nsmb.simulate(system, 4.0, method=method)


def test_a_state_that_is_driven_in_one_mode_keeps_the_reversal_point() -> None:
    sol = swing()
    half = np.pi / 3.0
    np.testing.assert_allclose(sol.events.t, half * np.arange(1, 4), rtol=0.0, atol=1e-8)
    kept = sol.at(half * np.array([1.2, 1.7])).x[:, 0]
    np.testing.assert_allclose(kept, -1.0, rtol=0.0, atol=1e-9)
    # On reloading it follows from there: it stores the displacement, here less the return.
    again = sol.at(half * 2.5).x[0]
    np.testing.assert_allclose(again, -1.0 + np.cos(2.5 * np.pi) - 1.0, rtol=0.0, atol=1e-8)


# ---- bounds of friction ---------------------------------------------------------------------

wet = symbolic.modes("wet")
pressure = symbolic.states("pressure")
n = symbolic.parameters(dry=4.0, little=1.0, place=0.5, T=0.3)


def block(bound: Any, **parts: Any) -> Any:
    return symbolic.LagrangianSystem(
        [y],
        v**2 / 2,
        contacts=[nsmb.Friction(slip=v, bound=bound, name="guide")],
        parameters=n,
        **parts,
    )


def test_a_bound_of_friction_changes_with_the_mode() -> None:
    system = block(
        wet.select(open=n.dry, closed=n.little),
        watch={wet: (n.place - y, y - n.place)},
        initial={v: 3.0},
    )
    sol = nsmb.simulate(system, 4.0, rtol=1e-10, sensitivity=["dry", "place"])
    # v² = 9 - 8 y until y = 1/2, then a = -1 until it stops.
    speed = np.sqrt(5.0)
    first = (3.0 - speed) / 4.0
    np.testing.assert_allclose(sol.events.t, [first, first + speed], rtol=0.0, atol=1e-9)
    assert list(sol.events.kinds) == ["switch", "stick"]
    np.testing.assert_allclose(sol.q[-1], 0.5 + 2.5, rtol=0.0, atol=1e-9)
    # y_end = place + (9 - 2 dry place)/2
    np.testing.assert_allclose(sol.sensitivity.parameter[0], [-0.5, 1.0 - 4.0], atol=1e-7)
    assert sol.check().ok


def test_a_bound_of_friction_follows_a_state() -> None:
    parts = {"states": {pressure: -pressure / n.T}, "initial": {v: 3.0, pressure: 5.0}}
    sol = nsmb.simulate(block(pressure, **parts), 2.0, rtol=1e-10)
    # v = 3 - 5 T (1 - exp(-t/T)) > 0 for T = 0.3
    decay = np.exp(-sol.t / 0.3)
    np.testing.assert_allclose(sol.u[:, 0], 3.0 - 1.5 * (1.0 - decay), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(sol.lambda_T[:, 0], -5.0 * decay, rtol=0.0, atol=1e-8)


def test_a_body_that_sticks_goes_when_the_pressure_is_gone() -> None:
    system = symbolic.LagrangianSystem(
        [y],
        v**2 / 2,
        -y,  # pulls with 1 N
        contacts=[nsmb.Friction(slip=v, bound=pressure)],
        states={pressure: -pressure / n.T},
        parameters=n,
        initial={pressure: 5.0},
    )
    sol = nsmb.simulate(system, 1.0, rtol=1e-10)
    np.testing.assert_allclose(sol.events.t, [0.3 * np.log(5.0)], rtol=0.0, atol=1e-9)
    kinematics = system.contact_kinematics(0.0, [0.0], [0.0], x=[2.5])
    assert kinematics["bound"] == 2.5
    assert system.contact_kinematics(0.0, [0.0], [0.0])["bound"] == 5.0  # as at the start
    at_rest = nsmb.instant.accelerations(system, 0.0, [0.0], [0.0], x=[0.5])
    np.testing.assert_allclose(at_rest.udot, [0.5], atol=1e-12)


# ---- misuse ---------------------------------------------------------------------------------

other = symbolic.modes("other")
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "state as mode": ({"watch": {s: (1, 1)}}, r"watch: expected symbols made by modes\(\), got s"),
    "mode as state": (
        {"states": {locked: 0}},
        r"states: expected symbols made by states\(\), got locked",
    ),
    "no pair": ({"watch": {locked: a}}, r"watch of locked: expected a pair \(open, closed\)"),
    "no mapping": ({"watch": [locked]}, r"watch: expected a mapping, got"),
    "unknown mode": ({"energy": other * s}, r"energy: symbol 'other'"),
    "linear": ({"linear": True}, r"linear: .* there are internal states"),
    "resolution": ({"resolution": 0.0}, r"force element 'locked': resolution"),
    "texts": ({"watch": {locked: ("1 - a", "a")}}, r"watch of locked: expected an expression"),
    "neither mode can last": (
        {"watch": {locked: (-1, -1)}},
        r"watch of locked: .*: neither mode can last",
    ),
    "half closed": ({"initial": {locked: 0.5}}, r"initial\[locked\]: expected True .*, got 0\.5"),
    "half by a parameter": (
        {"initial": {locked: p.a_max}},
        r"initial\[locked\]: expected True .*, got ",
    ),
    "unknown start": ({"initial": {other: True}}, r"initial: symbol 'other'"),
    "two of one name": (
        {"states": {**PARTS["states"], symbolic.states("locked"): 0}},
        r"states: expected unique names, got 'locked' twice",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_misuse_names_the_culprit(case: str) -> None:
    changes, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        slide(**changes)


def test_a_mode_neither_moves_masses_nor_makes_a_system_linear() -> None:
    parts: dict[str, Any] = {"watch": {wet: (1 - y, y - 1)}}
    with pytest.raises(ValueError, match=r"kinetic: .* without internal states and modes"):
        symbolic.LagrangianSystem([y], (1 + wet) * v**2, **parts)
    with pytest.raises(ValueError, match=r"linear: .* there is the mode 'wet'"):
        symbolic.LagrangianSystem([y], v**2, linear=True, **parts)
    with pytest.raises(ValueError, match="rate: expected"):
        symbolic.rate(wet * y)
