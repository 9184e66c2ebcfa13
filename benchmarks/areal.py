"""Contact over areas: time per contact triangle, growth, refit, beside Coal and FCL.

    python benchmarks/areal.py --json FILE

Two spheres of 1 m, the second one 1.96 m over the first: a patch of 2 % of both. For meshes of
1,280 to 327,680 triangles: processor time of one evaluation of an elastic foundation with clipped
elements and one base, pairs of triangle and cell, time per pair; of one with elements by
barycentres; of the refit of a deforming mesh with its normals, layer and trees, and of building it
anew. Coal and FCL list all pairs of triangles that intersect (`pip install coal python-fcl`), which
is less: no areas, depths or forces. Drake (`pip install drake`, found through NSMB_DRAKE_PYTHON or
by the interpreter that runs this) makes the surface of hydroelastic contact of the same mesh in a
ball of tetrahedra of that size, with pressures; both forces are told beside that of smooth spheres,
c pi R delta^2 / 2.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import areal
from nsmb._core.geometry import ArealInstance, ArealMesh
from nsmb.geometry import TriangleMesh, sphere_mesh
from nsmb.multibody.areal import FoundationForce

Array = NDArray[np.float64]
LAW = {
    "stiffness": 1e9,
    "damping": 0.0,
    "transition_depth": 0.0,
    "mu": 0.0,
    "switch_velocity": 1e-3,
}
MOST_IN_DRAKE = 6  # level; a ball of more tetrahedra takes long to make
APART = np.array([0.011, 0.023, 1.96])


def seconds(work: Callable[[], Any], least: float = 0.2) -> float:
    """Processor time of one call, the best of three series."""
    work()
    best, count = np.inf, 1
    for _ in range(3):
        while True:
            start = time.process_time()
            for _ in range(count):
                work()
            spent = time.process_time() - start
            if spent > 0.3 * least:
                break
            count *= 4
        best = min(best, spent / count)
    return best


def evaluation(mesh: TriangleMesh, elements: str) -> tuple[float, int, float]:
    """Time of one, active elements, N of force."""
    element = FoundationForce((mesh, mesh), 0.0, LAW, (elements, "second", "barycentric"))
    probe = areal.FoundationProbe(element.core)
    poses = np.tile(np.concatenate([APART, np.eye(3).ravel()]), (20, 1))
    poses[:, 0] += 1e-6 * np.arange(20)
    spent = seconds(lambda: probe.sweep(poses)) / len(poses)
    none, zero = [np.zeros(0)] * 2, [np.zeros(3)] * 2
    found = probe.contact([np.zeros(3), APART], [np.eye(3)] * 2, zero, zero, none, none)
    return spent, found["active"], float(np.linalg.norm(found["force"]))


def peers(mesh: TriangleMesh) -> dict[str, float]:
    """Time in which Coal and FCL list intersecting pairs of triangles."""
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    found = {}
    try:
        import coal
    except ImportError:
        pass
    else:
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(faces), len(vertices))
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend(list(vertices))
        for f in faces.tolist():
            triangles.append(coal.Triangle(*f))
        model.addSubModel(points, triangles)
        model.endModel()
        request = coal.CollisionRequest(coal.CONTACT, 10**7)
        here, there = coal.Transform3s(), coal.Transform3s(np.eye(3), APART)

        def by_coal() -> None:
            coal.collide(model, here, model, there, request, coal.CollisionResult())

        found["coal"] = seconds(by_coal)
    try:
        import fcl
    except ImportError:
        pass
    else:
        body = fcl.BVHModel()
        body.beginModel(len(vertices), len(faces))
        body.addSubModel(vertices, faces)
        body.endModel()
        one = fcl.CollisionObject(body, fcl.Transform())
        other = fcl.CollisionObject(body, fcl.Transform(np.eye(3), APART))
        ask = fcl.CollisionRequest(num_max_contacts=10**7, enable_contact=True)
        found["fcl"] = seconds(lambda: fcl.collide(one, other, ask, fcl.CollisionResult()))
    return found


def drake(mesh: TriangleMesh) -> dict[str, Any]:
    """Of a contact surface in Drake: polygons, force, time; nothing where it is not found."""
    vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    edge = np.linalg.norm(vertices[triangles[:, 0]] - vertices[triangles[:, 1]], axis=1).mean()
    python = os.environ.get("NSMB_DRAKE_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.obj"
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        lines += [f"f {i} {j} {k}" for i, j, k in (triangles + 1).tolist()]
        path.write_text("\n".join(lines) + "\n")
        numbers = [str(value) for value in (*APART, LAW["stiffness"], edge)]
        command = [python, str(Path(__file__).with_name("areal_drake.py")), str(path), *numbers]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {}
    return {f"drake_{key}": value for key, value in json.loads(done.stdout).items()}


def deforming(mesh: TriangleMesh) -> tuple[float, float]:
    """Times of a refit and of building everything anew."""
    instance = ArealInstance(ArealMesh(mesh._core, 0.0))
    places = np.array(mesh.vertices)
    triangles = np.array(mesh.triangles)
    refit = seconds(lambda: instance.update(places))
    anew = seconds(lambda: ArealInstance(ArealMesh(TriangleMesh(places, triangles)._core, 0.0)))
    return refit, anew


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--levels", type=int, nargs="+", default=[3, 4, 5, 6, 7])
    arguments = parser.parse_args()
    rows = []
    deep = 2.0 - float(np.linalg.norm(APART))
    smooth = 0.5 * np.pi * LAW["stiffness"] * deep**2
    print("triangles  clipped/µs  elements  ns/element  barycentre/µs  refit/ms  anew/ms  peers/µs")
    for level in arguments.levels:
        mesh = sphere_mesh(1.0, level)
        clipped, active, force = evaluation(mesh, "clipped")
        whole, middle, _ = evaluation(mesh, "barycentre")
        refit, anew = deforming(mesh)
        row = {
            "triangles": 20 * 4**level,
            "clipped_s": clipped,
            "active": active,
            "force_error": force / smooth - 1.0,
            "barycentre_s": whole,
            "barycentre_active": middle,
            "refit_s": refit,
            "rebuild_s": anew,
            **peers(mesh),
            **(drake(mesh) if level <= MOST_IN_DRAKE else {}),
        }
        rows.append(row)
        others = " ".join(
            f"{name} {1e6 * row[name]:.0f}" for name in ("coal", "fcl") if name in row
        )
        if "drake_s" in row:
            others += (
                f" drake {1e6 * row['drake_s']:.0f} ({row['drake_polygons']} polygons, force "
                f"{100.0 * (row['drake_force'] / smooth - 1.0):+.1f} %, here "
                f"{100.0 * row['force_error']:+.1f} %)"
            )
        print(
            f"{row['triangles']:9d} {1e6 * clipped:11.1f} {active:9d} "
            f"{1e9 * clipped / max(active, 1):11.0f} {1e6 * whole:14.1f} {1e3 * refit:9.2f} "
            f"{1e3 * anew:8.1f}  {others}"
        )
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
