"""Generated problems with many contacts: spheres and cuboids as rigid bodies, in global form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity import friction

Array = NDArray[np.float64]
GRAVITY = 9.81


@dataclass
class Pile:
    """M v = H x + f, y = Hᵀ v + w, three rows per contact (five with rolling friction)."""

    M: Array
    H: Array
    f: Array
    w: Array
    mu: Array
    mu_R: Array | None = None

    @property
    def dimension(self) -> int:
        return 3 if self.mu_R is None else 5

    def bodies(self) -> friction.FrictionProblem:
        return friction.FrictionProblem.from_bodies(
            self.M, self.H, self.f, self.w, self.mu, mu_R=self.mu_R, dimension=self.dimension
        )

    def W(self) -> Array:
        return self.H.T @ np.linalg.solve(self.M, self.H)

    def q(self) -> Array:
        return self.H.T @ np.linalg.solve(self.M, self.f) + self.w

    def local(self) -> friction.FrictionProblem:
        return friction.FrictionProblem.local(
            self.W(), self.q(), self.mu, mu_R=self.mu_R, dimension=self.dimension
        )


def frame(normal: Array) -> Array:
    """Return normal and two tangents as columns."""
    helper = np.eye(3)[np.argmin(np.abs(normal))]
    first = np.cross(normal, helper)
    first /= np.linalg.norm(first)
    return np.column_stack([normal, first, np.cross(normal, first)])


def directions(arm: Array, axes: Array) -> Array:
    """Return six rows of H of a body with a contact at `arm` from its centre of mass."""
    return np.vstack([axes, np.cross(arm[:, None], axes, axis=0)])


def sphere_pile(
    seed: int, count: int, mu: float = 0.4, ratio: float = 1.0, mu_R: float | None = None
) -> Pile:
    """Return a step of spheres, each on the three before it or on the ground.

    `ratio` is that of the largest mass to the smallest.
    """
    rng = np.random.default_rng(seed)
    radius = rng.uniform(0.5, 1.0, count)
    mass = ratio ** rng.uniform(0.0, 1.0, count)
    step = 0.01
    centre = np.zeros((count, 3))
    contacts: list[tuple[int, int, Array, Array]] = []
    for i in range(count):
        centre[i] = [*rng.uniform(-0.4, 0.4, 2) * np.sqrt(count), 0.0]
        heights = [radius[i]]
        for j in range(i):
            across = np.linalg.norm(centre[i, :2] - centre[j, :2])
            reach = radius[i] + radius[j]
            if across < reach:
                heights.append(centre[j, 2] + np.sqrt(reach**2 - across**2))
        centre[i, 2] = max(heights)
        for j in range(i):
            arm = centre[i] - centre[j]
            distance = float(np.linalg.norm(arm))
            if distance < (radius[i] + radius[j]) * (1.0 + 0.02):
                contacts.append((j, i, arm / distance, centre[j] + arm * radius[j] / distance))
        if centre[i, 2] < radius[i] * 1.02:
            contacts.append((-1, i, np.array([0.0, 0.0, 1.0]), centre[i] * [1, 1, 0]))
    rows = 3 if mu_R is None else 5
    H = np.zeros((6 * count, rows * len(contacts)))
    for k, (a, b, normal, point) in enumerate(contacts):
        axes = frame(normal)
        for body, sign in ((a, -1.0), (b, 1.0)):
            if body < 0:
                continue
            at = slice(6 * body, 6 * body + 6)
            H[at, rows * k : rows * k + 3] = sign * directions(point - centre[body], axes)
            if mu_R is not None:
                H[6 * body + 3 : 6 * body + 6, rows * k + 3 : rows * k + 5] = sign * axes[:, 1:]
    inertia = np.ones((count, 6))
    inertia[:, 3:] = 0.4 * radius[:, None] ** 2
    M = np.diag((inertia * mass[:, None]).ravel())
    v = rng.normal(0.0, 0.05, 6 * count)
    v[2::6] -= GRAVITY * step
    friction_of = np.full(len(contacts), mu)
    rolling = None if mu_R is None else np.full(len(contacts), mu_R)
    return Pile(M, H, M @ v, np.zeros(H.shape[1]), friction_of, rolling)


def tower(
    height: int, mu: float = 0.5, push: float = 0.0, masses: Sequence[float] | None = None
) -> Pile:
    """Return cuboids on top of one another, with four contacts at each interface.

    These are dependent, as W is singular. `masses` are listed from below, all with the radii of
    gyration of one metre.
    """
    half = np.array([0.5, 0.4, 0.2])
    corners = [np.array([a, b, -1.0]) * half for a in (-1, 1) for b in (-1, 1)]
    axes = np.eye(3)[:, [2, 0, 1]]
    H = np.zeros((6 * height, 12 * height))
    for k in range(height):
        for c, corner in enumerate(corners):
            at = slice(12 * k + 3 * c, 12 * k + 3 * c + 3)
            H[6 * k : 6 * k + 6, at] = directions(corner, axes)
            if k > 0:
                above = corner * [1, 1, -1]
                H[6 * k - 6 : 6 * k, at] = -directions(above, axes)
    M = np.diag(np.repeat(np.ones(height) if masses is None else np.asarray(masses), 6))
    v = np.zeros(6 * height)
    v[2::6] = -GRAVITY * 0.01
    v[0] = push
    return Pile(M, H, M @ v, np.zeros(12 * height), np.full(4 * height, mu))
