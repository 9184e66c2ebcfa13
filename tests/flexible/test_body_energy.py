"""Energies of one body: closed forms, sums over nodes, and the balance of a run."""

import numpy as np
import pytest

import nsmb
from nsmb import flexible
from tests.flexible.blocks import bar, brick

TIGHT = nsmb.EventDriven(integrator="dp853", rtol=1e-11, atol=1e-13)


def dumbbell(damping_ratio: float = 0.0) -> nsmb.flexible.FlexibleBody:
    """Return two masses of 1 kg on a spring.

    q_e is the displacement of each, m_ee = 2 kg, k_ee = 800 N/m.
    """
    K = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([200.0, 0.0]))
    shape = [[-1.0], [0.0], [1.0], [0.0]]
    return nsmb.flexible.FlexibleBody(
        [(0, 0), (1, 0)], np.eye(4), K, shape, damping_ratio=damping_ratio
    )


def free(body: nsmb.flexible.FlexibleBody, **start: dict[str, object]) -> nsmb.MultibodySystem:
    m = nsmb.Model()
    elastic = m.add_elastic_body("body", body)
    joint = nsmb.joints.Planar() if body.is_planar else nsmb.joints.Free()
    m.add_joint("free", joint, m.ground, elastic)
    return m.build(**start)


@pytest.mark.parametrize("zeta", [0.0, 0.05])
def test_one_mode_exchanges_what_its_damping_leaves(zeta: float) -> None:
    """On a uniformly moving frame, q_e = a exp(-ζωt) (cos ω_d t + ζω/ω_d sin ω_d t)."""
    a, w, v = 0.02, 20.0, 0.3
    system = free(dumbbell(zeta), initial={"body.q1": a}, velocities={"free": (v, 0.0, 0.0)})
    run = nsmb.simulate(system, 0.5, method=TIGHT, output_step=0.01)
    energy, t = run.bodies["body"].energy, run.t
    w_d = w * np.sqrt(1.0 - zeta**2)
    decay = a * np.exp(-zeta * w * t)
    q = decay * (np.cos(w_d * t) + zeta * w / w_d * np.sin(w_d * t))
    rate = -decay * w**2 / w_d * np.sin(w_d * t)
    elastic, shaking, gliding = 400.0 * q**2, rate**2, v**2
    scale = 400.0 * a**2
    assert energy.elastic == pytest.approx(elastic, abs=1e-8 * scale)
    assert energy.kinetic == pytest.approx(shaking + gliding, abs=1e-8 * scale)
    lost = scale - elastic - shaking
    assert energy.dissipated == pytest.approx(lost, abs=1e-8 * scale)
    assert energy.total + energy.dissipated == pytest.approx(scale + gliding, abs=1e-8 * scale)


