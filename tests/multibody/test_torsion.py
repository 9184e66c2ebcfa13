"""Torsion of shafts, (11.13)-(11.18), against closed forms."""

import pickle

import numpy as np
import pytest
from scipy.linalg import block_diag, eigh, expm
from scipy.optimize import brentq

import nsmb
from nsmb.multibody.elastic import ShapeFunctions, Torsion, sines, splines

L, GI_P, RHO_I_P = 2.0, 3.0e5, 0.09
C = np.sqrt(GI_P / RHO_I_P)  # m/s, of waves


def shaft_model(twist: Torsion, *discs: tuple[float, float]) -> nsmb.Model:
    """Shaft that rotates freely, with discs (z, J) on it."""
    m = nsmb.Model()
    shaft = m.add_elastic_body("shaft", twist)
    m.add_joint("turn", nsmb.joints.Revolute(), m.ground, shaft)
    for k, (z, J) in enumerate(discs):
        disc = m.add_body(f"disc_{k}", inertia=J)
        m.add_joint(f"hub_{k}", nsmb.joints.Fixed(), shaft, disc, at=z)
    return m


def frequencies(system: nsmb.MultibodySystem, twist: Torsion) -> np.ndarray:
    """Return the frequencies of a system whose only stiffness is that of the shaft.

    The coordinates of the shaft are the last ones.
    """
    n = twist.count
    K = np.zeros((system.nu, system.nu))
    K[-n:, -n:] = twist.stiffness_matrix
    M = system.mass_matrix(0.0, system.initial_state.q)
    return np.sqrt(np.maximum(eigh(K, M, eigvals_only=True), 0.0))


@pytest.mark.parametrize("support", ["fixed-free", "fixed-fixed", "free-free"])
def test_sines_are_the_eigenfunctions_of_a_uniform_shaft(support: str) -> None:
    """ω_k = (k - ½)πc/l or kπc/l."""
    twist = Torsion(L, GI_P, RHO_I_P, sines(5, support))
    first = 0.5 if support == "fixed-free" else 1.0
    exact = (first + np.arange(5)) * np.pi * C / L
    assert np.abs(twist.frequencies / exact - 1.0).max() <= 1e-13


def test_frequencies_by_splines_converge_from_above() -> None:
    """Errors of eigenvalues of cubic splines fall with the sixth power of the number of intervals.

    For degree p they fall as h^2p: 2^6 = 64 for twice the number.
    """
    exact = 0.5 * np.pi * C / L
    errors = [
        Torsion(L, GI_P, RHO_I_P, splines(n, "fixed-free")).frequencies[0] / exact - 1.0
        for n in (4, 6, 10)  # 2, 4, 8 intervals
    ]
    assert min(errors) > 0.0
    assert errors[0] < 1e-5
    assert errors[1] / errors[2] == pytest.approx(64.0, rel=0.1)


def test_free_shaft_on_its_bearing_has_the_frequencies_of_a_free_shaft() -> None:
    """The frame rotates in addition: 0 and kπc/l, for functions about its mean rotation.

    For functions fixed at the frame this is the limit, approached from above.
    """
    twist = Torsion(L, GI_P, RHO_I_P, sines(4, "free-free"))
    found = frequencies(shaft_model(twist).build(), twist)
    assert found[0] <= 1e-6 * found[1]
    assert found[1:] == pytest.approx(np.arange(1, 5) * np.pi * C / L, rel=1e-12)
    other = Torsion(L, GI_P, RHO_I_P, splines(12, "fixed-free"))
    found = frequencies(shaft_model(other).build(), other)
    assert found[1:3] == pytest.approx(np.array([1.0, 2.0]) * np.pi * C / L, rel=1e-5)


