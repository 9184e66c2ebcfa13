"""Blows: the stretches of a run in which a one-sided force acts, with their peaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.common.summary import spread
from nsmb.analysis.statistics.columns import (
    Column,
    force_columns,
    force_names,
    force_unit,
    stretch,
)
from nsmb.common.arguments import as_array, as_instance, whole
from nsmb.common.html import ShownAsTable
from nsmb.pictures.plot_style import MANY_DOTS, PALETTE, legend_above, new_axes, style_axes
from nsmb.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BlowTable", "blows"]

Vector = NDArray[np.float64]

_STEPS = 4  # of the search for a peak: each takes its distance to less than a fifth
_RELATIVE = 1e-12  # of the peak: what the search no longer sees


@dataclass(frozen=True, eq=False)
class BlowTable(ShownAsTable):
    """Blows of one or several forces in the order of their beginnings, see :func:`blows`."""

    names: tuple[str, ...]
    """(k,) of the forces, ``element_force[front]``."""
    flank: NDArray[np.int64]
    """(n,) which of them."""
    begin: Vector
    """(n,) s"""
    end: Vector
    """(n,) s"""
    t_peak: Vector
    """(n,) s, when the force is largest."""
    peak: Vector
    """(n,) N, largest force."""
    nominal: float
    """N, the load above which a blow lasts."""
    t_span: tuple[float, float]
    """s, where blows were looked for."""

    def __len__(self) -> int:
        return int(self.begin.size)

    @property
    def duration(self) -> Vector:
        """(n,) s, T_m of Fig. 11.11."""
        return np.asarray(self.end - self.begin)

    @property
    def intervals(self) -> Vector:
        """(n - 1,) s from one beginning to the next, τ_m of Fig. 11.11; of one force only, see
        `of`."""
        return np.diff(self.begin)

    @property
    def pauses(self) -> Vector:
        """(n - 1,) s from an end to the next beginning; of one force only, see `of`."""
        return np.asarray(self.begin[1:] - self.end[:-1])

    @property
    def rate(self) -> float:
        """1/s, blows per time."""
        return len(self) / (self.t_span[1] - self.t_span[0])

    def of(self, name: str) -> BlowTable:
        """The blows of one of the forces.

        Raises
        ------
        ValueError
            For a force that was not looked at.
        """
        own = [each.partition("[")[2].removesuffix("]") for each in self.names]
        known = list(self.names) if name in self.names else own
        if name not in known:
            raise ValueError(f"force: expected one of {', '.join(self.names)}, got {name!r}")
        i = known.index(name)
        chosen = self.flank == i
        return BlowTable(
            names=(self.names[i],),
            flank=np.zeros(int(chosen.sum()), dtype=np.int64),
            begin=self.begin[chosen],
            end=self.end[chosen],
            t_peak=self.t_peak[chosen],
            peak=self.peak[chosen],
            nominal=self.nominal,
            t_span=self.t_span,
        )

    def plot(self, *, ax: Axes | None = None, unit: str = "N") -> Axes:
        """Peaks over time, a colour for each force.

        Parameters
        ----------
        ax : Axes, optional
            To draw in; default: those of a new figure.
        unit : {"N", "kN"}

        Returns
        -------
        Axes
        """
        factor = force_unit(unit)
        ax = new_axes(ax, 6.4, 3.2)
        handles: list[Any] = []
        for i, name in enumerate(self.names):
            chosen = self.flank == i
            ax.vlines(
                self.t_peak[chosen], 0.0, factor * self.peak[chosen],
                color=PALETTE[i % len(PALETTE)], linewidth=0.8, rasterized=len(self) > MANY_DOTS,
            )  # fmt: skip
            handles += ax.plot([], [], color=PALETTE[i % len(PALETTE)], label=name)
        if len(self.names) > 1:
            legend_above(ax, handles)
        ax.set_xlim(*self.t_span)
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("t / s")
        ax.set_ylabel(f"peak / {unit}")
        style_axes(ax)
        return ax

    def __repr__(self) -> str:
        lines = [f"BlowTable: {len(self)}, t from {self.t_span[0]:g} to {self.t_span[1]:g} s"]
        if len(self):
            lines.append(f"  peak {spread(self.peak)} N")
            lines.append(f"  duration {spread(self.duration)} s")
        if len(self.names) > 1:
            counts = np.bincount(self.flank, minlength=len(self.names))
            parts = zip(counts.tolist(), self.names, strict=True)
            lines.append("  forces " + ", ".join(f"{count} {name}" for count, name in parts))
        return "\n".join(lines)


def blows(
    solution: Solution,
    forces: str | Sequence[str] | None = None,
    *,
    nominal: float = 0.0,
    t_start: float | None = None,
    t_end: float | None = None,
    refine: bool = True,
    points: int = 0,
) -> BlowTable:
    """Return the blows of contacts and force elements in a run, with their peaks and durations.

    A blow lasts from where the contact closes, or the element begins to act, to where it ceases;
    with a nominal load as long as the force is above it. Only whole blows count, which begin and
    end within the time looked at. Impacts without deformation are no blows, but events: see
    :func:`impact_statistics`.

    Parameters
    ----------
    solution : Solution
    forces : str or sequence of str, optional
        Names of contacts or force elements; default: all that have one-sided forces.
    nominal : float
        N
    t_start, t_end : float, optional
        s; default: the run.
    refine : bool
        Look between the samples for peaks, and for passages of a nominal load; needs dense output
        and the system. False: the largest sample, right to second order of their distance.
    points : int
        Further instants within each blow at which the force is asked for before the search, where
        the samples alone might miss its shape.

    Returns
    -------
    BlowTable

    Raises
    ------
    ValueError
        For names that are no forces, an empty stretch of time, a run without what is needed.

    References
    ----------
    Pfeiffer & Glocker, section 11.1.2. Its Gamma distributions of durations and intervals are those
    of ``scipy.stats.gamma.fit(blows.duration, floc=0.0)``.

    Examples
    --------
    A gear with backlash that hammers on both flanks:

    >>> import nsmb
    >>> from nsmb import analysis
    >>> run = nsmb.simulate(nsmb.systems.ship_turning_gear(), t_end=60.0)
    >>> found = analysis.blows(run)
    >>> len(found), len(found.of("lower")), round(float(found.peak.max()), 3)
    (8, 3, 0.734)
    """
    solution = as_instance("solution", solution, Solution)
    nominal = float(as_array("nominal", nominal, ()))
    points = whole("points", points, 0)
    start, end = stretch(solution, t_start, t_end)
    asked = force_names(solution.labels) if forces is None else forces
    if forces is None and not asked:
        raise ValueError("forces: expected a system with one-sided forces, got one without")
    columns = force_columns(solution.labels, asked)
    parts = [
        _of_column(solution, column, nominal, (start, end), refine, points) for column in columns
    ]
    flank = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
    table = np.hstack(parts)
    order = np.argsort(table[0], kind="stable")
    begin, ending, t_peak, peak = table[:, order]
    return BlowTable(
        names=tuple(column.name for column in columns),
        flank=flank[order],
        begin=begin,
        end=ending,
        t_peak=t_peak,
        peak=peak,
        nominal=nominal,
        t_span=(start, end),
    )


def _of_column(
    solution: Solution,
    column: Column,
    nominal: float,
    span: tuple[float, float],
    refine: bool,
    points: int,
) -> Vector:
    """(4, n) begin, end, time of the peak and peak."""
    t, force = solution.t, column.of_samples(solution)
    above = column.acts(solution) if nominal == 0.0 else force > nominal
    edges = np.flatnonzero(np.diff(np.concatenate([[0], above.astype(np.int8), [0]])))
    rows = edges.reshape(-1, 2)  # first sample within, first behind
    # The first and the last sample of the run are no beginning and no end of a blow.
    rows = rows[(rows[:, 0] > 0) & (rows[:, 1] < t.size)]
    if nominal == 0.0:
        begin, end = t[rows[:, 0]], t[rows[:, 1] - 1]
    else:
        begin = _passage(solution, column, nominal, rows[:, 0] - 1, refine)
        end = _passage(solution, column, nominal, rows[:, 1] - 1, refine)
    whole_ones = (begin >= span[0]) & (end <= span[1]) & (end > begin)
    rows, begin, end = rows[whole_ones], begin[whole_ones], end[whole_ones]
    found = np.empty((4, len(rows)))
    found[:2] = begin, end
    if not len(rows):
        return found
    brackets, values = _brackets(solution, column, rows, points)
    if refine:
        brackets, values = _search(solution, column, brackets, values)
    found[2], found[3] = brackets[:, 1], values[:, 1]
    return found


def _passage(
    solution: Solution, column: Column, nominal: float, row: NDArray[np.intp], refine: bool
) -> Vector:
    """When the force passes the nominal load between the samples `row` and the next."""
    t, force = solution.t, column.of_samples(solution)
    left, right = t[row].copy(), t[row + 1].copy()
    f_left, f_right = force[row] - nominal, force[row + 1] - nominal
    middle = left
    for _ in range(40):  # regula falsi, with halved values on the side that stays (Illinois)
        jump = right <= left
        span = np.where(f_right == f_left, 1.0, f_right - f_left)
        middle = np.where(jump, left, left - f_left * (right - left) / span)
        if not refine or jump.all():
            break
        value = column.at(solution, middle) - nominal
        same = np.sign(value) == np.sign(f_left)
        f_right, f_left = np.where(same, 0.5 * f_right, value), np.where(same, value, 0.5 * f_left)
        right, left = np.where(same, right, middle), np.where(same, middle, left)
        if (np.abs(value)[~jump] <= 1e-9 * abs(nominal)).all():
            break
    return np.asarray(middle)


def _brackets(
    solution: Solution, column: Column, rows: NDArray[np.intp], points: int
) -> tuple[Vector, Vector]:
    """(n, 3) times around the largest known force of each blow, and (n, 3) forces there."""
    t, force = solution.t, column.of_samples(solution)
    times, values = [t[a:b] for a, b in rows], [force[a:b] for a, b in rows]
    if points:
        part = np.arange(1, points + 1) / (points + 1)
        more = np.array([each[0] + part * (each[-1] - each[0]) for each in times])
        forces = column.at(solution, more.ravel()).reshape(more.shape)
        for i in range(len(times)):
            together = np.concatenate([times[i], more[i]])
            order = np.argsort(together, kind="stable")
            times[i] = together[order]
            values[i] = np.concatenate([values[i], forces[i]])[order]
    brackets, around = np.empty((len(rows), 3)), np.empty((len(rows), 3))
    for i, (known, f) in enumerate(zip(times, values, strict=True)):
        k = int(np.argmax(f))
        places = (max(k - 1, 0), k, min(k + 1, f.size - 1))
        brackets[i], around[i] = known[list(places)], f[list(places)]
    return brackets, around


def _search(solution: Solution, column: Column, t: Vector, f: Vector) -> tuple[Vector, Vector]:
    """Successive parabolas through the largest force and its neighbours, all blows at once."""
    t, f = t.copy(), f.copy()
    for _ in range(_STEPS):
        a, b = t[:, 1] - t[:, 0], t[:, 2] - t[:, 1]
        inside = (a > 0.0) & (b > 0.0)
        # vertex of the parabola through the three points
        with np.errstate(all="ignore"):
            rise, fall = (f[:, 1] - f[:, 0]) / a, (f[:, 1] - f[:, 2]) / b
            shift = 0.5 * (rise * b - fall * a) / (rise + fall) + 0.0
        gain = 0.5 * np.abs(shift) * (rise + fall)
        inside &= np.isfinite(shift) & (gain > _RELATIVE * np.abs(f[:, 1]))
        if not inside.any():
            break
        k = np.flatnonzero(inside)
        new = np.clip(t[k, 1] + shift[k], t[k, 0] + 1e-3 * a[k], t[k, 2] - 1e-3 * b[k])
        value = column.at(solution, new)
        for i, at, now in zip(k.tolist(), new.tolist(), value.tolist(), strict=True):
            here = np.append(t[i], at)
            order = np.argsort(here)
            known, forces = here[order], np.append(f[i], now)[order]
            m = int(np.clip(np.argmax(forces), 1, 2))
            t[i], f[i] = known[m - 1 : m + 2], forces[m - 1 : m + 2]
    return t, f
