"""A planar scene at many instants as arrays: what a canvas in a browser draws by itself."""

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

_LOOKED_AT = 13  # instants that decide on what is in view
_SMALL = 0.4  # of the view: a body is followed where its own view is smaller


class Part(NamedTuple):
    """An outline among the points of a film."""

    body: str
    first: int
    length: int
    closed: bool
    ground: bool


@dataclass(frozen=True, eq=False)
class Film:
    """Places in the plane of the picture, in m, at F instants."""

    t: Floats
    """(F,) s"""
    parts: tuple[Part, ...]
    points: Floats
    """(F, n, 2) of all outlines, one behind the other."""
    springs: Floats
    """(F, s, 2, 2) ends."""
    joints: Floats
    """(F, j, 2)"""
    contacts: Floats
    """(F, nc, 2), NaN where a contact has no place."""
    states: NDArray[np.int8]
    """(F, nc) values of `nsmb.ContactState`."""
    view: View
    """All that is to be seen."""
    followed: str
    """Body beside which the view may stay; empty: none."""
    follow_view: View
    """What is to be seen then, from the middle of that body."""
    follows: bool
    """Whether the view beside the body shows far more of it."""


def film(solution: Motion, times: ArrayLike) -> Film:
    """The scene of a run at `times`.

    Parameters
    ----------
    solution : Solution
        With dense output, of a system with a scene.
    times : (F,) array_like
        s

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
    """(n, 3) all outlines of an instant, those with fewer points than elsewhere filled up."""
    found = [np.zeros((0, 3))]
    for outline, size in zip(outlines, sizes, strict=True):
        points = outline.points
        if outline.is_ground and outline.normal @ plane.normal < 0.0:
            points = points[::-1]  # the material on the left, as it is seen
        found.append(points)
        if len(points) < size:
            found.append(np.repeat(points[-1:], size - len(points), axis=0))
    return np.vstack(found)


def _in_plane(plane: Plane, places: Sequence[Floats]) -> Floats:
    """(F, n, 2) of places (n, 3) at F instants."""
    return plane.of(np.array(places).reshape(len(places), -1, 3))


def _contacts(system: Subject, plane: Plane, t: float, q: Floats) -> Floats:
    found = np.full((system.nc, 2), np.nan)
    for i, frame in enumerate(contact_frames(system, t, q)):
        if frame is not None:
            found[i] = plane.of(np.asarray(frame.point, dtype=np.float64))
    return found


def _states(solution: Motion, t: Floats) -> NDArray[np.int8]:
    """Behind the events of each instant."""
    rows = np.searchsorted(solution.t, t, side="right") - 1
    return solution.contact_state[np.clip(rows, 0, solution.t.size - 1)]
