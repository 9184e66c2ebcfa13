"""Frames that are fixed in bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_array

__all__ = ["Frame", "NodeFrame", "as_direction", "as_frame", "as_vector", "turn_to"]

Array = NDArray[np.float64]
_ORTHOGONAL = 1e-9  # tolerance for rotation matrices, as in the core


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame that is fixed in a body, with origin and axes in components of the body frame.

    Raises
    ------
    ValueError
        If a shape is wrong, a number is not finite, or the axes are not a rotation matrix.

    Examples
    --------
    >>> import nsmb
    >>> nsmb.geometry.Frame((0.1, 0.0)).r
    array([0.1, 0. , 0. ])
    """

    r: ArrayLike = (0.0, 0.0, 0.0)
    """Origin, shape (3,), or (2,) in the x-y plane, in m."""
    A: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    """Axes as columns, shape (3, 3); maps components in this frame to those in the body frame."""

    def __post_init__(self) -> None:
        r, A = as_vector("r", self.r), as_array("A", self.A, (3, 3))
        if np.abs(A.T @ A - np.eye(3)).max() > _ORTHOGONAL or np.linalg.det(A) < 0.0:
            raise ValueError(f"A: expected a rotation matrix, got {A.tolist()}")
        for name, value in (("r", r), ("A", A)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @classmethod
    def planar(cls, x: float, y: float, angle: float = 0.0) -> Frame:
        """Return a frame with an origin in the x-y plane, rotated by `angle` (rad) about e_z."""
        return cls((x, y), _about_z(angle))

    def _core(self) -> _multibody.Frame:
        return _multibody.Frame(self.r, self.A)


@dataclass(frozen=True, eq=False)
class NodeFrame(Frame):
    """A frame that moves with a node, or a group of nodes, of a flexible body."""

    node: int = -1
    """Index of the node or group of nodes in the body."""


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def as_vector(name: str, value: ArrayLike) -> Array:
    """Return a vector with three components; the third is zero if two are given."""
    if np.shape(value) == (2,):
        return np.append(as_array(name, value, (2,)), 0.0)
    return as_array(name, value, (3,))


def as_direction(name: str, value: ArrayLike) -> Array:
    """Return a unit vector with three components, in the x-y plane if two are given."""
    a = as_vector(name, value)
    length = float(np.linalg.norm(a))
    if not length > 0.0:
        raise ValueError(f"{name}: expected a vector that is not zero, got {a.tolist()}")
    return a / length


def as_frame(name: str, at: Frame | ArrayLike | None, angle: float = 0.0) -> Frame:
    """Return the frame at `at`, rotated by `angle` about its own e_z."""
    turn = float(as_array(name.replace("at", "angle", 1), angle, ()))
    if at is None:
        at = Frame()
    frame = at if isinstance(at, Frame) else Frame(as_vector(name, at))
    return frame if turn == 0.0 else replace(frame, A=np.asarray(frame.A) @ _about_z(turn))


def turn_to(axis: Array) -> Array:
    """Return a rotation matrix that maps e_z to `axis`."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    if axis[2] == 1.0:
        return np.eye(3)
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])
