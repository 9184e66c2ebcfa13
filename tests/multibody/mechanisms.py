"""Mechanisms by their Lagrangian equations, derived by SymPy, and the same as trees of bodies.

The Lagrangian side uses coordinates, positions of the centres of mass and rotation matrices, but
neither joints nor recursions. Rotations are products of (2.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import sympy as sp

from nsmb._core import multibody as mb
from tests.multibody.lagrange import Array, Equations, Rigid, lagrange, t

G = 9.81


def rot(axis: int, angle: sp.Expr) -> sp.Matrix:
    """Return the elementary rotation (2.5)."""
    c, s = sp.cos(angle), sp.sin(angle)
    i, k = (axis + 1) % 3, (axis + 2) % 3
    A = sp.eye(3)
    A[i, i], A[k, k], A[i, k], A[k, i] = c, c, -s, s
    return A


def vec(*x: object) -> sp.Matrix:
    return sp.Matrix([sp.nsimplify(e) if isinstance(e, float) else e for e in x])


def coordinates(f: int) -> list[sp.Expr]:
    return [sp.Function(f"q{k}")(t) for k in range(f)]


@dataclass(frozen=True)
class Mechanism:
    """Mechanism as Lagrangian equations and as a tree of bodies.

    `q_tree` returns the coordinates of the tree for those of the equations, if they differ;
    `u_tree` is the matrix B with u = B q'.
    """

    motion: tuple[Sequence[sp.Expr], Sequence[Rigid], Sequence[float]]
    tree: mb.Tree
    f: int
    q_tree: Callable[[Array], Array] | None = None
    u_tree: Callable[[Array], Array] | None = None

    @cached_property
    def equations(self) -> Equations:
        return lagrange(*self.motion)


def frame(r: object = (0, 0, 0), A: object = None) -> mb.Frame:
    return mb.Frame(np.array(r, float), np.eye(3) if A is None else np.array(A, float))


def numeric(A: sp.Matrix) -> Array:
    return np.array(A.evalf(30).tolist(), float)


def tensor(*entries: float) -> Array:
    """Return the inertia tensor from xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


ROD = np.diag([0.01, 0.2, 0.21])
STONE = tensor(0.31, 0.42, 0.5, 0.03, -0.02, 0.05)
PEBBLE = tensor(0.11, 0.09, 0.13, -0.01, 0.02, 0.015)
DOWN = (0.0, -G, 0.0)
EX, EY, EZ = np.eye(3)
E3 = sp.eye(3)


def pendulum_on_cart() -> Mechanism:
    x, phi = q = coordinates(2)
    A = rot(2, phi)
    bodies = [
        Rigid(2.0, ROD, vec(x, 0, 0), E3),
        Rigid(1.5, ROD, vec(x, 0, 0) + A * vec(0.7, 0.1, 0), A),
    ]
    tree = mb.Tree(
        [
            mb.Body("cart", 2.0, np.zeros(3), ROD, mb.PrismaticJoint(EX)),
            mb.Body("rod", 1.5, np.array([0.7, 0.1, 0]), ROD, mb.RevoluteJoint(EZ), "cart"),
        ],
        np.array(DOWN),
    )
    return Mechanism((q, bodies, DOWN), tree, 2)


def planar_chain(f: int) -> Mechanism:
    """Chain with relative angles; the body frames are at the centres of mass."""
    q = coordinates(f)
    bodies, described = [], []
    joint, A = vec(0, 0, 0), E3
    for k in range(f):
        A = A * rot(2, q[k])
        bodies.append(Rigid(1.0 + k, ROD, joint + A * vec(0.5, 0.05 * k, 0), A))
        joint = joint + A * vec(1.1, 0, 0)
        described.append(
            mb.Body(
                f"rod_{k}",
                1.0 + k,
                np.zeros(3),
                ROD,
                mb.RevoluteJoint(),
                f"rod_{k - 1}" if k else "environment",
                frame((0.6, -0.05 * (k - 1), 0)) if k else frame(),
                frame((-0.5, -0.05 * k, 0)),
            )
        )
    return Mechanism((q, bodies, DOWN), mb.Tree(described, np.array(DOWN)), f)


