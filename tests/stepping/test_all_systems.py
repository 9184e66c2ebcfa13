"""Every ready-made system in steps, against its event-driven motion."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb

# Start of the run in s, step in s, and the permitted differences of the coordinates from those of
# the event-driven run. Differences are fractions of the range of each coordinate: three times the
# measured ones and more.
USUAL = (0.02, 1e-5, 1e-4)
OTHERS = {
    # Impacts between teeth, whose times are accurate to the step, over small ranges.
    "gearbox_two_stage": (0.02, 1e-5, 3e-2),
    "gearbox_branched": (0.02, 1e-5, 3e-2),
    "gearbox_run_up": (0.02, 1e-5, 5e-4),
    "rattling_rig": (0.02, 1e-5, 1e-2),
    "involute_pair": (0.02, 1e-5, 1.5e-3),
    "involute_rattle": (0.02, 1e-5, 3e-2),
    "synchroniser": (0.02, 1e-5, 5e-3),
    "timing_gears": (0.02, 1e-5, 1e-2),
    # Teeth that press for half a millisecond, from some instant within a step.
    "spur_gears": (0.02, 1e-5, 1.5e-2),
    "spur_gears_with_backlash": (0.02, 1e-5, 4e-3),
    # Modes whose period is some ten steps: second order, against events at rtol 1e-12.
    "helical_spring": (0.02, 1e-5, 3e-2),
    "sphere_on_beam": (0.02, 1e-5, 5e-4),
    # One touch; errors of modes with a period of some hundred steps are phase errors.
    "impacting_bar": (0.02, 1e-5, 5e-2),
    "elastic_discs": (0.02, 1e-5, 5e-2),
    # The hub starts smoothly: in that time the beam bends by nanometres, as t³.
    "spin_up_beam": (0.02, 1e-5, 6e-4),
    # Its rod vibrates longitudinally within some ten steps.
    "flexible_slider_crank": (0.02, 1e-5, 1e-2),
    # The striker hits once, and the body it hits ranges over micrometres.
    "hammer_drill": (0.02, 1e-5, 0.5),
    "percussion_drill": (0.02, 1e-5, 3e-2),
    # Hundreds of impacts per millisecond, with a search for contact points in every step.
    "electric_brush": (0.0005, 1e-6, 3e-3),
    "ring_in_hole": (0.02, 1e-5, 3e-3),
    # Its sleeve moves sideways by no more than 1e-11 m.
    "woodpecker_4dof": (0.02, 1e-5, 5e-2),
    # Spin: quaternions rotate by a radian and more, to the order of the step; positions hardly
    # change.
    "euler_disk": (0.02, 1e-5, 1.5e-2),
    "rolling_ball": (0.02, 1e-5, 2e-3),
    "tippe_top": (0.02, 1e-5, 2e-3),
    # Functions in Python: as long as a second of computation permits.
    "impact_pendulum": (0.01, 1e-5, 1e-4),
    "pantograph": (0.005, 1e-5, 1e-4),
    "parabola_on_line": (0.01, 1e-5, 1e-4),
    "rod_on_obstacles": (0.01, 1e-5, 1e-4),
    "rocking_rod": (0.01, 1e-5, 1e-4),
    "sliding_rod": (0.01, 1e-5, 1e-4),
}


BY_EVENTS = [
    name
    for name in nsmb.systems.names()
    if isinstance(getattr(nsmb.systems, name).recommended.method, nsmb.EventDriven | None)
]


@pytest.mark.parametrize("name", BY_EVENTS)
def test_steps_stay_near_the_events(name: str) -> None:
    system = nsmb.systems.build(name)
    length, step, allowed = OTHERS.get(name, USUAL)
    t_0 = system.initial_state.t
    times = np.linspace(t_0, t_0 + length, 51)
    method = nsmb.Midpoint(
        step, impact_law=system.recommended.event_driven("comparison").impact_law
    )
    exact = nsmb.simulate(system, times[-1], output_times=times)
    sol = nsmb.simulate(system, times[-1], method=method, output_times=times)
    assert sol.stats["missed_steps"] == 0
    rows = np.searchsorted(exact.t, times, side="right") - 1
    size = np.ptp(exact.q, axis=0) + 1e-3 * np.abs(exact.q).max(axis=0) + 1e-9
    if system.nq > system.nu:  # a body in space as one: slow beside fast coordinates
        size += 1e-3 * size.max()
    error = np.abs(sol.q - exact.q[rows]) / size
    assert error.max() < allowed
