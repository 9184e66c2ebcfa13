"""Classes of methods: options, errors for wrong ones, the default law, and the choice."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb.system.method import Method
from nsmb.system.method_options import METHODS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "learn" / "stepping.md"
STEPS = ("Midpoint", "Hybrid", "PositionForces", "VelocityForces")
WITH_IMPACTS = ("EventDriven", "Midpoint", "Hybrid")
G = 9.81


def make(name: str, **options: Any) -> Method:
    """Return the method, with a step if one is needed and not given."""
    own = {"step": 1e-3} if name in STEPS else {}
    method: Method = getattr(nsmb, name)(**(own | options))
    return method


def options_of(name: str) -> dict[str, Any]:
    return {field.name: field.default for field in dataclasses.fields(getattr(nsmb, name))}


def model_of(
    shape: geometry.Shape, count: int, gravity: float = G, speed: float = 0.0
) -> nsmb.MultibodySystem:
    model = nsmb.Model(gravity=(0.0, 0.0, -gravity))
    model.ground.shape("floor", geometry.HalfSpace())
    start = {}
    for k in range(count):
        body = model.add_solid(f"body{k}", shape, 1000.0)
        model.add_joint(f"free{k}", joints.Free(), model.ground, body)
        start[f"free{k}"] = (0.0, 0.0, 1.0 + k, 1.0, 0.0, 0.0, 0.0)
    model.collide(nsmb.ContactLaw(mu=0.3, e_N=0.5))
    return model.build(start, {"free0": (speed, 0.0, 0.0, 0.0, 0.0, 0.0)})


def test_there_is_a_class_of_each_method() -> None:
    assert set(METHODS) == {"EventDriven", *STEPS}


@pytest.mark.parametrize("name", METHODS)
def test_an_option_of_another_method_is_refused_with_the_methods_that_have_it(name: str) -> None:
    every = {option for other in METHODS for option in options_of(other)}
    for option in sorted(every - set(options_of(name))):
        with pytest.raises(TypeError) as caught:
            make(name, **{option: None})
        said = str(caught.value)
        assert said.startswith(f"`{option}`: must be left out of nsmb.{name}, got None. ")
        named = set(re.findall(r"nsmb\.(\w+)", said)) - {name}
        assert named == {other for other in METHODS if option in options_of(other)}


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [("Midpoint", "slepping", "sleeping"), ("Hybrid", "impact_laww", "impact_law"),
     ("EventDriven", "rest_velcity", "rest_velocity"), ("PositionForces", "mixin", "mixing")],
)  # fmt: skip
def test_a_misspelt_option_gets_the_right_spelling(name: str, wrong: str, right: str) -> None:
    with pytest.raises(TypeError, match=rf"`{wrong}`: .* nsmb\.{name}.* '{right}'\?"):
        make(name, **{wrong: 1.0})


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_required_and_the_only_option_without_name(name: str) -> None:
    kind = getattr(nsmb, name)
    assert kind(2e-3).step == kind(step=2e-3).step == 2e-3
    with pytest.raises(TypeError, match="step"):
        kind()
    with pytest.raises(TypeError, match="positional"):
        kind(2e-3, 1e-8)


@pytest.mark.parametrize("name", STEPS)
def test_defaults_that_are_given_change_no_bit(name: str) -> None:
    given = {
        option: value
        for option, value in options_of(name).items()
        if option != "step" and value is not None
    }
    system = nsmb.systems.stick_slip_oscillator()
    ends = [nsmb.simulate(system, 0.05, method=make(name, **o)).q[-1] for o in ({}, given)]
    np.testing.assert_array_equal(*ends)


def test_a_method_shows_what_differs_from_its_defaults() -> None:
    assert repr(nsmb.EventDriven()) == "EventDriven()"
    assert repr(nsmb.Midpoint(1e-3, sleeping=True)) == "Midpoint(step=0.001, sleeping=True)"


# The default law


def test_default_laws_are_those_that_each_way_of_moving_solves_best() -> None:
    """Poisson's law gains no energy in events, and Moreau's suits many contacts in steps."""
    assert options_of("EventDriven")["impact_law"] == "poisson"
    assert {options_of(name)["impact_law"] for name in ("Midpoint", "Hybrid")} == {"moreau"}
    assert options_of("PositionForces").get("impact_law") is None


@pytest.mark.parametrize("law_in_steps", ["poisson", "moreau"])
@pytest.mark.parametrize("name", ["Midpoint", "Hybrid"])
def test_a_rod_bounces_in_steps_as_in_events_under_the_same_law(
    name: str, law_in_steps: str
) -> None:
    """It strikes with one end, where Poisson's and Moreau's laws differ.

    Time-stepping differs by the order of a step from events with the same law, and by far more from
    those with the other.
    """
    a = 0.6  # rad, its slope
    w_N, w_T = [0.0, 1.0, 0.5 * np.cos(a)], [1.0, 0.0, 0.5 * np.sin(a)]
    law = nsmb.ContactLaw(mu=1.0, e_N=0.6)
    tip = nsmb.Contact(0.1, w_N=w_N, w_T=w_T, law=law, name="tip")
    rod = nsmb.LinearSystem(np.diag([1.0, 1.0, 1.0 / 12.0]), force=[0.0, -G, 0.0], contacts=[tip])
    start = {"q": np.zeros(3), "u": np.array([0.3, -1.0, 0.0])}
    ends = {
        each: nsmb.simulate(rod, 0.1, method=nsmb.EventDriven(impact_law=each), **start).u[-1]
        for each in ("poisson", "moreau")
    }
    method = make(name, step=1e-5, impact_law=law_in_steps)
    stepped = nsmb.simulate(rod, 0.1, method=method, **start).u[-1]
    assert np.abs(ends["poisson"] - ends["moreau"]).max() > 0.1
    np.testing.assert_allclose(stepped, ends[law_in_steps], atol=1e-3)


# Methods as arguments


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (nsmb.Midpoint, TypeError, r"the class nsmb\.Midpoint\. Write nsmb\.Midpoint\(1e-3\)"),
        (nsmb.EventDriven, TypeError, r"Write nsmb\.EventDriven\(\)"),
        (None, TypeError, "got None"),
        (1e-3, TypeError, "got 0.001"),
        ("midpoint", ValueError, r"Write nsmb\.Midpoint\(1e-3\)"),
        ("time_stepping", ValueError, r"Write nsmb\.Midpoint\(1e-3\)"),
        ("TimeStepping", ValueError, r"Write nsmb\.Midpoint\(1e-3\)"),
        ("hybrid", ValueError, r"Write nsmb\.Hybrid\(1e-3\)"),
        ("event_driven", ValueError, r"Write nsmb\.EventDriven\(\)"),
        ("rk4-velocity", ValueError, r"Write nsmb\.VelocityForces\(1e-3, integrator='rk4'\)"),
        ("euler-position", ValueError, r"Write nsmb\.PositionForces\(1e-3, integrator='euler'\)"),
        ("cvode", ValueError, r"Write nsmb\.EventDriven\(integrator='cvode'\)"),
        ("automatic", ValueError, "Write 'auto'"),
    ],
)
def test_what_is_no_method_gets_the_right_spelling(
    given: Any, error: type[Exception], said: str
) -> None:
    mass = nsmb.LinearSystem([[1.0]])
    for call in (
        lambda: nsmb.simulate(mass, 1.0, method=given),
        lambda: nsmb.Simulator(mass, given),
    ):
        with pytest.raises(error, match=rf"`method`: must be a method .*{said}") as caught:
            call()
    written = re.search(r"Write (.*)\.$", str(caught.value))
    if written:
        nsmb.simulate(mass, 0.01, method=eval(written[1], {"nsmb": nsmb}))


# The choice


def test_without_recommendation_events_are_located() -> None:
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1)
    assert isinstance(sol.method, nsmb.EventDriven)
    assert sol.method_reason == "The system recommends none, and its events can be located."


def test_a_recommendation_is_taken() -> None:
    ball = nsmb.systems.bouncing_ball()
    ball.recommended = nsmb.results.Recommended(nsmb.Midpoint(2e-3))
    for sol in (nsmb.simulate(ball, 0.1), nsmb.simulate(ball, 0.1, method="auto")):
        assert sol.method is ball.recommended.method
        assert sol.method_reason == "The system recommends it."
    assert nsmb.Simulator(ball).method is ball.recommended.method


def test_a_given_method_replaces_the_recommended_one() -> None:
    method = nsmb.EventDriven(rtol=1e-6)
    sol = nsmb.simulate(nsmb.systems.wall(rows=2, columns=2), 1e-3, method=method)
    assert sol.method is method
    assert sol.method_reason == "The caller gave it."


R = 0.04
EDGE = 0.1
# The semi-axis a of the ellipsoid with the mean square of a cube: a²/5 = edge²/12.
CUBE = EDGE * np.sqrt(5.0 / 12.0)
# The same across a cylinder: a²/5 = R²/4.
THICK = R * np.sqrt(1.25)


@pytest.mark.parametrize(
    ("shape", "count", "motion", "why", "step"),
    [
        (geometry.Box((EDGE,) * 3), 15, {}, "of which it takes 4000", np.sqrt(CUBE / G) / 50.0),
        (geometry.Cylinder(R, 0.5), 2, {}, "the shapes of", np.sqrt(THICK / G) / 50.0),
        (geometry.Cylinder(R, 0.5), 2, {"gravity": 0.0, "speed": 3.0}, "shapes", THICK / 150.0),
        (geometry.Cylinder(R, 0.5), 2, {"gravity": 0.0}, "1 ms", 1e-3),
    ],
)
def test_steps_are_taken_where_events_cannot_be_located(
    shape: geometry.Shape, count: int, motion: dict[str, float], why: str, step: float
) -> None:
    system = model_of(shape, count, **motion)
    with pytest.raises(ValueError, match=r"`method`: must be nsmb\.Midpoint\(step\)"):
        nsmb.simulate(system, 1e-3, method=nsmb.EventDriven())
    sol = nsmb.simulate(system, 1e-3)
    assert isinstance(sol.method, nsmb.Midpoint)
    assert sol.method.changed == {"step": sol.method.step}
    rounded = [d * 10.0**p for d in (1, 2, 5) for p in range(-7, 0)]
    assert sol.method.step == pytest.approx(max(h for h in rounded if h <= 1.0000001 * step))
    assert why in sol.method_reason
    assert sol.method_reason.startswith("nsmb.EventDriven cannot run this model because of ")
    assert sol.method_reason.count(". ") == 0


def test_a_tolerance_goes_to_the_method_that_is_chosen() -> None:
    ball = nsmb.systems.bouncing_ball()
    sol = nsmb.simulate(ball, 0.1, rtol=1e-5)
    assert isinstance(sol.method, nsmb.EventDriven)
    assert sol.method.rtol == 1e-5
    ball.recommended = nsmb.results.Recommended(nsmb.Hybrid(1e-3))
    sol = nsmb.simulate(ball, 0.1, rtol=1e-5)
    assert isinstance(sol.method, nsmb.Hybrid)
    assert sol.method.rtol == 1e-5
    with pytest.raises(ValueError, match="`rtol`: must be left out for a run in steps"):
        nsmb.simulate(nsmb.systems.wall(), 0.1, rtol=1e-5)
    with pytest.raises(ValueError, match="`rtol`: must be left out where a method is given"):
        nsmb.simulate(ball, 0.1, rtol=1e-5, method=nsmb.EventDriven())


@pytest.mark.parametrize("name", METHODS)
def test_files_keep_the_method_and_the_reason(name: str, tmp_path: Path) -> None:
    other = {"EventDriven": {"rtol": 1e-6}, "Midpoint": {"error": 1e-3}, "Hybrid": {"rtol": 1e-7},
             "PositionForces": {"integrator": "radau", "mixing": 0.5},
             "VelocityForces": {"main_integrator": "rk4"}}[name]  # fmt: skip
    system = nsmb.systems.stick_slip_oscillator()
    sol = nsmb.simulate(system, 0.01, method=make(name, **other))
    sol.save(tmp_path / "run.npz")
    read = nsmb.Solution.load(tmp_path / "run.npz")
    assert type(read.method) is type(sol.method)
    assert read.method is not None
    assert read.method.changed.keys() == make(name, **other).changed.keys()
    assert repr(read.method) == repr(sol.method)
    assert read.method_reason == "The caller gave it."


# The page


def test_the_page_has_a_table_of_all_shared_options_and_defaults() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("| option |"))
    columns = re.findall(r"`(\w+)`", lines[first])
    assert set(columns) == set(METHODS)
    words = {"of the solver": None, "none": None, "1e-5 of `step`": None,
             "that of `integrator`": None, "required": dataclasses.MISSING}  # fmt: skip
    told: dict[str, dict[str, str]] = {name: {} for name in columns}
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        option, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for name, cell in zip(columns, cells, strict=True):
            if cell:
                told[name][option.strip("`")] = cell
    for name in columns:
        actual = options_of(name)
        if name == "EventDriven":
            actual = {option: actual[option] for option in told[name]} | {"rtol": 1e-8}
        assert told[name].keys() == actual.keys()
        for option, cell in told[name].items():
            value = actual[option]
            if cell in words:
                assert value is words[cell], (name, option)
            elif isinstance(value, float):
                assert float(cell) == value, (name, option)
            else:
                assert cell == str(value), (name, option)
