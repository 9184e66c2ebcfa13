"""The equations of steady motion: no accelerations, and a system that stays unchanged."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.equilibria.rest import Rest
from nsmb.events.enums import ContactState

__all__ = ["SteadyEquations"]

Vector = NDArray[np.float64]

_STEP = 6e-6  # of central differences, the cube root of the rounding error
_SAMPLES = 2  # positions in addition to the start
_FAR = 1e-2  # distance of these samples from the start
_AHEAD = 0.1  # s, largest time of the samples after the start
_WAYS = (1e-3, 1e-2, 0.1, 1.0, 10.0)  # distances along which directions are straightened
_CLOSE = 1e-5  # residual allowed for a direction of an invariant system, relative to the distance
_NOTHING = 1e-8  # relative to the size of a block, per unit; smaller slopes are rounding
_LEAST = 1e-6  # added to unknowns, which may be zero
_SMALL = 1e-6  # singular values of scaled slopes that differences cannot tell from zero


class _Surroundings:
    """Quantities that determine the motion near several positions, scaled by (q, t) slopes."""

    def __init__(
        self,
        everything: Callable[[float, Vector, Vector, Vector], list[Vector]],
        places: Sequence[tuple[float, Vector, Vector, Vector]],
    ) -> None:
        self.everything, self.places = everything, places
        self.units: list[list[Vector]] = []
        """Units by position and block; infinite where nothing depends on (q, t)."""
        rows = []
        for place in places:
            units = []
            blocks = zip(everything(*place), self._slopes(*place), strict=True)
            for block, slope in blocks:
                size = np.abs(slope).max(axis=1, initial=0.0)
                least = _NOTHING * max(float(np.abs(block).max(initial=0.0)), 1e-300)
                units.append(np.where(size > least, size, np.inf))
                rows.append(slope / units[-1][:, None])
            self.units.append(units)
        self.slopes = np.vstack(rows)
        self.here = self._at(np.zeros(self.slopes.shape[1]))

    def _slopes(self, t: float, q: Vector, u: Vector, x: Vector) -> list[Vector]:
        """Return the derivatives of each block by (q, t), shape (n, nq + 1)."""
        columns = []
        for i in range(q.size):
            step = np.zeros(q.size)
            step[i] = _STEP * max(1.0, abs(float(q[i])))
            width = float((q + step)[i] - (q - step)[i])
            after = self.everything(t, q + step, u, x)
            before = self.everything(t, q - step, u, x)
            columns.append([(a - b) / width for a, b in zip(after, before, strict=True)])
        # Use times after the start only, because the start may be at a switch.
        dt = _STEP * max(1.0, abs(t))
        now, one, two = (self.everything(t + k * dt, q, u, x) for k in range(3))
        columns.append(
            [(4.0 * b - c - 3.0 * a) / (2.0 * dt) for a, b, c in zip(now, one, two, strict=True)]
        )
        return [np.column_stack(block) for block in zip(*columns, strict=True)]

    def _at(self, shift: Vector) -> Vector:
        """Return all blocks at positions shifted in (q, t)."""
        found = []
        for (t, q, u, x), units in zip(self.places, self.units, strict=True):
            blocks = self.everything(t + float(shift[-1]), q + shift[:-1], u, x)
            found += [block / unit for block, unit in zip(blocks, units, strict=True)]
        return np.concatenate(found)

    def straightened(self, row: Vector) -> Vector:
        """Return a direction without difference errors, such that nothing changes far along it."""
        inverse = np.linalg.pinv(self.slopes[:, :-1], rcond=_SMALL)
        for far in _WAYS:
            missed = self._at(far * row) - self.here
            nearer = row - np.append(inverse @ missed / far, 0.0)
            left = self._at(far * nearer) - self.here
            if not np.abs(left).max() < min(np.abs(missed).max(), _CLOSE * far):
                break  # as straight as rounding allows, or the system does change there
            row = nearer
        return row


class SteadyEquations:
    """The equations ``h + W λ = 0, ẋ = 0`` at velocities that leave the system unchanged.

    Unknowns z are q, u, the system's own x, forces in units of `Rest.force_scale`, and parameters.

    Parameters
    ----------
    rest : Rest
        Contact states and active force elements, at the start.
    u_0 : (nu,) ndarray
    speeds : mapping of int to float
        Prescribed velocities by index.
    free : tuple of str
        Names of the parameters among the unknowns.
    """

    def __init__(
        self, rest: Rest, u_0: Vector, speeds: Mapping[int, float], free: tuple[str, ...]
    ) -> None:
        self.rest, self.free = rest, free
        self.speeds = dict(speeds)
        system = rest.system
        self.nq, self.nu, self.own = system.nq, system.nu, rest.own
        u = u_0.copy()
        for i, value in self.speeds.items():
            u[i] = value
        self.changing, self.open_places = self._directions(u)
        values = [float(system.parameters[name]) for name in free]
        # Units of the parameters, for meaningful differences.
        self.units = np.array([abs(value) if value else 1.0 for value in values])
        self._known: tuple[bytes, Rest] = (np.array(values).tobytes(), rest)
        forces = rest.start(rest.q_0, rest.x_0)[self.nq + self.own :]
        own = rest.x_0[: self.own]
        self.start = np.concatenate([rest.q_0, u, own, forces, np.array(values) / self.units])
        self.size = self.residual(self.start).size
        self._terms = self._sizes(self.start) + np.abs(self.residual(self.start))

    # ---- unknowns ----------------------------------------------------------------------------

    def split(self, z: Vector) -> tuple[Vector, Vector, Vector, Vector, Vector]:
        """Return q, u, x with all walls, forces along `Rest.span`, and parameters."""
        ends = np.cumsum([self.nq, self.nu, self.own, self.rest.span.shape[1]])
        q, u, own, forces, values = np.split(z, ends)
        x = self.rest.x_0.copy()
        x[: self.own] = own
        return q, u, x, self.rest.span @ forces * self.rest.force_scale, values * self.units

    def rest_at(self, values: Vector) -> Rest:
        """Return contact states and equations at these values of the free parameters."""
        key = values.tobytes()
        if self._known[0] != key:
            first = self.rest
            changes = dict(zip(self.free, values.tolist(), strict=True))
            system = first.system.with_parameters(**changes)
            rest = Rest(system, first.t, first.q_0, first.x_0, first.states, first.acting)
            rest.span, rest.force_scale = first.span, first.force_scale  # keeps the unknowns
            self._known = key, rest
        return self._known[1]

    # ---- invariants of steady motion -------------------------------------------------------------

    def _directions(self, u: Vector) -> tuple[Vector, Vector]:
        """Return rows C with C (q̇, 1) = 0 for steady motion, and neutral directions of q."""
        rng = np.random.default_rng(5)
        size = max(1.0, float(np.abs(u).max(initial=0.0)))
        t, q_0, x_0 = self.rest.t, self.rest.q_0, self.rest.x_0
        ahead = min(self.rest.system.next_discontinuity(t) - t, _AHEAD)
        places = [(t, q_0, u, x_0)]
        for _ in range(_SAMPLES):
            q, v, x = (_FAR * rng.uniform(-1.0, 1.0, y.size) for y in (q_0, u, x_0))
            places.append((t + rng.uniform(0.2, 0.8) * ahead, q_0 + q, u + size * v, x_0 + x))
        around = _Surroundings(self._everything, places)
        _, sizes, Vt = np.linalg.svd(np.vstack([np.zeros((1, self.nq + 1)), around.slopes]))
        kept = Vt[int((sizes > _SMALL).sum()) :]  # directions of (q, t) along which nothing changes
        if not np.abs(kept[:, self.nq]).max(initial=0.0) > _SMALL:
            raise ValueError(
                f"system: must be unchanged along some motion, got {self.rest.system.name!r}, "
                "which depends on time. Use periodic_orbit."
            )
        # One direction advances in time, the others lie in q alone.
        _, _, turned = np.linalg.svd(kept[:, self.nq :].T)
        kept = turned @ kept
        kept[1:, self.nq] = 0.0
        kept[0] /= kept[0, self.nq]
        kept = np.array([around.straightened(row) for row in kept])
        _, _, Vt = np.linalg.svd(kept)
        _, _, Nt = np.linalg.svd(np.vstack([kept[1:, : self.nq], np.zeros((1, self.nq))]))
        return Vt[len(kept) :], Nt[: len(kept) - 1]

    def _everything(self, t: float, q: Vector, u: Vector, x: Vector) -> list[Vector]:
        """Return forces, inertia, directions, rates and gaps, block by block."""
        rest = copy.copy(self.rest)
        rest.t = t
        here = rest.forces(q, u, x)
        return [
            here.h + here.h_slip,
            rest.system.mass_matrix(t, q).ravel(),
            here.W.ravel(),
            here.xdot,
            here.gaps,
        ]

    # ---- equations ---------------------------------------------------------------------------

    def residual(self, z: Vector) -> Vector:
        """Return the residual, with forces in units of the force scale, and other rows unscaled."""
        q, u, x, forces, values = self.split(z)
        rest = self.rest_at(values)
        here = rest.forces(q, u, x)
        balance = (here.h + here.h_slip + here.W @ forces) / rest.force_scale
        qdot = rest.system._core.coordinate_rates(rest.t, q, u)
        return np.concatenate(
            [
                balance,
                here.xdot,
                self.changing @ np.append(qdot, 1.0),
                here.gaps,
                self._contact_speeds(rest, q, u),
                self.open_places @ (q - rest.q_0),
                [u[i] - value for i, value in self.speeds.items()],
            ]
        )

    @staticmethod
    def _contact_speeds(rest: Rest, q: Vector, u: Vector) -> Vector:
        """Return γ_N of closed contacts, γ_T of sticking contacts, and ġ of constraints."""
        system = rest.system
        found = system.contact_quantities(rest.t, q, u)
        joints = np.zeros(0)
        if system.nb:
            joint = system.constraint_kinematics(rest.t, q, u)
            joints = joint["W"].T @ u + joint["w_tilde"]
        return np.concatenate([found["gamma_N"][rest.closed], found["gamma_T"][rest.stick], joints])

    def derivative(self, z: Vector) -> Vector:
        """Return ∂F/∂z.

        Rows of forces, rates and speeds use the Jacobians of the system, if it has them. All other
        entries use central differences.
        """
        q, u, x, forces, values = self.split(z)
        rest = self.rest_at(values)
        exact = rest.system._core.has_jacobians and not (rest.states > ContactState.STICK).any()
        first = self.nq + self.nu + self.own if exact else 0
        J = np.zeros((self.size if hasattr(self, "size") else self.residual(z).size, z.size))
        J[:, first:] = self._differences(z, range(first, z.size))
        if not exact:
            return J
        self._own_jacobians(J, rest, q, u, x, forces)
        rows = slice(self.nu + self.own + len(self.changing), None)
        J[rows, :first] = self._differences(z, range(first))[rows]
        return J

    def _differences(self, z: Vector, columns: range) -> Vector:
        found = []
        for i in columns:
            step = np.zeros(z.size)
            step[i] = _STEP * max(1.0, abs(float(z[i])))
            width = float((z + step)[i] - (z - step)[i])
            found.append((self.residual(z + step) - self.residual(z - step)) / width)
        return np.array(found).T

    def _own_jacobians(
        self, J: Vector, rest: Rest, q: Vector, u: Vector, x: Vector, forces: Vector
    ) -> None:
        """Set the derivatives of forces, rates and velocities by q, u and x from the system."""
        system = rest.system
        n_N, n_T = int(rest.closed.sum()), int(rest.stick.sum())
        lambda_N, lambda_T = np.zeros(system.nc), np.zeros(system.nt)
        lambda_N[rest.closed] = forces[:n_N]
        lambda_T[rest.stick] = forces[n_N : n_N + n_T]
        nothing = np.zeros(self.nu)
        found = system._core.jacobians(
            rest.t, q, u, x[: self.own], nothing, lambda_N, lambda_T, np.zeros(system.ne),
            forces[n_N + n_T :],
        )  # fmt: skip
        first = self.nq + self.nu + self.own
        balance = -found["residual"]
        if system.ne:
            balance = balance + self._element_rates(rest, q, u, x)
        J[: self.nu, :first] = balance / rest.force_scale
        rates = slice(self.nu, self.nu + self.own)
        J[rates, :first] = found["xdot"]
        steady = slice(rates.stop, rates.stop + len(self.changing))
        J[steady, :first] = self.changing[:, : self.nq] @ found["qdot"]

    def _element_rates(self, rest: Rest, q: Vector, u: Vector, x: Vector) -> Vector:
        """Return the derivative (nu, ny) of the forces of active elements, linear in distances."""
        found = np.zeros((self.nu, self.nq + self.nu + self.own))
        if not rest.acting:
            return found
        for i in range(self.nq + self.nu):
            step = np.zeros(self.nq + self.nu)
            step[i] = _STEP
            sides = []
            for sign in (1.0, -1.0):
                moved = np.concatenate([q, u]) + sign * step
                sides.append(rest.element_forces(moved[: self.nq], moved[self.nq :], x))
            found[:, i] = (sides[0] - sides[1]) / (2.0 * _STEP)
        return found

    # ---- sizes -------------------------------------------------------------------------------

    def _sizes(self, z: Vector) -> Vector:
        """Return the sizes of the terms that cancel in each equation."""
        return np.asarray(np.abs(self.derivative(z)) @ (np.abs(z) + _LEAST))

    def missed(self, z: Vector) -> float:
        """Return the largest residual, relative to the terms of its equation at z or the start."""
        terms = np.maximum(self._sizes(z), self._terms)
        F = np.abs(self.residual(z))
        if not np.isfinite(F).all():
            return float(np.inf)
        return float((F / np.where(terms > 0.0, terms, 1.0)).max(initial=0.0))

    def force_terms(self, z: Vector) -> Vector:
        """Return the largest terms in the balance of forces, shape (nu,)."""
        terms = np.maximum(self._sizes(z), self._terms)[: self.nu] * self.rest.force_scale
        return np.maximum(terms, 1e-9 * float(terms.max(initial=1e-300)))
