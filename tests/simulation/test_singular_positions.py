"""Mechanisms that pass positions in which their constraints become dependent.

All have one degree of freedom and a closed reduced equation: J(φ) φ'' + J'(φ) φ'²/2 + V'(φ) = 0.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import nsmb
from nsmb import joints

G = 9.81
HINGE = joints.Revolute()


def windows(n, angle=np.pi / 2, speed=-1.0):
    """A row of four-bar windows: slender links of 1 m and 1 kg, all bases on the ground."""
    m = nsmb.Model(gravity=(0, -G))

    def link(name):
        return m.add_body(name, mass=1, inertia=1 / 12, center=(0.5, 0))

    links = [link(f"link{k}") for k in range(n + 1)]
    for k in range(n + 1):
        m.add_joint(f"foot{k}", HINGE, m.ground, links[k], at=(k, 0))
    for k in range(n):
        bar = link(f"bar{k}")
        m.add_joint(f"top{k}", HINGE, links[k], bar, at=(1, 0))
        m.add_loop(f"pin{k}", HINGE, bar, links[k + 1], at=(1, 0), at_2=(1, 0))
    tops = {f"top{k}": -angle for k in range(n)}
    rates = {f"top{k}": -speed for k in range(n)}
    feet = {f"foot{k}": angle for k in range(n + 1)}
    return m.build(feet | tops, dict.fromkeys(feet, speed) | rates)


def reduced(J, dJ, dV, angle, speed, t):
    """Return φ and φ' of the reduced equation."""
    motion = solve_ivp(
        lambda _, y: [y[1], -(0.5 * dJ(y[0]) * y[1] ** 2 + dV(y[0])) / J(y[0])],
        (t[0], t[-1]),
        [angle, speed],
        t_eval=t,
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
    )
    return motion.y


def angles(sol, prefix):
    columns = [k for k, name in enumerate(sol.coordinates) if name.startswith(prefix)]
    return sol.q[:, columns]


def exact_windows(n, angle, speed, t):
    J, P = (n + 1) / 3 + n, G * ((n + 1) / 2 + n)
    return reduced(lambda p: J, lambda p: 0.0, lambda p: P * np.cos(p), angle, speed, t)


@pytest.mark.parametrize("n", range(1, 9))
def test_rows_of_windows_stay_windows(n):
    system = windows(n)
    sol = nsmb.simulate(system, 10.0, rtol=1e-10)
    phi, omega = exact_windows(n, np.pi / 2, -1.0, sol.t)
    # The start upright is unstable; measured: 4e-8 rad after 10 s and ten passages.
    assert np.abs(angles(sol, "foot") - phi[:, None]).max() < 2e-7
    energy = [
        system.kinetic_energy(*row) + system.potential_energy(*row[:2])
        for row in zip(sol.t, sol.q, sol.u, strict=True)
    ]
    assert np.ptp(energy) < 1e-7 * (0.5 * omega**2).max() * (4 * n + 1) / 3


@pytest.mark.parametrize("integrator", ["arkode_fehlberg78", "cvode"])
def test_other_integrators_pass_as_well(integrator):
    method = nsmb.EventDriven(integrator=integrator, rtol=1e-9)
    sol = nsmb.simulate(windows(3), 5.0, method=method)
    phi, _ = exact_windows(3, np.pi / 2, -1.0, sol.t)
    # Measured 2e-7 and 4e-6 rad: the tolerance of BDF is local.
    assert np.abs(angles(sol, "foot") - phi[:, None]).max() < 3e-5


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("speed", [3.0, -0.5, 1e-3])
def test_start_in_the_singular_position_itself(n, speed):
    sol = nsmb.simulate(windows(n, 0.0, speed), 2.0, rtol=1e-9)
    phi, _ = exact_windows(n, 0.0, speed, sol.t)
    assert np.abs(angles(sol, "foot") - phi[:, None]).max() < 1e-6


