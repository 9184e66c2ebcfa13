"""Distances of given pairs of shapes in Coal, run by the interpreter that has it.

Reads one JSON object from standard input, writes one to standard output.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import coal
import numpy as np


def shape_of(told: dict[str, Any]) -> Any:
    """Of a description as in `geometry_coal.py`."""
    kind, size = told["kind"], told.get("size")
    if kind == "sphere":
        return coal.Sphere(*size)
    if kind == "capsule":
        return coal.Capsule(*size)
    if kind == "cylinder":
        return coal.Cylinder(*size)
    if kind == "box":
        return coal.Box(*size)
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(np.array(told["points"]))
    for face in told["faces"]:
        faces.append(coal.Triangle(*face))
    return coal.Convex(points, faces)


def request_of(tolerance: float | None) -> Any:
    """Of the gap, with what Coal comes with, or tightened."""
    request = coal.DistanceRequest()
    if tolerance is not None:
        request.gjk_tolerance = request.epa_tolerance = tolerance
        request.gjk_max_iterations = request.epa_max_iterations = 1000
    return request


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Gaps, normals and processor time per query; the poses are made before."""
    shapes = [shape_of(told) for told in task["shapes"]]  # `ask` does not keep them
    ask = coal.ComputeDistance(*shapes)
    first, second = (
        [coal.Transform3s(row[3:].reshape(3, 3), row[:3]) for row in np.array(poses)]
        for poses in task["poses"]
    )
    gaps, normals = np.empty(len(first)), np.empty((len(first), 3))
    answer: dict[str, Any] = {}
    for name, tolerance in (("plain", None), ("tight", task["tolerance"])):
        request, result = request_of(tolerance), coal.DistanceResult()
        best = np.inf
        for _ in range(task["repeats"]):
            begin = time.process_time()
            for p, q in zip(first, second, strict=True):
                result.clear()
                ask(p, q, request, result)
            best = min(best, time.process_time() - begin)
        for k, (p, q) in enumerate(zip(first, second, strict=True)):
            result.clear()
            gaps[k] = ask(p, q, request, result)
            normals[k] = result.normal
        answer[name] = {
            "gap": gaps.tolist(),
            "normal": normals.tolist(),
            "seconds": best / len(first),
        }
    return answer


if __name__ == "__main__":
    tasks = json.load(sys.stdin)
    json.dump(
        {"version": coal.__version__, "answers": [measure(task) for task in tasks]}, sys.stdout
    )
