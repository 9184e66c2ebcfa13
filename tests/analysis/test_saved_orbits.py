"""Orbits, branches and curves are restored from files and can be continued."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import analysis, systems
from nsmb.analysis import continuation, crossing, equilibrium, on_event, periodic_orbit
from nsmb.analysis.results import EquilibriumBranch, OrbitBranch, PeriodicOrbit
from tests.analysis.orbit_systems import block, oscillator


def same(a: Any, b: Any, where: str = "") -> None:
    """Require bitwise equality of all fields, and of systems by name and parameters."""
    if isinstance(a, nsmb.System):
        assert (a.name, dict(a.parameters)) == (b.name, dict(b.parameters)), where
    elif isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b, err_msg=where)
        assert a.dtype == b.dtype, where
    elif dataclasses.is_dataclass(a):
        assert type(a) is type(b), where
        for field in dataclasses.fields(a):
            same(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif isinstance(a, list | tuple):
        assert type(a) is type(b), where
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            same(one, other, f"{where}[{i}]")
    elif isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for key in a:
            same(a[key], b[key], f"{where}[{key!r}]")
    elif type(a).__name__ == "Rest":
        same(a.arguments(), b.arguments(), where)
    else:
        assert a == b or (a != a and b != b), where


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_an_orbit_comes_back_and_can_be_followed(tmp_path: Path, suffix: str) -> None:
    if suffix == ".h5":
        pytest.importorskip("h5py")
    orbit = periodic_orbit(systems.woodpecker(), section=on_event("impact", "beak"))
    path = tmp_path / f"orbit{suffix}"
    orbit.save(path)
    found = PeriodicOrbit.load(path)
    same(found, orbit)
    assert repr(found) == repr(orbit)
    one, other = (continuation(o, "mu", (0.29, 0.31)) for o in (orbit, found))
    np.testing.assert_array_equal(one.values, other.values)


def test_a_driven_orbit_keeps_the_clock_of_its_system(tmp_path: Path) -> None:
    orbit = periodic_orbit(systems.impact_oscillator(), transient=400)
    orbit.save(tmp_path / "orbit.npz")
    found = PeriodicOrbit.load(tmp_path / "orbit.npz")
    same(found, orbit)
    one, other = (continuation(o, "omega", (0.79, 0.81)) for o in (orbit, found))
    np.testing.assert_array_equal(one.periods, other.periods)


def test_a_system_without_a_name_is_given(tmp_path: Path) -> None:
    orbit = periodic_orbit(oscillator(), transient=20)
    branch = continuation(orbit, "F", (0.5, 1.5), max_step=0.5, step=0.5)
    path = tmp_path / "branch.npz"
    branch.save(path)
    with pytest.raises(ValueError, match=r"system: expected the system .* got None; give it"):
        OrbitBranch.load(path)
    same(OrbitBranch.load(path, system=oscillator(F=0.7)), branch)


def test_a_branch_comes_back_with_its_special_points(tmp_path: Path) -> None:
    orbit = periodic_orbit(systems.impact_oscillator(), transient=400)
    branch = continuation(orbit, "omega", (0.75, 0.9))
    branch.save(tmp_path / "branch.npz")
    found = OrbitBranch.load(tmp_path / "branch.npz")
    same(found, branch)
    assert len({id(point.system) for point in found.points}) <= len(found.points)
    with pytest.raises(ValueError, match="is not a periodic orbit of nsmb"):
        PeriodicOrbit.load(tmp_path / "branch.npz")


def test_equilibria_come_back(tmp_path: Path) -> None:
    start = nsmb.State(0.0, np.zeros(2), np.zeros(2))
    branch = continuation(equilibrium(block(), start=start), "tilt", (-1.0, 1.0))
    branch.save(tmp_path / "rest.npz")
    found = EquilibriumBranch.load(tmp_path / "rest.npz", system=block())
    same(found, branch)


def test_functions_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    def speed(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return float(u[0])

    orbit = periodic_orbit(systems.impact_oscillator(), transient=400)
    other = dataclasses.replace(orbit, section=crossing(speed))
    with pytest.raises(ValueError, match=r"nsmb-orbit\.section\.what: expected nothing but"):
        other.save(tmp_path / "orbit.npz")
    assert not (tmp_path / "orbit.npz").exists()
    assert analysis.results.PeriodicOrbit is PeriodicOrbit
