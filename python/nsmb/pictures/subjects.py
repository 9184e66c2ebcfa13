"""Protocols of drawable objects: the parts of systems and solutions that figures use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.labels import Labels
from nsmb.events import Events
from nsmb.pictures.scene import ContactFrame, Scene

__all__ = ["FoundRows", "Motion", "Subject", "contact_frames", "is_solid", "scene_of"]

Floats = NDArray[np.float64]


class ContactPair(Protocol):
    """A contact of a subject."""

    @property
    def name(self) -> str: ...
    @property
    def tangents(self) -> int: ...
    @property
    def is_unilateral(self) -> bool: ...


class Moment(Protocol):
    """The state at one or many times."""

    @property
    def q(self) -> Floats: ...
    @property
    def u(self) -> Floats: ...
    @property
    def x(self) -> Floats: ...


class StateAt(Moment, Protocol):
    @property
    def t(self) -> float: ...


class MomentOfRun(Moment, Protocol):
    @property
    def contact_state(self) -> NDArray[np.int8]: ...


class FoundRows(Protocol):
    """Contacts found by `Model.collide`; see `nsmb.solution.contacts.Contacts.points`."""

    point: Floats
    normal: Floats
    g_N: Floats
    shape_1: NDArray[np.int32]
    shape_2: NDArray[np.int32]
    lambda_N: Floats
    state: NDArray[np.int8]
    identity: NDArray[np.uint64]

    @property
    def force(self) -> Floats: ...
    def at(self, k: int) -> FoundRows: ...


class ContactsOfRun(Protocol):
    @property
    def points(self) -> FoundRows: ...


class Subject(Protocol):
    """A system with a scene; see `nsmb.System`."""

    name: str
    _core: Any

    @property
    def labels(self) -> Labels: ...
    @property
    def scene(self) -> Scene | None: ...
    @property
    def contacts(self) -> Sequence[ContactPair]: ...
    @property
    def initial_state(self) -> StateAt: ...
    @property
    def nq(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def nx(self) -> int: ...
    @property
    def nc(self) -> int: ...
    @property
    def nt(self) -> int: ...
    def contact_kinematics(self, t: float, q: ArrayLike, u: ArrayLike) -> dict[str, Floats]: ...
    def contact_quantities(self, t: float, q: ArrayLike, u: ArrayLike) -> dict[str, Floats]: ...


class Motion(Protocol):
    """The results of a run; see `nsmb.Solution`."""

    t: Floats
    q: Floats
    u: Floats
    g_N: Floats
    lambda_N: Floats
    lambda_T: Floats
    contact_state: NDArray[np.int8]
    features: NDArray[np.int32]
    element_mode: NDArray[np.int8]
    status: str
    system_name: str

    @property
    def events(self) -> Events: ...
    @property
    def contacts(self) -> ContactsOfRun: ...
    @property
    def labels(self) -> Labels: ...
    @property
    def coordinates(self) -> tuple[str, ...]: ...
    @property
    def coordinate_units(self) -> tuple[str, ...]: ...
    @property
    def contact_names(self) -> tuple[str, ...]: ...
    @property
    def tangent_names(self) -> tuple[str, ...]: ...
    @property
    def element_names(self) -> tuple[str, ...]: ...
    @property
    def gapless(self) -> frozenset[str]: ...
    @property
    def system(self) -> Subject: ...
    @property
    def _system_or_none(self) -> Subject | None: ...
    @property
    def success(self) -> bool: ...
    @property
    def t_span(self) -> tuple[float, float]: ...
    @property
    def has_dense_output(self) -> bool: ...
    def at(self, t: ArrayLike, side: Literal["left", "right"] = ...) -> MomentOfRun: ...


def is_solid(system: Subject) -> bool:
    """Return True if a system is drawn as solids in space, for models with `Model.collide`."""
    return bool(scene_of(system).solids) and bool(system._core.finds_contacts)


def scene_of(system: Subject) -> Scene:
    """Return the scene of a system; without a scene, raise a ValueError with the remedy."""
    if system.scene is None:
        raise ValueError(
            f"system.scene: expected a nsmb.plotting.Scene, got None. System {system.name!r} has "
            "no drawing. Set system.scene = nsmb.plotting.Scene.from_function(points), where "
            "points(t, q) returns a list of polylines."
        )
    return system.scene


def contact_frames(system: Subject, t: float, q: Floats) -> list[ContactFrame | None]:
    """Return position and directions of each contact at (t, q), None if unknown or not in use.

    Raises
    ------
    ValueError
        If ``scene.contacts`` returns a wrong number of frames.
    """
    scene = scene_of(system)
    if scene.contacts is not None:
        frames = list(scene.contacts(t, q))
        if len(frames) != system.nc:
            raise ValueError(
                f"scene.contacts(t, q): expected {system.nc} frames or None, one per contact, got "
                f"{len(frames)}"
            )
        return frames
    points = getattr(system._core, "contact_points", None)  # only for multibody models
    if points is None:
        return [None] * system.nc
    found = points([t], [q])
    columns = zip(*(found[key].reshape(-1, 3) for key in ("r", "n", "t")), strict=True)
    return [None if np.isnan(r).any() else ContactFrame(r, n, tangent) for r, n, tangent in columns]