def test_shaft_with_a_disc_at_its_end_has_the_frequencies_of_that() -> None:
    """One end held, J at the other: ωl/c tan(ωl/c) = ϱ I_p l/J.

    It converges with the number of functions, but slowly for sines, whose slope at the disc is
    zero.
    """
    J = 0.25
    ratio = RHO_I_P * L / J
    exact = [
        brentq(lambda x: x * np.sin(x) - ratio * np.cos(x), 1e-9 + k * np.pi, (k + 0.5) * np.pi)
        for k in range(2)
    ]
    errors = {}
    for name, functions in (("splines", splines), ("sines", sines)):
        for n in (4, 8, 16):
            twist = Torsion(L, GI_P, RHO_I_P, functions(n, "fixed-free"))
            m = nsmb.Model()
            shaft = m.add_elastic_body("shaft", twist)
            m.add_joint("clamp", nsmb.joints.Fixed(), m.ground, shaft)
            disc = m.add_body("disc", inertia=J)
            m.add_joint("hub", nsmb.joints.Fixed(), shaft, disc, at=L)
            found = frequencies(m.build(), twist)[:2] * L / C
            errors[name, n] = np.abs(found / exact - 1.0).max()
    assert errors["splines", 16] <= 1e-8
    assert errors["splines", 4] / errors["splines", 8] > 30.0
    # Terms of the Fourier series of the jump of the slope: errors fall as 1/n.
    assert errors["sines", 4] / errors["sines", 8] == pytest.approx(2.0, rel=0.1)
    assert errors["sines", 8] / errors["sines", 16] == pytest.approx(2.0, rel=0.1)


def test_steps_of_the_section_are_integrated_exactly() -> None:
    """Static twist of a stepped shaft under a torque at its end: Σ T l/GI_p.

    Splines with a knot at the step contain it up to their smoothness; user functions reproduce it
    exactly.
    """
    hat = ShapeFunctions(
        lambda x: np.array([np.minimum(2 * x, 1.0), np.maximum(2 * x - 1.0, 0.0)]),
        lambda x: np.array([2.0 * (x < 0.5), 2.0 * (x > 0.5)]),
        breaks=[0.5],
    )
    twist = Torsion(
        L, lambda z: np.where(z < 1.0, GI_P, 4.0 * GI_P), RHO_I_P, hat, breaks=[0.5 * L]
    )
    T = 100.0
    q = np.linalg.solve(twist.stiffness_matrix, T * np.array([1.0, 1.0]))
    assert q.sum() == pytest.approx(T * (1.0 / GI_P + 0.25 / GI_P), rel=1e-14)


def test_torque_at_a_section_twists_as_a_shaft_does() -> None:
    """At rest under a torque at z, φ = T min(z, z_T)/GI_p, where the bend at z_T is a knot of hats.

    The generalised force of the torque is T w(z), and zero on a held end.
    """
    knots = np.array([0.0, 0.3, 0.625, 1.0])

    def hats(x: np.ndarray) -> np.ndarray:
        return np.array([np.interp(x, knots, e) for e in np.eye(4)[1:]])

    def slopes(x: np.ndarray) -> np.ndarray:
        steps = np.diff(np.eye(4)[1:], axis=1) / np.diff(knots)
        return steps[:, np.clip(np.searchsorted(knots, x, side="right") - 1, 0, 2)]

    twist = Torsion(L, GI_P, RHO_I_P, ShapeFunctions(hats, slopes, breaks=knots))
    T, z = 2.0e4, 1.25
    m = nsmb.Model()
    shaft = m.add_elastic_body("shaft", twist)
    m.add_joint("clamp", nsmb.joints.Fixed(), m.ground, shaft)
    m.add_load("torque", shaft, lambda t, r, A, v, Omega: ((0, 0, 0), (0, 0, T)), at=z)
    ends = [shaft.marker(f"m{k}", at=z_k, is_output=True) for k, z_k in enumerate((0.6, z, L))]
    system = m.build()
    q = np.linalg.solve(twist.stiffness_matrix, system.forces(0.0, np.zeros(3), np.zeros(3)))
    assert np.abs(system.forces(0.0, q, np.zeros(3))).max() <= 1e-10 * T
    axes = [system.pose(end, 0.0, q)[1][:2, 0] for end in ends]
    turns = np.array([np.arctan2(y, x) for x, y in axes])
    assert turns == pytest.approx(T * np.array([0.6, z, z]) / GI_P, rel=1e-12)


