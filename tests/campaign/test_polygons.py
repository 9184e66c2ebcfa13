"""Time-stepping of random polygons and discs: passing through another body is reported."""

from __future__ import annotations

import numpy as np
import pytest

from tests.campaign import polygons


@pytest.mark.parametrize("scheme", ["midpoint", "hybrid"])
@pytest.mark.parametrize("scene", range(3))
def test_bodies_do_not_pass_each_other_in_steps(scheme: str, scene: int) -> None:
    verdict = polygons.judge_steps(20, scene, scheme)
    assert verdict.status == "finished"
    assert not verdict.wrong
    assert verdict.depth > 0.0


def test_a_body_in_another_one_is_seen() -> None:
    """The depth of two 0.2 m squares with centres 0.05 m apart is found."""
    square = np.array([(0.0, 0.0), (0.2, 0.0), (0.2, 0.2), (0.0, 0.2)])
    assert polygons.depth(square, np.add(square, [0.05, 0.0])) == pytest.approx(0.15)
    assert polygons.width(square) == pytest.approx(0.2)
