"""Random trees of bodies, for tests of laws that hold for every tree."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nsmb._core import multibody as mb

Array = NDArray[np.float64]
law = settings(max_examples=60, derandomize=True, deadline=None)


def rotation(rng: np.random.Generator) -> Array:
    A, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return A * np.sign(np.linalg.det(A))


def inertia(rng: np.random.Generator) -> Array:
    """Return the inertia of six heavy points, which is always physically possible."""
    x = 0.3 * rng.normal(size=(6, 3))
    x -= x.mean(axis=0)
    return np.eye(3) * np.sum(x**2) - x.T @ x


def frame(rng: np.random.Generator) -> mb.Frame:
    return mb.Frame(0.5 * rng.normal(size=3), rotation(rng))


def joint(kind: int, rng: np.random.Generator) -> mb.Joint:
    axis = rng.normal(size=3)
    return [
        lambda: mb.RevoluteJoint(axis),
        lambda: mb.PrismaticJoint(axis),
        lambda: mb.CylindricalJoint(axis),
        lambda: mb.ScrewJoint(0.2, axis),
        mb.UniversalJoint,
        mb.SphericalJoint,
        mb.PlanarJoint,
        mb.FreeJoint,
        mb.FixedJoint,
    ][kind]()


KINDS = 9


def excited(rng: np.random.Generator, coordinate: int, locked: bool) -> mb.JointMotion:
    a, w, p = rng.uniform(0.5, 1.5, 3)

    def s(t: float) -> Array:
        x = w * t + p
        return np.array([a * np.sin(x), a * w * np.cos(x), -a * w**2 * np.sin(x)])

    return mb.JointMotion(coordinate, s, locked)


@st.composite
def trees(
    draw: st.DrawFn, rheonomic: bool = False, floating: bool = False
) -> tuple[mb.Tree, np.random.Generator]:
    """Draw a tree with all kinds of joints, its last body called tip, and a generator of states."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kinds = draw(st.lists(st.integers(0, KINDS - 1), min_size=1, max_size=8))
    if floating:
        kinds[0] = 7
    names = [f"body_{k}" for k in range(len(kinds) - 1)] + ["tip"]
    bodies = []
    for k, kind in enumerate(kinds):
        parent = draw(st.integers(0 if floating and k else -1, k - 1)) if k else -1
        motions = []
        if rheonomic and kind in (0, 1, 2, 3, 4, 6) and draw(st.booleans()):
            motions = [excited(rng, 0, draw(st.booleans()))]
        bodies.append(
            mb.Body(
                names[k],
                rng.uniform(0.5, 2.0),
                0.3 * rng.normal(size=3),
                inertia(rng),
                joint(kind, rng),
                "environment" if parent < 0 else names[parent],
                frame(rng),
                frame(rng),
                motions=motions,
            )
        )
    order = draw(st.permutations(bodies))
    return mb.Tree(list(order), np.zeros(3) if floating else rng.normal(size=3)), rng


def state(tree: mb.Tree, rng: np.random.Generator) -> tuple[float, Array, Array]:
    q = tree.normalise(tree.reference + rng.normal(size=tree.nq))
    return rng.uniform(0.0, 3.0), q, rng.normal(size=tree.nu)