def test_what_is_attached_turns_with_its_section() -> None:
    """A point at (r, 0, z) is at r(cos, sin)(turn + w(z)ᵀq), exactly, however large the twist."""
    twist = Torsion(L, GI_P, RHO_I_P, sines(2, "fixed-free"))
    m = nsmb.Model()
    shaft = m.add_elastic_body("shaft", twist)
    m.add_joint("turn", nsmb.joints.Revolute(), m.ground, shaft, at=(0.1, 0.0, 0.3))
    point = shaft.marker("rim", at=(0.2, 0.0, 1.5), is_output=True)
    held = shaft.marker("held", at=(0.2, 0.0, 0.0), is_output=True)
    beyond = shaft.marker("beyond", at=(0.2, 0.0, 2.5), is_output=True)
    end = shaft.marker("end", at=L, is_output=True)
    system = m.build()
    q = np.array([0.4, 1.3, -0.7])
    k = np.array([0.5, 1.5]) * np.pi
    for place, z in ((point, 1.5), (held, 0.0), (beyond, L)):
        angle = q[0] + np.sin(k * z / L) @ q[1:]
        height = 0.3 + (2.5 if place is beyond else z)
        exact = [0.1 + 0.2 * np.cos(angle), 0.2 * np.sin(angle), height]
        assert system.position(place, 0.0, q) == pytest.approx(exact, abs=1e-15)
    A = system.pose(end, 0.0, q)[1]
    angle = q[0] + q[1] - q[2]
    assert A[:2, 0] == pytest.approx([np.cos(angle), np.sin(angle)], abs=1e-15)
    # The body itself is its frame.
    assert system.pose("shaft", 0.0, q)[1][:2, 0] == pytest.approx([np.cos(0.4), np.sin(0.4)])


def test_energy_and_momentum_are_kept_by_a_free_train_of_discs() -> None:
    """A twisted shaft with three discs, released: 20 periods of its lowest mode."""
    twist = Torsion(L, GI_P, RHO_I_P, sines(6, "free-free"), mass_per_length=3.0)
    m = nsmb.Model()
    shaft = m.add_elastic_body("shaft", twist)
    m.add_joint("free", nsmb.joints.Free(), m.ground, shaft)
    for k, (z, J) in enumerate(((0.0, 0.2), (0.8, 0.1), (L, 0.4))):
        disc = m.add_body(f"disc_{k}", mass=5.0, inertia=(J, 0.6 * J, 0.7 * J))
        m.add_joint(f"hub_{k}", nsmb.joints.Fixed(), shaft, disc, at=(0.03, 0.0, z))
    system = m.build({"shaft": 0.02 * np.arange(1, 7)}, {"free": (0.2, -0.1, 0.3, 2.0, -1.0, 30.0)})
    method = nsmb.EventDriven(rtol=1e-12, atol=1e-14)
    solution = nsmb.simulate(system, 0.06, method=method)
    energy = solution.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-9
    first, last = (system.momentum(0.0, solution.q[k], solution.u[k]) for k in (0, -1))
    assert np.abs(last[0] - first[0]).max() <= 1e-9 * np.abs(first[0]).max()
    assert np.abs(last[1] - first[1]).max() <= 1e-9 * np.abs(first[1]).max()


