"""States of rest for given contact states, their stability, and sets of sticking positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.errors import AnalysisError
from nsmb.analysis.common.records import made_when_asked
from nsmb.analysis.equilibria.rest import (
    Rest,
    RestEvaluation,
    acting_elements,
    friction_bound,
    friction_size,
)
from nsmb.analysis.equilibria.small_motions import neutral_values, small_motions
from nsmb.analysis.orbits.newton import newton
from nsmb.analysis.orbits.tangent import invariant_coordinates, invariant_in_time
from nsmb.common.arguments import as_array, as_mapping, as_states, fraction, unknown_name, whole
from nsmb.common.html import ShownAsTable
from nsmb.events.enums import ContactState
from nsmb.system.base import State, System, SystemLike, as_system

__all__ = ["Equilibrium", "StickSet", "equilibrium"]

Vector = NDArray[np.float64]
States = NDArray[np.int8]

_TOUCHING = 1e-6  # m
_TRIES = 3
_SLOW = 1e-9  # m/s; slower slip counts as none
_ALLOWED = 1e-9  # of negative margins, in units of the forces and in m


@made_when_asked("system", "rest")
@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(ShownAsTable):
    """A state of rest, u = 0."""

    system: System
    t: float
    q: Vector
    """Coordinates, shape (nq,)."""
    x: Vector
    """Internal states, shape (nx,)."""
    contact_state: States
    """Values of `nsmb.ContactState`, shape (nc,); sliding contacts rest on a moving counterpart."""
    lambda_N: Vector
    """Normal forces, shape (nc,), in N."""
    lambda_T: Vector
    """Friction forces, shape (nt,), in N."""
    lambda_B: Vector
    """Constraint forces, shape (nb,)."""
    margins: Mapping[str, float]
    """Distances from the limits of the contact states: ``"gap wall"`` in m for open contacts,
    ``"force floor"`` in N for closed ones (λ_N), ``"friction floor"`` in N for sticking ones
    (β + μ λ_N - |λ_T|). A negative margin violates the contact laws."""
    eigenvalues: NDArray[np.complex128]
    """Eigenvalues of small motions with constant contact states, by falling real part, in 1/s."""
    eigenvalue_kinds: tuple[str, ...]
    """``""``, or ``"set"`` for zero eigenvalues of sticking contacts that can rest elsewhere."""
    residual: float
    """Residual forces, in units of the forces of the system."""
    rest: Rest
    neutral: NDArray[np.bool_] | None = None
    """Flags of eigenvalues that may lie on the imaginary axis, shape (k,). Their real part is
    within rounding, as for an undamped pair. None if unknown, in older files."""

    @property
    def admissible(self) -> bool:
        """True if the contact laws hold, that is, if no margin is negative."""
        scale = self.rest.force_scale
        return all(
            margin >= -_ALLOWED * (1.0 if name.startswith("gap") else scale)
            for name, margin in self.margins.items()
        )

    @property
    def stable(self) -> bool:
        """True if small motions that keep the contact states decay, by more than rounding.

        Zero eigenvalues of sticking contacts are ignored.
        """
        own, neutral = self._own
        return bool(((own.real < 0.0) & ~neutral).all())

    @property
    def marginal(self) -> bool:
        """True if some small motions neither decay nor grow by more than rounding, and none grows.

        The linearisation then does not determine the stability. An equilibrium that is neither
        `stable` nor `marginal` is unstable.
        """
        own, neutral = self._own
        return bool(neutral.any() and not ((own.real >= 0.0) & ~neutral).any())

    @property
    def _own(self) -> tuple[NDArray[np.complex128], NDArray[np.bool_]]:
        """The eigenvalues without those of sticking contacts, and which of them are neutral."""
        own = np.array([kind == "" for kind in self.eigenvalue_kinds], dtype=np.bool_)
        neutral = np.zeros(own.size, dtype=np.bool_) if self.neutral is None else self.neutral
        return self.eigenvalues[own], neutral[own]

    @property
    def parameters(self) -> Mapping[str, float]:
        """Parameters of the system."""
        return self.system.parameters

    @property
    def state(self) -> State:
        """The state as the start of a run."""
        return State(self.t, self.q, np.zeros(self.system.nu), self.x)

    def stick_set(self, *, tol: float = 1e-10) -> StickSet:
        """Return the set of rest positions around this equilibrium with its sticking contacts.

        Each coordinate is minimised and maximised within the limits of friction and contacts, by
        sequential quadratic programming. The result is exact to rounding for linear equations.
        Unbounded coordinates, such as that of a block on a level floor, get infinite limits.

        Parameters
        ----------
        tol : float
            Tolerance of the optimisation.

        Returns
        -------
        StickSet

        Raises
        ------
        ValueError
            If the equilibrium is not admissible or has no sticking contact.
        AnalysisError
            If the optimisation fails.

        Examples
        --------
        A mass on a spring and a stationary belt rests within μ m g/c = 40 mm of the middle:

        >>> import nsmb
        >>> from nsmb import analysis
        >>> here = analysis.equilibrium(nsmb.systems.belt_oscillator(v_B=0.0))
        >>> low, high = here.stick_set()["x"]
        >>> round(low, 6), round(high, 6)
        (-0.04, 0.04)
        """
        return _stick_set(self, tol)

    def __repr__(self) -> str:
        word = "stable" if self.stable else "marginally stable" if self.marginal else "unstable"
        if not self.admissible:
            word = "not admissible (a negative margin)"
        places = zip(self.system.coordinates, self.q.tolist(), strict=True)
        lines = [f"Equilibrium of {self.system.name}, {word}"]
        lines.append("  " + ", ".join(f"{name} {value:.8g}" for name, value in places))
        states = zip(self.system.contact_names, self.contact_state.tolist(), strict=True)
        if self.system.nc:
            lines.append(
                "  " + ", ".join(f"{name}: {ContactState(code).label}" for name, code in states)
            )
        lines.append(f"  margins: {', '.join(f'{k} {v:.4g}' for k, v in self.margins.items())}")
        return "\n".join(lines)


def equilibrium(
    system: SystemLike,
    *,
    start: State | None = None,
    contact_state: Mapping[str, str] | None = None,
    tol: float = 1e-11,
    max_iterations: int = 50,
) -> Equilibrium:
    """Find a state of rest near a start, by Newton's method.

    Unknowns are the coordinates, internal states and forces. A sticking contact does not move from
    its position at the start. Other positions may be equilibria too, see
    :meth:`Equilibrium.stick_set`.

    Parameters
    ----------
    system : System or Model
        Must not depend on time; belts that run at constant speed are allowed.
    start : State, optional
        Initial guess, whose velocities are ignored. Default: ``system.initial_state``.
    contact_state : mapping of str to str, optional
        ``"open"``, ``"stick"``, ``"slip +"``, ``"slip -"`` by contact. By default, contacts within
        1 µm are closed. They slide if the other side moves or if there is no friction, and stick
        otherwise.
    tol : float
        Tolerance on the forces, in units of the forces of the system.
    max_iterations : int

    Returns
    -------
    Equilibrium
        The equilibrium. Contact states that violate the contact laws have a negative margin.

    Raises
    ------
    ValueError
        If the system depends on time, contacts are unknown, states do not fit, or q̇ ≠ u.
    AnalysisError
        If there is no equilibrium near the start.

    Examples
    --------
    With falling friction, the mass does not come to rest on a slow belt.

    >>> import nsmb
    >>> from nsmb import analysis
    >>> here = analysis.equilibrium(nsmb.systems.belt_oscillator())
    >>> round(float(here.q[0]), 6), here.stable
    (0.025275, False)
    """
    system = as_system("system", system)
    check_system(system)
    begin = start_of(system, start)
    tolerance = fraction("tol", tol)
    iterations = whole("max_iterations", max_iterations, 1)
    y = np.concatenate([begin.q, np.zeros(system.nu), begin.x])
    if not invariant_in_time(system, [(begin.t, y)]):
        raise ValueError(
            f"system: must not depend on time, got {system.name!r}, which does. Use "
            "periodic_orbit to find its periodic motions."
        )
    states = states_of(system, begin, contact_state, np.zeros(system.nu))
    acting = acting_elements(system, begin.t, begin.q, begin.x)
    rest = Rest(system, begin.t, begin.q, begin.x, states, acting)
    found = newton(
        rest.evaluate,
        rest.start(begin.q, begin.x),
        tol=tolerance,
        max_iterations=iterations,
        remedy="give a start nearer to the state of rest, or other contact states",
    )
    if not found.converged or found.evaluation is None:
        raise AnalysisError(f"no equilibrium near the start: {found.message}")
    return equilibrium_of(rest, found.evaluation)


def check_system(system: System) -> None:
    """Raise ValueError unless this is a system whose velocities are the rates of coordinates."""
    as_system("system", system)
    if system.nq != system.nu:
        raise ValueError(
            f"system: must have as many velocities as coordinates, got {system.nu} and {system.nq}"
        )


def start_of(system: System, start: State | None) -> State:
    """Return `start`, or the initial state of the system, with all internal states."""
    begin = system.initial_state if start is None else start
    if not isinstance(begin, State):
        raise ValueError(
            f"start: must be a nsmb.State, got {start!r}. Create one with nsmb.State(t, q, u)."
        )
    given = as_states("start.x", begin.x, system._core.nx_own, system.nx)
    x = np.zeros(system.nx)
    x[: given.size] = given
    return State(
        float(as_array("start.t", begin.t, ())),
        as_array("start.q", begin.q, (system.nq,)),
        as_array("start.u", begin.u, (system.nu,)),
        x,
    )


def touching(system: System, start: State) -> tuple[str, ...]:
    """Return the names of the contacts that are closed by default."""
    g_N = system.contact_quantities(start.t, start.q, np.zeros(system.nu))["g_N"]
    pairs = zip(system.contacts, g_N.tolist(), strict=True)
    return tuple(c.name for c, gap in pairs if c.is_unilateral and gap <= _TOUCHING)


def states_of(
    system: System, start: State, contact_state: Mapping[str, str] | None, u: Vector
) -> States:
    """Return the given contact states, and the others from gaps and slip at velocities u.

    Raises
    ------
    ValueError
        If a contact or a state is unknown, or if a sticking contact slips.
    """
    given = as_mapping("contact_state", contact_state, "states")
    for name in given:
        if name not in system.contact_names:
            raise unknown_name("contact_state: contact", name, system.contact_names)
    quantities = system.contact_quantities(start.t, start.q, u)
    x = start.x if np.size(start.x) else None
    bound = system.contact_kinematics(start.t, start.q, u, x=x)["bound"]
    labels = {state.label: state for state in ContactState}
    states = np.zeros(system.nc, dtype=np.int8)
    first = 0
    for i, contact in enumerate(system.contacts):
        gamma_T = quantities["gamma_T"][first : first + contact.tangents]
        first += contact.tangents
        moving = float(np.linalg.norm(gamma_T)) > _SLOW
        wanted = given.get(contact.name)
        if wanted is not None:
            if not isinstance(wanted, str) or wanted not in labels:
                raise unknown_name(f"contact_state: {contact.name}", wanted, list(labels))
            states[i] = labels[wanted]
        elif contact.is_unilateral and quantities["g_N"][i] > _TOUCHING:
            states[i] = ContactState.OPEN
        elif not moving and (contact.law.mu > 0.0 or bound[i] > 0.0):
            states[i] = ContactState.STICK
        elif contact.tangents == 2:
            states[i] = ContactState.SLIP
        else:
            positive = gamma_T[0] >= 0.0
            states[i] = ContactState.SLIP_POSITIVE if positive else ContactState.SLIP_NEGATIVE
        if states[i] == ContactState.STICK and moving and not u.any():
            raise ValueError(
                f"contact_state: {contact.name!r} must slip or be open, because its counterpart "
                f"moves at {float(np.linalg.norm(gamma_T)):.4g} m/s, got 'stick'."
            )
    for i, contact in enumerate(system.contacts):
        if contact.bounded or contact.normal is None or contact.name in given:
            continue
        if states[system.contact_names.index(contact.normal)] == ContactState.OPEN:
            states[i] = ContactState.OPEN
    return states


def equilibrium_of(rest: Rest, found: RestEvaluation) -> Equilibrium:
    """Return the equilibrium that a solution of the equations of rest represents."""
    system = rest.system
    found = rest.spread(found)
    y = np.concatenate([found.q, np.zeros(system.nu), found.x])
    invariant = invariant_coordinates(system, [(rest.t, y)])
    motions = small_motions(rest, y, invariant)
    values = np.linalg.eigvals(motions.A).astype(np.complex128)
    neutral = neutral_values(motions.A, motions.error, values)
    zeros = _zeros_of_set(system, motions.B, invariant)
    # The zero eigenvalues of sticking contacts are the ones nearest to zero.
    of_set = set(np.argsort(np.abs(values))[:zeros].tolist())
    order = sorted(range(values.size), key=lambda i: (-values[i].real, -values[i].imag))
    return Equilibrium(
        system=system,
        t=rest.t,
        q=found.q,
        x=found.x,
        contact_state=rest.states,
        lambda_N=found.lambda_N,
        lambda_T=found.lambda_T,
        lambda_B=found.lambda_B,
        margins=margins_of(rest, found),
        eigenvalues=values[order],
        eigenvalue_kinds=tuple("set" if i in of_set else "" for i in order),
        residual=float(np.abs(found.F).max(initial=0.0)),
        rest=rest,
        neutral=neutral[order],
    )


def _zeros_of_set(system: System, basis: Vector, invariant: NDArray[np.bool_]) -> int:
    """Return the number of zero eigenvalues due to other rest positions of sticking contacts."""
    in_q = np.linalg.matrix_rank(basis[: system.nq], tol=1e-6)
    # The basis excludes velocities along coordinates on which nothing depends.
    speeds = basis[system.nq : system.nq + system.nu][~invariant[: system.nq]]
    in_u = np.linalg.matrix_rank(speeds, tol=1e-6)
    return max(int(in_q) - int(in_u), 0)


def margins_of(rest: Rest, found: RestEvaluation) -> dict[str, float]:
    """See :attr:`Equilibrium.margins`."""
    system = rest.system
    g_N = system.contact_kinematics(rest.t, found.q, np.zeros(system.nu))["g_N"]
    margins: dict[str, float] = {}
    for i, contact in enumerate(system.contacts):
        if contact.is_unilateral and rest.states[i] == ContactState.OPEN:
            margins[f"gap {contact.name}"] = float(g_N[i])
        elif contact.is_unilateral:
            margins[f"force {contact.name}"] = float(found.lambda_N[i])
        if rest.states[i] == ContactState.STICK:
            force = friction_size(contact, found.lambda_T[rest.owner == i])
            bound = friction_bound(rest, i, found.q, found.x, found.lambda_N)
            margins[f"friction {contact.name}"] = bound - force
    return margins


@dataclass(frozen=True, eq=False)
class StickSet:
    """The set of rest positions of a system with given contacts sticking."""

    coordinates: tuple[str, ...]
    lower: Vector
    """Smallest value of each coordinate, shape (nq,)."""
    upper: Vector
    """Largest value of each coordinate, shape (nq,)."""
    lower_q: Vector
    """Row i: the position at which coordinate i is smallest, shape (nq, nq)."""
    upper_q: Vector
    """Row i: the position at which coordinate i is largest, shape (nq, nq)."""

    def __getitem__(self, name: str) -> tuple[float, float]:
        """Return the interval of a coordinate."""
        if name not in self.coordinates:
            raise unknown_name("coordinate", name, self.coordinates)
        i = self.coordinates.index(name)
        return float(self.lower[i]), float(self.upper[i])


def _stick_set(here: Equilibrium, tol: float) -> StickSet:
    """See :meth:`Equilibrium.stick_set`."""
    from scipy.linalg import null_space
    from scipy.optimize import minimize

    if not (here.contact_state == ContactState.STICK).any():
        raise ValueError(
            "stick_set: must start from an equilibrium with a sticking contact, got none. Give the "
            "state 'stick' in contact_state."
        )
    if not here.admissible:
        raise ValueError(
            f"stick_set: must start from an admissible equilibrium, got margins {here.margins}. "
            "Find one with other contact states."
        )
    rest, system = here.rest, here.system
    start = rest.start(here.q, here.x)
    y = np.concatenate([here.q, np.zeros(system.nu), here.x])
    endless = invariant_coordinates(system, [(rest.t, y)])[: system.nq]
    kept = rest.balance_rows()

    def balance(z: Vector) -> Vector:
        return rest.evaluate(z).F[kept]

    def balance_rate(z: Vector) -> Vector:
        return rest.evaluate(z).J[kept]

    def slack(z: Vector) -> Vector:
        return rest.slack(z)

    constraints: list[dict[str, Any]] = [
        {"type": "eq", "fun": balance, "jac": balance_rate},
        {"type": "ineq", "fun": slack},
    ]
    movable = np.abs(null_space(balance_rate(start), rcond=1e-9)).max(axis=1, initial=0.0) > 1e-6
    limits = np.array([here.q, here.q])
    places = np.tile(here.q, (2, system.nq, 1))
    for i in np.flatnonzero(movable[: system.nq]).tolist():
        for k, sign in enumerate((1.0, -1.0)):
            if endless[i]:
                limits[k, i], places[k, i] = -sign * np.inf, here.q
                continue
            goal = sign * np.eye(start.size)[i]
            begin = start
            for _ in range(_TRIES):
                found = minimize(
                    lambda z, goal=goal: float(goal @ z),
                    begin,
                    jac=lambda z, goal=goal: goal,
                    constraints=constraints,
                    method="SLSQP",
                    options={"ftol": tol, "maxiter": 500},
                )
                if found.success:
                    break
                # The line search may fail by rounding close to the limit.
                begin = start + 0.9 * (found.x - start)
            if not found.success:
                raise AnalysisError(
                    f"stick_set: {system.coordinates[i]!r} must have a limit, got none from the "
                    f"optimisation ({found.message}). Contacts that hold any load have no limit."
                )
            limits[k, i], places[k, i] = found.x[i], found.x[: system.nq]
    return StickSet(tuple(system.coordinates), limits[0], limits[1], places[0], places[1])