def slider_crank() -> Mechanism:
    """Slider-crank, cut between connecting rod and slider."""
    alpha, beta, s = q = coordinates(3)
    crank, rod = rot(2, alpha), rot(2, alpha) * rot(2, beta)
    pin = crank * vec(0.3, 0, 0)
    bodies = [
        Rigid(0.8, ROD, crank * vec(0.1, 0, 0), crank),
        Rigid(1.2, ROD, pin + rod * vec(0.5, 0, 0), rod),
        Rigid(2.0, ROD, vec(s, 0, 0), E3),
    ]
    tree = mb.Tree(
        [
            mb.Body("crank", 0.8, np.array([0.1, 0, 0]), ROD, mb.RevoluteJoint()),
            mb.Body(
                "rod",
                1.2,
                np.array([0.5, 0, 0]),
                ROD,
                mb.RevoluteJoint(),
                "crank",
                frame((0.3, 0, 0)),
            ),
            mb.Body("slider", 2.0, np.zeros(3), ROD, mb.PrismaticJoint(EX)),
        ],
        np.array(DOWN),
    )
    return Mechanism((q, bodies, DOWN), tree, 3)


def four_bar() -> Mechanism:
    """Four-bar linkage, cut between coupler and rocker.

    The bodies are given out of order, and so is q.
    """
    coupler, rocker, crank = q = coordinates(3)
    A_1, A_2, A_3 = rot(2, crank), rot(2, crank) * rot(2, coupler), rot(2, rocker)
    bodies = [
        Rigid(0.5, ROD, A_1 * vec(0.2, 0, 0), A_1),
        Rigid(0.9, ROD, A_1 * vec(0.4, 0, 0) + A_2 * vec(0.6, 0.1, 0), A_2),
        Rigid(0.7, ROD, vec(1.5, 0, 0) + A_3 * vec(0.4, 0, 0), A_3),
    ]
    pin = frame((0.4, 0, 0))
    joint = mb.RevoluteJoint
    tree = mb.Tree(
        [
            mb.Body("coupler", 0.9, np.array([0.6, 0.1, 0]), ROD, joint(), "crank", pin),
            mb.Body(
                "rocker", 0.7, np.array([0.4, 0, 0]), ROD, joint(), parent_frame=frame((1.5, 0, 0))
            ),
            mb.Body("crank", 0.5, np.array([0.2, 0, 0]), ROD, joint()),
        ],
        np.array(DOWN),
    )
    return Mechanism((q, bodies, DOWN), tree, 3)


def gyroscope() -> Mechanism:
    """Two gimbals and an eccentric rotor, cardan angles."""
    gamma, beta, alpha = q = coordinates(3)
    A_1 = rot(2, gamma)
    A_2 = A_1 * rot(1, beta)
    A_3 = A_2 * rot(0, alpha)
    bodies = [
        Rigid(0.4, PEBBLE, vec(0, 0, 0), A_1),
        Rigid(0.3, PEBBLE, A_2 * vec(0, 0.02, 0), A_2),
        Rigid(1.7, STONE, A_3 * vec(0.3, 0.01, 0), A_3),
    ]
    tree = mb.Tree(
        [
            mb.Body("outer", 0.4, np.zeros(3), PEBBLE, mb.RevoluteJoint(EZ)),
            mb.Body("inner", 0.3, np.array([0, 0.02, 0]), PEBBLE, mb.RevoluteJoint(EY), "outer"),
            mb.Body("rotor", 1.7, np.array([0.3, 0.01, 0]), STONE, mb.RevoluteJoint(EX), "inner"),
        ],
        np.array([0, 0, -G]),
    )
    return Mechanism((q, bodies, (0, 0, -G)), tree, 3)


def spatial_chain() -> Mechanism:
    """Three skew axes, rotated joint frames, eccentric centres of mass."""
    q = coordinates(3)
    F = [
        (vec(0.1, 0.2, 0), rot(0, sp.Float(0.3))),
        (vec(0.5, 0, 0.1), rot(1, sp.Float(0.7))),
        (vec(0, 0.4, 0.2), rot(2, sp.Float(-0.4)) * rot(0, sp.Float(1.0))),
    ]
    bodies, described = [], []
    r, A = vec(0, 0, 0), E3
    for k in range(3):
        place, turned = F[k]
        r, A = r + A * place, A * turned * rot(k, q[k])
        center = vec(0.1 * (k + 1), -0.05, 0.2)
        bodies.append(Rigid(1.0 + k, STONE, r + A * center, A))
        described.append(
            mb.Body(
                f"link_{k}",
                1.0 + k,
                numeric(center).ravel(),
                STONE,
                mb.RevoluteJoint(np.eye(3)[k]),
                f"link_{k - 1}" if k else "environment",
                frame(numeric(place).ravel(), numeric(turned)),
            )
        )
    return Mechanism((q, bodies, (1.0, -2.0, -G)), mb.Tree(described, [1.0, -2.0, -G]), 3)


