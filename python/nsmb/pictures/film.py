"""A planar scene at many instants as arrays, for drawing on a canvas in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.pictures.framing import View, view_of
from nsmb.pictures.instant import Instant
from nsmb.pictures.plane import Plane
from nsmb.pictures.scene import Outline
from nsmb.pictures.subjects import Motion, Subject, contact_frames, scene_of

__all__ = ["Film", "Part", "film"]

Floats = NDArray[np.float64]

_LOOKED_AT = 13  # instants that determine the view
_SMALL = 0.4  # a body is followed if its own view is smaller than this fraction of the view


class Part(NamedTuple):
    """An outline within the points of an animation."""

    body: str
    first: int
    length: int
    closed: bool
    ground: bool


@dataclass(frozen=True, eq=False)
class Film:
    """Positions in the plane of the figure, in m, at F instants."""

    t: Floats
    """Times, shape (F,), s."""
    parts: tuple[Part, ...]
    points: Floats
    """Points of all outlines, concatenated, shape (F, n, 2)."""
    springs: Floats
    """Ends of the springs, shape (F, s, 2, 2)."""
    joints: Floats
    """Positions of the joints, shape (F, j, 2)."""
    contacts: Floats
    """Positions of the contacts, shape (F, nc, 2); NaN if a contact has no position."""
    states: NDArray[np.int8]
    """Values of `nsmb.ContactState`, shape (F, nc)."""
    view: View
    """View of the whole animation."""
    followed: str
    """Body that the view can follow; empty for none."""
    follow_view: View
    """View relative to the centre of that body."""
    follows: bool
    """True if the view that follows the body shows far more detail."""


def film(solution: Motion, times: ArrayLike) -> Film:
    """Return the scene of a run at `times`.

    Parameters
    ----------
    solution : Solution
        A run with dense output of a system with a scene.
    times : (F,) array_like
        Times, s.

    Returns
    -------
    Film

    Raises
    ------
    ValueError
        If the system has no scene.
    """
    scene = scene_of(solution.system)
    system = solution.system
    t = np.asarray(times, dtype=np.float64)
    sample = solution.at(t)
    rows = list(zip(t.tolist(), sample.q, strict=True))
    outlines = [scene.outlines(*row) for row in rows]
    looked_at = [
        Instant(rows[k][0], rows[k][1], np.zeros(system.nc))
        for k in np.unique(np.linspace(0, len(rows) - 1, _LOOKED_AT).astype(int))
    ]
    view, _ = view_of(system, looked_at)
    plane = view.plane
    moving = [outline.body for outline in outlines[0] if not outline.is_ground]
    followed = moving[0] if moving else ""
    near = view_of(system, looked_at, followed)[0] if followed else view
    sizes = [max(len(o.points) for o in column) for column in zip(*outlines, strict=True)]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist()
    parts = tuple(
        Part(o.body, first, count, o.closed, o.is_ground)
        for o, first, count in zip(outlines[0], starts, sizes, strict=False)
    )
    return Film(
        t=t,
        parts=parts,
        points=_in_plane(plane, [_row(plane, row, sizes) for row in outlines]),
        springs=_in_plane(plane, [np.array(scene.springs_at(*row)) for row in rows]).reshape(
            len(rows), -1, 2, 2
        ),
        joints=_in_plane(plane, [scene.joints_at(*row) for row in rows]),
        contacts=np.array([_contacts(system, plane, *row) for row in rows]),
        states=_states(solution, t),
        view=view,
        followed=followed,
        follow_view=near,
        follows=near.size < _SMALL * view.size,
    )


def _row(plane: Plane, outlines: Sequence[Outline], sizes: Sequence[int]) -> Floats:
    """Return all outlines of an instant, padded to equal numbers of points, shape (n, 3)."""
    found = [np.zeros((0, 3))]
    for outline, size in zip(outlines, sizes, strict=True):
        points = outline.points
        if outline.is_ground and outline.normal @ plane.normal < 0.0:
            points = points[::-1]  # visible material on the left
        found.append(points)
        if len(points) < size:
            found.append(np.repeat(points[-1:], size - len(points), axis=0))
    return np.vstack(found)


def _in_plane(plane: Plane, places: Sequence[Floats]) -> Floats:
    """Return the projections (F, n, 2) of positions (n, 3) at F instants."""
    return plane.of(np.array(places).reshape(len(places), -1, 3))


def _contacts(system: Subject, plane: Plane, t: float, q: Floats) -> Floats:
    found = np.full((system.nc, 2), np.nan)
    for i, frame in enumerate(contact_frames(system, t, q)):
        if frame is not None:
            found[i] = plane.of(np.asarray(frame.point, dtype=np.float64))
    return found


def _states(solution: Motion, t: Floats) -> NDArray[np.int8]:
    """Return the contact states after the events at each instant."""
    rows = np.searchsorted(solution.t, t, side="right") - 1
    return solution.contact_state[np.clip(rows, 0, solution.t.size - 1)]
