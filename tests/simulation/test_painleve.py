"""Rigid rod with friction (5.3): no acceleration, several accelerations, and the singular point."""

from __future__ import annotations

import re
from functools import cache
from math import radians, sqrt

import numpy as np
import pytest

import nsmb
from tests.campaign.runner import run_case
from tests.oracles.sliding_rod_painleve import End, Rod

MU, G = 5.0 / 3.0, 10.0
ORACLE = Rod(MU, m=1.0, s=1.0, g=G)
IMPACT = nsmb.EventDriven(on_inconsistent="impact")


def rod(degrees: float, omega: float = 0.0, v: float = 5.0) -> nsmb.System:
    return nsmb.systems.sliding_rod(phi=radians(degrees), omega=omega, v=v)


def balance(sol: nsmb.Solution) -> np.ndarray:
    """Return the energy plus all losses, at every sample between the events."""
    system = sol.system
    assert system is not None
    between = ~np.isin(sol.t, sol.events.t) | (sol.t == sol.t[-1])
    rows = zip(sol.t[between].tolist(), sol.q[between], sol.u[between], strict=True)
    energy = [system.kinetic_energy(t, q, u) + system.potential_energy(t, q) for t, q, u in rows]
    impacts = [sol.events.energy_loss[sol.events.t <= t].sum() for t in sol.t[between]]
    return np.array(energy) + sol.friction_loss[between].sum(axis=1) + impacts


@pytest.mark.parametrize("spin", [0.0, 0.3])
@pytest.mark.parametrize("degrees", [50.0, 60.0, 70.0])
def test_jammed_rod_ends_the_run_with_a_status(degrees: float, spin: float) -> None:
    """For a < 0, b < 0, the message names contact and remedy, and nothing has happened yet."""
    sol = nsmb.simulate(rod(degrees, sqrt(spin * G)), 1.0, throw=False)
    assert sol.status == "no_contact_solution"
    assert "tip" in sol.message
    assert 'on_inconsistent="impact"' in sol.message
    assert len(sol.events) == 0
    assert sol.stats["impacts_without_collision"] == 0
    with pytest.raises(nsmb.SimulationError) as caught:
        nsmb.simulate(rod(degrees, sqrt(spin * G)), 1.0)
    assert caught.value.solution.status == "no_contact_solution"


@pytest.mark.parametrize("spin", [0.0, 0.3])
@pytest.mark.parametrize("degrees", [50.0, 60.0, 70.0, 75.0])
def test_what_the_message_of_a_jam_names_has_a_solution(degrees: float, spin: float) -> None:
    omega = sqrt(spin * G)
    message = nsmb.simulate(rod(degrees, omega), 1.0, throw=False).message
    assert 'Use on_inconsistent="impact" to continue the run' in message
    assert len(nsmb.simulate(rod(degrees, omega), 1e-3, method=IMPACT).events) > 0
    found = re.search(r"reduce the friction coefficients to ([0-9.]+) times their values", message)
    assert found is not None
    smoother = nsmb.systems.sliding_rod(phi=radians(degrees), omega=omega, mu=MU * float(found[1]))
    assert nsmb.simulate(smoother, 1e-6).status == "finished"


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_slip_that_impacts_may_have_left_of_none_is_none_where_slip_jams(sign: float) -> None:
    """At twice rest_velocity, slip counts as sticking, because sliding has no solution.

    At a hundred times rest_velocity it is slip.
    """
    slow = nsmb.simulate(rod(60.0, v=sign * 2e-11), 1e-3, throw=False)
    assert slow.status == "finished"
    fast = nsmb.simulate(rod(60.0, v=1e-9), 1e-3, throw=False)
    assert fast.status == "no_contact_solution"
    assert "proven" in fast.message


