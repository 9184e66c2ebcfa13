"""The equations of harmonic balance: Galerkin in time, with laws evaluated at samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.harmonic.basis import Basis
from nsmb.analysis.harmonic.equations import Forces, Motion, Sampled, SampledEquations
from nsmb.analysis.harmonic.laws import ElementForce, FrictionLaw, element_force, project_normal
from nsmb.system.base import System

__all__ = ["Balance", "Balanced"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Balanced:
    """The equations at one set of coefficients."""

    F: Vector
    J: Vector
    motion: Motion
    forces: Forces
    walls: Vector
    """Walls of the force elements, shape (N, ne)."""
    gaps: Vector
    """Gaps of the contacts, shape (N, nc)."""


class _Table:
    """F and J for series of several quantities, assembled block by block.

    J remains zero unless derivatives are requested.
    """

    def __init__(self, basis: Basis, sizes: dict[str, int], *, derivatives: bool) -> None:
        self._basis, self.derivatives = basis, derivatives
        ends = np.cumsum([0, *sizes.values()]) * basis.size
        self.places = {
            name: (int(a), size) for (name, size), a in zip(sizes.items(), ends, strict=False)
        }
        total = int(ends[-1])
        self.F, self.J = np.zeros(total), np.zeros((total, total))

    def put(self, name: str, samples: Vector) -> None:
        """Set the equations `name` from their values at the samples, shape (N, size)."""
        at, size = self.places[name]
        self.F[at : at + size * self._basis.size] = (self._basis.projection @ samples).ravel()

    def add(self, name: str, by: str, derivative: Vector, functions: Vector) -> None:
        """Add ∂(equations `name`)/∂(coefficients of `by`).

        `derivative` (N, size, size of `by`) holds the derivatives at the samples, and `functions`
        (N, 2H + 1) maps coefficients to samples.
        """
        if not self.derivatives or derivative.size == 0:
            return
        (row, m), (column, n), size = self.places[name], self.places[by], self._basis.size
        block = self.J[row : row + m * size, column : column + n * size].reshape(size, m, size, n)
        P, together = self._basis.projection, None
        for i, j in zip(*np.nonzero(derivative.any(axis=0)), strict=True):
            weights = derivative[:, i, j]
            if (weights == weights[0]).all():
                together = P @ functions if together is None else together
                block[:, i, :, j] += weights[0] * together
            else:
                block[:, i, :, j] += (P * weights) @ functions


@dataclass(frozen=True, eq=False)
class _FrictionRows:
    """Equations of friction at the samples, and their derivatives."""

    value: Vector
    by_motion: Vector
    by_friction: Vector
    by_normal: Vector

    @classmethod
    def zeros(cls, samples: int, system: System, ny: int) -> _FrictionRows:
        nt = system.nt
        return cls(*(np.zeros((samples, nt, *size)) for size in ((), (ny,), (nt,), (system.nc,))))


class Balance:
    """F(Z) = 0 for the coefficients Z of coordinates, states and forces, and ∂F/∂Z.

    ``P`` is the projection of samples over a period onto the first harmonics:

    - P (M u̇ - h - w ζ - W λ) = 0 and P (ẋ - f) = 0,
    - P (λ - proj(λ - ρ γ)) = 0 for normal forces with gaps and friction with slip velocities,
    - P g = 0 for bilateral constraints.

    The components of F are divided by the sizes of forces and states given at construction.
    """

    def __init__(
        self, system: System, basis: Basis, period: float, t: float, force_size: Vector
    ) -> None:
        self.system, self.basis, self.period, self.t = system, basis, period, t
        self.omega = 2.0 * np.pi / period
        self.equations = SampledEquations(system)
        self.force_size = force_size
        self.sizes = {
            "q": system.nq, "x": self.equations.own, "N": system.nc, "T": system.nt,
            "B": system.nb,
        }  # fmt: skip
        self.tangents = _tangents(system)
        self.normal_of = _normal_rows(system)
        self.size = basis.size * sum(self.sizes.values())
        masses = self._apparent_masses()
        self.rho_N = masses[: system.nc] * self.omega**2
        self.friction = [
            FrictionLaw(contact, float(masses[system.nc + i] * self.omega))
            for i, contact in enumerate(system.contacts)
        ]

    def _apparent_masses(self) -> Vector:
        """Return 1/(wᵀM⁻¹w) of normal and of tangential directions, at the start."""
        system, start = self.system, self.system.initial_state
        if system.nc == 0:
            return np.zeros(0)
        k = system.contact_kinematics(start.t, start.q, start.u)
        M = system.mass_matrix(start.t, start.q)
        whole = 1.0 / np.linalg.inv(M).trace()

        def mass(w: Vector) -> float:
            free = float(w @ np.linalg.solve(M, w))
            return 1.0 / free if free > 0.0 else whole

        normal = [mass(k["W_N"][:, i]) for i in range(system.nc)]
        return np.array(normal + [mass(k["W_T"][:, rows[0]]) for rows in self.tangents])

    def split(self, Z: Vector) -> dict[str, Vector]:
        """Return the coefficients by name, shape (2H + 1, size) each."""
        parts, at = {}, 0
        for name, size in self.sizes.items():
            parts[name] = Z[at : at + size * self.basis.size].reshape(self.basis.size, size)
            at += size * self.basis.size
        return parts

    def motion(self, Z: Vector) -> Motion:
        """Return samples of the motion."""
        part, b = self.split(Z), self.basis
        return Motion(
            self.t + b.tau / self.omega,
            b.values @ part["q"],
            self.omega * (b.slopes @ part["q"]),
            self.omega**2 * (b.curvatures @ part["q"]),
            b.values @ part["x"],
        )

    def evaluate(self, Z: Vector) -> Balanced:
        """Return F and J, and the samples from which they are computed."""
        return self._evaluate(Z, derivatives=True)

    def residual(self, Z: Vector) -> Vector:
        """Return F alone."""
        return self._evaluate(Z, derivatives=False).F

    def _evaluate(self, Z: Vector, *, derivatives: bool) -> Balanced:
        part, b = self.split(Z), self.basis
        motion = self.motion(Z)
        elements = self._element_forces(motion)
        zeta = np.array([e.zeta for e in elements]).T.reshape(b.samples, len(elements))
        forces = Forces(zeta, b.values @ part["N"], b.values @ part["T"], b.values @ part["B"])
        sampled = self.equations.evaluate(motion, forces, derivatives=derivatives)
        table = _Table(b, self.sizes, derivatives=derivatives)
        self._balance_motion(table, sampled, elements)
        self._balance_states(table, sampled, part["x"])
        self._balance_contacts(table, sampled, forces)
        self._balance_constraints(table, sampled)
        walls = np.array([e.wall for e in elements]).T.reshape(b.samples, len(elements))
        gaps = sampled.values[:, sampled.rows["g_N"]]
        return Balanced(table.F, table.J, motion, forces, walls, gaps)

    def _element_forces(self, motion: Motion) -> list[ElementForce]:
        if not self.equations.elements:
            return []
        distances, rates = self.equations.distances(motion)
        step = self.period / self.basis.samples
        return [
            element_force(element, distances[:, i], rates[:, i], step)
            for i, element in enumerate(self.equations.elements)
        ]

    def _by_motion(self, table: _Table, name: str, derivative: Vector) -> None:
        """Add a derivative by the chain rule over q(τ), u = ω q′ and x(τ)."""
        n, b = self.system.nq, self.basis
        table.add(name, "q", derivative[:, :, :n], b.values)
        table.add(name, "q", derivative[:, :, n : 2 * n], self.omega * b.slopes)
        table.add(name, "x", derivative[:, :, 2 * n :], b.values)

    def _balance_motion(
        self, table: _Table, sampled: Sampled, elements: list[ElementForce]
    ) -> None:
        b, scale = self.basis, 1.0 / self.force_size
        table.put("q", sampled.values[:, sampled.rows["motion"]] * scale)
        self._by_motion(table, "q", sampled.derivatives[:, sampled.rows["motion"]] * scale[:, None])
        table.add("q", "q", sampled.M * scale[:, None], self.omega**2 * b.curvatures)
        for name, W in (("N", sampled.W_N), ("T", sampled.W_T), ("B", sampled.W_B)):
            table.add("q", name, -W * scale[:, None], b.values)
        if table.derivatives:
            for i, element in enumerate(elements):
                self._add_element(table, sampled, element, i)

    def _add_element(self, table: _Table, sampled: Sampled, element: ElementForce, i: int) -> None:
        """Add -w ∂ζ, jointly for all samples, because contact starts between two of them."""
        b, n = self.basis, self.system.nq
        gamma = sampled.derivatives[:, sampled.rows["gamma"]][:, i]
        rate = sampled.derivatives[:, sampled.rows["gamma_dot"]][:, i]

        def series(derivative: Vector) -> tuple[Vector, Vector]:
            """Return derivatives (N, 2H + 1, n) by the coefficients of coordinates and states."""
            q = np.einsum("kj,kb->kbj", derivative[:, :n], b.values)
            q += np.einsum("kj,kb->kbj", derivative[:, n : 2 * n], self.omega * b.slopes)
            return q, np.einsum("kj,kb->kbj", derivative[:, 2 * n :], b.values)

        w = -sampled.w[:, :, i] / self.force_size
        row, size = table.places["q"]
        rows = slice(row, row + size * b.size)
        pairs = zip(("q", "x"), series(gamma), series(rate), strict=True)
        for name, by_gamma, by_rate in pairs:
            column, width = table.places[name]
            if width == 0:
                continue
            zeta = element.by_distance[:, None, None] * by_gamma
            zeta += element.by_rate[:, None, None] * by_rate
            others = element.by_others
            moved = others.values[:, None, None] * by_gamma[others.columns]
            np.add.at(zeta, others.rows, moved)
            block = np.einsum("ak,ki,kbj->aibj", b.projection, w, zeta, optimize=True)
            table.J[rows, column : column + width * b.size] += block.reshape(
                size * b.size, width * b.size
            )

    def _balance_states(self, table: _Table, sampled: Sampled, x: Vector) -> None:
        if self.sizes["x"] == 0:
            return
        b, rows = self.basis, sampled.rows["states"]
        rates = self.omega * (b.slopes @ x)
        table.put("x", (rates - sampled.values[:, rows]) / self.omega)
        self._by_motion(table, "x", -sampled.derivatives[:, rows] / self.omega)
        eye = np.broadcast_to(np.eye(self.sizes["x"]), (b.samples,) + (self.sizes["x"],) * 2)
        table.add("x", "x", eye, b.slopes)

    def _balance_contacts(self, table: _Table, sampled: Sampled, forces: Forces) -> None:
        if self.system.nc == 0:
            return
        self._balance_normals(table, sampled, forces.lambda_N)
        rows = _FrictionRows.zeros(self.basis.samples, self.system, sampled.derivatives.shape[2])
        for i in range(self.system.nc):
            if self.tangents[i]:
                self._balance_friction(rows, sampled, forces, i)
        size, values = float(self.force_size.max()), self.basis.values
        table.put("T", rows.value / size)
        self._by_motion(table, "T", rows.by_motion / size)
        table.add("T", "T", rows.by_friction / size, values)
        table.add("T", "N", rows.by_normal / size, values)

    def _balance_normals(self, table: _Table, sampled: Sampled, force: Vector) -> None:
        """Add λ_N - max(0, λ_N - ρ g_N); pure friction contacts have no normal force."""
        system, size = self.system, float(self.force_size.max())
        value, by_force = force.copy(), np.zeros((*force.shape, system.nc))
        by_motion = np.zeros((*force.shape, sampled.derivatives.shape[2]))
        gap = sampled.rows["g_N"].start
        for i, contact in enumerate(system.contacts):
            on = np.zeros(force.shape[0])
            if contact.is_unilateral:
                g_N = sampled.values[:, gap + i]
                pushed, on = project_normal(force[:, i], g_N, self.rho_N[i])
                value[:, i] -= pushed
                by_motion[:, i] = (on * self.rho_N[i])[:, None] * sampled.derivatives[:, gap + i]
            by_force[:, i, i] = 1.0 - on
        table.put("N", value / size)
        self._by_motion(table, "N", by_motion / size)
        table.add("N", "N", by_force / size, self.basis.values)

    def _balance_friction(
        self, out: _FrictionRows, sampled: Sampled, forces: Forces, i: int
    ) -> None:
        """Add λ_T - proj(λ_T - ρ γ_T) of one contact."""
        rows, source, law = self.tangents[i], self.normal_of[i], self.friction[i]
        at = [sampled.rows["gamma_T"].start + r for r in rows]
        bound = sampled.rows["bound"].start + i
        gamma, by_gamma = sampled.values[:, at], sampled.derivatives[:, at]
        normal = forces.lambda_N[:, source] if source >= 0 else np.zeros(gamma.shape[0])
        load = np.maximum(normal, 0.0)
        speed = np.linalg.norm(gamma, axis=1)
        mu, mu_slope = law.coefficient(speed)
        radius = np.maximum(sampled.values[:, bound] + mu * load, 0.0)
        force = forces.lambda_T[:, rows]
        value, by_push, by_radius = law.project(force, gamma, radius)
        with np.errstate(divide="ignore", invalid="ignore"):
            direction = np.where(speed[:, None] > 0.0, gamma / speed[:, None], 0.0)
        by_speed = np.einsum("kd,kdj->kj", direction, by_gamma)
        radius_by_motion = sampled.derivatives[:, bound] + (mu_slope * load)[:, None] * by_speed
        out.value[:, rows] = force - value
        out.by_friction[np.ix_(range(force.shape[0]), rows, rows)] = np.eye(len(rows)) - by_push
        out.by_motion[:, rows] = law.rho * by_push @ by_gamma - (
            by_radius[:, :, None] * radius_by_motion[:, None, :]
        )
        if source >= 0:
            out.by_normal[:, rows, source] = -by_radius * ((normal > 0.0) * mu)[:, None]

    def _balance_constraints(self, table: _Table, sampled: Sampled) -> None:
        if self.system.nb == 0:
            return
        table.put("B", sampled.values[:, sampled.rows["g_B"]])
        self._by_motion(table, "B", sampled.derivatives[:, sampled.rows["g_B"]])


def _tangents(system: System) -> list[list[int]]:
    """Return the tangential rows of each contact."""
    rows, at = [], 0
    for count in system._core.tangents:
        rows.append(list(range(at, at + count)))
        at += count
    return rows


def _normal_rows(system: System) -> list[int]:
    """Return the contact whose normal force bounds the friction of each contact, or -1."""
    names = [contact.name for contact in system.contacts]
    return [
        i if c.is_unilateral else (-1 if c.normal is None else names.index(c.normal))
        for i, c in enumerate(system.contacts)
    ]
