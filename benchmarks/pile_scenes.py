"""Scenes of piles as plain numbers, the same for all programs.

A scene is a dictionary: gravity, friction coefficient, step, number of steps; spheres (positions,
radii, masses, velocities), boxes (positions, half edges, masses), and walls: the half-widths of a
box without lid around the origin, or none. The floor is z = 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

Scene = dict[str, Any]

G, MU, DENSITY, RADIUS, SPREAD = 9.81, 0.4, 2500.0, 0.05, 0.2
STEP = 2e-3  # s
BOX, BOX_DENSITY = 0.25, 600.0  # m, half an edge; kg/m³


def spheres_in_a_box(n: int, steps: int, seed: int = 1) -> Scene:
    """Create spheres of 80 to 120 mm in separate cells, at rest, in a box as wide as high."""
    rng = np.random.default_rng(seed)
    radius = RADIUS * rng.uniform(1.0 - SPREAD, 1.0 + SPREAD, n)
    cell = 2.0 * RADIUS * (1.0 + SPREAD) * 1.02
    side = max(1, int(np.ceil(n ** (1.0 / 3.0))))
    k = np.arange(n)
    corner = np.column_stack([k % side, k // side % side, k // side**2]) * cell
    places = corner + radius[:, None] + rng.uniform(size=(n, 3)) * (cell - 2.0 * radius)[:, None]
    half = 0.5 * side * cell
    places[:, :2] -= half
    return {
        "name": f"{n} spheres",
        "gravity": G,
        "mu": MU,
        "step": STEP,
        "steps": steps,
        "walls": [half, half],
        "spheres": {
            "r": places.tolist(),
            "radius": radius.tolist(),
            "mass": (DENSITY * 4.0 / 3.0 * np.pi * radius**3).tolist(),
        },
        "boxes": {"r": [], "half": [], "mass": []},
    }


def pyramid(base: int, steps: int) -> Scene:
    """Create rows of cubes, each on two of the row below, with spaces of a tenth of an edge."""
    places = [
        (2.1 * BOX * (k - 0.5 * (base - row - 1)), 0.0, BOX * (2.0 * row + 1.0))
        for row in range(base)
        for k in range(base - row)
    ]
    count = len(places)
    return {
        "name": f"pyramid of {count} boxes",
        "gravity": G,
        "mu": 0.6,
        "step": 1.0 / 240.0,
        "steps": steps,
        "walls": None,
        "spheres": {"r": [], "radius": [], "mass": []},
        "boxes": {
            "r": [list(place) for place in places],
            "half": [BOX] * count,
            "mass": [BOX_DENSITY * (2.0 * BOX) ** 3] * count,
        },
    }


def granular_pile(path: Path, steps: int) -> Scene:
    """Read spheres from a VTK unstructured grid (positions, ``radius``, ``mass``) on a floor.

    The format is that of the piles of J. Kleinert, *Simulating Granular Material using Nonsmooth
    Time-Stepping and a Matrix-free Interior Point Method* (2015). His spheres do not rotate, but
    these do. They penetrate each other slightly, as in the source; models start with separated
    spheres (``built``).
    """
    piece = ElementTree.parse(path).getroot().find("UnstructuredGrid/Piece")
    if piece is None:
        raise ValueError(f"{path}: expected an unstructured grid")

    def numbers(element: ElementTree.Element | None) -> np.ndarray[Any, np.dtype[np.float64]]:
        if element is None or element.text is None:
            raise ValueError(f"{path}: expected points, radius and mass in plain text")
        return np.array(element.text.split(), dtype=np.float64)

    data = {array.get("Name"): array for array in piece.iterfind("PointData/DataArray")}
    places = numbers(piece.find("Points/DataArray")).reshape(-1, 3)
    radius, mass = (numbers(data.get(name)) for name in ("radius", "mass"))
    middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
    places[:, :2] -= middle[:2]
    pose = np.column_stack([places, np.tile([1.0, 0.0, 0.0, 0.0], (len(radius), 1))])
    return {
        "state": [pose.ravel().tolist(), [0.0] * (6 * len(radius))],
        "built": 1.02,
        "name": f"pile of {len(radius)} spheres ({path.stem})",
        "gravity": 10.0,
        "mu": 0.4,
        "step": 1e-3,
        "steps": steps,
        "walls": None,
        "spheres": {"r": places.tolist(), "radius": radius.tolist(), "mass": mass.tolist()},
        "boxes": {"r": [], "half": [], "mass": []},
    }
