"""The toy in the event loop: dividing a run into pieces changes nothing but rounding."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb

END = 1.0


def pieces(method: nsmb.EventDriven, times: np.ndarray) -> nsmb.Solution:
    sim = nsmb.Simulator(nsmb.systems.woodpecker(), method, output_step=0.0)
    for t in times:
        sim.advance(t)
    return sim.solution


# Measured: times 6e-15 s, q 4e-14 in closed form; 3e-12 s, 2e-11 by dp853, whose steps differ.
@pytest.mark.parametrize(("name", "tolerance"), [("auto", 1e-12), ("dp853", 1e-9)])
def test_a_run_in_pieces_has_the_events_of_one_run(name: str, tolerance: float) -> None:
    method = nsmb.EventDriven(integrator=name, rtol=1e-10)
    whole = nsmb.simulate(nsmb.systems.woodpecker(), END, method=method, output_step=0.0)
    cut = pieces(method, np.linspace(0.0, END, 38)[1:])
    assert len(whole.events) > 20
    assert cut.events.kinds == whole.events.kinds
    np.testing.assert_allclose(cut.events.t, whole.events.t, rtol=0, atol=tolerance)
    np.testing.assert_allclose(cut.q[-1], whole.q[-1], rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", ["auto", "dp853"])
def test_times_of_discontinuity_at_which_nothing_happens_leave_the_events_alone(name: str) -> None:
    toy = nsmb.systems.woodpecker()
    assert isinstance(toy, nsmb.LinearSystem)
    marked = nsmb.LinearSystem(
        toy.M,
        toy.K,
        toy.D,
        **{**toy._given, "discontinuities": [nsmb.Repeating(0.0, 0.027)]},
        initial_state=toy.initial_state,
    )
    method = nsmb.EventDriven(integrator=name, rtol=1e-10)
    runs = [nsmb.simulate(s, END, method=method, output_step=0.0) for s in (toy, marked)]
    assert runs[1].events.kinds == runs[0].events.kinds
    assert runs[1].stats["restarts"] >= runs[0].stats["restarts"] + 30
    np.testing.assert_allclose(runs[1].events.t, runs[0].events.t, rtol=0, atol=1e-9)
