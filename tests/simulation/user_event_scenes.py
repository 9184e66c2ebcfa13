"""Systems and methods shared by the tests of user events."""

from __future__ import annotations

from typing import Any

import numpy as np

import nsmb
from tests.simulation.systems import oscillator

EPS = np.finfo(float).eps
RTOL = 1e-11


def method(name: str, **options: Any) -> nsmb.EventDriven:
    return nsmb.EventDriven(integrator=name, rtol=RTOL, **options)


def closeness(name: str) -> float:
    """Return the tolerance of times of zeros with slope 1.

    The closed form is exact to rounding. Over 10 s at rtol 1e-11, integrators measured 3e-11, and
    CVODE 2e-8.
    """
    return {"auto": 1e-13, "cvode": 2e-7}.get(name, 3e-10)


def ball(e_N: float = 0.5, H: float = 1.0) -> nsmb.System:
    return nsmb.systems.bouncing_ball(e_N=e_N, H=H, g=10.0)


def swing() -> nsmb.System:
    """Oscillator x = cos t, far from its stop."""
    return oscillator(100.0)
