"""States of elastic teeth: coupling, derivatives, and motion with sparse Jacobians."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import gears

Array = NDArray[np.float64]
SUN = gears.Gear(z=17, m_n=0.003, width=0.01)
PAIRS = [gears.GearPair(gear_1=SUN, gear_2=SUN.mate(z), damping=300.0) for z in (19, 23)]
DYNAMIC = gears.ElasticTeeth(K=5e7, D=2e3)
MOTIONS = {
    "dynamic": DYNAMIC,
    "near": dataclasses.replace(DYNAMIC, all_teeth=False),
    "quasi-static": dataclasses.replace(DYNAMIC, motion="quasi-static"),
}


def star(teeth: gears.ElasticTeeth, **options: Any) -> nsmb.MultibodySystem:
    """Sun between two planets at fixed positions, whose teeth mesh with those of both."""
    pairs = PAIRS
    if teeth.motion != "dynamic":
        pairs = [dataclasses.replace(pair, damping=0.0) for pair in PAIRS]
    m = nsmb.Model(gravity=(0.0, 0.0))
    on, phases = {}, {"sun": 0.0}
    places = {"sun": 0.0, "right": pairs[0].a_w, "left": -pairs[1].a_w}
    for name, x in places.items():
        on[name] = m.add_body(name, mass=1.0, inertia=1e-4 if name == "sun" else 2e-4)
        m.add_joint(name, nsmb.joints.Revolute(), m.ground, on[name], at=(x, 0.0))
    for name, pair, direction in (("right", pairs[0], 0.0), ("left", pairs[1], math.pi)):
        phases[name] = pair.phase_2(0.0, direction)
        m.add_torsion_spring(f"brake_{name}", name, c=0.0, d=0.05)
    m.add_torsion_spring("motor", "sun", c=0.0, preload=4.0)
    train = gears.GearTrain(
        gears={"sun": SUN, "right": pairs[0].gear_2, "left": pairs[1].gear_2},
        meshes={"a": ("sun", "right", pairs[0]), "b": ("sun", "left", pairs[1])},
        phases=phases, teeth=teeth, **options,
    )  # fmt: skip
    m.add_gear_train("train", on, train)
    return m.build()


def pattern(system: nsmb.System) -> NDArray[np.bool_]:
    begin, rows = system._core.rate_pattern()
    n = len(begin) - 1
    dense = np.zeros((n, n), dtype=np.bool_)
    for j in range(n):
        dense[rows[begin[j] : begin[j + 1]], j] = True
    return dense


@pytest.mark.parametrize("motion", MOTIONS)
def test_states_feel_no_others_than_the_pattern_says(motion: str) -> None:
    """All teeth are tested, at any angle of the gears, with all flanks pressed."""
    system = star(MOTIONS[motion])
    may = pattern(system)
    start = np.array(system.initial_state.x)
    own = np.array([not name.endswith(("_left", "_right")) for name in system.states])
    assert not may[:, ~own].any()
    rng = np.random.default_rng(4)
    seen = np.zeros_like(may)
    size = np.array([1e-4 if "_s" in name else 0.1 for name in system.states])
    for _ in range(12):
        # rolling on with a small overlap; displaced teeth reach each other
        turn = rng.uniform(0.0, 2.0 * math.pi)
        q = turn * np.array([1.0, -17 / 19, -17 / 23]) + rng.uniform(-2e-4, 2e-4, 3)
        u = rng.standard_normal(3)
        x = np.where(own, size * rng.standard_normal(len(start)), 1.0)
        base = system.state_rates(0.0, q, u, x)
        for j in np.flatnonzero(own):
            changed = x.copy()
            changed[j] += 1e-3 * size[j]
            seen[:, j] |= system.state_rates(0.0, q, u, changed) != base
    assert not (seen & ~may).any()
    springs = own.sum() if motion == "quasi-static" else 3 * (own.sum() // 2)
    assert seen.sum() > springs  # and flanks in addition


def test_the_pattern_of_a_gearbox_is_thin() -> None:
    may = pattern(nsmb.systems.car_gearbox(teeth="elastic"))
    assert len(may) == 2 * 403
    assert may.mean() < 0.1


def run(system: nsmb.MultibodySystem, **options: Any) -> nsmb.Solution:
    method = nsmb.EventDriven(integrator="cvode", rtol=1e-7)
    return nsmb.simulate(system, 3e-3, method=method, **options)


def test_all_teeth_with_a_sparse_jacobian_move_as_few_with_a_dense_one() -> None:
    """128 states against 61; the teeth out of mesh come to rest."""
    soft = gears.ElasticTeeth(K=5e7, D=1e4, motion="quasi-static")
    all_teeth = dataclasses.replace(soft, all_teeth=True)
    few = dataclasses.replace(soft, all_teeth=False)
    many, some = run(star(all_teeth)), run(star(few))
    np.testing.assert_allclose(many.q[-1], some.q[-1], rtol=1e-4)
    np.testing.assert_allclose(many.u[-1], some.u[-1], rtol=1e-4)


@pytest.mark.parametrize("motion", ["near", "quasi-static"])
def test_derivatives_by_states_in_closed_form_are_those_of_differences(motion: str) -> None:
    """The runs are pressed 2e-5 m deep so that no flank closes or opens meanwhile."""
    system = star(MOTIONS[motion], events=False)
    start = system.initial_state
    y = np.concatenate([[2e-5 / SUN.r_b, 0.0, 0.0], np.zeros(3), start.x])

    def end(at: Array, **options: Any) -> nsmb.Solution:
        state = dataclasses.replace(start, q=at[:3], u=at[3:6], x=at[6:])
        return nsmb.simulate(system, 1e-5, start=state, **options)

    exact = np.asarray(end(y, sensitivity=True).sensitivity.state)
    assert np.abs(exact - np.eye(len(exact))).max() > 1e2
    moving = np.flatnonzero((exact - np.eye(len(exact))).any(axis=0))
    for j in (*range(6), *moving[6::9]):
        ends, h = [], 1e-6
        for sign in (1.0, -1.0):
            changed = y.copy()
            changed[j] += sign * h
            sol = end(changed, rtol=1e-12)
            ends.append(np.concatenate([sol.q[-1], sol.u[-1], sol.x[-1]]))
        slope = (ends[0] - ends[1]) / (2.0 * h)
        # runs are exact to their rtol, ten times of it over h
        allowed = 1e-6 * np.abs(exact[:, j]).max() + 10.0 * 1e-12 / h * np.abs(ends[0]).max()
        np.testing.assert_allclose(exact[:, j], slope, rtol=0.0, atol=allowed)
