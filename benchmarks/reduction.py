"""Reduction of large meshes to a few shapes: processor time and memory over size.

The mesh is a steel bar of 5 m by 1 m by 1 m with linear tetrahedra. Each size runs in a separate
process. It reports the processor time of mesh and assembly, of the free modes, and of static shapes
for the forces at four corners (`attachment`), its peak memory, and the residuals of the modes, |K φ
- ω² M φ| over ω² |M φ|, recomputed from the matrices.
|K φ - ω² M φ| over ω² |M φ|, computed again from the matrices.
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import numpy as np

from benchmarks.harness import Peer, PeerEndedError, benchmark, printed, timed
from benchmarks.peer import serve

SIZE = (5.0, 1.0, 1.0)
STEEL = {"E": 2.1e11, "nu": 0.3, "density": 7850.0}


def pieces(nodes: int) -> tuple[int, int, int]:
    """Return the cells along each side of the box, nearly cubes, for about this many nodes."""
    around = round((nodes / SIZE[0]) ** (1.0 / 3.0)) - 1
    return round(nodes / (around + 1) ** 2) - 1, around, around


def reduced(nodes: int, modes: int, memory: float) -> dict[str, Any]:
    """Measure one size in this process, which ends if it needs more than `memory` GB."""
    most = int(memory * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    from nsmb import flexible

    times = {}
    elements, times["assembly"] = timed(
        lambda: flexible.solid(flexible.Mesh.box(SIZE, pieces(nodes), kind="tetra"), **STEEL)
    )
    body, times["modes"] = timed(lambda: flexible.reduce(elements, modes))
    x = elements.nodes
    corners = np.flatnonzero((x[:, 0] == x[:, 0].max()) & (np.abs(x[:, 1:] - 0.5) == 0.5).all(1))
    options = {"method": "attachment", "interface": corners.tolist()}
    kept, times["attachment"] = timed(lambda: flexible.reduce(elements, modes, **options))
    Phi = body.shapes.reshape(-1, modes)
    K_Phi, M_Phi = (A @ Phi for A in (elements.stiffness_matrix, elements.mass_matrix))
    inertia = body.frequencies**2 * M_Phi
    residuals = np.linalg.norm(K_Phi - inertia, axis=0) / np.linalg.norm(inertia, axis=0)
    return {
        "nodes": len(x), "shapes": modes, "coordinates": kept.count, **times,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "residual": float(residuals.max()), "frequencies": body.frequencies.tolist(),
    }  # fmt: skip


@benchmark("reduction", "From a mesh of many nodes to a few shapes", alone=True)
def measure(
    nodes: tuple[int, ...] = (46_000, 200_000), modes: int = 10, memory: float = 10.0
) -> list[dict[str, Any]]:
    """Measure all sizes in 15 minutes; a size that needs more than `memory` GB fails."""
    rows = []
    for count in nodes:
        with Peer(sys.executable, "benchmarks.reduction") as process:
            try:
                rows.append(process.run(nodes=count, modes=modes, memory=memory))
            except PeerEndedError as error:
                rows.append({"nodes": count, "failed": str(error)})
        printed(rows[-1])
    return rows


if __name__ == "__main__":
    serve(reduced)
