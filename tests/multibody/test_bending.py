"""Bending beams, (14.34)-(14.47), against closed forms."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import nsmb
from nsmb.multibody.elastic import Bending, ShapeFunctions, sines, splines

L, EI, RHO_A = 1.5, 40.0, 2.0
G = 9.81


def cantilever_root(k: int) -> float:
    return brentq(
        lambda x: np.cos(x) + 1.0 / np.cosh(x), k * np.pi + (1e-9 if k else 1.0), (k + 1) * np.pi
    )


def free_root(k: int) -> float:
    """Return the nonzero root number k of the free beam, k from 1."""
    return brentq(lambda x: np.cos(x) - 1.0 / np.cosh(x), k * np.pi + 1.0, (k + 1) * np.pi)


def beam_frequency(root: float) -> float:
    return (root / L) ** 2 * np.sqrt(EI / RHO_A)


def cantilever(beam: Bending, gravity: float = 0.0) -> tuple[nsmb.Model, nsmb.multibody.Body]:
    m = nsmb.Model(gravity=(0.0, -gravity))
    body = m.add_elastic_body("beam", beam)
    m.add_joint("clamp", nsmb.joints.Fixed(), m.ground, body)
    return m, body


def frequencies(system: nsmb.MultibodySystem, beam: Bending, first: int) -> np.ndarray:
    K = np.zeros((system.nu, system.nu))
    K[first : first + beam.count, first : first + beam.count] = beam.stiffness_matrix
    M = system.mass_matrix(0.0, system.initial_state.q)
    return np.sqrt(np.maximum(eigh(K, M, eigvals_only=True), 0.0))


def test_sines_are_the_eigenfunctions_of_a_beam_on_two_supports() -> None:
    beam = Bending(L, EI, RHO_A, sines(4, "pinned-pinned"))
    exact = (np.arange(1, 5) * np.pi / L) ** 2 * np.sqrt(EI / RHO_A)
    assert np.abs(beam.frequencies / exact - 1.0).max() <= 1e-12


def test_frequencies_of_a_cantilever_converge_from_above() -> None:
    """With cubic splines, the errors of the eigenvalues fall as 1/intervals⁴."""
    exact = np.array([beam_frequency(cantilever_root(k)) for k in range(2)])
    errors = np.array(
        [
            Bending(L, EI, RHO_A, splines(n, "fixed-free")).frequencies[:2] / exact - 1.0
            for n in (5, 9, 17)  # 4, 8, 16 intervals
        ]
    )
    assert errors.min() > 0.0
    assert errors[-1].max() <= 6e-6  # 5.3e-6 for the second
    assert errors[:-1, 0] / errors[1:, 0] == pytest.approx(16.0, rel=0.05)
    assert errors[1, 1] / errors[2, 1] == pytest.approx(16.0, rel=0.1)
    cosines = Bending(L, EI, RHO_A, sines(12, "fixed-free")).frequencies[0] / exact[0] - 1.0
    assert 0.0 < cosines <= 1e-3


def test_free_beam_has_the_frequencies_of_that_about_any_frame() -> None:
    """Three rigid motions of the whole beam, then the roots of cos λ cosh λ = 1.

    The frame follows the mean motion, the chord or the tangent at one end. With the rigid motions,
    all of them span the same splines.
    """
    exact = np.array([beam_frequency(free_root(k)) for k in (1, 2)])
    found = {}
    for support in ("free-free", "pinned-pinned", "fixed-free"):
        beam = Bending(L, EI, RHO_A, splines(14, support))
        m = nsmb.Model()
        m.add_joint("free", nsmb.joints.Planar(), m.ground, m.add_elastic_body("beam", beam))
        found[support] = frequencies(m.build(), beam, 3)
        assert found[support][2] <= 1e-5 * found[support][3]
        assert found[support][3:] == pytest.approx(found["free-free"][3:], rel=1e-8)
    errors = found["free-free"][3:5] / exact - 1.0
    assert (errors > 0.0).all()
    assert errors.max() <= 1.3e-4  # 1.04e-4 for the second


def test_cantilever_with_a_mass_at_its_end() -> None:
    """1 + cos λ cosh λ + μ λ (cos λ sinh λ - sin λ cosh λ) = 0."""
    mass = 1.7
    mu = mass / (RHO_A * L)

    def equation(x: float) -> float:
        c, s, ch, sh = np.cos(x), np.sin(x), np.cosh(x), np.sinh(x)
        return 1.0 + c * ch + mu * x * (c * sh - s * ch)

    beam = Bending(L, EI, RHO_A, splines(14, "fixed-free"))
    m, body = cantilever(beam)
    m.add_joint("weld", nsmb.joints.Fixed(), body, m.add_body("tip", mass=mass), at=L)
    found = frequencies(m.build(), beam, 0)[:2]
    # 3e-8 and 6.1e-6 above
    exact = [beam_frequency(brentq(equation, *ends)) for ends in ((0.5, 1.8), (3.2, 4.6))]
    assert found == pytest.approx(exact, rel=8e-6)
    assert found[0] == pytest.approx(exact[0], rel=1e-7)


def test_point_load_bends_as_a_cubic_and_weight_as_a_quartic() -> None:
    """At the end P l³/3EI and P l²/2EI, as splines contain the cubic.

    ϱA g l⁴/8EI is reached with 8 intervals.
    """
    beam = Bending(L, EI, RHO_A, splines(9, "fixed-free"))
    m, body = cantilever(beam, G)
    end = body.marker("end", at=L, is_output=True)
    system = m.build()
    rest = np.zeros(system.nq)
    weight = system.forces(0.0, rest, rest)
    p = np.linalg.solve(beam.stiffness_matrix, weight)
    sag = RHO_A * G * L**4 / (8.0 * EI)
    assert system.position(end, 0.0, p)[1] == pytest.approx(-sag, rel=1e-6)
    P = 1e-3
    node = beam.section(np.array([L, 0.0, 0.0]))
    assert node[1] is not None
    w, slope = beam._motion(L)
    p = np.linalg.solve(beam.stiffness_matrix, P * w[1])
    assert w[1] @ p == pytest.approx(P * L**3 / (3.0 * EI), rel=1e-12)
    assert slope @ p == pytest.approx(P * L**2 / (2.0 * EI), rel=1e-12)
    r, A = system.pose(end, 0.0, p)
    assert r[:2] == pytest.approx([L, P * L**3 / (3.0 * EI)], rel=1e-12)
    assert np.arctan2(A[1, 0], A[0, 0]) == pytest.approx(P * L**2 / (2.0 * EI), rel=1e-11)


def test_leg_on_a_fuselage_has_the_printed_mass_matrix() -> None:
    """Elastic parts M_11, M_12, M_22 of (14.51) for one leg across a beam.

    The mass m_4 is at its end.
    """
    fuselage = Bending(
        4.0, 9e3, lambda x: 20.0 + 5.0 * x, splines(5, "free-free"), rho_I=0.3, start=-1.5
    )
    leg = Bending(0.9, 2e3, 6.0, splines(2, "fixed-free"), rho_I=0.05)
    x_1, l, m_4 = 0.7, 0.9, 11.0
    m = nsmb.Model()
    body = m.add_elastic_body("fuselage", fuselage)
    m.add_joint("free", nsmb.joints.Planar(), m.ground, body)
    strut = m.add_elastic_body("leg", leg)
    m.add_joint("weld", nsmb.joints.Fixed(), body, strut, at=x_1, angle=-np.pi / 2)
    m.add_joint("axle", nsmb.joints.Fixed(), strut, m.add_body("wheel", mass=m_4), at=l)
    M = m.build().mass_matrix(0.0, np.zeros(3 + 5 + 2))[3:, 3:]
    (W, dw_1), (w_l, _) = fuselage._motion(x_1), leg._motion(l)
    w_1, w_2 = W[1], w_l[1]
    x, dx = leg._x, leg._weights
    shapes, slopes = leg._shapes(leg._xi)
    m_2 = 6.0 * l
    M_11 = fuselage.mass_matrix + (m_2 + m_4) * np.outer(w_1, w_1)
    M_11 += ((m_4 + m_2 / 3.0) * l**2 + 0.05 * l) * np.outer(dw_1, dw_1)
    M_12 = np.outer(dw_1, m_4 * l * w_2 + shapes @ (6.0 * x * dx) + slopes @ (0.05 * dx))
    M_22 = leg.mass_matrix + m_4 * np.outer(w_2, w_2)
    exact = np.block([[M_11, M_12], [M_12.T, M_22]])
    assert np.abs(M - exact).max() <= 1e-13 * np.abs(exact).max()


def test_turning_beam_is_softened_by_its_rotation() -> None:
    """∂h/∂p = -(K - Ω² M) about a hub at constant speed.

    These are centrifugal forces without the stiffening due to shortening, which the model omits.
    """
    beam = Bending(L, EI, RHO_A, splines(4, "fixed-free"))
    m = nsmb.Model()
    body = m.add_elastic_body("beam", beam)
    m.add_joint("hub", nsmb.joints.Revolute(), m.ground, body, at=(0.3, 0.2))
    system = m.build()
    Omega = 3.0
    u = np.array([Omega, 0.0, 0.0, 0.0, 0.0])
    slopes = np.column_stack(
        [
            (system.forces(0.0, e, u) - system.forces(0.0, -e, u))[1:] / 2e-3
            for e in 1e-3 * np.eye(5)[1:]
        ]
    )
    exact = -(beam.stiffness_matrix - Omega**2 * beam.mass_matrix)
    assert slopes == pytest.approx(exact, rel=1e-10, abs=1e-10 * np.abs(exact).max())


@pytest.mark.parametrize("joint", [nsmb.joints.Planar(), nsmb.joints.Free()])
def test_momentum_and_energy_are_kept_by_a_flying_beam(joint: nsmb.joints.Joint) -> None:
    """A beam bent by a tenth of its length, spinning, with a mass at one end: ten periods."""
    beam = Bending(L, EI, RHO_A, splines(5, "free-free"), rho_I=0.01)
    m = nsmb.Model()
    body = m.add_elastic_body("beam", beam, inertia=(0.02, 0.03, 0.03))
    m.add_joint("free", joint, m.ground, body)
    m.add_joint("weld", nsmb.joints.Fixed(), body, m.add_body("tip", mass=0.4, inertia=0.001), at=L)
    spatial = isinstance(joint, nsmb.joints.Free)
    spin = (0.3, 0.2, -0.1, 1.0, -2.0, 4.0) if spatial else (0.3, 0.2, 4.0)
    system = m.build({"beam": (0.15, -0.1, 0.1, -0.05, 0.1)}, {"free": spin})
    period = 2 * np.pi / beam_frequency(free_root(1))
    method = nsmb.EventDriven(rtol=1e-12, atol=1e-13)
    solution = nsmb.simulate(system, 10 * period, method=method)
    energy = solution.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-9
    (p_0, L_0), (p_1, L_1) = (system.momentum(0.0, solution.q[k], solution.u[k]) for k in (0, -1))
    assert np.abs(p_1 - p_0).max() <= 1e-10 * np.abs(p_0).max()
    assert np.abs(L_1 - L_0).max() <= 1e-9 * np.abs(L_0).max()


def bouncing_beam() -> nsmb.MultibodySystem:
    """Free beam with round ends above a floor, with a rigid pendulum on it."""
    beam = Bending(L, EI, RHO_A, splines(4, "free-free"), damping_ratio=0.01)
    m = nsmb.Model(gravity=(0.0, -G))
    body = m.add_elastic_body("beam", beam)
    m.add_joint("free", nsmb.joints.Planar(), m.ground, body)
    rod = m.add_body("rod", mass=0.3, inertia=0.002)
    m.add_joint("hinge", nsmb.joints.Revolute(), body, rod, at=1.0, at_2=(0.0, 0.2))
    floor = m.ground.contour("floor", nsmb.geometry.Line())
    for k, x in enumerate((0.0, L)):
        end = body.contour(f"end_{k}", nsmb.geometry.Circle(0.02), at=(x, -0.01))
        m.add_contact(end, floor, nsmb.ContactLaw(mu=0.3, e_N=0.5), f"end_{k}")
    return m.build(
        {"free": (0.0, 0.4, 0.1), "beam": (0.02, -0.01, 0.01, 0.02)}, {"free": (1.0, 0.0, 0.5)}
    )


def test_contact_directions_are_derivatives_of_gaps() -> None:
    """w_N of contacts on sections agrees with differences of g_N.

    w_T agrees with the path of the contact point, by powers: g_N' = w_Nᵀu.
    """
    system = bouncing_beam()
    rng = np.random.default_rng(4)
    q, u = system.initial_state.q + 0.02 * rng.normal(size=system.nq), rng.normal(size=system.nu)
    W = system.contact_kinematics(0.0, q, u)["W_N"]
    step = 1e-6
    for k in range(system.nu):
        e = step * np.eye(system.nq)[k]
        g = [system.contact_kinematics(0.0, p, u)["g_N"] for p in (q + e, q - e)]
        assert np.abs(W[k] - (g[0] - g[1]) / (2 * step)).max() <= 1e-9
    assert (np.abs(W[3:7]) > 1e-3).all()


def test_beam_bounces_and_comes_to_rest_without_energy_from_nowhere() -> None:
    system = bouncing_beam()
    solution = nsmb.simulate(system, 0.8)
    assert solution.success
    kinds = [event.kind for event in solution.events]
    assert kinds.count(nsmb.EventKind.IMPACT) >= 4
    energy = solution.energy.total
    assert (np.diff(energy) <= 1e-7 * energy[0]).all()
    assert solution.check().ok


def test_stiff_beam_moves_as_a_rigid_rod() -> None:
    """A pendulum with EI times 1e3 and 1e4: its angle differs from that of the rod by O(1/EI)."""
    errors = []
    q_rod = None
    for factor in (None, 1e3, 1e4):
        m = nsmb.Model(gravity=(0.0, -G))
        if factor is None:
            J = RHO_A * L**3 / 12.0
            body = m.add_body("rod", mass=RHO_A * L, inertia=(0.0, J, J), center=(L / 2, 0.0))
        else:
            beam = Bending(L, factor * EI, RHO_A, splines(3, "fixed-free"), damping_ratio=0.7)
            body = m.add_elastic_body("beam", beam)
        m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, body)
        end = nsmb.simulate(m.build({"hinge": -0.3}), 0.5).q[-1]
        if q_rod is None:
            q_rod = end[0]
        else:
            errors.append(abs(end[0] - q_rod))
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.1)
    assert errors[1] <= 1e-4


def test_functions_of_the_user_make_a_beam() -> None:
    """The only function is the static line under a load at the end.

    The Rayleigh quotient √(420/11)·√3/... is 1.5 percent too high: ω² = 3 EI/(33/140 ϱA l⁴).
    """
    line = ShapeFunctions(
        lambda x: np.array([1.5 * x**2 - 0.5 * x**3]),
        lambda x: np.array([3.0 * x - 1.5 * x**2]),
        lambda x: np.array([3.0 - 3.0 * x]),
    )
    beam = Bending(L, EI, RHO_A, line)
    exact = np.sqrt(3.0 * EI / (33.0 / 140.0 * RHO_A * L**4))
    assert beam.frequencies[0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"EI": np.nan}, "EI: expected finite numbers >= 0"),
        ({"mass_per_length": 0.0}, "functions: must be independent of one another"),
        ({"rho_I": -1.0}, "rho_I: expected finite numbers >= 0"),
        ({"functions": sines(2, "free-free")}, "expected sines that fit bending, got 'free-free'"),
        (
            {"functions": ShapeFunctions(lambda x: np.array([x]), lambda x: np.array([1 + 0 * x]))},
            "curvature: expected the functions' second derivatives, got none",
        ),
        (
            {"functions": splines(1, "fixed-free")},
            "expected at least 2 splines 'fixed-free', got 1",
        ),
    ],
)
def test_beams_that_do_not_exist_are_refused(change: dict, message: str) -> None:
    given = {
        "length": L, "EI": EI, "mass_per_length": RHO_A, "functions": splines(3, "fixed-free")
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        Bending(**(given | change))


def test_joints_hold_the_frame_only_where_functions_vanish() -> None:
    """A hinge permits slopes, so that a beam about its chord may hang on one; a weld does not."""
    beam = Bending(L, EI, RHO_A, sines(2, "pinned-pinned"))
    for joint, at_2, message in (
        (nsmb.joints.Revolute(), 0.0, None),
        (nsmb.joints.Revolute(), L, None),
        (nsmb.joints.Revolute(), 0.4 * L, "that are zero"),
        (nsmb.joints.Fixed(), 0.0, "that are zero"),
        (nsmb.joints.Planar(), 0.3, None),
        (nsmb.joints.Prismatic((0, 1, 0)), L, "that are zero"),
    ):
        m = nsmb.Model()
        body = m.add_elastic_body("beam", beam)
        m.add_joint("joint", joint, m.ground, body, at_2=at_2)
        if message is None:
            m.build()
        else:
            with pytest.raises(ValueError, match=message):
                m.build()


def test_modes_are_combinations_with_the_frequencies_of_the_beam() -> None:
    """The lowest modes of many splines are as close to the closed form as all splines.

    They are 1 at the tip, have diagonal matrices, and their w'' is that of the mode.
    """
    beam = Bending(L, EI, RHO_A, splines(17, "fixed-free"), damping_ratio=0.05, modes=2)
    roots = np.array([cantilever_root(k) for k in range(2)])
    assert beam.count == 2
    assert beam.frequencies == pytest.approx([beam_frequency(r) for r in roots], rel=6e-6)
    for A in (beam.mass_matrix, beam.stiffness_matrix, beam.damping_matrix):
        assert np.array_equal(A, np.diag(np.diag(A)))
    D = 2.0 * 0.05 * beam.frequencies * np.diag(beam.mass_matrix)
    assert np.diag(beam.damping_matrix) == pytest.approx(D, rel=1e-12)
    assert beam._motion(L)[0][1] == pytest.approx([1.0, 1.0], rel=1e-12)
    # ∫ w² of a mode that is 1 at the tip is a quarter of the length.
    assert np.diag(beam.mass_matrix) == pytest.approx(0.25 * RHO_A * L, rel=1e-4)
    with pytest.raises(ValueError, match="modes: expected at most the 4 functions, got 5"):
        Bending(L, EI, RHO_A, splines(4, "fixed-free"), modes=5)


def test_modes_of_a_model_are_those_of_its_beam() -> None:
    """The reference is ω √(1 - ζ²), at rest under weight, by the Jacobians of the core."""
    beam = Bending(L, EI, RHO_A, splines(5, "fixed-free"), damping_ratio=0.02)
    m, _ = cantilever(beam, G)
    found = 2.0 * np.pi * nsmb.analysis.modes(m.build()).frequencies
    # Measured: 1.1e-9 with the newest NumPy, less with older versions.
    assert found == pytest.approx(beam.frequencies * np.sqrt(1.0 - 0.02**2), rel=1e-8)


def test_beam_is_drawn_as_the_line_it_bends_to() -> None:
    beam = Bending(L, EI, RHO_A, splines(3, "fixed-free"))
    m, _ = cantilever(beam)
    system = m.build()
    q = np.array([0.05, -0.1, 0.2])
    poses = system.scene.poses(0.0, q)
    points = [poses[link[k]][0] for link in system.scene.links for k in (1, 2)]
    assert len(points) >= 16
    for x, y, _ in points:
        assert y == pytest.approx(beam._motion(x)[0][1] @ q, abs=1e-15)


def slider_crank(EI: float, **start: float) -> nsmb.MultibodySystem:
    """Crank, elastic rod, and a slide to which the end of the rod is pinned."""
    m = nsmb.Model(gravity=(0.0, -G))
    crank = m.add_body("crank", mass=1.0, inertia=0.004, center=(0.1, 0.0))
    m.add_joint("crank", nsmb.joints.Revolute(), m.ground, crank)
    rod = m.add_elastic_body("rod", Bending(0.6, EI, 1.2, sines(2, "pinned-pinned")))
    m.add_joint("pin", nsmb.joints.Revolute(), crank, rod, at=(0.2, 0.0))
    slide = m.add_body("slide", mass=0.7, inertia=0.001)
    m.add_joint("slide", nsmb.joints.Prismatic((1, 0, 0)), m.ground, slide)
    m.add_loop("end", nsmb.joints.Revolute(), rod, slide, at=0.6)
    return m.build({"crank": 1.1} | start, {"crank": 8.0}, guess={"pin": -1.5, "slide": 0.6})


def test_loops_are_closed_by_joints_and_not_by_bending() -> None:
    """Initial position and velocity are those of the rigid mechanism, bent only if specified."""
    system = slider_crank(40.0)
    start = system.initial_state
    reach = 0.2 * np.cos(1.1) + np.sqrt(0.36 - (0.2 * np.sin(1.1)) ** 2)
    names = list(system.coordinates)
    assert start.q[names.index("slide")] == pytest.approx(reach, abs=1e-12)
    bent = [names.index(f"rod.q{k}") for k in (1, 2)]
    assert (start.q[bent] == 0.0).all()
    assert np.abs(start.u[bent]).max() <= 1e-12
    given = slider_crank(40.0, **{"rod.q1": 0.02}).initial_state
    assert given.q[bent[0]] == 0.02


def test_elastic_slider_crank_keeps_its_energy_and_tends_to_the_rigid_one() -> None:
    """A quarter revolution and more: energy, the pin, and a rod that is ten times as stiff."""
    ends = []
    for EI in (4e2, 4e3, 4e4):
        system = slider_crank(EI)
        solution = nsmb.simulate(system, 0.1, rtol=1e-10)
        energy = solution.energy.total
        assert np.abs(energy / energy[0] - 1.0).max() <= 1e-8
        ends.append(solution.q[-1][list(system.coordinates).index("crank")])
    assert abs(ends[1] - ends[2]) < 0.3 * abs(ends[0] - ends[1])


@pytest.mark.parametrize(
    ("support", "equation", "between"),
    [
        ("fixed-fixed", lambda x: np.cos(x) * np.cosh(x) - 1.0, (4.0, 5.5)),
        ("fixed-pinned", lambda x: np.tan(x) - np.tanh(x), (3.5, 4.6)),
        ("pinned-fixed", lambda x: np.tan(x) - np.tanh(x), (3.5, 4.6)),
        ("free-fixed", lambda x: np.cos(x) * np.cosh(x) + 1.0, (1.5, 2.5)),
    ],
)
def test_splines_hold_both_ends_as_they_say(support, equation, between) -> None:
    beam = Bending(L, EI, RHO_A, splines(12, support))
    exact = beam_frequency(brentq(equation, *between))
    assert exact < beam.frequencies[0] < exact * (1.0 + 3e-5)
