"""Public names and their help."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest

import nsmb

FIRST = [
    "At",
    "CallbackSystem",
    "Constraint",
    "Contact",
    "ContactLaw",
    "ContactState",
    "EnergyBalanceWarning",
    "EnergyGainWarning",
    "EventDriven",
    "EventKind",
    "Force",
    "ForceElement",
    "ForceInput",
    "ForceTable",
    "Friction",
    "FrictionTable",
    "GapForce",
    "Harmonic",
    "Hybrid",
    "Input",
    "LinearStates",
    "LinearSystem",
    "Midpoint",
    "Model",
    "ModelWarning",
    "MultibodySystem",
    "Parameters",
    "PositionForces",
    "Pulse",
    "Repeating",
    "SimulationError",
    "SimulationInterrupted",
    "Simulator",
    "Solution",
    "State",
    "Stribeck",
    "System",
    "UserForce",
    "VelocityForces",
    "When",
    "explore",
    "join",
    "parameter",
    "parametric",
    "simulate",
    "to_hdf5",
    "two_sided_stop",
    "view",
]
NAMESPACES = [
    "analysis",
    "complementarity",
    "flexible",
    "gears",
    "geometry",
    "instant",
    "joints",
    "plotting",
    "results",
    "symbolic",
    "systems",
    "testing",
]
SIZES = {
    "analysis": 23, "flexible": 31, "gears": 10, "geometry": 35, "instant": 16, "joints": 13,
    "plotting": 6, "results": 26, "testing": 6,
}  # fmt: skip
"""Number of names in each namespace that needs no extra. A new name must be justified."""
MADE = [
    "Contact",
    "ContactLaw",
    "Constraint",
    "EventDriven",
    "Force",
    "ForceElement",
    "ForceTable",
    "Friction",
    "FrictionTable",
    "GapForce",
    "Harmonic",
    "Input",
    "LinearSystem",
    "Midpoint",
    "Model",
    "Pulse",
    "Repeating",
    "Simulator",
    "Solution",
    "State",
    "Stribeck",
    "UserForce",
    "When",
    "At",
    "CallbackSystem",
]
FUNCTIONS = [name for name in FIRST if inspect.isfunction(getattr(nsmb, name))]


def sections(name: str) -> set[str]:
    doc = inspect.getdoc(getattr(nsmb, name)) or ""
    return set(re.findall(r"^([A-Z]\w+)\n-{3,}$", doc, re.M))


def test_the_first_names_are_these() -> None:
    assert len(FIRST) + len(NAMESPACES) <= 60
    assert [name for name in dir(nsmb) if not name.startswith("_")] == sorted([*FIRST, *NAMESPACES])


@pytest.mark.parametrize("name", SIZES)
def test_namespaces_have_their_size(name: str) -> None:
    module = getattr(nsmb, name)
    assert len(module.__all__) == SIZES[name]
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_takes_gives_and_refuses(name: str) -> None:
    assert sections(name) >= {"Parameters", "Returns", "Raises", "Examples"}


@pytest.mark.parametrize("name", FIRST)
def test_every_name_has_a_summary(name: str) -> None:
    doc = inspect.getdoc(getattr(nsmb, name)) or ""
    summary = doc.split("\n\n", maxsplit=1)[0]
    assert summary.endswith((".", ":", "::"))
    assert len(summary) < 300


@pytest.mark.parametrize("name", MADE)
def test_what_users_make_has_an_example(name: str) -> None:
    assert "Examples" in sections(name)


def test_help_names_everything_by_task() -> None:
    text = nsmb.__doc__ or ""
    said = set(re.findall(r"`(?:nsmb\.)?(\w+)", text))
    assert set(NAMESPACES) <= said
    described = [name for name in FIRST if name in said]
    assert len(described) >= 25
    for name in re.findall(r"(?<!`)`((?:nsmb\.)?[A-Za-z_.]+)`(?!`)", text):
        found: object = nsmb
        for part in name.removeprefix("nsmb.").split("."):
            found = getattr(found, part)


# A wrong first guess, and the name that the message must show.
GUESSES = {
    "contact": "Contact", "Simulation": "Simulat", "simulte": "simulate",
    "Circle": "geometry.Circle",
    "Polygon": "geometry.Polygon", "Sphere": "geometry.Sphere", "Revolute": "joints",
    "Event_driven": "EventDriven", "midpoint": "Midpoint", "Hybid": "Hybrid",
    "impact": "instant.impact", "contact_problem": "instant.contact_problem",
    "lcp": "complementarity.lcp", "FlexibleBody": "flexible.FlexibleBody",
    "Scene": "plotting.Scene", "GearTrain": "gear", "woodpecker": "systems.woodpecker",
    "continuation": "analysis.continuation", "PoincareMap": "analysis.PoincareMap",
    "LinearSytem": "LinearSystem", "model": "Model",
}  # fmt: skip


@pytest.mark.parametrize("guess", GUESSES)
def test_a_wrong_first_guess_is_told_the_right_name(guess: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(GUESSES[guess])):
        getattr(nsmb, guess)


def test_all_namespaces_can_be_imported_by_name() -> None:
    for name in NAMESPACES:
        if name != "joints":  # a module of a room
            assert importlib.import_module(f"nsmb.{name}") is getattr(nsmb, name)
