"""Scenes of blocks, discs and lines that follow coordinates; their sizes are chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.pictures.scene import ContactFrame, Scene

__all__ = [
    "CEILING",
    "FLOOR",
    "SIDEWAYS",
    "UP",
    "Part",
    "block",
    "disc",
    "parts_scene",
    "stack_scene",
    "turned",
]

Vector = NDArray[np.float64]
Place = Callable[[float, Vector], Iterable[float]]

_FAR = 100.0  # m, drawn end of unbounded ground
SIDEWAYS, UP = (1.0, 0.0), (0.0, 1.0)
FLOOR: Vector = np.array([(_FAR, 0.0), (-_FAR, 0.0)])
"""Line of the ground below y = 0."""
CEILING: Vector = np.array([(-_FAR, 0.0), (_FAR, 0.0)])
"""Line of the ground above y = 0."""
_STACKED = (0.3, 0.1)  # m, width and height of stacked blocks


@dataclass(frozen=True, eq=False)
class Part:
    """A polyline (n, 2) of a body with a pose: x, y and optionally an angle."""

    body: str
    shape: Vector
    place: Place = lambda t, q: (0.0, 0.0)


def block(width: float, height: float) -> Vector:
    """Return a rectangle with the origin at the middle of its lower side."""
    x = 0.5 * width
    return np.array([(-x, 0.0), (x, 0.0), (x, height), (-x, height), (-x, 0.0)])


def disc(radius: float) -> Vector:
    """Return a circle about the origin, exact at its four extreme points."""
    angle = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    circle[-1] = circle[0]
    return circle


def turned(angle: float) -> Vector:
    """Return the rotation matrix, shape (2, 2)."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def parts_scene(
    parts: Sequence[Part],
    *,
    contacts: Callable[[float, Vector], Sequence[ContactFrame | None]] | None = None,
    markers: Callable[[float, Vector], Sequence[ArrayLike]] | None = None,
    springs: Sequence[tuple[int, int]] = (),
    joints: Sequence[int] = (),
) -> Scene:
    """Return a scene of parts at their poses; for other arguments, see `Scene.from_function`."""

    def points(t: float, q: Vector) -> list[ArrayLike]:
        found: list[ArrayLike] = []
        for part in parts:
            x, y, *angle = part.place(t, q)
            shape = part.shape @ turned(angle[0]).T if angle else part.shape
            found.append(shape + np.array([x, y]))
        return found

    return Scene.from_function(
        points, bodies=[part.body for part in parts], markers=markers, springs=springs,
        joints=joints, contacts=contacts,
    )  # fmt: skip


def stack_scene(
    names: Sequence[str],
    place: Callable[[Vector, int], tuple[float, float]],
    *,
    width: float = _STACKED[0],
    height: float = _STACKED[1],
    more: Sequence[Part] = (),
    markers: Callable[[float, Vector], Sequence[ArrayLike]] | None = None,
    springs: Sequence[tuple[int, int]] = (),
) -> Scene:
    """Return a scene of stacked blocks; `place` is the displacement (x, y) from contact."""

    def foot(q: Vector, i: int) -> tuple[float, float]:
        x, y = place(q, i)
        return x, y + i * height

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        return [ContactFrame(foot(q, i), UP, SIDEWAYS) for i in range(len(names))]

    def follow(i: int) -> Place:
        return lambda t, q: foot(q, i)

    shape = block(width, height)
    parts = [Part("ground", FLOOR), *(Part(name, shape, follow(i)) for i, name in enumerate(names))]
    return parts_scene([*parts, *more], contacts=contacts, markers=markers, springs=springs)
