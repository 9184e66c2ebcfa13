"""The steady start of a loaded machine: constant speeds, constant internal states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.errors import AnalysisError
from nsmb.analysis.equilibria.equilibria import (
    check_system,
    start_of,
    states_of,
)
from nsmb.analysis.equilibria.rest import Rest, acting_elements
from nsmb.analysis.equilibria.steady_equations import SteadyEquations
from nsmb.common.arguments import as_array, as_mapping, as_names, fraction, unknown_name, whole
from nsmb.common.html import ShownAsTable
from nsmb.events.enums import ContactState
from nsmb.instant.accelerations import accelerations
from nsmb.system.base import State, System, SystemLike, as_system

__all__ = ["SteadyStart", "steady_start"]

Vector = NDArray[np.float64]

_POLISHED = 5  # steps of Newton's method after SciPy's solver
_CLOSE = 1e-6  # residual allowed after the move towards the start; later steps remove it
_HELD = 1e-6  # relative to the forces: accelerations allowed when the laws act freely


@dataclass(frozen=True, eq=False, repr=False)
class SteadyStart(ShownAsTable):
    """A state that continues with constant velocities and internal states."""

    system: System
    """The system with the parameters that were found."""
    t: float
    q: Vector
    """Coordinates, shape (nq,)."""
    u: Vector
    """Velocities, shape (nu,)."""
    x: Vector
    """Internal states, shape (nx,)."""
    contact_state: NDArray[np.int8]
    """Values of `nsmb.ContactState`, shape (nc,)."""
    acting: tuple[str, ...]
    """Names of the active force elements."""
    lambda_N: Vector
    """Normal forces, shape (nc,), in N."""
    lambda_T: Vector
    """Friction forces, shape (nt,), in N."""
    lambda_B: Vector
    """Constraint forces, shape (nb,)."""
    found: Mapping[str, float]
    """Values of the free parameters."""
    residual: float
    """Residual of the equations, in units of their largest terms."""

    @property
    def state(self) -> State:
        """The state as the start of a run."""
        return State(self.t, self.q, self.u, self.x)

    def __repr__(self) -> str:
        system = self.system
        groups = (
            zip(system.coordinates, self.q.tolist(), strict=True),
            zip(system.labels.velocities, self.u.tolist(), strict=True),
            zip(system.states, self.x.tolist(), strict=True),
            self.found.items(),
        )
        lines = [f"Steady start of {system.name}: residual {self.residual:.1e}"]
        lines += ["  " + ", ".join(f"{name} {value:.8g}" for name, value in g) for g in groups]
        states = zip(system.contact_names, self.contact_state.tolist(), strict=True)
        lines.append("  " + ", ".join(f"{n}: {ContactState(c).label}" for n, c in states))
        if self.acting:
            lines.append(f"  acting: {', '.join(self.acting)}")
        return "\n".join(line for line in lines if line.strip())


def steady_start(
    system: SystemLike,
    *,
    start: State | None = None,
    speeds: Mapping[str, float] | None = None,
    free: Sequence[str] = (),
    contact_state: Mapping[str, str] | None = None,
    acting: Sequence[str] | None = None,
    tol: float = 1e-9,
    max_iterations: int = 200,
) -> SteadyStart:
    """Find the state from which a machine runs steadily: u̇ = 0 and ẋ = 0.

    Unknowns are coordinates, velocities, internal states, the forces of closed contacts and
    constraints, and free parameters. The motion may change the coordinates only such that all
    quantities in the equations stay constant. For example, a chain of shafts may rotate as a whole,
    and on a grid of given frequency it rotates with the grid. Unknowns that the equations do not
    determine, such as the angle of such a chain or its speed without load, keep their values at the
    start. Use :func:`equilibrium` for a state of rest and its stability.

    Parameters
    ----------
    system : System or Model
    start : State, optional
        Initial guess. Default: ``system.initial_state``.
    speeds : mapping of str to float, optional
        Prescribed velocities. If no load can adapt to them, `free` must name as many parameters.
    free : sequence of str
        Parameters to be determined, such as the torque of a drive or the excitation of a generator.
    contact_state : mapping of str to str, optional
        ``"open"``, ``"stick"``, ``"slip +"``, ``"slip -"`` by contact. Default: as at the start,
        with contacts within 1 µm closed.
    acting : sequence of str, optional
        Names of the switching force elements that act. Default: those that act at the start.
    tol : float
        Tolerance on the residual of the equations, in units of their largest terms.
    max_iterations : int

    Returns
    -------
    SteadyStart

    Raises
    ------
    ValueError
        If names are unknown, states do not fit, velocities are not the rates of the coordinates
        (quaternions), or the system depends on time so that no motion leaves it unchanged.
    AnalysisError
        If there is no such state near the start, or if the contacts change their states.

    Examples
    --------
    A motor of torque M_0 - k ω drives a flywheel with bearing friction d ω over a shaft:

    >>> import nsmb
    >>> from nsmb import analysis, symbolic
    >>> q = motor, wheel = symbolic.coordinates("motor wheel")
    >>> omega, Omega = symbolic.velocities(*q)
    >>> p = symbolic.parameters(J=0.1, c=50.0, M_0=8.0, k=0.03, d=0.01)
    >>> drive = symbolic.LagrangianSystem(
    ...     q,
    ...     kinetic=p.J * (omega**2 + Omega**2) / 2,
    ...     potential=p.c * (motor - wheel) ** 2 / 2,
    ...     forces={motor: p.M_0 - p.k * omega, wheel: -p.d * Omega},
    ...     parameters=p,
    ... )
    >>> here = analysis.steady_start(drive)
    >>> here.u.round(9), round(float(here.q[0] - here.q[1]), 9)  # M_0/(k + d), d ω/c
    (array([200., 200.]), 0.04)
    >>> run = nsmb.simulate(drive, t_end=1.0, start=here.state)
    >>> half = analysis.steady_start(drive, speeds={"wheel": 100.0}, free=["M_0"])
    >>> round(half.found["M_0"], 9)
    4.0
    """
    system = as_system("system", system)
    check_system(system)
    begin = start_of(system, start)
    tolerance = fraction("tol", tol)
    iterations = whole("max_iterations", max_iterations, 1)
    given = _speeds(system, as_mapping("speeds", speeds, "numbers"))
    parameters = _free(system, free)
    states = states_of(system, begin, contact_state, begin.u)
    acts = _acting(system, begin, acting)
    rest = Rest(system, begin.t, begin.q, begin.x, states, acts)
    equations = SteadyEquations(rest, begin.u, given, parameters)
    z, residual, message = _solve(equations, iterations)
    if not residual <= tolerance:
        raise AnalysisError(
            f"no steady start near the start: the equations miss {residual:.3g} of their largest "
            f"terms ({message}); give a start nearer to it, other contact states, or parameters "
            "to find in `free`"
        )
    return _checked(equations, z, residual)


def _speeds(system: System, speeds: Mapping[str, float]) -> dict[int, float]:
    names = system.labels.velocities
    found: dict[int, float] = {}
    for name, value in speeds.items():
        if name in names:
            i = names.index(name)
        elif name in system.coordinates:
            i = system.coordinates.index(name)
        else:
            raise unknown_name("speeds: velocity", name, names)
        if i in found:
            raise ValueError(f"speeds: expected one number for {names[i]!r}, got two")
        found[i] = float(as_array(f"speeds[{name!r}]", value, ()))
    return found


def _free(system: System, free: Sequence[str]) -> tuple[str, ...]:
    found = as_names("free", free)
    for name in found:
        if name not in system.parameters:
            raise unknown_name("free: parameter", name, list(system.parameters))
    if found:  # raises for a system that cannot be rebuilt
        system.with_parameters(**{name: float(system.parameters[name]) for name in found})
    return found


def _acting(system: System, begin: State, acting: Sequence[str] | None) -> tuple[str, ...]:
    if acting is None:
        return acting_elements(system, begin.t, begin.q, begin.x, begin.u)
    names = as_names("acting", acting)
    for name in names:
        if name not in system.elements:
            raise unknown_name("acting: force element", name, system.elements)
    return names


def _solve(equations: SteadyEquations, iterations: int) -> tuple[Vector, float, str]:
    """Return the unknowns, their residual, and the message of SciPy."""
    from scipy.optimize import root

    z = equations.start
    size = np.abs(equations.derivative(z)).max(axis=1)
    # Scale the equations. The Levenberg-Marquardt method needs as many equations as unknowns.
    row = np.where(size > 0.0, size, 1.0)
    missing = max(z.size - equations.size, 0)

    def function(z: Vector) -> Vector:
        return np.append(equations.residual(z) / row, np.zeros(missing))

    def derivative(z: Vector) -> Vector:
        return np.vstack([equations.derivative(z) / row[:, None], np.zeros((missing, z.size))])

    options = {"maxiter": 100 * iterations, "xtol": 1e-14, "ftol": 1e-15}
    try:
        found = root(function, z, jac=derivative, method="lm", options=options)
    except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
        return z, np.inf, str(error)
    message = " ".join(str(found.message).split())
    return *_polished(equations, np.asarray(found.x)), message


def _polished(equations: SteadyEquations, z: Vector) -> tuple[Vector, float]:
    """Return the solution to rounding, as near to the start as undetermined unknowns allow."""
    residual = equations.missed(z)
    for turn in range(_POLISHED):
        J = equations.derivative(z)
        size = np.abs(J).max(axis=1, keepdims=True)
        row = np.where(size > 0.0, size, 1.0)
        inverse = np.linalg.pinv(J / row, rcond=1e-12)
        better = z - inverse @ (equations.residual(z) / row[:, 0])
        if turn == 0:
            away = better - equations.start
            better = better - (away - inverse @ (J / row @ away))
        missed = equations.missed(better)
        if not (missed < residual or (turn == 0 and missed < 1e3 * residual + _CLOSE)):
            break
        z, residual = better, missed
    return z, residual


def _checked(equations: SteadyEquations, z: Vector, residual: float) -> SteadyStart:
    """Return the start if the laws of contacts and elements maintain it."""
    q, u, x, forces, values = equations.split(z)
    rest = equations.rest_at(values)
    system, t = rest.system, rest.t
    x = _with_walls(system, t, q, x, rest.acting)
    acts = acting_elements(system, t, q, x, u)
    if set(acts) != set(rest.acting):
        raise AnalysisError(
            f"no steady start with these force elements: {', '.join(rest.acting) or 'none'} were "
            f"assumed to act, but {', '.join(acts) or 'none'} would act. Pass acting={acts!r}."
        )
    lambda_N, lambda_T, lambda_B = rest.contact_forces(q, u, x, forces)
    # Contacts whose gaps are slightly open due to rounding are closed, too.
    gaps = system.contact_kinematics(t, q, u)["g_N"] if system.nc else np.zeros(0)
    near = 1e-9 + 2.0 * float(np.abs(gaps[rest.closed]).max(initial=0.0))
    here = accelerations(
        system, t, q, u, x, acting=acts, gap_tolerance=near, rest_velocity=1e-7, max_size=0
    )
    if here.udot is None:
        raise AnalysisError("no steady start: contacts have no accelerations there")
    apart = np.abs(system.mass_matrix(t, q) @ here.udot)
    if (apart > _HELD * equations.force_terms(z)).any():
        worst = system.labels.velocities[int(np.argmax(apart))]
        states = zip(system.contact_names, rest.states.tolist(), strict=True)
        taken = ", ".join(f"{name}: {ContactState(code).label}" for name, code in states)
        raise AnalysisError(
            f"no steady start with these contact states ({taken}): if the contacts act freely, "
            f"{worst!r} accelerates by {float(apart.max()):.3g}. Pass other states in "
            "contact_state."
        )
    return SteadyStart(
        system=system,
        t=t,
        q=q,
        u=u,
        x=x,
        contact_state=rest.states,
        acting=acts,
        lambda_N=lambda_N,
        lambda_T=lambda_T,
        lambda_B=lambda_B,
        found=dict(zip(equations.free, values.tolist(), strict=True)),
        residual=residual,
    )


def _with_walls(system: System, t: float, q: Vector, x: Vector, acting: tuple[str, ...]) -> Vector:
    """Return x with the walls of active elements at the mass (3.22), and relaxed otherwise."""
    found = x.copy()
    if system.ne:
        distances = system.element_kinematics(t, q)["gamma"].tolist()
        gamma = dict(zip(system.elements, distances, strict=True))
        for i, name in enumerate(system.states):
            if i >= system._core.nx_own:
                element = name.rpartition(".")[0]
                found[i] = gamma[element] if element in acting else 0.0
    return found
