"""Geometric stiffening: columns and rotating beams in closed form, prestress, energy, frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import flexible
from tests.flexible.blocks import bar, free_block
from tests.flexible.test_motion import bouncing
from tests.multibody.test_derivatives import check, forces_at_random
from tests.oracles.rotating_beam import flap_frequencies

Array = NDArray[np.float64]
AREA = 1e6  # EI = ρA = L = 1, so slender that stretch and rotary inertia are 1e-6
GREENHILL = 7.837347  # 9/4 j², j the first zero of J_{-1/3}


def cantilever(n: int = 40, modes: int = 8, **options: object) -> nsmb.flexible.FlexibleBody:
    """Return a beam with EI = ρA = L = 1, held at its left end with its frame."""
    nodes = [(k / n, 0.0) for k in range(n + 1)]
    beam = flexible.beam(nodes, E=1.0, density=1.0 / AREA, area=AREA, I_z=1.0, **options)
    return flexible.reduce(
        beam, modes, method="clamped", interface=[0], frame=flexible.NodalFrame(0), stiffening=True
    )


def load_of_buckling(body: nsmb.flexible.FlexibleBody, K_g: Array) -> float:
    """Return the least factor of K_g at which K + K_g is singular."""
    return 1.0 / np.linalg.eigvals(np.linalg.solve(body.stiffness_matrix, -K_g)).real.max()


def test_column_buckles_under_its_weight_and_under_a_force_at_its_end() -> None:
    """Greenhill's and Euler's loads agree to 3e-4 and 4e-4 with 8 modes and 40 elements."""
    body = cantilever()
    own = load_of_buckling(body, body.geometric_stiffness(acceleration=(1.0, 0.0)))
    assert own == pytest.approx(GREENHILL, rel=1e-3)
    end = load_of_buckling(body, body.geometric_stiffness(forces={40: (-1.0, 0.0)}))
    assert end == pytest.approx(np.pi**2 / 4.0, rel=1e-3)


def test_column_in_a_model_gets_softer_until_it_falls() -> None:
    """The squared frequency at a share s of Greenhill's load is almost 1 - s, within 1 %.

    It is computed from forces of the model.
    """
    for share in (0.0, 0.5, 0.99, 1.01):
        body = cantilever(20, 4)
        m = nsmb.Model(gravity=(-share * GREENHILL, 0.0))
        m.add_joint("clamp", nsmb.joints.Fixed(), m.ground, m.add_elastic_body("column", body))
        system = m.build()
        step, zero = 1e-6, np.zeros(system.nu)
        K = np.array(
            [
                (system.forces(0.0, -e, zero) - system.forces(0.0, e, zero)) / (2.0 * step)
                for e in step * np.eye(system.nq)
            ]
        )
        least = np.linalg.eigvals(np.linalg.solve(body.mass_matrix, K)).real.min()
        assert least / 3.516015**2 == pytest.approx(1.0 - share, abs=0.01)
        assert (least > 0.0) == (share < 1.0)


@pytest.mark.parametrize("speed", [1.0, 3.0, 6.0, 12.0])
def test_turning_beam_has_the_frequencies_of_its_differential_equation(speed: float) -> None:
    """Flapping frequencies agree, with Southwell's coefficient 1.193 for slow rotation.

    With 8 modes and 40 elements errors are 2e-4 at speed 1 and 1.3e-3 at 12.
    """
    exact = flap_frequencies(speed)
    body = cantilever(40, 8)
    K = body.stiffness_matrix + body.geometric_stiffness(omega=(0.0, 0.0, speed))
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(body.mass_matrix, K)).real)[:2]
    # K_g has no -Ω² M, the inertia of S q_e, which bodies without stiffening also have.
    assert np.sqrt(squares) == pytest.approx(exact, rel=2e-3)
    if speed == 1.0:
        assert squares[0] - body.frequencies[0] ** 2 == pytest.approx(1.193, rel=2e-3)


def test_turning_beam_vibrates_in_a_model_with_that_frequency() -> None:
    """The frequency in the plane at speed 6 follows from zeros of a small vibration over 5 s.

    Without stiffening the motion diverges.
    """
    speed = 6.0
    expected = np.sqrt(flap_frequencies(speed)[0] ** 2 - speed**2)
    for stiffening in (True, False):
        body = cantilever(20, 3)
        if not stiffening:
            body = unstiffened(body)
        m = nsmb.Model()
        beam = m.add_elastic_body("beam", body)
        motion = np.polynomial.Polynomial((0.0, speed))
        m.add_joint("hub", nsmb.joints.Revolute(), m.ground, beam, motion=motion)
        system = m.build({"beam": [1e-4, 0.0, 0.0]})
        sol = nsmb.simulate(system, 5.0, method=nsmb.EventDriven(rtol=1e-10, atol=1e-12))
        t = np.linspace(0.0, 5.0, 4001)
        p = sol.at(t).q[:, 0]
        if not stiffening:
            assert np.abs(p).max() > 1.0
            continue
        assert np.abs(p).max() <= 1.1e-4
        k = np.flatnonzero(np.diff(np.sign(p)))
        zeros = t[k] + (t[1] - t[0]) * p[k] / (p[k] - p[k + 1])
        period = 2.0 * (zeros[-1] - zeros[0]) / (len(zeros) - 1)
        assert 2.0 * np.pi / period == pytest.approx(expected, rel=5e-3)


def unstiffened(body: nsmb.flexible.FlexibleBody) -> nsmb.flexible.FlexibleBody:
    """Return the body without its second-order terms."""
    twin = body.with_places({})
    twin.stiffening = None
    return twin


def test_geometric_stiffness_is_that_of_prestress_by_hand() -> None:
    """It is ∫ σ_0:(∇S_kᵀ ∇S_l) dV over triangles, computed without Γ.

    σ_0 is the static response of the plate, held by its frame conditions, to weight, centrifugal
    and Euler forces and a nodal force.
    """
    mesh = flexible.Mesh.rectangle(1.0, 0.2, 8, 3, kind="triangle")
    E, nu, rho = 50.0, 0.3, 2.0
    plate = flexible.plane(mesh, E=E, nu=nu, density=rho)
    first, last = (int(np.argmin(np.linalg.norm(plate.nodes - p, axis=1))) for p in CORNERS)
    body = flexible.reduce(
        plate,
        4,
        method="clamped",
        interface=["left"],
        frame=flexible.NodalFrame(first, along=last),
        stiffening=True,
    )
    tip = int(np.argmax(plate.nodes @ (1.0, 1.0, 0.0)))
    a, w, alpha, F = np.array([0.7, -0.3, 0.0]), 1.3, -0.8, np.array([-0.2, 0.5, 0.0])
    x = body.nodes
    across = np.column_stack([-x[:, 1], x[:, 0], np.zeros(len(x))])
    field = -(a + alpha * across - w**2 * x)  # in the body frame, linear between nodes
    load = plate.mass_matrix @ (field @ body.axes.T)[:, :2].ravel()
    load[2 * tip : 2 * tip + 2] += (F @ body.axes.T)[:2]
    free = np.setdiff1d(np.arange(plate.unknowns), [2 * first, 2 * first + 1, 2 * last])
    u_0 = np.zeros(plate.unknowns)
    K = plate.stiffness_matrix.toarray()
    u_0[free] = np.linalg.solve(K[np.ix_(free, free)], load[free])
    shapes = np.einsum("ab,kbn->kan", body.axes, body.shapes)[:, :2]
    expected = np.zeros((4, 4))
    D = E / (1.0 - nu**2) * np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, (1.0 - nu) / 2]])
    for cell in mesh.cells:
        edges = np.column_stack([np.ones(3), plate.nodes[cell, :2]])
        gradients = np.linalg.inv(edges)[1:]  # (2, 3) of the corner functions
        G = u_0.reshape(-1, 2)[cell].T @ gradients.T
        s = D @ (G[0, 0], G[1, 1], G[0, 1] + G[1, 0])
        sigma = np.array([[s[0], s[2]], [s[2], s[1]]])
        H = np.einsum("ian,bi->abn", shapes[cell], gradients)
        area = 0.5 * abs(np.linalg.det(edges))
        expected += area * np.einsum("bc,abk,acl->kl", sigma, H, H)
    found = body.geometric_stiffness(
        acceleration=a, omega=(0.0, 0.0, w), alpha=(0.0, 0.0, alpha), forces={tip: F}
    )
    assert found == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


CORNERS = (np.zeros(3), np.array([0.0, 0.2, 0.0]))


def test_integrals_of_space_are_those_of_accelerations_of_points() -> None:
    """K_g for any acceleration, α and ω in space agrees with sums over lumped nodes."""
    mesh = flexible.Mesh.box((1.0, 0.3, 0.2), (3, 2, 2))
    elements = flexible.solid(mesh, E=1e3, nu=0.3, density=2.0, lumped=True)
    body = flexible.reduce(elements, 4, stiffening=True)
    a, w, alpha = np.random.default_rng(2).normal(size=(3, 3))
    m = elements.mass_matrix.diagonal()[::3]
    x = body.nodes
    field = a + np.cross(alpha, x) + np.cross(w, np.cross(w, x))
    expected = np.einsum("i,iakl,ia->kl", m, body.stiffening.shapes, field)
    found = body.geometric_stiffness(acceleration=a, omega=w, alpha=alpha)
    assert found == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


def plate_or_brick(planar: bool) -> nsmb.flexible.FlexibleBody:
    if planar:
        return flexible.reduce(bar(8, E=2e4), 4, stiffening=True)
    mesh = flexible.Mesh.box((1.0, 0.2, 0.1), (4, 2, 1))
    elements = flexible.solid(mesh, E=1e5, nu=0.3, density=1000.0)
    return flexible.reduce(elements, 4, stiffening=True)


@pytest.mark.parametrize("planar", [True, False])
def test_energy_and_momentum_of_a_stiffened_body_are_kept(planar: bool) -> None:
    """The body is bent and spins for 3 s without damping, to a margin of 1e-11."""
    body = plate_or_brick(planar)
    spin = (0.3, -0.2, 4.0) if planar else (0.3, -0.2, 0.1, 2.0, -0.7, 3.0)
    bent = 0.02 * np.random.default_rng(7).normal(size=body.count)
    system = free_block(body, initial={"body": bent}, velocities={"free": spin})
    method = nsmb.EventDriven(rtol=1e-12, atol=1e-13)
    sol = nsmb.simulate(system, 3.0, method=method)
    energy = sol.energy.total
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-9
    (p_0, L_0), (p_1, L_1) = (system.momentum(0.0, sol.q[k], sol.u[k]) for k in (0, -1))
    assert np.abs(p_1 - p_0).max() <= 1e-9 * np.abs(p_0).max()
    assert np.abs(L_1 - L_0).max() <= 1e-9 * np.abs(L_0).max()
    plain = nsmb.simulate(
        free_block(unstiffened(body), initial={"body": bent}, velocities={"free": spin}), 3.0
    )
    assert np.abs(plain.q[-1] - sol.q[-1]).max() > 1e-3  # stiffening has an effect


def test_frame_does_not_change_how_a_turning_beam_moves() -> None:
    """The frame is fixed to the hub, or has mean axes with the hub as a closed loop.

    With mean axes, the joint force on the node must stiffen the beam in addition to inertia forces.
    A push bends the tip, and differences are of higher order in it.
    """
    tips = []
    for mean in (False, True):
        nodes = [(k / 20, 0.0) for k in range(21)]
        beam = flexible.beam(nodes, E=1.0, density=1e-4, area=1e4, I_z=1.0)
        frame = flexible.MeanAxes() if mean else flexible.NodalFrame(0)
        body = flexible.reduce(
            beam,
            3,
            method="clamped",
            interface=[0],
            frame=frame,
            stiffening=True,
            rayleigh=(0, 0.02),
        )
        m = nsmb.Model()
        part = m.add_elastic_body("beam", body)
        hub = m.add_body("hub", mass=1.0, inertia=100.0)
        m.add_joint("axle", nsmb.joints.Revolute(), m.ground, hub)
        if mean:
            m.add_joint("free", nsmb.joints.Planar(), m.ground, part)
            m.add_loop("clamp", nsmb.joints.Fixed(), hub, part, at_2=0)
        else:
            m.add_joint("clamp", nsmb.joints.Fixed(), hub, part)
        m.add_load("push", part, lambda t, r, A, v, Omega: 0.02 * A[:, 1], at=20)
        part.marker("tip", at=20, is_output=True)
        hub.marker("hub", is_output=True)
        start = {"free": (0.5, 0.0, 0.0)} if mean else {}
        speed = {"axle": 6.0, **({"free": (0.0, 3.0, 6.0)} if mean else {})}
        system = m.build(start, speed)
        sol = nsmb.simulate(system, 2.0, method=nsmb.EventDriven(rtol=1e-9, atol=1e-11))
        q = sol.q[-1]
        A = system.pose("hub.hub", 2.0, q)[1]
        tips.append(A.T @ system.position("beam.tip", 2.0, q))
    assert tips[1] == pytest.approx(tips[0], abs=4e-6)  # 2e-6, falls with n²


def test_jacobians_of_a_stiffened_body_are_those_of_differences() -> None:
    """The model has contacts, a spring and a joint on stretched nodes."""
    rng = np.random.default_rng(6)
    system = bouncing(stiffening=True)
    q = system.initial_state.q + 0.05 * rng.normal(size=system.nq)
    core = system._core
    check(core, 0.0, q, rng.normal(size=core.nu), forces_at_random(core, rng))


def test_motion_of_a_stiffened_body_depends_on_its_start_as_sensitivities_say() -> None:
    """Sensitivities through a nodal impact agree with central differences, to a margin of 1e-7."""
    system = bouncing(stiffening=True)
    method = nsmb.EventDriven(rtol=1e-11, atol=1e-13)
    run = nsmb.simulate(system, 0.2, method=method, sensitivity=True)
    assert [event.kind for event in run.events] == [nsmb.EventKind.IMPACT]
    S, step = run.sensitivity.state, 1e-5
    start = system.initial_state
    e = step * np.eye(system.nq)[3]  # the first elastic coordinate
    ends = [
        nsmb.simulate(system, 0.2, q=q, u=start.u, method=method).q[-1]
        for q in (start.q + e, start.q - e)
    ]
    exact = (ends[0] - ends[1]) / (2.0 * step)
    assert S[: system.nq, 3] == pytest.approx(exact, abs=1e-6 * np.abs(exact).max())


def test_displacements_and_markers_draw_near() -> None:
    """A beam bent by a slope v' shortens by ∫ v'²/2 at each node, also for model markers."""
    body = cantilever(20, 2)
    q = np.array([0.1, 0.0])
    x = np.linspace(0.0, 1.0, 21)
    slope = body.turns[:, 2] @ q
    short = np.concatenate([[0.0], np.cumsum(0.25 * (slope[1:] ** 2 + slope[:-1] ** 2) / 20)])
    along = body.displacements(q)[:, 0]
    assert along == pytest.approx(-short, abs=2e-3 * short[-1])  # trapezoidal rule: 1e-3
    assert body.displacements(np.array([q, 2 * q]))[1, -1, 0] == pytest.approx(4 * along[-1])
    m = nsmb.Model()
    part = m.add_elastic_body("beam", body)
    m.add_joint("clamp", nsmb.joints.Fixed(), m.ground, part)
    part.marker("tip", at=20, is_output=True)
    system = m.build()
    tip = system.position("beam.tip", 0.0, q)
    assert tip == pytest.approx(body.nodes[20] + body.displacements(q)[20], abs=1e-15)
    assert x[-1] == 1.0


def test_file_keeps_the_second_order(tmp_path: Path) -> None:
    body = cantilever(10, 2)
    body.save(tmp_path / "beam.npz")
    again = nsmb.flexible.FlexibleBody.load(tmp_path / "beam.npz")
    for name in ("shapes", "mean", "first"):
        assert np.array_equal(getattr(again.stiffening, name), getattr(body.stiffening, name))
    unstiffened(body).save(tmp_path / "plain.npz")
    assert nsmb.flexible.FlexibleBody.load(tmp_path / "plain.npz").stiffening is None


def test_bodies_without_second_order_say_what_would_help() -> None:
    elements = bar(4)
    matrices = elements.mass_matrix, elements.stiffness_matrix
    known = flexible.FiniteElements(elements.nodes[:, :2], *matrices)
    with pytest.raises(ValueError, match="Pass `second_order` to FiniteElements"):
        flexible.reduce(known, 2, stiffening=True)
    body = flexible.reduce(elements, 2)
    with pytest.raises(ValueError, match="Create the body with stiffening=True"):
        body.geometric_stiffness(omega=(0, 0, 1))
    given = flexible.FiniteElements(
        elements.nodes[:, :2], *matrices, second_order=elements.second_order_forces
    )
    assert flexible.reduce(given, 2, stiffening=True).stiffening is not None
