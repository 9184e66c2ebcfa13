"""Where the energy of a run goes, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.solution.dense_output import is_divided, stretches

if TYPE_CHECKING:
    import pandas as pd

    from nsmb.solution.record import Record
    from nsmb.system.base import System

__all__ = ["EnergyBalance", "energy_balance"]

Floats = NDArray[np.float64]

# Gauss points on a step: for polynomials of numerical integrators, and for the power series of the
# closed-form flow, which go to degree 30.
_FEW, _MANY, _LONG = 8, 24, 10
_CHUNK = 2048  # steps at once


@dataclass(frozen=True, eq=False, repr=False)
class EnergyBalance(ShownAsTable):
    """Energies of a run and what changed them since its start, one value per sample.

    The balance is ``ΔT = work - ΔV - Δelements - element_loss + drive_work - friction_loss -
    impact_loss``; `residual` is by how much it is broken. Left of it is the motion, right of it are
    forces integrated along the motion: what projections onto constraints, steps or jumps of the
    state take or give, no force having done it, stays in the residual.
    """

    t: Floats
    """(n,) s, times of the samples."""
    kinetic: Floats
    """(n,) J, T = ½ uᵀMu."""
    potential: Floats
    """(n,) J, V(q, t); NaN when the system does not know it: all its forces are `work` then."""
    elements: Floats
    """(n,) J, held by the springs of force elements with switching."""
    friction_loss: Floats
    """(n,) J, lost to sliding friction."""
    impact_loss: Floats
    """(n,) J, lost in impacts, negative where they created energy; of stepped runs the work of all
    normal impulses, as `friction_loss` is that of all tangential ones."""
    element_loss: Floats
    """(n,) J, lost in the dampers of force elements with switching."""
    drive_work: Floats
    """(n,) J, done by moving contacts and constraints, w̃ ≠ 0."""
    work: Floats
    """(n,) J, done by all forces of the system that `potential` does not know: dampers, motors,
    loads that depend on time."""
    residual: Floats
    """(n,) J, what is missing."""
    turnover: Floats
    """(n,) J, the energy at the start and all that has changed its form since: the scale of
    `residual`."""

    @property
    def total(self) -> Floats:
        """(n,) J, T + V + elements."""
        return self.kinetic + np.nan_to_num(self.potential) + self.elements

    @property
    def relative(self) -> float:
        """Largest `residual` over the turnover at that time; 0 where nothing moves."""
        size = np.abs(self.residual)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(size > 0.0, size / self.turnover, 0.0)
        return float(part.max(initial=0.0))

    def __len__(self) -> int:
        return int(self.t.size)

    def to_dataframe(self) -> pd.DataFrame:
        """A pandas DataFrame with the attributes as columns.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
        """
        pandas = import_extra("pandas", "data")
        frame: pd.DataFrame = pandas.DataFrame(self.columns())
        return frame

    def columns(self) -> dict[str, Any]:
        """The attributes by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        if len(self) == 0:
            return "EnergyBalance: no samples"
        lines = [f"EnergyBalance: {len(self)} samples, t = {self.t[0]:g} s to {self.t[-1]:g} s"]
        for name in ("kinetic", "potential", "elements"):
            values = getattr(self, name)
            lines.append(
                f"  {name:14s}{values[0]:14.6g} J at the start, {values[-1]:.6g} J at the end"
            )
        for name in ("friction_loss", "impact_loss", "element_loss", "drive_work", "work"):
            lines.append(f"  {name:14s}{getattr(self, name)[-1]:14.6g} J")
        worst = float(np.abs(self.residual).max())
        lines.append(
            f"  residual      {worst:14.3g} J, {self.relative:.1e} of what was turned over"
        )
        return "\n".join(lines)


