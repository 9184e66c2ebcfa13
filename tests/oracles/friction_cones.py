"""Contact laws with Coulomb, rolling and drilling friction, checked row by row in NumPy.

The laws are written as inclusions, without projections onto cones. Every number is the violation of
one condition in its own units.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass
class Contacts:
    """Contacts in order, each with a normal row followed by sets of impulses."""

    sets: list[list[tuple[int, float]]] = field(default_factory=list)
    """Pairs (rows, mu) of the sets of each contact."""


def coulomb(count: int, mu: float, tangents: int = 2) -> Contacts:
    return Contacts([[(tangents, mu)] for _ in range(count)])


def rolling(count: int, mu: float, mu_R: float, mu_D: float | None = None) -> Contacts:
    extra = [] if mu_D is None else [(1, mu_D)]
    return Contacts([[(2, mu), (2, mu_R), *extra] for _ in range(count)])


def violations(contacts: Contacts, x: Array, y: Array) -> dict[str, float]:
    """Return the largest violation of each condition, all of which vanish only at a solution.

    Violations are impulses outside their sets, normal rows that are negative or not complementary,
    and power below the maximum dissipation of a set.
    """
    worst = {"negative": 0.0, "together": 0.0, "outside": 0.0, "power": 0.0}
    row = 0
    for sets in contacts.sets:
        x_N, y_N = x[row], y[row]
        worst["negative"] = max(worst["negative"], -x_N, -y_N)
        worst["together"] = max(worst["together"], abs(x_N * y_N))
        row += 1
        for size, mu in sets:
            force, slip = x[row : row + size], y[row : row + size]
            radius = mu * max(x_N, 0.0)
            worst["outside"] = max(worst["outside"], float(np.linalg.norm(force)) - radius)
            power = force @ slip + radius * float(np.linalg.norm(slip))
            worst["power"] = max(worst["power"], abs(float(power)))
            row += size
    assert row == x.size == y.size
    return worst


def natural_map(contacts: Contacts, x: Array, y: Array, s: float = 1.0) -> float:
    """Return ‖s x - proj_K(s x - F)‖₂ with De Saxcé's F, with the projection by search over x_N."""
    total = 0.0
    row = 0
    for sets in contacts.sets:
        size = 1 + sum(k for k, _ in sets)
        here = slice(row, row + size)
        shifted = y[here].copy()
        at = 1
        for k, mu in sets:
            shifted[0] += mu * float(np.linalg.norm(y[row + at : row + at + k]))
            at += k
        target = s * x[here] - shifted
        total += float(np.sum((s * x[here] - _nearest(sets, target)) ** 2))
        row += size
    return float(np.sqrt(total))


def _nearest(sets: list[tuple[int, float]], z: Array) -> Array:
    """Return the nearest point, by bisection of the derivative with respect to the normal entry."""
    parts = []
    at = 1
    for k, mu in sets:
        parts.append((z[at : at + k], mu))
        at += k

    def slope(n: float) -> float:
        excess = sum(mu * max(float(np.linalg.norm(t)) - mu * n, 0.0) for t, mu in parts)
        return n - float(z[0]) - excess

    low, high = 0.0, abs(float(z[0])) + sum(mu * float(np.linalg.norm(t)) for t, mu in parts)
    if slope(0.0) >= 0.0:
        high = 0.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if slope(middle) > 0.0:
            high = middle
        else:
            low = middle
    n = 0.5 * (low + high)
    point = [np.array([n])]
    for t, mu in parts:
        length = float(np.linalg.norm(t))
        point.append(t * min(1.0, mu * n / length) if length > 0.0 else t)
    return np.concatenate(point)
