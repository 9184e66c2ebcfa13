"""Impacts with friction in a plane, bouncing to rest, and laws between the two phases."""

from __future__ import annotations

import warnings
from math import hypot, log, sqrt

import numpy as np
import pytest

import nsmb
from tests.simulation.spatial import J_BALL, M_BALL, R_BALL, G, ball, point, turned

ACCURATE = nsmb.EventDriven(rtol=1e-12)
V, OMEGA = np.array([0.8, -0.5, -3.0]), np.array([6.0, 9.0, 2.0])
SLIP = V[:2] + R_BALL * np.array([-OMEGA[1], OMEGA[0]])


def impact(
    e_N: float, mu: float, impact_law: str = "poisson", **law: float
) -> tuple[nsmb.results.Event, nsmb.Solution]:
    """A spinning ball that touches the floor with approach at t = 0, without weight."""
    system = ball(V, OMEGA, nsmb.ContactLaw(mu=mu, e_N=e_N, **law), weight=0.0)
    method = nsmb.EventDriven(impact_law=impact_law)  # type: ignore[arg-type]
    sol = nsmb.simulate(system, 0.1, method=method)
    assert sol.events.kinds == ["impact"]
    return sol.events[0], sol


@pytest.mark.parametrize("impact_law", ["poisson", "moreau"])
@pytest.mark.parametrize("mu", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("e_N", [0.0, 0.4, 1.0])
def test_spinning_ball_bounces_by_the_closed_form(e_N: float, mu: float, impact_law: str) -> None:
    """The normal impulse is (1 + e) m v_n; the tangential one is -mu times it against the slip.

    At most it ends the slip: 2/7 m |γ_T|. Poisson and Moreau agree because the impact is central.
    """
    event, _ = impact(e_N, mu, impact_law)
    Lambda_N = (1.0 + e_N) * M_BALL * 3.0
    size = min(mu * Lambda_N, 2.0 / 7.0 * M_BALL * hypot(*SLIP))
    Lambda_T = -size * SLIP / hypot(*SLIP)
    assert event.Lambda_N[0] == pytest.approx(Lambda_N, rel=1e-13)
    assert event.Lambda_T == pytest.approx(Lambda_T, abs=1e-12)
    v = V + np.array([*Lambda_T, Lambda_N]) / M_BALL
    omega = OMEGA + R_BALL / J_BALL * np.array([Lambda_T[1], -Lambda_T[0], 0.0])
    np.testing.assert_allclose(event.u_plus, [*v, *omega], atol=1e-12)
    lost = 0.5 * M_BALL * (1.0 - e_N**2) * 9.0 - Lambda_T @ (SLIP + 0.5 * 3.5 * Lambda_T / M_BALL)
    assert event.energy_loss == pytest.approx(lost, abs=1e-12)
    assert event.work_N[0] + event.work_T[0] == pytest.approx(-event.energy_loss, abs=1e-12)


def test_parts_of_the_slip_that_sticking_compression_stores_come_back() -> None:
    """(8.37) with nu = 1: expansion returns e_N e_T times the tangential impulse of compression."""
    e_N, e_T = 0.8, 0.5
    event, _ = impact(e_N, 2.0, e_T=e_T, nu=1.0)
    stopping = -2.0 / 7.0 * M_BALL * SLIP
    assert event.Lambda_TC == pytest.approx(stopping, abs=1e-12)
    assert event.Lambda_T == pytest.approx((1.0 + e_N * e_T) * stopping, abs=1e-12)
    assert event.energy_loss > 0.0


def test_impact_does_not_depend_on_the_tangential_basis() -> None:
    law = nsmb.ContactLaw(mu=0.3, e_N=0.5, e_T=0.4, nu=0.7)
    velocity = [1.0, 2.0, -3.0]
    a, b = (
        nsmb.simulate(point(0.0, velocity, law, basis=turned(angle)), 0.01).events[0]
        for angle in (0.0, 1.1)
    )
    np.testing.assert_allclose(a.u_plus, b.u_plus, atol=1e-13)
    np.testing.assert_allclose(a.Lambda_T @ turned(1.1), b.Lambda_T, atol=1e-13)


@pytest.mark.parametrize("e_N", [0.5, 0.8])
def test_thrown_mass_bounces_along_a_line_until_it_rests(e_N: float) -> None:
    """Each impact reduces the horizontal speed by mu (1 + e) v_n, until it is zero."""
    mu, v_0, w_0 = 0.2, np.array([1.5, 2.0]), 2.0
    law = nsmb.ContactLaw(mu=mu, e_N=e_N)
    sol = nsmb.simulate(point(0.0, [*v_0, w_0], law), 6.0, method=ACCURATE)
    speed, normal, way, t = hypot(*v_0), w_0, 0.0, 0.0
    times, speeds = [], []
    while normal > 1e-6:
        way += speed * 2.0 * normal / G
        t += 2.0 * normal / G
        speed = max(0.0, speed - mu * (1.0 + e_N) * normal)
        normal *= e_N
        times.append(t)
        speeds.append(speed)
    impacts = sol.events.of_kind("impact")
    n = len(times)
    assert len(impacts) >= n
    np.testing.assert_allclose(impacts.t[:n], times, atol=1e-11)
    np.testing.assert_allclose(np.hypot(*impacts.u_plus[:n, :2].T), speeds, atol=1e-11)
    rest = 2.0 * w_0 / G / (1.0 - e_N)
    assert impacts.t[-1] == pytest.approx(rest, abs=1e-10)
    if speeds[-1] > 0.0:  # slides to rest
        normal = 0.0
        way += speed**2 / (2.0 * mu * G)
        assert sol.events.kinds[-1] == "stick"
        assert sol.events.t[-1] == pytest.approx(rest + speed / (mu * G), abs=1e-6)
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-14)
    np.testing.assert_allclose(sol.q[-1, :2], way * v_0 / hypot(*v_0), atol=1e-6)


