"""`nsmb.instant.accelerations` returns forces at one instant and their uniqueness."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import nsmb
from tests.python.sledge import drop, sledge

MU, G = 5 / 3, 10.0


def at_start(system: nsmb.System, **options: Any) -> nsmb.instant.Accelerations:
    start = system.initial_state
    return nsmb.instant.accelerations(system, start.t, start.q, start.u, start.x, **options)


def rod(degrees: float, spin: float) -> tuple[nsmb.instant.Accelerations, float, float]:
    """Return Painlevé's rod with s φ̇²/g = spin, sliding right, and a and b of (5.31)."""
    phi = np.radians(degrees)
    system = nsmb.systems.sliding_rod(phi=phi, omega=np.sqrt(spin * G))
    a = 1 + 3 * np.cos(phi) * (np.cos(phi) - MU * np.sin(phi))
    return at_start(system), a, G * (spin * np.sin(phi) - 1)


def assert_contact(found: Any, degrees: float, a: float, b: float) -> None:
    """Require (5.32), λ_N = -b/a, γ̇_N = 0."""
    assert found.lambda_N[0] == pytest.approx(-b / a, rel=1e-11)
    assert found.lambda_T[0] == pytest.approx(MU * b / a, rel=1e-11)
    assert abs(found.gammadot_N[0]) < 1e-10 * abs(b)
    sin, cos = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    force = np.array([-MU, 1.0]) * -b / a
    udot = [force[0], force[1] - G, 3 * (-cos * force[1] - sin * force[0])]
    np.testing.assert_allclose(found.udot, udot, rtol=1e-10, atol=1e-12)


def assert_detachment(found: Any, b: float) -> None:
    assert found.lambda_N[0] == found.lambda_T[0] == 0.0
    assert found.gammadot_N[0] == pytest.approx(b, rel=1e-12)
    np.testing.assert_allclose(found.udot, [0.0, -G, 0.0], atol=1e-12)


@pytest.mark.parametrize("degrees", [20.0, 44.0, 77.0])
def test_contact_is_the_only_solution_where_a_is_positive_and_b_negative(degrees: float) -> None:
    """This is the first case of (5.35)."""
    found, a, b = rod(degrees, 0.3)
    assert a > 0 > b
    assert (found.case, found.roles) == ("contact", ("slides +",))
    assert (found.unique_forces, found.unique_accelerations, found.enumerated) == (True,) * 3
    assert_contact(found, degrees, a, b)
    assert len(found.solutions) == 1
    assert_contact(found.solutions[0], degrees, a, b)


@pytest.mark.parametrize("degrees", [40.0, 80.0])
def test_detachment_is_the_only_solution_where_both_are_positive(degrees: float) -> None:
    found, a, b = rod(degrees, 3.0)
    assert a > 0
    assert b > 0
    assert found.case == "detachment"
    assert found.unique_accelerations
    assert_detachment(found, b)


@pytest.mark.parametrize("degrees", [46.0, 60.0, 75.0])
def test_there_is_none_where_both_are_negative(degrees: float) -> None:
    found, a, b = rod(degrees, 0.3)
    assert a < 0
    assert b < 0
    assert found.case == "inconsistent"
    assert found.solutions == ()
    assert found.enumerated
    assert found.udot is None
    assert found.lambda_N is found.lambda_T is found.gammadot_N is found.gammadot_T is None
    assert found.unique_forces is found.unique_accelerations is None


@pytest.mark.parametrize("degrees", [46.0, 60.0, 75.0])
def test_there_are_two_where_a_is_negative_and_b_positive(degrees: float) -> None:
    found, a, b = rod(degrees, 2.0)
    assert a < 0 < b
    assert found.case == "non-unique"
    assert (found.unique_forces, found.unique_accelerations) == (False, False)
    off, on = sorted(found.solutions, key=lambda s: float(s.lambda_N[0]))
    assert_detachment(off, b)
    assert_contact(on, degrees, a, b)
    assert found.udot is not None  # the choice of a simulation is one of them
    assert any(np.allclose(found.udot, s.udot, rtol=1e-9) for s in (off, on))