def shaft_with_nut() -> Mechanism:
    """A cylindrical joint that carries a body on a screw."""
    shift, angle, turn = q = coordinates(3)
    pitch = sp.Rational(3, 20)
    A_1 = rot(2, angle)
    A_2 = A_1 * rot(0, turn)
    bodies = [
        Rigid(1.3, STONE, vec(0, 0, shift) + A_1 * vec(0.2, 0.1, 0), A_1),
        Rigid(
            0.6,
            PEBBLE,
            vec(0, 0, shift) + A_1 * vec(pitch * turn, 0.3, 0) + A_2 * vec(0, 0.1, 0.05),
            A_2,
        ),
    ]
    tree = mb.Tree(
        [
            mb.Body("shaft", 1.3, np.array([0.2, 0.1, 0]), STONE, mb.CylindricalJoint(EZ)),
            mb.Body(
                "nut",
                0.6,
                np.array([0, 0.1, 0.05]),
                PEBBLE,
                mb.ScrewJoint(0.15, EX),
                "shaft",
                frame((0, 0.3, 0)),
            ),
        ],
        np.array([0, 0, -G]),
    )
    return Mechanism((q, bodies, (0, 0, -G)), tree, 3)


def cardan_shaft() -> Mechanism:
    """Driving shaft, universal joint, driven body."""
    drive, alpha, beta = q = coordinates(3)
    A_1 = rot(2, drive)
    A_2 = A_1 * rot(0, alpha) * rot(1, beta)
    bodies = [
        Rigid(1.0, STONE, A_1 * vec(0.02, 0, 0.2), A_1),
        Rigid(0.8, PEBBLE, A_1 * vec(0, 0, 0.5) + A_2 * vec(0.05, 0, 0.3), A_2),
    ]
    tree = mb.Tree(
        [
            mb.Body("driving", 1.0, np.array([0.02, 0, 0.2]), STONE, mb.RevoluteJoint()),
            mb.Body(
                "driven",
                0.8,
                np.array([0.05, 0, 0.3]),
                PEBBLE,
                mb.UniversalJoint(),
                "driving",
                frame((0, 0, 0.5)),
            ),
        ],
        np.array(DOWN),
    )
    return Mechanism((q, bodies, DOWN), tree, 3)


def branches() -> Mechanism:
    """A planar joint with two arms, one of them a slide with a pendulum."""
    x, y, phi, arm, slide, swing = q = coordinates(6)
    A = rot(2, phi)
    A_1 = A * rot(0, arm)
    A_3 = A * rot(1, swing)
    base = vec(x, y, 0)
    rail = base + A * vec(slide, 0.2, 0)
    bodies = [
        Rigid(2.0, STONE, base + A * vec(0.1, 0, 0), A),
        Rigid(0.5, PEBBLE, base + A * vec(-0.3, 0, 0) + A_1 * vec(0, 0.2, 0.1), A_1),
        Rigid(0.4, PEBBLE, rail, A),
        Rigid(0.6, PEBBLE, rail + A_3 * vec(0, 0, -0.4), A_3),
    ]
    tree = mb.Tree(
        [
            mb.Body("base", 2.0, np.array([0.1, 0, 0]), STONE, mb.PlanarJoint()),
            mb.Body(
                "arm",
                0.5,
                np.array([0, 0.2, 0.1]),
                PEBBLE,
                mb.RevoluteJoint(EX),
                "base",
                frame((-0.3, 0, 0)),
            ),
            mb.Body(
                "slide",
                0.4,
                np.zeros(3),
                PEBBLE,
                mb.PrismaticJoint(EX),
                "base",
                frame((0, 0.2, 0)),
            ),
            mb.Body("bob", 0.6, np.array([0, 0, -0.4]), PEBBLE, mb.RevoluteJoint(EY), "slide"),
        ],
        np.array([0, 0, -G]),
    )
    return Mechanism((q, bodies, (0, 0, -G)), tree, 6)


def shaken_pendulum() -> Mechanism:
    """Pendulum whose support and part of whose angle have prescribed motion."""
    (phi,) = q = coordinates(1)
    support = vec(sp.sin(3 * t) / 5, sp.cos(2 * t) / 10, 0)
    A = rot(2, phi + sp.sin(t) / 2)
    bodies = [Rigid(1.5, ROD, support + A * vec(0.7, 0.1, 0), A)]

    def across(time: float) -> Array:
        s, c = np.sin(3 * time), np.cos(3 * time)
        return np.array([0.2 * s, 0.6 * c, -1.8 * s])

    def up(time: float) -> Array:
        s, c = np.sin(2 * time), np.cos(2 * time)
        return np.array([0.1 * c, -0.2 * s, -0.4 * c])

    def turn(time: float) -> Array:
        return np.array([0.5 * np.sin(time), 0.5 * np.cos(time), -0.5 * np.sin(time)])

    locked = [
        mb.JointMotion(0, across, True),
        mb.JointMotion(1, up, True),
        mb.JointMotion(2, lambda time: np.zeros(3), True),
    ]
    tree = mb.Tree(
        [
            mb.Body("support", 0.0, np.zeros(3), 0 * ROD, mb.PlanarJoint(), motions=locked),
            mb.Body(
                "rod",
                1.5,
                np.array([0.7, 0.1, 0]),
                ROD,
                mb.RevoluteJoint(),
                "support",
                motions=[mb.JointMotion(0, turn)],
            ),
        ],
        np.array(DOWN),
    )
    return Mechanism((q, bodies, DOWN), tree, 1)


