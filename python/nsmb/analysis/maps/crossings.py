"""Crossings of a surface in the state space by a motion."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.maps.sections import SurfaceSection
from nsmb.simulation.simulator import Simulator, run
from nsmb.solution.dense_output import is_divided, stretches
from nsmb.solution.solution import Solution

__all__ = ["Crossings"]

Vector = NDArray[np.float64]

_LOOKS = 8  # per integration step; two crossings between neighbours are not detected
_PER_WINDOW = 8
_FIRST_WINDOW = 1e-3  # relative to the longest wait


class Crossings:
    """The crossings of a surface by a simulator in progress.

    Sign changes are searched in the polynomials of the steps, and at jumps of velocities.
    """

    def __init__(self, simulator: Simulator, section: SurfaceSection) -> None:
        if not simulator.method.dense_output:
            raise ValueError(
                "method: expected dense_output=True for a section crossing(...), got False"
            )
        self._simulator = simulator
        self._section = section
        system = simulator.system
        self._index = (
            system.labels.component(section.what) if isinstance(section.what, str) else None
        )
        self._found: list[tuple[float, Vector, Vector]] = []
        self._t_last = simulator.t
        self._window = 0.0

    def iterate(self, count: int, t_max: float) -> dict[str, Any]:
        """Iterate like ``iterate`` of the core; the simulator stops beyond the last point."""
        simulator = self._simulator
        if self._window == 0.0:
            self._window = _FIRST_WINDOW * (t_max - simulator.t)
        while len(self._found) < count and simulator.t < t_max:
            before = len(self._found)
            simulator._core.forget()
            end = min(simulator.t + self._window, t_max)
            status = run(simulator, end, one_event=False, monitor=None)
            if self._index is not None and simulator._core.part_count == 0:
                self._locate(self._index)
            else:
                self._search(simulator.solution)
            if status not in ("finished", "ready"):
                return self._tables(min(count, len(self._found)), status)
            # Aim at some points per window, to avoid many short windows and unnecessary simulation.
            news = len(self._found) - before
            self._window *= 2.0 if news == 0 else min(2.0, _PER_WINDOW / news)
        enough = len(self._found) >= count
        return self._tables(min(count, len(self._found)), "finished" if enough else "ready")

    def _tables(self, count: int, status: str) -> dict[str, Any]:
        rows, self._found = self._found[:count], self._found[count:]
        system = self._simulator.system
        ny = system.nq + system.nu + system.nx
        return {
            "status": status,
            "t": np.array([t for t, _, _ in rows]),
            "y_minus": np.array([y for _, y, _ in rows]).reshape(count, ny),
            "y_plus": np.array([y for _, _, y in rows]).reshape(count, ny),
            "Lambda_N": np.zeros((count, system.nc)),
            "Lambda_T": np.zeros((count, system.nt)),
        }

    def _values(self, times: Vector, states: Vector) -> Vector:
        what, value = self._section.what, self._section.value
        if not isinstance(what, str):
            nq, nu = self._simulator.system.nq, self._simulator.system.nu
            values = [
                float(what(float(t), y[:nq], y[nq : nq + nu]))
                for t, y in zip(times, states, strict=True)
            ]
            return np.array(values) - value
        column: Vector = states[:, self._index] - value
        return column

    def _locate(self, index: int) -> None:
        """Add the crossings of a component in the last window."""
        found = self._simulator._core.crossings(
            component=index,
            value=self._section.value,
            direction=self._section.direction,
            t_last=self._t_last,
        )
        t = found["t"].tolist()
        if t:
            self._found.extend(zip(t, found["y_minus"], found["y_plus"], strict=True))
            self._t_last = t[-1]

    def _search(self, solution: Solution) -> None:
        """Add the crossings in the last window, of a function or for a divided system."""
        start, end = stretches(solution._data)
        if start.size == 0:
            return
        parts = np.linspace(0.0, 1.0, _LOOKS + 1)[1:-1]
        n, looks = start.size, _LOOKS + 1
        times = np.column_stack([start, start[:, None] + (end - start)[:, None] * parts, end])
        states = np.concatenate(
            [
                _state(solution, times[:, :-1].ravel(), "right").reshape(n, looks - 1, -1),
                _state(solution, end, "left")[:, None, :],
            ],
            axis=1,
        )
        ny = states.shape[2]
        g = self._values(times.ravel(), states.reshape(n * looks, ny))
        flat_t, flat_y = times.ravel(), states.reshape(n * looks, ny)
        for k in np.flatnonzero(self._crosses(g[:-1], g[1:])):
            a, b = float(flat_t[k]), float(flat_t[k + 1])
            if (k + 1) % looks == 0:  # between two steps
                self._add(a, flat_y[k], flat_y[k + 1], b - a)
            else:
                t, y = self._root(solution, int(k) // looks, a, b, float(g[k]), float(g[k + 1]))
                self._add(t, y, y, b - a)

    def _crosses(self, before: Vector, behind: Vector) -> NDArray[np.bool_]:
        up = (before < 0.0) & (behind >= 0.0)
        down = (before > 0.0) & (behind <= 0.0)
        direction = self._section.direction
        return up | down if direction == 0 else (up if direction > 0 else down)

    def _add(self, t: float, y_minus: Vector, y_plus: Vector, length: float) -> None:
        # A start on the section, up to rounding, is not a crossing.
        if t - self._t_last > 1e-9 * length:
            self._found.append((t, y_minus, y_plus))
            self._t_last = t

    def _root(
        self, solution: Solution, step: int, a: float, b: float, g_a: float, g_b: float
    ) -> tuple[float, Vector]:
        from scipy.optimize import brentq

        data = solution._data
        if is_divided(data):

            def distance(t: float) -> float:
                if t in (a, b):
                    return g_a if t == a else g_b
                return float(
                    self._values(np.array([t]), _state(solution, np.array([t]), "right"))[0]
                )

            t = float(brentq(distance, a, b, xtol=1e-14 * max(1.0, abs(b)), rtol=1e-15))
            return t, _state(solution, np.array([t]), "right")[0]
        # This is for functions of the state. The core locates crossings of components.
        start, length = data["step_start"][step], data["step_end"][step] - data["step_start"][step]
        rows, offset = data["y"].shape[1], int(data["step_offset"][step])
        size = (int(data["step_degree"][step]) + 1) * rows
        powers = data["coefficients"][offset : offset + size].reshape(-1, rows)

        def y(t: float) -> Vector:
            s, value = (t - start) / length, np.zeros(rows)
            for row in powers[::-1]:  # Horner
                value = value * s + row
            return value

        def g(t: float) -> float:
            if t in (a, b):
                return g_a if t == a else g_b
            return float(self._values(np.array([t]), y(t)[None])[0])

        t = float(brentq(g, a, b, xtol=1e-14 * max(1.0, abs(b)), rtol=1e-15))
        return t, y(t)


def _state(solution: Solution, times: Vector, side: Any) -> Vector:
    at = solution.at(times, side)
    return np.column_stack([at.q, at.u, at.x])
