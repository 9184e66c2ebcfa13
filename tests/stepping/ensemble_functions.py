"""Piles as functions that worker processes can import."""

from __future__ import annotations

import os

import numpy as np

import nsmb
from tests.stepping.test_many_contacts import heap, stepped

FRICTIONS = [0.0, 0.002, 0.01, 0.05]


def floor_force(mu: float) -> np.ndarray:
    """Return the mean floor force, the final positions and the number of contacts."""
    system = heap(2, 2, mu=mu)
    sol = nsmb.simulate(system, 0.2, method=stepped(2e-3), output_step=2e-3)
    found = sol.contacts.points
    force = found.force_on("ground.floor").mean(axis=0)
    return np.concatenate([force, sol.q[-1], [len(found)]])


def cut_off(point: tuple[str, float]) -> np.ndarray:
    """Return the same, but raise Ctrl-C at the third point while a file does not exist."""
    path, mu = point
    if mu == FRICTIONS[2] and not os.path.exists(path):
        raise KeyboardInterrupt
    return floor_force(mu)


def whole_run(mu: float) -> nsmb.Solution:
    """Return the whole run, as a worker returns it."""
    return nsmb.simulate(heap(2, 2, mu=mu), 0.05, method=stepped(2e-3))
