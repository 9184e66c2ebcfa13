"""Knobs of a system and their ranges."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import nsmb
from nsmb.explorer.knobs import Knob, knobs_of


@dataclass(frozen=True, kw_only=True)
class HookParameters(nsmb.Parameters):
    m: float = nsmb.parameter(2.0, "kg", "mass", "chosen", positive=True)
    mu: float = nsmb.parameter(0.3, "-", "friction", "Pfeiffer")
    n: int = nsmb.parameter(4, "-", "teeth")
    c: float = nsmb.parameter(5e3, "N/m", "stiffness")
    load: float = nsmb.parameter(-7.0, "N", "load")
    fault: int | str = nsmb.parameter("none", choices=("none", "broken"))


@nsmb.parametric(HookParameters)
def knobs_hook(p: HookParameters) -> nsmb.LinearSystem:
    """A mass above a floor."""
    start = nsmb.State(0.0, [0.1], [0.0])
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(mu=0.0), name="floor")
    return nsmb.LinearSystem([[p.m]], force=[p.load], contacts=[floor], initial_state=start)


def knobs(system: nsmb.System | None = None, **options: object) -> dict[str, Knob]:
    given: dict[str, object] = {"parameters": None, "start": False, "ranges": {}}
    return knobs_of(system or knobs_hook(), 2.0, **given | options)  # type: ignore[arg-type]


def test_ranges_follow_what_is_known_of_a_parameter() -> None:
    found = knobs()
    assert 0.0 < found["m"].low < 2.0 < found["m"].high  # must be positive
    assert (found["mu"].low, found["mu"].high) == (0.0, 1.0)  # a fraction
    assert (found["n"].kind, found["n"].low, found["n"].high) == ("whole", 0.0, 9.0)
    assert (found["c"].low, found["c"].high) == (0.0, 1e4)
    assert found["load"].low < -7.0 < found["load"].high
    assert (found["fault"].kind, found["fault"].choices) == ("choice", ("none", "broken"))


def test_knobs_tell_unit_and_meaning() -> None:
    found = knobs()["mu"]
    assert (found.unit, found.meaning) == ("-", "friction; Pfeiffer")


SLOW = {"landing_gear", "gearbox_run_up"}  # they take seconds to build, with the usual knobs


def test_every_ready_made_system_starts_within_its_ranges() -> None:
    for name in set(nsmb.system.registry.names("nsmb.systems.")) - SLOW:
        system = nsmb.system.registry.build(name)
        for knob in knobs(system, start=True).values():
            assert knob.low <= knob.value <= knob.high, (name, knob)
            assert knob.low < knob.high, (name, knob)


def test_parameters_can_be_chosen_in_an_order() -> None:
    assert list(knobs(parameters=("mu", "m"))) == ["mu", "m", "t_end"]


def test_start_has_knobs_where_it_is_asked_for() -> None:
    toy = nsmb.systems.woodpecker()
    assert list(knobs(toy, parameters=(), start=True))[:6] == list(toy.labels.components)
    assert list(knobs(toy, parameters=(), start=["phi_S"])) == ["phi_S", "t_end"]


def test_a_component_and_a_parameter_may_have_one_name() -> None:
    state = nsmb.State(0.0, [0.1], [0.0])

    def build(z: float) -> nsmb.System:
        return nsmb.LinearSystem(
            [[z]], coordinates=["z"], initial_state=state, parameters={"z": z}, rebuild=build
        )

    assert list(knobs(build(1.0), start=True)) == ["z", "start z", "z_dot", "t_end"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameters": ("mi",)}, "'mi': expected one of m, mu"),
        ({"start": ["y"]}, "component"),
        ({"ranges": {"mass": (0, 1)}}, "ranges"),
        ({"ranges": {"mu": (1, 0)}}, "low < high for 'mu'"),
        ({"ranges": {"mu": 3}}, "low < high for 'mu'"),
    ],
)
def test_misuse_is_told(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        knobs(**options)
