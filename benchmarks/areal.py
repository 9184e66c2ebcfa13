"""Contact over areas: time per contact triangle, growth and refit, compared with Coal and FCL.

The scene is two spheres of 1 m, the second one 1.96 m above the first, with a patch of 2 % of both.
Measured for meshes of 1,280 to 327,680 triangles: processor time of one evaluation of an elastic
foundation with clipped elements and one base, number of pairs of triangle and cell, and time per
pair; time of an evaluation with elements by barycentres; time to refit a deforming mesh with its
normals, layer and trees, and to rebuild it. Coal and FCL list all pairs of triangles that intersect
(`pip install coal python-fcl`), which is less work: no areas, depths or forces. Drake creates the
hydroelastic contact surface of the same mesh in a ball of tetrahedra of that size, with pressures.
Errors of forces are relative to smooth spheres, c pi R delta^2 / 2.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Peer, benchmark, peer, printed, timed
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
MOST_IN_DRAKE = 6  # level; a ball of more tetrahedra takes long to create
APART = np.array([0.011, 0.023, 1.96])


def seconds(work: Any) -> float:
    """Return the processor time of one call."""
    return timed(work, repeats=3, shortest=0.06)[1]


def evaluation(mesh: TriangleMesh, elements: str) -> tuple[float, int, float]:
    """Return the time of one evaluation, the number of active elements, and the force in N."""
    element = FoundationForce((mesh, mesh), 0.0, LAW, (elements, "second", "barycentric"))
    probe = areal.FoundationProbe(element.core)
    poses = np.tile(np.concatenate([APART, np.eye(3).ravel()]), (20, 1))
    poses[:, 0] += 1e-6 * np.arange(20)
    spent = seconds(lambda: probe.sweep(poses)) / len(poses)
    none, zero = [np.zeros(0)] * 2, [np.zeros(3)] * 2
    found = probe.contact([np.zeros(3), APART], [np.eye(3)] * 2, zero, zero, none, none)
    return spent, found["active"], float(np.linalg.norm(found["force"]))


def peers(mesh: TriangleMesh) -> dict[str, float]:
    """Return the times in which Coal and FCL list intersecting pairs of triangles."""
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


def drake(process: Peer, mesh: TriangleMesh, smooth: float) -> dict[str, Any]:
    """Return polygons, force and time of a contact surface in Drake."""
    vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    edge = np.linalg.norm(vertices[triangles[:, 0]] - vertices[triangles[:, 1]], axis=1).mean()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.obj"
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        lines += [f"f {i} {j} {k}" for i, j, k in (triangles + 1).tolist()]
        path.write_text("\n".join(lines) + "\n")
        found = process.run(
            path=str(path), at=APART.tolist(), modulus=LAW["stiffness"], edge=float(edge)
        )
    found["force_error"] = found["force"] / smooth - 1.0
    return {f"drake_{key}": value for key, value in found.items()}


def deforming(mesh: TriangleMesh) -> tuple[float, float]:
    """Return the times of a refit and of a rebuild."""
    instance = ArealInstance(ArealMesh(mesh._core, 0.0))
    places = np.array(mesh.vertices)
    triangles = np.array(mesh.triangles)
    refit = seconds(lambda: instance.update(places))
    anew = seconds(lambda: ArealInstance(ArealMesh(TriangleMesh(places, triangles)._core, 0.0)))
    return refit, anew


@benchmark("areal", "Contact over areas beside Coal, FCL and Drake", alone=True)
def measure(levels: tuple[int, ...] = (3, 4, 5, 6, 7)) -> list[dict[str, Any]]:
    """Measure spheres of 20 * 4^level triangles."""
    rows = []
    smooth = 0.5 * np.pi * LAW["stiffness"] * (2.0 - float(np.linalg.norm(APART))) ** 2
    with peer("drake", "areal_drake") as process:
        for level in levels:
            mesh = sphere_mesh(1.0, level)
            clipped, active, force = evaluation(mesh, "clipped")
            whole, middle, _ = evaluation(mesh, "barycentre")
            refit, anew = deforming(mesh)
            row = {
                "triangles": 20 * 4**level,
                "clipped_s": clipped,
                "active": active,
                "s_per_element": clipped / max(active, 1),
                "force_error": force / smooth - 1.0,
                "barycentre_s": whole,
                "barycentre_active": middle,
                "refit_s": refit,
                "rebuild_s": anew,
                **peers(mesh),
            }
            if process and level <= MOST_IN_DRAKE:
                row |= drake(process, mesh, smooth)
            rows.append(printed(row))
    return rows