def test_damping_ratio_is_that_of_each_mode() -> None:
    """The eigenvalues of q'' M + D q' + K q are -ζω ± iω√(1 - ζ²)."""
    ratios = np.array([0.03, 0.1, 0.02])
    twist = Torsion(L, GI_P, RHO_I_P, splines(3, "fixed-free"), damping_ratio=ratios)
    M, K, D = twist.mass_matrix, twist.stiffness_matrix, twist.damping_matrix
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ K, -inverse @ D]])
    found = np.sort_complex(np.linalg.eigvals(A)[np.linalg.eigvals(A).imag > 0])
    exact = twist.frequencies * (-ratios + 1j * np.sqrt(1.0 - ratios**2))
    assert np.sort_complex(exact) == pytest.approx(found, rel=1e-10)


def test_stiff_shaft_moves_as_a_rigid_one() -> None:
    """Discs on a shaft under a torque: rotation of the rigid train; the twist falls as 1/GI_p."""
    turns, twists = [], []
    for factor in (0.1, 1.0):
        twist = Torsion(L, factor * GI_P, RHO_I_P, sines(2, "fixed-free"), damping_ratio=1.0)
        m = shaft_model(twist, (0.5, 0.3), (L, 0.5))
        shaft = m.bodies[0]
        m.add_load("motor", shaft, lambda t, r, A, v, Omega: ((0, 0, 0), (0, 0, 50.0)), at=0.0)
        system = m.build()
        end = nsmb.simulate(system, 0.3).q[-1]
        turns.append(end[0])
        twists.append(np.abs(end[1:]).max())
    rigid = 0.5 * 50.0 / (RHO_I_P * L + 0.8) * 0.3**2
    assert twists[0] / twists[1] == pytest.approx(10.0, rel=0.01)
    assert abs(turns[0] - rigid) / abs(turns[1] - rigid) == pytest.approx(10.0, rel=0.05)
    assert turns[1] == pytest.approx(rigid, rel=1e-4)


def test_rim_of_a_wheel_on_the_shaft_strikes_a_stop() -> None:
    """w_N is the derivative of g_N by all coordinates, and the impact changes all of them."""
    twist = Torsion(L, GI_P, RHO_I_P, sines(3, "fixed-free"))
    m = nsmb.Model()
    shaft = m.add_elastic_body("shaft", twist, inertia=0.1)
    m.add_joint("turn", nsmb.joints.Revolute(), m.ground, shaft)
    tooth = shaft.contour("tooth", nsmb.geometry.Circle(0.02), at=(0.3, 0.0, 1.7))
    stop = m.ground.contour("stop", nsmb.geometry.Line(), at=(0.0, -0.1, 1.7))
    m.add_contact(tooth, stop, nsmb.ContactLaw(e_N=0.4), "blow")
    system = m.build({"shaft": (0.02, -0.01, 0.005)}, {"turn": -4.0})
    q, u = system.initial_state.q, system.initial_state.u
    W = system.contact_kinematics(0.0, q, u)["W_N"][:, 0]
    step = 1e-6
    for e, w in zip(step * np.eye(4), W, strict=True):
        g = [system.contact_kinematics(0.0, p, u)["g_N"][0] for p in (q + e, q - e)]
        assert w == pytest.approx((g[0] - g[1]) / (2 * step), abs=1e-9)
    assert np.count_nonzero(W) == 4
    solution = nsmb.simulate(system, 0.15)
    blow = next(e for e in solution.events if e.kind is nsmb.EventKind.IMPACT)
    M = system.mass_matrix(blow.t, blow.q)
    W = system.contact_kinematics(blow.t, blow.q, blow.u_minus)["W_N"][:, 0]
    assert W @ blow.u_plus == pytest.approx(-0.4 * W @ blow.u_minus, rel=1e-9)
    jump = M @ (blow.u_plus - blow.u_minus)
    assert np.abs(jump - W * (jump @ W) / (W @ W)).max() <= 1e-9 * np.abs(jump).max()


