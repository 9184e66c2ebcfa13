"""Closed loops as bilateral constraints against closed forms."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.integrate import solve_ivp

import nsmb
from nsmb import geometry, joints

G = 9.81
CRANK, COUPLER, ROCKER, BASE = 0.2, 0.5, 0.35, 0.45  # m, Grashof: the crank can make full rotations
R, L = 0.15, 0.4  # crank and rod of the slider-crank


def four_bar(crank=0.7, speed=2.0, *, driven=None, closing=None):
    m = nsmb.Model(gravity=(0, -G))
    bars = [
        m.add_body(name, mass=mass, inertia=mass * length**2 / 12, center=(length / 2, 0))
        for name, mass, length in (
            ("crank", 0.5, CRANK),
            ("coupler", 0.8, COUPLER),
            ("rocker", 0.6, ROCKER),
        )
    ]
    hinge = joints.Revolute()
    m.add_joint("crank", hinge, m.ground, bars[0], motion=driven)
    m.add_joint("coupler", hinge, bars[0], bars[1], at=(CRANK, 0))
    m.add_joint("rocker", hinge, m.ground, bars[2], at=(BASE, 0))
    m.add_loop("pin", closing or hinge, bars[1], bars[2], at=(COUPLER, 0), at_2=(ROCKER, 0))
    guess = {"coupler": 0.4 - crank, "rocker": 1.4}
    if driven is not None:
        return m.build(guess=guess)
    return m.build({"crank": crank}, {"crank": speed}, guess=guess)


def four_bar_angles(theta):
    """Return the absolute angles of coupler and rocker, from the intersection of two circles."""
    p = CRANK * np.exp(1j * theta)
    d = BASE - p
    half = (COUPLER**2 - ROCKER**2 + np.abs(d) ** 2) / (2 * np.abs(d))
    pin = p + d / np.abs(d) * (half + 1j * np.sqrt(COUPLER**2 - half**2))
    return np.angle(pin - p), np.angle(pin - BASE)


def four_bar_rates(theta, omega, alpha):
    """Return velocities and accelerations of both angles, from the differentiated loop equation."""
    psi, phi = four_bar_angles(theta)
    arms = np.array([CRANK, COUPLER, -ROCKER]) * 1j * np.exp(1j * np.array([theta, psi, phi]))
    A = np.array([arms[1:].real, arms[1:].imag])
    rates = np.linalg.solve(A, -omega * np.array([arms[0].real, arms[0].imag]))
    all_rates = np.array([omega, *rates])
    bend = alpha * arms[0] + (1j * arms * all_rates**2).sum()
    return rates, np.linalg.solve(A, -np.array([bend.real, bend.imag]))


@pytest.mark.parametrize("theta", [0.3, 1.9, 4.0])
def test_four_bar_follows_its_closed_form(theta) -> None:
    system = four_bar(theta, 2.0)
    state = system.initial_state
    psi, phi = four_bar_angles(theta)
    assert state.q == pytest.approx([theta, psi - theta, phi], abs=1e-12)
    result = nsmb.instant.accelerations(system, 0.0, state.q, state.u)
    rates, second = four_bar_rates(theta, 2.0, result.udot[0])
    assert state.u == pytest.approx([2.0, rates[0] - 2.0, rates[1]], abs=1e-11)
    expected = [second[0] - result.udot[0], second[1]]
    assert result.udot[1:] == pytest.approx(expected, rel=1e-10)

    def energies(angle):
        """Return reduced inertia and potential energy over the crank angle, derived by hand."""
        (one, two), _ = four_bar_rates(angle, 1.0, 0.0)
        psi, phi = four_bar_angles(angle)
        v = CRANK * 1j * np.exp(1j * angle) + COUPLER / 2 * 1j * np.exp(1j * psi) * one
        J = 0.5 * CRANK**2 / 3 + 0.8 * (abs(v) ** 2 + COUPLER**2 / 12 * one**2)
        J += 0.6 * ROCKER**2 / 3 * two**2
        height = 0.8 * (CRANK * np.sin(angle) + COUPLER / 2 * np.sin(psi))
        V = G * (0.25 * CRANK * np.sin(angle) + height + 0.3 * ROCKER * np.sin(phi))
        return np.array([J, V])

    h = 1e-3
    stencil = ((1, 45), (2, -9), (3, 1), (-1, -45), (-2, 9), (-3, -1))
    dJ, dV = sum(w * energies(theta + k * h) for k, w in stencil) / (60 * h)
    assert result.udot[0] == pytest.approx(-(dJ / 2 * 2.0**2 + dV) / energies(theta)[0], rel=1e-9)
    assert system.kinetic_energy(0.0, state.q, state.u) == pytest.approx(
        energies(theta)[0] / 2 * 4.0, rel=1e-12
    )
    assert system.potential_energy(0.0, state.q) == pytest.approx(energies(theta)[1], rel=1e-12)


def test_four_bar_keeps_its_energy_and_its_form() -> None:
    system = four_bar(0.7, 14.0)
    sol = nsmb.simulate(system, 10.0, rtol=1e-11, output_step=0.05)
    E = np.array(
        [
            system.kinetic_energy(0, q, u) + system.potential_energy(0, q)
            for q, u in zip(sol.q, sol.u, strict=True)
        ]
    )
    assert np.ptp(sol.q[:, 0]) > 2 * np.pi  # it makes full rotations
    assert np.abs(E - E[0]).max() < 1e-9 * np.abs(E[0])
    psi, phi = four_bar_angles(sol.q[:, 0])
    assert np.exp(1j * (sol.q[:, 0] + sol.q[:, 1])) == pytest.approx(np.exp(1j * psi), abs=1e-7)
    assert np.exp(1j * sol.q[:, 2]) == pytest.approx(np.exp(1j * phi), abs=1e-7)


@pytest.mark.parametrize("closing", [joints.Spherical(), joints.Cylindrical()], ids=repr)
def test_other_joints_that_close_the_plane_give_the_same_motion(closing) -> None:
    one = nsmb.simulate(four_bar(), 1.0, rtol=1e-11)
    two = nsmb.simulate(four_bar(closing=closing), 1.0, rtol=1e-11)
    assert two.q[-1] == pytest.approx(one.q[-1], abs=1e-9)


def test_coupler_as_a_rod_without_mass() -> None:
    """A distance constraint instead of a light coupler, with both arms at the ends of the rod."""
    m = nsmb.Model(gravity=(0, -G))
    crank = m.add_body("crank", mass=0.5, inertia=0.5 * CRANK**2 / 12, center=(CRANK / 2, 0))
    rocker = m.add_body("rocker", mass=0.6, inertia=0.6 * ROCKER**2 / 12, center=(ROCKER / 2, 0))
    m.add_joint("crank", joints.Revolute(), m.ground, crank)
    m.add_joint("rocker", joints.Revolute(), m.ground, rocker, at=(BASE, 0))
    m.add_loop("rod", joints.Rod(COUPLER), crank, rocker, at=(CRANK, 0), at_2=(ROCKER, 0))
    system = m.build({"crank": 0.7}, {"crank": 2.0}, guess={"rocker": 1.4})
    state = system.initial_state
    assert state.q[1] == pytest.approx(four_bar_angles(0.7)[1], abs=1e-12)
    udot = nsmb.instant.accelerations(system, 0.0, state.q, state.u).udot
    rates, second = four_bar_rates(0.7, 2.0, udot[0])
    assert state.u[1] == pytest.approx(rates[1], abs=1e-11)
    assert udot[1] == pytest.approx(second[1], rel=1e-10)


def slider_crank(**build):
    m = nsmb.Model(gravity=(0, -G))
    crank = m.add_body("crank", mass=0.4, inertia=1e-3, center=(R / 2, 0))
    rod = m.add_body("rod", mass=0.3, inertia=4e-3, center=(L / 2, 0))
    slider = m.add_body("slider", mass=0.7)
    m.add_joint("crank", joints.Revolute(), m.ground, crank, motion=build.pop("motion", None))
    m.add_joint("rod", joints.Revolute(), crank, rod, at=(R, 0))
    m.add_joint("slider", joints.Prismatic((1, 0)), m.ground, slider)
    m.add_loop("pin", joints.Revolute(), rod, slider, at=(L, 0))
    return m.build(**build)


def test_driven_slider_crank_follows_its_closed_form() -> None:
    """All motion is prescribed: position, velocity and acceleration of the slider."""
    system = slider_crank(motion=Polynomial([0.3, 5.0, -0.4]), guess={"rod": -0.5, "slider": 0.5})
    sol = nsmb.simulate(system, 1.5, rtol=1e-10, output_step=0.1)
    t = sol.t
    theta, omega, alpha = 0.3 + 5.0 * t - 0.4 * t**2, 5.0 - 0.8 * t, -0.8
    s, c = np.sin(theta), np.cos(theta)
    w = np.sqrt(L**2 - R**2 * s**2)
    x, dx = R * c + w, -R * s - R**2 * s * c / w
    ddx = -R * c - R**2 * (c**2 - s**2) / w - R**4 * s**2 * c**2 / w**3
    assert sol.q[:, 1] == pytest.approx(x, abs=1e-9)
    assert sol.u[:, 1] == pytest.approx(dx * omega, abs=1e-8)
    for i in range(0, len(t), 5):
        udot = nsmb.instant.accelerations(system, t[i], sol.q[i], sol.u[i]).udot
        assert udot[1] == pytest.approx(ddx[i] * omega[i] ** 2 + dx[i] * alpha, abs=1e-6)


def test_free_slider_crank_keeps_its_energy() -> None:
    system = slider_crank(initial={"crank": 0.3}, velocities={"crank": 8.0}, guess={"slider": 0.5})
    sol = nsmb.simulate(system, 10.0, rtol=1e-11, output_step=0.1)
    rows = list(zip(sol.q, sol.u, strict=True))
    E = [system.kinetic_energy(0, q, u) + system.potential_energy(0, q) for q, u in rows]
    assert np.ptp(E) < 1e-9 * abs(E[0])


def test_parallelogram_with_redundant_bars_moves_like_a_pendulum() -> None:
    """Three equal cranks carry a bar: the third closes a redundant loop."""
    m = nsmb.Model(gravity=(0, -G))
    bar = m.add_body("bar", mass=1.0, inertia=0.1)
    cranks = [m.add_body(f"crank_{k}", mass=0.0) for k in range(3)]
    hinge = joints.Revolute()
    m.add_joint("swing", hinge, m.ground, cranks[0])
    m.add_joint("bar", hinge, cranks[0], bar, at=(0.3, 0))
    for k in (1, 2):
        arm = m.add_body(f"arm_{k}", mass=0.2, inertia=1e-3)
        m.add_joint(f"arm_{k}", hinge, m.ground, arm, at=(0.4 * k, 0))
        m.add_loop(f"pin_{k}", hinge, bar, arm, at=(0.4 * k, 0), at_2=(0.3, 0))
    for crank in cranks[1:]:
        m.add_joint(crank.name, joints.Fixed(), bar, crank)
    system = m.build({"swing": -1.0}, guess={"bar": 1.0, "arm_1": -1.0, "arm_2": -1.0})
    state = system.initial_state
    W = system.constraint_kinematics(0.0, state.q, state.u)["W"]
    assert np.linalg.matrix_rank(W, tol=1e-10) == 3
    sol = nsmb.simulate(system, 3.0, rtol=1e-11, output_step=0.05)
    # A point mass and both arms: J = m l² + 2 J_arm, arms without weight moment.
    J = 1.0 * 0.3**2 + 2 * 1e-3
    pendulum = nsmb.CallbackSystem(
        ["a"], [[J]], lambda t, q, u: [-1.0 * G * 0.3 * np.cos(q[0])],
        initial_state=nsmb.State(0.0, np.array([-1.0]), np.zeros(1)),
    )  # fmt: skip
    alone = nsmb.simulate(pendulum, 3.0, rtol=1e-11, output_step=0.05)
    assert sol.q[:, 0] == pytest.approx(alone.q[:, 0], abs=1e-8)
    assert sol.q[:, 0] + sol.q[:, 1] == pytest.approx(np.zeros(len(sol.t)), abs=1e-9)


@pytest.mark.parametrize(
    "joint",
    [
        joints.Fixed(),
        joints.Revolute((1, 2, 3)),
        joints.Prismatic((1, -2, 0.5)),
        joints.Cylindrical((0, 1, 1)),
        joints.Universal(),
        joints.Spherical(),
        joints.Planar(),
        joints.Rod(0.7),
        joints.OnCurve(geometry.Ellipse(0.8, 0.5)),
    ],
    ids=repr,
)
def test_a_closing_joint_leaves_what_it_leaves_in_a_tree(joint) -> None:
    """Two free bodies with a closing joint have its freedoms and satisfy its equations."""
    frame = nsmb.geometry.Frame((0.1, -0.2, 0.3), rotation(0.4, -0.7, 1.1))
    m = nsmb.Model()
    one, two = (m.add_body(name, mass=1.0, inertia=(0.1, 0.12, 0.15)) for name in ("one", "two"))
    m.add_joint("one", joints.Free(), m.ground, one)
    m.add_joint("two", joints.Free(), m.ground, two)
    m.add_loop("bond", joint, one, two, at=frame, at_2=(0.5, 0.1, 0.0))
    A = rotation(0.4, -0.7, 1.1)
    guess = np.array(frame.r) - A @ [0.5, 0.1, 0.0]
    system = m.build(guess={"two": [*guess, *quaternion(A)]})
    state = system.initial_state
    W = system.constraint_kinematics(0.0, state.q, state.u)["W"]
    left = 5 if isinstance(joint, joints.Rod | joints.OnCurve) else len(joint._names()[2])
    assert np.linalg.matrix_rank(W, tol=1e-9) == 6 - left
    k = system.constraint_kinematics(0.0, state.q, state.u)
    assert np.abs(k["g"]).max() < 1e-12
    if isinstance(joint, joints.Rod | joints.OnCurve):
        return
    # In a tree with the same joint the equations hold in every position.
    tree = nsmb.Model()
    one, two = (tree.add_body(name, mass=1.0, inertia=(0.1, 0.12, 0.15)) for name in "ab")
    tree.add_joint("a", joints.Free(), tree.ground, one)
    tree.add_joint("b", joint, one, two, at=frame, at_2=(0.5, 0.1, 0.0))
    tree.add_loop("bond", joint, one, two, at=frame, at_2=(0.5, 0.1, 0.0))
    both = tree.build()
    rng = np.random.default_rng(3)
    for _ in range(3):
        q = both._assembly.tree.normalise(both.initial_state.q + rng.normal(size=both.nq))
        u = rng.normal(size=both.nu)
        k = both.constraint_kinematics(0.0, q, u)
        assert np.abs(k["g"]).max() < 1e-12
        assert np.abs(k["W"].T @ u + k["w_tilde"]).max() < 1e-12
        assert np.abs(k["w_bar"]).max() < 1e-11  # of the terms without u̇, as W vanishes on them


def rotation(*angles):
    A = np.eye(3)
    for k, angle in enumerate(angles):
        i, j = [(1, 2), (2, 0), (0, 1)][k]
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = np.cos(angle)
        turn[j, i], turn[i, j] = np.sin(angle), -np.sin(angle)
        A = A @ turn
    return A


def quaternion(A):
    w = np.sqrt(1 + np.trace(A)) / 2
    return np.array(
        [w, *(np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / (4 * w))]
    )


def bead(joint, sigma, rate, curve, angle=0.0) -> nsmb.System:
    """Small body, free in the plane, with a point guided by a curve."""
    m = nsmb.Model(gravity=(0, -G))
    body = m.add_body("bead", mass=2.0, inertia=1e-3)
    m.add_joint("bead", joints.Planar(), m.ground, body)
    m.add_loop("guide", joint, m.ground, body, angle=angle)
    place, slope = curve(sigma)
    return m.build({"bead": [*place, 0.3]}, {"bead": [*(slope * rate), 0.5]})


def test_a_point_on_a_circle_is_a_pendulum() -> None:
    def circle(s):
        return 0.7 * np.array([np.cos(s), np.sin(s)]), 0.7 * np.array([-np.sin(s), np.cos(s)])

    start = (-0.3, 1.0, circle)
    method = nsmb.EventDriven(rtol=1e-11, atol=1e-12)
    runs = [
        nsmb.simulate(bead(joint, *start), t_end=3.0, method=method)
        for joint in (joints.OnCurve(geometry.Circle(0.7)), joints.Rod(0.7))
    ]
    assert all(run.success for run in runs)
    assert runs[0].q[-1] == pytest.approx(runs[1].q[-1], abs=1e-9)


@pytest.mark.parametrize("name", ["ellipse", "parabola"])
def test_a_point_on_a_curve_moves_as_its_parameter_does(name) -> None:
    """L = m (|r'|² σ̇²/2 - g y): |r'|² σ̈ + r'ᵀr'' σ̇² = -g y'."""
    a, b = 0.9, 0.4

    def ellipse(s):
        c, k = np.cos(s), np.sin(s)
        return np.array([a * c, b * k]), np.array([-a * k, b * c]), np.array([-a * c, -b * k])

    def parabola(s):
        return np.array([s, 0.8 * s * s]), np.array([1.0, 1.6 * s]), np.array([0.0, 1.6])

    r = {"ellipse": ellipse, "parabola": parabola}[name]
    curve = geometry.Ellipse(a, b) if name == "ellipse" else geometry.Parabola(0.8)
    angle = 0.0 if name == "ellipse" else np.pi  # parabolas of the library open downwards
    start = (-0.4, 1.5)

    def rhs(t, y):
        _, d1, d2 = r(y[0])
        return [y[1], -(d1 @ d2 * y[1] ** 2 + G * d1[1]) / (d1 @ d1)]

    t_end = 4.0
    exact = solve_ivp(rhs, (0.0, t_end), start, method="DOP853", rtol=1e-12, atol=1e-13)
    system = bead(joints.OnCurve(curve), *start, lambda s: r(s)[:2], angle)
    sol = nsmb.simulate(system, t_end=t_end, method=nsmb.EventDriven(rtol=1e-11, atol=1e-12))
    assert sol.success
    # Measured: 8e-13 m, heights 9e-12 m, energy 1.7e-10 J.
    assert sol.q[-1, :2] == pytest.approx(r(exact.y[0, -1])[0], abs=4e-11)
    heights = [
        system.constraint_kinematics(0.0, q, u)["g"][0]
        for q, u in zip(sol.q[::50], sol.u[::50], strict=True)
    ]
    assert np.abs(heights).max() < 1e-10
    energy = 0.5 * (sol.u[:, :2] ** 2).sum(axis=1) + G * sol.q[:, 1]
    assert np.ptp(energy) < 2e-9


def test_a_curve_that_guides_has_one_smooth_piece() -> None:
    square = geometry.Polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    with pytest.raises(ValueError, match=r"curve: must be one smooth piece, got 4 pieces"):
        joints.OnCurve(square)
    with pytest.raises(TypeError, match=r"curve: expected a contour of nsmb.geometry, got 3"):
        joints.OnCurve(3)
    m = nsmb.Model()
    body = m.add_body("bead", mass=1.0, inertia=1.0)
    with pytest.raises(ValueError, match="expected a joint with coordinates"):
        m.add_joint("j", joints.OnCurve(geometry.Circle(1.0)), m.ground, body)
