"""Expansion hooks, friction from zero, moving bounds, singular points, many feet, two walls."""

from __future__ import annotations

from functools import cache
from math import cos, exp, radians, sin

import numpy as np
import pytest
from scipy.optimize import brentq

import nsmb
from nsmb._core.contact_laws import ImpactLaw, solve_impact
from nsmb._core.system import UnilateralContact
from tests.oracles.sliding_rod_painleve import End, Rod

G = 9.81
PAINLEVE = Rod(5.0 / 3.0, m=1.0, s=1.0, g=10.0)


def rod_on_three_feet(q: np.ndarray, u: np.ndarray) -> nsmb.System:
    """Dependent contacts, of which the middle one has another coefficient."""
    contacts = [
        nsmb.LinearContact(
            [0.0, 1.0, x],
            [1.0, 0.0, 0.1],
            law=nsmb.UnilateralContact(mu=mu, e_N=0.5, e_T=0.3, nu=0.4),
            name=name,
        )
        for name, x, mu in (("left", -0.5, 0.5), ("right", 0.5, 0.5), ("middle", 0.0, 0.3))
    ]
    return nsmb.LinearSystem(
        np.diag([1.0, 1.0, 0.1]),
        force=[0.0, -G, 0.0],
        contacts=contacts,
        initial_state=nsmb.State(0.0, q, u),
    )


def test_expansion_hook_that_returns_nothing_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    calls = finished = 0

    def silent(compression: nsmb.Compression) -> dict[str, np.ndarray]:
        nonlocal calls
        calls += 1
        return {}

    for _ in range(30):
        system = rod_on_three_feet(np.array([0.0, 0.5, 0.3 * rng.normal()]), rng.normal(0, 1, 3))
        plain, hooked = (
            nsmb.simulate(
                system,
                2.0,
                throw=False,
                output_step=0,
                method=nsmb.EventDriven(expansion=hook, max_events=3000),
            )
            for hook in (None, silent)
        )
        assert hooked.status == plain.status
        assert hooked.events.kinds == plain.events.kinds
        np.testing.assert_allclose(hooked.events.t, plain.events.t, rtol=1e-12)
        np.testing.assert_allclose(hooked.q[-1], plain.q[-1], atol=1e-12)
        np.testing.assert_allclose(hooked.u[-1], plain.u[-1], atol=1e-12)
        finished += plain.status == "finished"
    assert calls > 300
    assert finished > 20


@pytest.mark.parametrize("integrator", ["auto", "arkode_verner56", "cvode"])
@pytest.mark.parametrize("direction", [None, 0.0, 2.0])
def test_friction_that_begins_at_zero_and_grows_with_speed_decelerates(
    integrator: str, direction: float | None
) -> None:
    """v' = -k g v, in a line (None) and in a plane; k = 0.1 s/m."""
    law = nsmb.UnilateralContact(mu=0.0, curve=nsmb.Stribeck(mu_d=0.0, v_s=1.0, k=0.1))
    if direction is None:
        along = np.array([1.0, 0.0, 0.0])
        w_T = along
    else:
        along = np.array([cos(direction), sin(direction), 0.0])
        w_T = np.eye(3)[:, :2]
    system = nsmb.LinearSystem(
        np.eye(3),
        force=[0.0, 0.0, -G],
        contacts=[nsmb.LinearContact([0.0, 0.0, 1.0], w_T, law=law, name="floor")],
        initial_state=nsmb.State(0.0, np.zeros(3), 2.0 * along),
    )
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-10)
    sol = nsmb.simulate(system, 3.0, method=method, output_step=0.1)
    assert len(sol.events) == 0
    v = 2.0 * np.exp(-0.1 * G * sol.t)
    np.testing.assert_allclose(sol.u, v[:, None] * along, atol=1e-7)
    x = 2.0 / (0.1 * G) * (1.0 - exp(-0.3 * G))
    np.testing.assert_allclose(sol.q[-1], x * along, atol=1e-7)
    assert sol.friction_loss[-1].sum() == pytest.approx(2.0 - 0.5 * v[-1] ** 2, abs=1e-6)


