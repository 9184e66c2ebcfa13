"""Scenes of ready-made systems; shapes without influence on the motion are chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.pictures.scene import ContactFrame, Scene

__all__ = ["bouncing_ball_scene", "impact_pendulum_scene", "rod_scene", "woodpecker_scene"]

Vector = NDArray[np.float64]
_FAR = 100.0  # m, drawn end of unbounded ground
_SIDEWAYS, _UP = (1.0, 0.0), (0.0, 1.0)

# The bird from the beak (0, 1) to the mass centre (1, 0): x in units of l_S, y in units of h_S.
_BIRD = np.array(
    [
        (0.00, 1.00), (0.26, 0.90), (0.40, 0.78), (0.47, 0.50), (0.52, 0.15), (0.66, -0.25),
        (0.95, -0.60), (1.20, -0.75), (1.52, -1.25), (1.68, -1.20), (1.50, -0.55), (1.36, 0.05),
        (1.14, 0.55), (0.92, 0.90), (0.86, 1.12), (0.70, 1.30), (0.48, 1.32), (0.32, 1.20),
        (0.24, 1.08), (0.00, 1.00),
    ]
)  # fmt: skip


def bouncing_ball_scene(radius: float) -> Scene:
    """Return the scene of a ball whose lowest point is at the height q_1; radius in m."""
    angle = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    circle[-1] = circle[0]
    floor = [(_FAR, 0.0), (-_FAR, 0.0)]

    def points(t: float, q: Vector) -> list[ArrayLike]:
        return [_moved(circle, 0.0, q[0] + radius), floor]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        return [ContactFrame((0.0, 0.0), _UP, _SIDEWAYS)]

    return Scene.from_function(points, bodies=["ball", "ground"], contacts=contacts)


def rod_scene(l: float, places: Sequence[float]) -> Scene:
    """Return the scene of a rod of length 2 l on obstacles; its lower edge is the line (7.27)."""
    edge = np.array([(-l, 0.0), (l, 0.0), (l, 0.05 * l), (-l, 0.05 * l), (-l, 0.0)])
    wedge = 0.08 * l * np.array([(0.0, 0.0), (-0.6, -2.0), (0.6, -2.0), (0.0, 0.0)])

    def points(t: float, q: Vector) -> list[ArrayLike]:
        rod = edge @ _turned(q[2]).T + q[:2]
        return [rod, *(_moved(wedge, place, 0.0) for place in places)]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        along, across = _turned(q[2]).T
        return [ContactFrame((place, 0.0), across, along) for place in places]

    bodies = ["rod", *["ground"] * len(places)]
    return Scene.from_function(points, bodies=bodies, contacts=contacts)


def impact_pendulum_scene(l: float, phi_0: float, v_0: float) -> Scene:
    """Return the scene of a pendulum about (0, 0) and a surface that moves with v_0."""
    height = -l * np.cos(phi_0)
    pitch = 0.1 * l
    teeth = np.arange(-30, 31)
    saw = np.column_stack([pitch * teeth, height - 0.35 * pitch * (2 + teeth % 2)])

    def points(t: float, q: Vector) -> list[ArrayLike]:
        tip = l * np.array([np.sin(q[0]), -np.cos(q[0])])
        side = 0.02 * np.array([-tip[1], tip[0]])
        rod = np.array([-side, tip, side, -side])
        surface = _moved(saw, v_0 * t % (2.0 * pitch), 0.0)
        return [rod, [(3.0 * l, height), (-3.0 * l, height)], surface]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        return [ContactFrame((l * np.sin(q[0]), -l * np.cos(q[0])), _UP, _SIDEWAYS)]

    return Scene.from_function(
        points,
        bodies=["pendulum", "ground", "ground"],
        markers=lambda t, q: [(0.0, 0.0)],
        joints=[0],
        contacts=contacts,
    )


def woodpecker_scene(
    r_0: float, r_M: float, h_M: float, l_M: float, l_G: float, h_S: float, l_S: float
) -> Scene:
    """Return the scene of the toy of (14.1) with its pole at x = 0; lengths in m.

    Points move as in the model, to first order in the angles, so that gaps are those of (14.1).
    """
    wall = 0.35 * r_M
    pole = [(-r_0, -_FAR), (r_0, -_FAR), (r_0, _FAR), (-r_0, _FAR), (-r_0, -_FAR)]
    right = np.array([(r_M, -h_M), (r_M + wall, -h_M), (r_M + wall, h_M), (r_M, h_M), (r_M, -h_M)])
    left = (right * np.array([-1.0, 1.0]))[::-1]
    arm = 0.12 * h_M
    lever = np.array(
        [(r_M + wall, -arm), (l_M, -arm), (l_M, arm), (r_M + wall, arm), (r_M + wall, -arm)]
    )
    beak = l_G - l_S  # x relative to the spring
    bird = _moved(np.array([l_S, h_S]) * _BIRD, beak, 0.0)
    leg = np.array([(0.0, 0.0), (beak + 0.62 * l_S, -0.05 * h_S)])

    def place(points: Vector, q: Vector) -> Vector:
        """Return the positions of points of the bird, given relative to the spring."""
        return _moved(_slightly_turned(points, q[2]), l_M, q[0] + l_M * q[1])

    def points(t: float, q: Vector) -> list[ArrayLike]:
        sleeve = [_moved(_slightly_turned(part, q[1]), 0.0, q[0]) for part in (left, right, lever)]
        return [pole, *sleeve, place(leg, q), place(bird, q)]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        edges = _slightly_turned(np.array([(r_M, -h_M), (r_M, h_M)]), q[1])
        touching = [place(np.array([[beak, h_S]]), q)[0], *_moved(edges, 0.0, q[0])]
        return [ContactFrame(point, _SIDEWAYS, _UP) for point in touching]

    return Scene.from_function(
        points,
        bodies=["ground", "sleeve", "sleeve", "sleeve", "bird", "bird"],
        markers=lambda t, q: [(l_M, q[0] + l_M * q[1])],
        joints=[0],
        contacts=contacts,
    )


def _turned(angle: float) -> Vector:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _moved(points: Vector, x: float, y: float) -> Vector:
    return np.asarray(points + np.array([x, y]))


def _slightly_turned(points: Vector, angle: float) -> Vector:
    return np.asarray(points + angle * np.column_stack([-points[:, 1], points[:, 0]]))
