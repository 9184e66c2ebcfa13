"""Errors are raised at construction: options, laws, sections, functions, names, floors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import analysis, geometry
from nsmb.system.options import INTEGRATORS

CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "rtol": (lambda: nsmb.EventDriven(rtol=-1), r"rtol: expected a number > 0, got -1"),
    "rtol of 2": (lambda: nsmb.EventDriven(rtol=2.0), r"rtol: expected a number in \[1e-15, 1\]"),
    "max_step": (lambda: nsmb.EventDriven(max_step=0), r"max_step: expected a number > 0, got 0"),
    "integrator": (
        lambda: nsmb.EventDriven(integrator="dp85"),
        r"integrator: expected one of auto, .*got 'dp85'; did you mean 'dp853'",
    ),
    "impact law": (
        lambda: nsmb.EventDriven(impact_law="poison"),  # type: ignore[arg-type]
        r"impact_law: .*did you mean 'poisson'",
    ),
    "facets": (lambda: nsmb.EventDriven(facets=3), r"facets: expected an even number >= 4, got 3"),
    "atol": (lambda: nsmb.EventDriven(atol=[1.0, -1.0]), r"atol: expected numbers > 0"),
    "events": (lambda: nsmb.EventDriven(max_events=0), r"max_events: expected a whole number >= 1"),
    "expansion": (
        lambda: nsmb.EventDriven(impact_law="poisson", expansion=lambda: {}),  # type: ignore[misc, arg-type]
        r"expansion: expected a function of \(compression\), got one of \(\)",
    ),
    "mu": (lambda: nsmb.ContactLaw(mu=-1), r"mu: expected a number >= 0, got -1"),
    "mu NaN": (lambda: nsmb.ContactLaw(mu=np.nan), r"mu: expected a finite number, got nan"),
    "mu inf": (lambda: nsmb.ContactLaw(mu=np.inf), r"mu: expected a finite number, got inf"),
    "e_T": (lambda: nsmb.ContactLaw(e_T=-0.5), r"e_T: expected a number in \[0, 1\]"),
    "nu": (lambda: nsmb.ContactLaw(nu=np.nan), r"nu: .* in \[0, 1\], got nan"),
    "phase of a force": (
        lambda: nsmb.Harmonic([1, 0], 2.0, np.nan), r"phase: expected a finite number, got nan",
    ),
    "e_N": (lambda: nsmb.ContactLaw(e_N=2), r"e_N: expected a number in \[0, 1\], got 2"),
    "aspect": (lambda: nsmb.ContactLaw(aspect=0), r"aspect: expected a number > 0, got 0"),
    "Stribeck": (lambda: nsmb.Stribeck(0.1, -2), r"v_s: expected a number > 0, got -2"),
    "bound": (
        lambda: nsmb.Friction(w_T=[1.0], bound=-1, name="guide"),
        r"contact 'guide': bound: expected a number >= 0, got -1",
    ),
    "omega": (lambda: nsmb.Harmonic([1.0], -2.0), r"omega: expected a number > 0, got -2"),
    "pulse": (lambda: nsmb.Pulse([1.0], 2.0, 1.0), r"end: expected a number > start = 2\.0"),
    "phase": (
        lambda: analysis.every(0.1, 7.0),
        r"phase: expected a fraction of the period in \[0, 1\)",
    ),
    "direction": (
        lambda: analysis.crossing("y", 0.1, 5),
        r"direction: expected \+1, -1 or 0, got 5",
    ),
    "kind": (lambda: analysis.on_event("impakt"), r"kind 'impakt': .*did you mean 'impact'"),
    "force": (
        lambda: nsmb.LinearSystem([[1.0]], force=lambda: [0.0]),  # type: ignore[misc, arg-type]
        r"force: expected a function of \(t\), got one of \(\)",
    ),
    "forces": (
        lambda: nsmb.CallbackSystem(["q"], [[1.0]], lambda t: [0.0]),
        r"forces: expected a function of \(t, q, u\), got one of \(t\)",
    ),
    "forces with states": (
        lambda: nsmb.CallbackSystem(
            ["q"], [[1.0]], lambda t, q, u: [0.0], states=["i"],
            state_rates=lambda t, q, u, x: [0.0],
        ),
        r"forces: expected a function of \(t, q, u, x\), got one of \(t, q, u\)",
    ),
    "gap": (
        lambda: nsmb.Contact(gap=lambda q: q[0], name="wall"),  # type: ignore[misc, arg-type]
        r"contact 'wall': gap: expected a function of \(t, q\), got one of \(q\)",
    ),
    "distance": (
        lambda: nsmb.ForceElement(lambda q: q[0], nsmb.GapForce(1.0)),  # type: ignore[misc, arg-type]
        r"gap: expected a function of \(t, q\)",
    ),
    "constraint": (
        lambda: nsmb.Constraint(lambda t, q: q[0], lambda t, q, u: u[0], "rod"),
        r"constraint 'rod': gap: must be given, or `velocity` instead of it, got both",
    ),
    "name for a system": (
        lambda: nsmb.simulate("woodpecker", 1.0),  # type: ignore[arg-type]
        r"system: expected a nsmb\.System, got str; nsmb\.systems\.woodpecker\(\) is one",
    ),
    "name that is nearly one": (
        lambda: analysis.periodic_orbit("woodpeker"),  # type: ignore[arg-type]
        r"got str; did you mean 'woodpecker'",
    ),
    "builder for a system": (
        lambda: nsmb.instant.accelerations(nsmb.systems.woodpecker, 0.0, [0.0], [0.0]),  # type: ignore[arg-type]
        r"got Builder; woodpecker\(\.\.\.\) with brackets may be one",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_is_named_where_it_is_made(name: str) -> None:
    call, message = CASES[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_attributes_that_do_not_exist_have_a_neighbour() -> None:
    for module, name, near in (
        (nsmb, "simulat", "simulate"),
        (nsmb.systems, "woodpeker", "woodpecker"),
        (analysis, "periodic_orbt", "periodic_orbit"),
        (geometry, "Circl", "Circle"),
    ):
        with pytest.raises(AttributeError, match=f"did you mean '{near}'"):
            getattr(module, name)
    assert not hasattr(nsmb, "__wrapped__")


def test_a_name_of_a_namespace_is_found_from_the_top() -> None:
    for name, home in (
        ("Circle", "geometry"),
        ("lcp", "complementarity"),
        ("accelerations", "instant"),
        ("GearPair", "gears"),
        ("woodpecker", "systems"),
        ("sweep", "analysis"),
    ):
        with pytest.raises(AttributeError, match=rf"did you mean 'nsmb\.{home}\.{name}'\?$"):
            getattr(nsmb, name)


def test_a_traceback_names_the_neighbour_of_an_attribute_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Python appends a suggestion to attribute errors that carry the object."""
    for call in (lambda: nsmb.simulat, lambda: nsmb.systems.woodpeker, lambda: geometry.Circl):
        try:
            call()
        except AttributeError:
            sys.__excepthook__(*sys.exc_info())
        assert capsys.readouterr().err.lower().count("did you mean") == 1