def test_bouncing_ball_with_spin_ends_rolling() -> None:
    """Contact forces do not change J ω_y + m r v_x, which determines the rolling speed."""
    law = nsmb.ContactLaw(mu=0.3, e_N=0.5)
    velocity, spin = np.array([1.0, -0.4, 0.0]), np.array([8.0, -5.0, 3.0])
    sol = nsmb.simulate(ball(velocity, spin, law, height=0.5), 4.0, method=ACCURATE)
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    moment = J_BALL * np.array([spin[1], -spin[0]]) + M_BALL * R_BALL * velocity[:2]
    rolling = moment * R_BALL / (J_BALL + M_BALL * R_BALL**2)
    np.testing.assert_allclose(sol.u[-1, :2], rolling, atol=1e-10)
    np.testing.assert_allclose(sol.gamma_T[-1], 0.0, atol=1e-12)
    end = sol.events.of_kind("impact").t[-1]
    assert end == pytest.approx(sqrt(2.0 * 0.5 / G) * (1.0 + 0.5) / (1.0 - 0.5), abs=1e-10)
    system = sol.system
    assert system is not None
    kinetic = [system.kinetic_energy(0.0, sol.q[k], sol.u[k]) for k in (0, -1)]
    lost = sol.events.energy_loss.sum() + sol.friction_loss[-1].sum()
    assert kinetic[0] + M_BALL * G * 0.5 == pytest.approx(kinetic[1] + lost, rel=1e-10)


def test_ball_that_comes_to_roll_during_the_bounces_does_not_slip_again() -> None:
    law = nsmb.ContactLaw(mu=0.9, e_N=0.6)
    sol = nsmb.simulate(ball(V, OMEGA, law, height=0.1), 2.0)
    first = sol.events[0]
    slip = first.u_plus[:2] + R_BALL * np.array([-first.u_plus[4], first.u_plus[3]])
    np.testing.assert_allclose(slip, 0.0, atol=1e-12)
    later = sol.events[1:].of_kind("impact")
    assert len(later) > 10
    np.testing.assert_allclose(later.Lambda_T, 0.0, atol=1e-11)


# ---- parameters between compression and expansion (8.10), and Moreau's law ----------------------


