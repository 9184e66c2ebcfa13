"""Impacts of elastic bodies, by schemes that solve for forces.

Chains of masses and springs are compared with event-driven motion with e_N = 0 and with waves in a
bar, and beams of a model with events.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.multibody.elastic import Bending, splines
from tests.support.methods import FORCE_SCHEMES, Steps, stepping

LENGTH, E, RHO, AREA = 1.0, 1e6, 1000.0, 1e-4
SPEED, GAP = 1.0, 5e-3
TOUCHES = 2.0 * LENGTH / np.sqrt(E / RHO)  # s, until the wave is back at the wall
MIXED = [scheme for scheme in FORCE_SCHEMES if scheme.endswith("position")]
MILD = {scheme: {"mixing": 0.5} if scheme in MIXED else {} for scheme in FORCE_SCHEMES}


def stepped(step: float, scheme: str, **options: Any) -> Steps:
    return stepping(step, scheme, **options)


def bar(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return M and K of n masses in the middles of as many segments."""
    m, k = RHO * AREA * LENGTH / n, E * AREA * n / LENGTH
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    K[0, 0] = K[-1, -1] = 1.0
    return m * np.eye(n), k * K


def bar_on_wall(n: int) -> nsmb.LinearSystem:
    M, K = bar(n)
    wall = nsmb.Contact(w_N=np.eye(n)[0], gap=GAP, name="wall")
    start = nsmb.State(0.0, np.zeros(n), np.full(n, -SPEED))
    return nsmb.LinearSystem(M, K=K, contacts=[wall], initial_state=start)


def two_bars(n: int) -> nsmb.LinearSystem:
    """Two bars, the first at rest and the second flying into it."""
    M, K = bar(n)
    zero = np.zeros((n, n))
    pair = np.zeros(2 * n)
    pair[n - 1], pair[n] = -1.0, 1.0
    start = nsmb.State(0.0, np.zeros(2 * n), np.repeat([0.0, -SPEED], n))
    return nsmb.LinearSystem(
        np.block([[M, zero], [zero, M]]),
        K=np.block([[K, zero], [zero, K]]),
        contacts=[nsmb.Contact(w_N=pair, gap=GAP, name="ends")],
        initial_state=start,
    )


END = 104.0 / 1024.0  # s, one and a half times as long as the contact, and a sum of powers of two


def near_power_of_two(step: float) -> float:
    """Return the largest power of two that does not exceed `step`.

    Ends of steps and samples then have no rounding between them.
    """
    return float(2.0 ** np.floor(np.log2(step)))


def run(system: nsmb.System, method: Any, step: float) -> nsmb.Solution:
    return nsmb.simulate(system, END, method=method, output_step=step)


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_a_bar_leaves_a_wall_as_its_wave_says(scheme: str) -> None:
    """d'Alembert: the bar touches for 2 L/c and leaves with its initial speed.

    With 80 masses the front of the wave extends over some of them. This costs 0.2 % of the time,
    2.2 % of the velocity, 1.3 % of the impulse and of the energy.
    """
    n = 80
    step = 0.25 * LENGTH / n / np.sqrt(E / RHO)
    main = "rk4" if scheme == "euler-position" else None  # Euler alone is unstable
    method = stepped(step, scheme, main_integrator=main, **MILD[scheme])
    sol = run(bar_on_wall(n), method, step)
    pressed = sol.t[sol.lambda_N[:, 0] > 1e-3 * sol.lambda_N.max()]
    assert pressed[0] == pytest.approx(GAP / SPEED, abs=2.0 * step)
    assert pressed[-1] - pressed[0] == pytest.approx(TOUCHES, rel=0.01)
    assert sol.u[-1].mean() == pytest.approx(SPEED, rel=0.04)
    impulse = sol.lambda_N[:, 0].sum() * step
    assert impulse == pytest.approx(2.0 * SPEED * RHO * AREA * LENGTH, rel=0.02)
    assert sol.stats["missed_steps"] == 0
    assert sol.stats["impact_loss"] < 0.02 * 0.5 * RHO * AREA * LENGTH * SPEED**2


