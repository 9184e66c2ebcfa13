"""Modal analysis of systems whose contacts are closed, sticking or sliding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.equilibria.equilibria import (
    Equilibrium,
    check_system,
    equilibrium,
    states_of,
)
from nsmb.analysis.equilibria.rest import Rest, acting_elements
from nsmb.analysis.equilibria.small_motions import (
    conservative_motions,
    eigenvectors,
    small_motions,
)
from nsmb.analysis.orbits.tangent import constraint_values
from nsmb.common.arguments import as_array, as_mapping, as_states, one_of
from nsmb.common.html import ShownAsTable
from nsmb.common.largest import first_of_largest
from nsmb.events.enums import ContactState
from nsmb.system.base import State, System, SystemLike, as_system

__all__ = ["ModalAnalysis", "modes"]

Vector = NDArray[np.float64]
Complex = NDArray[np.complex128]

_BALANCED = 1e-6  # relative to the forces of the system
_CLOSED = 1e-6  # m and m/s
_REAL = 1e-9  # relative to the modulus; smaller imaginary parts are rounding


@dataclass(frozen=True, eq=False, repr=False)
class ModalAnalysis(ShownAsTable):
    """Small motions about a state that keep the contact states.

    One of each pair of conjugate eigenvalues is listed, by increasing modulus.
    """

    system: System
    state: State
    contact_state: NDArray[np.int8]
    """Values of `nsmb.ContactState`, shape (nc,)."""
    acting: tuple[str, ...]
    """Names of the active force elements."""
    undamped: bool
    eigenvalues: Complex
    """Eigenvalues in 1/s, shape (k,); zero for steady motion along cyclic coordinates."""
    vectors: Complex
    """Eigenvectors of y = (q, u, x), shape (nq + nu + nx, k); the largest entry in q is 1."""

    neutral: NDArray[np.bool_]
    """Flags of eigenvalues that may lie on the imaginary axis, shape (k,). Their real part is
    within rounding, as without damping."""
    zeros: int
    """Number of zero eigenvalues from cyclic coordinates and speeds, and from sticking contacts."""

    @property
    def frequencies(self) -> Vector:
        """Damped frequencies |Im λ|/2π, shape (k,), in Hz; 0 for overdamped motions."""
        return np.abs(self.eigenvalues.imag) / (2.0 * np.pi)

    @property
    def natural_frequencies(self) -> Vector:
        """Natural frequencies |λ|/2π, shape (k,), in Hz."""
        return np.abs(self.eigenvalues) / (2.0 * np.pi)

    @property
    def damping_ratios(self) -> Vector:
        """Damping ratios -Re λ/|λ|, shape (k,); 1: overdamped, negative: growing, 0: `neutral`."""
        sizes = np.abs(self.eigenvalues)
        real = np.where(self.neutral, 0.0, self.eigenvalues.real)
        return np.asarray(0.0 - real / np.where(sizes > 0.0, sizes, 1.0))

    @property
    def growth(self) -> float:
        """Largest real part of a nonzero eigenvalue, in 1/s; 0 if neutral, -inf if none exists."""
        real = np.where(self.neutral, 0.0, self.eigenvalues.real)
        return float(real[self.eigenvalues != 0.0].max(initial=-np.inf))

    @property
    def shapes(self) -> Complex:
        """Mode shapes in the coordinates of the system, shape (nq, k), with the largest entry 1."""
        return self.vectors[: self.system.nq]

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def __repr__(self) -> str:
        kind = "undamped modes" if self.undamped else "modes"
        pairs = zip(self.system.contact_names, self.contact_state.tolist(), strict=True)
        contacts = ", ".join(f"{name}: {ContactState(code).label}" for name, code in pairs)
        lines = [f"{len(self)} {kind} of {self.system.name}"]
        lines += [f"  {contacts}"] if contacts else []
        for i in range(len(self)):
            shape = self.shapes[:, i]
            parts = [
                f"{name} {_short(complex(value))}"
                for name, value in zip(self.system.coordinates, shape, strict=True)
                if abs(value) > 1e-3
            ]
            ratio = round(float(self.damping_ratios[i]), 9) + 0.0
            moving = ", ".join(parts)
            lines.append(f"  {self.frequencies[i]:.6g} Hz  damping {ratio:.4g}: {moving}")
        return "\n".join(lines)


def modes(
    system: SystemLike,
    q: ArrayLike | State | Equilibrium | None = None,
    contact_state: Mapping[str, str] | None = None,
    *,
    u: ArrayLike | None = None,
    x: ArrayLike | None = None,
    t: float | None = None,
    undamped: bool = False,
    frozen: bool = False,
) -> ModalAnalysis:
    """Compute frequencies, damping and shapes of small motions with given contact states.

    Closed contacts stay closed and sticking contacts stick. Sliding contacts continue to slide,
    with the friction of their normal force and slip speed. Zero eigenvalues that only reflect other
    rest positions of sticking contacts are omitted.

    Parameters
    ----------
    system : System or Model
    q : (nq,) array_like, State or Equilibrium, optional
        The position. Default: the equilibrium near ``system.initial_state``, see
        :func:`equilibrium`. An equilibrium also determines the contact states, and whether there is
        friction.
    contact_state : mapping of str to str, optional
        ``"open"``, ``"stick"``, ``"slip +"``, ``"slip -"`` by contact, ``"closed"``, ``"open"`` by
        force element. Default: as for :func:`equilibrium`, and the force elements that act at the
        position.
    u, x : (nu,) and (nx,) array_like, optional
        Velocities of a steady motion, such as sliding at constant speed, and internal states.
        Default: those of the State, otherwise zero.
    t : float, optional
        Time at which the system is evaluated, in s. Default: that of the start.
    undamped : bool
        Omit the damping, that is, forces along velocities except gyroscopic ones, which are the
        antisymmetric part of their derivative. Internal states remain constant.
    frozen : bool
        Linearise even if forces are not in balance, or if contacts given as closed are not. The
        eigenvalues are those of ∂f/∂y at the state, where ẏ = f(y). They describe how motions
        separate over a short time.

    Returns
    -------
    ModalAnalysis

    Raises
    ------
    ValueError
        If names are unknown, q̇ ≠ u, states do not fit, or forces are out of balance without
        `frozen`.
    AnalysisError
        If no position is given and no equilibrium is found.

    Examples
    --------
    The bird of the woodpecker toy, with a jammed sleeve (Pfeiffer & Glocker, section 14.1):

    >>> import nsmb
    >>> from nsmb import analysis
    >>> toy = nsmb.systems.woodpecker()
    >>> jammed = {"lower": "stick"}
    >>> round(float(analysis.modes(toy, None, jammed).frequencies[-1]), 2)
    9.1
    """
    system = as_system("system", system)
    check_system(system)
    contacts, elements = _split(system, as_mapping("contact_state", contact_state, "states"))
    if q is None:
        q = equilibrium(system, contact_state=contacts)
    begin = _start(system, q, u, x, t)
    if isinstance(q, Equilibrium) and not contact_state:
        states, acting, friction = q.contact_state, q.rest.acting, q.rest.friction
    else:
        states, friction = states_of(system, begin, contacts, begin.u), True
        acting = _acting(system, begin, elements)
    rest = Rest(system, begin.t, begin.q, begin.x, states, acting, friction)
    y = np.concatenate([begin.q, begin.u, begin.x])
    if not frozen:
        _check_balance(rest, y)
    motions = (conservative_motions if undamped else small_motions)(rest, y)
    found = eigenvectors(motions)
    zeros = motions.A.shape[0] - found.values.size
    values, order = _one_of_each_pair(found.values)
    places = _without_set(rest, found.places)
    values = np.concatenate([np.zeros(places.shape[1]), values])
    neutral = np.concatenate([np.ones(places.shape[1], dtype=np.bool_), found.neutral[order]])
    vectors = _normalized(np.hstack([places, found.vectors[:, order]]), system.nq)
    return ModalAnalysis(
        system, begin, states, acting, bool(undamped), values, vectors, neutral, zeros
    )


def _split(system: System, given: Mapping[str, str]) -> tuple[dict[str, str], dict[str, bool]]:
    contacts: dict[str, str] = {}
    elements: dict[str, bool] = {}
    for name, state in given.items():
        if name in system.elements:
            where = f"contact_state: {name}"
            elements[name] = one_of(where, state, ("closed", "open")) == "closed"
        else:
            contacts[name] = state
    return contacts, elements


def _start(
    system: System,
    q: ArrayLike | State | Equilibrium,
    u: ArrayLike | None,
    x: ArrayLike | None,
    t: float | None,
) -> State:
    if isinstance(q, Equilibrium):
        if q.system is not system:
            raise ValueError(
                "q: must be an equilibrium of this system, got an equilibrium of another system"
            )
        q = q.state
    if not isinstance(q, State):
        place = as_array("q", q, (system.nq,))
        q = State(system.initial_state.t, place, np.zeros(system.nu), np.zeros(system.nx))
    speeds = q.u if u is None else as_array("u", u, (system.nu,))
    given = as_states("x", q.x if x is None else x, system._core.nx_own, system.nx)
    states = np.zeros(system.nx)
    states[: given.size] = given
    return State(q.t if t is None else float(as_array("t", t, ())), q.q, speeds, states)


def _acting(system: System, start: State, given: Mapping[str, bool]) -> tuple[str, ...]:
    found = acting_elements(system, start.t, start.q, start.x) if system.ne else ()
    return tuple(name for name in system.elements if given.get(name, name in found))


def _check_balance(rest: Rest, y: Vector) -> None:
    """Raise ValueError unless the state is one of rest or of steady motion."""
    system = rest.system
    missed = np.abs(constraint_values(system, rest.t, y, rest.states)).max(initial=0.0)
    remedy = (
        "Find an equilibrium with analysis.equilibrium, or pass frozen=True to linearise anyway."
    )
    if missed > _CLOSED:
        raise ValueError(f"q: a contact given as closed has an error of {missed:.3g}. {remedy}")
    rates = rest.rates(y)
    udot = rates[system.nq : system.nq + system.nu]
    force = system.mass_matrix(rest.t, y[: system.nq]) @ udot
    left = float(np.abs(force).max(initial=0.0))
    x = y[system.nq + system.nu :]
    drift = float(np.abs(rates[system.nq + system.nu :]).max(initial=0.0))
    size = float(np.abs(x).max(initial=1.0))
    if left > _BALANCED * rest.force_scale or drift > _BALANCED * size:
        states = f" and internal states that change at {drift:.3g}" if x.size else ""
        raise ValueError(
            f"q: must be in balance, got a residual force of {left:.3g}{states}. {remedy}"
        )


def _one_of_each_pair(values: Complex) -> tuple[Complex, NDArray[np.intp]]:
    """Return values without negative imaginary part, by increasing modulus, and their indices."""
    real = np.abs(values.imag) <= _REAL * np.abs(values)
    values = np.where(real, values.real, values)
    kept = np.flatnonzero(values.imag >= 0.0)
    order = kept[np.lexsort((values.imag[kept], np.abs(values[kept])))]
    return values[order], order


def _without_set(rest: Rest, places: Vector) -> Vector:
    """Return the directions of position along which no sticking contact slips."""
    slip = rest.W_T0[:, rest.stick].T @ places[: rest.system.nq]
    if slip.size == 0:
        return places
    _, sizes, Vt = np.linalg.svd(slip)
    return np.asarray(places @ Vt[int((sizes > 1e-6).sum()) :].T)


def _normalized(vectors: Complex, nq: int) -> Complex:
    """Return vectors whose largest entry among the moving coordinates, or among all, is 1."""
    found = vectors.astype(np.complex128)
    for vector in found.T:
        places = np.abs(vector[:nq])
        size = places.max(initial=0.0)
        moves = size > 1e-9 * np.abs(vector).max()
        vector /= vector[first_of_largest(places if moves else np.abs(vector))]
    return found


def _short(value: complex) -> str:
    if abs(value.imag) <= 1e-3 * abs(value):
        return f"{value.real:.4g}"
    return f"{value:.4g}"