def test_restitution_may_fall_with_the_impact_speed() -> None:
    """For e = 1/(1 + Λ_NC/Λ_0), the heights of the bounces follow v' = v/(1 + m v/Λ_0)."""
    m, limit = 2.0, 8.0

    def expansion(compression: nsmb.results.Compression) -> dict[str, np.ndarray]:
        assert compression.contact_names == ("floor",)
        np.testing.assert_allclose(compression.gamma_NC, 0.0, atol=1e-14)
        return {"e_N": 1.0 / (1.0 + compression.Lambda_NC / limit)}

    system = nsmb.systems.bouncing_ball(m=m, H=1.0, e_N=0.123)
    sol = nsmb.simulate(
        system, 6.0, method=nsmb.EventDriven(impact_law="poisson", expansion=expansion)
    )
    v, t = sqrt(2.0 * G), sqrt(2.0 / G)
    speeds, times = [], []
    for _ in range(10):
        times.append(t)
        v /= 1.0 + m * v / limit
        speeds.append(v)
        t += 2.0 * v / G
    times = [time for time in times if time < 6.0]
    impacts = sol.events.of_kind("impact")
    assert len(impacts) >= 8
    n = min(len(times), len(impacts))
    np.testing.assert_allclose(impacts.t[:n], times[:n], rtol=1e-13)
    np.testing.assert_allclose(impacts.u_plus[:n, 0], speeds[:n], rtol=1e-12)
    top = sol.at(0.5 * (impacts.t[2] + impacts.t[3])).q[0]
    assert top == pytest.approx(speeds[2] ** 2 / (2.0 * G), rel=1e-12)


def test_friction_of_expansion_may_differ_from_that_of_compression() -> None:
    """Slip throughout: Λ_T = -(mu + mu' e) m v_n along the slip."""
    seen: list[nsmb.results.Compression] = []

    def expansion(compression: nsmb.results.Compression) -> dict[str, float]:
        seen.append(compression)
        return {"mu": 0.08}

    system = ball(V, OMEGA, nsmb.ContactLaw(mu=0.05, e_N=0.5), weight=0.0)
    sol = nsmb.simulate(
        system, 0.01, method=nsmb.EventDriven(impact_law="poisson", expansion=expansion)
    )
    direction = SLIP / hypot(*SLIP)
    expected = -(0.05 + 0.08 * 0.5) * M_BALL * 3.0 * direction
    np.testing.assert_allclose(sol.events[0].Lambda_T, expected, atol=1e-13)
    (compression,) = seen
    np.testing.assert_allclose(compression.Lambda_TC, -0.05 * M_BALL * 3.0 * direction, atol=1e-13)
    assert compression.mu.tolist() == [0.05]
    slip = SLIP - 3.5 * 0.05 * 3.0 * direction
    np.testing.assert_allclose(compression.gamma_TC, slip, atol=1e-13)


def test_expansion_that_is_wrong_is_refused_and_comes_out() -> None:
    system = nsmb.systems.bouncing_ball()
    for values, message in (
        ({"e_n": 0.5}, "parameter 'e_n'"),
        ({"e_N": [0.5, 0.5]}, "shape|broadcast"),
        ({"e_N": np.nan}, "finite"),
    ):
        method = nsmb.EventDriven(impact_law="poisson", expansion=lambda c, values=values: values)  # type: ignore[misc]
        with pytest.raises(ValueError, match=message):
            nsmb.simulate(system, 1.0, method=method)
    with pytest.raises(ValueError, match="expansion: must be left out for impact_law='moreau'"):
        nsmb.simulate(
            system, 1.0, method=nsmb.EventDriven(impact_law="moreau", expansion=lambda c: {})
        )


