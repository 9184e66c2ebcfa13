"""Messages for misuse of friction alone, stops, curves, force elements and states."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb

law, eye = nsmb.ContactLaw, np.eye(2)


def linear(*contacts: Any, **changes: Any) -> nsmb.System:
    return nsmb.LinearSystem(eye, contacts=contacts, **changes)


def element(*elements: Any) -> nsmb.System:
    return nsmb.LinearSystem(eye, elements=elements)


def callback(*contacts: Any, **changes: Any) -> nsmb.System:
    return nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], contacts, **changes)


def evaluated(*contacts: Any, **changes: Any) -> object:
    return callback(*contacts, **changes).contact_kinematics(0.0, [0.0], [0.0])


CASES: dict[str, tuple[Callable[[], object], str]] = {
    # directions
    "three directions": (
        lambda: linear(nsmb.Contact(w_N=[1, 0], w_T=np.ones((2, 3)))),
        r"contact 'contact_1': w_T: expected shape \(2,\), got shape \(2, 3\)",
    ),
    "velocities of two directions for one": (
        lambda: linear(nsmb.Contact(w_N=[1, 0], w_T=[0, 1], w_tilde_T=[1.0, 2.0])),
        r"contact 'contact_1': w_tilde_T: expected shape \(1,\), got shape \(2,\)",
    ),
    "velocity of three directions for two": (
        lambda: linear(nsmb.Contact(w_N=[1, 0], w_T=eye, w_tilde_T=[1.0, 2.0, 3.0])),
        r"contact 'contact_1': w_tilde_T: expected shape \(2,\), got shape \(3,\)",
    ),
    "one direction where two were announced": (
        lambda: evaluated(
            nsmb.Contact(lambda t, q: q[0] + 1.0, w_T=lambda t, q: [1.0], tangents=2)
        ),
        r"contact 'contact_1': w_T\(t, q\): expected shape \(1, 2\), got shape \(1,\)",
    ),
    "three tangents": (
        lambda: callback(nsmb.Contact(lambda t, q: q[0], tangents=3)),
        r"tangents: expected 1 or 2, got 3",
    ),
    "half a tangent": (
        lambda: callback(nsmb.Contact(lambda t, q: q[0], tangents=1.5)),  # type: ignore[arg-type]
        r"tangents: expected 1 or 2, got 1\.5",
    ),
    # friction alone
    "unknown normal": (
        lambda: linear(
            nsmb.Contact(w_N=[1, 0], name="floor"),
            nsmb.Friction(w_T=[0, 1], normal="flor", name="guide"),
        ),
        r"contact 'guide': normal 'flor': expected one of floor; did you mean 'floor'\?",
    ),
    "normal that has none": (
        lambda: callback(
            nsmb.Friction(w_T=lambda t, q: [1.0], bound=1.0, name="rim"),
            nsmb.Friction(w_T=lambda t, q: [1.0], normal="rim", name="hub"),
        ),
        r"contact 'hub': normal 'rim': expected no name",
    ),
    "normal that is no name": (
        lambda: linear(
            nsmb.Contact(w_N=[1, 0], name="floor"),
            nsmb.Friction(w_T=[0, 1], normal=0, name="guide"),  # type: ignore[arg-type]
        ),
        r"contact 'guide': normal 0: expected one of floor",
    ),
    "empty normal": (
        lambda: linear(nsmb.Friction(w_T=[0, 1], normal="", name="guide")),
        r"contact 'guide': normal '': expected no name",
    ),
    "bound below zero": (
        lambda: linear(nsmb.Friction(w_T=[0, 1], bound=-1.0, name="guide")),
        r"contact 'guide': bound: expected a number >= 0, got -1",
    ),
    "bound that is no number": (
        lambda: linear(nsmb.Friction(w_T=[0, 1], bound="tight")),  # type: ignore[arg-type]
        r"bound: expected a number, got 'tight'",
    ),
    "bound function below zero": (
        lambda: evaluated(nsmb.Friction(w_T=lambda t, q: [1.0], bound=lambda t, q, u: -2.0)),
        r"contact 'contact_1': bound: expected a number >= 0, got -2",
    ),
    "friction coefficient below zero": (
        lambda: linear(nsmb.Friction(w_T=[0, 1], mu=-0.1)),
        r"mu: expected a number >= 0, got -0\.1",
    ),
    "aspect of zero": (
        lambda: linear(nsmb.Friction(w_T=eye, aspect=0.0)),
        r"aspect: expected a number > 0, got 0",
    ),
    # stops
    "no room between stops": (
        lambda: nsmb.two_sided_stop([1.0], 1.0, 1.0),
        r"upper: expected a number > lower = 1\.0, got 1\.0",
    ),
    "no room between stops of a function": (
        lambda: nsmb.two_sided_stop(lambda t, q: 0.0, 2.0, 1.0),
        r"upper: expected a number > lower = 2\.0, got 1\.0",
    ),
    "stop at no number": (
        lambda: nsmb.two_sided_stop([1.0], "left", 1.0),  # type: ignore[arg-type]
        r"lower: expected a number, got 'left'",
    ),
    "stop without direction": (
        lambda: nsmb.two_sided_stop("x", 0.0, 1.0),
        r"distance: expected numbers, got 'x'",
    ),
    # curves
    "Stribeck speed of zero": (
        lambda: linear(
            nsmb.Contact(w_N=[1, 0], w_T=[0, 1], law=law(0.3, curve=nsmb.Stribeck(0.2, 0)))
        ),
        r"v_s: expected a number > 0, got 0",
    ),
    "Stribeck that is no number": (
        lambda: nsmb.Stribeck("low", 1.0),  # type: ignore[arg-type]
        r"mu_d: expected a number, got 'low'",
    ),
    "viscous part below zero": (
        lambda: linear(
            nsmb.Contact(w_N=[1, 0], w_T=[0, 1], law=law(0.3, curve=nsmb.Stribeck(0.2, 1, k=-1)))
        ),
        r"k: expected a number .*got -1",
    ),
    "table that does not begin at rest": (
        lambda: nsmb.FrictionTable([0.1, 1], [0.3, 0.2]),
        r"speeds: expected 0 and increasing numbers, got \[0\.1, 1\.0\]",
    ),
    "table with a speed twice": (
        lambda: nsmb.FrictionTable([0, 1, 1], [0.3, 0.2, 0.1]),
        r"speeds: expected 0 and increasing numbers, got \[0\.0, 1\.0, 1\.0\]",
    ),
    "table of one point": (
        lambda: nsmb.FrictionTable([0], [0.3]),
        r"coefficients: expected as many as speeds, at least two, got 1 and 1 speeds",
    ),
    "table with too few coefficients": (
        lambda: nsmb.FrictionTable([0, 1, 2], [0.3, 0.2]),
        r"coefficients: expected as many as speeds, at least two, got 2 and 3 speeds",
    ),
    "table with a coefficient below zero": (
        lambda: nsmb.FrictionTable([0, 1], [0.3, -0.2]),
        r"coefficients: expected numbers >= 0, got \[0\.3, -0\.2\]",
    ),
    "table of text": (
        lambda: nsmb.FrictionTable("slow", [0.3, 0.2]),
        r"speeds: expected numbers, got 'slow'",
    ),
    # force elements
    "unknown law": (
        lambda: nsmb.GapForce(1.0, law="hertz"),  # type: ignore[arg-type]
        r"law: expected one of elastic_gap, gap_damper, clipped, relaxing_wall, got 'hertz'",
    ),
    "stiffness that is no number": (
        lambda: nsmb.GapForce("hard"),  # type: ignore[arg-type]
        r"c: expected a number, got 'hard'",
    ),
    "stiffness below zero": (
        lambda: element(nsmb.ForceElement(w=[1, 0], law=nsmb.GapForce(-1.0, 1.0), name="pad")),
        r"force element 'pad': c: expected a number .*got -1",
    ),
    "wall that never relaxes": (
        lambda: element(nsmb.ForceElement(w=[1, 0], law=nsmb.GapForce(1.0), name="pad")),
        r"force element 'pad': d: expected a number > 0, got 0",
    ),
    "direction of a force element": (
        lambda: element(nsmb.ForceElement(w=[1.0], law=nsmb.GapForce(1.0, 1.0))),
        r"force element 'element_1': w: expected shape \(2,\), got shape \(1,\)",
    ),
    "force elements of one name": (
        lambda: element(*[nsmb.ForceElement(w=[1, 0], law=nsmb.GapForce(1, 1), name="pad")] * 2),
        r"elements: expected unique names, got 'pad' twice",
    ),
    "distance that is no number": (
        lambda: callback(
            elements=[nsmb.ForceElement(lambda t, q: q, nsmb.GapForce(1, 1), name="pad")]
        ).element_kinematics(0.0, [0.0]),
        r"force element 'pad': gap\(t, q\): expected a number, got shape \(1,\)",
    ),
    # states
    "states without rates": (
        lambda: callback(states=["p"]),
        r"state_rates: expected a function of \(t, q, u, x\), got None",
    ),
    "rates without states": (
        lambda: callback(state_rates=lambda t, q, u, x: [0.0]),
        r"states: expected names of the states of state_rates, got none",
    ),
    "start of the states": (
        lambda: nsmb.LinearSystem(
            eye, initial_state=nsmb.State(0.0, np.zeros(2), np.zeros(2), np.zeros(1))
        ),
        r"initial_state\.x: expected shape \(0,\), got shape \(1,\)",
    ),
    "states of a run": (
        lambda: nsmb.simulate(
            element(nsmb.ForceElement(w=[1, 0], law=nsmb.GapForce(1, 1))), 1.0, x=[1.0, 2.0]
        ),
        r"x: expected shape \(1,\), got shape \(2,\)",
    ),
    "NaN in the states of a run": (
        lambda: nsmb.simulate(
            element(nsmb.ForceElement(w=[1, 0], law=nsmb.GapForce(1, 1))), 1.0, x=[np.nan]
        ),
        r"x: expected finite numbers, got \[nan\]",
    ),
}


OTHER_TYPES: dict[str, tuple[Callable[[], Any], str]] = {
    "something else among contacts": (
        lambda: linear("floor"),
        r"contact 'contact_1': must be a nsmb\.Contact or a nsmb\.Friction, got 'floor'",
    ),
    "a contact of the other kind of system": (
        lambda: callback(nsmb.Contact(w_N=[1.0])),
        r"contact 'contact_1': w_N: must be a function of \(t, q\), got \[1\.0\]\. Use the contact "
        r"in a nsmb\.LinearSystem",
    ),
    "something else as law": (
        lambda: linear(nsmb.Contact(w_N=[1, 0], law=0.3)),  # type: ignore[arg-type]
        r"law: must be a nsmb\.ContactLaw, got 0\.3\. Pass .* nsmb\.ContactLaw\(mu=\.\.\.\)",
    ),
    "curve that is none": (
        lambda: law(mu=0.3, curve=0.2),  # type: ignore[arg-type]
        r"curve: must be a nsmb\.Stribeck or a nsmb\.FrictionTable, got 0\.2",
    ),
    "law of a force element": (
        lambda: element(nsmb.ForceElement(w=[1, 0], law=5.0)),  # type: ignore[arg-type]
        r"law: must be a nsmb\.GapForce, got 5\.0\. Pass .* law=nsmb\.GapForce\(c, d\)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_misuse_is_a_value_error_that_says_what_is_wrong(case: str) -> None:
    call, message = CASES[case]
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("case", OTHER_TYPES)
def test_other_types_are_type_errors(case: str) -> None:
    call, message = OTHER_TYPES[case]
    with pytest.raises(TypeError, match=message):
        call()


def test_wrong_rates_are_named_when_they_are_called() -> None:
    system = nsmb.CallbackSystem(
        ["s"], [[1.0]], lambda t, q, u, x: [0.0],
        states=["p"], state_rates=lambda t, q, u, x: [1.0, 2.0],
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"state_rates\(t, q, u, x\): expected shape \(1,\), got"):
        system.state_rates(0.0, [0.0], [0.0], [0.0])
