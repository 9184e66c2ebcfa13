"""Equations of motion at the samples of one period, and their derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import system as _system
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.system.base import System

__all__ = ["Forces", "Motion", "Sampled", "SampledEquations"]

Vector = NDArray[np.float64]
_DIFFERENCE = 6e-6  # of the size of a variable: cube root of the rounding


@dataclass(frozen=True, eq=False)
class Motion:
    """Samples over a period, one in each row."""

    t: Vector
    q: Vector
    u: Vector
    a: Vector
    x: Vector


@dataclass(frozen=True, eq=False)
class Forces:
    """Of force elements, contacts and bilateral constraints, likewise."""

    zeta: Vector
    lambda_N: Vector
    lambda_T: Vector
    lambda_B: Vector


@dataclass(frozen=True, eq=False)
class Sampled:
    """Values (N, m) and their derivatives (N, m, nq + nu + nx) at fixed accelerations and forces.

    ``rows`` says where what is: ``motion`` is M u̇ - h - w ζ - W λ, ``states`` ẋ, ``gamma`` and
    ``gamma_dot`` of the force elements, ``g_N, gamma_T, bound`` of the contacts, ``g_B`` of the
    constraints. `M` (N, n, n), `w` (N, n, ne) and W (N, n, ...) are those of the samples.
    """

    values: Vector
    derivatives: Vector
    rows: dict[str, slice]
    M: Vector
    w: Vector
    W_N: Vector
    W_T: Vector
    W_B: Vector


class SampledEquations:
    """Evaluates a system sample by sample."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.own = system._core.nx_own
        self.n = system.nu
        self.elements = system._core.elements
        relaxing = _system.ElementLaw.RelaxingWall
        self.walled = [i for i, e in enumerate(self.elements) if e.law == relaxing]
        ne, nb = len(self.elements), system.nb
        sizes = {
            "motion": self.n, "states": self.own, "gamma": ne, "gamma_dot": ne,
            "g_N": system.nc, "gamma_T": system.nt, "bound": system.nc, "g_B": nb,
        }  # fmt: skip
        ends = np.cumsum([0, *sizes.values()])
        self.rows = {
            name: slice(int(a), int(b)) for name, a, b in zip(sizes, ends, ends[1:], strict=False)
        }
        self.size = int(ends[-1])
        self._is_affine = isinstance(system._core, _system.LinearSystem)
        self._loads = (ne, system.nc, system.nt, nb)
        self._at_rest: tuple[Vector, Vector, tuple[Vector, ...]] | None = None

    def evaluate(self, motion: Motion, forces: Forces, *, derivatives: bool = True) -> Sampled:
        """All values and derivatives, zeros where they are not asked for; raises `Unreachable`
        where something is not finite."""
        sampled = (
            self._affine(motion, forces)
            if self._is_affine
            else self._general(motion, forces, derivatives)
        )
        finite = np.isfinite(sampled.values).all(axis=1)
        if not finite.all():
            where = motion.t[int(np.flatnonzero(~finite)[0])]
            raise Unreachable("no_convergence", f"the equations are not finite at t = {where:.6g}")
        return sampled

    def distances(self, motion: Motion) -> tuple[Vector, Vector]:
        """(N, ne) γ and γ̇ of the force elements."""
        if self._is_affine:
            none = Forces(*(np.zeros((motion.t.size, k)) for k in self._loads))
            values = self._affine(motion, none).values
            return values[:, self.rows["gamma"]], values[:, self.rows["gamma_dot"]]
        gamma, rate = [], []
        for t, q, u in zip(motion.t.tolist(), motion.q, motion.u, strict=True):
            k = self.system.element_kinematics(t, q)
            gamma.append(k["gamma"])
            rate.append(k["W"].T @ u + k["w_tilde"])
        return np.array(gamma), np.array(rate)

    def _general(self, motion: Motion, forces: Forces, asked: bool) -> Sampled:
        parts = [self._point(motion, forces, k) for k in range(motion.t.size)]
        values = np.array([part[0] for part in parts])
        matrices = [np.array([part[i] for part in parts]) for i in range(1, 6)]
        y = np.concatenate([motion.q, motion.u, motion.x], axis=1)
        scale = np.abs(y).max(axis=0, initial=0.0)
        whole = scale[: 2 * self.n].max(initial=0.0)
        h = _DIFFERENCE * np.where(scale > 0.0, scale, whole if whole > 0.0 else 1.0)
        derivatives = np.zeros((motion.t.size, self.size, y.shape[1]))
        for k in range(motion.t.size if asked else 0):
            for j in range(y.shape[1]):
                ahead, behind = (self._moved(motion, forces, k, j, s * h[j]) for s in (1.0, -1.0))
                derivatives[k, :, j] = (ahead - behind) / (2.0 * h[j])
        return Sampled(values, derivatives, self.rows, *matrices)

    def _affine(self, motion: Motion, forces: Forces) -> Sampled:
        """With constant matrices and directions: one look at each sample, at rest."""
        n, count = self.n, motion.t.size
        if self._at_rest is None:
            y, none = np.zeros(2 * n + self.own), Forces(*(np.zeros((1, k)) for k in self._loads))
            rest = [
                self._values(t, y[:n], y[:n], y[2 * n :], y[:n], none, 0) for t in motion.t.tolist()
            ]
            still = Motion(motion.t[:1], *(np.zeros((1, k)) for k in (n, n, n, self.own)))
            columns = [self._moved(still, none, 0, j, 1.0) - rest[0][0] for j in range(y.size)]
            self._at_rest = np.array([r[0] for r in rest]), np.array(columns).T, rest[0][1:]
        base, slope, (M, w, W_N, W_T, W_B) = self._at_rest
        values = base + np.concatenate([motion.q, motion.u, motion.x], axis=1) @ slope.T
        values[:, self.rows["motion"]] += (
            motion.a @ M.T
            - forces.zeta @ w.T
            - forces.lambda_N @ W_N.T
            - forces.lambda_T @ W_T.T
            - forces.lambda_B @ W_B.T
        )

        def every(matrix: Vector) -> Vector:
            return np.broadcast_to(matrix, (count, *matrix.shape))

        return Sampled(
            values, every(slope), self.rows, every(M), every(w), every(W_N), every(W_T), every(W_B)
        )

    def _moved(self, motion: Motion, forces: Forces, k: int, j: int, h: float) -> Vector:
        y = np.concatenate([motion.q[k], motion.u[k], motion.x[k]])
        y[j] += h
        n = self.n
        return self._values(motion.t[k], y[:n], y[n : 2 * n], y[2 * n :], motion.a[k], forces, k)[0]

    def _point(self, motion: Motion, forces: Forces, k: int) -> tuple[Vector, ...]:
        return self._values(
            motion.t[k], motion.q[k], motion.u[k], motion.x[k], motion.a[k], forces, k
        )

    def _values(
        self, t: float, q: Vector, u: Vector, x: Vector, a: Vector, forces: Forces, k: int
    ) -> tuple[Vector, ...]:
        system, out = self.system, np.empty(self.size)
        rows, n = self.rows, self.n
        M = system.mass_matrix(t, q)
        full = np.zeros(system.nx)
        full[: self.own] = x
        motion = M @ a - system.forces(t, q, u, full)
        w, W_N, W_T, W_B = np.zeros((n, 0)), np.zeros((n, 0)), np.zeros((n, 0)), np.zeros((n, 0))
        if self.own:
            out[rows["states"]] = system.state_rates(t, q, u, full)
        if self.elements:
            e = system.element_kinematics(t, q)
            w = e["W"]
            out[rows["gamma"]] = e["gamma"]
            out[rows["gamma_dot"]] = w.T @ u + e["w_tilde"]
            motion = motion - w @ forces.zeta[k]
        if system.nc:
            c = system.contact_kinematics(t, q, u)
            W_N, W_T = c["W_N"], c["W_T"]
            out[rows["g_N"]], out[rows["bound"]] = c["g_N"], c["bound"]
            out[rows["gamma_T"]] = W_T.T @ u + c["w_tilde_T"]
            motion = motion - W_N @ forces.lambda_N[k] - W_T @ forces.lambda_T[k]
        if system.nb:
            b = system.constraint_kinematics(t, q, u)
            W_B = b["W"]
            out[rows["g_B"]] = b["g"]
            motion = motion - W_B @ forces.lambda_B[k]
        out[rows["motion"]] = motion
        return out, M, w, W_N, W_T, W_B
