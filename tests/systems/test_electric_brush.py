"""The electric brush on a rough commutator agrees with Fig. 14 of Slavič & Boltežar."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import nsmb
from tests.systems.examples import Array, energy

R, HALF, L, PLAY, GUIDE, LOW = 12.5e-3, 3.15e-3, 20e-3, 0.1e-3, 12e-3, 14.5e-3
M, MU, OMEGA, RAMP = 2e-3, 0.2, 20 * np.pi, 5e-3
SIDE = HALF + PLAY
END = 4e-3  # s
# Hundreds of impact sequences come to rest while the surface passes at half a metre per second.
ROUGHLY = nsmb.EventDriven(impact_law="poisson", rest_velocity=1e-8)


def shaft(t: Array | float) -> tuple[Array, Array]:
    """Return angle and speed of the commutator during run-up."""
    tau = np.asarray(t, dtype=np.float64) / RAMP
    return OMEGA * RAMP * tau**3 * (1 - tau / 2), OMEGA * tau**2 * (3 - 2 * tau)


def turned(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def corners(system: nsmb.System) -> Array:
    """Return the corners of the commutator at rest, shape (n, 2), from the scene."""
    outlines = system.scene.outlines(0.0, system.initial_state.q)
    (surface,) = [outline for outline in outlines if outline.body == "commutator"]
    return np.asarray(surface.points[:, :2])


def slots(sol: nsmb.Solution, name: str) -> Array:
    return np.array([contact.startswith(name) for contact in sol.contact_names])


@pytest.fixture(scope="module")
def run() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.electric_brush(), END, output_step=5e-7, method=ROUGHLY)


def test_surface_is_that_of_the_data(run: nsmb.Solution) -> None:
    assert run.system is not None
    points = corners(run.system)
    assert points.shape == (2400, 2)
    height = np.hypot(*points.T) - R
    eccentricity = 2 * np.mean(height * np.cos(np.arctan2(points[:, 1], points[:, 0])))
    assert eccentricity == pytest.approx(5e-6, abs=1e-6)  # bars also have a first harmonic
    rest = height - 5e-6 * np.cos(np.arctan2(points[:, 1], points[:, 0]))
    bars = rest.reshape(24, 100)
    assert np.ptp(bars.mean(axis=1)) < 4e-6 + 1e-6
    assert (bars - bars.mean(axis=1, keepdims=True)).std() == pytest.approx(0.5e-6, rel=0.2)


def test_brush_sticks_slides_and_hits_commutator_and_guide(run: nsmb.Solution) -> None:
    assert run.status == "finished"
    hit = {name.split("[")[0] for e in run.events.of_kind("impact") for name in e.contacts}
    assert hit == {"commutator", "left", "right"}
    times = np.linspace(0.0, END, 4001)
    state = run.at(times).contact_state[:, slots(run, "commutator")]
    stick, slip = nsmb.ContactState.STICK, nsmb.ContactState.SLIP_POSITIVE
    # It moves with the surface until a wall stops it, then the surface slips.
    first = float(run.events.t[0])
    assert ((state == stick).sum(axis=1) == 1)[times < first].all()
    assert (state[times > 2.5e-3] != stick).all()
    assert (state[times > 2.5e-3] == slip).any(axis=1).mean() > 0.9


def test_while_it_sticks_one_corner_of_the_commutator_carries_the_brush(
    run: nsmb.Solution,
) -> None:
    assert run.system is not None
    times = np.linspace(0.0, float(run.events.t[0]), 50)
    q = run.at(times).q
    points = corners(run.system)
    under = (np.abs(points[:, 0]) < HALF) & (points[:, 1] > 0)
    highest = points[under][np.argmax(points[under, 1])]
    seen = np.array(
        [
            turned(-phi) @ (turned(angle) @ highest - [x, y])
            for (x, y, phi), angle in zip(q, shaft(times)[0], strict=True)
        ]
    )
    # Measured: 3e-14 m, while the brush moves by 8e-6 m.
    np.testing.assert_allclose(seen - seen[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(seen[:, 1], 0.0, atol=1e-12)
    assert q[-1, 0] < -5e-6


def test_no_body_is_inside_another(run: nsmb.Solution) -> None:
    assert run.system is not None
    points = corners(run.system)
    ends = np.array([(-SIDE, LOW), (-SIDE, LOW + GUIDE), (SIDE, LOW), (SIDE, LOW + GUIDE)])
    box = np.array([(-HALF, 0), (HALF, 0), (HALF, L), (-HALF, L)])
    deepest = -np.inf
    for t in np.linspace(0.0, END, 1500):
        x, y, phi = run.at(t).q
        others = np.vstack([points @ turned(float(shaft(t)[0])).T, ends])
        along, across = turned(-phi) @ (others - [x, y]).T
        inside = np.minimum(HALF - np.abs(along), np.minimum(across, L - across))
        here = box @ turned(phi).T + [x, y]
        held = (here[:, 1] > LOW) & (here[:, 1] < LOW + GUIDE)
        beyond = np.abs(here[held, 0]) - SIDE
        under = R - 20e-6 - np.hypot(*here.T)  # all corners of the polygon are farther out
        deepest = max(deepest, *(float(part.max(initial=-1.0)) for part in (inside, beyond, under)))
    # Measured: 5e-14 m; roughness is 5e-7 m.
    assert -1e-9 < deepest < 1e-12


def test_guide_holds_the_brush_as_aslant_as_it_can_be(run: nsmb.Solution) -> None:
    """The tilt has a closed form, with opposite guide ends on opposite sides of the brush."""
    tilt = brentq(
        lambda a: 2 * SIDE * np.cos(a) - GUIDE * np.sin(a) - 2 * HALF, 0.0, 0.1, xtol=1e-15
    )
    both = run.contact_state != nsmb.ContactState.OPEN
    wedged = both[:, slots(run, "left")].any(axis=1) & both[:, slots(run, "right")].any(axis=1)
    assert wedged.sum() > 50
    np.testing.assert_allclose(run.q[wedged, 2], -tilt, rtol=0, atol=1e-9)


def power_on_brush(
    points: Array, t: float, phi: float, features: Array, N: Array, T: Array
) -> float:
    """Return the power of the commutator's forces at its own speed in W, or J for impulses.

    Its corners touch the face of the brush, whose inward normal is (-sin φ, cos φ).
    """
    angle, speed = shaft(t)
    face = np.array([np.cos(phi), np.sin(phi)])
    inward = np.array([-face[1], face[0]])
    power = 0.0
    for slot in np.flatnonzero(N):
        edge, vertex = features[slot]
        assert edge == 1
        x, y = turned(float(angle)) @ points[vertex // 2]
        power += (N[slot] * inward + T[slot] * face) @ (float(speed) * np.array([-y, x]))
    return float(power)


def test_drive_pays_for_friction_impacts_and_what_the_brush_gains(run: nsmb.Solution) -> None:
    """ΔE is the work of the commutator less friction and impact losses."""
    assert run.system is not None
    points, here = corners(run.system), slots(run, "commutator")
    columns = (run.t, run.q[:, 2], run.features[:, here], run.lambda_N[:, here])
    rows = zip(*columns, run.lambda_T[:, here], strict=True)
    power = np.array([power_on_brush(points, *row) for row in rows])
    by_forces = float(np.sum(0.5 * np.diff(run.t) * (power[1:] + power[:-1])))
    assert by_forces > 1e-4
    kept = energy(run.system, run)
    lost = run.friction_loss[-1].sum()
    # energy_loss is the loss of the brush, after the work of the commutator.
    lost += run.stats["impact_loss"]
    # Measured: 2e-10 of 5e-4 J, by the trapezoidal rule with samples 0.5 µs apart.
    assert kept[-1] - kept[0] == pytest.approx(by_forces - lost, abs=2e-9)

    hits = run.events.of_kind("impact")
    assert len(hits) > 100
    for hit in hits:
        impulses = hit.Lambda_N[here], hit.Lambda_T[here]
        work = power_on_brush(points, hit.t, hit.q[2], hit.features[here], *impulses)
        assert work + hit.energy_loss > -1e-18


def test_friction_stays_within_its_bounds(run: nsmb.Solution) -> None:
    # Measured: not exceeded at all, with forces of 2.6 N.
    assert (run.lambda_N > -1e-12).all()
    assert (np.abs(run.lambda_T) <= MU * run.lambda_N + 1e-12).all()


def test_more_speed_lifts_the_brush() -> None:
    """The share of time in the air is nearly none, and nearly all at five times the speed."""
    shares = []
    for speed in (600.0, 3000.0):
        system = nsmb.systems.electric_brush(speed=speed, ramp=1e-3)
        sol = nsmb.simulate(
            system, 2e-3, method=nsmb.EventDriven(impact_law="poisson", rest_velocity=1e-6)
        )
        assert sol.status == "finished"
        state = sol.at(np.linspace(1.2e-3, 2e-3, 2000)).contact_state
        shares.append(float((state[:, slots(sol, "commutator")] == 0).all(axis=1).mean()))
    assert shares[0] < 0.2
    assert shares[1] > 0.8
