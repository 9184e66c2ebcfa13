"""Equations of motion at the samples of one period, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import system as _system
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.system.base import System

__all__ = ["Forces", "Motion", "Sampled", "SampledEquations"]

Vector = NDArray[np.float64]
_DIFFERENCE = 6e-6  # relative step of differences, the cube root of the rounding error


@dataclass(frozen=True, eq=False)
class Motion:
    """Samples of a motion over a period, one in each row."""

    t: Vector
    q: Vector
    u: Vector
    a: Vector
    x: Vector


@dataclass(frozen=True, eq=False)
class Forces:
    """Forces of force elements, contacts and bilateral constraints, one sample in each row."""

    zeta: Vector
    lambda_N: Vector
    lambda_T: Vector
    lambda_B: Vector


@dataclass(frozen=True, eq=False)
class Sampled:
    """Values (N, m) and their derivatives (N, m, nq + nu + nx) at fixed accelerations and forces.

    ``rows`` locates the values: ``motion`` is M u̇ - h - w ζ - W λ, ``states`` is ẋ, ``gamma`` and
    ``gamma_dot`` belong to the force elements, ``g_N, gamma_T, bound`` to the contacts, and ``g_B``
    to the constraints. `M` (N, n, n), `w` (N, n, ne) and W (N, n, ...) are evaluated at the
    samples.
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
    """Evaluation of a system sample by sample."""

    def __init__(self, system: System) -> None:
        self.system, self._core = system, system._core
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
        """Return all values and derivatives; derivatives are zero unless requested.

        Raise `Unreachable` if a value is not finite.
        """
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
        """Return γ and γ̇ of the force elements, shape (N, ne)."""
        if self._is_affine:
            none = Forces(*(np.zeros((motion.t.size, k)) for k in self._loads))
            values = self._affine(motion, none).values
            return values[:, self.rows["gamma"]], values[:, self.rows["gamma_dot"]]
        gamma, rate = [], []
        for t, q, u in zip(motion.t.tolist(), motion.q, motion.u, strict=True):
            k = self._core.element_kinematics(t, q)
            gamma.append(k["gamma"])
            rate.append(k["W"].T @ u + k["w_tilde"])
        return np.array(gamma), np.array(rate)

    # ---- any system --------------------------------------------------------------------------

    def _general(self, motion: Motion, forces: Forces, asked: bool) -> Sampled:
        parts = [
            self._values(t, y, motion.a[k], forces, k)
            for k, (t, y) in enumerate(zip(motion.t.tolist(), _states(motion), strict=True))
        ]
        values = np.array([part[0] for part in parts])
        matrices = [np.array([part[i] for part in parts]) for i in range(1, 6)]
        if not asked:
            derivatives = np.zeros((*values.shape, 2 * self.n + self.own))
        elif self._core.has_jacobians:
            derivatives = self._exact(motion, forces, *matrices[2:])
        else:

            def of(k: int, t: float, y: Vector) -> Vector:
                return self._values(t, y, motion.a[k], forces, k)[0]

            derivatives = self._differences(motion, of)
        return Sampled(values, derivatives, self.rows, *matrices)

    def _exact(
        self, motion: Motion, forces: Forces, W_N: Vector, W_T: Vector, W_B: Vector
    ) -> Vector:
        """Return derivatives from the Jacobians of the system.

        The system has no separate derivatives of slip and friction bounds. They use differences.
        """
        n, ne = self.n, len(self.elements)
        out = np.zeros((motion.t.size, self.size, 2 * n + self.own))
        for k, t in enumerate(motion.t.tolist()):
            J = self._core.jacobians(
                t, motion.q[k], motion.u[k], motion.x[k], motion.a[k], forces.lambda_N[k],
                forces.lambda_T[k], forces.zeta[k], forces.lambda_B[k],
            )  # fmt: skip
            out[k, self.rows["motion"]], out[k, self.rows["states"]] = J["residual"], J["xdot"]
            out[k, self.rows["gamma"]] = J["element"][:ne]
            out[k, self.rows["gamma_dot"]] = J["element"][ne:]
        # Because q̇ = u, directions are derivatives of distances.
        out[:, self.rows["g_N"], :n] = W_N.swapaxes(1, 2)
        out[:, self.rows["g_B"], :n] = W_B.swapaxes(1, 2)
        if self.system.nt:
            slip = self._differences(motion, lambda k, t, y: self._slip(t, y))
            out[:, self.rows["gamma_T"]] = slip[:, : self.system.nt]
            out[:, self.rows["gamma_T"], n : 2 * n] = W_T.swapaxes(1, 2)
            out[:, self.rows["bound"]] = slip[:, self.system.nt :]
        return out

    def _differences(self, motion: Motion, of: Callable[[int, float, Vector], Vector]) -> Vector:
        """Return derivatives of a function of sample, time and y, by central differences."""
        y = _states(motion)
        scale = np.abs(y).max(axis=0, initial=0.0)
        whole = scale[: 2 * self.n].max(initial=0.0)
        h = _DIFFERENCE * np.where(scale > 0.0, scale, whole if whole > 0.0 else 1.0)
        steps = np.diag(h)
        return np.array(
            [
                np.column_stack(
                    [(of(k, t, at + d) - of(k, t, at - d)) / (2.0 * d.max()) for d in steps]
                )
                for k, (t, at) in enumerate(zip(motion.t.tolist(), y, strict=True))
            ]
        )

    def _contacts(self, t: float, y: Vector) -> dict[str, Vector]:
        """Return the kinematics, with bounds of friction at these internal states."""
        q, u, x = np.split(y, (self.n, 2 * self.n))
        states = x if self._core.has_state_bounds else None
        return self._core.contact_kinematics(t, q, u, None, states)

    def _slip(self, t: float, y: Vector) -> Vector:
        """Return γ_T and the bounds of friction."""
        c = self._contacts(t, y)
        gamma_T = c["W_T"].T @ y[self.n : 2 * self.n] + c["w_tilde_T"]
        return np.concatenate([gamma_T, c["bound"]])

    def _values(self, t: float, y: Vector, a: Vector, forces: Forces, k: int) -> tuple[Vector, ...]:
        core, out = self._core, np.empty(self.size)
        rows, n = self.rows, self.n
        q, u, x = np.split(y, (n, 2 * n))
        M = core.mass_matrix(t, q)
        motion = M @ a - core.forces(t, q, u, x)
        w, W_N, W_T, W_B = np.zeros((n, 0)), np.zeros((n, 0)), np.zeros((n, 0)), np.zeros((n, 0))
        if self.own:
            out[rows["states"]] = core.state_rates(t, q, u, x)
        if self.elements:
            e = core.element_kinematics(t, q)
            w = e["W"]
            out[rows["gamma"]] = e["gamma"]
            out[rows["gamma_dot"]] = w.T @ u + e["w_tilde"]
            motion = motion - w @ forces.zeta[k]
        if self.system.nc:
            c = self._contacts(t, y)
            W_N, W_T = c["W_N"], c["W_T"]
            out[rows["g_N"]], out[rows["bound"]] = c["g_N"], c["bound"]
            out[rows["gamma_T"]] = W_T.T @ u + c["w_tilde_T"]
            motion = motion - W_N @ forces.lambda_N[k] - W_T @ forces.lambda_T[k]
        if self.system.nb:
            b = core.constraint_kinematics(t, q, u)
            W_B = b["W"]
            out[rows["g_B"]] = b["g"]
            motion = motion - W_B @ forces.lambda_B[k]
        out[rows["motion"]] = motion
        return out, M, w, W_N, W_T, W_B

    # ---- constant matrices and directions ----------------------------------------------------

    def _affine(self, motion: Motion, forces: Forces) -> Sampled:
        """Return values and constant derivatives, from evaluations at rest."""
        if self._at_rest is None:
            self._at_rest = self._look_at_rest(motion.t)
        base, slope, (M, w, W_N, W_T, W_B) = self._at_rest
        values = base + _states(motion) @ slope.T
        values[:, self.rows["motion"]] += (
            motion.a @ M.T
            - forces.zeta @ w.T
            - forces.lambda_N @ W_N.T
            - forces.lambda_T @ W_T.T
            - forces.lambda_B @ W_B.T
        )

        def every(matrix: Vector) -> Vector:
            return np.broadcast_to(matrix, (motion.t.size, *matrix.shape))

        return Sampled(
            values, every(slope), self.rows, every(M), every(w), every(W_N), every(W_T), every(W_B)
        )

    def _look_at_rest(self, t: Vector) -> tuple[Vector, Vector, tuple[Vector, ...]]:
        """Return values over time, their derivatives, M and the directions.

        Positions are affine in time. Forces and state rates need not be affine.
        """
        none, y = Forces(*(np.zeros((1, k)) for k in self._loads)), np.zeros(2 * self.n + self.own)

        def at(t: float, y: Vector) -> tuple[Vector, ...]:
            return self._values(t, y, np.zeros(self.n), none, 0)

        times: list[float] = t.tolist()
        first, *matrices = at(times[0], y)
        slope = np.column_stack([at(times[0], y + e)[0] - first for e in np.eye(y.size)])
        share = (t - t[0]) / (t[-1] - t[0])
        base = first + share[:, None] * (at(times[-1], y)[0] - first)
        q, x = y[: self.n], y[2 * self.n :]
        base[:, self.rows["motion"]] = [-self._core.forces(s, q, q, x) for s in times]
        if self.own:
            base[:, self.rows["states"]] = [self._core.state_rates(s, q, q, x) for s in times]
        return base, slope, tuple(matrices)


def _states(motion: Motion) -> Vector:
    """Return the states y at the samples, shape (N, nq + nu + nx)."""
    return np.concatenate([motion.q, motion.u, motion.x], axis=1)
