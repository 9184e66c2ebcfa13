"""Branches of every kind of solution have one interface."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nsmb import systems
from nsmb.analysis import continuation, equilibrium, harmonic_balance, periodic_orbit
from nsmb.analysis.results import (
    Branch,
    EquilibriumBranch,
    Locus,
    OrbitBranch,
    ResponseBranch,
)


def orbits() -> OrbitBranch:
    return continuation(periodic_orbit(systems.gear_rattling(alpha=1.4)), "alpha", (1.3, 1.5))


def equilibria() -> EquilibriumBranch:
    return continuation(equilibrium(systems.belt_oscillator(d=0.5)), "v_B", (0.02, 0.5))


def responses() -> ResponseBranch:
    gear = systems.ship_turning_gear(r=0.8, p=1.0)
    return continuation(harmonic_balance(gear, 1), "p", (0.5, 8.0), direction=1, max_step=0.4)


def doublings() -> Locus:
    (doubling,) = orbits().of_kind("period doubling")
    return continuation(doubling, "beta", (0.08, 0.12), step=0.01)


KINDS: list[tuple[Callable[[], Branch[Any]], type, str]] = [
    (orbits, OrbitBranch, "period doubling"),
    (equilibria, EquilibriumBranch, "Hopf"),
    (responses, ResponseBranch, "fold"),
    (doublings, Locus, ""),
]


@pytest.fixture(scope="module", params=KINDS, ids=[make.__name__ for make, _, _ in KINDS])
def known(request: pytest.FixtureRequest) -> tuple[Branch[Any], type, str]:
    make, kind, special = request.param
    return make(), kind, special


def test_parameters_points_and_special_points(known: tuple[Branch[Any], type, str]) -> None:
    branch, kind, special = known
    assert type(branch) is kind
    assert isinstance(branch, Branch)
    assert len(branch) == len(branch.points) == len(branch.values) > 5
    followed = branch.values if branch.values.ndim == 1 else branch.values[:, -1]
    for value, point in zip(followed.tolist(), branch.points, strict=True):
        assert point.system.parameters[branch.parameter] == value
    assert branch.status == "finished"
    assert (special in {point.kind for point in branch.special_points}) == (special != "")
    for point in branch.of_kind(special):
        low, high = sorted(followed[point.index : point.index + 2].tolist())
        assert special == "fold" or low <= point.value <= high
        assert point.point.system.parameters[branch.parameter] == pytest.approx(point.value)


def test_measures_are_names_or_functions(known: tuple[Branch[Any], type, str]) -> None:
    branch, kind, _ = known
    name, function = {
        OrbitBranch: ("period", lambda orbit: orbit.period),
        EquilibriumBranch: ("x", lambda here: here.q[0]),
        ResponseBranch: ("mean:x", lambda response: response.amplitude("x", 0)),
        Locus: ("alpha", lambda orbit: orbit.parameters["alpha"]),
    }[kind]
    np.testing.assert_array_equal(branch.measure(name), branch.measure(function))
    with pytest.raises(ValueError, match="'nothing'"):
        branch.measure("nothing")


def test_stability_is_that_of_the_points(known: tuple[Branch[Any], type, str]) -> None:
    branch, kind, _ = known
    if kind is ResponseBranch:
        with pytest.raises(AttributeError, match="Find the orbit with periodic_orbit"):
            _ = branch.stable
    else:
        assert branch.stable.tolist() == [point.stable for point in branch.points]


def test_tables_have_a_row_for_each_point(known: tuple[Branch[Any], type, str]) -> None:
    branch, kind, _ = known
    table = branch.to_dataframe()
    assert len(table) == len(branch)
    assert branch.parameter in table.columns
    column = {OrbitBranch: "period", EquilibriumBranch: "x", ResponseBranch: "amplitude:x"}
    np.testing.assert_array_equal(
        table[column.get(kind, "alpha")], branch.measure(column.get(kind, "alpha"))
    )


def test_figures_have_axes_with_units(known: tuple[Branch[Any], type, str]) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    branch, kind, _ = known
    labels = {
        OrbitBranch: (r"$\alpha$", r"$\dot{s}$ / (1/s)"),
        EquilibriumBranch: ("$v_{B}$ / (m/s)", "$x$ / mm"),
        ResponseBranch: ("$p$", "amplitude $x$ / (F_0/c)"),
        Locus: (r"$\beta$", r"$\alpha$"),
    }
    ax = branch.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == labels[kind]
    styles = {line.get_label() for line in ax.lines}
    assert ("stable" in styles) == (kind in (OrbitBranch, EquilibriumBranch))
    assert branch.plot(lambda point: point.system.parameters[branch.parameter], ax) is ax
    pyplot.close("all")


def test_a_branch_without_points_is_refused(known: tuple[Branch[Any], type, str]) -> None:
    pytest.importorskip("matplotlib.pyplot")
    branch = known[0]
    empty = dataclasses.replace(branch, points=[], values=np.zeros(0), special_points=[])
    with pytest.raises(ValueError, match="branch: must have at least one point, got none"):
        empty.plot()


def test_files_hold_branches_of_all_kinds(
    known: tuple[Branch[Any], type, str], tmp_path: Path
) -> None:
    branch, kind, _ = known
    branch.save(tmp_path / "branch.npz")
    found = kind.load(tmp_path / "branch.npz")  # type: ignore[attr-defined]
    np.testing.assert_array_equal(found.values, branch.values)
    assert [point.kind for point in found.special_points] == [
        point.kind for point in branch.special_points
    ]
    assert found.measure(found._usual_measure()).tolist() == pytest.approx(
        branch.measure(branch._usual_measure()).tolist(), rel=1e-12
    )


def test_problems_that_cannot_be_followed_are_refused() -> None:
    lost = periodic_orbit(systems.impact_oscillator(F=0.1), throw=False, max_iterations=1)
    lost = dataclasses.replace(lost, status="no_convergence", message="too far away")
    with pytest.raises(ValueError, match="problem: must be an orbit that has converged"):
        continuation(lost, "F", (0.0, 1.0))
    response = harmonic_balance(systems.ship_turning_gear(), 1)
    for options, message in (
        ({"direction": 3}, "direction: must be"),
        ({"step": 0.0}, "step: must be a number > 0"),
        ({"max_points": 1}, "max_points: expected a whole number >= 2"),
        ({"tol": 2.0}, "tol: expected a number between 0 and 1"),
    ):
        with pytest.raises(ValueError, match=message):
            continuation(response, "r", (0.5, 1.5), **options)  # type: ignore[call-overload]
