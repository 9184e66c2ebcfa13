"""Properties of all ready-made systems."""

import copy
import dataclasses
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import cli
from tests.systems.examples import BY_EVENTS, IN_STEPS, contact_errors

# Contact points are temporary here. tests/multibody compares the kinematics of contours.
CHANGING = (
    "peg_in_hole", "peg_in_hole_robot", "electric_brush", "toppling_blocks", "involute_pair",
    "involute_rattle",
)  # fmt: skip
# Cams of a millimetre, balls of a centimetre, cranks at 36 Hz, engines, and rims of discs that
# rotate by radians with 0.1 of a mode. Differences over 1e-5 s and rad are too coarse, so that they
# have their own tests.
FINE = (
    "elastic_discs", "gearbox_run_up", "hammer_drill", "newtons_cradle", "percussion_drill",
)  # fmt: skip
SOURCES = ("Glocker", "Simo", "Wösle", "Boltežar", "Moffatt", "printed", "derived", "chosen")
every_system = pytest.mark.parametrize("name", nsmb.systems.names())


@every_system
def test_a_system_says_what_it_is(name: str) -> None:
    system = nsmb.systems.build(name)
    assert system.name == name
    assert getattr(nsmb.systems, name)().name == name
    assert name in nsmb.systems.__all__
    assert len(set(system.contact_names)) == system.nc
    assert all(unit for unit in system.coordinate_units)
    given = [key for key in system.parameter_info if key in system.parameters]
    assert list(system.parameters) == given
    for info in system.parameter_info.values():
        assert info.unit
        assert info.description
        assert any(word in info.source for word in SOURCES)


@every_system
def test_a_system_starts_without_penetration_and_runs(name: str) -> None:
    system = nsmb.systems.build(name)
    state = system.initial_state
    k = system.contact_kinematics(state.t, state.q, state.u)
    # Temporary points are candidates also beyond the ends of their features.
    gaps = k["g_N"][k["domain"] > 0.0] if "domain" in k else k["g_N"]
    assert gaps.min(initial=0.0) >= -1e-15
    assert system.overlaps(state.t, state.q) == {}
    t_end = 0.002 if name == "electric_brush" else 0.05  # hundreds of impacts per millisecond
    assert nsmb.simulate(system, t_end).status == "finished"
    if name in IN_STEPS:
        assert system.find_contacts(state.t, state.q).g_N.min(initial=0.0) >= -1e-15


@pytest.mark.parametrize("name", [n for n in BY_EVENTS if n not in CHANGING + FINE])
def test_contact_directions_are_derivatives_of_the_gaps(name: str) -> None:
    """w_N = ∂g_N/∂q (4.38) and w̄ = dw/dt·q̇ (4.45) hold near the start."""
    system = nsmb.systems.build(name)
    rng = np.random.default_rng(4)
    state = system.initial_state
    q = state.q + rng.uniform(-0.1, 0.1, system.nq)
    slow = state.u / max(1.0, np.abs(state.u).max(initial=0.0))  # differences include time
    u = slow + rng.uniform(-1.0, 1.0, system.nu)
    # Measured: below 1e-10.
    assert contact_errors(system, state.t + 0.3, q, u).max(initial=0.0) < 1e-8


@every_system
def test_a_system_is_copied_and_changed_by_name_and_parameters(name: str) -> None:
    system = nsmb.systems.build(name)
    for twin in (pickle.loads(pickle.dumps(system)), copy.deepcopy(system)):
        assert twin.name == name
        assert dict(twin.parameters) == dict(system.parameters)
        np.testing.assert_array_equal(twin.initial_state.q, system.initial_state.q)
    key = "mu" if "mu" in system.parameters else next(iter(system.parameters))
    changed = system.with_parameters(**{key: 2.0})
    assert dict(changed.parameters) == dict(system.parameters) | {key: 2.0}
    with pytest.raises(ValueError, match="parameter 'nonsense'"):
        nsmb.systems.build(name, nonsense=1.0)
    with pytest.raises(ValueError, match=f"parameter '{key}': expected a finite number"):
        nsmb.systems.build(name, **{key: np.nan})