def energy_balance(solution: Record, system: System) -> EnergyBalance:
    """The balance of a run of `system`, see `Solution.energy`."""
    data, t = solution._data, solution.t
    modes = solution.element_mode.astype(np.float64)
    if solution._has_parameters_set:
        raise ValueError(
            "energy: expected a run with the same parameters throughout, got one in which "
            f"{', '.join(solution.parameter_values)} were set; ask for the energy of its pieces"
        )
    at = _simulation.evaluate_energies(
        system._core, t, np.array(data["y"]), modes, np.array(solution.inputs)
    )
    own, element, turned = _integrals(solution, system, t)
    friction = solution.friction_loss.sum(axis=1)
    impact = data["impact_loss"] if "impact_loss" in data else _impact_loss(solution)
    drive = data["drive_work"] if "drive_work" in data else np.zeros(t.size)

    def since(values: Floats) -> Floats:
        return values - values[:1]

    known = np.isfinite(at["potential"]).all()
    work = own + (since(at["potential"]) if known else 0.0)
    residual = since(at["kinetic"]) - own - element - drive + friction + impact - impact[:1]
    return EnergyBalance(
        t=t,
        kinetic=at["kinetic"],
        potential=at["potential"],
        elements=at["element_energy"],
        friction_loss=friction,
        impact_loss=impact,
        element_loss=-element - since(at["element_energy"]),
        drive_work=drive,
        work=work,
        residual=residual,
        turnover=at["kinetic"][:1] + turned + np.abs(drive) + friction + np.abs(impact),
    )


def _impact_loss(solution: Record) -> Floats:
    """Of all impacts so far. Of the samples of one instant the first is before its impacts, if
    there are several, and each of the others behind those that lead to its velocities."""
    t, events = solution.t, solution.events
    losses = np.concatenate([[0.0], np.cumsum(events.energy_loss)])
    counts = np.searchsorted(events.t, t, side="right")
    before = np.searchsorted(events.t, t, side="left")
    for k in np.flatnonzero(counts > before):
        first = k == 0 or t[k - 1] < t[k]
        last = k + 1 == t.size or t[k + 1] > t[k]
        if last:
            continue
        if first:
            counts[k] = before[k]
            continue
        same = [
            j + 1
            for j in range(before[k], counts[k])
            if np.array_equal(events.u_plus[j], solution.u[k])
        ]
        counts[k] = same[-1] if same else counts[k]
    result: Floats = losses[counts]
    return result


def _integrals(solution: Record, system: System, t: Floats) -> tuple[Floats, Floats, Floats]:
    """Work of the system's own forces and of its force elements up to the samples, and the sum of
    their sizes; NaN where no steps were kept."""
    from numpy.polynomial import legendre  # takes time to import

    data = solution._data
    start, end = stretches(data)
    if start.size == 0:
        nothing = np.zeros(t.size) if t.size and t[0] == t[-1] else np.full(t.size, np.nan)
        return nothing, nothing, nothing
    points = _FEW if data["step_degree"].max() <= _LONG else _MANY
    x, weights = legendre.leggauss(points)
    # Power as a series of Legendre polynomials: c_k = (2k + 1)/2 Σ w_i P_k(x_i) f(x_i).
    to_series = (legendre.legvander(x, points - 1) * weights[:, None]) * (np.arange(points) + 0.5)
    # dp/dx at the points, through all of them.
    slope = np.linalg.solve(
        legendre.legvander(x, points - 1).T,
        np.array([legendre.legval(x, legendre.legder(e)) for e in np.eye(points)]),
    ).T
    series = np.zeros((2, start.size, points))
    sizes = np.zeros(start.size)
    sample = np.clip(np.searchsorted(t, start, side="right") - 1, 0, t.size - 1)
    modes, inputs = solution.element_mode[sample], solution.inputs[sample]
    for first in range(0, start.size, _CHUNK):
        part = slice(first, min(first + _CHUNK, start.size))
        y, y_s = _motion(solution, part, (start[part], end[part]), x, slope)
        power = _powers(
            solution, system, (start[part], end[part]), x, y,
            y_s if points == _FEW else None, slope, modes[part],
            inputs[part],
        )  # fmt: skip
        half = 0.5 * (end - start)[part]
        series[:, part] = (power @ to_series) * half[:, None]
        sizes[part] = np.abs(power).sum(axis=0) @ weights * half
    done = np.concatenate([np.zeros((2, 1)), np.cumsum(2.0 * series[:, :, 0], axis=1)], axis=1)
    all_sizes = np.concatenate([[0.0], np.cumsum(sizes)])
    step = np.clip(np.searchsorted(start, t, side="right") - 1, 0, start.size - 1)
    place = np.clip(2.0 * (t - start[step]) / (end - start)[step] - 1.0, -1.0, 1.0)
    # ∫ P_k = (P_{k+1} - P_{k-1})/(2k + 1) from -1 on.
    P = legendre.legvander(place, points)
    parts = np.empty((t.size, points))
    parts[:, 0] = place + 1.0
    parts[:, 1:] = (P[:, 2:] - P[:, :-2]) / (2.0 * np.arange(1, points) + 1.0)
    within = np.einsum("akp,kp->ak", series[:, step], parts)
    before_start = t < start[0]
    own, element = np.where(before_start, 0.0, done[:, step] + within)
    turned = all_sizes[step] + sizes[step] * 0.5 * (place + 1.0)
    return own, element, turned


