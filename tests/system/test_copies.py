"""Systems in other processes: pickled and copied systems are bitwise equal to the original."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb

Array = NDArray[np.float64]
Copy = Callable[[Any], Any]


def through_pickle(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


copies = pytest.mark.parametrize("copied", [through_pickle, copy.deepcopy, copy.copy])


def weight(t: float, q: Array, u: Array) -> list[float]:
    return [-9.81]


def height(t: float, q: Array) -> float:
    return float(q[0])


def wind(t: float) -> list[float]:
    return [-1.0 - t, 0.0]


def linear(**changes: Any) -> nsmb.LinearSystem:
    arguments: dict[str, Any] = {
        "M": [[2.0, 0.5], [0.5, 1.0]],
        "K": [[3.0, -1.0], [-1.0, 4.0]],
        "D": [[0.2, 0.1], [-0.1, 0.3]],
        "force": nsmb.Force([-1, -2], [0.1, 0], [nsmb.Harmonic([3, 0], 2.0, 0.5)]),
        "contacts": [
            nsmb.Contact(
                w_N=[1, 2], w_T=[0.5, -1], gap=0.1, law=nsmb.ContactLaw(0.3, 0.5, 0.2, 0.9)
            ),
            nsmb.Contact(w_N=[0, -1], name="stop", gap=1.0, w_tilde_T=-0.6),
        ],
        "coordinates": ["x", "y"],
        "coordinate_units": ["m", "rad"],
        "initial_state": nsmb.State(0.5, np.array([0.3, 0.2]), np.array([0.1, -1.0])),
        "name": "two masses",
        "parameters": {"k": 3.0},
        "rebuild": linear,
    }
    return nsmb.LinearSystem(**arguments | changes)


def by_functions() -> nsmb.CallbackSystem:
    return nsmb.CallbackSystem(
        ["y"],
        [[1.0]],
        weight,
        [nsmb.Contact(height, law=nsmb.ContactLaw(e_N=0.5), name="floor")],
        initial_state=nsmb.State(0.0, np.ones(1), np.zeros(1)),
        scale=[0.1],
    )


def normal(t: float, q: Array) -> list[float]:
    return [1.0]


def along(t: float, q: Array) -> list[float]:
    return [1.0]


def forces_with_state(t: float, q: Array, u: Array, x: Array) -> list[float]:
    return [-9.81 + x[0]]


def rates(t: float, q: Array, u: Array, x: Array) -> list[float]:
    return [-x[0]]


def with_elements() -> nsmb.LinearSystem:
    """Friction in a plane and alone, curves, stops, force elements."""
    table = nsmb.FrictionTable(np.array([0.0, 0.5, 1.0]), [0.3, 0.2, 0.1])
    floor = nsmb.Contact(
        w_N=[0, 0, 1],
        w_T=np.eye(3)[:, :2],
        law=nsmb.ContactLaw(0.3, 0.4, curve=table),
        name="floor",
    )
    guide = nsmb.Friction(w_T=[1, 0, 0], bound=0.1, mu=0.1, normal="floor", name="guide")
    buffer = nsmb.ForceElement(w=[0, 1, 0], law=nsmb.GapForce(50.0, 2.0), gap=0.1, name="buffer")
    start = nsmb.State(0.0, np.array([0, 0, 0.1]), np.array([1.0, -2.0, 0]), np.array([-0.05]))
    return nsmb.LinearSystem(
        np.eye(3),
        force=[0, 0, -9.81],
        contacts=[floor, guide, *nsmb.two_sided_stop([1, 0, 0], -0.2, 0.2)],
        elements=[buffer],
        initial_state=start,
    )


def functions_with_elements() -> nsmb.CallbackSystem:
    stribeck = nsmb.ContactLaw(0.3, 0.5, curve=nsmb.Stribeck(0.2, 0.1))
    return nsmb.CallbackSystem(
        ["y"],
        [[1.0]],
        forces_with_state,
        [
            *nsmb.two_sided_stop(height, 0.0, 2.0, stribeck, w_N=normal),
            nsmb.Friction(w_T=along, bound=0.5, name="guide"),
        ],
        elements=[nsmb.ForceElement(height, nsmb.GapForce(10.0, law="elastic_gap"))],
        states=["lift"],
        state_rates=rates,
        initial_state=nsmb.State(0.0, np.ones(1), np.zeros(1), np.ones(1)),
    )


SYSTEMS = {
    "woodpecker": lambda: nsmb.systems.woodpecker(mu=0.9),
    "bouncing ball": lambda: nsmb.systems.bouncing_ball(H=2.0),
    "linear": linear,
    "linear with a function": lambda: linear(force=wind),
    "functions": by_functions,
    "linear with elements": with_elements,
    "functions with elements": functions_with_elements,
}


@copies
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_copied_system_simulates_to_the_same_bits(name: str, copied: Copy) -> None:
    system = SYSTEMS[name]()
    twin = copied(system)
    assert type(twin) is type(system)
    assert repr(twin) == repr(system)
    assert twin.contacts == system.contacts
    assert twin.coordinate_units == system.coordinate_units
    assert dict(twin.parameters) == dict(system.parameters)
    assert dict(twin.parameter_info) == dict(system.parameter_info)
    assert (twin.elements, twin.states) == (system.elements, system.states)
    assert not twin.initial_state.q.flags.writeable
    np.testing.assert_array_equal(twin.initial_state.x, system.initial_state.x)
    a, b = nsmb.simulate(system, 1.0), nsmb.simulate(twin, 1.0)
    assert len(a.events) > 0
    np.testing.assert_array_equal(a.events.t, b.events.t)
    np.testing.assert_array_equal(a.events.u_plus, b.events.u_plus)
    np.testing.assert_array_equal(a.q, b.q)
    np.testing.assert_array_equal(a.x, b.x)


def test_a_ready_made_system_is_pickled_as_name_and_parameters() -> None:
    toy = nsmb.systems.woodpecker(mu=0.9)
    arguments = toy.__reduce__()[1]  # attributes set on the system later follow it
    module = "nsmb.systems.machines.woodpecker"
    assert arguments == (module, "woodpecker", dict(toy.parameters))
    other = through_pickle(toy).with_parameters(g=1.6)
    assert other.__reduce__()[1][1:] == ("woodpecker", dict(toy.parameters) | {"g": 1.6})


def test_a_system_of_a_ready_made_name_keeps_its_own_matrices() -> None:
    mine = nsmb.LinearSystem([[7.0]], name="bouncing_ball", rebuild=nsmb.systems.bouncing_ball)
    np.testing.assert_array_equal(through_pickle(mine).mass_matrix(0, [0]), [[7.0]])


def test_arrays_the_caller_changes_later_do_not_reach_the_copy() -> None:
    direction, amplitude = np.array([1.0]), np.array([2.0])
    system = nsmb.LinearSystem(
        [[1.0]],
        force=nsmb.Force(amplitude),
        contacts=[nsmb.Contact(w_N=direction)],
    )
    direction[0] = amplitude[0] = 99.0
    twin = through_pickle(system)
    assert twin.contact_kinematics(0, [0], [0])["W_N"][0, 0] == 1.0
    assert twin.forces(0, [0], [0])[0] == 2.0


def test_a_subclass_with_its_own_constructor_is_told_what_to_do() -> None:
    class Spring(nsmb.LinearSystem):
        def __init__(self, k: float) -> None:
            super().__init__([[1.0]], [[k]])

    with pytest.raises(TypeError, match=r"cannot pickle or copy a Spring.*define __reduce__"):
        copy.deepcopy(Spring(2.0))


def test_systems_go_to_other_processes_and_solutions_come_back() -> None:
    toys = [nsmb.systems.woodpecker(mu=mu) for mu in (0.3, 0.9)]
    # spawn: fork is unsafe beside the threads of other tests
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(nsmb.simulate, toys, [0.5, 0.5]))
    for toy, result in zip(toys, results, strict=True):
        np.testing.assert_array_equal(result.events.t, nsmb.simulate(toy, 0.5).events.t)