class Mesh(nsmb.UserForce):
    """Teeth of two wheels on parallel axes: F = c γ on both base circles, γ̇ = r_1 ω_1 + r_2 ω_2.

    The deflection is a state, because the angle of a marker is only defined modulo 2π.
    """

    def __init__(self, c: float, *radii: float) -> None:
        self.c, self.radii, self.states = c, np.array(radii), {"gamma": 0.0}

    def force(self, now: nsmb.ForceInput) -> np.ndarray:
        wrenches = np.zeros((2, 2, 3))
        wrenches[:, 1, 2] = -self.c * now.x[0] * self.radii
        return wrenches

    def rates(self, now: nsmb.ForceInput) -> np.ndarray:
        return self.radii @ now.Omega[:, 2]

    def energy(self, now: nsmb.ForceInput) -> float:
        return 0.5 * self.c * float(now.x[0]) ** 2


def test_gears_on_two_shafts_move_as_their_matrices_say() -> None:
    """Wheels in mesh, each on one of two twisting shafts: M z'' + (K + c b bᵀ) z = 0.

    b = (r, r w(z)) of both. The motion is compared with the matrix exponential for more than a
    revolution.
    """
    c, radii, places = 2.0e6, (0.11, 0.07), (1.3, 0.4)
    m = nsmb.Model()
    M, K, b = [], [], []
    wheels = []
    for k, (r, z) in enumerate(zip(radii, places, strict=True)):
        twist = Torsion(L, GI_P, RHO_I_P, sines(2, "fixed-free"))
        shaft = m.add_elastic_body(f"shaft_{k}", twist, inertia=0.1)
        at = (0.18 * k, 0.0, 0.0)
        m.add_joint(f"turn_{k}", nsmb.joints.Revolute(), m.ground, shaft, at=at)
        wheels.append(m.add_body(f"wheel_{k}", inertia=0.05))
        m.add_joint(f"hub_{k}", nsmb.joints.Fixed(), shaft, wheels[-1], at=z)
        waves = np.array([0.5, 1.5]) * np.pi
        w = np.concatenate([[1.0], np.sin(waves * z / L)])
        own = np.diag([1.0, 0.5, 0.5])
        own[0, 1:] = own[1:, 0] = 1.0 / waves
        M.append(RHO_I_P * L * own + 0.05 * np.outer(w, w) + np.diag([0.1, 0.0, 0.0]))
        K.append(np.diag([0.0, *(0.5 * waves**2 * GI_P / L)]))
        b.append(r * w)
    m.add_user_force("mesh", Mesh(c, *radii), wheels)
    start = np.array([60.0, 3.0, -2.0, -60.0 * radii[0] / radii[1], 1.0, 5.0])
    names = [name for k in range(2) for name in (f"turn_{k}", f"shaft_{k}.q1", f"shaft_{k}.q2")]
    system = m.build({}, dict(zip(names, start, strict=True)))
    t = 0.15
    solution = nsmb.simulate(system, t, rtol=1e-10)
    mass, stiffness = block_diag(*M), block_diag(*K) + c * np.outer(np.hstack(b), np.hstack(b))
    rest = np.zeros((6, 6))
    A = np.block([[rest, np.eye(6)], [-np.linalg.solve(mass, stiffness), rest]])
    exact = expm(A * t) @ np.concatenate([np.zeros(6), start])
    assert abs(exact[0]) > 2.0 * np.pi
    found = np.concatenate([solution.q[-1], solution.u[-1]])
    assert np.abs(found - exact).max() <= 1e-6 * np.abs(start).max()
    energy = solution.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-9


