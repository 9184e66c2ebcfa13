"""The closed-form flow keeps matrices of a limited number of contact states."""

from __future__ import annotations

import numpy as np

import nsmb

ROOM = 384 * 2**20
ROOM_AT_RESET = 8 * 2**20


def row_of_sliders(n: int) -> nsmb.LinearSystem:
    """Driven masses with dry friction, joined by soft springs.

    Each sticks and slips at its own pace, so that contact states hardly ever recur.
    """
    r = np.random.default_rng(0)
    joined = 0.1 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    pulls = [
        nsmb.Harmonic(np.eye(n)[k] * 3.0, float(w)) for k, w in enumerate(r.uniform(0.7, 1.4, n))
    ]
    return nsmb.LinearSystem(
        np.eye(n),
        K=np.eye(n) + joined,
        force=nsmb.Force(harmonics=pulls),
        contacts=[nsmb.Friction(w_T=row, bound=1.0) for row in np.eye(n)],
    )


def test_kept_matrices_stay_within_their_room_and_are_freed_by_reset() -> None:
    system = row_of_sliders(90)
    method = nsmb.EventDriven(dense_output=False)
    simulator = nsmb.Simulator(system, method, output_step=0.0)
    core = simulator._core

    def run() -> int:
        largest = 0
        while core.t < 12.0:
            simulator.advance(core.t + 1.0)
            largest = max(largest, core.kept_states[1])
        return largest

    largest = run()
    met = np.unique(simulator.solution.contact_state, axis=0)
    kept, size = core.kept_states
    assert len(met) > 1.2 * kept  # otherwise nothing was discarded
    assert 0.5 * ROOM < largest <= ROOM
    assert size <= ROOM
    first = simulator.solution

    simulator.reset()
    assert core.kept_states[1] <= ROOM_AT_RESET
    # Matrices that are recomputed are bitwise identical.
    run()
    np.testing.assert_array_equal(simulator.solution.events.t, first.events.t)
    np.testing.assert_array_equal(simulator.q, first.q[-1])
