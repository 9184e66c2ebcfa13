"""Statistics of impacts: moments, phases, the noise measure (12.9), losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.summary import spread
from nsmb.analysis.maps.points import SectionPoints
from nsmb.analysis.maps.sections import EventSection
from nsmb.analysis.orbits.orbit import PeriodicOrbit
from nsmb.common.arguments import as_number
from nsmb.common.html import ShownAsTable
from nsmb.events.enums import EventKind
from nsmb.solution.solution import Solution
from nsmb.system.base import System
from nsmb.system.linear import LinearSystem

__all__ = ["ImpactStatistics", "impact_statistics"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ImpactStatistics(ShownAsTable):
    """The impacts of a motion, see :func:`impact_statistics`.

    Histograms are those of NumPy: ``np.histogram(statistics.phases, 36, (0.0, 2.0 * np.pi))``.
    """

    system: System
    t: Vector
    """(n,) s, instants with impacts."""
    y_minus: Vector
    """(n, ny) y = (q, u, x) before."""
    y_plus: Vector
    """(n, ny) behind."""
    Lambda_N: Vector
    """(n, nc) N s"""
    dissipation: Vector
    """(n,) J lost, -½ Λᵀ(γ⁺ + γ⁻): without what moving obstacles give or take."""
    period: float | None
    """s, of the phases; None: the motion is not forced."""

    def __len__(self) -> int:
        return int(self.t.size)

    @property
    def noise(self) -> float:
        """N s, the noise measure (12.9): mean of `impulses` over all impacts."""
        return float(self.impulses.mean())

    @property
    def impulses(self) -> Vector:
        """(n,) N s, the sum of |Λ_N| over all contacts at each instant."""
        return np.asarray(np.abs(self.Lambda_N).sum(axis=1))

    @property
    def noise_by_contact(self) -> dict[str, float]:
        """N s, what each contact adds to `noise`."""
        means = np.abs(self.Lambda_N).mean(axis=0)
        return dict(zip(self.system.contact_names, means.tolist(), strict=True))

    @property
    def intervals(self) -> Vector:
        """(n - 1,) s, times between neighbouring impacts."""
        return np.diff(self.t)

    @property
    def rate(self) -> float:
        """1/s, impacts per time."""
        return float((len(self) - 1) / self._duration())

    @property
    def power(self) -> float:
        """W, mean loss in impacts per time."""
        return float(self.dissipation[1:].sum() / self._duration())

    @property
    def phases(self) -> Vector:
        """(n,) rad in [0, 2π): τ = 2π t / period.

        Raises
        ------
        ValueError
            Without a period.
        """
        if self.period is None:
            raise ValueError("period: expected a number for phases, got None; give period=...")
        turns = self.t / self.period
        return np.asarray(2.0 * np.pi * (turns - np.floor(turns)))

    def J(self, n: int) -> float:
        """J_n = E[cosⁿ τ], moments of the phases (12.22)."""
        return float((np.cos(self.phases) ** n).mean())

    def moment(self, name: str, order: int = 2, side: Literal["minus", "plus"] = "plus") -> float:
        """Mean of a power of a component of the state, before or behind the impacts.

        Raises
        ------
        ValueError
            For an unknown component or side.
        """
        if side not in ("minus", "plus"):
            raise ValueError(f"side: expected 'minus' or 'plus', got {side!r}")
        table = self.y_plus if side == "plus" else self.y_minus
        return float((table[:, self.system.labels.component(name)] ** order).mean())

    def __repr__(self) -> str:
        lines = [
            f"ImpactStatistics of {self.system.name}: {len(self)} impacts, t from "
            f"{spread(self.t)} s",
            f"  noise {self.noise:.6g} N s",
        ]
        if len(self) > 1 and self._duration() > 0.0:
            lines.append(f"  rate {self.rate:.6g} 1/s, power {self.power:.6g} W")
        return "\n".join(lines)

    def _duration(self) -> float:
        if len(self) < 2:
            raise ValueError(f"impacts: expected two or more for a rate, got {len(self)}")
        return float(self.t[-1] - self.t[0])


def impact_statistics(
    source: Solution | SectionPoints | PeriodicOrbit,
    *,
    contact: str | None = None,
    t_start: float | None = None,
    period: float | None = None,
) -> ImpactStatistics:
    """Return the impacts of a run or of an iteration, with their statistics.

    Histograms are those of NumPy, as of `numpy.histogram` for ``phases``, ``impulses`` or
    ``intervals`` of the result; `nsmb.plotting.histogram` draws them.

    Parameters
    ----------
    source : Solution, SectionPoints or PeriodicOrbit
        Of an orbit one period. Points must be those of a section ``on_event("impact", ...)``.
    contact : str, optional
        Impacts of this contact only; of points it may only be that of their section.
    t_start : float, optional
        s, leave out what comes before: the transient.
    period : float, optional
        s, what phases refer to; default ``system.period``.

    Returns
    -------
    ImpactStatistics
        Impacts of one instant count as one.

    Raises
    ------
    ValueError
        Without impacts, for points of another section, for a solution that has lost its system.

    Examples
    --------
    >>> import nsmb
    >>> from nsmb import analysis
    >>> run = nsmb.simulate(nsmb.systems.bouncing_ball(), t_end=1.2)
    >>> statistics = analysis.impact_statistics(run)
    >>> len(statistics), statistics.intervals.round(4)
    (2, array([0.6321]))
    """
    if isinstance(source, PeriodicOrbit):
        source = source.solution
    if not isinstance(source, Solution | SectionPoints):
        raise ValueError(
            "source: expected a Solution, SectionPoints or a PeriodicOrbit, got "
            f"{type(source).__name__}"
        )
    system = source.system
    if system is None:
        raise ValueError("source: expected a solution with its system, got one without")
    if period is not None and not as_number("period", period) > 0.0:
        raise ValueError(f"period: expected a number > 0, got {period!r}")
    if isinstance(source, SectionPoints):
        t, y_minus, y_plus, Lambda_N, Lambda_T = _of_points(source, contact)
    else:
        t, y_minus, y_plus, Lambda_N, Lambda_T = _of_solution(source, system, contact)
    late = slice(None) if t_start is None else t >= float(t_start)
    t, y_minus, y_plus = t[late], y_minus[late], y_plus[late]
    Lambda_N, Lambda_T = Lambda_N[late], Lambda_T[late]
    if t.size == 0:
        where = "" if t_start is None else f" from t_start = {t_start} s on"
        raise ValueError(f"source: expected impacts, got none{where}")
    return ImpactStatistics(
        system,
        t,
        y_minus,
        y_plus,
        Lambda_N,
        _dissipation(system, t, y_minus, y_plus, Lambda_N, Lambda_T),
        system.period if period is None else float(period),
    )


def _of_points(points: SectionPoints, contact: str | None) -> tuple[Vector, ...]:
    section = points.section
    if not isinstance(section, EventSection) or section.kind != EventKind.IMPACT:
        raise ValueError(
            f"source: must be points of a section of impacts, got those of {section.describe()!r}. "
            "Iterate on on_event('impact', ...)."
        )
    if contact not in (None, section.contact):
        raise ValueError(
            f"contact: expected {section.contact!r}, whose impacts the points are, got {contact!r}"
        )
    return points.t, points.y_minus, points.y_plus, points.Lambda_N, points.Lambda_T


def _of_solution(solution: Solution, system: System, contact: str | None) -> tuple[Vector, ...]:
    impacts = solution.events.of_kind("impact")
    if contact is not None:
        impacts = impacts.at_contact(contact)
    if len(impacts) == 0:
        empty = np.zeros((0, len(system.labels.components)))
        return impacts.t, empty, empty, impacts.Lambda_N, impacts.Lambda_T
    t, first = np.unique(impacts.t, return_index=True)
    last = np.append(first[1:], len(impacts)) - 1
    return (
        t,
        np.column_stack([impacts.q[first], impacts.u_minus[first], impacts.x[first]]),
        np.column_stack([impacts.q[last], impacts.u_plus[last], impacts.x[last]]),
        np.add.reduceat(impacts.Lambda_N, first),
        np.add.reduceat(impacts.Lambda_T, first),
    )


def _dissipation(
    system: System, t: Vector, y_minus: Vector, y_plus: Vector, Lambda_N: Vector, Lambda_T: Vector
) -> Vector:
    """-½ Λᵀ(γ⁺ + γ⁻), exact for several impacts of one instant, too: M (u⁺ - u⁻) = W ΣΛ."""
    nq, nu = system.nq, system.nu
    mean = 0.5 * (y_minus[:, nq : nq + nu] + y_plus[:, nq : nq + nu])
    if isinstance(system, LinearSystem):  # the same directions everywhere
        same = system.contact_kinematics(float(t[0]), y_minus[0, :nq], mean[0])
        gamma_N = mean @ same["W_N"] + same["w_tilde_N"]
        gamma_T = mean @ same["W_T"] + same["w_tilde_T"]
        return np.asarray(-(Lambda_N * gamma_N).sum(axis=1) - (Lambda_T * gamma_T).sum(axis=1))
    loss = np.zeros(t.size)
    for k in range(t.size):
        gamma = system.contact_quantities(float(t[k]), y_minus[k, :nq], mean[k])
        loss[k] = -Lambda_N[k] @ gamma["gamma_N"] - Lambda_T[k] @ gamma["gamma_T"]
    return loss
