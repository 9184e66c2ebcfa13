"""The checks of gears and of areal contact find errors."""

from __future__ import annotations

import copy
import dataclasses
import functools
import re
from typing import Any

import numpy as np
import pytest

from tests.campaign import areal, flanks, gears
from tests.campaign.areal_check import at_poses
from tests.campaign.areal_truth import Layer, press
from tests.campaign.case import Case
from tests.campaign.findings import Findings
from tests.geometry.mesh_zoo import box_mesh

MOST = 60  # seeds to search for a case


@functools.cache
def case_of(motion: str) -> Case:
    return next(
        case
        for case in map(gears.make, range(MOST))
        if {motion, "pair"} <= set(case.tags) and any(load["T"] for load in case.spec["loads"])
    )


def found_with(case: Case, system: Any, **changes: float) -> str:
    """Return the findings for a run of `system` with a changed flank stiffness or torque."""
    spec = copy.deepcopy(case.spec)
    for rows in (spec["meshes"], spec["loads"]):
        for row in rows:
            row.update({key: row[key] * factor for key, factor in changes.items() if key in row})
    found = Findings()
    gears.look(dataclasses.replace(case, spec=spec), system, found, [])
    return " ".join(map(str, found))


@pytest.mark.parametrize("motion", ["rigid", "static"])
def test_gears_of_other_numbers_are_found(motion: str) -> None:
    case = case_of(motion)
    system = case.system()
    assert found_with(case, system) == ""
    assert "accelerations differ" in found_with(case, system, stiffness=1.001)
    assert "differs from SciPy" in found_with(case, system, T=1.1)


def test_flanks_that_give_back_otherwise_are_found() -> None:
    case = next(
        case
        for case in (flanks.make(seed, np.random.default_rng(seed)) for seed in range(MOST))
        if {"smooth", "gears"} <= set(case.tags) and 0.1 < case.spec["e_N"] < 0.8
    )
    found, changed = Findings(), Findings()
    flanks.look(case, case.system(), found, [])
    assert not found
    build = re.sub(r"e_N=[\d.]+", "e_N=0.9", case.build)
    flanks.look(case, dataclasses.replace(case, build=build).system(), changed, [])
    assert any("differs from flights" in finding.what for finding in changed)


def test_a_punch_on_a_block_presses_as_a_spring_by_brute_force() -> None:
    """The force is stiffness times area times depth, at the centre of the punch."""
    block, punch, depth = box_mesh((1.0, 1.0, 0.4), 2), box_mesh((0.3, 0.2, 0.4), 1), 1e-3
    layer = Layer.of(*block, np.full(len(block[0]), 0.05))
    assert layer.volumes().min() > 0.0
    place = np.array([0.07, -0.11, 0.4 - depth])
    pressed = press(punch[0] + place, punch[1], layer, 10_000)
    assert pressed is not None
    assert pressed.force == pytest.approx([0.0, 0.0, 0.3 * 0.2 * depth], rel=1e-12, abs=1e-15)
    assert pressed.moment == pytest.approx(np.cross(place, pressed.force), abs=1e-15)
    assert press(punch[0] + place, punch[1], layer, 1) is None


def test_a_layer_of_another_slope_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(
        case for case in map(areal.make, range(MOST)) if {"clipped", "box"} <= set(case.tags)
    )
    right, wrong, notes = Findings(), Findings(), []
    at_poses(case, right, notes)
    assert not right
    assert "brute force" in notes
    original = Layer.of

    def steeper(*given: Any) -> Layer:
        layer = original(*given)
        return dataclasses.replace(layer, depths=(1.0 + 1e-6) * layer.depths)

    monkeypatch.setattr("tests.campaign.areal_check.Layer.of", steeper)
    at_poses(case, wrong, [])
    assert any("by brute force" in finding.what for finding in wrong)
