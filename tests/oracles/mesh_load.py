"""Statically loaded spur gears by influence coefficients.

The results are the pairs of teeth that share the load, and the transmission error.

Flanks are points on the line of action by lengths of threads (`involute_gears.py`). A unit force on
pair j moves the flanks of pair i by C_ij towards each other. Contributions are the layer between
the flanks and the springs of both teeth, found by a cut through each tooth. In

    C F = e - g + w,   F >= 0,   w >= 0,   F w = 0,   sum F = P

g is the profile relief and e the approach of the gears. The system is solved for each choice of
loaded pairs. The choice without tension and without overlap is the solution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tests.oracles.involute_gears import Gear, Mesh

Array = NDArray[np.float64]


def share(C: Array, g: Array, P: float) -> tuple[float, Array]:
    """Return the approach e and the forces F, by trying all sets of loaded pairs."""
    n = len(g)
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            on = list(chosen)
            A = np.zeros((size + 1, size + 1))
            A[:size, :size] = C[np.ix_(on, on)]
            A[:size, size] = -1.0
            A[size, :size] = 1.0
            found = np.linalg.solve(A, np.append(-g[on], P))
            F = np.zeros(n)
            F[on] = found[:size]
            w = C @ F + g - found[size]
            if F.min() >= 0.0 and w.min() >= -1e-12 * abs(found[size]):
                return float(found[size]), F
    raise ValueError("no set of pairs bears the load")


@dataclass(frozen=True)
class LoadedMesh:
    mesh: Mesh
    K: float
    """Stiffness of the layer between flanks at the middle of the path in N/m."""
    ratio: float
    """Ratio of the stiffness at the ends to that in the middle, with a parabola in between."""
    tooth: float = math.inf
    """Stiffness between each tooth and its gear along the root circle in N/m."""
    relief: tuple[float, float] = (0.0, 1.0)
    """Relief at both tips in m, and its length along the path."""

    def pairs(self, phi_1: float) -> Array:
        """Return the positions where flanks of gear 1 meet their partners, in m from base circle 1.

        Left flanks leave the base circle at -α_w as seen from axis 1. Tooth 0 is at polar angle
        phi_1.
        """
        m = self.mesh
        thread = m.first.r_b * (m.alpha_w + phi_1 + m.first.half)
        begin, end = m.path
        k = np.arange(math.ceil((begin - thread) / m.pitch), (end - thread) // m.pitch + 1)
        return np.asarray(thread + k * m.pitch)

    def influence(self, s: Array) -> Array:
        """Return the influence coefficients of pairs at `s`, shape (n, n), in m/N."""
        begin, end = self.mesh.path
        away = (2.0 * s - begin - end) / (end - begin)
        layer = np.diag(1.0 / (self.K * (1.0 - (1.0 - self.ratio) * away**2)))
        return np.asarray(layer + sum(self._teeth(gear, len(s)) for gear in self.mesh[:2]))

    def _teeth(self, gear: Gear, n: int) -> Array:
        """Return the rotations of teeth as displacements along the line of action, shape (n, n)."""
        if math.isinf(self.tooth):
            return np.zeros((n, n))
        r_d = 0.5 * gear.m * gear.z - (gear.h_f - gear.x) * gear.m
        moments = gear.r_b * np.eye(n)  # of unit forces on the teeth
        turns = np.linalg.solve(self.tooth * r_d**2 * np.eye(n), moments)
        return np.asarray(gear.r_b * turns)

    def gaps(self, s: Array) -> Array:
        begin, end = self.mesh.path
        amount, length = self.relief
        near = np.minimum(s - begin, end - s)
        return np.asarray(amount * np.maximum(0.0, 1.0 - near / length))

    def rest(self, phi_1: float, P: float) -> tuple[float, Array, Array]:
        """Return the transmission error in m, and the positions and forces of pairs."""
        s = self.pairs(phi_1)
        e, F = share(self.influence(s), self.gaps(s), P)
        return e, s, F
