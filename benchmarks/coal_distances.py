"""Distances of given pairs of shapes in Coal, run by an interpreter that has Coal."""

from __future__ import annotations

from typing import Any

import coal
import numpy as np

from benchmarks.peer import serve, timed


def shape_of(described: dict[str, Any]) -> Any:
    """Create a shape from a description as in `geometry_coal.py`."""
    kind, size = described["kind"], described.get("size")
    if kind == "sphere":
        return coal.Sphere(*size)
    if kind == "capsule":
        return coal.Capsule(*size)
    if kind == "cylinder":
        return coal.Cylinder(*size)
    if kind == "box":
        return coal.Box(*size)
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(np.array(described["points"]))
    for face in described["faces"]:
        faces.append(coal.Triangle(*face))
    return coal.Convex(points, faces)


def request_of(tolerance: float | None) -> Any:
    """Create the request for a gap, with the default tolerances of Coal or tight ones."""
    request = coal.DistanceRequest()
    if tolerance is not None:
        request.gjk_tolerance = request.epa_tolerance = tolerance
        request.gjk_max_iterations = request.epa_max_iterations = 1000
    return request


def measure(
    shapes: list[dict[str, Any]], poses: list[Any], tolerance: float, repeats: int
) -> dict[str, Any]:
    """Return gaps, normals and processor time per query, without the time to create the poses."""
    pair = [shape_of(described) for described in shapes]  # `ask` does not keep references
    ask = coal.ComputeDistance(*pair)
    places = [
        [coal.Transform3s(row[3:].reshape(3, 3), row[:3]) for row in np.array(rows)]
        for rows in poses
    ]
    count = len(places[0])
    answer: dict[str, Any] = {}
    for name, tightened in (("plain", None), ("tight", tolerance)):
        request, result = request_of(tightened), coal.DistanceResult()

        def query(p: Any, q: Any, request: Any = request, result: Any = result) -> float:
            result.clear()
            return float(ask(p, q, request, result))

        def all_queries(query: Any = query) -> None:
            for p, q in zip(*places, strict=True):
                query(p, q)

        seconds = timed(all_queries, repeats)[1] / count
        gaps, normals = [], []
        for p, q in zip(*places, strict=True):
            gaps.append(query(p, q))
            normals.append(result.normal.tolist())
        answer[name] = {"gap": gaps, "normal": normals, "seconds": seconds}
    return answer


if __name__ == "__main__":
    serve(measure)
