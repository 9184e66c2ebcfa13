"""Bodies coloured by their stresses, in front of their outlines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import positive
from nsmb.pictures.instant import Instant
from nsmb.pictures.plane import Plane
from nsmb.pictures.scene import StressField
from nsmb.pictures.subjects import is_solid, scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Subject

__all__ = ["color_stresses", "stress_fields"]

Floats = NDArray[np.float64]
_PREFIXES = (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0))
_IN_FRONT = 2.7  # of outlines and of edges that a solid hides, behind springs and joints


def stress_fields(system: Subject, now: Instant) -> Sequence[StressField]:
    """Stresses of all bodies that know theirs.

    Raises
    ------
    ValueError
        If there are none, or solids in space are drawn.
    """
    scene = scene_of(system)
    if is_solid(system):
        raise ValueError(
            "stresses: expected a system that is drawn by outlines, got one of solids in space, as "
            "its shapes touch anywhere; colour system.scene.stresses(t, q) in axes of your own"
        )
    if scene.stresses is None:
        raise ValueError(
            "stresses: expected a body made of a mesh by nsmb.flexible.plane or solid, got none: "
            "of beams and of matrices of another program no stresses are known, and files of "
            "earlier versions have no triangles; make the body of its mesh and save it again, or "
            "give nsmb.flexible.FiniteElements `stresses` and `triangles`"
        )
    return scene.stresses(now.t, now.q)


def color_stresses(
    ax: Axes,
    fields: Sequence[StressField],
    plane: Plane,
    unit: float,
    most: float | None = None,
) -> None:
    """Triangles in the colours of their stresses, and the scale of these below the axes.

    Parameters
    ----------
    ax : Axes
    fields : sequence of StressField
    plane : Plane
        Of the picture.
    unit : float
        Of the axes, per metre.
    most : float, optional
        Pa, end of the scale; default: the largest stress.

    Raises
    ------
    ValueError
        If `most` is not positive.
    """
    values = np.concatenate([field.von_mises for field in fields])
    end = (float(values.max()) or 1.0) if most is None else positive("stresses", most)
    prefix, size = next((p for p in _PREFIXES if end >= p[1]), _PREFIXES[-1])
    points, triangles = _seen(fields, plane)
    x, y = unit * points.T
    mesh = ax.tripcolor(
        x, y, values / size, triangles=triangles, shading="gouraud", cmap="viridis", vmin=0.0,
        vmax=end / size, zorder=_IN_FRONT,
    )  # fmt: skip
    ax.figure.colorbar(
        mesh, ax=ax, location="bottom", label=f"von Mises stress / {prefix}Pa", shrink=0.8,
        aspect=40, extend="max" if values.max() > end else "neither",
    )  # fmt: skip


def _seen(fields: Sequence[StressField], plane: Plane) -> tuple[Floats, NDArray[np.int64]]:
    """Points (n, 2) of all bodies, and triangles that look at the eye, those behind first."""
    points = np.vstack([field.points for field in fields])
    first = np.cumsum([0, *(len(field.points) for field in fields)])
    flat = plane.of(points)
    found = []
    for start, field in zip(first[:-1], fields, strict=True):
        rows = field.triangles + start
        if not field.is_planar:
            a, b, c = (flat[rows[:, k]] for k in range(3))
            turn = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
            rows = rows[turn > 0.0]
        found.append(rows)
    triangles = np.vstack(found)
    depth = (points @ plane.normal)[triangles].mean(axis=1)
    return flat, triangles[np.argsort(depth, kind="stable")]
