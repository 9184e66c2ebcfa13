"""Set-valued and switching laws at the samples of a period, with their derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import system as _system
from nsmb.system.contact_info import ContactInfo

__all__ = ["ElementForce", "FrictionLaw", "element_force", "project_normal"]

Vector = NDArray[np.float64]
_TURNS = 3  # of the period until the wall has forgotten where it began
_STEP = 1e-6  # relative, for the slope of a friction curve


@dataclass(frozen=True, eq=False)
class Moves:
    """A matrix (N, N) with few entries."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: Vector


_NONE = Moves(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))


@dataclass(frozen=True, eq=False)
class ElementForce:
    """ζ of one force element over the period, (N,), and what it depends on."""

    zeta: Vector
    by_distance: Vector
    """(N,) ∂ζ/∂γ at the same sample."""
    by_others: Moves
    """∂ζ/∂γ besides: begin and end of contact move with the distances beside them."""
    by_rate: Vector
    """(N,) ∂ζ/∂γ̇"""
    wall: Vector
    """(N,) γ_w; of laws without a wall 0."""


def element_force(
    element: _system.ForceElementDescription, gamma: Vector, rate: Vector, step: float
) -> ElementForce:
    """(3.16)-(3.23) at samples `step` s apart. A sample stands for the step around it: of the one
    in which contact begins only the part behind the begin counts, so that ζ is continuous in γ."""
    elastic = -element.c * gamma
    full = elastic - element.d * rate
    law, n = element.law, gamma.size
    wall = np.zeros(n)
    if law == _system.ElementLaw.Clipped:  # (3.18)
        on = (full > 0.0).astype(np.float64)
        return ElementForce(on * full, -element.c * on, _NONE, -element.d * on, wall)
    if law == _system.ElementLaw.RelaxingWall:
        closed, wall, free = _contact_phases(element, gamma, full, step)
        size = full
        share, moved = _shares(closed, gamma - free, ends=False)
    else:
        closed = gamma < 0.0
        size = elastic if law == _system.ElementLaw.ElasticGap else full
        share, moved = _shares(closed, gamma, ends=True)
    damping = 0.0 if law == _system.ElementLaw.ElasticGap else -element.d
    others = Moves(moved.rows, moved.columns, size[moved.rows] * moved.values)
    return ElementForce(share * size, -element.c * share, others, damping * share, wall)


def _contact_phases(
    element: _system.ForceElementDescription, gamma: Vector, full: Vector, step: float
) -> tuple[NDArray[np.bool_], Vector, Vector]:
    """Where the wall is touched, the wall, relaxing (3.20) or carried along (3.22), and where it
    would be had nothing touched it since the sample before."""
    closed, wall = np.zeros(gamma.size, dtype=np.bool_), np.zeros(gamma.size)
    free = np.zeros(gamma.size)
    relaxed = np.exp(-element.c / element.d * step)
    touches, at = False, 0.0
    for _ in range(_TURNS):
        for k in range(gamma.size):
            at *= relaxed
            free[k] = at
            # closing is kinematic (3.21), opening kinetic (3.23)
            touches = bool(full[k] > 0.0) if touches else bool(gamma[k] < at and full[k] > 0.0)
            if touches:
                at = float(gamma[k])
            closed[k], wall[k] = touches, at
    return closed, wall, free


def _shares(closed: NDArray[np.bool_], distance: Vector, *, ends: bool) -> tuple[Vector, Moves]:
    """(N,) how much of the step around each sample has contact, and how that moves.

    Contact begins at the zero of the distance between two samples; it ends there, too, or, where
    `ends` is false, when the force has fallen to zero, so that no more of a step than its square
    is left out."""
    n = closed.size
    share, moved = closed.astype(np.float64), []
    changes = closed != np.roll(closed, -1)
    for k in np.flatnonzero(changes if ends else changes & ~closed):
        after = (k + 1) % n
        left, right = distance[k], distance[after]
        if not left * right < 0.0:
            continue
        place = left / (left - right)  # of the zero, in steps behind sample k
        slope = np.array([-right, left]) / (left - right) ** 2
        sign = 1.0 if closed[k] else -1.0
        at, gain = (k, place - 0.5) if place < 0.5 else (after, place - 0.5)
        share[at] += sign * gain
        moved += [(at, k, sign * slope[0]), (at, after, sign * slope[1])]
    if not moved:
        return share, _NONE
    rows, columns, values = (np.array(part) for part in zip(*moved, strict=True))
    return share, Moves(rows, columns, values)


def project_normal(force: Vector, gap: Vector, rho: float) -> tuple[Vector, Vector]:
    """max(0, λ - ρ g), and where it is not zero."""
    pushed = force - rho * gap
    on = pushed > 0.0
    return np.where(on, pushed, 0.0), on.astype(np.float64)


class FrictionLaw:
    """Friction of one contact: projection of λ_T - ρ γ_T onto |λ_T| <= bound + μ λ_N."""

    def __init__(self, contact: ContactInfo, rho: float) -> None:
        self.rho = rho
        self._law = contact.law
        curve = contact.law.curve
        self._curve = None if curve is None else curve._core(contact.law.mu)

    def coefficient(self, slip: Vector) -> tuple[Vector, Vector]:
        """μ and dμ/d|γ_T| at slip speeds (N,)."""
        if self._curve is None:
            return np.full(slip.size, self._law.mu), np.zeros(slip.size)
        h = _STEP * max(1e-3, float(slip.max(initial=0.0)))
        values = [[self._curve.coefficient(v) for v in (s, s + h)] for s in slip.tolist()]
        low, high = np.array(values).T
        return low, (high - low) / h

    def project(self, force: Vector, gamma: Vector, size: Vector) -> tuple[Vector, Vector, Vector]:
        """At samples of λ_T and γ_T (N, d) and of the radius (N,): the projection (N, d), its
        derivative by λ_T - ρ γ_T (N, d, d), and by the radius (N, d)."""
        pushed = force - self.rho * gamma
        norm = np.linalg.norm(pushed, axis=1)
        slides = norm > size
        with np.errstate(divide="ignore", invalid="ignore"):
            unit = np.where(slides[:, None], pushed / norm[:, None], 0.0)
            shrink = np.where(slides, size / norm, 1.0)
        value = np.where(slides[:, None], size[:, None] * unit, pushed)
        eye = np.eye(force.shape[1])
        by_push = shrink[:, None, None] * (eye - unit[:, :, None] * unit[:, None, :])
        return value, by_push, unit