def _motion(
    solution: Record, part: slice, span: tuple[Floats, Floats], x: Floats, slope: Floats
) -> tuple[Floats, Floats]:
    """y and dy/ds (steps, points, ny) at places x in -1...1 of steps, s in 0...1 over a step."""
    data = solution._data
    rows = data["y"].shape[1]
    s = 0.5 * (x + 1.0)
    if is_divided(data):
        start, end = span
        times = start[:, None] + (end - start)[:, None] * s
        y = solution._evaluate(times.ravel(), "right")[0].reshape(start.size, x.size, rows)
        return y, 2.0 * np.einsum("ij,kjn->kin", slope, y)
    start = data["step_start"][part]
    offset, degree = data["step_offset"][part], data["step_degree"][part]
    top = int(degree.max())
    coefficients = np.zeros((top + 1, start.size, rows))
    for k in range(top + 1):
        has = degree >= k
        coefficients[k, has] = data["coefficients"][
            (offset[has] + k * rows)[:, None] + np.arange(rows)
        ]
    y = np.zeros((start.size, x.size, rows))
    y_s = np.zeros_like(y)
    for k in range(top, -1, -1):
        y_s = y_s * s[None, :, None] + y
        y = y * s[None, :, None] + coefficients[k][:, None, :]
    return y, y_s


def _powers(
    solution: Record,
    system: System,
    span: tuple[Floats, Floats],
    x: Floats,
    y: Floats,
    y_s: Floats | None,
    slope: Floats,
    modes: NDArray[np.int8],
    inputs: Floats,
) -> Floats:
    """(2, steps, points) W, of the system's own forces and of its force elements."""
    start, end = span
    steps, points, rows = y.shape
    t = start[:, None] + (end - start)[:, None] * (0.5 * (x + 1.0))
    at = _simulation.evaluate_energies(
        system._core,
        t.ravel(),
        y.reshape(-1, rows),
        np.repeat(modes, points, axis=0).astype(np.float64),
        np.repeat(inputs, points, axis=0),
    )
    own = at["power"].reshape(steps, points)
    if y_s is not None:
        # ½ uᵀṀu = ½ (uᵀṗ - u̇ᵀp), p = Mu, which needs no derivative of M.
        nq = len(solution.coordinates)
        u, u_s = (z[..., nq : nq + solution._nu] for z in (y, y_s))
        p = at["momentum"].reshape(steps, points, -1)
        p_s = 2.0 * np.einsum("ij,kjn->kin", slope, p)
        gyroscopic = 0.5 * ((u * p_s).sum(axis=2) - (u_s * p).sum(axis=2))
        own = own + gyroscopic / (end - start)[:, None]
    return np.stack([own, at["element_power"].reshape(steps, points)])
