"""Places of a body that moves at its nodes: nodes, and groups of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, unknown_name

__all__ = ["Group", "Groups", "as_groups", "motion_of_group", "node_number"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
_FLAT = 1e-10  # relative to the largest moment; a group on a line has no known rotation about it


@dataclass(frozen=True, eq=False)
class Group:
    """A group of nodes (k,) with their shares (k,), which add up to one."""

    nodes: Indices
    shares: Array


Groups = Mapping[str, Group]


def as_groups(given: Mapping[str, Any], count: int) -> dict[str, Group]:
    """Return groups from names with a node, with nodes, or with nodes and their weights."""
    return {name: _group(name, value, count) for name, value in dict(given).items()}


def _group(name: str, value: Any, count: int) -> Group:
    what = f"place {name!r}"
    if not isinstance(name, str) or not name:
        raise ValueError(f"{what}: expected a name that is a text")
    if isinstance(value, Group):
        value = (value.nodes, value.shares)
    has_weights = isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1
    nodes, weights = value if has_weights else (value, None)
    try:
        numbers = np.atleast_1d(np.asarray(nodes))
        if numbers.dtype.kind not in "iu" or numbers.ndim != 1 or not numbers.size:
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected numbers of nodes, got {nodes!r}") from None
    wrong = numbers[(numbers < 0) | (numbers >= count)]
    if wrong.size:
        raise ValueError(f"{what}: expected nodes 0 ... {count - 1}, got {int(wrong[0])}")
    if len(np.unique(numbers)) != len(numbers):
        raise ValueError(f"{what}: expected each node once, got {numbers.tolist()}")
    if weights is None:
        shares = np.full(len(numbers), 1.0 / len(numbers))
    else:
        shares = as_array(f"{what}: weights", weights, numbers.shape)
        if (shares < 0.0).any() or not shares.sum() > 0.0:
            raise ValueError(f"{what}: weights: expected numbers >= 0, got {shares.tolist()}")
        shares = shares / shares.sum()
    return Group(numbers.astype(np.int64), shares)


def node_number(argument: str, given: Any, groups: Groups, count: int) -> int:
    """Return the number of a node, of a group's only node, or of a group after all nodes."""
    if isinstance(given, str):
        if given not in groups:
            raise unknown_name(f"{argument}: place", given, list(groups))
        nodes = groups[given].nodes
        return int(nodes[0]) if len(nodes) == 1 else count + list(groups).index(given)
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise ValueError(f"{argument}: expected the number or name of a node, got {given!r}")
    if not 0 <= given < count:
        raise ValueError(f"{argument}: expected a node 0 ... {count - 1}, got {given}")
    return int(given)


def nearest_node(argument: str, place: ArrayLike, nodes: Array) -> int:
    """Return the number of the node at a position (2,) or (3,)."""
    value = np.asarray(place)
    r = np.zeros(3)
    r[: value.size] = as_array(argument, place, (2,) if value.shape == (2,) else (3,))
    apart = np.linalg.norm(nodes - r, axis=1)
    nearest = int(np.argmin(apart))
    size = float(np.linalg.norm(np.ptp(nodes, axis=0)))
    if apart[nearest] > 1e-6 * size:
        raise ValueError(
            f"{argument}: must be the position of a node, got {r.tolist()}; the nearest is node "
            f"{nearest} at {nodes[nearest].tolist()}, {apart[nearest]:.3g} m away"
        )
    return nearest


def motion_of_group(
    group: Group, nodes: Array, shapes: Array, turns: Array | None
) -> tuple[Array, Array, Array]:
    """Return position (3,), displacement (3, n) and rotation (3, n) of a group.

    They are the means of its nodes, and the rotation that fits the nodes best.
    """
    x, w = nodes[group.nodes], group.shares
    center = w @ x
    Phi = shapes[group.nodes]
    mean = np.einsum("i,iak->ak", w, Phi)
    d = x - center
    second = (d.T * w) @ d
    tensor = np.trace(second) * np.eye(3) - second
    # Minimise Σ w |Φ - Φ_mean - ψ × d|².
    moved = np.einsum("i,iak->iak", w, Phi - mean)
    right = np.stack(
        [
            np.einsum("i,ik->k", d[:, b], moved[:, c]) - np.einsum("i,ik->k", d[:, c], moved[:, b])
            for b, c in ((1, 2), (2, 0), (0, 1))
        ]
    )
    moments, axes = np.linalg.eigh(tensor)
    known = moments > _FLAT * max(moments[-1], np.finfo(float).tiny)
    psi = axes[:, known] @ ((axes[:, known].T @ right) / moments[known][:, None])
    if turns is not None and not known.all():
        rest = axes[:, ~known]
        psi = psi + rest @ (rest.T @ np.einsum("i,iak->ak", w, turns[group.nodes]))
    return center, mean, psi
