"""Equations of motion and contacts of a case in NumPy, as a reference that does not use nsmb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass
class Rows:
    """The contacts at many times. The first axis of all arrays is time."""

    g: Array
    """Gaps, shape (m, k)."""
    W_N: Array
    """Normal directions, shape (m, n, k)."""
    W_T: Array
    """Tangential directions, shape (m, n, k, d), zero for missing tangents."""
    v_N: Array
    """Prescribed normal velocities, shape (m, k)."""
    v_T: Array
    """Prescribed tangential velocities, shape (m, k, d)."""

    def normal(self, u: Array) -> Array:
        return np.einsum("mnk,mn->mk", self.W_N, u) + self.v_N

    def tangential(self, u: Array) -> Array:
        return np.einsum("mnkd,mn->mkd", self.W_T, u) + self.v_T


@dataclass
class Laws:
    """The parameters of contact laws, shape (k,) each."""

    mu: Array
    e_N: Array
    e_T: Array
    nu: Array
    aspect: Array

    @classmethod
    def of(cls, laws: Sequence[dict[str, float]], has_tangent: Sequence[bool]) -> Laws:
        columns = {
            key: np.array([law.get(key, 0.0) for law in laws]) for key in ("mu", "e_N", "e_T", "nu")
        }
        columns["aspect"] = np.array([law.get("aspect", 1.0) for law in laws])
        columns["mu"] = columns["mu"] * np.array(has_tangent)
        return cls(**columns)


@dataclass
class Linear:
    """The system M q̈ + D q̇ + K q = f(t) with affine gaps and one or two tangential directions."""

    spec: dict[str, Any]
    laws: Laws = field(init=False)

    def __post_init__(self) -> None:
        spec = self.spec
        self.M, self.K, self.D = (np.asarray(spec[k], float) for k in "MKD")
        self.n = len(self.M)
        contacts = spec["contacts"]
        self.directions = 2 if any(np.ndim(c["w_T"]) == 2 for c in contacts) else 1
        self.W_N = np.array([c["w_N"] for c in contacts]).T.reshape(self.n, -1)
        k = self.W_N.shape[1]
        self.W_T, self.v_T = np.zeros((self.n, k, self.directions)), np.zeros((k, self.directions))
        for i, c in enumerate(contacts):
            if c["w_T"] is not None:
                self.W_T[:, i] = np.reshape(c["w_T"], (self.n, self.directions))
                self.v_T[i] = c["v_T"]
        self.gap = np.array([c["gap"] for c in contacts])
        self.v_N = np.array([c["v_N"] for c in contacts])
        self.laws = Laws.of([c["law"] for c in contacts], [c["w_T"] is not None for c in contacts])
        # Quadrature intervals span at most about a radian of the fastest motion.
        minus = np.linalg.inv(self.M)
        fastest = max(
            np.sqrt(np.abs(np.linalg.eigvals(minus @ self.K)).max()),
            np.abs(np.linalg.eigvals(minus @ self.D)).max(),
            *(omega for _, omega, _ in spec["force"]["harmonics"]),
            1.0,
        )
        self.longest = min(0.03 if self.directions == 1 else 2e-3, 1.5 / float(fastest))
        # With two tangential directions, slip rotates while the body moves.
        self.bend = 0.0 if self.directions == 1 else 50.0
        self.switch_times = [t for t, _ in spec["force"]["switches"]]

    @property
    def is_autonomous(self) -> bool:
        force = self.spec["force"]
        quiet = force["ramp"] is None and not force["harmonics"] and not force["switches"]
        return bool(quiet and not self.v_N.any() and not self.v_T.any())

    def mass(self, t: Array, q: Array) -> Array:
        return np.broadcast_to(self.M, (len(t), self.n, self.n))

    def load(self, t: Array) -> Array:
        force = self.spec["force"]
        value = np.tile(force["constant"], (len(t), 1)).astype(float)
        if force["ramp"] is not None:
            value += np.outer(t, force["ramp"])
        for amplitude, omega, phase in force["harmonics"]:
            value += np.outer(np.cos(omega * t + phase), amplitude)
        for time, step in force["switches"]:
            value += np.outer(t >= time, step)
        return value

    def forces(self, t: Array, q: Array, u: Array) -> Array:
        return np.asarray(self.load(t) - u @ self.D.T - q @ self.K.T)

    def momentum_rate(self, t: Array, q: Array, u: Array) -> Array:
        """Return the rate of M u without contacts."""
        return self.forces(t, q, u)

    def potential(self, t: Array, q: Array) -> Array:
        return np.asarray(0.5 * np.einsum("mi,ij,mj->m", q, self.K, q) - q @ self.load(t[:1])[0])

    def rows(self, t: Array, q: Array) -> Rows:
        m = len(t)
        g = q @ self.W_N + self.gap + np.outer(t, self.v_N)
        return Rows(
            g,
            np.broadcast_to(self.W_N, (m, *self.W_N.shape)),
            np.broadcast_to(self.W_T, (m, *self.W_T.shape)),
            np.broadcast_to(self.v_N, (m, *self.v_N.shape)),
            np.broadcast_to(self.v_T, (m, *self.v_T.shape)),
        )

    def damping_loss(self, sol: Any) -> float:
        """Return ∫ u·D u dt by Gauss quadrature on short intervals."""
        if not self.D.any():
            return 0.0
        from tests.campaign.smooth import GAUSS_W, inner_times, pieces

        intervals = pieces(sol, self.switch_times, self.longest)
        times = inner_times(intervals)
        u = sol.at(times.ravel()).u
        power = np.einsum("mi,ij,mj->m", u, self.D, u).reshape(times.shape)
        return float(np.sum(0.5 * np.diff(intervals, axis=1) * power * GAUSS_W))