def order(errors: list[float], steps: list[float]) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_schemes_approach_events_without_restitution(scheme: str) -> None:
    """The errors of a chain decrease with the step.

    They are means over gaps, that is, over the position of the touch within its step. Measured:
    order 1.2 of velocities, 1.7 of the mixed law.
    """
    n, steps = 10, [4e-4, 2e-4, 1e-4, 5e-5]
    errors = np.zeros(len(steps))
    times = np.linspace(0.0, END, 301)
    M, K = bar(n)
    start = nsmb.State(0.0, np.zeros(n), np.full(n, -SPEED))
    for gap in GAP + 1e-4 * np.arange(3):
        wall = nsmb.Contact(w_N=np.eye(n)[0], gap=gap, name="wall")
        system = nsmb.LinearSystem(M, K=K, contacts=[wall], initial_state=start)
        exact = nsmb.simulate(system, END, method=nsmb.EventDriven(impact_law="moreau"))(times)
        for k, step in enumerate(steps):
            method = stepped(step, scheme, main_integrator="rk4", **MILD[scheme])
            sol = nsmb.simulate(system, END, method=method, output_step=step)
            errors[k] += np.abs(sol(times)[:, :n] - exact[:, :n]).mean() / 3
    mixed = scheme in MIXED
    assert order(list(errors), steps) > (1.4 if mixed else 0.9)
    assert errors[-1] < (3e-5 if mixed else 2e-2) * GAP  # 6e-6 and 6e-3


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_two_bars_keep_their_momentum_and_lose_what_the_law_says(scheme: str) -> None:
    """Forces are pairwise: momentum is conserved to rounding.

    Energy falls by -λ (g_{n+1} - g_n) in each step and by nothing else, to the error of the main
    integrator: 3e-9 of it, with a loss of 2.5 %.
    """
    n = 20
    step = near_power_of_two(0.1 * LENGTH / n / np.sqrt(E / RHO))
    system = two_bars(n)
    method = stepped(step, scheme, main_integrator="radau", **MILD[scheme])
    sol = run(system, method, step)
    m = RHO * AREA * LENGTH / n
    momentum = m * sol.u.sum(axis=1)
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-14)
    M, K = bar(n)
    energy = np.zeros(sol.t.size)
    for part in (slice(0, n), slice(n, 2 * n)):
        energy += 0.5 * np.einsum("ti,ij,tj->t", sol.u[:, part], M, sol.u[:, part])
        energy += 0.5 * np.einsum("ti,ij,tj->t", sol.q[:, part], K, sol.q[:, part])
    work = -sol.lambda_N[1:, 0] * np.diff(sol.g_N[:, 0])
    lost = np.concatenate([[0.0], np.cumsum(work)])
    np.testing.assert_allclose(energy[0] - energy, lost, atol=3e-8 * energy[0])
    np.testing.assert_allclose(sol.energy.impact_loss, lost, atol=1e-12 * energy[0])
    # Equal bars: the impacting one stops, the other one moves on.
    assert sol.u[-1, :n].mean() == pytest.approx(-SPEED, rel=0.1)
    assert abs(sol.u[-1, n:].mean()) < 0.1 * SPEED


@pytest.mark.parametrize("scheme", ["rk4-position", "radau-position"])
def test_gaps_alone_never_give_energy(scheme: str) -> None:
    """Without mixing λ > 0 only with g = 0 at the end: -λ (0 - g_n) >= 0, whatever the velocities.

    The difference from the other law is due to the masses at the wall, which are small in fine
    chains.
    """
    means = []
    for n in (10, 40):
        step = near_power_of_two(0.2 * LENGTH / n / np.sqrt(E / RHO))
        bare = run(bar_on_wall(n), stepped(step, scheme), step)
        work = -bare.lambda_N[1:, 0] * np.diff(bare.g_N[:, 0])
        assert bare.g_N.min() > -1e-11  # tol
        assert work.min() > -1e-11
        mixed = run(bar_on_wall(n), stepped(step, scheme, mixing=0.5), step)
        means.append(abs(bare.u[-1].mean() - mixed.u[-1].mean()))
    assert means[0] < 0.02 * SPEED  # 1.1 % with 10 masses, 0.5 % with 40
    assert means[1] < 0.01 * SPEED


def beams() -> nsmb.MultibodySystem:
    """Beam with a round end that falls about a pin onto a table, with three splines."""
    m = nsmb.Model(gravity=(0.0, -9.81))
    beam = Bending(0.8, 40.0, 1.5, splines(3, "fixed-free"), damping_ratio=0.02, rho_I=0.004)
    body = m.add_elastic_body("beam", beam)
    m.add_joint("pin", nsmb.joints.Revolute(), m.ground, body, at=(0.0, 0.3))
    table = m.ground.contour("table", nsmb.geometry.Line())
    end = body.contour("end", nsmb.geometry.Circle(0.05), at=(0.8, -0.02))
    m.add_contact(end, table, nsmb.ContactLaw(mu=0.3), "end")
    return m.build({"pin": -0.1})


@pytest.mark.parametrize("scheme", FORCE_SCHEMES)
def test_a_beam_of_a_model_falls_on_a_table(scheme: str) -> None:
    """Named contacts, Jacobians in closed form and friction, against events without restitution."""
    system = beams()
    exact = nsmb.simulate(system, 0.6, method=nsmb.EventDriven(integrator="cvode"))
    assert exact.stats["impacts"] > 0
    times = np.linspace(0.0, 0.6, 121)
    errors = []
    for step in (4e-4, 1e-4):
        method = stepped(step, scheme, main_integrator="radau", **MILD[scheme])
        sol = nsmb.simulate(system, 0.6, method=method, output_step=step)
        assert sol.stats["missed_steps"] == 0
        errors.append(np.abs(sol(times)[:, 0] - exact(times)[:, 0]).mean())
    assert errors[1] < 0.5 * errors[0]
    assert errors[1] < 1e-3