def test_moreau_and_poisson_make_the_same_bounces_of_one_contact() -> None:
    """One central contact: γ_N+ = -e γ_N- under both."""
    system = nsmb.systems.bouncing_ball()
    runs = [
        nsmb.simulate(system, 2.0, method=nsmb.EventDriven(impact_law=law))
        for law in ("poisson", "moreau", "newton")
    ]
    bounces = round(log(1e-3) / log(0.7))
    for other in runs[1:]:
        np.testing.assert_allclose(other.events.t[:bounces], runs[0].events.t[:bounces], rtol=1e-14)
    np.testing.assert_allclose(runs[1].events.u_plus, runs[2].events.u_plus, rtol=1e-12)


def chain(e_N: float, balls: int = 3) -> nsmb.System:
    """Equal balls in contact in a row; the first runs into the others."""
    contacts = []
    for i in range(balls - 1):
        w = np.zeros(balls)
        w[i], w[i + 1] = -1.0, 1.0
        contacts.append(nsmb.Contact(w_N=w, law=nsmb.ContactLaw(e_N=e_N)))
    u = np.zeros(balls)
    u[0] = 1.0
    return nsmb.LinearSystem(
        np.eye(balls), contacts=contacts, initial_state=nsmb.State(0.0, np.zeros(balls), u)
    )


def test_laws_agree_where_impulses_pass_through_a_chain() -> None:
    """Three balls: Poisson restores both impulses, Moreau's law sees no approach at the second
    contact, and the velocities are the same.
    """
    expected = {1.0: (-1 / 3, 2 / 3, 2 / 3), 0.5: (0.0, 0.5, 0.5)}
    for law in ("poisson", "moreau"):
        for e_N, velocities in expected.items():
            sol = nsmb.simulate(
                chain(e_N),
                0.1,
                method=nsmb.EventDriven(impact_law=law),  # type: ignore[arg-type]
            )
            np.testing.assert_allclose(sol.u[-1], velocities, atol=1e-13)


def oblique_rod(angle: float, mu: float) -> nsmb.System:
    """Rod of length 1 whose end meets the floor; the tests choose its other velocities."""
    x, y = 0.5 * np.cos(angle), 0.5 * np.sin(angle)
    tip = nsmb.Contact(
        w_N=[0.0, 1.0, x], w_T=[1.0, 0.0, y], law=nsmb.ContactLaw(mu=mu, e_N=1.0), name="tip"
    )
    return nsmb.LinearSystem(np.diag([1.0, 1.0, 1.0 / 12.0]), contacts=[tip])


def test_energy_that_moreaus_law_creates_is_counted() -> None:
    """One sticking impact by linear equations: γ_N+ = -γ_N-, γ_T+ = 0.

    Poisson's law only dissipates.
    """
    system = oblique_rod(1.0, 3.0)
    k = system.contact_kinematics(0.0, np.zeros(3), np.zeros(3))
    W = np.hstack([k["W_N"], k["W_T"]])
    G = W.T @ np.linalg.solve(system.mass_matrix(0.0, np.zeros(3)), W)
    gains = []
    for slip in (0.5, 1.0, 1.5, -0.5):
        u = W @ np.linalg.solve(W.T @ W, [-1.0, slip])
        impulse = np.linalg.solve(G, [2.0, -slip])
        if not abs(impulse[1]) <= 3.0 * impulse[0]:
            continue
        loss = -float(impulse @ (np.array([-1.0, slip]) + 0.5 * G @ impulse))
        method = nsmb.EventDriven(impact_law="moreau")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sol = nsmb.simulate(system, 0.0, u=u, method=method)
        np.testing.assert_allclose(
            [sol.events.Lambda_N[0, 0], sol.events.Lambda_T[0, 0]], impulse, rtol=1e-12
        )
        assert sol.events.energy_loss[0] == pytest.approx(loss, abs=1e-13)
        assert sol.stats["energy_gains"] == (loss < 0.0)
        if loss < 0.0:
            assert sol.stats["largest_energy_gain"] == pytest.approx(-loss, rel=1e-12)
        gains.append(loss < 0.0)
        method = nsmb.EventDriven(impact_law="poisson")
        poisson = nsmb.simulate(system, 0.0, u=u, method=method)
        assert poisson.stats["energy_gains"] == 0
        assert poisson.events.energy_loss[0] >= -1e-14
    assert set(gains) == {False, True}
