"""Functions that worker processes can import."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import nsmb


def last_impact(v_0: float) -> np.ndarray:
    """Return time and velocity of the last impact of a woodpecker with initial velocity v_0."""
    run = nsmb.simulate(nsmb.systems.woodpecker(), 0.5, u=[v_0, 0.0, 0.0], output_step=0.0)
    impacts = run.events.of_kind("impact")
    return np.concatenate([impacts.t[-1:], impacts.u_plus[-1]])


def inverse(x: float) -> float:
    return 1.0 / x


def eight_kilobytes(x: float) -> bytes:
    return bytes([int(x)]) * 8192


def count_calls(point: tuple[str, float]) -> float:
    """Log every call in a file."""
    path, x = point
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{x}\n")
    return 2.0 * x


def interrupted_at_three(point: tuple[str, float]) -> float:
    """Like `count_calls`, but raise KeyboardInterrupt at 3 unless a marker file exists."""
    path, x = point
    if x == 3.0 and not os.path.exists(path + ".go_on"):
        raise KeyboardInterrupt
    return count_calls(point)


def dies_at_two(x: float) -> float:
    if x == 2.0:
        os._exit(1)
    return x


def unpicklable(x: float) -> Any:
    return (lambda: x) if x == 1.0 else x
