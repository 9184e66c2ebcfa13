"""The equations of rest, and of small motions about it, for given contact states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.orbits.flow import Flow
from nsmb.events.enums import ContactState
from nsmb.instant.accelerations import accelerations
from nsmb.system.base import System
from nsmb.system.contact_info import ContactInfo

__all__ = [
    "Forces",
    "Rest",
    "RestEvaluation",
    "acting_elements",
    "friction_bound",
    "friction_size",
]

Vector = NDArray[np.float64]

_SIDES = 64  # of a polygon inside a disc, 0.1 % smaller
_STEP = 6e-6  # of central differences, the cube root of the rounding error


@dataclass(frozen=True, eq=False)
class RestEvaluation:
    """The equations of rest at one point."""

    F: Vector
    J: Vector
    q: Vector
    x: Vector
    lambda_N: Vector
    lambda_T: Vector
    lambda_B: Vector
    system: System


@dataclass(frozen=True, eq=False)
class Forces:
    """The forces at one position: h, forces of elements, and directions of contact forces."""

    h: Vector
    xdot: Vector
    W: Vector
    """Directions of the multipliers, shape (nu, k): normal forces with the friction of sliding
    contacts, friction of sticking contacts, constraints."""
    h_slip: Vector
    """Friction that does not depend on normal forces."""
    gaps: Vector
    """g_N of closed contacts, and g of constraints."""


class Rest:
    """The equations of rest ``h + W λ = 0, g = 0`` with u = 0.

    Forces of closed contacts and constraints are unknowns. Sticking contacts stay at their position
    at `q_0`.

    Parameters
    ----------
    system : System
    t : float
    q_0, x_0 : (nq,) and (nx,) ndarray
    states : (nc,) ndarray
        Values of `nsmb.ContactState`.
    acting : tuple of str
        Names of the active force elements.
    friction : bool
        True if contacts have friction. If False, μ = 0 and no contact sticks.
    """

    def __init__(
        self,
        system: System,
        t: float,
        q_0: Vector,
        x_0: Vector,
        states: NDArray[np.int8],
        acting: tuple[str, ...],
        friction: bool = True,
    ) -> None:
        self.system, self.t, self.q_0, self.x_0 = system, t, q_0, x_0
        self.states, self.acting, self.friction = states, acting, friction
        self.unilateral = np.array([c.is_unilateral for c in system.contacts], dtype=np.bool_)
        self.closed = (states != ContactState.OPEN) & self.unilateral
        tangents = [contact.tangents for contact in system.contacts]
        self.owner = np.repeat(np.arange(system.nc), tangents)
        self.stick = (states == ContactState.STICK)[self.owner]
        self.own = system._core.nx_own
        self.W_T0 = system.contact_kinematics(t, q_0, np.zeros(system.nu))["W_T"]
        W = self.forces(q_0, np.zeros(system.nu), x_0).W
        self.span: Vector = np.eye(W.shape[1])
        if W.size:
            _, sizes, Vt = np.linalg.svd(W, full_matrices=False)
            rank = int((sizes > 1e-10 * sizes.max()).sum())
            if rank < W.shape[1]:  # forces are not unique; the smallest ones are taken
                self.span = Vt[:rank].T
        self.size = system.nq + self.own + self.span.shape[1]
        self.force_scale = self._force_scale(q_0)

    def arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the constructor."""
        return self.system, self.t, self.q_0, self.x_0, self.states, self.acting, self.friction

    def _force_scale(self, q: Vector) -> float:
        """Return the force to which others are compared, in N."""
        here = self.forces(q, np.zeros(self.system.nu), self.x_0)
        size = float(np.abs(here.h).max(initial=0.0))
        for i in range(q.size):  # one by one, because jointly they may move the system as a whole
            step = np.zeros(q.size)
            step[i] = 1e-3
            moved = self.forces(q + step, np.zeros(self.system.nu), self.x_0)
            size = max(size, 1e3 * float(np.abs(moved.h - here.h).max(initial=0.0)))
        return max(size, 1e-300)

    def start(self, q: Vector, x: Vector) -> Vector:
        """Return the unknowns at (q, x), with the forces that balance best."""
        here = self.forces(q, np.zeros(self.system.nu), x)
        W = here.W @ self.span
        forces = np.linalg.pinv(W) @ -(here.h + here.h_slip)
        return np.concatenate([q, x[: self.own], forces / self.force_scale])

    def evaluate(self, z: Vector) -> RestEvaluation:
        """Return residual and derivative, with forces in units of the force scale."""
        F = self._residual(z)
        J = np.empty((F.size, z.size))
        for i in range(z.size):
            step = np.zeros(z.size)
            step[i] = _STEP * max(1.0, abs(float(z[i]))) if i < self._places else 1.0
            width = (z + step)[i] - (z - step)[i]
            J[:, i] = (self._residual(z + step) - self._residual(z - step)) / width
        q, x, forces = self._unknowns(z)
        rest = np.zeros(self.system.nu)
        return RestEvaluation(F, J, q, x, *self.contact_forces(q, rest, x, forces), self.system)

    @property
    def _places(self) -> int:
        return self.system.nq + self.own

    def _unknowns(self, z: Vector) -> tuple[Vector, Vector, Vector]:
        x = self.x_0.copy()
        x[: self.own] = z[self.system.nq : self._places]
        return z[: self.system.nq], x, self.span @ z[self._places :] * self.force_scale

    def _residual(self, z: Vector) -> Vector:
        q, x, forces = self._unknowns(z)
        here = self.forces(q, np.zeros(self.system.nu), x)
        balance = (here.h + here.h_slip + here.W @ forces) / self.force_scale
        kept = self.W_T0[:, self.stick].T @ (q - self.q_0)
        n_N = int(self.closed.sum())
        held = np.concatenate([here.gaps[:n_N], kept, here.gaps[n_N:]])
        return np.concatenate([balance, here.xdot, self.span.T @ held])

    def contact_forces(
        self, q: Vector, u: Vector, x: Vector, forces: Vector
    ) -> tuple[Vector, Vector, Vector]:
        """Return λ_N, λ_T and λ_B from the forces along `forces(...).W`."""
        system = self.system
        n_N, n_T = int(self.closed.sum()), int(self.stick.sum())
        lambda_N, lambda_T = np.zeros(system.nc), np.zeros(system.nt)
        lambda_N[self.closed] = forces[:n_N]
        lambda_T[self.stick] = forces[n_N : n_N + n_T]
        slip = self._slip(q, u, x)
        for column, (normal, coefficient, bound) in slip.items():
            lambda_T[column] = coefficient * (lambda_N[normal] if normal >= 0 else 0.0) + bound
        return lambda_N, lambda_T, forces[n_N + n_T :]

    def _slip(self, q: Vector, u: Vector, x: Vector) -> dict[int, tuple[int, float, float]]:
        """Return normal contact, λ_T / λ_N, and the remaining part of λ_T by sliding direction."""
        system = self.system
        found: dict[int, tuple[int, float, float]] = {}
        if not self.friction or not (self.states > ContactState.STICK).any():
            return found
        kinematics = system.contact_kinematics(self.t, q, u, x=x)
        gamma_T = kinematics["W_T"].T @ u + kinematics["w_tilde_T"]
        for i, contact in enumerate(system.contacts):
            if self.states[i] <= ContactState.STICK:
                continue
            columns = np.flatnonzero(self.owner == i)
            speed = float(np.linalg.norm(gamma_T[columns]))
            if self.states[i] in (ContactState.SLIP_POSITIVE, ContactState.SLIP_NEGATIVE):
                sign = 1.0 if self.states[i] == ContactState.SLIP_POSITIVE else -1.0
                direction = np.array([sign])
            else:  # against the force, on the ellipse
                axes = np.array([1.0, contact.law.aspect])
                size = float(np.linalg.norm(axes * gamma_T[columns]))
                direction = axes**2 * gamma_T[columns] / max(size, 1e-300)
            mu, normal = _coefficient(contact, speed), _presses(contact, i, system)
            for column, part in zip(columns.tolist(), direction, strict=True):
                # λ_T = -(β + μ λ_N) γ_T / |γ_T|, (5.7). With the aspect a, it is (γ_T1, a² γ_T2)
                # over |(γ_T1, a γ_T2)|.
                bound = -float(kinematics["bound"][i]) * float(part)
                found[column] = (normal, -mu * float(part), bound)
        return found

    def forces(self, q: Vector, u: Vector, x: Vector) -> Forces:
        """Return the forces at a position, also in motion."""
        system = self.system
        kinematics = system.contact_kinematics(self.t, q, u, x=x)
        W_N, W_T = kinematics["W_N"].copy(), kinematics["W_T"]
        h_slip = np.zeros(system.nu)
        for column, (normal, coefficient, bound) in self._slip(q, u, x).items():
            if normal >= 0:
                W_N[:, normal] += coefficient * W_T[:, column]
            h_slip += bound * W_T[:, column]
        parts = [W_N[:, self.closed], W_T[:, self.stick]]
        gaps = [kinematics["g_N"][self.closed]]
        if system.nb:
            joint = system.constraint_kinematics(self.t, q, u)
            parts.append(joint["W"])
            gaps.append(joint["g"])
        h = system.forces(self.t, q, u, x)
        if system.ne:
            h = h + self.element_forces(q, u, x)
        xdot = system.state_rates(self.t, q, u, x) if self.own else np.zeros(0)
        return Forces(h, xdot, np.hstack(parts), h_slip, np.concatenate(gaps))

    def element_forces(self, q: Vector, u: Vector, x: Vector) -> Vector:
        """Return the forces of the active elements: inertia minus h and contact forces."""
        kinematics = self.system.contact_kinematics(self.t, q, u)
        found = accelerations(self.system, self.t, q, u, x, acting=self.acting, max_size=0)
        if found.udot is None or found.lambda_N is None or found.lambda_T is None:
            raise ValueError("system: no accelerations at the start, so that forces are not known")
        rest = self.system.mass_matrix(self.t, q) @ found.udot
        rest = rest - self.system.forces(self.t, q, u, x)
        contact = kinematics["W_N"] @ found.lambda_N + kinematics["W_T"] @ found.lambda_T
        return np.asarray(rest - contact)

    def balance_rows(self) -> NDArray[np.intp]:
        """Return the rows of the residual except those that hold sticking contacts in position.

        Raises
        ------
        ValueError
            If forces are not unique, so that rows of contacts are combined.
        """
        n_N, n_T = int(self.closed.sum()), int(self.stick.sum())
        if self.span.shape[1] < n_N + n_T + self.system.nb:
            raise ValueError("here: must have independent contacts, got redundant contacts")
        first = self.system.nu + self.own
        held = np.arange(first + n_N, first + n_N + n_T)
        return np.setdiff1d(np.arange(self.size), held)

    def slack(self, z: Vector) -> Vector:
        """Return the values that the contact laws require to be >= 0.

        These are gaps, normal forces and friction margins, with forces in units of the force scale.
        """
        q, x, forces = self._unknowns(z)
        lambda_N, lambda_T, _ = self.contact_forces(q, np.zeros(self.system.nu), x, forces)
        g_N = self.system.contact_kinematics(self.t, q, np.zeros(self.system.nu))["g_N"]
        values = [g_N[self.unilateral & ~self.closed], lambda_N[self.closed] / self.force_scale]
        for i in np.flatnonzero(self.states == ContactState.STICK).tolist():
            bound = friction_bound(self, i, q, x, lambda_N)
            along = lambda_T[self.owner == i]
            if along.size == 1:  # two linear conditions avoid the kink of the absolute value
                values.append(np.array([bound - along[0], bound + along[0]]) / self.force_scale)
            else:
                size = friction_size(self.system.contacts[i], along)
                values.append(np.array([bound - size]) / self.force_scale)
        return np.concatenate(values)

    def spread(self, found: RestEvaluation) -> RestEvaluation:
        """Return the same rest with the forces that are furthest from all bounds of their laws.

        Where forces are not unique, the smallest ones may violate laws that others satisfy. A disc
        of friction is replaced by a polygon inside it."""
        from scipy.linalg import null_space
        from scipy.optimize import linprog

        rest = np.zeros(self.system.nu)
        W = self.forces(found.q, rest, found.x).W
        if not W.size or self.span.shape[1] == W.shape[1]:
            return found
        n_N, owners = int(self.closed.sum()), self.owner[self.stick]
        own = np.concatenate(
            [found.lambda_N[self.closed], found.lambda_T[self.stick], found.lambda_B]
        )
        free = null_space(W, rcond=1e-10)
        bound = self.system.contact_kinematics(self.t, found.q, rest, x=found.x)["bound"]
        numbers = np.flatnonzero(self.closed).tolist()
        rows, least = [*np.eye(W.shape[1])[:n_N]], [0.0] * n_N  # rows f >= least + margin
        for i in np.flatnonzero(self.states == ContactState.STICK).tolist():
            contact = self.system.contacts[i]
            normal = _presses(contact, i, self.system)
            columns = n_N + np.flatnonzero(owners == i)
            for side in _sides(contact, columns.size):
                row = np.zeros(W.shape[1])
                row[columns] = -side
                if normal >= 0 and self.closed[normal]:
                    row[numbers.index(normal)] += contact.law.mu
                rows.append(row)
                least.append(-float(bound[i]))
        if not rows:
            return found
        matrix = np.array(rows)
        scale = self.force_scale
        problem = linprog(
            np.append(np.zeros(free.shape[1]), -1.0),
            A_ub=np.column_stack([-matrix @ free, np.ones(len(rows))]),
            b_ub=(matrix @ own - least) / scale,
            bounds=[(None, None)] * free.shape[1] + [(None, 1.0)],
        )
        if not problem.success:
            return found
        forces = own + free @ problem.x[:-1] * scale
        own_forces = self.contact_forces(found.q, rest, found.x, forces)
        return RestEvaluation(found.F, found.J, found.q, found.x, *own_forces, self.system)

    def rates(self, y: Vector) -> Vector:
        """Return ẏ for constant contact states; sticking contacts continue to stick."""
        system = self.system
        q, u = y[: system.nq], y[system.nq : system.nq + system.nu]
        x = y[system.nq + system.nu :]
        here = self.forces(q, u, x)
        kinematics = system.contact_kinematics(self.t, q, u, x=x)
        ways = [kinematics["W_N"][:, self.closed], kinematics["W_T"][:, self.stick]]
        known = [kinematics["w_bar_N"][self.closed], kinematics["w_bar_T"][self.stick]]
        if system.nb:
            joint = system.constraint_kinematics(self.t, q, u)
            ways.append(joint["W"])
            known.append(joint["w_bar"])
        W = np.hstack(ways)
        k = W.shape[1]
        # Use coordinates with unit masses, so that rounding is equal for heavy and light bodies.
        L = np.linalg.cholesky(system.mass_matrix(self.t, q))
        pulled, along = np.linalg.solve(L, W), np.linalg.solve(L, here.W)
        sizes = np.linalg.norm(pulled, axis=0)
        sizes[sizes == 0.0] = 1.0
        matrix = np.block(
            [[np.eye(system.nu), -along / sizes], [(pulled / sizes).T, np.zeros((k, k))]]
        )
        force = np.linalg.solve(L, here.h + here.h_slip)
        right = np.concatenate([force, -np.concatenate(known) / sizes])
        scaled = np.linalg.lstsq(matrix, right, rcond=1e-13)[0][: system.nu]
        udot = np.linalg.solve(L.T, scaled)
        xdot = np.zeros(system.nx)
        xdot[: self.own] = here.xdot
        return np.concatenate([u, udot, xdot])


