"""A single impact: impulses, velocities and energies of its phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import complementarity as _complementarity
from nsmb._core import contact_laws as _contact_laws
from nsmb.common.arguments import one_of
from nsmb.instant.contact_equations import ContactEquations, contact_equations, tangent_rows
from nsmb.system.base import System, SystemLike, as_system

__all__ = ["Impact", "impact"]

Floats = NDArray[np.float64]
Law = Literal["poisson", "newton", "moreau"]

_LAWS = {
    "poisson": _contact_laws.ImpactLaw.Poisson,
    "newton": _contact_laws.ImpactLaw.Newton,
    "moreau": _contact_laws.ImpactLaw.Moreau,
}


@dataclass(frozen=True, eq=False)
class Impact:
    """The result of :func:`impact`, with A before, C at the end of compression, and E after it.

    Impact laws with one phase have no C. Their impulses of compression are zero, and u_C is u_A.
    """

    success: bool
    """True if the impact law was solved; otherwise the numbers below are not meaningful."""
    message: str
    """Reason for a failure; empty on success."""
    u_A: Floats
    """Velocities before the impact, as given, shape (nu,)."""
    u_C: Floats
    """Velocities at the end of compression, shape (nu,)."""
    u_E: Floats
    """Velocities after the impact, shape (nu,)."""
    Lambda_NC: Floats
    """Normal impulses of compression, shape (nc,), in N s."""
    Lambda_TC: Floats
    """Tangential impulses of compression, shape (nt,), in N s."""
    Lambda_NE: Floats
    """Normal impulses of expansion, shape (nc,), in N s."""
    Lambda_TE: Floats
    """Tangential impulses of expansion, shape (nt,), in N s."""
    T_A: float
    """Kinetic energy ½ uᵀMu before the impact, in J."""
    T_C: float
    """Kinetic energy at the end of compression, in J."""
    T_E: float
    """Kinetic energy after the impact, in J."""
    compression_change: float
    """T_C - T_A from impulses and velocities, ``½ Λ_Cᵀ(γ_C + γ_A) - Λ_Cᵀw̃`` (8.52), in J."""
    expansion_change: float
    """T_E - T_C from impulses and velocities, in J."""
    poisson_change: float
    """T_E - T_A from (8.56), in J, for the Poisson impact law without moving contacts (w̃ = 0);
    otherwise NaN."""
    residual: float
    """Residual of the complementarity problems."""
    equations: ContactEquations
    """M, h, W, w_tilde and the index sets; contacts in `I_S` take part in the impact."""

    @property
    def Lambda_N(self) -> Floats:
        """Normal impulses of the whole impact, shape (nc,), in N s."""
        return self.Lambda_NC + self.Lambda_NE

    @property
    def Lambda_T(self) -> Floats:
        """Tangential impulses of the whole impact, shape (nt,), in N s."""
        return self.Lambda_TC + self.Lambda_TE

    def velocities(self, u: ArrayLike) -> tuple[Floats, Floats]:
        """Return γ_N (nc,) and γ_T (nt,) of the contacts at velocities `u`, e.g. `u_C` (4.38)."""
        e, velocity = self.equations, np.asarray(u, dtype=np.float64)
        return e.W_N.T @ velocity + e.w_tilde_N, e.W_T.T @ velocity + e.w_tilde_T

    def __repr__(self) -> str:
        if not self.success:
            return f"Impact: not solved, {self.message}"
        return f"Impact: {self.T_A:.6g} J before, {self.T_C:.6g} J, {self.T_E:.6g} J after"


def impact(
    system: SystemLike,
    t: float,
    q: ArrayLike,
    u: ArrayLike,
    *,
    law: Law = "poisson",
    gap_tolerance: float = 1e-9,
) -> Impact:
    """Return the impulses of all closed contacts at (t, q, u), and the velocities after the impact.

    Parameters
    ----------
    system : System or Model
    t, q, u : float, (nq,), (nu,)
        Time, coordinates, and velocities before the impact.
    law : {"poisson", "newton", "moreau"}
        Impact law, as ``impact_law`` of :class:`nsmb.EventDriven`.
    gap_tolerance : float
        Gap tolerance, m; contacts with g_N below it take part (8.1).

    Returns
    -------
    Impact
        Result of the impact; check ``success`` before using it.

    Raises
    ------
    ValueError
        If a shape is wrong, a value is NaN, or the law is unknown.

    References
    ----------
    Pfeiffer & Glocker, *Multibody Dynamics with Unilateral Contacts*, sections 7.2, 8.2-8.4.

    Examples
    --------
    A ball of 2 kg strikes the floor at 3 m/s. The impact has two phases:

    >>> import nsmb
    >>> floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=0.5))
    >>> ball = nsmb.LinearSystem([[2.0]], contacts=[floor])
    >>> strike = nsmb.instant.impact(ball, 0.0, [0.0], [-3.0], law="poisson")
    >>> strike.Lambda_NC, strike.Lambda_NE, strike.u_E
    (array([6.]), array([3.]), array([1.5]))
    >>> strike.T_A, strike.T_C, strike.T_E
    (9.0, 0.0, 2.25)
    """
    system = as_system("system", system)
    one_of("law", law, _LAWS)
    e = contact_equations(system, t, q, u, None, gap_tolerance, 0.0)
    W = np.hstack([e.W_N, e.W_T])
    r = _contact_laws.solve_impact(
        W.T @ e.Minv @ W,
        e.gamma_N,
        e.gamma_T,
        [contact.law._core() for contact in system.contacts],
        e.I_S.tolist(),
        _LAWS[law],
        [contact._core(system.contacts) for contact in system.contacts],
    )
    success = r["status"] == _complementarity.LcpStatus.SOLVED
    Lambda_NC, Lambda_TC = r["Lambda_NC"], r["Lambda_TC"]
    Lambda_NE, Lambda_TE = r["Lambda_N"] - Lambda_NC, r["Lambda_T"] - Lambda_TC
    Lambda_C = np.concatenate([Lambda_NC, Lambda_TC])
    Lambda_E = np.concatenate([Lambda_NE, Lambda_TE])
    w_tilde = np.concatenate([e.w_tilde_N, e.w_tilde_T])
    u_C = e.u + e.Minv @ W @ Lambda_C
    u_E = u_C + e.Minv @ W @ Lambda_E
    gamma_A, gamma_C, gamma_E = (W.T @ v + w_tilde for v in (e.u, u_C, u_E))

    def change(Lambda: Floats, before: Floats, after: Floats) -> float:
        return float(0.5 * Lambda @ (before + after) - Lambda @ w_tilde)  # (8.52)

    poisson = np.nan
    if law == "poisson" and not w_tilde.any():
        poisson = _poisson_change(system, W.T @ e.Minv @ W, Lambda_C, Lambda_E, gamma_C, gamma_E)
    phase = "expansion" if r["in_expansion"] else "compression"
    return Impact(
        success=success,
        message="" if success else f"the problem of {phase} ended with {r['status'].name.lower()}",
        u_A=e.u,
        u_C=u_C,
        u_E=u_E,
        Lambda_NC=Lambda_NC,
        Lambda_TC=Lambda_TC,
        Lambda_NE=Lambda_NE,
        Lambda_TE=Lambda_TE,
        T_A=float(0.5 * e.u @ e.M @ e.u),
        T_C=float(0.5 * u_C @ e.M @ u_C),
        T_E=float(0.5 * u_E @ e.M @ u_E),
        compression_change=change(Lambda_C, gamma_A, gamma_C),
        expansion_change=change(Lambda_E, gamma_C, gamma_E),
        poisson_change=poisson,
        residual=r["residual"],
        equations=e,
    )


def _poisson_change(
    system: System,
    G: Floats,
    Lambda_C: Floats,
    Lambda_E: Floats,
    gamma_C: Floats,
    gamma_E: Floats,
) -> float:
    """Return T_E - T_A from (8.56)."""
    e_N = np.array([contact.law.e_N for contact in system.contacts])
    e_T = np.zeros(system.nt)
    for i, (contact, rows) in enumerate(zip(system.contacts, tangent_rows(system), strict=True)):
        normal = i if contact.is_unilateral else -1
        if contact.normal is not None:
            normal = system.contact_names.index(contact.normal)
        e_T[rows] = e_N[normal] if normal >= 0 else 0.0
    restored = np.concatenate([e_N, e_T]) * Lambda_C
    Lambda_P = Lambda_E - restored
    return float(
        -0.5 * Lambda_C @ G @ Lambda_C
        - 0.5 * Lambda_P @ G @ Lambda_P
        + 0.5 * restored @ G @ restored
        + Lambda_C @ gamma_C
        + Lambda_P @ gamma_E
        + restored @ gamma_C
    )
