"""Set-valued and switching laws at the samples of a period, with their derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import system as _system
from nsmb.system.contact_info import ContactInfo

__all__ = ["ElementForce", "FrictionLaw", "element_force", "project_normal"]

Vector = NDArray[np.float64]
_TURNS = 3  # periods until the wall has forgotten its initial position
_STEP = 1e-6  # relative step for the slope of a friction curve


@dataclass(frozen=True, eq=False)
class Moves:
    """A sparse matrix, shape (N, N)."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: Vector


_NONE = Moves(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))


@dataclass(frozen=True, eq=False)
class ElementForce:
    """The force ζ of one force element over the period, shape (N,), and its derivatives."""

    zeta: Vector
    by_distance: Vector
    """Derivative ∂ζ/∂γ at the same sample, shape (N,)."""
    by_others: Moves
    """Other derivatives ∂ζ/∂γ: start and end of contact move with the neighbouring distances."""
    by_rate: Vector
    """Derivative ∂ζ/∂γ̇, shape (N,)."""
    wall: Vector
    """Wall γ_w, shape (N,); 0 for laws without a wall."""


def element_force(
    element: _system.ForceElementDescription, gamma: Vector, rate: Vector, step: float
) -> ElementForce:
    """Return the force (3.16)-(3.23) at samples that are `step` s apart.

    Each sample represents the step around it. If contact starts within this step, only the part
    after the start counts, so that ζ is continuous in γ.
    """
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
    """Return the contact flags, the wall, and the wall without contact since the sample before.

    The wall relaxes (3.20) or is carried along (3.22).
    """
    closed, wall = np.zeros(gamma.size, dtype=np.bool_), np.zeros(gamma.size)
    free = np.zeros(gamma.size)
    relaxed = np.exp(-element.c / element.d * step)
    touches, at = False, 0.0
    for _ in range(_TURNS):
        for k in range(gamma.size):
            at *= relaxed
            free[k] = at
            # Closing is kinematic (3.21), opening is kinetic (3.23).
            touches = bool(full[k] > 0.0) if touches else bool(gamma[k] < at and full[k] > 0.0)
            if touches:
                at = float(gamma[k])
            closed[k], wall[k] = touches, at
    return closed, wall, free


def _shares(closed: NDArray[np.bool_], distance: Vector, *, ends: bool) -> tuple[Vector, Moves]:
    """Return the share of contact in the step around each sample, (N,), and its derivative.

    Contact starts at the zero of the distance between two samples. If `ends` is true, it also ends
    there. Otherwise it ends when the force has fallen to zero. The neglected part of a step is then
    of second order.
    """
    n = closed.size
    share, moved = closed.astype(np.float64), []
    changes = closed != np.roll(closed, -1)
    for k in np.flatnonzero(changes if ends else changes & ~closed):
        after = (k + 1) % n
        left, right = distance[k], distance[after]
        if not left * right < 0.0:
            continue
        place = left / (left - right)  # position of the zero, in steps after sample k
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
    """Return max(0, λ - ρ g), and 1 where it is positive, 0 elsewhere."""
    pushed = force - rho * gap
    on = pushed > 0.0
    return np.where(on, pushed, 0.0), on.astype(np.float64)


class FrictionLaw:
    """The friction of one contact: projection of λ_T - ρ γ_T onto |λ_T| <= bound + μ λ_N."""

    def __init__(self, contact: ContactInfo, rho: float) -> None:
        self.rho = rho
        self._law = contact.law
        curve = contact.law.curve
        self._curve = None if curve is None else curve._core(contact.law.mu)

    def coefficient(self, slip: Vector) -> tuple[Vector, Vector]:
        """Return μ and dμ/d|γ_T| at slip speeds, shape (N,)."""
        if self._curve is None:
            return np.full(slip.size, self._law.mu), np.zeros(slip.size)
        h = _STEP * max(1e-3, float(slip.max(initial=0.0)))
        values = [[self._curve.coefficient(v) for v in (s, s + h)] for s in slip.tolist()]
        low, high = np.array(values).T
        return low, (high - low) / h

    def project(self, force: Vector, gamma: Vector, size: Vector) -> tuple[Vector, Vector, Vector]:
        """Return the projection (N, d) at samples of λ_T and γ_T (N, d) and of the radius (N,).

        In addition, return its derivatives by λ_T - ρ γ_T (N, d, d) and by the radius (N, d).
        """
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
