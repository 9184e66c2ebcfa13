"""Impact laws of shapes that touch anywhere agree with those of named contacts, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints

R = 0.1
G = 9.81
LAW = nsmb.ContactLaw(mu=0.3, e_N=0.6, e_T=0.5)
LAWS = ["moreau", "poisson", "newton"]


def row_of_balls(*, found: bool, law: nsmb.ContactLaw, gravity: float = 0.0) -> nsmb.System:
    """Three balls of different masses on a line, the first of which comes from the left."""
    m = nsmb.Model(gravity=(0, 0, -gravity))
    initial, solids = {}, []
    for k, mass in enumerate((4.0, 10.0, 3.0)):
        body = m.add_body(f"b{k}", mass=mass, inertia=0.4 * mass * R * R * np.eye(3))
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        # Each ball strikes in its own step, because there is no search for balls accelerated within
        # it.
        initial[f"j{k}"] = ((2.3 * k + 0.2 * k * k) * R, 0.02 * R * k, R, 1, 0, 0, 0)
        solids.append(body.shape("solid", geometry.Sphere(R)))
    floor = m.ground.shape("floor", geometry.HalfSpace())
    if found:
        m.collide(law)
    else:
        # Shapes that never touch, so that the steps are those of models with shapes.
        body.shape("far", geometry.Sphere(1e-3), material="far")
        m.ground.shape("far", geometry.HalfSpace(), at=(0, 0, -1e3), material="far")
        m.collide(law, ("far", "far"))
        for k in (0, 1):
            m.add_contact(solids[k], solids[k + 1], law, f"c{k}")
        for k in range(3):
            m.add_contact(floor, solids[k], law, f"f{k}")
    return m.build(initial=initial, velocities={"j0": (2.0, 0.0, 0.0, 0.0, 30.0, 10.0)})


@pytest.mark.filterwarnings("ignore::nsmb.EnergyGainWarning")
@pytest.mark.parametrize("impact_law", LAWS)
@pytest.mark.parametrize("gravity", [0.0, G])
def test_found_contacts_strike_as_named_ones(impact_law: Any, gravity: float) -> None:
    method = nsmb.Midpoint(1e-3, impact_law=impact_law)
    law = nsmb.ContactLaw(e_N=0.6) if impact_law == "newton" else LAW
    named, found = (
        nsmb.simulate(row_of_balls(found=kind, law=law, gravity=gravity), 0.15, method=method)
        for kind in (False, True)
    )
    assert named.stats["impacts"] > 0
    np.testing.assert_allclose(found.q, named.q, atol=1e-10)
    np.testing.assert_allclose(found.u, named.u, atol=1e-8)
    assert found.energy.total[-1] < found.energy.total[0]


@pytest.mark.parametrize("rolling", [{}, {"mu_R": 0.01}, {"mu_D": 0.01, "mu_R": 0.01}])
@pytest.mark.parametrize("impact_law", LAWS)
def test_two_balls_that_meet_part_with_their_restitution(impact_law: Any, rolling: Any) -> None:
    m = nsmb.Model()
    masses = []
    for k, density in enumerate((1000.0, 3000.0)):
        body = m.add_solid(f"b{k}", geometry.Sphere(R), density)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        masses.append(density * 4.0 / 3.0 * np.pi * R**3)
    m.collide(nsmb.ContactLaw(e_N=0.6, **rolling))
    initial = {"j0": (0, 0, 0, 1, 0, 0, 0), "j1": (0.25, 0, 0, 1, 0, 0, 0)}
    system = m.build(initial=initial, velocities={"j0": (1.0, 0, 0, 0, 0, 0)})
    method = nsmb.Midpoint(1e-3, impact_law=impact_law)
    sol = nsmb.simulate(system, 0.1, method=method)
    share = masses[1] / (masses[0] + masses[1])
    np.testing.assert_allclose(
        sol.u[-1, [0, 6]], [1.0 - 1.6 * share, 1.6 * (1.0 - share)], atol=1e-12
    )
    lost = 0.5 * masses[0] * share * (1.0 - 0.36)
    assert sol.energy.impact_loss[-1] == pytest.approx(lost, rel=1e-9)
    assert sol.contacts.points.lambda_N.max() * 1e-3 == pytest.approx(1.6 * masses[0] * share)


def test_an_impact_of_too_many_contacts_is_marked() -> None:
    """141 balls hit the floor at once: 423 rows, of which 400 are solved together."""
    m = nsmb.Model(gravity=(0, 0, -G))
    m.ground.shape("floor", geometry.HalfSpace())
    initial = {}
    for k in range(141):
        body = m.add_solid(f"b{k}", geometry.Sphere(R), 1000.0)
        m.add_joint(f"j{k}", joints.Free(), m.ground, body)
        initial[f"j{k}"] = (0.3 * (k % 12), 0.3 * (k // 12), 0.101, 1, 0, 0, 0)
    m.collide(nsmb.ContactLaw(mu=0.3, e_N=0.5))
    system = m.build(initial=initial, velocities={f"j{k}": (0, 0, -1, 0, 0, 0) for k in range(141)})
    law: Any = {"step": 1e-3, "impact_law": "poisson"}
    with pytest.warns(RuntimeWarning, match=r"at most 400 rows .* impact_law=\"moreau\""):
        sol = nsmb.simulate(system, 4e-3, method=nsmb.Midpoint(**law), output_step=4e-3)
    assert nsmb.results.StepStatus.UNSOLVED in sol.step_status
    assert sol.stats["missed_steps"] >= 1
    method = nsmb.Midpoint(**law, on_failure="stop")
    sol = nsmb.simulate(system, 4e-3, method=method, throw=False)
    assert sol.status == "no_contact_solution"
    assert "'ground.floor' on 'b0.solid'" in sol.message