def test_friction_bound_that_moves_is_watched_between_steps() -> None:
    """Force 1/2, bound 1 + t sin(20 t)/20, which first falls below it behind 10 s."""

    def bound(t: float) -> float:
        return 1.0 + 0.05 * t * sin(20.0 * t)

    clutch = nsmb.CallbackFriction(
        w_T=lambda t, q: [1.0],
        bound=lambda t, q, u: bound(t),
        w_bar_T=lambda t, q, u: 0.0,
        name="clutch",
    )
    system = nsmb.CallbackSystem(
        ["x"],
        [[1.0]],
        lambda t, q, u: [0.5],
        contacts=[clutch],
        initial_state=nsmb.State(0.0, np.zeros(1), np.zeros(1)),
    )
    free, watched = (
        nsmb.simulate(system, 14.0, method=nsmb.EventDriven(max_step=step))
        for step in (np.inf, 0.02)
    )
    t = np.arange(10.0, 14.0, 1e-3)
    below = np.flatnonzero(np.array([bound(s) for s in t]) < 0.5)[0]
    first = brentq(lambda s: bound(s) - 0.5, t[below - 1], t[below], xtol=1e-14)
    assert free.events.t[0] == pytest.approx(first, abs=1e-8)
    assert free.events.kinds == watched.events.kinds == ["slip", "stick"] * 12
    np.testing.assert_allclose(free.events.t, watched.events.t, atol=1e-8)
    np.testing.assert_allclose(free.q[-1], watched.q[-1], atol=1e-8)


def test_impact_without_collision_has_its_closed_form_at_every_angle() -> None:
    """(8.31) ff. with γ_N = 0: Λ = -G⁻¹ (0, γ_T), and det G = 4. μ = 5/3 jams up to 75.96°."""
    law = [UnilateralContact(5.0 / 3.0, 0.0, 0.0, 0.0)]
    for degrees in np.linspace(45.05, 75.95, 310):
        s, c = sin(radians(degrees)), cos(radians(degrees))
        g = np.array([[1.0 + 3.0 * c * c, 3.0 * s * c], [3.0 * s * c, 1.0 + 3.0 * s * s]])
        impact = solve_impact(g, np.zeros(1), np.ones(1), law, [0], without_collision=True)
        assert impact["Lambda_N"][0] == pytest.approx(0.75 * s * c, abs=1e-9)
        assert impact["Lambda_T"][0] == pytest.approx(-0.25 * (1.0 + 3.0 * c * c), abs=1e-9)


def sliding_rod() -> nsmb.System:
    return nsmb.systems.sliding_rod(phi=radians(20.0), omega=2.5, v=10.0)


@cache
def end_of_sliding() -> End:
    return PAINLEVE.slide(radians(20.0), 2.5, 10.0)


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
    sol = nsmb.simulate(sliding_rod(), 0.4, throw=False, method=method)
    assert sol.status == "no_contact_solution"
    assert "singular" in sol.message
    assert len(sol.events) == 0
    assert sol.t[-1] == pytest.approx(end.t, abs=1e-7)
    assert sol.q[-1, 2] == pytest.approx(end.phi, abs=1e-6)


@pytest.mark.parametrize(("integrator", "rtol"), SINGULAR)
def test_singular_point_of_sliding_is_left_with_one_impact(integrator: str, rtol: float) -> None:
    end = end_of_sliding()
    method = nsmb.EventDriven(integrator=integrator, rtol=rtol, on_inconsistent="impact")
    sol = nsmb.simulate(sliding_rod(), 0.3, throw=False, method=method)
    assert sol.status == "finished"
    assert sol.stats["impacts_without_collision"] == 1
    impacts = sol.events.of_kind("impact")
    assert len(impacts) == 1
    assert impacts[0].t == pytest.approx(end.t, abs=1e-7)
    impulses = PAINLEVE.impact_without_collision(end.phi, end.v)[:2]
    assert [impacts[0].Lambda_N[0], impacts[0].Lambda_T[0]] == pytest.approx(impulses, abs=1e-3)


@pytest.mark.parametrize("solver", ["auto", "newton", "augmented_lagrangian", "gauss_seidel"])
@pytest.mark.parametrize("feet", [4, 8])
@pytest.mark.parametrize("h", [0.0, 0.3])
def test_block_on_collinear_feet_settles_and_slides_when_the_load_exceeds_mu_m_g(
    solver: str, feet: int, h: float
) -> None:
    """Load t, so slip at t_0 = mu g, then (t - t_0)²/2; a torque shifts the normal forces."""
    mu = 0.5
    contacts = [
        nsmb.LinearContact(
            [0.0, 1.0, x], [1.0, 0.0, h], law=nsmb.UnilateralContact(mu=mu), name=f"foot_{i}"
        )
        for i, x in enumerate(np.linspace(-1.0, 1.0, feet).tolist())
    ]
    force = nsmb.Force(constant=[0.0, -G, 0.5], ramp=[1.0, 0.0, 0.2])
    system = nsmb.LinearSystem(np.diag([1.0, 1.0, 0.2]), force=force, contacts=contacts)
    method = nsmb.EventDriven(
        solver=solver,  # type: ignore[arg-type]
        max_events=2000,
        max_events_per_instant=200,
    )
    sol = nsmb.simulate(system, 7.0, throw=False, method=method)
    assert sol.status == "finished"
    assert set(sol.events.kinds) == {"slip"}
    np.testing.assert_allclose(sol.events.t, mu * G, atol=1e-7)
    since = np.maximum(sol.t - mu * G, 0.0)
    np.testing.assert_allclose(sol.u[:, 0], 0.5 * since**2, atol=1e-7)
    np.testing.assert_allclose(sol.u[:, 1:], 0.0, atol=1e-9)
    assert sol.lambda_N.min() >= -1e-9 * G
    np.testing.assert_allclose(sol.lambda_N.sum(axis=1), G, rtol=1e-9)