@pytest.mark.parametrize(
    "name", [n for n in nsmb.systems.names() if getattr(nsmb.systems, n).parameter_sets]
)
def test_parameter_sets_build_and_are_named_in_the_docstring(name: str) -> None:
    for key, values in getattr(nsmb.systems, name).parameter_sets.items():
        system = nsmb.systems.build(name, **values)
        usual = nsmb.systems.build(name)
        changed = {k for k in usual.parameters if usual.parameters[k] != system.parameters[k]}
        assert changed == set(values)
        assert f"``{key}``" in str(getattr(nsmb.systems, name).__doc__)


def test_a_builder_without_parameter_sets_has_none() -> None:
    assert dict(nsmb.systems.woodpecker.parameter_sets) == {}


def test_an_unknown_system_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"system 'woodpeker': expected one of .*'woodpecker'"):
        nsmb.systems.build("woodpeker")
    with pytest.raises(AttributeError, match="no attribute 'woodpeker'; did you mean 'woodp"):
        _ = nsmb.systems.woodpeker  # type: ignore[attr-defined]


def test_the_module_has_builders_and_three_functions() -> None:
    assert set(nsmb.systems.__all__) == {"build", "names", "topics", *nsmb.systems.names()}
    summaries = {
        name: text for topic in nsmb.systems.topics().values() for name, text in topic.items()
    }
    assert sorted(summaries) == sorted(nsmb.systems.names())
    assert all(text.endswith(".") for text in summaries.values())
    for title, systems in nsmb.systems.topics().items():
        listed = "".join(f"- {name}: {text}\n" for name, text in systems.items())
        assert f"\n{title}\n\n{listed}" in str(nsmb.systems.__doc__)


@every_system
def test_evaluations_have_summaries_and_short_names(name: str) -> None:
    build = getattr(nsmb.systems, name)
    for short, function in build.evaluations.items():
        assert getattr(build, short) is function
        assert not short.startswith(name)
        first, *_ = str(function.__doc__).splitlines()
        assert first.split()[0] in ("Return", "Build")
        assert first.endswith(".")
        assert f"\n{short}\n" in str(build.__doc__)


def test_evaluations_are_found_wherever_they_are_defined() -> None:
    evaluated = {n for n in nsmb.systems.names() if getattr(nsmb.systems, n).evaluations}
    assert len(evaluated) > 25
    elsewhere = {"clutch_judder", "gear_rattling", "gearbox_two_stage", "landing_gear"}
    assert evaluated >= elsewhere | {"synchroniser", "turbo_generator", "dominoes"}


# Masses, inertias, densities, moduli, stiffness and damping.
NEVER_NEGATIVE = re.compile(r"kg( m²|/m³|/m)?|Pa|N/m[²³]?|N m/rad|N s/m³?|N m s(/rad)?")
SLOPES = {("clutch_judder", "d_in")}  # slopes of characteristics, which may be negative


@every_system
def test_masses_stiffness_and_damping_below_zero_are_refused(name: str) -> None:
    build = getattr(nsmb.systems, name)
    for field in dataclasses.fields(build.parameters):
        info = field.metadata["info"]
        if NEVER_NEGATIVE.fullmatch(info.unit) and (name, field.name) not in SLOPES:
            with pytest.raises(ValueError, match=r"expected|must be"):
                build(**{field.name: -1.0})


def test_whole_numbers_stay_whole_and_others_are_refused() -> None:
    system = nsmb.systems.mass_tower(n=3.0)
    assert system.parameters["n"] == 3
    assert isinstance(system.parameters["n"], int)
    with pytest.raises(ValueError, match=r"parameter 'n': expected a whole number, got 2\.5"):
        nsmb.systems.mass_tower(n=2.5)
    with pytest.raises(ValueError, match="parameter 'n': expected a number > 0, got 0"):
        nsmb.systems.mass_tower(n=0)


def test_lengths_that_cannot_be_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'p_1': expected a number > 0, got -1"):
        nsmb.systems.parabola_on_line(p_1=-1.0)


def test_whole_numbers_go_through_the_command_line_and_files(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    command = ["run", "mass_tower", "--t-end", "0.1", "--set", "n=3", "--save", str(path)]
    assert cli.main(command) == 0
    assert cli.main([*command, "--set", "n=2.5"]) == 2
    system = nsmb.Solution.load(path).system
    assert system is not None
    assert system.nc == 3
