"""The Jacobians of models with elastic bodies against high-order differences, and in motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.typing import NDArray

import nsmb
from nsmb._core import multibody as mb
from nsmb._core import system as core_system
from nsmb.multibody.elastic import Bending, Torsion, sines, splines
from tests.multibody.elastic_trees import elastic_trees
from tests.multibody.random_trees import frame, state
from tests.multibody.test_derivatives import FREE, check, forces_at_random, number_of_bodies

Array = NDArray[np.float64]
few = settings(max_examples=15, derandomize=True, deadline=None)  # order-8 differences are slow


@few
@given(elastic_trees())
def test_inertia_stiffness_and_weight_of_elastic_trees(case: Any) -> None:
    tree, _, rng = case
    t, q, u = state(tree, rng)
    system = mb.ModelSystem(tree, [])
    check(system, t, q, u, forces_at_random(system, rng))


@few
@given(elastic_trees())
def test_springs_loops_stops_and_loads_on_sections(case: Any) -> None:
    tree, _, rng = case
    t, q, u = state(tree, rng)
    bodies = [-1, *rng.integers(0, number_of_bodies(tree), 3)]
    markers = [mb.Marker(int(body), frame(rng)) for body in bodies]
    tension = mb.SignConvention.Tension
    forces, loops, switching, stops = [], [], [], []
    for n, (a, b) in enumerate([(0, 1), (1, 2), (2, 3)]):
        spring = mb.SpringDamper(*rng.normal(size=4))
        forces.append(mb.PlacedForce(f"f{n}", mb.LineForce(spring, tension), [a, b]))
        loops += [
            mb.LoopRow(f"along{n}", a, b, mb.LoopKind.Along, 1),
            mb.LoopRow(f"across{n}", a, b, mb.LoopKind.Perpendicular, 0, 2),
            mb.LoopRow(f"apart{n}", a, b, mb.LoopKind.Distance, length=1.0),
        ]
        element = core_system.ForceElementDescription(
            f"e{n}", core_system.ElementLaw.ElasticGap, 3.0, 0.5
        )
        switching.append(mb.SwitchingElement(element, a, b, -1, -1, 0.3, 1.0))
        stops.append(mb.JointStop(f"turn{n}", FREE, 0.1, -1.0, marker_1=a, marker_2=b, turns=True))
    system = mb.ModelSystem(
        tree, markers, loops=loops, forces=forces, switching=switching, stops=stops
    )
    assume(len(set(bodies[1:])) > 1)
    check(system, t, q, u, forces_at_random(system, rng))


def beam_on_arm(damping: float = 0.02, EI: float = 40.0) -> nsmb.Model:
    """Driven arm with a beam with round ends over a wavy floor, and a weight on the beam."""
    m = nsmb.Model(gravity=(0.0, -9.81))
    arm = m.add_body("arm", mass=0.7, inertia=0.02, center=(0.2, 0.0))
    m.add_joint("shoulder", nsmb.joints.Revolute(), m.ground, arm, at=(0.0, 0.6))
    beam = Bending(0.8, EI, 1.5, splines(3, "fixed-free"), damping_ratio=damping, rho_I=0.004)
    body = m.add_elastic_body("beam", beam)
    m.add_joint("elbow", nsmb.joints.Revolute(), arm, body, at=(0.4, 0.0))
    weight = m.add_body("weight", mass=0.3, inertia=0.001)
    m.add_joint("pin", nsmb.joints.Revolute(), body, weight, at=0.5, at_2=(0.0, 0.1))
    floor = m.ground.contour("floor", nsmb.geometry.Line())
    for k, x in enumerate((0.4, 0.8)):
        end = body.contour(f"end_{k}", nsmb.geometry.Circle(0.05), at=(x, -0.02))
        m.add_contact(end, floor, nsmb.ContactLaw(mu=0.3, e_N=0.4), f"end_{k}")
    m.add_spring_damper("rope", m.ground, body, c=30.0, d=0.3, free_length=0.3, at_2=(0.7, 0.01))
    return m


def test_contacts_on_sections() -> None:
    rng = np.random.default_rng(6)
    system = beam_on_arm().build({"shoulder": -0.2, "elbow": 0.1})
    core = system._core
    q = system.initial_state.q + 0.05 * rng.normal(size=system.nq)
    check(core, 0.0, q, rng.normal(size=system.nu), forces_at_random(core, rng))


def test_stiff_integrators_use_them_and_agree() -> None:
    """A stiff beam: BDF with exact Jacobians needs under 40 % of the steps of Dormand-Prince."""
    model = beam_on_arm(damping=0.3, EI=4.0e4)
    system = model.build({"shoulder": 0.9, "elbow": 0.3})
    runs = [
        nsmb.simulate(system, 0.2, method=nsmb.EventDriven(integrator=name, rtol=1e-9, atol=1e-11))
        for name in ("dp853", "cvode")
    ]
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() <= 2e-7
    assert runs[1].stats["steps"] < 0.4 * runs[0].stats["steps"]  # 1400 of 4258


def test_motion_depends_on_its_start_as_sensitivities_say() -> None:
    """Through two impacts of a tip, against central differences of whole runs."""
    system = beam_on_arm().build({"shoulder": 0.2, "elbow": -0.3, "beam.q3": 0.01})
    method = nsmb.EventDriven(rtol=1e-11, atol=1e-13)
    run = nsmb.simulate(system, 0.18, method=method, sensitivity=True)
    assert sum(event.kind is nsmb.EventKind.IMPACT for event in run.events) == 2
    S = run.sensitivity.state
    q, u = system.initial_state.q, system.initial_state.u
    step = 1e-5
    for k in (0, 2, 4):  # shoulder and two elastic coordinates
        e = step * np.eye(system.nq)[k]
        ends = [
            nsmb.simulate(system, 0.18, q=place, u=u, method=method) for place in (q + e, q - e)
        ]
        exact = (ends[0].q[-1] - ends[1].q[-1]) / (2 * step)
        assert S[: system.nq, k] == pytest.approx(exact, abs=1e-5 * np.abs(exact).max())


def test_torsion_has_derivatives_as_well() -> None:
    rng = np.random.default_rng(2)
    m = nsmb.Model(gravity=(0.0, 0.0, -9.81))
    twist = Torsion(1.0, 3.0, 0.02, sines(2, "fixed-free"), damping_ratio=0.1, mass_per_length=1.0)
    shaft = m.add_elastic_body("shaft", twist)
    m.add_joint("ball", nsmb.joints.Spherical(), m.ground, shaft)
    arm = m.add_body("arm", mass=0.4, inertia=(0.01, 0.02, 0.02), center=(0.1, 0.0, 0.0))
    m.add_joint("hinge", nsmb.joints.Revolute((1.0, 1.0, 0.0)), shaft, arm, at=(0.05, 0.0, 0.7))
    m.add_spring_damper("rope", m.ground, shaft, c=3.0, free_length=0.1, at_2=(0.1, 0.2, 1.0))
    system = m.build()
    q = np.concatenate([[0.8, 0.2, -0.4, 0.4], 0.4 * rng.normal(size=3)])
    core = system._core
    check(core, 0.0, q, rng.normal(size=system.nu), forces_at_random(core, rng))
