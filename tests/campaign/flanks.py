"""Pairs of rigid gears by set-valued contact of exact involutes.

Gaps are checked by lengths of threads. Without friction, the motion within the backlash is checked
flight by flight.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.campaign.case import Case
from tests.campaign.findings import Findings
from tests.oracles.involute_gears import Gear, Mesh

Array = NDArray[np.float64]
Spec = dict[str, Any]
SAMPLES = 60
ENOUGH = 25  # number of compared impacts
FEW = 1000  # steps, which `Solution.check` reads in a second
SLOW = 1e-3  # relative to the first impact: hops below its square are rest


def make(seed: int, rng: np.random.Generator) -> Case:
    while True:
        try:
            spec = draw(rng)
        except ValueError:  # teeth do not fit, or the contact ratio is below one
            continue
        break
    lines = ["m = nsmb.Model(gravity=(0.0, 0.0))"]
    for k, gear in enumerate(spec["gears"]):
        at = (0.0, 0.0) if k == 0 else (spec["a"], 0.0)
        lines += [
            f"b{k} = m.add_body('b{k}', mass=1.0, inertia={spec['I'][k]!r})",
            f"m.add_joint('phi_{k}', nsmb.joints.Revolute(), m.ground, b{k}, at={at!r})",
            f"m.add_torsion_spring('T{k}', 'phi_{k}', c=0.0, preload={spec['T'][k]!r})",
            f"c{k} = b{k}.contour('teeth', {teeth_text(gear)})",
        ]
    law = f"nsmb.ContactLaw(e_N={spec['e_N']!r}, mu={spec['mu']!r})"
    starts = [dict(zip(("phi_0", "phi_1"), spec[key], strict=True)) for key in ("q", "u")]
    lines += [
        f"m.add_contact(c0, c1, {law}, 'flanks')",
        f"system = m.build(initial={starts[0]!r}, velocities={starts[1]!r})",
    ]
    method: dict[str, Any] = {"rtol": float(rng.choice([1e-8, 1e-9, 1e-10])), "max_events": 5_000}
    method["impact_law"] = "poisson"
    if rng.random() < 0.4:
        method["impact_law"] = str(rng.choice(["newton", "moreau"]))
    kind = "ring" if spec["gears"][1]["ring"] else "gears"
    tags = ("flanks", kind, "rough" if spec["mu"] else "smooth")
    build = "\n".join(lines) + "\n"
    return Case("gears", seed, build, spec["t_end"], None, None, method, spec, tags)


def teeth_text(gear: Spec) -> str:
    g = gear
    return (
        f"nsmb.geometry.GearTeeth(teeth={g['z']}, module={g['m']!r}, "
        f"pressure_angle={g['alpha']!r}, shift={g['x']!r}, addendum={g['h_a']!r}, "
        f"dedendum={g['h_f']!r}, thinning={g['thinning']!r}, internal={g['ring']})"
    )


def draw(rng: np.random.Generator) -> Spec:
    """Draw the numbers of a pair. Raises ValueError if it cannot mesh."""
    import nsmb

    ring = bool(rng.random() < 0.2)
    m, alpha = float(rng.uniform(1e-3, 5e-3)), float(rng.uniform(0.3, 0.44))
    z = int(rng.integers(20 if ring else 13, 40))
    common = {"m": m, "alpha": alpha, "h_a": float(rng.uniform(0.7, 1.0)), "h_f": 1.25}
    gears = [
        common | {"z": z, "x": float(rng.uniform(-0.1, 0.3)), "ring": False,
                  "thinning": m * float(rng.uniform(0.0, 0.05))},
        common | {"z": z + int(rng.integers(15, 40)) if ring else int(rng.integers(13, 60)),
                  "x": float(rng.uniform(-0.1, 0.3)), "ring": ring, "thinning": 0.0},
    ]  # fmt: skip
    pair = [eval(teeth_text(gear), {"nsmb": nsmb}) for gear in gears]
    extra = m * float(rng.uniform(1e-4, 0.08))
    a = nsmb.geometry.GearMesh.distance_for(*pair) + (-extra if ring else extra)
    nsmb.geometry.GearMesh(*pair, a)
    mesh = Mesh(Gear(**gears[0]), Gear(**gears[1]), a)
    r, s = (mesh.first.r_b, mesh.second.r_b), -1.0 if ring else 1.0
    inertia = [float(10.0 ** rng.uniform(-5.0, -3.0)) for _ in gears]
    torque = [float(rng.uniform(-1.0, 1.0)) for _ in gears]
    pull = abs(r[0] * torque[0] / inertia[0] + s * r[1] * torque[1] / inertia[1])
    fall = math.sqrt(2.0 * mesh.play / pull)
    t_end = (4.0 if ring else 12.0) * fall  # searches for flanks of ring gears are slow
    # Rolling by some pitches, and in addition a motion across the backlash.
    rolling = float(rng.uniform(-4.0, 4.0)) * t_end / fall / 12.0 * 2.0 * math.pi / z / t_end
    across = float(rng.uniform(-2.0, 2.0)) * mesh.play / fall
    q_0, gap = float(rng.uniform(-3.0, 3.0)), float(rng.uniform(0.05, 0.95)) * mesh.play
    q_1 = s * (gap - mesh.gap(q_0, 0.0, 0)) / r[1]
    return {
        "gears": gears, "a": a, "I": inertia, "T": torque, "q": [q_0, q_1],
        "u": [rolling, s * (across - r[0] * rolling) / r[1]], "t_end": t_end,
        "e_N": float(rng.choice([0.0, rng.uniform(0.0, 0.9)])),
        "mu": float(rng.choice([0.0, 0.0, rng.uniform(0.0, 0.3)])),
    }  # fmt: skip


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    spec = case.spec
    mesh = Mesh(*(Gear(**gear) for gear in spec["gears"]), spec["a"])
    r, s = (mesh.first.r_b, mesh.second.r_b), -1.0 if mesh.second.ring else 1.0
    sol = case.run(system)
    if not sol.success:
        notes.append(f"ended: {sol.status}")
        return
    times = np.linspace(0.0, case.t_end, SAMPLES)
    at = sol.at(times)
    start = mesh.gap(*spec["q"], 0)
    x = start + (at.q - np.array(spec["q"])) @ (r[0], s * r[1])  # gap of right flanks
    again = [abs(mesh.gap(*q, 0) - one) for q, one in zip(at.q, x, strict=True)]
    found.judge("gap by threads", again, 1e-12, times)
    relative = 1e-9 + 1000.0 * case.method["rtol"]
    outside = np.maximum(-x, x - mesh.play)
    found.judge("flanks are in each other", outside, relative * mesh.play + 1e-12, times)
    inertia, torque = np.array(spec["I"]), np.array(spec["T"])
    energy = 0.5 * at.u**2 @ inertia - at.q @ torque
    size = np.ptp(energy) + np.abs(0.5 * at.u**2 @ inertia).max()
    found.judge("energy is gained", np.diff(energy), relative * size, times[1:])
    if sol.stats["steps"] < FEW:
        for worst, count in sol.check().worst():
            found.judge(f"Solution.check: {worst.rule}, {count} rows", 1.0, 0.0, worst.t)
    if spec["mu"] > 0.0:
        return
    arms = np.array([1.0 / r[0], -s / r[1]])
    kept = at.u @ (arms * inertia) - times * float(arms @ torque)
    size = float(np.abs(at.u * (arms * inertia)).max())
    found.judge("what flanks cannot change", np.abs(kept - kept[0]), relative * size, times)
    flights, impacts = fly(spec, start, mesh.play, r, s, times)
    known = np.isfinite(flights)
    notes.append(f"{'no' if impacts == 0 else 'with'} impacts")
    found.judge("differs from flights", np.abs(flights - x)[known],
                (1e-6 + 1e3 * relative) * mesh.play, times[known])  # fmt: skip


def fly(
    spec: Spec, x: float, play: float, r: tuple[float, float], s: float, times: Array
) -> tuple[Array, int]:
    """Return the gap of right flanks and the number of impacts.

    Parabolas between 0 and the backlash, with Newton's law at both ends, end at rest once slow. The
    gap is NaN after the last compared impact.
    """
    pull = sum(w * T / inertia for w, T, inertia in zip((r[0], s * r[1]), spec["T"], spec["I"],
                                                         strict=True))  # fmt: skip
    v = r[0] * spec["u"][0] + s * r[1] * spec["u"][1]
    found, t, impacts, slow = np.full(times.shape, np.nan), 0.0, 0, 0.0
    while t < spec["t_end"] and impacts < ENOUGH:
        # All later times at which the parabola is at either end.
        ends = [
            (root, wall)
            for wall in (0.0, play)
            for root in np.roots([0.5 * pull, v, x - wall])
            if abs(root.imag) == 0.0 and root.real > 1e-9 * spec["t_end"]
        ]
        step, wall = min(((float(root.real), wall) for root, wall in ends), default=(math.inf, x))
        here = (times >= t) & (times <= t + step)
        found[here] = x + v * (times[here] - t) + 0.5 * pull * (times[here] - t) ** 2
        if not math.isfinite(step):
            break
        speed = v + pull * step
        t, x, v, impacts = t + step, wall, -spec["e_N"] * speed, impacts + 1
        slow = slow or SLOW * abs(speed)
        if abs(v) <= slow and (pull < 0.0) == (wall == 0.0):
            # The remaining hops have a height proportional to the square of their speed.
            found[times > t] = wall
            break
    return found, impacts
