"""Planar bodies bounded by polygons, built directly from the core, for tests of the event loop."""

import numpy as np

from nsmb._core import geometry, multibody
from nsmb.system.base import State, System
from nsmb.system.contact_info import ContactInfo

SQUARE = 0.1 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])


def rectangle(left, bottom, right, top):
    return np.array([(left, bottom), (right, bottom), (right, top), (left, top)], float)


def regular(n, radius=0.1):
    angle = 2.0 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


class PolygonScene(System):
    """One body with a planar joint on fixed grounds, all bounded by polygons."""

    def __init__(self, body, grounds, law, *, q, u=(0, 0, 0), points=8, search=0.05, skin=0.02):
        self.outline, self.grounds = np.asarray(body, float), [np.asarray(g) for g in grounds]
        box = multibody.Body("body", 1.0, [0, 0, 0], 0.01 * np.eye(3), multibody.PlanarJoint())
        tree = multibody.Tree([box], [0.0, -9.81, 0.0])
        markers = [multibody.Marker(-1, multibody.Frame()), multibody.Marker(0, multibody.Frame())]
        own = geometry.Chain(self.outline, True)
        contacts = [
            multibody.ContourContact(
                f"c{k}", law._core(), 1, 0, own, geometry.Chain(g, True), points, search, skin
            )
            for k, g in enumerate(self.grounds)
        ]
        core = multibody.ModelSystem(tree, markers, contacts=contacts)
        number = [f"[{p}]" for p in range(points)] if points > 1 else [""]
        super().__init__(
            core,
            name="polygon scene",
            coordinates=tree.coordinates,
            contacts=[ContactInfo(f"c{k}{p}", law) for k in range(len(grounds)) for p in number],
            initial_state=State(0.0, np.array(q, float), np.array(u, float)),
        )

    def penetration(self, sol, samples=300):
        """Return the largest depth of a vertex in the other body, by signed distances, in m."""
        deepest = 0.0
        for t in np.linspace(*sol.t_span, samples):
            x, y, phi = sol.at(t).q
            turn = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
            here = self.outline @ turn.T + [x, y]
            for ground in self.grounds:
                deepest = max(deepest, depth(here, ground), depth(ground, here))
        return deepest

    def energies(self, sol):
        return np.array(
            [
                self.kinetic_energy(t, q, u) + self.potential_energy(t, q)
                for t, q, u in zip(sol.t, sol.q, sol.u, strict=True)
            ]
        )


def depth(points, convex):
    """Return the depth of the deepest of `points` in a convex polygon, in m."""
    edges = np.roll(convex, -1, axis=0) - convex
    inward = np.column_stack([-edges[:, 1], edges[:, 0]]) / np.hypot(*edges.T)[:, None]
    heights = np.einsum("pek,ek->pe", points[:, None] - convex[None], inward)
    return float(heights.min(axis=1).max())
