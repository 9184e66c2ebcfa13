"""Checks of time-stepping runs with shapes, from states and shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import nsmb

Array = NDArray[np.float64]

CORNER = np.sqrt(3.0)
"""Ratio of corner distance to radius of gyration, √(tr J/(2 m)), of a box, an upper bound."""
SAMPLES = 40
WORST = 1e-6
MISSED = 0.01


def findings(system: nsmb.MultibodySystem, sol: nsmb.Solution) -> list[str]:
    """Return all findings, one line each."""
    found = []
    # A solver may miss its tolerance, 1e-8, which the step reports, but rarely and slightly.
    worst = float(sol.step_residual.max(initial=0.0))
    if worst > WORST:
        found.append(f"residual of a step: {worst:.3g} > {WORST:g}")
    if sol.stats["missed_steps"] > MISSED * sol.stats["steps"]:
        found.append(f"{sol.stats['missed_steps']} of {sol.stats['steps']} steps missed tol")
    if not (np.isfinite(sol.q).all() and np.isfinite(sol.u).all()):
        return [*found, "states that are not finite"]
    depth, allowed = deepest(system, sol), reach(system, sol)
    if depth > allowed:
        found.append(f"penetration: {depth:.3g} m, more than bodies go in a step, {allowed:.3g} m")
    # Contacts that rotate with their bodies do work of second order in the step. Measured: up to
    # 1e-3 of the energy of a rocking block, with 600 steps from edge to edge.
    total = sol.energy.total
    gain = float((total - np.minimum.accumulate(total)).max())
    allowed = 5e-3 * float(sol.energy.turnover[-1]) + 1e-12 * float(np.abs(total).max())
    # Velocities have errors of tol relative to the largest one, at rest that of a fall in a step.
    # Weights may rise as fast.
    allowed += lifted(system, sol)
    if gain > allowed:
        found.append(f"energy gain: {gain:.3g} J > {allowed:.3g} J")
    return found


def lifted(system: nsmb.MultibodySystem, sol: nsmb.Solution) -> float:
    """Return the energy gain in J of weights that rise with the velocity error of a solver."""
    assert isinstance(sol.method, nsmb.Midpoint)
    assert sol.method.step is not None
    q, zero = sol.q[-1], np.zeros(system.nu)
    force = np.asarray(system.forces(float(sol.t[-1]), q, zero))
    fall = np.linalg.solve(system.mass_matrix(float(sol.t[-1]), q), force) * sol.method.step
    time = float(sol.t[-1] - sol.t[0])
    return float(sol.method.tol * np.abs(fall).max() * np.abs(force).sum() * time)


def deepest(system: nsmb.MultibodySystem, sol: nsmb.Solution) -> float:
    """Return the largest penetration in m."""
    rows = np.unique(np.linspace(0, sol.t.size - 1, SAMPLES).astype(int))
    states = zip(sol.t[rows].tolist(), sol.q[rows], strict=True)
    return -min(float(system.find_contacts(t, q).g_N.min(initial=0.0)) for t, q in states)


def reach(system: nsmb.MultibodySystem, sol: nsmb.Solution) -> float:
    """Return twice the largest approach of two points of free bodies in one step in m.

    Half of it may occur before detection, the rest by rotation of the normals.
    """
    assert isinstance(sol.method, nsmb.Midpoint)
    assert sol.method.step is not None
    if 7 * system.nu != 6 * system.nq:  # bodies on joints, by their corners between samples
        assert system.scene is not None
        samples = zip(sol.t.tolist(), sol.q, strict=True)
        places = np.array([system.scene.solids_at(t, q) for t, q in samples])
        apart = np.diff(sol.t) > 0.0
        way = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
        speed = way[apart] / np.diff(sol.t)[apart]
        return 2.0 * 2.0 * float(speed.max()) * sol.method.step + 1e-9
    M = np.diag(system.mass_matrix(float(sol.t[0]), sol.q[0])).reshape(-1, 6)
    radius = CORNER * np.sqrt(M[:, 3:].sum(axis=1) / (2.0 * M[:, 0]))
    u = sol.u.reshape(sol.t.size, -1, 6)
    speed = np.linalg.norm(u[..., :3], axis=2) + radius * np.linalg.norm(u[..., 3:], axis=2)
    return 2.0 * 2.0 * float(speed.max()) * sol.method.step + 1e-9