@pytest.mark.parametrize("spin", [0.0, 0.3])
@pytest.mark.parametrize("degrees", [60.0, 65.0, 70.0, 75.0])
def test_impact_without_collision_stops_the_end_of_the_rod(degrees: float, spin: float) -> None:
    """γ_N = 0 before, γ_N = γ_T = 0 after; the impulses have a closed form inside the cone."""
    phi, omega, v = radians(degrees), sqrt(spin * G), 5.0
    sol = nsmb.simulate(rod(degrees, omega, v), 0.3, method=IMPACT)
    assert sol.stats["impacts_without_collision"] == 1
    assert sol.stats["energy_gains"] == 0
    event = sol.events[0]
    assert event.kind == nsmb.EventKind.IMPACT
    assert event.contacts == ("tip",)
    assert event.t == 0.0
    normal, tangential, jump = ORACLE.impact_without_collision(phi, v)
    assert abs(tangential) < MU * normal
    assert event.Lambda_N[0] == pytest.approx(normal, rel=1e-10)
    assert event.Lambda_T[0] == pytest.approx(tangential, rel=1e-10)
    assert event.u_plus[2] - event.u_minus[2] == pytest.approx(jump, rel=1e-10)
    system = sol.system
    assert system is not None
    after = system.contact_quantities(0.0, event.q, event.u_plus)
    np.testing.assert_allclose([after["gamma_N"], after["gamma_T"]], 0.0, atol=1e-9)
    assert event.energy_loss == pytest.approx(-0.5 * tangential * v, rel=1e-10)
    # The motion continues as for a rod whose end is at rest.
    new = omega + jump
    force_N, force_T = ORACLE.sticking_forces(phi, new)
    if ORACLE.b(phi, new) > 0.0:
        assert sol.at(0.0).contact_state[0] == nsmb.ContactState.OPEN
    elif abs(force_T) > MU * force_N:
        slip = nsmb.ContactState.SLIP_NEGATIVE if force_T > 0.0 else nsmb.ContactState.SLIP_POSITIVE
        assert sol.at(0.0).contact_state[0] == slip
    else:
        assert sol.at(0.0).contact_state[0] == nsmb.ContactState.STICK
    energies = balance(sol)
    np.testing.assert_allclose(energies, energies[0], rtol=1e-6)
    assert sol.g_N.min() > -1e-8


def test_consistent_rod_needs_no_impact() -> None:
    for degrees, omega in ((30.0, 1.0), (60.0, sqrt(20.0))):
        sol = nsmb.simulate(rod(degrees, omega), 0.02, method=IMPACT)
        assert sol.stats["impacts_without_collision"] == 0
        assert len(sol.events.of_kind("impact")) == 0


@pytest.mark.parametrize("degrees", [46.0, 60.0, 75.0])
def test_rod_with_two_solutions_is_counted(degrees: float) -> None:
    """For a < 0 < b, both take-off and sliding exist.

    Where a > 0, or mu < 4/3, the solution is unique.
    """
    method = nsmb.EventDriven(check_uniqueness=True)
    assert len(ORACLE.solutions(radians(degrees), sqrt(20.0))) == 2
    sol = nsmb.simulate(rod(degrees, sqrt(20.0)), 0.0, method=method)
    assert sol.stats["nonunique_problems"] == 1
    quiet = nsmb.simulate(rod(degrees, sqrt(20.0)), 0.0)
    assert quiet.stats["nonunique_problems"] == 0
    for other in (rod(30.0, 1.0), rod(30.0, 8.0), rod(degrees, sqrt(20.0)).with_parameters(mu=1.3)):
        sol = nsmb.simulate(other, 0.0, method=method)
        assert sol.stats["nonunique_problems"] == 0


def test_accelerations_of_the_pantograph_are_a_choice_iff_frictions_differ() -> None:
    """(5.63)-(5.66): the contact forces are never unique."""
    method = nsmb.EventDriven(check_uniqueness=True)
    for mu_1, mu_2 in ((0.2, 0.4), (0.3, 0.3), (0.0, 0.0)):
        sol = nsmb.simulate(nsmb.systems.pantograph(mu_1=mu_1, mu_2=mu_2), 0.2, method=method)
        assert sol.stats["dependent_contacts"] > 0
        assert (sol.stats["ambiguous_accelerations"] > 0) == (mu_1 != mu_2)
        assert (sol.stats["nonunique_problems"] > 0) == (mu_1 != mu_2)


