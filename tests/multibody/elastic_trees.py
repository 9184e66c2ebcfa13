"""Random trees with elastic bodies, each a cloud of points with functions given at the points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from nsmb._core import multibody as mb
from tests.multibody.random_trees import KINDS, frame, joint

Array = NDArray[np.float64]
FREE = 7


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of mass m at x (any, 3) with displacements phi (any, 3, n), and balls of inertia J.

    The balls rotate by psi (any, n) about axes a (any, 3) of length 1.
    """

    m: Array
    x: Array
    phi: Array
    J: Array
    axes: Array
    psi: Array
    K: Array
    D: Array
    drawn: Array | None = None
    """(any, 3, n, n) displacements of second order."""

    @classmethod
    def random(
        cls, rng: np.random.Generator, n: int, *, moves: bool = True, draws: bool = False
    ) -> Cloud:
        points, balls = n + 3, n + 1
        roots = rng.normal(size=(2, n, n))
        axes = rng.normal(size=(balls, 3))
        return cls(
            rng.uniform(0.2, 0.6, points),
            0.4 * rng.normal(size=(points, 3)),
            rng.normal(size=(points, 3, n)) * moves,
            rng.uniform(0.02, 0.1, balls),
            axes / np.linalg.norm(axes, axis=1)[:, None],
            rng.normal(size=(balls, n)),
            roots[0] @ roots[0].T + np.eye(n),
            0.1 * roots[1] @ roots[1].T,
            drawing(rng, points, n) if moves and draws else None,
        )

    @property
    def n(self) -> int:
        return self.psi.shape[1]

    def elastic(self) -> mb.Elastic:
        n, stack = self.n, self.phi.transpose(0, 2, 1).reshape(len(self.m), -1)
        return mb.Elastic(
            np.einsum("i,iak->ak", self.m, self.phi),
            np.einsum("i,is,ia->sa", self.m, stack, self.x),
            np.einsum("i,is,iz->sz", self.m, stack, stack).reshape(3 * n, 3 * n),
            np.einsum("i,ia,ik->ak", self.J, self.axes, self.psi),
            np.einsum("i,ik,il->kl", self.J, self.psi, self.psi),
            self.K,
            self.D,
            **self._drawn(stack.shape[1]),
        )

    def _drawn(self, rows: int) -> dict[str, Array]:
        if self.drawn is None:
            return {}
        return {
            "drawn": np.einsum("i,iakl->kal", self.m, self.drawn).reshape(rows, self.n),
            "drawn_first": np.einsum("i,iakl,ib->kalb", self.m, self.drawn, self.x).reshape(
                rows, rows
            ),
        }

    def body(self, name: str, hinge: mb.Joint, *places: object, **options: object) -> mb.Body:
        mass = self.m.sum()
        center = self.m @ self.x / mass
        d = self.x - center
        inertia = self.m @ np.sum(d**2, axis=1) * np.eye(3) - (d.T * self.m) @ d
        inertia += self.J.sum() * np.eye(3)
        return mb.Body(
            name, mass, center, inertia, hinge, *places, elastic=self.elastic(), **options
        )

    def point(self, name: str, parent: str, i: int) -> mb.Body:
        """Return a section at point i, which does not rotate."""
        node = mb.ElasticNode(self.phi[i], np.zeros((3, self.n)))
        return section(name, parent, mb.Frame(self.x[i]), node)


def drawing(rng: np.random.Generator, points: int, n: int) -> Array:
    """Draw Γ of points, small enough that masses stay positive."""
    G = 0.03 * rng.normal(size=(points, 3, n, n))
    return np.asarray(G + G.transpose(0, 1, 3, 2))


def section(name: str, parent: str, place: mb.Frame, node: mb.ElasticNode) -> mb.Body:
    nothing = np.zeros((3, 3))
    return mb.Body(name, 0.0, np.zeros(3), nothing, None, parent, place, node=node)


@st.composite
def elastic_trees(
    draw: st.DrawFn, floating: bool = False
) -> tuple[mb.Tree, list[Cloud], np.random.Generator]:
    """Draw rigid and elastic bodies on all kinds of joints, on sections and on frames.

    Some elastic bodies have displacements of second order. One section is called tip.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kinds = draw(st.lists(st.integers(0, KINDS - 1), min_size=1, max_size=6))
    if floating:
        kinds[0] = FREE
    places = ["environment"]
    bodies, clouds = [], []
    for k, kind in enumerate(kinds):
        name = f"body_{k}"
        on = draw(st.integers(int(floating and k > 0), len(places) - 1)) if k else 0
        n = draw(st.integers(0 if k else 1, 3))
        draws = draw(st.booleans())
        cloud = Cloud.random(rng, max(n, 1), moves=draw(st.booleans()), draws=draws)
        hinge, ends = joint(kind, rng), (places[on], frame(rng), frame(rng))
        places.append(name)
        if n == 0:
            center, d = 0.3 * rng.normal(size=3), 0.1 * rng.normal(size=3)
            inertia = 0.2 * np.eye(3) + d @ d * np.eye(3) - np.outer(d, d)
            bodies.append(mb.Body(name, 1.3, center, inertia, hinge, *ends))
            continue
        bodies.append(cloud.body(name, hinge, *ends))
        clouds.append(cloud)
        for i in range(draw(st.integers(1, 2))):
            label = "tip" if not i and len(clouds) == 1 else f"section_{k}_{i}"
            functions = rng.normal(size=(3, n)), rng.normal(size=(3, n))
            node = mb.ElasticNode(*functions)
            if draws:
                drawn = drawing(rng, 1, n)[0].transpose(1, 0, 2).reshape(3 * n, n)
                node = mb.ElasticNode(*functions, drawn)
            bodies.append(section(label, name, frame(rng), node))
            places.append(label)
    order = draw(st.permutations(bodies))
    return mb.Tree(list(order), np.zeros(3) if floating else rng.normal(size=3)), clouds, rng


def dissipation(tree: mb.Tree, clouds: list[Cloud], u: Array) -> float:
    """Return Σ q'ᵀ D q' of the bodies named in the order of the clouds."""
    names = tree.coordinates
    bodies = sorted(
        {name.partition(".")[0] for name in names if ".q" in name and name[-1].isdigit()}
    )
    total = 0.0
    for body, cloud in zip(bodies, clouds, strict=True):
        first = velocity_of(tree, f"{body}.q1")
        v = u[first : first + cloud.n]
        total += float(v @ cloud.D @ v)
    return total


def velocity_of(tree: mb.Tree, coordinate: str) -> int:
    """Return the index of the velocity that is the rate of a coordinate."""
    k = tree.coordinates.index(coordinate)
    rates = np.array(
        [tree.coordinate_rates(tree.reference, e)[k] for e in np.eye(tree.nu)], dtype=float
    )
    assert np.count_nonzero(rates) == 1
    return int(np.argmax(rates))
