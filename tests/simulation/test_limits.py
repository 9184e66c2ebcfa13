"""Ends of runs: exactly at t_end, or at a limit with a status and a remedy that works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints, symbolic
from nsmb.symbolic import LagrangianSystem

# Methods that integrate a parabola to rounding; cvode does so to its tolerance.
INTEGRATORS = (
    "auto",
    "dp853",
    "arkode_fehlberg78",
    "arkode_verner56",
    "arkode_dormand_prince45",
    "arkode_bogacki_shampine23",
)


class TestTheVeryEnd:
    @pytest.mark.parametrize("integrator", INTEGRATORS)
    @pytest.mark.parametrize("height", [1.0, 0.3, 2.7])
    def test_impact_exactly_at_the_end_is_recorded_once(
        self, integrator: str, height: float
    ) -> None:
        """The reference time is the impact time in a longer run with the same method."""
        method = nsmb.EventDriven(integrator=integrator)
        ball = nsmb.systems.bouncing_ball()

        def run(t_end: float) -> nsmb.Solution:
            return nsmb.simulate(ball, t_end, q=[height], method=method, output_step=0)

        t = float(run(1.0).events.t[0])
        for t_end in (t, np.nextafter(t, 0.0), np.nextafter(t, 1.0)):
            sol = run(t_end)
            assert sol.t[-1] == t_end
            assert sol.events.kinds == ["impact"]
            assert sol.u[-1, 0] > 0.0
        assert len(run(t * (1.0 - 1e-9)).events) == 0

    @pytest.mark.parametrize("integrator", INTEGRATORS)
    def test_closed_form_of_the_impact_is_time_enough(self, integrator: str) -> None:
        """Free fall is integrated to rounding: the impact is at sqrt(2h/g)."""
        method = nsmb.EventDriven(integrator=integrator)
        ball = nsmb.systems.bouncing_ball()
        for height in np.linspace(0.1, 3.0, 40):
            t = float(np.sqrt(2.0 * height / 9.81))
            sol = nsmb.simulate(ball, t, q=[height], method=method, output_step=0)
            assert len(sol.events) == 1

    @pytest.mark.parametrize("integrator", ["auto", "dp853"])
    def test_a_run_that_goes_on_from_there_repeats_nothing(self, integrator: str) -> None:
        whole = nsmb.simulate(nsmb.systems.bouncing_ball(e_N=0.5), 1.2).events.t
        sim = nsmb.Simulator(
            nsmb.systems.bouncing_ball(e_N=0.5), nsmb.EventDriven(integrator=integrator)
        )
        for t in (*whole[:5], 1.2):
            sim.advance(float(t))
        found = sim.solution.events.t
        assert len(found) == len(whole)
        np.testing.assert_allclose(found, whole, atol=1e-9)


def bouncing(e_N: float, start: float) -> tuple[nsmb.System, dict[str, list[float]]]:
    floor = nsmb.Contact(w_N=[1.0], law=nsmb.ContactLaw(e_N=e_N))
    system = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[floor])
    return system, {"q": [0.0], "u": [start]}


class TestLimits:
    def test_impacts_hardly_above_rest_end_the_run_and_rest_velocity_helps(self) -> None:
        system, start = bouncing(1.0, 1e-9)
        sol = nsmb.simulate(system, 1.0, **start, output_step=0, throw=False)
        assert sol.status == "event_limit"
        assert "rest_velocity" in sol.message
        assert len(sol.events) == 100_000
        method = nsmb.EventDriven(rest_velocity=2e-9)
        helped = nsmb.simulate(system, 1.0, **start, method=method)
        assert helped.status == "finished"
        assert abs(helped.q[-1, 0]) < 1e-12

    def test_slow_accumulations_reach_their_end(self) -> None:
        system, start = bouncing(0.999, 1e-3)
        method = nsmb.EventDriven(dense_output=False)
        sol = nsmb.simulate(system, 1.0, **start, output_step=0, method=method)
        assert sol.status == "finished"
        # ln(1e-3/1e-11)/ln(1/0.999)
        assert abs(len(sol.events) - 18411) <= 2

    def test_elastic_impacts_at_any_ordinary_speed_go_on(self) -> None:
        system, start = bouncing(1.0, 1e-3)
        sol = nsmb.simulate(system, 2.0, **start, output_step=0)
        assert sol.status == "finished"
        assert len(sol.events) == int(2.0 * 9.81 / 2e-3)

    def test_raising_max_events_is_advised_where_it_helps(self) -> None:
        system, start = bouncing(1.0, 1.0)
        few = nsmb.EventDriven(max_events=10)
        sol = nsmb.simulate(system, 5.0, **start, method=few, throw=False)
        assert sol.status == "event_limit"
        assert "Increase max_events" in sol.message

    def test_memory_is_bounded(self) -> None:
        system, start = bouncing(1.0, 1e-2)
        small = nsmb.EventDriven(max_memory=1e6)
        sol = nsmb.simulate(system, 100.0, **start, output_step=0, method=small, throw=False)
        assert sol.status == "memory_limit"
        assert "max_memory" in sol.message
        assert 100 < len(sol.events) < 5000
        without = nsmb.EventDriven(max_memory=1e6, dense_output=False)
        longer = nsmb.simulate(system, 100.0, **start, output_step=0, method=without, throw=False)
        assert longer.t[-1] > 1.1 * sol.t[-1]

    @pytest.mark.parametrize(
        "method",
        [
            nsmb.EventDriven(max_memory=1e6),
            nsmb.EventDriven(max_memory=1e6, integrator="dp853"),
            nsmb.Midpoint(0.5, max_memory=1e6),
        ],
    )
    def test_memory_is_bounded_within_one_step(self, method: Any) -> None:
        """A flight is one step, with forty million samples."""
        system, start = bouncing(1.0, 1.0)
        sol = nsmb.simulate(system, 0.4, **start, output_step=1e-8, method=method, throw=False)
        assert sol.status == "memory_limit"
        assert sol.t.size < 20_000

    def test_mass_matrix_that_loses_its_inverse_on_the_way_is_a_status(self) -> None:
        """(1 - x) v̇ = 0 with x = t: nothing happens until x = 1."""
        x = symbolic.coordinates("x")
        v = symbolic.velocities(x)
        system = LagrangianSystem([x], (1 - x) * v**2 / 2, 0, [-(v**2) / 2], linear=False)
        sol = nsmb.simulate(system, 2.0, u=[1.0], throw=False)
        assert sol.status == "integration_failure"
        assert "mass matrix" in sol.message
        assert sol.t[-1] == pytest.approx(1.0, abs=1e-6)
        with pytest.raises(nsmb.SimulationError, match="mass matrix"):
            nsmb.simulate(system, 2.0, u=[1.0])

    def test_more_contact_points_than_there_is_room_for_is_a_status(self) -> None:
        model = nsmb.Model(gravity=(0.0, -9.81))
        floor = model.ground.contour("floor", geometry.Line())
        box = model.add_body("box", mass=1.0, inertia=0.01)
        model.add_joint("j", joints.Planar(), model.ground, box)
        square = geometry.Polygon([(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)])
        model.add_contact(
            floor, box.contour("c", square), nsmb.ContactLaw(e_N=0.0), name="c", points=1
        )
        system = model.build(initial={"j": (0.0, 0.5, 0.3)})
        sol = nsmb.simulate(system, 2.0, throw=False)
        assert sol.status == "integration_failure"
        assert "points = 1" in sol.message
        assert sol.t[-1] > 0.2


def on_floor(e_N: float) -> nsmb.System:
    floor = nsmb.Contact(w_N=[1.0], w_T=None, gap=0.0, law=nsmb.ContactLaw(e_N=e_N), name="floor")
    return nsmb.LinearSystem(np.eye(1), force=nsmb.Force([-10.0]), contacts=[floor])


def test_a_bouncing_without_an_end_is_named_where_parts_move_by_themselves_too() -> None:
    """Two of five balls bounce indefinitely, the others come to rest."""
    rests = (1.0, 0.5, 0.0, 1.0, 0.5)
    floors = [
        nsmb.Contact(
            w_N=np.eye(5)[k], w_T=None, gap=0.0, law=nsmb.ContactLaw(e_N=e_N), name=f"floor {k}"
        )
        for k, e_N in enumerate(rests)
    ]
    system = nsmb.LinearSystem(np.eye(5), force=nsmb.Force([-10.0] * 5), contacts=floors)
    method = nsmb.EventDriven(max_events=9000)
    sol = nsmb.simulate(
        system, 11.0, q=np.zeros(5), u=[0.01, 0.01, 0.01, 0.013, 0.01], method=method, throw=False
    )
    assert sol.status == "event_limit"
    assert "Contacts 'floor 0', 'floor 3' bounce indefinitely" in sol.message
    assert "impacts (0.0" in sol.message  # 0.01 m/s


def test_a_bouncing_without_an_end_is_told_from_one_that_needs_more_events() -> None:
    """With v = 0.01 m/s and e_N = 1, every flight takes 2 v/g = 2 ms, indefinitely."""

    def run(e_N: float, max_events: int) -> nsmb.Solution:
        method = nsmb.EventDriven(max_events=max_events)
        return nsmb.simulate(on_floor(e_N), 11.0, q=[0.0], u=[0.01], method=method, throw=False)

    endless = run(1.0, 5000)
    assert endless.status == "event_limit"
    assert "'floor' bounce indefinitely: with e_N = 1" in endless.message
    assert run(1.0, 6000).success  # a larger max_events continues the run
    assert run(0.9, 5000).success  # e_N < 1: the ball comes to rest
    many = run(0.9999, 5000)  # slower by exp(-0.2) from block to block
    assert many.status == "event_limit"
    assert "Increase max_events to continue." in many.message
