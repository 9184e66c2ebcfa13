"""Dry friction that has stopped a body, in all methods with steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb

METHODS = [nsmb.Midpoint, nsmb.Hybrid, nsmb.VelocityForces, nsmb.PositionForces]


@pytest.mark.parametrize("bound", [2.5, 3.0, 7.0])
@pytest.mark.parametrize("step", [1e-2, 1e-3, 1.0 / 256.0])
@pytest.mark.parametrize("method", METHODS)
def test_slip_that_has_decayed_to_nothing_is_rest(method: Any, step: float, bound: float) -> None:
    """A mass of 2 kg stops after m v²/(2 bound)."""
    guide = nsmb.Friction(w_T=[1.0], bound=bound, name="guide")
    system = nsmb.LinearSystem([[2.0]], contacts=[guide])
    sol = nsmb.simulate(system, 1.5, u=[1.0], method=method(step))
    assert sol.q[-1, 0] == pytest.approx(1.0 / bound, abs=0.6 * step)
    assert abs(sol.u[-1, 0]) < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_friction_in_a_plane_comes_to_rest(method: Any) -> None:
    pad = nsmb.Friction(w_T=np.eye(2), bound=3.0, name="pad")
    system = nsmb.LinearSystem(2.0 * np.eye(2), contacts=[pad])
    sol = nsmb.simulate(system, 1.5, u=[0.6, -0.8], method=method(1e-2))
    assert np.abs(sol.q[-1] - np.array([0.6, -0.8]) / 3.0).max() < 6e-3
    assert np.abs(sol.u[-1]).max() < 1e-12
