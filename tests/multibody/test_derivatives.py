"""The Jacobians of bodies against high-order differences of the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.differentiate import jacobian as numerical_jacobian

import nsmb
from nsmb import symbolic
from nsmb._core import multibody as mb
from nsmb._core import system as core_system
from tests.multibody.random_trees import excited, frame, inertia, joint, law, state, trees

Array = NDArray[np.float64]
FREE = core_system.UnilateralContact(0.0, 0.0, 0.0, 0.0)


def forces_at_random(system: core_system.System, rng: np.random.Generator) -> dict[str, Array]:
    sizes = {
        "udot": system.nu,
        "lambda_N": system.nc,
        "lambda_T": system.nt,
        "zeta": system.ne,
        "lambda_B": len(system.constraints),
    }
    return {name: rng.normal(size=size) for name, size in sizes.items()}


def outputs(
    system: core_system.System, t: float, y: Array, given_forces: dict[str, Array]
) -> dict[str, Array]:
    """Return the functions that jacobians() differentiates."""
    q, u, x = np.split(y, [system.nq, system.nq + system.nu])
    udot, *forces = given_forces.values()
    k, e = system.contact_kinematics(t, q, u), system.element_kinematics(t, q)
    c = system.constraint_kinematics(t, q, u)
    W = np.hstack([k["W_N"], k["W_T"], e["W"], c["W"]])
    rows = np.hstack([k["W_N"], k["W_T"], c["W"]])
    bars = np.concatenate([k["w_bar_N"], k["w_bar_T"], c["w_bar"]])
    M, h = system.mass_matrix(t, q), system.forces(t, q, u, x)
    return {
        "residual": M @ udot - h - W @ np.concatenate(forces),
        "gammadot": rows.T @ udot + bars,
        "element": np.concatenate([e["gamma"], e["W"].T @ u + e["w_tilde"]]),
        "qdot": system.coordinate_rates(t, q, u),
        "xdot": system.state_rates(t, q, u, x),
    }


def differences(system: core_system.System, t: float, y: Array, forces: Any) -> dict[str, Array]:
    sizes = {name: value.size for name, value in outputs(system, t, y, forces).items()}

    def flat(points: Array) -> Array:
        columns = points.reshape(y.size, -1).T
        values = [np.concatenate([*outputs(system, t, p, forces).values()]) for p in columns]
        return np.stack(values, axis=-1).reshape(-1, *points.shape[1:])

    whole = numerical_jacobian(flat, y, initial_step=0.05).df
    return dict(zip(sizes, np.split(whole, np.cumsum([*sizes.values()])[:-1]), strict=True))


def check(
    system: core_system.System, t: float, q: Array, u: Array, forces: Any, x: Array | None = None
) -> None:
    assert system.has_jacobians
    x = np.zeros(0) if x is None else x
    found = system.jacobians(t, q, u, x, **forces)
    expected = differences(system, t, np.concatenate([q, u, x]), forces)
    assert found.keys() == expected.keys()
    for name, value in found.items():
        # Differences of order 8 of numbers up to 1e3; measured 3e-10 of the largest.
        size = max(1.0, np.abs(expected[name]).max(initial=0.0))
        np.testing.assert_allclose(value, expected[name], 0.0, 1e-8 * size, err_msg=name)


@law
@given(trees())
def test_inertia_gyroscopic_terms_and_weight_of_trees(case: Any) -> None:
    tree, rng = case
    assume(tree.nu > 0)
    t, q, u = state(tree, rng)
    system = mb.ModelSystem(tree, [])
    check(system, t, q, u, forces_at_random(system, rng))


def number_of_bodies(tree: mb.Tree) -> int:
    """Return the number of bodies, from the first marker that is rejected."""
    n = 0
    while True:
        try:
            mb.ModelSystem(tree, [mb.Marker(n, mb.Frame(np.zeros(3), np.eye(3)))])
        except ValueError:
            return n
        n += 1


def driven_chain(rng: np.random.Generator) -> mb.Tree:
    """Chain of joints with one velocity, some driven or locked, with a ball joint at the end."""
    kinds = [0, 1, 3, 0, 5]
    motions = [[excited(rng, 0, k == 2)] if k in (0, 2, 3) else [] for k in range(len(kinds))]
    return mb.Tree(
        [
            mb.Body(
                f"b{k}", rng.uniform(0.5, 2.0), 0.3 * rng.normal(size=3), inertia(rng),
                joint(kind, rng), "environment" if k == 0 else f"b{k - 1}", frame(rng), frame(rng),
                motions=motions[k],
            )
            for k, kind in enumerate(kinds)
        ],
        rng.normal(size=3),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_driven_joints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = driven_chain(rng)
    t, q, u = state(tree, rng)
    system = mb.ModelSystem(tree, [mb.Marker(4, frame(rng))])
    check(system, t, q, u, forces_at_random(system, rng))


def table(rng: np.random.Generator) -> mb.TableLaw:
    x = np.array([-4.0, 0.1, 1.0, 2.5, 9.0])
    return mb.TableLaw(x, rng.normal(size=(4, 4)) * 0.1, x, rng.normal(size=(4, 4)) * 0.1)


LAWS = {
    "spring": lambda rng: mb.SpringDamper(*rng.normal(size=4)),
    "table": table,
    "user": lambda rng: mb.UserLaw(lambda t, s, v: np.sin(s + t) + 0.3 * s * v),
}


# Bodies are metres apart: far from centres of curvature, where heights over curves end.
CURVES = (
    nsmb.geometry.Parabola(0.01, 30.0),
    nsmb.geometry.Parabola(0.02, -20.0, concave=True),
    nsmb.geometry.Line(),
)


@law
@given(trees(), st.sampled_from(sorted(LAWS)), st.booleans())
def test_springs_loops_stops_and_elements_between_markers(
    case: Any, kind: str, tension: bool
) -> None:
    tree, rng = case
    assume(tree.nu > 0)
    t, q, u = state(tree, rng)
    bodies = [-1, *rng.integers(0, number_of_bodies(tree), 2)]
    markers = [mb.Marker(int(body), frame(rng)) for body in bodies]
    pairs = [(0, 1), (1, 2), (2, 0)]
    sign = mb.SignConvention.Tension if tension else mb.SignConvention.Pressure
    forces, loops, switching, stops = [], [], [], []
    for n, (a, b) in enumerate(pairs):
        forces.append(mb.PlacedForce(f"f{n}", mb.LineForce(LAWS[kind](rng), sign), [a, b]))
        loops += [
            mb.LoopRow(f"along{n}", a, b, mb.LoopKind.Along, 1),
            mb.LoopRow(f"across{n}", a, b, mb.LoopKind.Perpendicular, 0, 2),
            mb.LoopRow(f"apart{n}", a, b, mb.LoopKind.Distance, length=1.0),
            mb.LoopRow(f"curve{n}", a, b, mb.LoopKind.OnCurve, curve=CURVES[n]._core),
        ]
        element = core_system.ForceElementDescription(
            f"e{n}", core_system.ElementLaw.ElasticGap, 3.0, 0.5
        )
        switching.append(mb.SwitchingElement(element, a, b, -1, -1, 0.3, 1.0))
        stops += [
            mb.JointStop(f"turn{n}", FREE, 0.1, -1.0, marker_1=a, marker_2=b, turns=True),
            mb.JointStop(f"shift{n}", FREE, 0.1, 1.0, marker_1=a, marker_2=b),
        ]
    system = mb.ModelSystem(
        tree, markers, loops=loops, forces=forces, switching=switching, stops=stops
    )
    check(system, t, q, u, forces_at_random(system, rng))


@law
@given(trees(), st.sampled_from(sorted(LAWS)))
def test_springs_and_elements_on_joints(case: Any, kind: str) -> None:
    tree, rng = case
    assume(0 < tree.nu == tree.nq)  # a position among quaternions has no velocity with its index
    t, q, u = state(tree, rng)
    k = int(rng.integers(tree.nu))
    tension, pressure = mb.SignConvention.Tension, mb.SignConvention.Pressure
    forces = [
        mb.PlacedForce("f", mb.JointForce(LAWS[kind](rng), tension), joints=[(k, k)]),
        mb.PlacedForce("h", mb.JointForce(LAWS[kind](rng), pressure), joints=[(0, 0)]),
    ]
    law = core_system.ForceElementDescription("e", core_system.ElementLaw.ElasticGap, 3.0, 0.5)
    system = mb.ModelSystem(
        tree,
        [],
        forces=forces,
        switching=[mb.SwitchingElement(law, -1, -1, k, k, 0.3, -1.0)],
        stops=[mb.JointStop("s", FREE, 0.1, -1.0, coordinate=k, velocity=k)],
    )
    check(system, t, q, u, forces_at_random(system, rng))


def test_elements_that_are_varied_by_themselves() -> None:
    """A compiled element with two states, on a free body, a hinged body and a joint."""
    at = symbolic.Places(markers=2, coordinates=1)
    s, w = symbolic.states("s w")
    tension = 3 * s + sp.sin(at.distance()) + at.rate() * w
    spin = at.A[1] * sp.Matrix([1, 2, s])
    element = symbolic.BodyForce(
        at,
        tension=tension,
        moments=[list(spin.cross(at.Omega[0])), list(at.r[0].cross(at.v[1]))],
        joint_forces=[-at.u[0] * s + sp.sin(at.q[0]) + at.v[0][1]],
        rates={s: at.rate() - tension / 2, w: at.q[0] * at.Omega[1][2] + at.u[0] - w},
    )
    m = nsmb.Model(gravity=(0.2, -9.81, 0.5))
    free = m.add_body("free", mass=1.2, inertia=(0.1, 0.2, 0.25), center=(0.1, 0, 0.2))
    arm = m.add_body("arm", mass=0.7, inertia=(0.2, 0.1, 0.15), center=(0.3, 0.1, 0))
    m.add_joint("free", nsmb.joints.Free(), m.ground, free)
    m.add_joint("arm", nsmb.joints.Revolute(axis=(1, 2, 0.5)), free, arm)
    m.add_user_force(
        "e", element, [free, arm], at=[(0.2, 0.1, -0.3), (0.4, 0, 0.1)], coordinates="arm"
    )
    system = m.build()._core
    rng = np.random.default_rng(4)
    q = rng.normal(size=system.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    x = rng.normal(size=2)
    check(system, 0.3, q, rng.normal(size=system.nu), forces_at_random(system, rng), x)


def test_models_with_functions_of_the_user_have_none() -> None:
    rng = np.random.default_rng(1)
    tree = mb.Tree([mb.Body("b", 1.0, np.zeros(3), np.eye(3), mb.FreeJoint())])
    load = mb.Load(lambda t, r, A, v, Omega: (np.zeros(3), np.zeros(3)))
    place = mb.PlacedForce("wind", load, [0])
    assert not mb.ModelSystem(tree, [mb.Marker(0, frame(rng))], forces=[place]).has_jacobians