def test_integrators_are_those_of_the_core() -> None:
    system = nsmb.systems.bouncing_ball()
    with pytest.raises(ValueError, match="integrator: expected one of") as caught:
        nsmb._core.simulation.EventDriven(system._core, integrator="euler")
    known = str(caught.value).split("one of ")[1].split(", got")[0]
    assert set(known.split(", ")) == set(INTEGRATORS)


def ball_over(floor: geometry.Contour) -> nsmb.System:
    model = nsmb.Model(gravity=(0.0, -9.81))
    ball = model.add_body("ball", mass=1.0, inertia=0.1)
    model.add_joint("free", nsmb.joints.Planar(), model.ground, ball)
    model.add_contact(
        ball.contour("rim", geometry.Circle(0.1)), model.ground.contour("floor", floor)
    )
    return model.build({"free": [0.0, 0.5, 0.0]})


def test_a_floor_turned_the_wrong_way_is_said_to_be_so() -> None:
    with pytest.raises(
        ValueError, match=r"'ground\.floor' seems to have the wrong direction.*direction=\(-1, 0\)"
    ):
        ball_over(geometry.Line((0, 0), (1, 0)))
    assert ball_over(geometry.Line((0, 0), (-1, 0))).nc > 0
    with pytest.raises(ValueError, match="Change `initial`"):  # contained either way
        ball_over(geometry.Line((0, 0.5), (1, 0)))
    open_floor = ball_over(geometry.Segment((-1, 0), (1, 0)))
    run = nsmb.simulate(open_floor, 1.0, throw=False)
    assert run.status == "integration_failure"
    assert "Check its orientation." in run.message
    assert nsmb.simulate(ball_over(geometry.Segment((1, 0), (-1, 0))), 1.0).success
