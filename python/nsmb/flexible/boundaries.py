"""Edges of bodies in the plane, as sequences of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsmb.common.arguments import unknown_name
from nsmb.flexible.finite_elements import Paths
from nsmb.flexible.places import Groups

__all__ = ["boundary_nodes"]


def boundary_nodes(
    argument: str, at: Any, paths: Paths, groups: Groups, count: int
) -> tuple[list[int], bool]:
    """Return the nodes of an edge with the body on its left, and True if the edge is closed.

    Parameters
    ----------
    argument : str
        Name of the argument, for messages.
    at : None, str or sequence of int
        The whole outline, the name of a side of it, or nodes in their order. A closed sequence has
        the first node again at its end.
    paths, groups, count
        Lines, places and number of nodes of the body.
    """
    loops = [list(line) for line, closed in paths if closed]
    if at is None:
        if len(loops) != 1:
            raise ValueError(
                f"{argument}: expected the name of a side or nodes of a body with "
                f"{len(loops)} closed outlines, got none"
            )
        return [int(k) for k in loops[0]], True
    if isinstance(at, str):
        if at not in groups:
            raise unknown_name(f"{argument}: place", at, list(groups))
        return _side(argument, at, set(groups[at].nodes.tolist()), loops)
    return _given(argument, at, count)


def _side(
    argument: str, name: str, wanted: set[int], loops: Sequence[list[int]]
) -> tuple[list[int], bool]:
    """Return the nodes of a group as a run along one of the outlines."""
    for loop in loops:
        inside = [k in wanted for k in loop]
        if sum(inside) < len(wanted):
            continue
        if all(inside):
            return [int(k) for k in loop], True
        starts = [k for k in range(len(loop)) if inside[k] and not inside[k - 1]]
        if len(starts) == 1 and len(wanted) > 1:
            run = loop[starts[0] :] + loop[: starts[0]]
            return [int(k) for k in run[: len(wanted)]], False
    raise ValueError(
        f"{argument}: must be consecutive nodes along an outline of the body, got {name!r} with "
        f"{len(wanted)} nodes that are not. Pass nodes in their order along the outline."
    )


def _given(argument: str, at: Any, count: int) -> tuple[list[int], bool]:
    nodes = np.asarray(at)
    if nodes.ndim != 1 or nodes.dtype.kind not in "iu" or len(nodes) < 2:
        raise ValueError(f"{argument}: expected a name or at least two nodes, got {at!r}")
    if nodes.min() < 0 or nodes.max() >= count:
        raise ValueError(f"{argument}: expected nodes 0 ... {count - 1}, got {nodes.tolist()}")
    closed = bool(nodes[0] == nodes[-1]) and len(nodes) > 3
    return [int(k) for k in (nodes[:-1] if closed else nodes)], closed
