"""Files of flexible bodies with everything that a model needs, without the mesh."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common import array_files
from nsmb.flexible.mass_points import Integrals
from nsmb.flexible.places import Group
from nsmb.flexible.stiffening import Stiffening

__all__ = ["read_body", "write_body"]

_KIND, _VERSION = "nsmb flexible body", 1
_ARRAYS = (
    "nodes",
    "shapes",
    "origin",
    "axes",
    "mass_matrix",
    "stiffness_matrix",
    "damping_matrix",
    "frequencies",
)
_INTEGRALS = tuple(Integrals.__annotations__)
_STIFFENING = tuple(Stiffening.__annotations__)


def write_body(body: Any, path: str | os.PathLike[str]) -> None:
    """Write a :class:`nsmb.flexible.FlexibleBody` to one file."""
    header = {
        "format": _KIND,
        "version": _VERSION,
        "is_planar": body.is_planar,
        "places": list(body.places),
        "closed": [closed for _, closed in body.paths],
    }
    data = {name: getattr(body, name) for name in _ARRAYS}
    data |= {name: np.asarray(getattr(body.integrals, name)) for name in _INTEGRALS}
    for name, value in (
        ("turns", body.turns),
        ("stresses", body._stresses),
        ("triangles", body.triangles),
    ):
        if value is not None:
            data[name] = value
    if body.stiffening is not None:
        data |= {f"drawn_{name}": getattr(body.stiffening, name) for name in _STIFFENING}
    data |= _packed("path", [np.asarray(line, dtype=np.int64) for line, _ in body.paths])
    data |= _packed("place", [group.nodes for group in body.places.values()])
    shares = [group.shares for group in body.places.values()]
    data["shares"] = np.concatenate(shares) if shares else np.zeros(0)
    array_files.write(path, header, data)


def read_body(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the attributes of a body from its file."""
    header, data = array_files.read(path, _KIND, _VERSION, "flexible body")
    with array_files.reading(path):
        found: dict[str, Any] = {name: data[name] for name in _ARRAYS}
        constants: dict[str, Any] = {name: data[name] for name in _INTEGRALS}
        found["integrals"] = Integrals(**(constants | {"mass": float(data["mass"])}))
        found["turns"], found["_stresses"] = data.get("turns"), data.get("stresses")
        found["triangles"] = data.get("triangles")
        found["is_planar"] = bool(header["is_planar"])
        stiffens = f"drawn_{_STIFFENING[0]}" in data
        drawn = [data[f"drawn_{name}"] for name in _STIFFENING] if stiffens else None
        found["stiffening"] = None if drawn is None else Stiffening(*drawn)
        lines = _unpacked("path", data)
        found["paths"] = tuple(
            (tuple(line.tolist()), bool(closed))
            for line, closed in zip(lines, header["closed"], strict=True)
        )
        groups = _unpacked("place", data)
        ends = np.cumsum([0, *(len(group) for group in groups)])
        found["places"] = {
            name: Group(group, data["shares"][first:last])
            for name, group, first, last in zip(
                header["places"], groups, ends[:-1], ends[1:], strict=True
            )
        }
        found["count"] = found["shapes"].shape[2]
    return found


def _packed(name: str, rows: Sequence[NDArray[np.int64]]) -> dict[str, NDArray[Any]]:
    """Return lists of numbers with any lengths as two arrays."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    joined = np.concatenate(rows) if len(rows) else np.zeros(0, dtype=np.int64)
    return {f"{name}_nodes": joined, f"{name}_lengths": lengths}


def _unpacked(name: str, data: Mapping[str, NDArray[Any]]) -> list[NDArray[np.int64]]:
    ends = np.cumsum(data[f"{name}_lengths"])[:-1]
    return np.split(data[f"{name}_nodes"], ends) if data[f"{name}_lengths"].size else []
