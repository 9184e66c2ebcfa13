"""The rest position of a system without friction in its contacts, (13.5)-(13.7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.errors import AnalysisError
from nsmb.analysis.equilibria.equilibria import (
    Equilibrium,
    check_system,
    equilibrium_of,
    start_of,
    touching,
)
from nsmb.analysis.equilibria.rest import Rest, acting_elements
from nsmb.analysis.orbits.newton import newton
from nsmb.common.arguments import as_names, fraction, unknown_name, whole
from nsmb.events.enums import ContactState
from nsmb.system.base import State, System, SystemLike, as_system

__all__ = ["static_start"]

Vector = NDArray[np.float64]

_FREE = 1e-9  # relative to the largest singular value; a smaller one is an unsupported direction
_ALLOWED = 1e-9  # tolerance on forces, in units of the forces, and on gaps in m


def static_start(
    system: SystemLike,
    closed: Sequence[str] | None = None,
    *,
    start: State | None = None,
    tol: float = 1e-12,
    max_iterations: int = 50,
) -> Equilibrium:
    """Find the state of rest with given contacts closed and without friction.

    Solve ``h(q_0) + W_N λ_N0 + W_B λ_B0 = 0`` with ``g_N(q_0) = 0`` and ``g(q_0) = 0``. A run with
    friction from this state has no transient of closing contacts. With friction, the forces may not
    be unique; this state is the one whose contacts stick with λ_T = 0.

    Parameters
    ----------
    system : System or Model
        Forces that depend on time are evaluated at the time of the start. Build the system without
        excitation if they should not act.
    closed : sequence of str, optional
        Names of the closed contacts, whose gaps at the start may differ from zero. Default: those
        within 1 µm.
    start : State, optional
        Initial guess, whose velocities are ignored. Default: ``system.initial_state``.
    tol : float
        Tolerance on the forces, in units of the forces of the system.
    max_iterations : int

    Returns
    -------
    Equilibrium
        Its ``state`` is the start of a run, and ``lambda_N`` are the contact forces. Eigenvalues
        and `stable` refer to the system without friction. Closed contacts are treated as sliding
        with μ = 0. Use :func:`nsmb.analysis.continuation` to follow it over a parameter.

    Raises
    ------
    ValueError
        If a contact does not exist or has no gap, or if q̇ ≠ u.
    AnalysisError
        If there is no such state near the start, a closed contact would have to pull, or another
        contact would penetrate. The message gives a remedy.

    Examples
    --------
    A block of 2 kg comes to rest on its floor, from a position above it:

    >>> import numpy as np, nsmb
    >>> from nsmb import analysis
    >>> floor = nsmb.Contact(w_N=[1.0], name="floor", law=nsmb.ContactLaw(mu=0.3))
    >>> block = nsmb.LinearSystem([[2.0]], force=[-19.62], contacts=[floor])
    >>> above = nsmb.State(0.0, np.ones(1), np.zeros(1))
    >>> here = analysis.static_start(block, ["floor"], start=above)
    >>> [round(float(value), 9) + 0.0 for value in (here.q[0], here.lambda_N[0])]
    [0.0, 19.62]

    References
    ----------
    Pfeiffer & Glocker, (13.5)-(13.7).
    """
    system = as_system("system", system)
    check_system(system)
    begin = start_of(system, start)
    tolerance = fraction("tol", tol)
    iterations = whole("max_iterations", max_iterations, 1)
    names = touching(system, begin) if closed is None else _checked(system, closed)
    acting = acting_elements(system, begin.t, begin.q, begin.x)
    rest = Rest(system, begin.t, begin.q, begin.x, _states(system, names), acting, friction=False)
    found = newton(
        rest.evaluate,
        rest.start(begin.q, begin.x),
        tol=tolerance,
        max_iterations=iterations,
        remedy="give a start nearer to the state of rest, or other contacts in 'closed'",
    )
    if found.evaluation is None or not found.converged:
        loose = "" if found.evaluation is None else _loose(system, found.evaluation.J)
        raise AnalysisError(f"no static start: {loose}{found.message}")
    here = equilibrium_of(rest, found.evaluation)
    for name, margin in here.margins.items():
        kind, _, contact = name.partition(" ")
        if kind == "force" and margin < -_ALLOWED * rest.force_scale:
            raise AnalysisError(
                f"no static start: contact {contact!r} would have to pull with {-margin:.4g} N; "
                "leave it out of 'closed'"
            )
        if kind == "gap" and margin < -_ALLOWED:
            raise AnalysisError(
                f"no static start: contact {contact!r} would penetrate by {-margin:.4g} m; name it "
                "in 'closed', or give another start"
            )
    return here


def _checked(system: System, closed: Sequence[str]) -> tuple[str, ...]:
    names = as_names("closed", closed)
    for name in names:
        if name not in system.contact_names:
            raise unknown_name("closed: contact", name, system.contact_names)
        if not system.contacts[system.contact_names.index(name)].is_unilateral:
            raise ValueError(f"closed: expected contacts with a gap, got {name!r}, friction alone")
    return names


def _states(system: System, closed: Sequence[str]) -> NDArray[np.int8]:
    """Return the states: closed contacts and pure friction contacts slide without friction."""
    states = np.zeros(system.nc, dtype=np.int8)
    for i, contact in enumerate(system.contacts):
        if contact.name in closed or not contact.is_unilateral:
            one_way = contact.tangents == 1
            states[i] = ContactState.SLIP_POSITIVE if one_way else ContactState.SLIP
    return states


def _loose(system: System, J: Vector) -> str:
    """Return a message about an unsupported direction where Newton's method failed."""
    if not np.isfinite(J).all():
        return ""
    _, sizes, Vt = np.linalg.svd(J)
    if sizes[-1] > _FREE * sizes[0]:
        return ""
    i = int(np.argmax(np.abs(Vt[-1][: system.nq])))
    return (
        f"nothing holds {system.coordinates[i]!r}; name the contact that does in 'closed', or add "
        "a spring; "
    )