def quaternion(angles: Array) -> Array:
    """Return the quaternion (w, x, y, z) of A_γ(ψ) A_β(θ) A_α(φ) for angles (ψ, θ, φ)."""
    result = np.array([1.0, 0, 0, 0])
    for angle, axis in zip(angles, (EZ, EY, EX), strict=True):
        w, v = np.cos(angle / 2), np.sin(angle / 2) * axis
        a, b = result[0], result[1:]
        result = np.array([a * w - b @ v, *(a * v + w * b + np.cross(b, v))])
    return result


def cardan_rates(angles: Array) -> Array:
    """Return B with body-fixed ω = B (ψ', θ', φ')."""
    _, th, ph = angles
    return np.array(
        [
            [-np.sin(th), 0, 1],
            [np.cos(th) * np.sin(ph), np.cos(ph), 0],
            [np.cos(th) * np.cos(ph), -np.sin(ph), 0],
        ]
    )


def spherical_pendulum() -> Mechanism:
    """A heavy body on a ball joint: quaternion against cardan angles."""
    psi, th, ph = q = coordinates(3)
    A = rot(2, psi) * rot(1, th) * rot(0, ph)
    bodies = [Rigid(1.4, STONE, vec(0.2, 0, 0.1) + A * vec(0.1, -0.2, 0.5), A)]
    tree = mb.Tree(
        [
            mb.Body(
                "bob",
                1.4,
                np.array([0.1, -0.2, 0.5]),
                STONE,
                mb.SphericalJoint(),
                parent_frame=frame((0.2, 0, 0.1)),
            )
        ],
        np.array([0, 0, -G]),
    )
    return Mechanism((q, bodies, (0, 0, -G)), tree, 3, quaternion, cardan_rates)


def free_body() -> Mechanism:
    """A free body with an eccentric frame and a pendulum on it."""
    x, y, z, psi, th, ph, swing = q = coordinates(7)
    A = rot(2, psi) * rot(1, th) * rot(0, ph)
    A_2 = A * rot(0, swing)
    o = vec(x, y, z)
    bodies = [
        Rigid(1.4, STONE, o + A * vec(0.1, -0.2, 0.3), A),
        Rigid(0.7, PEBBLE, o + A * vec(0, 0, 0.5) + A_2 * vec(0, 0.3, 0), A_2),
    ]
    tree = mb.Tree(
        [
            mb.Body("stone", 1.4, np.array([0.1, -0.2, 0.3]), STONE, mb.FreeJoint()),
            mb.Body(
                "arm",
                0.7,
                np.array([0, 0.3, 0]),
                PEBBLE,
                mb.RevoluteJoint(EX),
                "stone",
                frame((0, 0, 0.5)),
            ),
        ],
        np.array([0, 0, -G]),
    )

    def q_tree(v: Array) -> Array:
        return np.concatenate([v[:3], quaternion(v[3:6]), v[6:]])

    def u_tree(v: Array) -> Array:
        B = np.eye(7, dtype=v.dtype)
        B[3:6, 3:6] = cardan_rates(v[3:6])
        return B

    return Mechanism((q, bodies, (0, 0, -G)), tree, 7, q_tree, u_tree)


BUILDERS: dict[str, Callable[[], Mechanism]] = {
    "pendulum on cart": pendulum_on_cart,
    "double pendulum": lambda: planar_chain(2),
    "triple pendulum": lambda: planar_chain(3),
    "slider-crank": slider_crank,
    "four-bar": four_bar,
    "gyroscope": gyroscope,
    "spatial 3-R chain": spatial_chain,
    "shaft with nut": shaft_with_nut,
    "cardan shaft": cardan_shaft,
    "branches": branches,
    "shaken pendulum": shaken_pendulum,
    "spherical pendulum": spherical_pendulum,
    "free body": free_body,
}


@cache
def mechanism(name: str) -> Mechanism:
    return BUILDERS[name]()