@pytest.mark.parametrize("reaction", ["stop", "impact"])
def test_rod_on_its_way_to_the_singular_point(reaction: str) -> None:
    """The oracle reaches the point at 0.17510827 s, 45°: λ_N is unbounded, its impulse finite."""
    end = ORACLE.slide(radians(20.0), 2.5, 10.0)
    assert end.kind == "critical"
    method = nsmb.EventDriven(
        rtol=1e-10,
        integrator="arkode_verner56",
        on_inconsistent=reaction,  # type: ignore[arg-type]
    )
    sol = nsmb.simulate(rod(20.0, 2.5, 10.0), 0.3, method=method, throw=False)
    for share in (0.3, 0.7, 0.95):
        part = ORACLE.slide(radians(20.0), 2.5, 10.0, t_end=share * end.t)
        at = sol.at(share * end.t)
        assert [at.q[2], at.u[2]] == pytest.approx([part.phi, part.phidot], abs=1e-8)
    if reaction == "stop":
        assert sol.status == "no_contact_solution"
        assert sol.t[-1] == pytest.approx(end.t, abs=1e-8)
        assert sol.q[-1, 2] == pytest.approx(end.phi, abs=1e-8)
        assert sol.u[-1, 2] == pytest.approx(end.phidot, abs=1e-5)
        assert sol.gamma_T[-1, 0] == pytest.approx(end.v, abs=1e-5)
        return
    assert sol.status == "finished"
    assert sol.stats["impacts_without_collision"] == 1
    event = sol.events.of_kind("impact")[0]
    assert event.t == pytest.approx(end.t, abs=1e-8)
    impulses = ORACLE.impact_without_collision(end.phi, end.v)[:2]
    assert [event.Lambda_N[0], event.Lambda_T[0]] == pytest.approx(impulses, abs=1e-5)


@pytest.mark.parametrize("phidot", [2.2, 3.5])
def test_rod_of_moderate_friction_takes_off_before_the_singular_point(phidot: float) -> None:
    """For mu = 1.5 < 8/(3 √3), b reaches zero first; angle and speed agree with the oracle."""
    oracle = Rod(1.5, m=1.0, s=1.0, g=G)
    end = oracle.slide(radians(20.0), phidot, 10.0)
    assert end.kind == "take-off"
    system = rod(20.0, phidot, 10.0).with_parameters(mu=1.5)
    sol = nsmb.simulate(system, end.t + 0.05, method=nsmb.EventDriven(rtol=1e-11))
    assert sol.events.kinds[0] == "detach"
    event = sol.events[0]
    assert event.t == pytest.approx(end.t, abs=1e-7)
    assert [event.q[2], event.u_plus[2]] == pytest.approx([end.phi, end.phidot], abs=1e-6)


def test_rod_that_stops_before_the_singular_point_sticks() -> None:
    """(phi, phidot) do not depend on v: for a small v the end comes to rest first."""
    end = ORACLE.slide(radians(20.0), 2.5, 1.0)
    assert end.kind == "stop"
    sol = nsmb.simulate(rod(20.0, 2.5, 1.0), end.t + 0.01, method=nsmb.EventDriven(rtol=1e-11))
    assert sol.events[0].t == pytest.approx(end.t, abs=1e-9)
    assert [sol.events.q[0, 2], sol.events.u_minus[0, 2]] == pytest.approx(
        [end.phi, end.phidot], abs=1e-9
    )
    assert sol.events.state_minus[0, 0] == nsmb.ContactState.SLIP_POSITIVE