def test_kinetic_energy_is_that_of_all_nodes() -> None:
    """It equals ½ vᵀ M v over the mesh of a tumbling and deforming brick.

    The mass matrix is that of the elements, with velocities from (2.18), which the core does not
    use.
    """
    mesh = flexible.Mesh.box((1.0, 0.4, 0.3), (1, 1, 1))
    elements = flexible.solid(mesh, E=2e5, nu=0.3, density=900.0)
    body = brick()
    system = free(
        body, velocities={"free": (0.3, -0.2, 0.1, 1.0, 2.0, -0.5), "body.q1": 0.4, "body.q3": 0.2}
    )
    run = nsmb.simulate(system, 0.3)
    energy = run.bodies["body"].energy
    places = system.elastic_coordinates("body")
    for k in (0, len(run.t) // 2, -1):
        t, q, u = run.t[k], run.q[k], run.u[k]
        A = system.pose("body", t, q)[1]
        v, Omega = system.velocity("body", t, q, u)
        # The velocities of the joint Free precede those of the body.
        rates = body.shapes @ u[6:]
        arms = (body.nodes + body.displacements(q[places])) @ A.T
        nodal = v + np.cross(Omega, arms) + rates @ A.T
        kinetic = 0.5 * nodal.ravel() @ (elements.mass_matrix @ nodal.ravel())
        assert energy.kinetic[k] == pytest.approx(kinetic, rel=1e-12)
        q_e = q[places]
        assert energy.elastic[k] == pytest.approx(0.5 * q_e @ body.stiffness_matrix @ q_e)


def three_bodies(stiffening: bool = False) -> nsmb.MultibodySystem:
    """Return a meshed bar that flies at a floor without gravity.

    A rod is pinned to its end, and a slender beam to the rod.
    """
    body = flexible.reduce(bar(10), 3, rayleigh=(0.5, 1e-5), stiffening=stiffening)
    beam = nsmb.flexible.Bending(
        0.5, 2.0, 0.4, nsmb.flexible.splines(3, "fixed-free"), damping_ratio=0.05
    )
    m = nsmb.Model()
    elastic = m.add_elastic_body("bar", body)
    m.add_joint("free", nsmb.joints.Planar(), m.ground, elastic)
    floor = m.ground.contour("floor", nsmb.geometry.Line())
    foot = elastic.contour("foot", nsmb.geometry.Point(), at=0)
    m.add_contact(foot, floor, nsmb.ContactLaw(e_N=0.5, mu=0.2), "foot")
    rod = m.add_body("rod", mass=3.0, inertia=0.02)
    m.add_joint("pin", nsmb.joints.Revolute(), elastic, rod, at=11, at_2=(0.0, 0.2))
    twig = m.add_elastic_body("twig", beam, mass=0.1, inertia=1e-3)
    m.add_joint("hinge", nsmb.joints.Revolute(), rod, twig)
    return m.build({"free": (0.0, 0.25, 0.02)}, {"free": (0.5, -1.0, -0.3), "hinge": 2.0})


@pytest.mark.parametrize("stiffening", [False, True])
def test_bodies_add_up_to_the_balance_of_the_run(stiffening: bool) -> None:
    """Without gravity all potential energy is elastic, and only damping does work."""
    system = three_bodies(stiffening)
    run = nsmb.simulate(system, 0.4, method=TIGHT)
    assert len(run.events) > 0
    whole = run.energy
    parts = {name: run.bodies[name].energy for name in system.bodies}
    kinetic = sum(part.kinetic for part in parts.values())
    assert kinetic == pytest.approx(whole.kinetic, rel=1e-11)
    taken = sum(part.dissipated for part in parts.values())
    assert np.abs(parts["bar"].dissipated[-1]) > 1e-3 * whole.turnover[-1]
    assert taken == pytest.approx(-whole.work, abs=1e-9 * whole.turnover[-1])
    elastic = sum(part.elastic for part in parts.values())
    assert elastic == pytest.approx(whole.potential, abs=1e-12 * whole.turnover[-1])
    assert not parts["rod"].elastic.any()
    assert not parts["rod"].dissipated.any()
    assert parts["twig"].elastic.max() > 0.0


def test_prescribed_motion_is_part_of_the_kinetic_energy() -> None:
    """A bar at rest on a hub with a given rate has ½ J Ω², although u does not include it."""
    body = flexible.reduce(
        bar(10), 2, method="clamped", interface=["left"], frame=flexible.NodalFrame(0)
    )
    m = nsmb.Model()
    elastic = m.add_elastic_body("bar", body)
    turn = np.polynomial.Polynomial([0.0, 3.0])
    m.add_joint("hub", nsmb.joints.Revolute(), m.ground, elastic, motion=turn)
    run = nsmb.simulate(m.build(), 1e-3)
    energy = run.bodies["bar"].energy
    assert energy.kinetic[0] == pytest.approx(0.5 * body.integrals.inertia[2, 2] * 9.0, rel=1e-12)
    assert run.energy.kinetic[0] == 0.0


def test_stepped_run_has_the_energies_of_its_samples() -> None:
    system = free(dumbbell(0.05), initial={"body.q1": 0.02})
    method = nsmb.Midpoint(1e-4)
    run = nsmb.simulate(system, 0.2, method=method, output_step=0.01)
    energy = run.bodies["body"].energy
    assert energy.elastic == pytest.approx(400.0 * run.q[:, 3] ** 2)
    lost = energy.total[0] - energy.total[-1]
    assert energy.dissipated[-1] == pytest.approx(lost, rel=2e-6)  # 4e-7


def test_rigid_bodies_and_what_holds_no_dense_output() -> None:
    system = three_bodies()
    method = nsmb.EventDriven(dense_output=False)
    run = nsmb.simulate(system, 0.05, method=method, output_step=0.01)
    rod, barred = run.bodies["rod"].energy, run.bodies["bar"].energy
    assert np.isnan(barred.dissipated[1:]).all()
    assert barred.kinetic[0] > 0.0
    assert np.array_equal(rod.total, rod.kinetic)
    assert "6 samples" in repr(rod)
    assert list(rod.to_dataframe()) == ["t", "kinetic", "elastic", "dissipated"]


def test_bodies_that_are_none_are_refused() -> None:
    run = nsmb.simulate(free(dumbbell()), 0.01)
    with pytest.raises(KeyError, match=r"body 'bdy': expected one of .*did you mean 'body'"):
        run.bodies["bdy"]
    ball = nsmb.simulate(nsmb.LinearSystem([[1.0]]), 0.01)
    with pytest.raises(
        ValueError, match=r"^bodies: must be read from a run of an nsmb.Model, .*Use q and u"
    ):
        ball.bodies["body"]
    run.system = None
    with pytest.raises(ValueError, match=r"Set solution\.system"):
        run.bodies["body"]
