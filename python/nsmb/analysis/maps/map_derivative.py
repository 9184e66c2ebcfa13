"""The derivative of a Poincaré map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.maps.points import SectionPoints, core_options
from nsmb.analysis.maps.sections import EventSection, SurfaceSection
from nsmb.simulation.simulator import Simulator, run
from nsmb.solution.sensitivity import Sensitivity, SensitivityNote
from nsmb.system.base import State, System
from nsmb.system.options import EventDriven

__all__ = ["MapDerivative", "map_derivative"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MapDerivative:
    """Points of a section and their derivative; see :meth:`PoincareMap.derivative`."""

    points: SectionPoints
    """All points; the derivative is that of the last one."""
    state: Vector
    """Derivative of y after the point by y at the start, shape (ny, ny)."""
    time: Vector
    """Derivative of the time of the point by y, shape (ny,); zeros on sections ``every(...)``."""
    parameters: tuple[str, ...]
    parameter: Vector
    """Derivative of y after the point by the parameters, shape (ny, p)."""
    notes: tuple[SensitivityNote, ...]
    """Reasons why a derivative does not exist at some event, and remarks."""

    @property
    def exists(self) -> bool:
        """True if the derivative exists."""
        return all(note.kind == "rank" for note in self.notes)


def map_derivative(
    points: SectionPoints, method: EventDriven, start: State | None, parameters: Sequence[str]
) -> MapDerivative:
    """Return the derivative at `points` from `start`; see :meth:`PoincareMap.derivative`."""
    system, section = points.system, points.section
    simulator = Simulator(system, method, output_step=0.0, sensitivity=parameters)
    if start is not None:
        simulator.reset(start.t, start.q, start.u, start.x)
    t = float(points.t[-1])
    jumps = bool((points.y_minus[-1] != points.y_plus[-1]).any())
    if isinstance(section, SurfaceSection) and not jumps:
        run(simulator, t, one_event=False, monitor=None)
        sensitivity = _followed(simulator)
        state, parameter = sensitivity.between(0, len(sensitivity.t))
        rate = sensitivity.rate[-1]
        by_y, by_t = _gradient(system, section, t, points.y_plus[-1])
        slope = by_y @ rate + by_t
        time, time_parameter = -(by_y @ state) / slope, -(by_y @ parameter) / slope
    else:
        _until(simulator, points, isinstance(section, EventSection | SurfaceSection))
        sensitivity = _followed(simulator)
        last = len(sensitivity.t) - 1
        state, parameter = sensitivity.between(0, last + 1)
        rate = sensitivity.rate[-1]
        before, before_parameter = sensitivity.between(0, last)
        time = sensitivity.time_factors[last] @ before
        time_parameter = (
            sensitivity.time_factors[last] @ before_parameter
            + sensitivity.time_parameter_factors[last]
        )
        if not isinstance(section, EventSection | SurfaceSection):  # a fixed time does not vary
            time, time_parameter = np.zeros_like(time), np.zeros_like(time_parameter)
    return MapDerivative(
        points,
        state + np.outer(rate, time),
        time,
        sensitivity.parameters,
        parameter + np.outer(rate, time_parameter),
        sensitivity.notes,
    )


def _followed(simulator: Simulator) -> Sensitivity:
    sensitivity = simulator.sensitivity
    assert sensitivity is not None
    return sensitivity


def _until(simulator: Simulator, points: SectionPoints, event: bool) -> None:
    """Run to the last point; for events just past it, so that the event ends a part."""
    if not event:
        run(simulator, float(points.t[-1]), one_event=False, monitor=None)
    elif isinstance(points.section, EventSection):
        options = core_options(points.system, points.section)
        # The run with derivative is identical to the one without.
        simulator._core.iterate(
            count=len(points), t_max=float(points.t[-1]) + 1.0, keep=True, **options
        )
    else:
        while simulator.t < points.t[-1]:
            run(simulator, float(points.t[-1]) + 1.0, one_event=True, monitor=None)


def _gradient(system: System, section: SurfaceSection, t: float, y: Vector) -> tuple[Vector, float]:
    """Return the derivative of the crossed function by y and by t."""
    what = section.what
    if isinstance(what, str):
        row = np.zeros(y.size)
        row[system.labels.component(what)] = 1.0
        return row, 0.0
    nq, nu = system.nq, system.nu
    function = what

    def value(t: float, z: Vector) -> float:
        return float(function(t, z[:nq], z[nq : nq + nu]))

    row = np.zeros(y.size)
    for i in range(nq + nu):
        h = np.zeros(y.size)
        h[i] = 1e-6 * max(1.0, abs(y[i]))
        row[i] = (value(t, y + h) - value(t, y - h)) / (2.0 * h[i])
    h_t = 1e-6 * max(1.0, abs(t))
    return row, (value(t + h_t, y) - value(t - h_t, y)) / (2.0 * h_t)