def test_proofs_of_the_campaign_hold_within_the_resolution_of_velocities() -> None:
    """An impact leaves a slip of 1.09e-11 m/s, and rest_velocity is 1e-11 m/s."""
    outcome = run_case("linear", 1381)
    assert outcome.status == "finished"
    assert not outcome.findings


@pytest.mark.parametrize("feet", [0, 1, 4, 5, 70])
def test_a_jam_is_one_however_many_contacts_are_about_to_rest_beside_it(feet: int) -> None:
    """A rod pushed over its tip jams next to a body whose feet part at twice rest_velocity.

    The rod has w_Nᵀ M⁻¹ (w_N - μ w_T) < 0. For up to four such feet all choices of resting contacts
    are tried, for more only all or none.
    """
    tip = nsmb.Contact(
        w_N=[0.0, 1.0, -1.0, 0.0], w_T=[1.0, 0.0, 1.0, 0.0], law=nsmb.ContactLaw(mu=3.0), name="tip"
    )
    rests = [nsmb.Contact(w_N=[0.0, 0.0, 0.0, 1.0], name=f"foot_{k}") for k in range(feet)]
    mass, force = np.diag([1.0, 1.0, 0.3, 1.0]), [0.0, -10.0, 0.0, 0.0]
    system = nsmb.LinearSystem(mass, force=force, contacts=[tip, *rests])
    slides = {"u": [-1.0, 0.0, 0.0, 2e-11], "throw": False}
    sol = nsmb.simulate(system, 1.0, q=np.zeros(4), **slides)
    assert sol.status == "no_contact_solution"
    assert "the contact problem of tip (" in sol.message
    slides["u"][0] = 1.0  # drawn, not pushed
    assert nsmb.simulate(system, 1.0, q=np.zeros(4), **slides).status == "finished"


@cache
def end_of_sliding() -> End:
    return ORACLE.slide(radians(20.0), 2.5, 10.0)


SINGULAR = [
    ("dp853", 1e-6),
    ("dp853", 1e-8),
    ("dp853", 1e-10),
    ("dp853", 1e-12),
    ("arkode_verner56", 1e-8),
    ("arkode_dormand_prince45", 1e-8),
    ("cvode", 1e-10),
]


@pytest.mark.parametrize(("integrator", "rtol"), SINGULAR)
def test_singular_point_of_sliding_ends_the_run_where_the_reference_meets_it(
    integrator: str, rtol: float
) -> None:
    """λ_N grows without bound as phi -> 45°. Measured 3e-7 s early with cvode at rtol 1e-8."""
    end = end_of_sliding()
    assert end.t == pytest.approx(0.1751082684, abs=1e-9)
    method = nsmb.EventDriven(integrator=integrator, rtol=rtol)
    sol = nsmb.simulate(rod(20.0, 2.5, 10.0), 0.4, throw=False, method=method)
    assert sol.status == "no_contact_solution"
    assert "singular" in sol.message
    assert len(sol.events) == 0
    assert sol.t[-1] == pytest.approx(end.t, abs=1e-7)
    assert sol.q[-1, 2] == pytest.approx(end.phi, abs=1e-6)


@pytest.mark.parametrize(("integrator", "rtol"), SINGULAR)
def test_singular_point_of_sliding_is_left_with_one_impact(integrator: str, rtol: float) -> None:
    end = end_of_sliding()
    method = nsmb.EventDriven(integrator=integrator, rtol=rtol, on_inconsistent="impact")
    sol = nsmb.simulate(rod(20.0, 2.5, 10.0), 0.3, throw=False, method=method)
    assert sol.status == "finished"
    assert sol.stats["impacts_without_collision"] == 1
    impacts = sol.events.of_kind("impact")
    assert len(impacts) == 1
    assert impacts[0].t == pytest.approx(end.t, abs=1e-7)
    impulses = ORACLE.impact_without_collision(end.phi, end.v)[:2]
    assert [impacts[0].Lambda_N[0], impacts[0].Lambda_T[0]] == pytest.approx(impulses, abs=1e-3)
