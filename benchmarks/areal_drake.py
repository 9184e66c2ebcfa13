"""Contact surfaces in Drake, run by an interpreter that has Drake."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddRigidHydroelasticProperties,
    FramePoseVector,
    GeometryFrame,
    GeometryInstance,
    HydroelasticContactRepresentation,
    Mesh,
    ProximityProperties,
    SceneGraph,
    Sphere,
)
from pydrake.math import RigidTransform

from benchmarks.peer import serve, timed

POSES = 20


def measure(path: str, at: list[float], modulus: float, edge: float) -> dict[str, Any]:
    """Return polygons, area (m²) and force (N) of the contact surface, and the time per query (s).

    A rigid body of the triangles in a file, about the origin, is in contact with a compliant ball
    of 1 m at `at` m. The pressure of the ball increases from 0 Pa on its surface to `modulus` at
    its centre. Its tetrahedra have edges of about `edge` m.
    """
    x, y, z = at
    graph = SceneGraph()
    source = graph.RegisterSource("bodies")
    rigid, compliant = ProximityProperties(), ProximityProperties()
    AddRigidHydroelasticProperties(properties=rigid)
    AddCompliantHydroelasticProperties(
        resolution_hint=edge, hydroelastic_modulus=modulus, properties=compliant
    )
    frames = []
    for name, shape, properties in (("mesh", Mesh(path), rigid), ("ball", Sphere(1.0), compliant)):
        frames.append(graph.RegisterFrame(source, GeometryFrame(name)))
        instance = GeometryInstance(RigidTransform(), shape, name)
        instance.set_proximity_properties(properties)
        graph.RegisterGeometry(source, frames[-1], instance)
    context = graph.CreateDefaultContext()
    port = graph.get_source_pose_port(source)

    def query(k: int) -> list[object]:
        poses = FramePoseVector()
        poses.set_value(frames[0], RigidTransform())
        poses.set_value(frames[1], RigidTransform([x + 1e-6 * (k % POSES), y, z]))
        port.FixValue(context, poses)
        found = graph.get_query_output_port().Eval(context)
        return found.ComputeContactSurfaces(HydroelasticContactRepresentation.kPolygon)

    surfaces = query(0)
    polygons, area, force = 0, 0.0, np.zeros(3)
    for surface in surfaces:
        mesh, field = surface.poly_mesh_W(), surface.poly_e_MN()
        polygons += mesh.num_faces()
        area += mesh.total_area()
        for f in range(mesh.num_faces()):
            pressure = field.EvaluateCartesian(f, mesh.element_centroid(f))
            force += pressure * mesh.area(f) * mesh.face_normal(f)
    poses = count(1)
    _, seconds = timed(lambda: query(next(poses)), repeats=3, shortest=0.06)
    size = float(np.linalg.norm(force))
    return {"polygons": polygons, "area": area, "force": size, "s": seconds}


if __name__ == "__main__":
    serve(measure)