@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_moreaus_mass_between_two_walls_does_not_penetrate(e_N: float) -> None:
    """Touching both, moving at one of them: the restitutions contradict each other, so it stops."""
    g = np.zeros((4, 4))
    g[:2, :2] = [[1.0, -1.0], [-1.0, 1.0]]
    gamma_N = np.array([-1.0, 1.0])
    law = UnilateralContact(0.0, e_N, 0.0, 0.0)
    impact = solve_impact(g, gamma_N, np.zeros(2), [law, law], [0, 1], law=ImpactLaw.Moreau)
    after = gamma_N + g[:2, :2] @ impact["Lambda_N"]
    assert impact["Lambda_N"].min() >= 0.0
    np.testing.assert_allclose(after, 0.0, atol=1e-12)


@pytest.mark.parametrize("e_N", [0.0, 0.5, 1.0])
def test_motion_between_two_touching_walls_ends_with_moreaus_impact(e_N: float) -> None:
    law = nsmb.UnilateralContact(e_N=e_N)
    walls = [
        nsmb.LinearContact([w], law=law, name=name) for w, name in ((1.0, "left"), (-1.0, "right"))
    ]
    system = nsmb.LinearSystem([[1.0]], contacts=walls)
    method = nsmb.EventDriven(impact_law="moreau", max_events=100)
    sol = nsmb.simulate(system, 1.0, q=[0.0], u=[-1.0], throw=False, method=method)
    assert sol.status == "finished"
    assert sol.events.kinds == ["impact"]
    assert sol.stats["impact_loss"] == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_allclose(sol.q[-1], 0.0, atol=1e-15)
    np.testing.assert_allclose(sol.u[-1], 0.0, atol=1e-15)


def test_mode_of_a_force_element_is_known_right_after_reset() -> None:
    """Unit mass and a spring that touches it for x < 0."""
    for law in ("elastic_gap", "gap_damper", "clipped", "relaxing_wall"):
        soft = nsmb.GapForce(100.0, 0.0 if law == "elastic_gap" else 1.0, law)  # type: ignore[arg-type]
        system = nsmb.LinearSystem([[1.0]], elements=[nsmb.LinearForceElement([1.0], soft)])
        sim = nsmb.Simulator(system)
        for x, acts in ((-0.1, 1), (0.1, 0), (-0.2, 1)):
            sim.reset(q=[x], u=[0.0])
            assert sim.element_mode.tolist() == [acts]


def test_velocity_of_denormal_size_counts_as_zero():
    """Its tolerance would be zero."""
    block = nsmb.CallbackSystem(
        ["x", "y"], np.eye(2), lambda t, q, u: [0.0, -1.0], potential_energy=lambda t, q: q[1]
    )
    sol = nsmb.simulate(block, t_end=1.0, q=[0.0, 0.0], u=[2.3e-313, 0.0])
    assert sol.success
    assert sol.q[-1, 1] == pytest.approx(-0.5, rel=1e-12)


@pytest.mark.parametrize("u", [0.0, 4e-15, -2.2e-15, -1e-18])
def test_a_start_with_a_velocity_of_rounding_size_runs(u: float) -> None:
    gear = nsmb.systems.ship_turning_gear(r=0.8, p=4.0)
    sol = nsmb.simulate(gear, 252.0, t_start=251.17080387576067, q=[-1.46307689], u=[u])
    still = nsmb.simulate(gear, 252.0, t_start=251.17080387576067, q=[-1.46307689], u=[0.0])
    np.testing.assert_allclose(sol.q[-1], still.q[-1], atol=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.2, 0.4])
@pytest.mark.parametrize("name", ["ball_on_table", "gear_rattling", "gearbox_two_stage"])
def test_contacts_let_go_where_all_forces_vanish_together(name: str, e: float) -> None:
    """A flank or a table that moves away leaves a body without any force; the wheels of two equal
    stages then fly side by side."""
    system = nsmb.systems.build(name, e=e)
    duration = {"ball_on_table": 4.0, "gear_rattling": 150.0, "gearbox_two_stage": 0.5}[name]
    for scale in (1.0, 1.7, 2.9):
        key = "alpha" if "alpha" in system.parameters else "A"
        driven = system.with_parameters(**{key: scale * system.parameters[key]})
        sol = nsmb.simulate(driven, duration)
        assert sol.status == "finished"
        assert sol.g_N.min() > -1e-9
