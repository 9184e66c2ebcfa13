"""The woodpecker toy: printed data, the book's sequence, an independent simulation."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

import nsmb
from tests.oracles import woodpecker_scipy

BEAK, LOWER, UPPER = 0, 1, 2


@functools.cache
def settled(mu: float, t_end: float, rtol: float = 1e-10) -> nsmb.Solution:
    toy = nsmb.systems.woodpecker(mu=mu)
    return nsmb.simulate(toy, t_end, rtol=rtol, output_step=0)


def last_cycle(sol: nsmb.Solution) -> nsmb.results.Events:
    """Return the events between the last two impacts of the beak, both included."""
    events = sol.events
    beats = np.flatnonzero((events.kind == nsmb.EventKind.IMPACT) & events.contacts[:, BEAK])
    return events[beats[-2] : beats[-1] + 1]


@pytest.mark.parametrize("mu", [0.3, 0.9])
def test_first_twelve_events_agree_with_the_independent_simulation(mu: float) -> None:
    oracle = woodpecker_scipy.simulate(1.0, mu=mu, max_events=12)
    events = nsmb.simulate(nsmb.systems.woodpecker(mu=mu), 0.5, rtol=1e-10).events[:12]
    assert events.kinds == [e.kind for e in oracle]
    # Required: 1e-7 s. Measured: 1e-14 s.
    np.testing.assert_allclose(events.t, [e.t for e in oracle], rtol=0, atol=1e-11)
    names = {0: "open", 1: "stick", 2: "slip+", 3: "slip-"}
    for event, other in zip(events, oracle, strict=True):
        assert event.contacts == tuple(other.contacts)
        assert tuple(names[s] for s in event.state_minus) == other.state_before
        assert tuple(names[s] for s in event.state_plus) == other.state_after
        np.testing.assert_allclose(event.q, other.q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(event.u_minus, other.u_minus, rtol=0, atol=1e-9)
        np.testing.assert_allclose(event.u_plus, other.u_plus, rtol=0, atol=1e-9)
        np.testing.assert_allclose(event.Lambda_N, other.Lambda_N, rtol=0, atol=1e-13)
        np.testing.assert_allclose(event.Lambda_T, other.Lambda_T, rtol=0, atol=1e-13)


def test_numerical_integration_agrees_with_the_independent_simulation_too() -> None:
    oracle = woodpecker_scipy.simulate(1.0, mu=0.3, max_events=12)
    method = nsmb.EventDriven(impact_law="poisson", integrator="dp853", rtol=1e-10)
    events = nsmb.simulate(nsmb.systems.woodpecker(), 0.5, method=method).events[:12]
    np.testing.assert_allclose(events.t, [e.t for e in oracle], rtol=0, atol=1e-9)


class TestPrintedData:
    """mu = 0.3, with the period-1 motion of spec 3.6, reached with multiplier -0.84 per cycle."""

    def test_period_and_drop(self) -> None:
        cycle = last_cycle(settled(0.3, 40.0))
        assert abs(cycle.t[-1] - cycle.t[0] - 0.14598) < 1e-5
        assert abs((cycle.q[0, 0] - cycle.q[-1, 0]) * 1e3 - 19.445) < 1e-3
        # Digits of the independent simulation.
        assert abs(cycle.t[-1] - cycle.t[0] - 0.14597606514375) < 1e-12
        assert abs(cycle.q[0, 0] - cycle.q[-1, 0] - 19.4453792847e-3) < 1e-12

    def test_order_and_times_of_all_events(self) -> None:
        """Times in ms after the main lower impact agree with spec 3.6.

        They are rounded to 0.1 ms, and the period alternates by 0.07 ms.
        """
        events = settled(0.3, 40.0).events
        main = np.flatnonzero((events.kind == 0) & (events.state_plus[:, LOWER] == 0))
        main = main[events.contacts[main, LOWER]]
        start, stop = main[-2], main[-1]
        rows = events[start : stop + 1]
        labels = [(e.kind.label, e.contacts[0]) for e in rows]
        assert labels == [
            ("impact", "lower"),
            ("impact", "lower"),
            ("stick", "lower"),
            ("slip", "lower"),
            ("detach", "lower"),
            ("impact", "upper"),
            ("impact", "beak"),
            ("impact", "upper"),
            ("detach", "upper"),
            ("impact", "lower"),
        ]
        printed = [0.0, 2.8, 48.9, 88.5, 94.3, 105.2, 108.3, 108.9, 110.7, 146.0]
        np.testing.assert_allclose((rows.t - rows.t[0]) * 1e3, printed, rtol=0, atol=0.08)
        slides = [nsmb.ContactState(s).label for s in rows.state_plus[[1, 7], [LOWER, UPPER]]]
        assert slides == ["slip -", "slip +"]

    @pytest.mark.parametrize("name", ["dp853", "arkode_fehlberg78"])
    def test_events_are_stable_against_tighter_tolerances(self, name: str) -> None:
        """Changing rtol from 1e-10 to 1e-12 moves events of 1 s by at most 1e-7 s.

        Measured: 1e-10 s.
        """
        toy = nsmb.systems.woodpecker()
        runs = [
            nsmb.simulate(
                toy, 1.0, method=nsmb.EventDriven(impact_law="poisson", integrator=name, rtol=rtol)
            ).events
            for rtol in (1e-10, 1e-12)
        ]
        assert runs[0].kinds == runs[1].kinds
        np.testing.assert_allclose(runs[0].t, runs[1].t, rtol=0, atol=1e-7)

    def test_losses_of_a_cycle(self) -> None:
        """Losses in 1e-4 J are upper 0.039 and 0.146, beak 0.960, lower 0.100, sliding 7.911."""
        cycle = last_cycle(settled(0.3, 40.0))[1:]
        by_contact = [
            [e.energy_loss * 1e4 for e in cycle if e.kind == 0 and name in e.contacts]
            for name in ("upper", "beak", "lower")
        ]
        second_upper, first_upper = by_contact[0]
        np.testing.assert_allclose(first_upper, 0.039, atol=6e-4)
        np.testing.assert_allclose(second_upper, 0.146, atol=6e-4)
        np.testing.assert_allclose(by_contact[1], [0.960], atol=6e-4)
        np.testing.assert_allclose(sum(by_contact[2]), 0.100, atol=6e-4)
        rows = last_cycle(settled(0.3, 40.0))
        slides = (rows.friction_loss[-1] - rows.friction_loss[0]).sum() * 1e4
        np.testing.assert_allclose(slides, 7.911, atol=6e-4)


class TestHighFriction:
    """mu = 0.9, with Table 14.1 event by event."""

    def test_the_transition_table_of_the_book(self) -> None:
        cycle = last_cycle(settled(0.9, 4.0))
        rows = [
            (
                event.kind.label,
                event.contacts,
                [
                    f"{nsmb.ContactState(a).label} -> {nsmb.ContactState(b).label}"
                    for a, b in zip(event.state_minus, event.state_plus, strict=True)
                    if a != b
                ],
            )
            for event in cycle
        ]
        # (4) beak and (5) upper leave the states open; (6) lower: separation -> sliding;
        # (7) sliding -> sticking; (1) sticking -> sliding; (2) sliding -> separation; (3) upper.
        assert rows == [
            ("impact", ("beak",), []),
            ("impact", ("upper",), []),
            ("impact", ("lower",), ["open -> slip -"]),
            ("stick", ("lower",), ["slip - -> stick"]),
            ("slip", ("lower",), ["stick -> slip -"]),
            ("detach", ("lower",), ["slip - -> open"]),
            ("impact", ("upper",), []),
            ("impact", ("beak",), []),
        ]
        # After the beak impact the bird swings back (4).
        assert cycle.u_minus[0, 2] > 0.0 > cycle.u_plus[0, 2]

    def test_period_drop_and_losses(self) -> None:
        cycle = last_cycle(settled(0.9, 4.0))
        assert abs(cycle.t[-1] - cycle.t[0] - 0.11248950371281) < 1e-12
        assert abs(1.0 / (cycle.t[-1] - cycle.t[0]) - 8.890) < 5e-4
        assert abs((cycle.q[0, 0] - cycle.q[-1, 0]) * 1e3 - 7.652) < 5e-4
        upper_2, lower, upper_1, beak = (
            e.energy_loss * 1e4 for e in cycle[1:] if e.kind == nsmb.EventKind.IMPACT
        )
        np.testing.assert_allclose(
            [upper_1, upper_2, beak, lower], [0.197, 0.018, 1.805, 1.095], atol=6e-4
        )
        slides = (cycle.friction_loss[-1] - cycle.friction_loss[0]).sum() * 1e4
        np.testing.assert_allclose(slides, 0.489, atol=6e-4)

    @pytest.mark.parametrize(
        ("mu", "frequency", "drop"),
        [(0.8, 8.860, 8.207), (0.95, 8.898, 7.426), (1.0, 8.899, 7.351)],
    )
    def test_other_friction_coefficients(self, mu: float, frequency: float, drop: float) -> None:
        cycle = last_cycle(settled(mu, 4.0))
        assert abs(1.0 / (cycle.t[-1] - cycle.t[0]) - frequency) < 6e-4
        assert abs((cycle.q[0, 0] - cycle.q[-1, 0]) * 1e3 - drop) < 6e-4

    def test_loosely_the_numbers_of_the_book(self) -> None:
        """The book computed 8.98 Hz and 5.7 mm, while friction 0.9 gives 8.89 Hz and 7.7 mm."""
        cycle = last_cycle(settled(0.9, 4.0))
        assert abs(1.0 / (cycle.t[-1] - cycle.t[0]) / 8.98 - 1.0) < 0.02
        losses = {
            name: sum(e.energy_loss for e in cycle[1:] if e.kind == 0 and name in e.contacts)
            for name in ("beak", "lower")
        }
        total = 4.8e-3 * 9.81 * (cycle.q[0, 0] - cycle.q[-1, 0])
        assert (losses["beak"] + losses["lower"]) / total > 0.75  # book: 88 %


@pytest.mark.parametrize(("mu", "t_end"), [(0.3, 40.0), (0.9, 4.0)])
def test_potential_energy_lost_in_a_cycle_is_what_impacts_and_slides_took(
    mu: float, t_end: float
) -> None:
    cycle = last_cycle(settled(mu, t_end))
    weight = (3.0e-4 + 4.5e-3) * 9.81
    lost = weight * (cycle.q[0, 0] - cycle.q[-1, 0])
    # Two beats of a settled cycle have equal velocities and angles.
    taken = cycle.energy_loss[1:].sum() + (cycle.friction_loss[-1] - cycle.friction_loss[0]).sum()
    assert abs(taken / lost - 1.0) < 1e-8


@pytest.mark.parametrize("name", ["auto", "dp853"])
@pytest.mark.parametrize("mu", [0.3, 0.9])
def test_energy_is_balanced_between_any_two_samples(name: str, mu: float) -> None:
    toy = nsmb.systems.woodpecker(mu=mu)
    sol = nsmb.simulate(
        toy, 1.0, method=nsmb.EventDriven(impact_law="poisson", integrator=name, rtol=1e-11)
    )
    total = np.array(
        [
            toy.kinetic_energy(t, q, u) + toy.potential_energy(t, q)
            for t, q, u in zip(sol.t, sol.q, sol.u, strict=True)
        ]
    )
    # Impacts up to each sample: those before it, and its own for the row after the event.
    rank = np.arange(len(sol.t))
    passed = np.zeros(len(sol.t))
    for event in sol.events:
        behind = np.flatnonzero(sol.t == event.t)[-1]
        passed[rank >= behind] += event.energy_loss
    balance = total - total[0] + passed + sol.friction_loss.sum(axis=1)
    # Energies are 1e-3 J, of which 1e-9 for the numerical integrator at rtol 1e-11.
    assert np.abs(balance).max() < (1e-15 if name == "auto" else 1e-12)


@pytest.mark.parametrize("mu", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("e_beak", [0.0, 0.5, 0.9])
def test_every_impact_and_every_slide_dissipates(mu: float, e_beak: float) -> None:
    sol = nsmb.simulate(nsmb.systems.woodpecker(mu=mu, e_beak=e_beak), 5.0)
    impacts = sol.events.of_kind("impact")
    assert len(impacts) > 40
    assert impacts.energy_loss.min() > 0.0
    assert np.diff(sol.friction_loss, axis=0).min() >= -1e-18


def test_all_contact_forces_obey_the_laws() -> None:
    sol = nsmb.simulate(nsmb.systems.woodpecker(), 2.0)
    open_ = sol.contact_state == nsmb.ContactState.OPEN
    stick = sol.contact_state == nsmb.ContactState.STICK
    slip = (sol.contact_state == 2) | (sol.contact_state == 3)
    assert (sol.lambda_N[open_] == 0.0).all()
    assert (sol.lambda_T[open_] == 0.0).all()
    assert sol.lambda_N[~open_].min() > -1e-14
    assert (np.abs(sol.lambda_T[stick]) <= 0.3 * sol.lambda_N[stick] + 1e-13).all()
    sign = np.where(sol.contact_state == 2, 1.0, -1.0)[slip]
    np.testing.assert_allclose(sol.lambda_T[slip], -0.3 * sign * sol.lambda_N[slip], atol=1e-15)
    assert (sol.gamma_T[slip] * sign >= -1e-12).all()
    assert sol.g_N.min() > -1e-15


def test_another_start_with_the_same_data_does_not_settle() -> None:
    """From phi_S = -0.27, phi_S' = -1, long slides and short drops alternate (spec 3.6)."""
    toy = nsmb.systems.woodpecker()
    q = [0.0, toy.initial_state.q[1], -0.27]
    sol = nsmb.simulate(toy, 60.0, q=q, u=[0.0, 0.0, -1.0], output_step=0)
    beats = sol.events.of_kind("impact").at_contact("beak")
    periods = np.diff(beats.t[len(beats) // 2 :])
    assert periods.std() > 0.01
    # The motion is chaotic, so only means compare: 0.171 s and 46 mm in the source.
    assert abs(np.diff(beats.t).mean() - 0.171) < 0.01
    assert abs(-np.diff(beats.q[:, 0]).mean() * 1e3 - 46.0) < 6.0


class TestContactsOnTheirOwn:
    """Individual mu, e_T and nu of each contact."""

    FITTED = (0.578, 0.968, 0.968)

    def test_fitted_friction_gives_the_fitted_cycle(self) -> None:
        """Spec 3.6 has 8.969 Hz, 5.559 mm from an enumeration of all contact states."""
        sol = nsmb.simulate(nsmb.systems.woodpecker(mu=self.FITTED), 20.0, output_step=0)
        cycle = nsmb.events.last_cycle(sol.events)
        assert 1.0 / cycle.period == pytest.approx(8.96906, abs=5e-6)
        assert cycle.displacement["y"] == pytest.approx(-5.5593e-3, abs=5e-8)
        losses = [cycle.events.energy_loss[k] for k in np.flatnonzero(cycle.events.energy_loss)]
        assert max(losses) == pytest.approx(1.382e-4, abs=5e-8)  # the beak

    def test_three_equal_numbers_are_the_one_of_all(self) -> None:
        one = nsmb.simulate(nsmb.systems.woodpecker(mu=0.9, e_T=0.1, nu=0.2), 1.0)
        three = nsmb.systems.woodpecker(mu=[0.9] * 3, e_T=[0.1] * 3, nu=[0.2] * 3)
        np.testing.assert_array_equal(nsmb.simulate(three, 1.0).q, one.q)

    def test_every_contact_has_its_own_law(self) -> None:
        toy = nsmb.systems.woodpecker(
            mu=0.4, mu_lower=0.5, e_T=(0.1, 0.2, 0.3), nu_upper=0.6, e_beak=0.7, e_sleeve=0.2
        )
        laws = [contact.law for contact in toy.contacts]
        assert [law.mu for law in laws] == [0.4, 0.5, 0.4]
        assert [law.e_N for law in laws] == [0.7, 0.2, 0.2]
        assert [law.e_T for law in laws] == [0.1, 0.2, 0.3]
        assert [law.nu for law in laws] == [0.0, 0.0, 0.6]
        back = toy.with_parameters(mu_lower=None, mu=0.8)
        assert [contact.law.mu for contact in back.contacts] == [0.8] * 3

    def test_toy_from_energies_has_them_too(self) -> None:
        pytest.importorskip("llvmlite")
        changes = {"mu": self.FITTED, "e_T_beak": 0.1, "nu": (0.0, 0.2, 0.3)}
        toys = [
            build(**changes)
            for build in (nsmb.systems.woodpecker, nsmb.systems.woodpecker.symbolic)
        ]
        assert [c.law for c in toys[0].contacts] == [c.law for c in toys[1].contacts]
        other = toys[1].with_parameters(mu_beak=0.35)
        assert [c.law.mu for c in other.contacts] == [0.35, 0.968, 0.968]
        with pytest.raises(ValueError, match="parameter 'e_T_lower': expected one of"):
            toys[1].with_parameters(e_T_lower=0.1)

    @pytest.mark.parametrize("build", [nsmb.systems.woodpecker, nsmb.systems.woodpecker.symbolic])
    @pytest.mark.parametrize(
        ("name", "value", "wanted"),
        [
            ("mu_beak", -0.5, "at least 0"),
            ("mu_lower", -1.0, "at least 0"),
            ("e_T_beak", -1.0, "from 0 to 1"),
            ("nu_upper", 1.5, "from 0 to 1"),
        ],
    )
    def test_a_value_of_one_contact_is_in_its_range(
        self, build: Callable[..., nsmb.System], name: str, value: float, wanted: str
    ) -> None:
        with pytest.raises(
            ValueError, match=f"parameter '{name}': must be {wanted}, got {value:g}"
        ):
            build(**{name: value})

    def test_a_coefficient_is_given_once(self) -> None:
        with pytest.raises(ValueError, match="'mu_beak': must be left out where 'mu' has a number"):
            nsmb.systems.woodpecker(mu=self.FITTED, mu_beak=0.4)

    def test_what_is_not_given_is_no_parameter(self) -> None:
        toy = nsmb.systems.woodpecker(mu_beak=0.4)
        assert toy.parameters["mu_beak"] == 0.4
        assert "mu_lower" not in toy.parameters
        assert "mu_lower" in toy.parameter_info

    def test_misuse_is_named(self) -> None:
        with pytest.raises(ValueError, match=r"parameter 'mu': expected .*shape \(3,\)"):
            nsmb.systems.woodpecker(mu=(0.3, 0.4))
        with pytest.raises(
            ValueError, match=r"parameter 'nu_lower': must be from 0 to 1, got -0\.4"
        ):
            nsmb.systems.woodpecker(nu=(0.3, -0.4, 0.1))
