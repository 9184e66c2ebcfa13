"""Models of thousands of bodies: memory and work are linear in the number of bodies."""

from __future__ import annotations

import numpy as np

import nsmb
from nsmb import joints
from nsmb._core import multibody as mb

N = 5000


def test_five_thousand_springs_are_evaluated_without_dense_jacobians() -> None:
    """Each mass hangs on its own spring from the ground, and h is that of each mass alone.

    Dense columns of all velocities at each end would need 14 GB.
    """
    masses = np.linspace(1.0, 2.0, N)
    tree = mb.Tree(
        [mb.Body(f"b{k}", m, np.zeros(3), np.eye(3), mb.FreeJoint()) for k, m in enumerate(masses)],
        np.array([0.0, 0.0, -9.81]),
    )
    markers, forces = [], []
    law = mb.SpringDamper(50.0, 0.3, 0.2, 0.0)
    for k in range(N):
        markers += [mb.Marker(-1, mb.Frame([k, 0.0, 0.0])), mb.Marker(k, mb.Frame())]
        line = mb.LineForce(law, mb.SignConvention.Tension)
        forces.append(mb.PlacedForce(f"s{k}", line, [2 * k, 2 * k + 1]))
    core = mb.ModelSystem(tree, markers=markers, forces=forces)
    q = np.array(tree.reference).reshape(N, 7)
    q[:, 0] = np.arange(N)
    q[:, 2] = -np.linspace(0.5, 1.0, N)
    u = np.zeros((N, 6))
    u[:, 2] = np.linspace(-1.0, 1.0, N)
    stretch = -q[:, 2] - 0.2
    tension = 50.0 * stretch - 0.3 * u[:, 2]
    result = core.forces(0.0, q.ravel(), u.ravel()).reshape(N, 6)
    np.testing.assert_allclose(result[:, 2], tension - 9.81 * masses, rtol=1e-13)
    np.testing.assert_array_equal(result[:, [0, 1, 3, 4, 5]], 0.0)


def test_a_long_chain_and_many_free_bodies_build() -> None:
    """Thousands of joints in series: the path to the ground is traversed once, not per body."""
    m = nsmb.Model(gravity=(0, -9.81))
    last = m.ground
    for k in range(2000):
        link = m.add_body(f"link {k}", mass=1.0, inertia=0.1, center=(0.5, 0.0))
        m.add_joint(f"hinge {k}", joints.Revolute(), last, link, at=(1.0, 0.0))
        last = link
    initial = {}
    for k in range(2000):
        body = m.add_body(f"body {k}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"free {k}", joints.Free(), m.ground, body)
        initial[f"free {k}"] = (k, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0)
    system = m.build(initial=initial)
    assert (system.nq, system.nu) == (2000 + 7 * 2000, 2000 + 6 * 2000)
    assert system.position("link 1999", 0.0, system.initial_state.q)[0] == 2000.0
    assert system.position("body 1999", 0.0, system.initial_state.q)[0] == 1999.0
