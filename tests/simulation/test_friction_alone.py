"""Friction without a gap, friction that depends on speed, and two-sided stops."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import nsmb

ACCURATE = nsmb.EventDriven(rtol=1e-12)
J_1, J_2 = 0.3, 0.5
Array = np.ndarray


def clutch(
    bound: float | Callable[[float, Array, Array], float],
    torque: float | nsmb.Force,
    velocity: tuple[float, float] = (0.0, 0.0),
) -> nsmb.System:
    """Two discs with a torque on the first; friction bounds act on their relative speed."""
    load = nsmb.Force(constant=[torque, 0.0]) if isinstance(torque, float) else torque
    start = nsmb.State(0.0, np.zeros(2), np.array(velocity))
    if not callable(bound):
        lining = nsmb.Friction(w_T=[1.0, -1.0], bound=bound, name="clutch")
        return nsmb.LinearSystem(
            np.diag([J_1, J_2]), force=load, contacts=[lining], initial_state=start
        )
    constant = np.asarray(load.constant)
    return nsmb.CallbackSystem(
        ["phi_1", "phi_2"],
        np.diag([J_1, J_2]),
        lambda t, q, u: constant,
        [nsmb.Friction(w_T=lambda t, q: [1.0, -1.0], bound=bound, name="clutch")],
        initial_state=start,
    )


@pytest.mark.parametrize("integrator", ["auto", "dp853"])
def test_clutch_closes_and_slips_again_under_a_growing_torque(integrator: str) -> None:
    """The closed clutch transmits T J_2/(J_1 + J_2).

    The motion follows from integrals of polynomials.
    """
    B, rate, relative = 2.0, 1.5, 6.0
    force = nsmb.Force(ramp=[rate, 0.0])
    method = nsmb.EventDriven(rtol=1e-12, integrator=integrator)
    sol = nsmb.simulate(clutch(B, force, (relative, 0.0)), 5.0, method=method)
    # ω_1 - ω_2 = 6 - (B/J_1 + B/J_2) t + rate t²/(2 J_1)
    a, b = 0.5 * rate / J_1, B / J_1 + B / J_2
    stop = (b - sqrt(b * b - 4.0 * a * relative)) / (2.0 * a)
    slip = B * (J_1 + J_2) / J_2 / rate
    assert sol.events.kinds == ["stick", "slip"]
    assert sol.events.t == pytest.approx([stop, slip], abs=1e-9)
    together = sol.at(slip).u
    momentum = J_1 * relative + 0.5 * rate * slip**2
    assert together == pytest.approx(np.full(2, momentum / (J_1 + J_2)), abs=1e-9)
    end = 5.0 - slip
    first = together[0] + (0.5 * rate * (5.0**2 - slip**2) - B * end) / J_1
    assert sol.u[-1] == pytest.approx([first, together[1] + B / J_2 * end], abs=1e-9)
    sticks = (sol.t > stop + 1e-6) & (sol.t < slip - 1e-6)
    np.testing.assert_allclose(
        sol.lambda_T[sticks, 0], -rate * sol.t[sticks] * J_2 / (J_1 + J_2), atol=1e-10
    )
    np.testing.assert_array_equal(sol.lambda_N, np.zeros_like(sol.lambda_N))
    np.testing.assert_array_equal(sol.g_N, np.zeros_like(sol.g_N))


def test_clutch_that_is_released_slips_and_one_that_is_pressed_closes() -> None:
    """Bound B(t) = |4 - 2 t|, torque 1.6.

    The closed clutch transmits 1.0 and holds until t = 1.5; then J_r Δω̇ = 1 - B with 1/J_r = 1/J_1
    + 1/J_2.
    """
    sol = nsmb.simulate(clutch(lambda t, q, u: abs(4.0 - 2.0 * t), 1.6), 4.0, method=ACCURATE)
    reduced = 1.0 / J_1 + 1.0 / J_2
    # Δω = ((t - 1.5)² until 2, then 1/4 + s - s² with s = t - 2) / J_r
    stop = 2.0 + 0.5 * (1.0 + sqrt(2.0))
    assert sol.events.kinds == ["slip", "stick"]
    assert sol.events.t == pytest.approx([1.5, stop], abs=1e-8)
    relative = sol.gamma_T[:, 0]
    s = sol.t - 2.0
    expected = np.where(s < 0.0, (sol.t - 1.5) ** 2, 0.25 + s - s * s) * reduced
    expected[(sol.t <= 1.5) | (sol.t >= stop)] = 0.0
    np.testing.assert_allclose(relative, expected, atol=1e-8)
    assert sol.u[-1, 0] == pytest.approx(1.6 * 4.0 / (J_1 + J_2), rel=1e-9)


def test_guide_with_a_bound_that_grows_along_the_way() -> None:
    """m ẍ = -k x: after a quarter of a period the mass rests at x = v/ω."""
    m, k, v = 2.0, 50.0, 3.0
    guide = nsmb.Friction(w_T=lambda t, q: [1.0], bound=lambda t, q, u: k * abs(q[0]), name="guide")
    system = nsmb.CallbackSystem(
        ["x"], [[m]], lambda t, q, u: [0.0], [guide],
        initial_state=nsmb.State(0.0, np.zeros(1), np.array([v])),
    )  # fmt: skip
    sol = nsmb.simulate(system, 1.0, method=ACCURATE)
    omega = sqrt(k / m)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(0.5 * pi / omega, abs=1e-10)
    assert sol.q[-1, 0] == pytest.approx(v / omega, abs=1e-10)
    assert sol.u[-1, 0] == pytest.approx(0.0, abs=1e-14)
    assert sol.friction_loss[-1, 0] == pytest.approx(0.5 * m * v**2, rel=1e-9)


def test_guide_whose_bound_depends_on_the_speed() -> None:
    """m v̇ = -(B + b v): the mass stops after m/b ln(1 + b v/B)."""
    m, B, b, v = 2.0, 3.0, 4.0, 5.0
    guide = nsmb.Friction(w_T=lambda t, q: [1.0], bound=lambda t, q, u: B + b * abs(u[0]))
    system = nsmb.CallbackSystem(
        ["x"], [[m]], lambda t, q, u: [0.0], [guide],
        initial_state=nsmb.State(0.0, np.zeros(1), np.array([v])),
    )  # fmt: skip
    sol = nsmb.simulate(system, 2.0, method=ACCURATE)
    stop = m / b * np.log(1.0 + b * v / B)
    assert sol.events.t == pytest.approx([stop], abs=1e-10)
    assert sol.q[-1, 0] == pytest.approx(m * v / b - B / b * stop, abs=1e-10)


@pytest.mark.parametrize("integrator", ["auto", "dp853"])
@pytest.mark.parametrize("pull", [0.0, 4.9, 5.1])
def test_two_friction_elements_share_one_normal_force(integrator: str, pull: float) -> None:
    """Block on a smooth floor with two linings: mu = 0.2 + 0.3 of its weight of 10 N."""
    floor = nsmb.Contact(w_N=[0.0, 1.0], name="floor")
    linings = [
        nsmb.Friction(w_T=[1.0, 0.0], mu=mu, normal="floor", name=name)
        for mu, name in ((0.2, "left"), (0.3, "right"))
    ]
    system = nsmb.LinearSystem(
        np.eye(2),
        force=[pull, -10.0],
        contacts=[floor, *linings],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([2.0, 0.0])),
    )
    method = nsmb.EventDriven(rtol=1e-12, integrator=integrator)
    sol = nsmb.simulate(system, 1.0, method=method)
    np.testing.assert_allclose(sol.lambda_N, [10.0, 0.0, 0.0] * np.ones((sol.t.size, 3)))
    if pull == 0.0:
        assert sol.events.kinds == ["stick"]
        assert sol.events.t[0] == pytest.approx(0.4, abs=1e-10)
        assert sol.events.contacts[0].tolist() == [False, True, True]
        assert sol.q[-1, 0] == pytest.approx(0.4, abs=1e-10)
    else:
        assert len(sol.events) == 0
        assert sol.u[-1, 0] == pytest.approx(2.0 + pull - 5.0, rel=1e-12)
    first = sol.lambda_T[0]
    assert first[1:] == pytest.approx([-2.0, -3.0], rel=1e-13)


def test_shared_normal_force_holds_up_to_the_sum_of_the_bounds() -> None:
    """A ramp releases both linings when it reaches 5 N, and not at 2 N or 3 N."""
    floor = nsmb.Contact(w_N=[0.0, 1.0], name="floor")
    linings = [
        nsmb.Friction(w_T=[1.0, 0.0], mu=mu, normal="floor", name=name)
        for mu, name in ((0.2, "left"), (0.3, "right"))
    ]
    force = nsmb.Force(constant=[0.0, -10.0], ramp=[1.0, 0.0])
    system = nsmb.LinearSystem(np.eye(2), force=force, contacts=[floor, *linings])
    sol = nsmb.simulate(system, 7.0)
    assert set(sol.events.t.round(9)) <= {2.0, 3.0, 5.0}
    assert sol.at(4.99).u[0] == pytest.approx(0.0, abs=1e-12)
    assert sol.u[-1, 0] == pytest.approx(0.5 * 2.0**2, abs=1e-9)
    assert sol.stats["dependent_contacts"] > 0


def test_friction_in_a_plane_without_a_normal_force() -> None:
    """A spinning and sliding pad with a given friction bound stops along a line."""
    pad = nsmb.Friction(w_T=np.eye(2), bound=3.0, name="pad")
    system = nsmb.LinearSystem(
        np.eye(2), contacts=[pad],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([1.2, -0.9])),
    )  # fmt: skip
    sol = nsmb.simulate(system, 1.0, method=ACCURATE)
    assert sol.events.kinds == ["stick"]
    assert sol.events.t[0] == pytest.approx(0.5, abs=1e-11)
    assert sol.q[-1] == pytest.approx([0.3, -0.225], abs=1e-11)


# ---- friction that falls with the speed ---------------------------------------------------------

BELT, STIFFNESS, WEIGHT = 0.5, 30.0, 10.0
MU_0 = 0.4
FALLING = nsmb.Stribeck(mu_d=0.2, v_s=0.3, delta=1.0, k=0.0)


def mu(v: float) -> float:
    return 0.2 + 0.2 * exp(-abs(v) / 0.3)


def belt(curve: nsmb.Stribeck | nsmb.FrictionTable) -> nsmb.System:
    """Unit mass of weight 10 N on a spring, on a belt that runs with 0.5 m/s."""
    law = nsmb.ContactLaw(mu=MU_0, curve=curve)
    contact = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=law, name="belt", w_tilde_T=-BELT)
    return nsmb.LinearSystem(
        np.eye(2),
        np.diag([STIFFNESS, 0.0]),
        force=[0.0, -WEIGHT],
        contacts=[contact],
        coordinates=["x", "y"],
        initial_state=nsmb.State(0.0, np.zeros(2), np.array([BELT, 0.0])),
    )


def belt_by_integration(t_end: float) -> list[tuple[str, float, float]]:
    """Return (kind, t, x) of the ends of slip and of stick, from a general-purpose integrator.

    While sticking, x = x_0 + BELT t until the spring pulls with mu_0 times the weight.
    """
    found, t, x = [], 0.0, 0.0

    def rhs(_: float, z: Array) -> list[float]:
        slip = z[1] - BELT
        return [z[1], -STIFFNESS * z[0] + WEIGHT * mu(slip)]  # the belt is faster

    def stuck(_: float, z: Array) -> float:
        return float(z[1] - BELT)

    stuck.terminal, stuck.direction = True, 1.0  # type: ignore[attr-defined]
    limit = MU_0 * WEIGHT / STIFFNESS
    while True:
        t += (limit - x) / BELT
        if t > t_end:
            return found
        found.append(("slip", t, limit))
        # after the limit the slip grows with the third power of time: x''' = (mu' - ...) small
        run = solve_ivp(
            rhs, (t, t_end), [limit, BELT * (1.0 - 1e-15)], "DOP853", events=stuck,
            rtol=1e-13, atol=1e-15,
        )  # fmt: skip
        if run.status != 1:
            return found
        t, x = float(run.t[-1]), float(run.y[0, -1])
        found.append(("stick", t, x))


def test_mass_on_a_belt_reaches_its_limit_cycle() -> None:
    """Stick-slip with a Stribeck curve: all cycles are equal from the second slip on."""
    reference = belt_by_integration(8.0)
    sol = nsmb.simulate(belt(FALLING), 8.0, method=ACCURATE)
    assert sol.events.kinds == [kind for kind, *_ in reference]
    assert len(reference) >= 8
    np.testing.assert_allclose(sol.events.t, [t for _, t, _ in reference], atol=1e-7)
    np.testing.assert_allclose(sol.events.q[:, 0], [x for *_, x in reference], atol=1e-7)
    slips = sol.events.of_kind("slip")
    np.testing.assert_allclose(slips.q[:, 0], MU_0 * WEIGHT / STIFFNESS, rtol=1e-9)
    periods = np.diff(slips.t)
    np.testing.assert_allclose(periods, periods[0], rtol=1e-7)


def test_sliding_friction_follows_the_curve_and_begins_with_the_friction_at_rest() -> None:
    """(23) of Wösle and Pfeiffer: mu(0) = mu_0."""
    sol = nsmb.simulate(belt(FALLING), 4.0, method=ACCURATE)
    slides = sol.contact_state[:, 0] != nsmb.ContactState.STICK
    assert slides.sum() > 100
    expected = np.array([mu(v) for v in sol.gamma_T[slides, 0]]) * WEIGHT
    np.testing.assert_allclose(sol.lambda_T[slides, 0], expected, rtol=1e-11)
    slip = sol.events.of_kind("slip")[0]
    forces = sol.lambda_T[sol.t == slip.t, 0]
    np.testing.assert_allclose(forces, MU_0 * WEIGHT, rtol=1e-8)


def test_table_of_the_curve_gives_the_motion_of_the_curve() -> None:
    """Monotone cubics through 400 points of the curve: the coefficient is accurate to 1e-7."""
    speeds = np.linspace(0.0, 2.0, 400)
    table = nsmb.FrictionTable(speeds, [mu(v) for v in speeds])
    a = nsmb.simulate(belt(FALLING), 4.0, method=ACCURATE)
    b = nsmb.simulate(belt(table), 4.0, method=nsmb.EventDriven(rtol=1e-10))
    assert a.events.kinds == b.events.kinds
    np.testing.assert_allclose(b.events.t, a.events.t, atol=1e-5)
    np.testing.assert_allclose(b.q[-1], a.q[-1], atol=1e-6)


def test_viscous_part_of_the_friction_acts_like_a_dashpot() -> None:
    """mu(v) = mu_0 + k v is linear in the slip: a damped oscillation until the mass sticks."""
    k = 0.05
    system = belt(nsmb.Stribeck(mu_d=MU_0, v_s=1.0, k=k))
    sol = nsmb.simulate(system, 3.0, u=[0.0, 0.0], method=ACCURATE)
    # ẍ + k W ẋ + c x = W (mu_0 + k BELT), slip stays negative
    half, rest = 0.5 * k * WEIGHT, WEIGHT * (MU_0 + k * BELT) / STIFFNESS
    w = sqrt(STIFFNESS - half**2)
    first = sol.t < (sol.events.t[0] if len(sol.events) else np.inf)
    t = sol.t[first]
    x = rest * (1.0 - np.exp(-half * t) * (np.cos(w * t) + half / w * np.sin(w * t)))
    assert first.sum() > 40
    np.testing.assert_allclose(sol.q[first, 0], x, atol=1e-10)


# ---- two-sided stops ----------------------------------------------------------------------------


@pytest.mark.parametrize("e_N", [1.0, 0.5])
def test_mass_between_walls_bounces_at_the_closed_form_times(e_N: float) -> None:
    """Free flight over the width 3 between stops at -1 and 2."""
    stops = nsmb.two_sided_stop([1.0], -1.0, 2.0, nsmb.ContactLaw(e_N=e_N), name="box")
    system = nsmb.LinearSystem(
        [[2.0]], contacts=stops, initial_state=nsmb.State(0.0, np.zeros(1), np.array([4.0]))
    )
    sol = nsmb.simulate(system, 6.0)
    times, t, v = [], 2.0 / 4.0, 4.0
    while t < 6.0:
        times.append(t)
        v *= e_N
        t += 3.0 / v
    impacts = sol.events.of_kind("impact")
    np.testing.assert_allclose(impacts.t, times, rtol=1e-13)
    sides = [names for event in impacts for names in event.contacts]
    assert sides == [("box.upper", "box.lower")[i % 2] for i in range(len(times))]
    assert sol.q.min() >= -1.0 - 1e-12
    assert sol.q.max() <= 2.0 + 1e-12


def test_two_sided_stop_given_by_functions_is_the_linear_one() -> None:
    stops = nsmb.two_sided_stop(
        lambda t, q: q[0] + q[1], -0.3, 0.7, nsmb.ContactLaw(e_N=0.7), name="box"
    )
    start = nsmb.State(0.0, np.zeros(2), np.array([3.0, -0.2]))
    given = nsmb.CallbackSystem(
        ["a", "b"], np.diag([1.0, 2.0]), lambda t, q, u: [-5.0 * q[0], 1.0], stops,
        initial_state=start,
    )  # fmt: skip
    linear = nsmb.LinearSystem(
        np.diag([1.0, 2.0]), np.diag([5.0, 0.0]), force=[0.0, 1.0],
        contacts=nsmb.two_sided_stop([1.0, 1.0], -0.3, 0.7, nsmb.ContactLaw(e_N=0.7)),
        initial_state=start,
    )  # fmt: skip
    a = nsmb.simulate(given, 1.2, method=ACCURATE)
    b = nsmb.simulate(linear, 1.2)
    assert len(b.events) >= 2
    assert a.events.kinds == b.events.kinds
    np.testing.assert_allclose(a.events.t, b.events.t, atol=1e-9)
    np.testing.assert_allclose(a.q[-1], b.q[-1], atol=1e-9)


@pytest.mark.parametrize("integrator", ["auto", "arkode_verner56", "cvode"])
@pytest.mark.parametrize("direction", [None, 0.0, 2.0])
def test_friction_that_begins_at_zero_and_grows_with_speed_decelerates(
    integrator: str, direction: float | None
) -> None:
    """v' = -k g v, in a line (None) and in a plane; k = 0.1 s/m."""
    law = nsmb.ContactLaw(mu=0.0, curve=nsmb.Stribeck(mu_d=0.0, v_s=1.0, k=0.1))
    if direction is None:
        along = np.array([1.0, 0.0, 0.0])
        w_T = along
    else:
        along = np.array([cos(direction), sin(direction), 0.0])
        w_T = np.eye(3)[:, :2]
    system = nsmb.LinearSystem(
        np.eye(3),
        force=[0.0, 0.0, -9.81],
        contacts=[nsmb.Contact(w_N=[0.0, 0.0, 1.0], w_T=w_T, law=law, name="floor")],
        initial_state=nsmb.State(0.0, np.zeros(3), 2.0 * along),
    )
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-10)
    sol = nsmb.simulate(system, 3.0, method=method, output_step=0.1)
    assert len(sol.events) == 0
    v = 2.0 * np.exp(-0.981 * sol.t)
    np.testing.assert_allclose(sol.u, v[:, None] * along, atol=1e-7)
    x = 2.0 / (0.981) * (1.0 - exp(-2.943))
    np.testing.assert_allclose(sol.q[-1], x * along, atol=1e-7)
    assert sol.friction_loss[-1].sum() == pytest.approx(2.0 - 0.5 * v[-1] ** 2, abs=1e-6)


def test_friction_bound_that_moves_is_watched_between_steps() -> None:
    """The force is 1/2. The bound 1 + t sin(20 t)/20 first falls below it after 10 s."""

    def bound(t: float) -> float:
        return 1.0 + 0.05 * t * sin(20.0 * t)

    clutch = nsmb.Friction(
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
