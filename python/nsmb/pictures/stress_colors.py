"""Bodies coloured by their stresses, in front of their outlines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import positive
from nsmb.common.extras import import_extra
from nsmb.pictures.instant import Instant
from nsmb.pictures.plane import Plane
from nsmb.pictures.scene import StressField
from nsmb.pictures.subjects import is_solid, scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Subject

__all__ = ["StressColors", "end_of_scale", "largest_stress", "scale_colors", "stress_fields"]

Floats = NDArray[np.float64]
_MAP = "viridis"
_PREFIXES = (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0))
_IN_FRONT = 2.7  # z-order: above outlines and hidden edges, below springs and joints


def stress_fields(system: Subject, now: Instant) -> Sequence[StressField]:
    """Return the stresses of all bodies that can compute them.

    Raises
    ------
    ValueError
        If there are no such bodies, or solids in space are drawn.
    """
    scene = scene_of(system)
    if is_solid(system):
        raise ValueError(
            "stresses: must be drawn for a system with outlines, got solids in space. Draw "
            "system.scene.stresses(t, q) in your own axes."
        )
    if scene.stresses is None:
        raise ValueError(
            "stresses: must belong to a body of a mesh from nsmb.flexible.plane or solid, got "
            "none. Stresses of beams and of matrices from other programs are not known. Create "
            "the body from its mesh, or pass `stresses` and `triangles` to "
            "nsmb.flexible.FiniteElements."
        )
    return scene.stresses(now.t, now.q)


def largest_stress(runs: Iterable[Sequence[StressField]]) -> float:
    """Return the largest stress of all bodies at all instants, Pa; 1 if all are zero."""
    most = max((float(f.von_mises.max()) for fields in runs for f in fields), default=0.0)
    return most or 1.0


def end_of_scale(stresses: bool | float) -> float | None:
    """Return the requested end of the scale, Pa; None for the largest stress.

    Raises
    ------
    ValueError
        If `stresses` is a number that is not positive.
    """
    return None if isinstance(stresses, bool) else positive("stresses", stresses)


def scale_colors(share: Floats) -> Floats:
    """Return red, green and blue (n, 3) for fractions (n,) of the scale."""
    colors = import_extra("matplotlib", "plot").colormaps[_MAP](share)
    return np.asarray(colors, dtype=np.float64)[:, :3]


class StressColors:
    """Triangles coloured by stress, with a colour scale below the axes.

    Parameters
    ----------
    ax : Axes
    plane : Plane
        Plane of the figure.
    unit : float
        Unit of the axes per metre.
    end : float
        End of the scale, Pa.
    largest : float
        Largest displayed stress, Pa; if it exceeds the end, the scale has an arrow.
    """

    def __init__(self, ax: Axes, plane: Plane, unit: float, end: float, largest: float) -> None:
        self._ax, self._plane, self._unit, self._end = ax, plane, unit, end
        self._prefix, self._size = next((p for p in _PREFIXES if end >= p[1]), _PREFIXES[-1])
        self._extend = "max" if largest > end else "neither"
        self._mesh: Any = None

    def show(self, fields: Sequence[StressField]) -> None:
        """Update the bodies to an instant."""
        values = np.concatenate([field.von_mises for field in fields]) / self._size
        points, triangles = _seen(fields, self._plane)
        x, y = self._unit * points.T
        mesh = self._ax.tripcolor(
            x, y, values, triangles=triangles, shading="gouraud", cmap=_MAP, vmin=0.0,
            vmax=self._end / self._size, zorder=_IN_FRONT,
        )  # fmt: skip
        if self._mesh is None:
            self._ax.figure.colorbar(
                mesh, ax=self._ax, location="bottom", label=f"von Mises stress / {self._prefix}Pa",
                shrink=0.8, aspect=40, extend=self._extend,
            )  # fmt: skip
        else:
            self._mesh.remove()  # visible triangles and their order have changed
        self._mesh = mesh


def _seen(fields: Sequence[StressField], plane: Plane) -> tuple[Floats, NDArray[np.int64]]:
    """Return points (n, 2) of all bodies, and the visible triangles from back to front."""
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