def test_models_with_shafts_can_be_copied_and_pickled() -> None:
    twist = Torsion(L, GI_P, RHO_I_P, splines(3, "fixed-free"), damping_ratio=0.1)
    system = shaft_model(twist, (1.0, 0.2)).build({"shaft.q1": 0.01})
    twin = pickle.loads(pickle.dumps(system))
    q = nsmb.simulate(system, 0.01).q[-1]
    assert np.array_equal(nsmb.simulate(twin, 0.01).q[-1], q)
    assert q[1] != 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"length": 0.0}, "length: expected a number > 0"),
        ({"GI_p": -1.0}, "GI_p: expected finite numbers >= 0"),
        ({"rho_I_p": 0.0}, "functions: must be independent of one another and move"),
        ({"GI_p": lambda z: np.ones(3)}, "GI_p: expected a number, or a function of places"),
        ({"damping_ratio": -0.1}, "damping_ratio: expected a number >= 0, or one for each of 2"),
        ({"damping_ratio": (0.1, 0.1, 0.1)}, "damping_ratio: expected"),
        ({"damping_ratio": "x"}, "damping_ratio: expected a number >= 0, .*got 'x'"),
        ({"mass_per_length": -1.0}, "mass_per_length: expected finite numbers >= 0, got -1"),
        ({"mass_per_length": "x"}, "mass_per_length: expected a number, or a function"),
        ({"functions": 3}, "functions: expected nsmb.flexible.sines"),
        ({"functions": sines(2, "pinned-pinned")}, "functions: expected sines that fit torsion"),
        ({"breaks": [3.0]}, "breaks: expected places from 0 to 2 m"),
    ],
)
def test_shafts_that_do_not_exist_are_refused(change: dict, message: str) -> None:
    given = {
        "length": L, "GI_p": GI_P, "rho_I_p": RHO_I_P, "functions": sines(2, "fixed-free")
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        Torsion(**(given | change))


def test_wrong_functions_are_refused() -> None:
    with pytest.raises(ValueError, match="count: expected a whole number >= 1"):
        sines(0, "fixed-free")
    with pytest.raises(ValueError, match="count: expected at most 100"):
        splines(101, "fixed-free")
    with pytest.raises(ValueError, match="support: expected one of fixed-free"):
        splines(3, "clamped")
    with pytest.raises(ValueError, match="expected at least 3 splines 'fixed-free', got 2"):
        Torsion(L, GI_P, RHO_I_P, splines(2, "fixed-free"))
    with pytest.raises(ValueError, match="slope: expected the derivative of value"):
        ShapeFunctions(lambda x: np.array([x**2]), lambda x: np.array([x]))
    with pytest.raises(ValueError, match=r"value: expected shape \(n, 3\)"):
        ShapeFunctions(lambda x: np.array(1.0), lambda x: np.array([x]))
    with pytest.raises(ValueError, match="breaks: expected numbers from 0 to 1"):
        ShapeFunctions(lambda x: np.array([x]), lambda x: np.array([1 + 0 * x]), breaks=[2.0])
    double = ShapeFunctions(
        lambda x: np.array([x, 2 * x]), lambda x: np.array([1 + 0 * x, 2 + 0 * x])
    )
    with pytest.raises(ValueError, match="functions: must be independent"):
        Torsion(L, GI_P, RHO_I_P, double)


def test_models_refuse_what_an_elastic_body_cannot_do() -> None:
    twist = Torsion(L, GI_P, RHO_I_P, sines(2, "free-free"))
    m = nsmb.Model()
    shaft = m.add_elastic_body("shaft", twist)
    with pytest.raises(ValueError, match="body 'shaft': must have a unique name"):
        m.add_elastic_body("shaft", twist)
    with pytest.raises(ValueError, match="joint 'shaft': must have a unique name"):
        m.add_joint("shaft", nsmb.joints.Fixed(), m.ground, shaft)
    with pytest.raises(ValueError, match=r"expected nsmb\.flexible\.Torsion"):
        m.add_elastic_body("other", 3.0)
    with pytest.raises(ValueError, match=r"at: expected a place from 0 to 2 m, got 2\.5"):
        shaft.marker("far", at=2.5)
    m.add_joint("clamp", nsmb.joints.Fixed(), m.ground, shaft)
    with pytest.raises(ValueError, match="joint 'clamp': expected functions of 'shaft' that are z"):
        m.build()
