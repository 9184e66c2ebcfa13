"""Runs of the landing airplane, and helpers of its tests."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.systems import landing_gear
from tests.systems.examples import Array

LOWER_2, UPPER_2, LOWER_3, UPPER_3, GUIDE_2, GUIDE_3 = range(6)
OPEN, STICK = int(nsmb.ContactState.OPEN), int(nsmb.ContactState.STICK)
X, Y, ALPHA, Y_22, Y_23, PHI_2, PHI_3 = range(7)
Q_1, Q_2, Q_3 = slice(7, 12), slice(12, 14), slice(14, 16)
both = pytest.mark.parametrize("elastic", [0, 1])


@functools.cache
def landed(elastic: int = 0, **changes: float) -> nsmb.Solution:
    """Return the usual run."""
    system = landing_gear(elastic=elastic, **changes)
    return nsmb.simulate(system, system.recommended.t_end)


def forces(sol: nsmb.Solution) -> dict[str, Any]:
    return landing_gear.forces(sol)


def data(sol: nsmb.Solution) -> dict[str, float]:
    assert sol.system is not None
    return dict(sol.system.parameters)


def gauss(t: Array, points: int = 6) -> tuple[Array, Array]:
    """Return times and weights of Gauss quadrature between all these times."""
    knots = np.unique(t)
    nodes, weights = np.polynomial.legendre.leggauss(points)
    half = 0.5 * np.diff(knots)
    times = (knots[:-1] + half)[:, None] + half[:, None] * nodes
    return times.ravel(), (weights * half[:, None]).ravel()


def air(p: dict[str, float], q: Array, u: Array) -> tuple[Array, Array, Array, Array]:
    """Return A, W, M_A and F_S, (14.61)-(14.63)."""
    alpha, v = q[..., ALPHA], u[..., X]
    pressure = 0.5 * p["rho"] * v**2 * p["F_B"]
    c_A = p["c_A_alpha"] * (alpha - p["alpha_0"])
    c_W = p["a_0"] + p["a_1"] * alpha + p["a_2"] * alpha**2
    c_M = p["c_M0"] + p["c_M_A"] * c_A + p["c_M_q"] * p["l_mu"] * u[..., ALPHA] / v
    return pressure * c_A, pressure * c_W, pressure * c_M * p["l_mu"], p["F_S0"] - p["k"] * v
