"""Gear rattling (12.14) with its numbers in the order of the book."""

from __future__ import annotations

import nsmb


def rattling(
    alpha: float = 1.0, beta: float = 0.1, gamma: float = 0.1, epsilon: float = 0.9
) -> nsmb.System:
    return nsmb.systems.gear_rattling(alpha=alpha, beta=beta, gamma=gamma, e=epsilon)