def test_pantograph_has_a_continuum_of_accelerations() -> None:
    """By (5.66) every r̈ in [-2.4, -1.2] is possible, with λ_N1 + 2 λ_N2 = 30."""
    found = at_start(nsmb.systems.pantograph())
    assert found.case == "non-unique"
    assert (found.unique_forces, found.unique_accelerations) == (False, False)
    r = [float(s.udot[0]) for s in found.solutions]
    assert min(r) == pytest.approx(-2.4, rel=1e-12)
    assert max(r) == pytest.approx(-1.2, rel=1e-12)
    for s in found.solutions:
        assert s.lambda_N[0] + 2 * s.lambda_N[1] == pytest.approx(30.0, rel=1e-12)


def test_equal_friction_makes_accelerations_unique_but_not_forces() -> None:
    """By (5.64), r̈ = -6 μ."""
    found = at_start(nsmb.systems.pantograph(mu_1=0.3, mu_2=0.3))
    assert found.case == "contact"
    assert (found.unique_forces, found.unique_accelerations) == (False, True)
    assert found.udot is not None
    assert found.udot[0] == pytest.approx(-1.8, rel=1e-12)


def test_accelerations_along_a_run_are_those_of_the_simulation(toy: nsmb.Solution) -> None:
    """Contact forces agree at samples inside all kinds of phases."""
    assert toy.system is not None
    rows = [k for k in range(0, toy.t.size, 40) if toy.t[k] not in toy.events.t]
    closed = 0
    for k in rows:
        found = nsmb.instant.accelerations(toy.system, toy.t[k], toy.q[k], toy.u[k])
        size = 1e-6 * np.abs(toy.lambda_N).max()
        np.testing.assert_allclose(found.lambda_N, toy.lambda_N[k], rtol=1e-6, atol=size)
        np.testing.assert_allclose(found.lambda_T, toy.lambda_T[k], rtol=1e-6, atol=size)
        closed += int((toy.contact_state[k] != nsmb.ContactState.OPEN).any())
    assert len(rows) > 20
    assert closed > 5


def test_roles_are_told() -> None:
    """One body has open, frictionless, resting and sliding contacts."""
    law = nsmb.ContactLaw(mu=0.5)
    system = nsmb.LinearSystem(
        np.eye(2),
        force=[1.0, -G],
        contacts=[
            nsmb.Contact(w_N=[-1, 0], gap=1.0, name="wall"),
            nsmb.Contact(w_N=[0, 1], name="ice"),
            nsmb.Contact(w_N=[0, 1], w_T=[1, 0], law=law, name="floor"),
        ],
    )
    found = nsmb.instant.accelerations(system, 0.0, [0, 0], [0, 0])
    assert found.roles == ("absent", "frictionless", "may stick")
    assert found.case in ("contact", "non-unique")
    assert found.unique_forces is False  # ice and floor share the weight
    for speed, role in ((2.0, "slides +"), (-2.0, "slides -")):
        assert nsmb.instant.accelerations(system, 0.0, [0, 0], [speed, 0]).roles[2] == role
    high = nsmb.instant.accelerations(system, 0.0, [0, 1], [0, 0])
    assert high.roles == ("absent",) * 3
    assert high.case == "contact"  # without contacts, none opens
    np.testing.assert_array_equal(high.udot, [1.0, -G])


