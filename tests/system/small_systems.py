"""Matrices, directions and small systems shared by the tests of this folder."""

from typing import Any

import numpy as np
from hypothesis import settings
from numpy.typing import NDArray

import nsmb
from tests.support.draws import numbers

Array = NDArray[np.float64]

law = settings(max_examples=60, derandomize=True, deadline=None)
entries = numbers(-10, 10)

M = np.array([[2.0, 0.5], [0.5, 1.0]])
K = np.array([[3.0, -1.0], [-1.0, 4.0]])
D = np.array([[0.2, 0.1], [-0.1, 0.3]])  # gyroscopic part included
Q, U = np.array([0.3, -0.7]), np.array([1.1, 0.4])


def two_masses(**changes: Any) -> nsmb.LinearSystem:
    arguments: dict[str, Any] = {
        "M": M,
        "K": K,
        "D": D,
        "contacts": [
            nsmb.Contact(
                w_N=[1, 2], w_T=[0.5, -1], gap=0.1, law=nsmb.ContactLaw(0.3, 0.5, 0.2, 0.9)
            ),
            nsmb.Contact(w_N=[0, -1], name="stop", w_tilde_N=0.4, w_tilde_T=-0.6),
        ],
    }
    return nsmb.LinearSystem(**{**arguments, **changes})


def spring(k: float = 2.0, m: float = 1.0) -> nsmb.LinearSystem:
    return nsmb.LinearSystem(
        [[m]], [[k]], name="spring", parameters={"k": k, "m": m}, rebuild=spring
    )


# Pendulum of length LENGTH, φ from the downward vertical, tip at (l sin φ, -l cos φ) against a
# wall at x = 0: w_N = l cos φ, w_T = l sin φ, w̄_N = -l φ̇² sin φ, w̄_T = l φ̇² cos φ.
LENGTH = 0.8


def w_N(t: float, q: Array) -> Any:
    return [LENGTH * np.cos(q[0])]


def w_T(t: float, q: Array) -> Any:
    return [LENGTH * np.sin(q[0])]
