"""Cross-sections of elastic bodies with attached parts: bodies without inertia for the core."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.frames import Frame
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.joints import Joint
from nsmb.multibody.parts import GROUND, JointRecord, Place

__all__ = ["Sections", "check_hold"]

Array = NDArray[np.float64]
_HELD = 1e-9  # of the largest motion: allowed by the joint up to rounding


class Sections:
    """Core bodies and frames of positions on elastic bodies.

    Parameters
    ----------
    model : Blueprint
    bodies : mapping of str to int
        Indices of the bodies. The sections have subsequent indices.
    """

    def __init__(self, model: Blueprint, bodies: Mapping[str, int]) -> None:
        self._elastic = model.elastic
        self._numbers = bodies
        self._bodies = [name for name in bodies if name != GROUND]
        self._names: list[str] = []
        self.bodies: list[_multibody.Body] = []
        self._known: dict[tuple[str, Hashable], int] = {}

    def name(self, number: int) -> str:
        """Return the name of a body of the core."""
        if number < 0:
            return "environment"
        first = len(self._bodies)
        return self._bodies[number] if number < first else self._names[number - first]

    def locate(self, place: Place) -> tuple[int, Frame]:
        """Return the index of the core body, and the frame on it."""
        elastic = self._elastic.get(place.body)
        if elastic is None:
            return self._numbers[place.body], place.frame
        name, origin, node = elastic._section(place.frame)
        if node is None:
            return self._numbers[place.body], place.frame
        key = place.body, name
        if key not in self._known:
            self._known[key] = len(self._numbers) - 1 + len(self.bodies)
            self._names.append(f"{place.body}@{key[1]!r}")
            self.bodies.append(
                _multibody.Body(
                    self._names[-1],
                    0.0,
                    np.zeros(3),
                    np.zeros((3, 3)),
                    None,
                    parent=place.body,
                    parent_frame=_multibody.Frame(origin),
                    node=node,
                )
            )
        return self._known[key], Frame(np.asarray(place.frame.r) - origin, place.frame.A)


def check_hold(model: Blueprint, record: JointRecord) -> None:
    """Check that the functions of an elastic body do not move the frame held by a joint."""
    elastic = model.elastic.get(record.second.body)
    if elastic is None:
        return
    frame = record.second.frame
    moves = elastic._moves(frame)
    in_joint = np.vstack([np.asarray(frame.A).T @ moves[:3], np.asarray(frame.A).T @ moves[3:]])
    S = _free_directions(record.joint)
    rest = in_joint - S @ np.linalg.lstsq(S, in_joint, rcond=None)[0] if S.size else in_joint
    if np.abs(rest).max() > _HELD * max(1.0, np.abs(moves).max()):
        raise ValueError(
            f"joint {record.name!r}: expected functions of {record.second.body!r} that are zero "
            f"where {record.joint!r} holds it, got {np.abs(rest).max():.3g} at "
            f"{np.asarray(frame.r).tolist()}. Choose other functions, or close a loop there."
        )


def _free_directions(joint: Joint) -> Array:
    """Return the free directions (6, nu), translation above rotation, at coincident frames."""
    body = _multibody.Body("body", 1.0, np.zeros(3), np.eye(3), joint._core())
    tree = _multibody.Tree([body])
    k = _multibody.TreeEvaluation(tree).marker(0.0, tree.reference, np.zeros(tree.nu), "body")
    return np.vstack([k.J_S, k.J_R])
