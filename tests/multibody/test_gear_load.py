"""Transmission error and load sharing of spur gears at rest, against influence coefficients."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import nsmb
from nsmb import gears
from tests.multibody.gears import pose
from tests.oracles.involute_gears import Gear, Mesh
from tests.oracles.mesh_load import LoadedMesh

Array = NDArray[np.float64]
ONE = gears.Gear(z=20, m_n=0.003, width=0.02, x=0.25)
PAIR = gears.GearPair(gear_1=ONE, gear_2=ONE.mate(43, x=-0.1), entry=0.0, flanks="left")
PAIR = dataclasses.replace(PAIR, distance=PAIR.a_v + 5e-5)
RELIEVED = dataclasses.replace(ONE, tip_relief=8e-6)
RELIEF = dataclasses.replace(
    PAIR, gear_1=RELIEVED, gear_2=dataclasses.replace(PAIR.gear_2, tip_relief=8e-6)
)
TALL = gears.Gear(z=40, m_n=0.003, width=0.02, addendum=1.35, dedendum=1.5)
MANY = gears.GearPair(gear_1=TALL, gear_2=TALL.mate(55), entry=0.0, flanks="left")
SOFT = gears.ElasticTeeth(K=4e8, motion="static")


def oracle(pair: gears.GearPair, teeth: gears.ElasticTeeth | None) -> LoadedMesh:
    one, two = (
        Gear(g.z, g.m_n, g.alpha_n, g.x, g.addendum, g.dedendum) for g in (pair.gear_1, pair.gear_2)
    )
    return LoadedMesh(
        Mesh(one, two, pair.a_w), 14e9 * pair.gear_1.width, pair.stiffness_ratio,
        teeth.K if teeth else math.inf, (pair.gear_1.tip_relief, math.pi * one.r_b / one.z / 1.5),
    )  # fmt: skip


def at_rest(
    pair: gears.GearPair, teeth: gears.ElasticTeeth | None, phi_1: float, T: float
) -> tuple[float, gears.GearContacts]:
    """Return e at equilibrium, with gear 1 held and the torque T on gear 2, and the contacts."""
    train = gears.GearTrain(
        gears={"a": pair.gear_1, "b": pair.gear_2}, meshes={"": ("a", "b", pair)}, teeth=teeth
    )
    start = pair.phase_2(phi_1, 0.0, 0.5 * pair.play)

    def found(e: float) -> gears.GearContacts:
        places = pose((0, 0, 0), phi_1), pose((pair.a_w, 0, 0), start + e / pair.gear_2.r_b)
        return train.contacts(*(np.array(rows) for rows in zip(*places, strict=True)))

    def left(e: float) -> float:
        c = found(e)
        return float(np.cross(c.point - (pair.a_w, 0, 0), c.force)[:, 2].sum()) + T

    e = brentq(left, 0.0, 2e-4, xtol=1e-16, rtol=1e-14)
    return e, found(e)


@pytest.mark.parametrize("teeth", [None, SOFT], ids=["rigid", "elastic"])
@pytest.mark.parametrize("pair", [PAIR, RELIEF, MANY], ids=["plain", "relief", "high"])
@pytest.mark.parametrize("T", [15.0, 200.0])
def test_transmission_error_and_shares_are_those_of_influence_coefficients(
    pair: gears.GearPair, teeth: gears.ElasticTeeth | None, T: float
) -> None:
    """Two pitches are tested. The oracle has each pair at its unloaded position: half of e away."""
    load = oracle(pair, teeth)
    P = T / pair.gear_2.r_b
    errors, worst, numbers = [], np.zeros(2), set()
    for phi_1 in np.linspace(0.0, 4.0 * math.pi / pair.gear_1.z, 31) + 0.123:
        e, c = at_rest(pair, teeth, phi_1, T)
        exact, s, F = load.rest(phi_1, P)
        bearing = F > 0.0
        assert len(c.xi) == bearing.sum()
        order = np.argsort(c.xi)
        pitch_point = pair.gear_1.r_b * math.tan(load.mesh.alpha_w)
        middle = s[bearing] - 0.5 * e  # of both pressed flanks
        np.testing.assert_allclose(c.xi[order] + pitch_point, middle, atol=1e-12)
        worst[0] = max(worst[0], abs(e / exact - 1.0))
        worst[1] = max(worst[1], np.abs(c.F_n[order] - F[bearing]).max() / P)
        errors.append(exact)
        numbers.add(int(bearing.sum()))
    assert len(numbers) == 2, numbers  # one more pair carries load at times
    assert np.ptp(errors) > 0.02 * np.max(errors)
    # measured 1.4e-3 and 2.4e-3 at most, where relief leaves a pair little load
    assert (worst < 0.01).all(), worst


@pytest.mark.parametrize("motion", ["rigid", "quasi-static"])
def test_a_slow_run_follows_the_influence_coefficients(motion: str) -> None:
    """Gear 1 rotates by a pitch and a half within 15 ms; masses and dampers settle in 0.1 ms."""
    pair = dataclasses.replace(
        PAIR, entry=0.02, damping=2e4 if motion == "rigid" else 0.0, flanks=("left", "right")
    )
    teeth = None if motion == "rigid" else gears.ElasticTeeth(
        K=4e8, D=4e3, motion="quasi-static", all_teeth=False
    )  # fmt: skip
    pitch, T, omega = 2.0 * math.pi / 20, 100.0, 2.0 * math.pi / 20 / 0.01
    load = oracle(pair, teeth)
    e_0, _, _ = load.rest(0.0, T / pair.gear_2.r_b)
    m = nsmb.Model(gravity=(0.0, 0.0))
    wheels = [m.add_body(f"gear_{k}", mass=1.0, inertia=1e-4) for k in (1, 2)]
    drive = np.polynomial.Polynomial([0.0, omega])
    m.add_joint("drive", nsmb.joints.Revolute(), m.ground, wheels[0], motion=drive)
    m.add_joint("phi", nsmb.joints.Revolute(), m.ground, wheels[1], at=(pair.a_w, 0.0))
    m.add_torsion_spring("load", "phi", c=0.0, preload=T)
    phases = (0.0, pair.phase_2(0.0, 0.0, 0.5 * pair.play + e_0))
    m.add_gear_pair("mesh", *wheels, pair, phases=phases, teeth=teeth, events=False)
    system = m.build(velocities={"phi": -omega / pair.ratio})
    method = nsmb.EventDriven(integrator="cvode", rtol=1e-8)
    sol = nsmb.simulate(system, 1.5 * pitch / omega, method=method, output_step=1e-4)
    found = e_0 + pair.gear_2.r_b * sol.q[:, 0] + pair.gear_1.r_b * omega * sol.t
    exact, shares, settled = [], [], []
    for t in sol.t:
        # a pair takes up its load over the window, and dampers over several time constants
        near = [load.rest(omega * (t - late), T / pair.gear_2.r_b) for late in (-2e-4, 0.0, 8e-4)]
        exact.append(near[1][0])
        shares.append(np.sort(near[1][2]))
        settled.append(t > 1e-3 and len({len(one[1]) for one in near}) == 1)
    assert np.mean(settled) > 0.5
    assert np.ptp(np.array(exact)[settled]) > 0.2 * np.max(exact)
    # measured 1.5e-3 at most
    np.testing.assert_allclose(found[settled], np.array(exact)[settled], rtol=0.01)
    for k in np.flatnonzero(settled):
        c = system.gear_contacts("mesh", sol.t[k], sol.q[k], sol.u[k], sol.x[k])
        np.testing.assert_allclose(np.sort(c.F_n), shares[k], atol=0.01 * T / pair.gear_2.r_b)
