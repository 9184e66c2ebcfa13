"""Limit analysis of a semicircular arch of voussoirs, by linear programmes over all joint forces.

Each joint transmits compressive forces at its inner and outer edge and a shear force. Every
voussoir is in equilibrium. By the safe theorem the arch can stand if such forces exist. With
friction bounded by mu it can stand only if they exist.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Array = NDArray[np.float64]


def thrust(n: int, thickness: float, mu: float) -> tuple[float, float] | None:
    """Return the range of horizontal thrust over weight, mean radius 1, or None if unstable."""
    A, b, horizontal, friction = _equilibrium(n, thickness, mu)
    found = []
    for sign in (1.0, -1.0):
        result = linprog(
            sign * horizontal,
            A_ub=friction,
            b_ub=np.zeros(len(friction)),
            A_eq=A,
            b_eq=b,
            bounds=[(0, None), (0, None), (None, None)] * (n + 1),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if not result.success:
            return None
        found.append(sign * float(result.fun))
    return found[0], found[1]


def _equilibrium(n: int, thickness: float, mu: float) -> tuple[Array, Array, Array, Array]:
    inner, outer = 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness
    A, b = np.zeros((3 * n, 3 * (n + 1))), np.zeros(3 * n)
    angles = np.pi * np.arange(n + 1) / n  # angles of the joints, from the right springing
    corners = np.array([inner, outer])[:, None, None] * np.stack(
        [np.cos(angles), np.sin(angles)], -1
    )
    total = 0.0
    for i in range(n):
        polygon = np.array([corners[0, i], corners[1, i], corners[1, i + 1], corners[0, i + 1]])
        weight, x = _area_and_center(polygon)
        total += weight
        # The lower part pushes the voussoir upwards along the arch in joint i. The next voussoir
        # pushes it in joint i + 1.
        for joint, side in ((i, 1.0), (i + 1, -1.0)):
            along = side * np.array([-np.sin(angles[joint]), np.cos(angles[joint])])
            across = side * np.array([np.cos(angles[joint]), np.sin(angles[joint])])
            for k, direction in enumerate((along, along, across)):
                point = corners[min(k, 1), joint]
                column = 3 * joint + k
                A[3 * i : 3 * i + 2, column] += direction
                A[3 * i + 2, column] += point[0] * direction[1] - point[1] * direction[0]
        b[3 * i + 1] = weight
        b[3 * i + 2] = x * weight
    horizontal = np.zeros(3 * (n + 1))
    horizontal[2] = -1.0  # at the right springing the ground pushes inwards
    friction = np.zeros((2 * (n + 1), 3 * (n + 1)))
    for joint in range(n + 1):
        for row, sign in ((2 * joint, 1.0), (2 * joint + 1, -1.0)):
            friction[row, 3 * joint : 3 * joint + 3] = (-mu, -mu, sign)
    return A, b / total, horizontal, friction


def _area_and_center(polygon: Array) -> tuple[float, float]:
    """Return the area in m² and the centroid's x."""
    x, y = polygon.T
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    area = 0.5 * cross.sum()
    return float(area), float(((x + np.roll(x, -1)) * cross).sum() / (6.0 * area))
