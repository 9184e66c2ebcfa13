"""Options unused by the chosen method are rejected, and the remedy in the message works."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.common.options import OptionTable
from nsmb.complementarity import friction, lcp, mcp
from nsmb.complementarity import lcp as linear
from nsmb.complementarity import mcp as mixed
from nsmb.system.options import OPTIONS

Call = Callable[..., Any]


def steps(**options: Any) -> nsmb.Midpoint:
    return nsmb.Midpoint(1e-3, **options)


def ball(**options: Any) -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.bouncing_ball(), 0.01, method=steps(**options))


def spheres(**options: Any) -> nsmb.Solution:
    pile = nsmb.systems.sphere_pile()
    return nsmb.simulate(pile, 0.002, method=steps(**options))


A, B = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-4.0, 1.0])


def slide(**options: Any) -> friction.FrictionResult:
    problem = friction.FrictionProblem.local(np.eye(3), [-10.0, 1.0, 1.0], mu=0.1)
    return friction.solve(problem, **options)


def blocks(**options: Any) -> friction.FrictionProblem:
    given = {"blocks": [friction.ContactBlock(mu=0.1)]}
    return friction.FrictionProblem.local(np.eye(3), [-10.0, 1.0, 1.0], **(given | options))


def gap_force(**options: Any) -> None:
    model = nsmb.Model()
    body = model.add_body("body", mass=1.0)
    model.add_joint("slide", nsmb.joints.Prismatic(), model.ground, body)
    given = {"coordinate": "slide"} if options.pop("on_coordinate", True) else {
        "body_1": model.ground, "body_2": body}  # fmt: skip
    model.add_gap_force("stop", nsmb.GapForce(c=1.0), **given, **options)


def layer(**options: Any) -> None:
    model, box = nsmb.Model(), nsmb.geometry.box_mesh((1.0, 1.0, 1.0))
    body = model.add_body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.add_joint("free", nsmb.joints.Free(), model.ground, body)
    model.add_elastic_foundation("layer", model.ground, box, body, box, stiffness=1.0, **options)


def diagram(**options: Any) -> Any:
    from nsmb import analysis

    return analysis.bifurcation_diagram(
        nsmb.systems.bouncing_ball(), "e_N", [0.5], section=analysis.on_event("impact", "floor"),
        transient=0, samples=1, progress=False, **options,
    )  # fmt: skip


def toy(**options: Any) -> nsmb.System:
    return nsmb.systems.woodpecker(**options)


# name: (call, wrong options, message, options after the remedy)
CASES: dict[str, tuple[Call, dict[str, Any], str, dict[str, Any]]] = {
    "min_step without error": (
        steps, {"min_step": 1e-5}, "min_step: must be left out .* give error",
        {"min_step": 1e-5, "error": 1e-3},
    ),
    "threads of Newton": (
        steps, {"solver": "newton", "threads": 2},
        "`threads`: must be 1 for solver='newton'.* choose solver='gauss_seidel'",
        {"solver": "gauss_seidel", "threads": 2},
    ),
    "rtol of the closed form": (
        nsmb.EventDriven, {"integrator": "linear_flow", "rtol": 1e-6},
        "rtol: must be left out for integrator='linear_flow'.*'dp853'",
        {"integrator": "dp853", "rtol": 1e-6},
    ),
    "atol of the closed form": (
        nsmb.EventDriven, {"integrator": "linear_flow", "atol": 1e-6}, "atol: must be left out",
        {"integrator": "linear_flow"},
    ),
    "sliding_compression of Newton": (
        nsmb.EventDriven, {"impact_law": "newton", "sliding_compression": False},
        "sliding_compression: must be left out .* impact_law='poisson'",
        {"impact_law": "poisson", "sliding_compression": False},
    ),
    "expansion of Moreau": (
        nsmb.EventDriven, {"impact_law": "moreau", "expansion": lambda c: {}},
        "expansion: must be left out .* impact_law='poisson'",
        {"impact_law": "poisson", "expansion": lambda c: {}},
    ),
    "facets of Newton": (
        nsmb.EventDriven, {"solver": "newton", "facets": 32},
        "facets: must be left out .* solver='auto' or 'polyhedral'",
        {"solver": "polyhedral", "facets": 32},
    ),
    "max_pivots of enumeration": (
        lambda **o: lcp.solve(A, B, **o), {"method": "enumeration", "max_pivots": 9},
        "max_pivots: must be left out .* method='lemke' or 'auto'",
        {"method": "lemke", "max_pivots": 9},
    ),
    "max_size of Lemke": (
        lambda **o: lcp.solve(A, B, **o), {"method": "lemke", "max_size": 16},
        "max_size: must be left out .* method='enumeration'",
        {"method": "enumeration", "max_size": 16},
    ),
    "x_start of enumeration": (
        lambda **o: lcp.solve(A, B, **o), {"method": "enumeration", "x_start": [0.0, 0.0]},
        "x_start: must be left out", {"x_start": [0.0, 0.0]},
    ),
    "max_pieces of paths": (
        lambda **o: mcp.solve(A, B, **o), {"method": "path", "max_pieces": 9},
        "max_pieces: must be left out .* method='enumeration'",
        {"method": "enumeration", "max_pieces": 9},
    ),
    "max_restarts of enumeration": (
        lambda **o: mcp.solve(A, B, **o), {"method": "enumeration", "max_restarts": 8},
        "max_restarts: must be left out .* method='path'", {"method": "path", "max_restarts": 8},
    ),
    "r of Newton": (
        slide, {"method": "newton", "r": 1.0},
        "r: must be left out .* method='augmented_lagrangian'",
        {"method": "augmented_lagrangian", "r": 1.0},
    ),
    "x_start of polygons": (
        slide, {"method": "polyhedral", "x_start": [0.0] * 3}, "x_start: must be left out",
        {"method": "newton", "x_start": [0.0] * 3},
    ),
    "facets of sweeps": (
        slide, {"method": "gauss_seidel", "facets": 64}, "facets: must be left out",
        {"method": "polyhedral", "facets": 64},
    ),
    "threads of ADMM": (
        slide, {"method": "admm", "threads": 2},
        "threads: must be left out .* method='gauss_seidel'",
        {"method": "gauss_seidel", "threads": 2},
    ),
    "time limit of dense matrices": (
        slide, {"storage": "dense", "max_time": 1.0},
        "max_time: must be left out for storage='dense'.* choose storage='sparse'",
        {"storage": "sparse", "max_time": 1.0},
    ),
    "facets of sparse matrices": (
        slide, {"storage": "sparse", "facets": 8},
        "facets: must be left out for storage='sparse'.* choose storage='dense'",
        {"storage": "dense", "facets": 8},
    ),
    "sparse matrices for polygons": (
        slide, {"method": "polyhedral", "storage": "sparse"},
        "storage: must be 'dense' for method='polyhedral', got 'sparse'. Leave it out",
        {"method": "polyhedral"},
    ),
    "options of both matrices": (
        slide, {"facets": 8, "max_time": 1.0},
        "max_time: must be left out together with facets.* Leave max_time or facets out",
        {"facets": 8},
    ),
    "dimension beside blocks": (
        blocks, {"dimension": 3}, "dimension: must be left out where blocks .* give mu instead",
        {"dimension": 3, "blocks": None, "mu": 0.1},
    ),
    "direction between bodies": (
        gap_force, {"on_coordinate": False, "direction": 1}, "direction: must be left out", {},
    ),
    "place on a coordinate": (gap_force, {"at": (1, 0, 0)}, "at: must be left out", {}),
    "switch_velocity without friction": (
        layer, {"switch_velocity": 1e-3}, "switch_velocity: must be left out .* Give mu",
        {"switch_velocity": 1e-3, "mu": 0.1},
    ),
    "transition_depth without damping": (
        layer, {"transition_depth": 1e-3}, "transition_depth: must be left out .* Give damping",
        {"transition_depth": 1e-3, "damping": 1.0},
    ),
    "restarts without following": (
        diagram, {"follow": None, "restarts": 1}, "restarts: must be left out for follow=None",
        {"follow": None},
    ),
    "friction of the beak below zero": (
        toy, {"mu_beak": -0.5}, r"parameter 'mu_beak': must be at least 0, got -0\.5",
        {"mu_beak": 0.5},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_option_that_nothing_uses_is_refused(name: str) -> None:
    call, wrong, message, _ = CASES[name]
    with pytest.raises(ValueError, match=re.compile(message, re.S)):
        call(**wrong)


@pytest.mark.parametrize("name", CASES)
def test_the_remedy_in_the_message_works(name: str) -> None:
    call, _, _, right = CASES[name]
    call(**right)


TABLES: dict[str, tuple[OptionTable, Call]] = {
    "integrator": (OPTIONS[0], nsmb.EventDriven),
    "impact_law": (OPTIONS[1], nsmb.EventDriven),
    "solver": (OPTIONS[2], nsmb.EventDriven),
    "lcp": (linear._OPTIONS, lambda **o: lcp.solve(A, B, **o)),
    "mcp": (mixed._OPTIONS, lambda **o: mcp.solve(A, B, **o)),
    "friction": (friction._OPTIONS, slide),
    "storage": (friction._MATRICES, slide),
}
VALUES: dict[str, Any] = {
    "max_iterations": 100, "x_start": None, "atol": 1e-6, "expansion": lambda c: {},
    "max_pivots": 9, "max_time": 1.0, "r": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_every_choice_takes_what_it_uses_and_refuses_the_rest(name: str) -> None:
    table, call = TABLES[name]
    for option, rule in table.options.items():
        value = VALUES.get(option, rule.default)
        if value is None:
            value = {"lcp": [0.0, 0.0], "mcp": [0.0, 0.0], "friction": [0.0] * 3}[name]
        for choice in table.choices:
            options = {table.chooser: choice, option: value}
            if choice in rule.used_by:
                call(**options)
                continue
            with pytest.raises(ValueError, match=f"{option}: must be left out"):
                call(**options)


def test_documentation_has_the_table_that_is_checked() -> None:
    text = inspect.getdoc(nsmb.EventDriven)
    assert text is not None
    for table in OPTIONS:
        assert table.text() in text
        for option in table.options:
            (field,) = [field for field in fields(nsmb.EventDriven) if field.name == option]
            assert field.default is None


def test_options_in_force_have_defaults() -> None:
    assert nsmb.EventDriven().in_force["rtol"] == 1e-8
    assert "rtol" not in nsmb.EventDriven(integrator="linear_flow").in_force


@pytest.mark.parametrize("run", [spheres, ball])
def test_contacts_in_any_number_take_their_options(run: Callable[..., object]) -> None:
    options = {"max_time": 10.0, "threads": 2, "max_iterations": 100, "sleeping": True}
    run(solver="gauss_seidel", **options)