@pytest.mark.parametrize("seed", range(12))
def test_unequal_links_of_a_parallelogram_pass_its_dead_centres(seed):
    # The forces in the pins have a pole there, but do no work.
    rng = np.random.default_rng(seed)
    a, c = rng.uniform(0.2, 2.0, 2)
    mass, inertia = rng.uniform(0.2, 5.0, 3), rng.uniform(0.01, 0.5, 3)
    x, y = rng.uniform(-0.5, 1.5, (2, 3)) * [[a, c, a], [0.3, 0.3, 0.3]]
    m = nsmb.Model(gravity=(0, -G))
    bodies = [
        m.add_body(f"b{k}", mass=mass[k], inertia=inertia[k], center=(x[k], y[k])) for k in range(3)
    ]
    m.add_joint("crank", HINGE, m.ground, bodies[0])
    m.add_joint("coupler", HINGE, bodies[0], bodies[1], at=(a, 0))
    m.add_joint("rocker", HINGE, m.ground, bodies[2], at=(c, 0))
    m.add_loop("pin", HINGE, bodies[1], bodies[2], at=(c, 0), at_2=(a, 0))
    angle, speed = rng.uniform(0.3, 2.8), rng.uniform(4.0, 9.0)
    system = m.build(
        {"crank": angle, "coupler": -angle, "rocker": angle},
        {"crank": speed, "coupler": -speed, "rocker": speed},
    )
    sol = nsmb.simulate(system, 3.0, rtol=1e-10)
    J = inertia[0] + inertia[2] + mass[1] * a**2
    J += mass[0] * (x[0] ** 2 + y[0] ** 2) + mass[2] * (x[2] ** 2 + y[2] ** 2)
    P = G * (mass[0] * x[0] + mass[2] * x[2] + mass[1] * a)
    R = G * (mass[0] * y[0] + mass[2] * y[2])
    phi, _ = reduced(
        lambda p: J,
        lambda p: 0.0,
        lambda p: P * np.cos(p) - R * np.sin(p),
        angle,
        speed,
        sol.t,
    )
    assert np.abs(sol.q[:, [0, 2]] - phi[:, None]).max() < 1e-6
    assert np.ptp(phi) > np.pi  # it passed a dead centre


def four_bar(seed, crank, rocker, coupler, speed, a, c):
    """Four-bar linkage with equal opposite links and random masses."""
    rng = np.random.default_rng(seed)
    mass, inertia = rng.uniform(0.2, 5.0, 3), rng.uniform(0.01, 0.5, 3)
    m = nsmb.Model(gravity=(0, -G))
    bodies = [
        m.add_body(f"b{k}", mass=mass[k], inertia=inertia[k], center=(rng.uniform(0.0, 1.0), 0))
        for k in range(3)
    ]
    m.add_joint("crank", HINGE, m.ground, bodies[0])
    m.add_joint("coupler", HINGE, bodies[0], bodies[1], at=(a, 0))
    m.add_joint("rocker", HINGE, m.ground, bodies[2], at=(c, 0))
    m.add_loop("pin", HINGE, bodies[1], bodies[2], at=(c, 0), at_2=(a, 0))
    guess = {"coupler": coupler, "rocker": rocker}
    return m.build({"crank": crank}, {"crank": speed} if speed else {}, guess=guess)


@pytest.mark.parametrize("seed", range(8))
def test_crossed_linkages_stay_crossed(seed):
    # tan(ψ/2) = k tan(φ/2) on this branch, which meets the parallelogram at both dead centres.
    rng = np.random.default_rng(100 + seed)
    a, c = np.sort(rng.uniform(0.3, 2.0, 2))
    k = -(c + a) / (c - a)
    phi, speed = rng.uniform(0.6, 2.4), rng.uniform(5.0, 9.0)

    def ends(factor):
        psi = 2 * np.arctan(factor * np.tan(phi / 2))
        return psi, c + a * np.exp(1j * psi) - a * np.exp(1j * phi)

    k = min((k, 1 / k), key=lambda factor: abs(abs(ends(factor)[1]) - c))
    psi, coupler = ends(k)
    assert abs(coupler) == pytest.approx(c)
    system = four_bar(seed, phi, psi, np.angle(coupler) - phi, speed, a, c)
    sol = nsmb.simulate(system, 3.0, rtol=1e-10, throw=False)
    # One of 24 random linkages may stop at a position that it cannot resolve at this rtol, with a
    # status.
    assert sol.success or "singular position" in sol.message
    assert np.ptp(sol.q[:, 0]) > 0.5
    half_crank, half_rocker = sol.q[:, 0] / 2, sol.q[:, 2] / 2
    off = np.sin(half_rocker) * np.cos(half_crank) - k * np.sin(half_crank) * np.cos(half_rocker)
    # Measured: 6e-9, and 1e-9 of the energy turned over.
    assert np.abs(off).max() < 1e-7
    assert sol.energy.relative < 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_start_at_rest_in_the_dead_centre_keeps_energy_and_constraints(seed):
    rng = np.random.default_rng(seed)
    a, c = rng.uniform(0.2, 2.0, 2)
    system = four_bar(seed, 0.0, 0.0, 0.0, 0.0, a, c)
    sol = nsmb.simulate(system, 1.0, rtol=1e-9)
    assert sol.energy.relative < 1e-6
    for row in zip(sol.t, sol.q, sol.u, strict=True):
        assert np.abs(system.constraint_kinematics(*row)["g"]).max() < 1e-8