def test_what_is_too_large_or_spatial_is_not_enumerated() -> None:
    law = nsmb.ContactLaw(mu=0.5)
    floor = nsmb.Contact(w_N=[0, 1], w_T=[1, 0], law=law)
    block = nsmb.LinearSystem(np.eye(2), force=[1.0, -G], contacts=[floor])
    assert nsmb.instant.accelerations(block, 0.0, [0, 0], [0, 0]).case == "contact"
    large = nsmb.instant.accelerations(block, 0.0, [0, 0], [0, 0], max_size=2)
    spatial = nsmb.instant.accelerations(sledge(), 0.0, [0, 0, 0], [0, 0, 0])
    for found in (large, spatial):
        assert (found.case, found.enumerated, found.solutions) == ("unknown", False, ())
        assert found.unique_forces is found.unique_accelerations is None
    np.testing.assert_allclose(large.lambda_N, [G], rtol=1e-12)
    np.testing.assert_allclose(large.lambda_T, [-1.0], rtol=1e-12)
    np.testing.assert_allclose(spatial.lambda_N, [G, 0.0], rtol=1e-9)


def test_force_elements_act_as_in_a_simulation_or_as_told() -> None:
    """ü = -g + ζ with ζ = -c γ - d γ̇ = 5 - 3 u."""
    system = drop()
    inside = nsmb.instant.accelerations(system, 0.0, [-0.01], [-0.5])
    np.testing.assert_allclose(inside.udot, [-10.0 + 5.0 + 1.5], rtol=1e-12)
    outside = nsmb.instant.accelerations(system, 0.0, [0.01], [-0.5])
    np.testing.assert_allclose(outside.udot, [-10.0], rtol=1e-12)
    told = nsmb.instant.accelerations(system, 0.0, [-0.01], [-0.5], acting=[])
    np.testing.assert_allclose(told.udot, [-10.0], rtol=1e-12)
    also = nsmb.instant.accelerations(system, 0.0, [-0.01], [-0.5], acting=["ground"])
    np.testing.assert_allclose(also.udot, inside.udot, rtol=1e-12)
    gone = nsmb.instant.accelerations(
        system, 0.0, [-0.01], [-0.5], [-0.02]
    )  # the wall is not reached yet
    np.testing.assert_allclose(gone.udot, [-10.0], rtol=1e-12)


def test_internal_states_enter_the_forces() -> None:
    system = nsmb.CallbackSystem(
        ["s"], [[2.0]], lambda t, q, u, x: [x[0]],
        states=["force"], state_rates=lambda t, q, u, x: [0.0],
    )  # fmt: skip
    for x, udot in (([6.0], 3.0), (None, 0.0)):
        found = nsmb.instant.accelerations(system, 0, [0], [0], x)
        np.testing.assert_allclose(found.udot, [udot], rtol=1e-14)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"system": "rod"}, r"system: expected a nsmb\.System, got str"),
        ({"t": np.nan}, "t: expected a finite number, got nan"),
        ({"q": [0.0]}, r"q: expected shape \(3,\), got shape \(1,\)"),
        ({"u": [0.0, np.inf, 0.0]}, r"u: expected finite numbers, got \[0\.0, inf, 0\.0\]"),
        ({"x": [1.0]}, r"x: expected shape \(0,\), got shape \(1,\)"),
        ({"gap_tolerance": -1.0}, r"gap_tolerance: expected a number >= 0, got -1\.0"),
        ({"rest_velocity": "low"}, r"rest_velocity: expected a number, got 'low'"),
        ({"max_size": 2.5}, r"max_size: expected an integer from 0 to 24, got 2\.5"),
        ({"max_size": 25}, r"max_size: expected an integer from 0 to 24, got 25"),
        ({"acting": ["bufer"]}, r"acting: force element 'bufer': expected no name"),
    ],
)
def test_misuse_is_named(changes: dict[str, Any], message: str) -> None:
    arguments = {"system": nsmb.systems.sliding_rod(), "t": 0.0, "q": [0, 1, 0], "u": [0, 0, 0]}
    with pytest.raises(ValueError, match=message):
        nsmb.instant.accelerations(**arguments | changes)


def test_result_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        rod(20.0, 0.3)[0].case = "unknown"  # type: ignore[misc]
