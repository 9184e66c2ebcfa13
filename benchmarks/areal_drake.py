"""Contact surfaces of Drake, run by the interpreter that has it (`pip install drake`).

    python benchmarks/areal_drake.py FILE.obj X Y Z MODULUS EDGE

A rigid body of the triangles of FILE, about the origin, in a compliant ball of 1 m at (X, Y, Z) m
whose pressure grows from 0 Pa on its surface to MODULUS in its centre, of tetrahedra with edges of
some EDGE m. One line of JSON: polygons of the contact surface, its area in m², the force of its
pressure in N, processor time of one query in s, the best of three series.
"""

from __future__ import annotations

import json
import sys
import time

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

POSES = 20
LEAST = 0.06  # s, of a series


def main() -> None:
    path = sys.argv[1]
    x, y, z, modulus, edge = (float(word) for word in sys.argv[2:])
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
    count, area, force = 0, 0.0, np.zeros(3)
    for surface in surfaces:
        mesh, field = surface.poly_mesh_W(), surface.poly_e_MN()
        count += mesh.num_faces()
        area += mesh.total_area()
        for f in range(mesh.num_faces()):
            pressure = field.EvaluateCartesian(f, mesh.element_centroid(f))
            force += pressure * mesh.area(f) * mesh.face_normal(f)
    best, repeats = np.inf, 1
    for _ in range(3):
        while True:
            start = time.process_time()
            for k in range(repeats):
                query(k + 1)
            spent = time.process_time() - start
            if spent > LEAST:
                break
            repeats *= 4
        best = min(best, spent / repeats)
    answer = {"polygons": count, "area": area, "force": float(np.linalg.norm(force)), "s": best}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
