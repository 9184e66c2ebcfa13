"""`nsmb.testing` passes correct runs, detects tampered ones, and explains failures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import hypothesis
import numpy as np
import pytest

import nsmb
from nsmb import testing
from nsmb.testing import strategies
from tests.campaign.tampered import plus, tampered


@pytest.fixture(scope="module")
def toy() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.woodpecker(), 0.3)


@pytest.fixture(scope="module")
def ball() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.bouncing_ball(e_N=0.5), 1.3)


class TestValid:
    @pytest.mark.parametrize(
        ("name", "t_end", "energy"),
        [
            ("woodpecker", 0.3, "conserved"),
            ("bouncing_ball", 2.0, "conserved"),
            ("rod_on_obstacles", 0.5, None),
            ("gear_rattling", 2.0, None),
            ("stick_slip_oscillator", 2.0, None),
            ("woodpecker_4dof", 0.1, "decreasing"),
            ("incline_block", 0.5, "conserved"),
        ],
    )
    def test_runs_of_ready_made_systems_are_valid(
        self, name: str, t_end: float, energy: Any
    ) -> None:
        sol = nsmb.simulate(nsmb.systems.build(name), t_end)
        testing.assert_valid(sol, energy=energy)

    def test_a_run_without_dense_output_is_looked_at_in_its_samples(self) -> None:
        method = nsmb.EventDriven(dense_output=False)
        testing.assert_valid(nsmb.simulate(nsmb.systems.woodpecker(), 0.1, method=method))

    # The lower edge slides at the first sample. Row 3 of the events is an impact of the upper one.
    @pytest.mark.parametrize(
        ("statement", "changes"),
        [
            ("g_N >= 0 between samples", {"coefficients": lambda c: c - 0.01}),
            ("lambda_N >= 0", {"lambda_N": lambda x: -x}),
            ("open: lambda = 0", {"lambda_N": plus(1.0)}),
            ("forces are numbers", {"lambda_N": plus(np.nan)}),
            ("friction cone", {"lambda_T": lambda x: 2.0 * x}),
            ("slip against friction", {"lambda_T": lambda x: -x}),
            ("impact: energy", {"event_energy_loss": plus(1e-6, 3)}),
            ("impact: work", {"event_work_N": plus(1e-6, 3)}),
            ("impact: Lambda_N >= 0", {"event_Lambda_N": lambda x: -x}),
            ("impact: cone", {"event_Lambda_T": plus(1e-3, 3)}),
            ("impact: momentum", {"event_u_plus": plus(0.01, 3)}),
            ("impact: no approach", {"event_u_plus": lambda u: -u}),
            ("t grows", {"t": plus(1.0, 5)}),
            ("event: t grows", {"event_t": plus(1.0, 0)}),
            ("event: states before", {"event_state_minus": plus(1, 4, 1)}),
            ("states change at events only", {"contact_state": plus(1, -1, 0)}),
            ("event: coordinates", {"event_q": plus(1e-3, 2)}),
            ("event: velocities before", {"event_u_minus": plus(1e-3, 2)}),
            ("event: velocities after", {"event_u_plus": plus(1e-3, 2)}),
            ("friction_loss grows", {"friction_loss": lambda x: -x}),
            ("energy balance", {"friction_loss": lambda x: 0.9 * x}),
            (
                "stick: gamma_T = 0 between samples",
                {"step_state": lambda s: np.where(s == 3, 1, s)},
            ),
            ("direction between samples", {"step_state": lambda s: np.where(s == 3, 2, s)}),
            ("closed: g_N = 0 between samples", {"step_state": lambda s: np.where(s == 0, 3, s)}),
        ],
    )
    def test_what_was_tampered_with_is_found(
        self, toy: nsmb.Solution, statement: str, changes: dict[str, Callable[[Any], Any]]
    ) -> None:
        with pytest.raises(AssertionError) as error:
            testing.assert_valid(tampered(toy, **changes), energy="conserved")
        assert statement in str(error.value)

    def test_a_run_that_ended_early_is_named_unless_it_may(self) -> None:
        sol = nsmb.simulate(
            nsmb.systems.bouncing_ball(), 5.0, method=nsmb.EventDriven(max_events=5), throw=False
        )
        with pytest.raises(AssertionError, match="status is 'event_limit'"):
            testing.assert_valid(sol)
        testing.assert_valid(sol, finished=False)

    def test_dampers_take_energy_and_springs_keep_it(self) -> None:
        damped = nsmb.LinearSystem(
            [[1.0]], [[4.0]], [[0.5]], initial_state=nsmb.State(0.0, np.ones(1), np.zeros(1))
        )
        sol = nsmb.simulate(damped, 2.0)
        testing.assert_valid(sol, energy="decreasing")
        with pytest.raises(AssertionError, match="remain constant"):
            testing.assert_valid(sol, energy="conserved")
        grows = tampered(sol, y=plus(0.5))
        with pytest.raises(AssertionError, match="do not rise"):
            testing.assert_valid(grows, energy="decreasing")

    def test_misuse_is_named(self, toy: nsmb.Solution) -> None:
        with pytest.raises(ValueError, match="energy: expected 'conserved'"):
            testing.assert_valid(toy, energy="gained")  # type: ignore[arg-type]
        lost = tampered(toy)
        lost.system = None
        with pytest.raises(ValueError, match=r"Set solution\.system to the system"):
            testing.assert_valid(lost)


class TestSameMotion:
    def test_two_integrators_show_the_same_motion(self, toy: nsmb.Solution) -> None:
        other = nsmb.simulate(
            nsmb.systems.woodpecker(), 0.3, method=nsmb.EventDriven(integrator="dp853", rtol=1e-9)
        )
        testing.assert_same_motion(toy, other)

    def test_a_difference_is_named_with_its_coordinate(self, toy: nsmb.Solution) -> None:
        other = nsmb.simulate(nsmb.systems.woodpecker(mu=0.31), 0.3)
        with pytest.raises(
            AssertionError, match=r"coordinates are the same: .* at (y|phi)"
        ) as error:
            testing.assert_same_motion(toy, other)
        assert "mu=0.31" in str(error.value)

    def test_another_end_and_other_coordinates_are_named(
        self, toy: nsmb.Solution, ball: nsmb.Solution
    ) -> None:
        with pytest.raises(AssertionError, match="coordinates"):
            testing.assert_same_motion(toy, ball)
        shorter = nsmb.simulate(nsmb.systems.woodpecker(), 0.2)
        with pytest.raises(AssertionError, match="start and end at the same times"):
            testing.assert_same_motion(toy, shorter)


class TestEvents:
    """Events of a fall from 1 m with e = 0.5, with impacts at t_1, 2 t_1, 2.5 t_1, 2.75 t_1."""

    FIRST = float(np.sqrt(2.0 / 9.81))

    def test_kinds_contacts_and_times_are_compared(self, ball: nsmb.Solution) -> None:
        times = self.FIRST * np.array([1.0, 2.0, 2.5, 2.75, 2.875])
        times = times[times < 1.3]
        testing.assert_events(ball, ["impact"] * len(times))
        testing.assert_events(ball, [("impact", "floor")] * len(times))
        testing.assert_events(ball, [(t, nsmb.EventKind.IMPACT, "floor") for t in times])

    @pytest.mark.parametrize(
        "expected", [["impact"], ["impact"] * 9, [(0.4, "impact")], ["stick"], []]
    )
    def test_what_differs_is_shown_side_by_side(
        self, ball: nsmb.Solution, expected: list[Any]
    ) -> None:
        with pytest.raises(AssertionError, match=r"->") as error:
            testing.assert_events(ball, expected)
        assert "impact at t = 0.4515236" in str(error.value)

    def test_some_kinds_alone(self, toy: nsmb.Solution) -> None:
        number = len(toy.events.of_kind("stick"))
        testing.assert_events(toy, [("stick", "lower")] * number, only=["stick"])

    def test_misuse_is_named(self, ball: nsmb.Solution) -> None:
        with pytest.raises(ValueError, match="kind: expected one of impact"):
            testing.assert_events(ball, ["bang"])
        with pytest.raises(ValueError, match="contact: expected one of floor"):
            testing.assert_events(ball, [("impact", "roof")])
        with pytest.raises(ValueError, match="a kind is missing"):
            testing.assert_events(ball, [(0.3,)])


def run_script(text: str) -> nsmb.Solution:
    scope: dict[str, Any] = {"print": lambda *_: None}
    exec(text, scope)
    return scope["sol"]  # type: ignore[no-any-return]


class TestScript:
    def systems(self) -> list[nsmb.System]:
        spring = nsmb.LinearSystem(
            [[1.3, 0.0], [0.0, 2.0]],
            [[5.0, -1.0], [-1.0, 5.0]],
            force=nsmb.Force([-1.3, 0.0], harmonics=[nsmb.Harmonic([1.0, 0.0], 3.0, 0.1)]),
            contacts=[
                nsmb.Contact(w_N=[1.0, 0.0], w_T=[0.0, 1.0], gap=0.1, law=nsmb.ContactLaw(mu=0.3)),
                nsmb.Friction(w_T=[0.0, 1.0], bound=0.2, name="clutch"),
            ],
            elements=[nsmb.ForceElement(w=[0.0, 1.0], law=nsmb.GapForce(c=40.0, d=0.9), gap=-0.1)],
            initial_state=nsmb.State(0.0, np.array([0.0, 0.3]), np.array([0.1, 0.0])),
        )
        m = nsmb.Model(gravity=(0, -9.81))
        disc = m.add_body("disc", mass=1.0, inertia=0.01)
        m.add_joint("j", nsmb.joints.Planar(), m.ground, disc)
        floor = m.ground.contour("floor", nsmb.geometry.Line())
        m.add_contact(floor, disc.contour("rim", nsmb.geometry.Circle(0.1)))
        return [nsmb.systems.woodpecker(mu=0.9), spring, m.build({"j": [0, 0.2, 0]})]

    def test_a_script_repeats_a_run_bit_by_bit(self) -> None:
        for system in self.systems():
            sol = nsmb.simulate(system, 0.3)
            again = run_script(testing.script(system, 0.3))
            assert again.q.tobytes() == sol.q.tobytes()
            assert again.events.t.tobytes() == sol.events.t.tobytes()

    def test_a_failure_holds_a_script_that_repeats_it(self) -> None:
        method = nsmb.EventDriven(impact_law="moreau", max_events=3)
        sol = nsmb.simulate(
            nsmb.systems.bouncing_ball(), 5.0, q=[0.5], u=[0.1], method=method, throw=False
        )
        with pytest.raises(AssertionError) as error:
            testing.assert_valid(sol, method=method)
        text = str(error.value).partition("repeat it with")[2]
        again = run_script(text)
        assert again.status == sol.status
        # The intended end of a run that ended early is unknown, and steps depend on it in the last
        # bits.
        np.testing.assert_allclose(again.events.t, sol.events.t, rtol=1e-14)

    def test_functions_that_cannot_be_written_down_are_said_to_be_missing(self) -> None:
        system = nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], name="own one")
        assert "'own one', which cannot be written down" in testing.script(system, 1.0)


class TestStrategies:
    @hypothesis.settings(max_examples=30, deadline=None, derandomize=True)
    @hypothesis.given(strategies.linear_systems(driven=False))
    def test_systems_without_drive_keep_their_book(self, system: nsmb.System) -> None:
        testing.assert_valid(nsmb.simulate(system, 0.2), energy="conserved")

    @hypothesis.settings(max_examples=15, deadline=None, derandomize=True)
    @hypothesis.given(strategies.point_masses(), strategies.methods())
    def test_point_masses(self, system: nsmb.System, method: nsmb.EventDriven) -> None:
        sol = nsmb.simulate(system, 0.2, method=method)
        testing.assert_valid(sol, tol=1e-5, method=method)

    @hypothesis.settings(max_examples=10, deadline=None, derandomize=True)
    @hypothesis.given(strategies.bodies())
    def test_bodies(self, system: nsmb.System) -> None:
        testing.assert_valid(nsmb.simulate(system, 0.2), energy="conserved")


def test_without_hypothesis_only_the_strategies_are_missing() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from nsmb import testing\n"
        "try:\n"
        "    import nsmb.testing.strategies\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "hypothesis is not installed: pip install 'hypothesis'\n"
