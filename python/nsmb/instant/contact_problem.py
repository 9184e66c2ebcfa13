"""The complementarity problems of the contact laws, in the notation of the book."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number, one_of, unknown_name
from nsmb.complementarity import lcp
from nsmb.instant.contact_equations import ContactEquations, contact_equations, tangent_rows
from nsmb.system.base import System, SystemLike, as_system

__all__ = ["ContactForces", "ContactProblem", "FrictionBounds", "contact_problem"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Level = Literal["acceleration", "compression", "expansion"]
_LEVELS = ("acceleration", "compression", "expansion")


@dataclass(frozen=True)
class FrictionBounds:
    """An asymmetric friction characteristic ``-Λ_G⁻ <= Λ_T <= Λ_G⁺`` (8.79)-(8.82).

    The bounds are ``Λ_G± = mu_plus/mu_minus times Λ_N + bound_plus/bound_minus``. All numbers are
    >= 0, so that zero friction is always admissible.
    """

    mu_plus: float
    """Coefficient of the bound of positive forces."""
    mu_minus: float
    """Coefficient of the bound of negative forces."""
    bound_plus: float = 0.0
    """Constant part of the bound of positive forces, N or N s."""
    bound_minus: float = 0.0
    """Constant part of the bound of negative forces, N or N s."""

    def __post_init__(self) -> None:
        for name in ("mu_plus", "mu_minus", "bound_plus", "bound_minus"):
            value = as_number(name, getattr(self, name))
            if not value >= 0.0:
                raise ValueError(f"{name}: expected a number >= 0, got {value}")
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class ContactForces:
    """A solution of a :class:`ContactProblem` in the quantities of the system."""

    lambda_N: Floats
    """Normal forces in N, or for impacts the impulses of the phase in N s, shape (nc,)."""
    lambda_T: Floats
    """Tangential forces or impulses, shape (nt,)."""
    motion: Floats
    """Accelerations u̇ in m/s², or for impacts the velocities u_C or u_E in m/s, shape (nu,)."""
    gamma_N: Floats
    """Accelerations γ̇_N of all contacts in m/s², or for impacts velocities γ_N after the phase in
    m/s, shape (nc,)."""
    gamma_T: Floats
    """Accelerations γ̇_T of all contacts, or velocities γ_T after the phase, shape (nt,)."""
    result: lcp.LcpResult
    """Result of the complementarity problem."""


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """A complementarity problem ``y = A x + b, x >= 0, y >= 0, xᵀy = 0`` and its components.

    Unknowns and rows have the order of the book: (6.33) for accelerations, (8.87) and (8.97) for
    impacts. Contacts without friction have no tangential rows; this does not change the solutions.
    """

    level: Level
    """Level: ``"acceleration"`` (6.35), ``"compression"`` (8.87) or ``"expansion"`` (8.97)."""
    A: Floats
    """Matrix, shape (n, n). For accelerations, n = n_N + 4 n_H (6.36). For impacts,
    n = n_S + 4 n_H, which is 5 n_S if all contacts have friction."""
    b: Floats
    """Right-hand side, shape (n,)."""
    unknowns: tuple[str, ...]
    """Names of `x`: ``lambda_N[contact]``, then ``lambda_T+``, ``lambda_T-``, ``z-`` and ``z+`` of
    the contacts with friction; impulses are called ``Lambda``."""
    rows: tuple[str, ...]
    """Names of `y`: accelerations ``gammadot_N[contact]``, ``gammadot_T+``, ``gammadot_T-``, or
    velocities ``gamma``, then the friction reserves ``lambda_T0-``, ``lambda_T0+``."""
    equations: ContactEquations
    """M, h, g_N, W, w_tilde, w_bar and the index sets."""
    normal: Ints
    """Contacts of the normal rows, in order."""
    rough: Ints
    """Contacts of the friction rows, in order."""
    _parts: _Parts

    def solve(self) -> ContactForces:
        """Solve the problem by :func:`nsmb.complementarity.lcp.solve`; see :meth:`forces`."""
        return self.forces(lcp.solve(self.A, self.b))

    def forces(self, result: lcp.LcpResult) -> ContactForces:
        """Return forces or impulses, and accelerations or velocities, from `result`."""
        n, k = self.normal.size, self.rough.size
        x, parts, e = result.x, self._parts, self.equations
        normal, friction = x[:n], x[n : n + k] - x[n + k : n + 2 * k]  # (6.20)
        lambda_N, lambda_T = parts.given_N.copy(), parts.given_T + parts.sliding @ normal
        lambda_N[self.normal] += normal
        lambda_T[parts.tangent] += friction
        motion = parts.free + parts.columns @ np.concatenate([normal, friction])
        moves = self.level == "acceleration"
        return ContactForces(
            lambda_N=lambda_N,
            lambda_T=lambda_T,
            motion=motion,
            gamma_N=e.W_N.T @ motion + (e.w_bar_N if moves else e.w_tilde_N),
            gamma_T=e.W_T.T @ motion + (e.w_bar_T if moves else e.w_tilde_T),
            result=result,
        )

    def __repr__(self) -> str:
        return f"ContactProblem: {self.level} {_NUMBERS[self.level]}, {self.b.size} unknowns"


_NUMBERS = {"acceleration": "(6.35)", "compression": "(8.87)", "expansion": "(8.97)"}


@dataclass(frozen=True, eq=False)
class _Parts:
    """The effect of the unknowns on the system: motion = free + columns (λ_N, λ_H)."""

    free: Floats  # (nu,) u̇ or u at x = 0
    columns: Floats  # (nu, n_N + n_H)
    tangent: Ints  # (n_H) rows of the friction forces
    sliding: Floats  # (nt, n_N) friction of sliding contacts by the normal forces, (5.7)
    given_N: Floats  # (nc,) at x = 0
    given_T: Floats  # (nt,)


def contact_problem(
    system: SystemLike,
    t: float,
    q: ArrayLike,
    u: ArrayLike,
    x: ArrayLike | None = None,
    *,
    level: Level = "acceleration",
    Lambda_NC: ArrayLike | None = None,
    Lambda_TC: ArrayLike | None = None,
    friction: Mapping[str, FrictionBounds] | None = None,
    gap_tolerance: float = 1e-9,
    rest_velocity: float = 1e-9,
) -> ContactProblem:
    """Return the complementarity problem of the contacts at (t, q, u, x), for any solver.

    Bilateral constraints are taken into account by a projection of M⁻¹.

    Parameters
    ----------
    system : System or Model
    t, q, u, x : float, (nq,), (nu,), (nx,)
        Time and state; internal states default to zero, with walls of force elements at rest.
    level : {"acceleration", "compression", "expansion"}
        Forces of persistent contact, with detachment and stick-slip (6.35); impulses of the
        compression phase of an impact (8.87); or impulses of its expansion phase (8.97).
    Lambda_NC, Lambda_TC : (nc,) and (nt,) array_like, optional
        Impulses of compression, for the expansion phase; default: the solution of (8.87).
    friction : mapping of str to FrictionBounds, optional
        Friction bounds of contacts, in place of ``μ Λ_N`` on both sides (8.79)-(8.82). They are not
        possible for the expansion phase, whose bounds (8.94) follow from the contact law.
    gap_tolerance : float
        Gap tolerance, m; contacts with g_N below it are closed.
    rest_velocity : float
        Velocity tolerance, m/s; relative velocities below it count as zero.

    Returns
    -------
    ContactProblem

    Raises
    ------
    ValueError
        If a shape is wrong, a value is NaN, or a name is unknown. If a contact has friction in two
        directions, for which the problem is not linear.

    References
    ----------
    Pfeiffer & Glocker, *Multibody Dynamics with Unilateral Contacts*, sections 6.4, 8.7-8.9.

    Examples
    --------
    A block of 2 kg on a rough floor is pushed with less than the maximum friction:

    >>> import nsmb
    >>> floor = nsmb.Contact(w_N=[0, 1], w_T=[1, 0], law=nsmb.ContactLaw(mu=0.5), name="floor")
    >>> block = nsmb.LinearSystem([[2, 0], [0, 2]], force=[5.0, -20.0], contacts=[floor])
    >>> problem = nsmb.instant.contact_problem(block, 0.0, [0.0, 0.0], [0.0, 0.0])
    >>> problem.rows[:2], problem.A.shape
    (('gammadot_N[floor]', 'gammadot_T+[floor]'), (5, 5))
    >>> forces = problem.solve()
    >>> forces.lambda_N, forces.lambda_T
    (array([20.]), array([-5.]))
    """
    system = as_system("system", system)
    one_of("level", level, _LEVELS)
    if level != "expansion" and (Lambda_NC is not None or Lambda_TC is not None):
        raise ValueError("Lambda_NC, Lambda_TC: must be None unless level is 'expansion'")
    bounds = dict(friction or {})
    for name in bounds:
        if name not in system.contact_names:
            raise unknown_name("friction: contact", name, system.contact_names)
    if bounds and level == "expansion":
        raise ValueError("friction: must be None for level 'expansion'")
    e = contact_equations(system, t, q, u, x, gap_tolerance, rest_velocity)
    if level == "acceleration":
        return _acceleration(system, e, bounds)
    compression = _compression(system, e, bounds)
    if level == "compression":
        return compression
    if (Lambda_NC is None) != (Lambda_TC is None):
        raise ValueError("Lambda_NC, Lambda_TC: must be given together, got only one")
    if Lambda_NC is None or Lambda_TC is None:
        solved = compression.solve()
        if not solved.result.success:
            raise ValueError(
                "Lambda_NC: must be the impulses of compression, because (8.87) has no solution "
                f"here: {solved.result.message}"
            )
        return _expansion(system, compression, solved.lambda_N, solved.lambda_T)
    return _expansion(
        system,
        compression,
        as_array("Lambda_NC", Lambda_NC, (system.nc,)),
        as_array("Lambda_TC", Lambda_TC, (system.nt,)),
    )


@dataclass(frozen=True)
class _Rough:
    """A contact whose friction force is unknown, because it may stick."""

    contact: int
    row: int
    normal: int  # index of the normal force in the unknowns, or -1
    mu_plus: float
    mu_minus: float
    bound_plus: float
    bound_minus: float


def _normal_place(system: System, i: int, normal: Ints) -> int:
    """Return the index of the normal force that bounds the friction of contact i, or -1."""
    contact = system.contacts[i]
    index = i if contact.is_unilateral else -1
    if not contact.is_unilateral and contact.normal is not None:
        index = system.contact_names.index(contact.normal)
    places = np.flatnonzero(normal == index)
    return int(places[0]) if places.size else -1


def _single_row(system: System, i: int) -> int:
    contact = system.contacts[i]
    if contact.tangents != 1:
        raise ValueError(
            f"system: must have friction along one direction at contact {contact.name!r}, got "
            "two directions, which make the problem nonlinear. Use nsmb.instant.accelerations or "
            "nsmb.instant.impact."
        )
    return int(tangent_rows(system)[i][0])


def _rough(
    system: System, e: ContactEquations, among: Ints, normal: Ints, given: dict[str, FrictionBounds]
) -> list[_Rough]:
    rough = []
    for i in among:
        contact, place = system.contacts[i], _normal_place(system, int(i), normal)
        mu = e.mu[i] if place >= 0 else 0.0
        bounds = given.get(contact.name, FrictionBounds(mu, mu, e.bound[i], e.bound[i]))
        if max(bounds.mu_plus, bounds.mu_minus, bounds.bound_plus, bounds.bound_minus) == 0.0:
            continue
        row = _single_row(system, int(i))
        if e.W_T[:, row].any():
            rough.append(_Rough(int(i), row, place, *dataclasses.astuple(bounds)))
    return rough


def _acceleration(
    system: System, e: ContactEquations, given: dict[str, FrictionBounds]
) -> ContactProblem:
    """Return the problem of accelerations (6.35)."""
    rough = _rough(system, e, e.I_H, e.I_N, given)
    sliding = np.zeros((system.nt, e.I_N.size))
    given_T = np.zeros(system.nt)
    for i, contact in enumerate(system.contacts):
        lasts = i in e.I_N or not contact.is_unilateral
        if not lasts or i in e.I_H or (e.mu[i] == 0.0 and e.bound[i] == 0.0):
            continue
        row = _single_row(system, i)
        place = _normal_place(system, i, e.I_N)
        direction = -np.sign(e.gamma_T[row])  # (5.7)
        bounds = given.get(contact.name, FrictionBounds(e.mu[i], e.mu[i], e.bound[i], e.bound[i]))
        plus = direction > 0.0
        given_T[row] = direction * (bounds.bound_plus if plus else bounds.bound_minus)
        if place >= 0:
            sliding[row, place] = direction * (bounds.mu_plus if plus else bounds.mu_minus)
    free = e.udot_free + e.Minv @ e.W_T @ given_T
    return _assemble(
        "acceleration", system, e, e.I_N, rough, sliding, np.zeros(system.nc), given_T, free
    )


def _compression(
    system: System, e: ContactEquations, given: dict[str, FrictionBounds]
) -> ContactProblem:
    """Return the problem of the compression phase (8.87)."""
    law_mu = np.array([contact.law.mu for contact in system.contacts])
    at_rest = dataclasses.replace(e, mu=law_mu, bound=np.zeros(system.nc))  # without finite forces
    among = np.array(
        [i for i in range(system.nc) if _normal_place(system, i, e.I_S) >= 0], dtype=np.intp
    )
    rough = _rough(system, at_rest, among, e.I_S, given)
    zero_N, zero_T = np.zeros(system.nc), np.zeros(system.nt)
    sliding = np.zeros((system.nt, e.I_S.size))
    return _assemble("compression", system, e, e.I_S, rough, sliding, zero_N, zero_T, e.u)


def _expansion(
    system: System, compression: ContactProblem, Lambda_NC: Floats, Lambda_TC: Floats
) -> ContactProblem:
    """Return the problem of the expansion phase (8.97).

    The part ε_N Λ_C of the impulses is given, and the additional part Λ_P is unknown."""
    e, parts = compression.equations, compression._parts
    laws = [contact.law for contact in system.contacts]
    restored_N = np.array([law.e_N for law in laws]) * Lambda_NC
    restored_T = np.zeros(system.nt)
    rough = []
    for i, row in zip(compression.rough, parts.tangent, strict=True):
        law, place = laws[i], _normal_place(system, int(i), compression.normal)
        e_N = laws[compression.normal[place]].e_N
        stored, Lambda_N = e_N * Lambda_TC[row], restored_N[compression.normal[place]]
        restored_T[row] = stored
        mu_plus = (1.0 - law.nu) * law.mu if stored < 0.0 else law.mu  # (8.39)
        mu_minus = (1.0 - law.nu) * law.mu if stored > 0.0 else law.mu
        plus, minus = max(stored, 0.0), max(-stored, 0.0)
        rough.append(
            _Rough(
                int(i),
                int(row),
                place,
                mu_plus,
                mu_minus,
                mu_plus * Lambda_N + (1.0 - law.e_T) * minus - plus,  # (8.94)
                mu_minus * Lambda_N + (1.0 - law.e_T) * plus - minus,
            )
        )
    u_C = e.u + e.Minv @ (e.W_N @ Lambda_NC + e.W_T @ Lambda_TC)
    free = u_C + e.Minv @ (e.W_N @ restored_N + e.W_T @ restored_T)
    return _assemble(
        "expansion", system, e, e.I_S, rough, parts.sliding, restored_N, restored_T, free
    )


def _assemble(
    level: Level,
    system: System,
    e: ContactEquations,
    normal: Ints,
    rough: list[_Rough],
    sliding: Floats,
    given_N: Floats,
    given_T: Floats,
    free: Floats,
) -> ContactProblem:
    n, k = normal.size, len(rough)
    tangent = np.array([r.row for r in rough], dtype=np.intp)
    W = np.hstack([e.W_N[:, normal], e.W_T[:, tangent]])
    forces = np.hstack([e.W_N[:, normal] + e.W_T @ sliding, e.W_T[:, tangent]])
    columns = e.Minv @ forces
    if level == "acceleration":
        offset = np.concatenate([e.w_bar_N[normal], e.w_bar_T[tangent]])
    else:
        offset = np.concatenate([e.w_tilde_N[normal], e.w_tilde_T[tangent]])
    G, free_rows = W.T @ columns, W.T @ free + offset
    # Tangential rows and unknowns occur twice, once for each sign.
    twice = np.concatenate([np.arange(n + k), np.arange(n, n + k)])
    sign = np.concatenate([np.ones(n + k), -np.ones(k)])
    size = n + 2 * k
    A, b = np.zeros((size + 2 * k, size + 2 * k)), np.zeros(size + 2 * k)
    A[:size, :size] = sign[:, None] * G[np.ix_(twice, twice)] * sign
    A[n:size, size:] = np.eye(2 * k)
    A[size:, n:size] = -np.eye(2 * k)
    b[:size] = sign * free_rows[twice]
    for j, r in enumerate(rough):
        if r.normal >= 0:
            A[size + j, r.normal] = r.mu_plus
            A[size + k + j, r.normal] = r.mu_minus
        b[size + j], b[size + k + j] = r.bound_plus, r.bound_minus
    names = system.contact_names
    force, motion = ("lambda", "gammadot") if level == "acceleration" else ("Lambda", "gamma")

    def labels(normal_name: str, *tangential: str) -> tuple[str, ...]:
        first = [f"{normal_name}[{names[i]}]" for i in normal]
        return (*first, *(f"{label}[{names[r.contact]}]" for label in tangential for r in rough))

    return ContactProblem(
        level=level,
        A=A,
        b=b,
        unknowns=labels(f"{force}_N", f"{force}_T+", f"{force}_T-", "z-", "z+"),
        rows=labels(f"{motion}_N", f"{motion}_T+", f"{motion}_T-", f"{force}_T0-", f"{force}_T0+"),
        equations=e,
        normal=normal,
        rough=np.array([r.contact for r in rough], dtype=np.intp),
        _parts=_Parts(free, columns, tangent, sliding, given_N, given_T),
    )