def _coefficient(contact: ContactInfo, speed: float) -> float:
    law = contact.law
    return law.mu if law.curve is None else law.curve._core(law.mu).coefficient(speed)


def _sides(contact: ContactInfo, tangents: int) -> Vector:
    """Return the sides of the set of friction forces: all products with a force <= the bound."""
    if tangents == 1:
        return np.array([[1.0], [-1.0]])
    angle = np.arange(0.0, 2.0 * np.pi, 2.0 * np.pi / _SIDES)
    around = np.column_stack([np.cos(angle), np.sin(angle) / contact.law.aspect])
    return np.asarray(around / np.cos(np.pi / _SIDES))


def _presses(contact: ContactInfo, i: int, system: System) -> int:
    """Return the index of the contact whose normal force determines the friction, or -1."""
    if contact.is_unilateral:
        return i
    if contact.normal is None or contact.normal == "":
        return -1
    return system.contact_names.index(contact.normal)


def friction_size(contact: ContactInfo, lambda_T: Vector) -> float:
    """Return the size of a friction force to which the bound applies, in N: (λ_T1, λ_T2 / a)."""
    axes = np.array([1.0, contact.law.aspect])[: lambda_T.size]
    return float(np.linalg.norm(lambda_T / axes))


def friction_bound(rest: Rest, i: int, q: Vector, x: Vector, lambda_N: Vector) -> float:
    """Return the friction bound β + μ λ_N of contact i, in N."""
    system = rest.system
    contact = system.contacts[i]
    normal = _presses(contact, i, system)
    bound = system.contact_kinematics(rest.t, q, np.zeros(system.nu), x=x)["bound"][i]
    pressure = max(float(lambda_N[normal]), 0.0) if normal >= 0 else 0.0
    return float(bound) + contact.law.mu * pressure


def acting_elements(
    system: System, t: float, q: Vector, x: Vector, u: Vector | None = None
) -> tuple[str, ...]:
    """Return the names of the active force elements, at rest or with velocities u."""
    if system.ne == 0:
        return ()
    flow = Flow(system)
    return flow.acting(t, np.concatenate([q, np.zeros(system.nu) if u is None else u, x]))