@pytest.mark.parametrize("seed", range(6))
def test_slider_goes_through_the_pivot_of_a_crank_as_long_as_its_rod(seed):
    # At 90 degrees crank and rod could rotate together.
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.3, 1.5)
    m1, m2, m3 = rng.uniform(0.3, 3.0, 3)
    m = nsmb.Model(gravity=(0, -G))
    crank = m.add_body("crank", mass=m1, inertia=m1 * a**2 / 12, center=(a / 2, 0))
    rod = m.add_body("rod", mass=m2, inertia=m2 * a**2 / 12, center=(a / 2, 0))
    slider = m.add_body("slider", mass=m3, inertia=1.0)
    m.add_joint("crank", HINGE, m.ground, crank)
    m.add_joint("rod", HINGE, crank, rod, at=(a, 0))
    m.add_joint("slider", joints.Prismatic((1, 0, 0)), m.ground, slider)
    m.add_loop("pin", HINGE, rod, slider, at=(a, 0))
    angle, speed = rng.uniform(0.2, 1.2), rng.uniform(5.0, 9.0)
    system = m.build(
        {"crank": angle, "rod": -2 * angle, "slider": 2 * a * np.cos(angle)},
        {"crank": speed},
    )
    sol = nsmb.simulate(system, 3.0, rtol=1e-10)

    def J(p):
        s, c = np.sin(p) ** 2, np.cos(p) ** 2
        return a**2 * (m1 / 3 + m2 / 12 + m2 * (2.25 * s + 0.25 * c) + 4 * m3 * s)

    def dJ(p):
        return a**2 * (2 * m2 + 4 * m3) * np.sin(2 * p)

    weight = G * a * (0.5 * m1 + 0.5 * m2)
    phi, _ = reduced(J, dJ, lambda p: weight * np.cos(p), angle, speed, sol.t)
    assert np.ptp(phi) > np.pi
    assert np.abs(sol.q[:, 0] - phi).max() < 1e-6
    assert sol.q[:, 2] == pytest.approx(2 * a * np.cos(phi), abs=1e-6)


def test_what_rounding_hides_ends_with_the_names_of_the_constraints():
    sol = nsmb.simulate(windows(2), 3.0, rtol=1e-14, throw=False)
    phi, _ = exact_windows(2, np.pi / 2, -1.0, sol.t)
    assert np.abs(angles(sol, "foot") - phi[:, None]).max() < 1e-9
    if sol.status != "finished":
        assert sol.status == "integration_failure"
        assert "singular position" in sol.message
        assert "pin" in sol.message


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6, 1e-8])
def test_nearly_dependent_constraints_still_bind(delta):
    # Two guides that cross at a small angle hold a mass at their point of intersection.
    guides = [
        nsmb.Constraint(
            lambda t, q, n=n: n @ q,
            w=lambda t, q, n=n: n,
            w_bar=lambda t, q, u: 0.0,
            name=f"guide at {n[0]}",
        )
        for n in (np.array([0.0, 1.0]), np.array([np.sin(delta), np.cos(delta)]))
    ]
    system = nsmb.CallbackSystem(
        ["x", "y"],
        mass_matrix=np.eye(2),
        forces=lambda t, q, u: [1.0 + q[0], -2.0],
        constraints=guides,
    )
    sol = nsmb.simulate(system, 2.0)
    # Rounding of the gaps, divided by the angle.
    assert np.abs(sol.q).max() < 1e-12 / delta
