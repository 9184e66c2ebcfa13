"""From a mesh of many nodes to a few shapes: processor time and memory, by size.

    python benchmarks/reduction.py [--nodes 46000 200000] [--modes 10] [--memory 10] [--json FILE]

A bar 5 m by 1 m by 1 m of linear tetrahedra, steel. Each size is a process of its own, which tells
the processor time of mesh and assembly, of the free modes, and of static shapes for the forces at
four corners (`attachment`); the largest memory it had; and the residuals of the modes,
|K φ - ω² M φ| over ω² |M φ|, computed again from the matrices. A size that needs more than `memory`
in GB is told as failed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZE = (5.0, 1.0, 1.0)
STEEL = {"E": 2.1e11, "nu": 0.3, "density": 7850.0}


def pieces(nodes: int) -> tuple[int, int, int]:
    """Of the box along each side, nearly cubes, with about that many nodes."""
    around = round((nodes / SIZE[0]) ** (1.0 / 3.0)) - 1
    return round(nodes / (around + 1) ** 2) - 1, around, around


def measured(nodes: int, modes: int) -> dict[str, Any]:
    from nsmb import flexible

    times, start = {}, time.process_time()

    def lap(name: str) -> None:
        nonlocal start
        times[name], start = time.process_time() - start, time.process_time()

    mesh = flexible.Mesh.box(SIZE, pieces(nodes), kind="tetra")
    elements = flexible.solid(mesh, **STEEL)
    lap("assembly")
    body = flexible.reduce(elements, modes)
    lap("modes")
    x = elements.nodes
    corners = np.flatnonzero((x[:, 0] == x[:, 0].max()) & (np.abs(x[:, 1:] - 0.5) == 0.5).all(1))
    kept = flexible.reduce(elements, modes, method="attachment", interface=corners.tolist())
    lap("attachment")
    Phi = body.shapes.reshape(-1, modes)
    K_Phi, M_Phi = (A @ Phi for A in (elements.stiffness_matrix, elements.mass_matrix))
    inertia = body.frequencies**2 * M_Phi
    residuals = np.linalg.norm(K_Phi - inertia, axis=0) / np.linalg.norm(inertia, axis=0)
    return {
        "nodes": len(x), "modes": modes, "coordinates": kept.count, **times,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "residual": float(residuals.max()), "frequencies": body.frequencies.tolist(),
    }  # fmt: skip


def of_size(nodes: int, modes: int, memory: float) -> dict[str, Any]:
    """In a process of its own."""
    command = [sys.executable, __file__, "--child", str(nodes), str(modes), str(memory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"nodes": nodes, "failed": done.stderr.strip().rpartition("\n")[2] or "killed"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def table(rows: list[dict[str, Any]]) -> str:
    lines = [f"{'nodes':>8} {'assembly':>9} {'modes':>9} {'attachment':>10} {'memory':>8} residual"]
    for row in rows:
        if "failed" in row:
            lines.append(f"{row['nodes']:8d} {row['failed']}")
            continue
        lines.append(
            f"{row['nodes']:8d} {row['assembly']:7.1f} s {row['modes']:7.1f} s "
            f"{row['attachment']:8.1f} s {row['memory']:5.1f} GB {row['residual']:.1e}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[46_000, 200_000])
    parser.add_argument("--modes", type=int, default=10)
    parser.add_argument("--memory", type=float, default=10.0, help="GB, the most of a process")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        nodes, modes, memory = given.child
        most = int(float(memory) * 1e9)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        print(json.dumps(measured(int(nodes), int(modes))))
        return
    rows = [of_size(nodes, given.modes, given.memory) for nodes in given.nodes]
    print(table(rows))
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
