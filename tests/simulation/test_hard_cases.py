"""Coincidences, extremes of scale and misuse that a simulation must survive."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import nsmb
from tests.simulation.systems import METHODS, block, sliding_rod

ONE_STEP = ("auto", "dp853")


def method(name: str, rtol: float = 1e-10) -> nsmb.EventDriven:
    return nsmb.EventDriven(integrator=name, rtol=rtol)


class TestSeeing:
    """No contact is overlooked."""

    @pytest.mark.parametrize("t_end", [1.0, 1e3, 1e5])
    @pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-8])
    def test_a_grazed_ceiling_is_found_however_long_the_run_was_meant_to_be(
        self, t_end: float, depth: float
    ) -> None:
        """Thrown up 1 m against a ceiling `depth` below the apex: free fall is one long step."""
        ceiling = nsmb.Contact(w_N=[-1.0], gap=1.0 - depth, law=nsmb.ContactLaw(e_N=0.5))
        ball = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[ceiling])
        u = np.sqrt(2.0 * 9.81)
        sol = nsmb.simulate(ball, t_end, u=[u], output_step=0)
        expected = (u - np.sqrt(2.0 * 9.81 * depth)) / 9.81
        assert sol.events.kinds == ["impact"]
        assert abs(sol.events.t[0] - expected) < 1e-13 / np.sqrt(depth)

    @pytest.mark.parametrize("name", ["dp853", "arkode_fehlberg78", "cvode"])
    def test_a_curved_gap_is_seen_between_the_points_it_is_looked_at(self, name: str) -> None:
        """A particle flies over a sine: no forces act, and only the gap is curved."""
        waves = nsmb.CallbackSystem(
            ["x", "y"],
            np.eye(2),
            lambda t, q, u: [0.0, 0.0],
            [
                nsmb.Contact(
                    gap=lambda t, q: q[1] - 0.01 * np.sin(20.0 * q[0]),
                    w_N=lambda t, q: [-0.2 * np.cos(20.0 * q[0]), 1.0],
                    law=nsmb.ContactLaw(e_N=1.0),
                    name="waves",
                )
            ],
        )
        sol = nsmb.simulate(
            waves, 1.0, q=[0.0, 0.009], u=[1.0, 0.0], method=method(name), output_step=0
        )
        expected = np.arcsin(0.9) / 20.0
        assert sol.events.kinds[0] == "impact"
        assert abs(sol.events.t[0] - expected) < 1e-7

    def test_stopping_just_before_a_contact_does_not_bring_it_forward(self) -> None:
        def ball() -> nsmb.System:
            return nsmb.CallbackSystem(
                ["y"],
                [[1.0]],
                lambda t, q, u: [-9.81],
                [nsmb.Contact(lambda t, q: q[0], w_N=lambda t, q: [1.0])],
            )

        t_impact = np.sqrt(2.0 / 9.81)
        for before in (1e-8, 1e-9, 1e-10):
            sim = nsmb.Simulator(ball(), output_step=0.0)
            sim.reset(q=[1.0])
            sim.advance(t_impact - before)
            event = sim.step(t_max=1.0)
            assert event is not None
            assert abs(event.t - t_impact) < 2e-13


class TestCoincidences:
    """Two events at the same instant."""

    def test_a_block_that_stops_just_when_it_is_hit_keeps_the_momentum(self) -> None:
        """A block slides to rest at x = 2.5, t = 1, where a puck of the same mass arrives."""
        floor = nsmb.Contact(
            w_N=[0.0, 1.0, 0.0],
            w_T=[1.0, 0.0, 0.0],
            gap=0.0,
            law=nsmb.ContactLaw(mu=0.5),
            name="floor",
        )
        puck = nsmb.Contact(w_N=[-1.0, 0.0, 1.0], w_T=None, gap=0.0, law=nsmb.ContactLaw(e_N=1.0))
        system = nsmb.LinearSystem(np.eye(3), force=[0.0, -10.0, 0.0], contacts=[floor, puck])
        ends = []
        for shift in (-1e-9, 0.0, 1e-9):
            sol = nsmb.simulate(system, 3.0, q=[0.0, 0.0, 3.5 + shift], u=[5.0, 0.0, -1.0])
            ends.append(sol.q[-1, 0])
            assert abs(sol.stats["rest_loss"]) < 1e-12
        # Thrown back with 1 m/s, it stops 0.1 m further.
        np.testing.assert_allclose(ends, 2.4, atol=1e-8)

    @pytest.mark.parametrize("name", ONE_STEP)
    @pytest.mark.parametrize(
        "force",
        [
            nsmb.Force(constant=[5.0, -10.0], ramp=[-1.0, 0.0]),
            nsmb.Force(constant=[5.0, -10.0], ramp=[0.0, -1.0]),
            nsmb.Force(constant=[0.0, -10.0], harmonics=[nsmb.Harmonic([5.0, 0.0], 3.0)]),
            nsmb.Force(
                constant=[0.0, -10.0], harmonics=[nsmb.Harmonic([5.0, 0.0], 3.0, -np.pi / 2)]
            ),
        ],
    )
    def test_a_limit_that_is_touched_and_left_lets_nothing_slip(
        self, name: str, force: nsmb.Force
    ) -> None:
        sol = nsmb.simulate(block(force, mu=0.5), 2.0, method=method(name))
        assert sol.status == "finished"
        assert np.abs(sol.q[:, 0]).max() < 1e-12

    def test_a_frictionless_contact_at_rest_may_begin_to_move_beside_fast_neighbours(self) -> None:
        floor = nsmb.Contact(w_N=[0.0, 1.0, 0.0], w_T=[1.0, 0.0, 0.0], name="ice")
        force = nsmb.Force(constant=[0.0, -10.0, 0.0], ramp=[1e-6, 0.0, 0.0])
        system = nsmb.LinearSystem(
            np.eye(3), np.diag([0.0, 0.0, 1.0]), force=force, contacts=[floor]
        )
        sol = nsmb.simulate(system, 1.0, u=[0.0, 0.0, 1e4])
        np.testing.assert_allclose(sol.q[-1, 0], 1e-6 / 6.0, rtol=1e-9)

    def test_newtons_impact_of_a_ball_on_a_resting_ball_is_not_a_matter_of_rounding(self) -> None:
        """E10 with Newton impacts: g_N1' = 0, g_N2' = ε_N2, for any rounding of the contact."""
        for noise in (0.0, 1e-18, -1e-18, 1e-15):
            contacts = [
                nsmb.Contact(w_N=[1.0, 0.0], law=nsmb.ContactLaw(e_N=1.0), name="ground"),
                nsmb.Contact(w_N=[-1.0, 1.0], law=nsmb.ContactLaw(e_N=0.5), name="balls"),
            ]
            system = nsmb.LinearSystem(np.eye(2), contacts=contacts)
            sol = nsmb.simulate(
                system, 0.1, u=[noise, -1.0], method=nsmb.EventDriven(impact_law="newton")
            )
            np.testing.assert_allclose(sol.events.u_plus[0], [0.0, 0.5], atol=1e-14)


class TestScales:
    """Units and magnitudes change numbers, but not the motion."""

    @pytest.mark.parametrize("name", ONE_STEP)
    @pytest.mark.parametrize("t_start", [-1e6, 1e6, 1e9])
    def test_an_accumulation_far_from_zero_time(self, name: str, t_start: float) -> None:
        ball = nsmb.systems.bouncing_ball(e_N=0.8)
        sol = nsmb.simulate(ball, t_start + 6.0, t_start=t_start, method=method(name))
        assert sol.status == "finished"
        rest = np.sqrt(2.0 / 9.81) * 1.8 / 0.2
        # Some hundred flights, each of which starts and ends at a rounded time.
        assert abs(sol.events.t[-1] - t_start - rest) < 300.0 * np.spacing(abs(t_start))
        assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK

    def test_a_light_ball_rests_as_it_would_alone_beside_a_heavy_fast_mass(self) -> None:
        ball = nsmb.Contact(w_N=[1.0, 0.0], law=nsmb.ContactLaw(e_N=0.5))
        system = nsmb.LinearSystem(np.diag([1e-9, 1e6]), force=[-9.81e-9, 0.0], contacts=[ball])
        sol = nsmb.simulate(system, 3.0, q=[1.0, 0.0], u=[0.0, 1e4])
        assert abs(sol.events.t[-1] - np.sqrt(2.0 / 9.81) * 3.0) < 1e-10

    def test_a_light_mass_lifts_off_beside_a_heavy_one(self) -> None:
        floor = nsmb.Contact(w_N=[1.0, 0.0])
        system = nsmb.LinearSystem(np.diag([1e-9, 1e6]), force=[1e-11, -9.81e6], contacts=[floor])
        sol = nsmb.simulate(system, 1.0)
        np.testing.assert_allclose(sol.q[-1, 0], 0.005, rtol=1e-12)

    @pytest.mark.parametrize("name", ["auto", "dp853"])
    @pytest.mark.parametrize("time", [1e-6, 1e-3, 1e3])
    def test_the_toy_in_other_units_of_time(self, name: str, time: float) -> None:
        """The events are the same with scaled parameters.

        Stiffness and gravity are scaled by time⁻², velocities by time⁻¹.
        """
        toy = nsmb.systems.woodpecker()
        fast = nsmb.systems.woodpecker(c_phi=5.6e-3 / time**2, g=9.81 / time**2)
        events = nsmb.simulate(toy, 0.3, method=method(name), output_step=0).events
        scaled = nsmb.simulate(
            fast, 0.3 * time, u=toy.initial_state.u / time, method=method(name), output_step=0
        )
        assert scaled.events.kinds == events.kinds
        tolerance = 1e-12 if name == "auto" else 1e-9
        np.testing.assert_allclose(scaled.events.t / time, events.t, rtol=0, atol=tolerance)
        assert scaled.stats["steps"] < 400


class TestUse:
    """Simulators that are stopped, restarted, shared and inspected."""

    def test_a_run_without_way_out_says_so_again(self) -> None:
        sim = nsmb.Simulator(sliding_rod(5.0 / 3.0, np.radians(60.0)))
        for _ in range(2):
            with pytest.raises((nsmb.SimulationError, ValueError), match=r"no solution|Call reset"):
                sim.advance(1.0)
        sim.reset(q=[0.0, 1.0, 0.0])
        sim.advance(0.1)
        assert sim.t == 0.1

    @pytest.mark.parametrize("name", [m for m in METHODS if m != "auto"])
    def test_a_run_goes_on_after_an_error_of_the_system_as_if_nothing_had_been(
        self, name: str
    ) -> None:
        class Once(Exception):
            pass

        calls = 0
        fail_at = 0

        def gap(t: float, q: np.ndarray) -> float:
            nonlocal calls
            calls += 1
            if calls == fail_at:
                raise Once
            return float(q[0])

        def ball() -> nsmb.System:
            return nsmb.CallbackSystem(
                ["y"],
                [[1.0]],
                lambda t, q, u: [-9.81],
                [nsmb.Contact(gap, w_N=lambda t, q: [1.0], law=nsmb.ContactLaw(e_N=0.7))],
            )

        exact = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.9, output_step=0)
        for offset in range(3, 420, 7):
            sim = nsmb.Simulator(ball(), method(name), output_step=0.0)
            sim.reset(q=[1.0])
            fail_at = calls + offset
            try:
                sim.advance(0.9)
            except Once:
                sim.advance(0.9)
            # Restarts reduce the accuracy of cvode, but not of the others.
            tolerance = 1e-6 if name == "cvode" else 1e-9
            np.testing.assert_allclose(sim.q, exact.q[-1], rtol=0, atol=tolerance)

    def test_reset_forgets_everything(self) -> None:
        for name in ("auto", "dp853"):
            sim = nsmb.Simulator(nsmb.systems.woodpecker(), method(name), output_step=0.0)
            sim.advance(1e-12)
            sim.reset()
            sim.advance(0.7)
            first = sim.solution
            sim.reset()
            sim.advance(0.7)
            second = sim.solution
            assert first.stats == second.stats
            assert first.events.t.tobytes() == second.events.t.tobytes()
            sim.reset(t=1e6)
            sim.advance(1e6 + 0.1)

    def test_what_was_looked_at_does_not_change_later(self) -> None:
        sim = nsmb.Simulator(nsmb.systems.bouncing_ball())
        q = sim.q
        sim.advance(0.3)
        assert q[0] == 1.0

    def test_step_returns_every_impact_in_order_from_the_first_instant_on(self) -> None:
        sim = nsmb.Simulator(nsmb.systems.bouncing_ball(e_N=0.5), output_step=0.0)
        sim.reset(q=[0.0], u=[-1.0])
        flight = 2.0 * 0.5 / 9.81
        first, second = sim.step(t_max=1.0), sim.step(t_max=1.0)
        assert first is not None
        assert second is not None
        assert (first.t, first.kind) == (0.0, nsmb.EventKind.IMPACT)
        assert abs(second.t - flight) < 1e-15

    def test_samples_on_the_grid_are_not_lost_where_steps_end(self) -> None:
        ball = nsmb.systems.bouncing_ball(H=100.0)
        sol = nsmb.simulate(ball, 1.0, method=nsmb.EventDriven(max_step=0.125), output_step=0.125)
        np.testing.assert_array_equal(sol.t, np.arange(9) / 8.0)

    def test_a_simulator_refuses_a_second_thread(self) -> None:
        sim = nsmb.Simulator(
            nsmb.systems.woodpecker(), nsmb.EventDriven(dense_output=False), output_step=0.0
        )
        thread = threading.Thread(target=sim.advance, args=(400.0,))
        thread.start()
        refused = 0
        while thread.is_alive():
            try:
                _ = sim.t
            except RuntimeError:
                refused += 1
        thread.join()
        assert sim.t == 400.0
        assert refused > 0

    def test_one_system_serves_many_threads(self) -> None:
        toy = nsmb.systems.woodpecker()
        found: list[bytes] = []

        def work() -> None:
            found.append(nsmb.simulate(toy, 5.0, progress=False).events.t.tobytes())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(found)) == 1
