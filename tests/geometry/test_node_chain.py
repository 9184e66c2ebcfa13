"""Chains with moved corners: the refitted tree finds the contacts of a new chain."""

from __future__ import annotations

import numpy as np
import pytest

from nsmb import geometry
from nsmb._core import geometry as core

RING = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)


def wavy(amplitude: float) -> np.ndarray:
    r = 1.0 + amplitude * np.cos(5.0 * RING)
    return np.column_stack([r * np.cos(RING), r * np.sin(RING)])


def found(chain: core.Contour, pose: tuple[float, float, float]) -> np.ndarray:
    circle = geometry.Circle(0.3)._core
    c = core.find_candidates(chain, np.zeros((1, 3)), circle, np.array([pose]), 0.05)
    return np.column_stack([c["first"], c["second"], c["g_N"]])


@pytest.mark.parametrize("amplitude", [0.06, 0.1, -0.08])
def test_a_moved_chain_touches_circles_where_a_new_one_does(amplitude: float) -> None:
    moved = core.NodeChain(wavy(0.0), True, True)
    moved.move_to(wavy(amplitude))
    new = core.Chain(wavy(amplitude), True)
    seen = 0
    for angle in np.linspace(0.0, 6.0, 25):
        pose = (1.4 * np.cos(angle), 1.4 * np.sin(angle), 0.0)
        a, b = found(moved, pose), found(new, pose)
        assert a == pytest.approx(b, abs=1e-14)
        seen += len(b)
    assert seen >= 4


def test_nodes_of_sides_stand_on_edges_whichever_way_they_turn_or_none_does() -> None:
    corners = [(0, 0), (1, 0), (2, 0), (2, 1), (0, 1)]
    line = geometry.Polyline([(4, -0.1), (-4, -0.1)])._core  # its body is below
    for sag in (-1e-3, 0.0, 1e-3):
        for nodes_touch, expected in ((True, {0, 2, 4}), (False, {0, 4})):
            chain = core.NodeChain(corners, True, nodes_touch)
            chain.move_to([(0, 0), (1, sag), *corners[2:]])
            c = core.find_candidates(chain, np.zeros((1, 3)), line, np.zeros((1, 3)), 0.2)
            assert {int(k) for k in c["first"] if k % 2 == 0} == expected


def test_points_must_be_as_many_and_run_around_the_body() -> None:
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    chain = core.NodeChain(square, True, True)
    with pytest.raises(ValueError, match="points"):
        chain.move_to(square[:3])
    with pytest.raises(ValueError, match="a polygon with the body on its left"):
        core.NodeChain(square[::-1], True, True)
