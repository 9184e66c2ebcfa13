"""Accelerations and contact forces at one instant, and their uniqueness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb._core import contact_laws as _contact_laws
from nsmb._core import simulation as _simulation
from nsmb._core import system as _system
from nsmb.common.arguments import as_array, as_states, unknown_name
from nsmb.system.base import System, SystemLike, as_system

__all__ = ["AccelerationSolution", "Accelerations", "accelerations"]

Vector = NDArray[np.float64]
Case = Literal["detachment", "contact", "non-unique", "inconsistent", "unknown"]
Role = Literal["absent", "may stick", "slides +", "slides -", "frictionless"]

_ROLES: dict[_contact_laws.ContactRole, Role] = {
    _contact_laws.ContactRole.Absent: "absent",
    _contact_laws.ContactRole.Candidate: "may stick",
    _contact_laws.ContactRole.SlidesPositive: "slides +",
    _contact_laws.ContactRole.SlidesNegative: "slides -",
    _contact_laws.ContactRole.Frictionless: "frictionless",
}
_LARGEST = 24  # maximum number of unknowns, as in the core
_SAME = 1e-8  # relative tolerance for equal accelerations, as in the core


@dataclass(frozen=True, eq=False)
class AccelerationSolution:
    """One solution of the contact laws at the acceleration level (6.35)."""

    udot: Vector
    """Accelerations u̇, shape (nu,), in m/s²."""
    lambda_N: Vector
    """Normal forces, shape (nc,), in N."""
    lambda_T: Vector
    """Tangential forces, shape (nt,), in N."""
    gammadot_N: Vector
    """Normal relative accelerations, also of open contacts, shape (nc,), in m/s²."""
    gammadot_T: Vector
    """Tangential relative accelerations, shape (nt,), in m/s²."""


@dataclass(frozen=True, eq=False)
class Accelerations:
    """The result of :func:`accelerations`."""

    udot: Vector | None
    """Accelerations u̇ of the solution that a simulation selects, shape (nu,), in m/s². This and
    the next four attributes are None if no solution was found."""
    lambda_N: Vector | None
    """Normal forces, shape (nc,), in N."""
    lambda_T: Vector | None
    """Tangential forces, shape (nt,), in N."""
    gammadot_N: Vector | None
    """Normal relative accelerations, shape (nc,), in m/s²."""
    gammadot_T: Vector | None
    """Tangential relative accelerations, shape (nt,), in m/s²."""
    roles: tuple[Role, ...]
    """Role of each contact: ``absent`` (open, or with γ_N ≠ 0), ``may stick`` (closed, γ_T = 0),
    ``slides +`` or ``slides -`` (always ``+`` with two tangential directions), ``frictionless``."""
    solutions: tuple[AccelerationSolution, ...]
    """All solutions found by enumeration: isolated solutions, and some of every continuum. Empty if
    there is none, or if `enumerated` is False."""
    enumerated: bool
    """True if all complementary cones were searched."""
    unique_forces: bool | None
    """True if there is exactly one solution; None if there is none or they were not enumerated."""
    unique_accelerations: bool | None
    """True if all solutions have the same u̇; None if there is none or they were not enumerated."""
    case: Case
    """Case, as for Painlevé's rod (5.3). ``detachment``: one acceleration, and a contact opens.
    ``contact``: one acceleration, and no contact opens. ``non-unique``: several accelerations.
    ``inconsistent``: proven to have no solution. ``unknown``: not enumerated."""
    residual: float
    """Residual of the complementarity problem of the selected solution."""


def accelerations(
    system: SystemLike,
    t: float,
    q: ArrayLike,
    u: ArrayLike,
    x: ArrayLike | None = None,
    *,
    gap_tolerance: float = 1e-9,
    rest_velocity: float = 1e-9,
    acting: Sequence[str] | None = None,
    max_size: int = 16,
) -> Accelerations:
    """Return accelerations and contact forces at (t, q, u, x), with all other solutions.

    The contact laws are solved at the acceleration level (6.35), for contacts that are closed and
    have no normal velocity. All solutions of small planar problems are enumerated. Velocities do
    not change: approaching contacts, which would have an impact, are not included.

    Parameters
    ----------
    system : System or Model
    t, q, u, x : float, (nq,), (nu,), (nx,)
        Time and state; internal states default to zero, with walls of force elements at rest.
    gap_tolerance : float
        Gap tolerance, m; contacts with g_N below it are closed.
    rest_velocity : float
        Velocity tolerance, m/s; relative velocities below it count as zero.
    acting : sequence of str, optional
        Force elements that act. Default: those that act in a simulation from this state.
    max_size : int
        Maximum number of unknowns for enumeration, at most 24, because there are up to 2^max_size
        cones. A normal force is one unknown, and a contact that may stick has two more.

    Returns
    -------
    Accelerations

    Raises
    ------
    ValueError
        If a shape is wrong, a value is NaN, a force element is unknown, or a tolerance or
        `max_size` is out of range.

    Examples
    --------
    Painlevé's rod slides to the right at 60° (5.35). No acceleration satisfies the contact laws if
    the rod rotates slowly, and two do if it rotates fast:

    >>> import numpy as np, nsmb
    >>> for omega in (1.0, 5.0):
    ...     rod = nsmb.systems.sliding_rod(phi=np.radians(60.0), omega=omega)
    ...     start = rod.initial_state
    ...     a = nsmb.instant.accelerations(rod, start.t, start.q, start.u)
    ...     print(a.case, len(a.solutions), a.unique_accelerations)
    inconsistent 0 None
    non-unique 2 False
    """
    system = as_system("system", system)
    time = float(as_array("t", t, ()))
    position, velocity = as_array("q", q, (system.nq,)), as_array("u", u, (system.nu,))
    given = as_states("x", () if x is None else x, system._core.nx_own, system.nx)
    states = np.zeros(system.nx)
    states[: given.size] = given
    for name, value in (("gap_tolerance", gap_tolerance), ("rest_velocity", rest_velocity)):
        if not float(as_array(name, value, ())) >= 0.0:
            raise ValueError(f"{name}: expected a number >= 0, got {value}")
    if not isinstance(max_size, int | np.integer) or not 0 <= max_size <= _LARGEST:
        raise ValueError(f"max_size: expected an integer from 0 to {_LARGEST}, got {max_size!r}")
    if acting is None:
        acting = _acting(system, time, position, velocity, states)
    for name in acting:
        if name not in system.elements:
            raise unknown_name("acting: force element", name, system.elements)
    mode = _system.ElementMode
    found = _simulation.solve_instant(
        system._core,
        time,
        np.concatenate([position, velocity, states]),
        [mode.Closed if name in acting else mode.Open for name in system.elements],
        gap_tolerance,
        rest_velocity,
        int(max_size),
    )
    kinematics = system.contact_kinematics(time, position, velocity, x=states)
    Minv = np.linalg.inv(system.mass_matrix(time, position))
    h = system.forces(time, position, velocity, states)
    return _judge(found, kinematics, np.abs(Minv), np.abs(h))


def _acting(system: System, t: float, q: Vector, u: Vector, x: Vector) -> list[str]:
    """Return the force elements that act at the start of a simulation from here."""
    if system.ne == 0:
        return []
    start = _simulation.EventDriven(
        system._core, start_tolerance=float(np.finfo(np.float64).max), dense_output=False
    )
    start.reset(t, q, u, x)
    start.advance(t)
    return [name for name, mode in zip(system.elements, start.element_mode, strict=True) if mode]


def _judge(
    found: dict[str, Any], kinematics: dict[str, Vector], abs_Minv: Vector, abs_h: Vector
) -> Accelerations:
    status = _complementarity.LcpStatus
    has_one = found["status"] == status.SOLVED
    enumerated = found["enumeration"] in (status.SOLVED, status.NO_SOLUTION)
    solutions = tuple(AccelerationSolution(**s) for s in found["solutions"]) if enumerated else ()
    unique_forces = unique = None
    if solutions:
        unique_forces = len(solutions) == 1
        sizes = [_size(s, kinematics, abs_Minv, abs_h) for s in solutions]
        spread = np.ptp([s.udot for s in solutions], axis=0)
        unique = bool((spread <= _SAME * np.max(sizes, axis=0)).all())
    roles = tuple(_ROLES[role] for role in found["roles"])
    case: Case = "unknown"
    if status.NO_SOLUTION in (found["status"], found["enumeration"]) and not solutions:
        case = "inconsistent"
    elif unique is not None:
        opens = _opens(solutions[0], roles, kinematics, sizes[0])
        case = "non-unique" if not unique else "detachment" if opens else "contact"
    nothing = dict.fromkeys(("udot", "lambda_N", "lambda_T", "gammadot_N", "gammadot_T"))
    return Accelerations(
        **(found["found"] if has_one else nothing),
        roles=roles,
        solutions=solutions,
        enumerated=enumerated,
        unique_forces=unique_forces,
        unique_accelerations=unique,
        case=case,
        residual=found["residual"],
    )


def _size(
    solution: AccelerationSolution, kinematics: dict[str, Vector], abs_Minv: Vector, abs_h: Vector
) -> Vector:
    """Return the sum of magnitudes of all terms of u̇, the scale of its rounding, (nu,)."""
    normal = np.abs(kinematics["W_N"]) @ np.abs(solution.lambda_N)
    tangential = np.abs(kinematics["W_T"]) @ np.abs(solution.lambda_T)
    return np.asarray(abs_Minv @ (abs_h + normal + tangential))


def _opens(
    solution: AccelerationSolution,
    roles: Sequence[Role],
    kinematics: dict[str, Vector],
    size: Vector,
) -> bool:
    """Return True if a closed contact opens."""
    rounding = np.abs(kinematics["W_N"]).T @ size + np.abs(kinematics["w_bar_N"])
    touching = np.array([role != "absent" for role in roles], dtype=np.bool_)
    return bool((touching & (solution.gammadot_N > _SAME * rounding)).any())
