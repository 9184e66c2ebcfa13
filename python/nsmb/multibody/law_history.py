"""Length, rate and force of the force laws of a model along a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.checks import marker_kinematics
from nsmb.multibody.laws import core_law
from nsmb.multibody.parts import LawRecord

__all__ = ["LawAlong", "laws_along"]

Array = NDArray[np.float64]
Length = Callable[[float, Array, Array], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class LawAlong:
    """A force law between two points or on a joint coordinate."""

    between: tuple[str, str] | None
    """Bodies of the two points; None for a law on a coordinate."""
    coordinate: str
    """Name of the coordinate; empty for a law between two points."""
    _length: Length
    _law: _multibody.ForceLaw
    _outward: float
    """+1 if a positive value of the law pushes apart or forward, otherwise -1."""

    def evaluate(self, t: Array, q: Array, u: Array, inputs: Array) -> tuple[Array, Array, Array]:
        """Return length γ in m or rad, rate γ̇ and force at instants `t`, (n,) each.

        A positive force pushes the points apart or drives the coordinate forward."""
        rows = zip(t.tolist(), q, u, inputs, strict=True)
        found = np.empty((len(t), 3))
        for k, (time, place, velocity, values) in enumerate(rows):
            length, rate = self._length(time, place, velocity)
            force = self._law.force(time, length, rate, values)
            found[k] = length, rate, self._outward * force
        return found[:, 0], found[:, 1], found[:, 2]


def laws_along(model: Blueprint, assembly: Assembly) -> dict[str, LawAlong]:
    """Return the force laws of a model by name."""
    found = {}
    for name, record in model.laws.items():
        law, sign = core_law(record.law, record.sign, name, record.inputs, model.inputs)
        outward = 1.0 if sign == _multibody.SignConvention.Pressure else -1.0
        between = None
        if record.places is not None:
            between = record.places[0].body, record.places[1].body
        length = _length_of(record, assembly)
        found[name] = LawAlong(between, record.coordinate, length, law, outward)
    return found


def _length_of(record: LawRecord, assembly: Assembly) -> Length:
    places = record.places
    if places is None:
        own, velocity = assembly._joint_place(record.coordinate)
        return lambda t, q, u: (float(q[own]), float(u[velocity]))

    def line(t: float, q: Array, u: Array) -> tuple[float, float]:
        first, second = (marker_kinematics(assembly, place, t, q, u) for place in places)
        d, v = second.r - first.r, second.v - first.v
        length = float(np.linalg.norm(d))
        return length, float(d @ v) / length if length > 0.0 else 0.0

    return line
