"""Checks of gears in mesh.

Accelerations, motion, energy and momentum are compared with `gear_truth.py`. Teeth never pass
through each other. The motion is the same without events and with a tighter tolerance.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.campaign.case import Case
from tests.campaign.findings import Findings
from tests.campaign.gear_truth import Touch, Train

Array = NDArray[np.float64]
SAMPLES = 40
DEEP = 0.2
"""Depth relative to the pitch beyond which the next pair may be in contact."""
STRETCHES, OF_THE_RUN = 2, 0.03
"""Number of stretches integrated by SciPy, and their share of the run."""


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    train = Train(case.spec)
    sol = case.run(system)
    if not sol.success:
        notes.append(f"ended: {sol.status}")
        return
    times = np.linspace(0.0, case.t_end, SAMPLES)
    at = sol.at(times)
    if train.motion_of_teeth in ("rigid", "static") or case.spec["teeth"]["all_teeth"]:
        order = states_of(system, train)
        x = at.x[:, order]
        compare_rates(system, train, order, times, at, found)
        energies = [train.energy(*row) for row in zip(at.q, at.u, x, strict=True)]
        notes.append("touched" if any(one[1] for one in energies) else "never touched")
        deepest = max((touch.depth for one in energies for touch in one[1]), default=0.0)
        if deepest > DEEP * train.wheels[0].pitch:
            notes.append("deep")
            return
        check_energy(case, train, times, energies, found, notes)
        if case.spec["mount"] == "afloat":
            check_momentum(case, train, times, (at.q, at.u, x), found)
            notes.append("momentum")
        if train.motion_of_teeth in ("rigid", "static"):
            compare_motion(case, train, sol, found)
    stays_in_mesh(case, train, times, at.q, found)
    other_runs(case, system, times, at, found, notes)


def longest_step(spec: dict[str, Any]) -> float:
    """Return the longest step of runs without events, which miss flanks that touch within a step.

    It is about a fiftieth of a period, as `gears.tune` has 8 to 25 periods in a run.
    """
    return float(1e-3 * spec["t_end"])


def states_of(system: Any, train: Train) -> list[int]:
    """Return the indices of the states of all teeth, with displacements of all gears first."""
    names = list(system.states)
    symbols = {"quasi-static": ["s"], "dynamic": ["s", "omega"]}.get(train.motion_of_teeth, [])
    return [
        names.index(f"train.g{k}_{symbol}{i}")
        for symbol in symbols
        for k, wheel in enumerate(train.wheels)
        for i in range(wheel.z)
    ]


def compare_rates(
    system: Any, train: Train, order: list[int], times: Array, at: Any, found: Findings
) -> None:
    ours, theirs = [], []
    for t, q, u, x in zip(times, at.q, at.u, at.x, strict=True):
        h = system.forces(t, q, u, x)
        rates = system.state_rates(t, q, u, x)[order] if order else np.zeros(0)
        theirs.append((np.linalg.solve(system.mass_matrix(t, q), h), rates))
        ours.append(train.rates(q, u, x[order])[:2])
    for what, k in (("accelerations", 0), ("rates of teeth", 1)):
        a, b = (np.array([one[k] for one in rows]) for rows in (ours, theirs))
        if a.size == 0:
            continue
        size = 1e-3 + np.abs(a).max(axis=1, keepdims=True)
        found.judge(f"{what} differ", np.abs(a - b) / size, 1e-8, times, "coordinate")


def compare_motion(case: Case, train: Train, sol: Any, found: Findings) -> None:
    """Compare stretches of the run with SciPy, each started from a state of the run."""
    n, none = train.nu, np.zeros(0)
    span = OF_THE_RUN * case.t_end
    for start in np.linspace(0.0, 1.0 - OF_THE_RUN, STRETCHES) * case.t_end:
        ends = sol.at(np.array([start, start + span]))
        y = np.concatenate([ends.q[0], ends.u[0]])

        def rates(_t: float, y: Array) -> Array:
            return np.concatenate([y[n:], train.rates(y[:n], y[n:], none)[0]])

        fastest = fastest_alike(case, sol.u)
        atol = 1e-10 * np.concatenate([fastest * span, fastest])
        longest = 1e-3 * case.t_end  # trial steps stay in mesh
        run = solve_ivp(
            rates, (0.0, span), y, "DOP853", rtol=1e-10, atol=atol, max_step=longest,
            first_step=1e-2 * longest,
        )  # fmt: skip
        size = np.concatenate([fastest * case.t_end, fastest])
        off = np.abs(run.y[:, -1] - np.concatenate([ends.q[1], ends.u[1]])) / size
        # Multistep methods accumulate larger errors: measured 1e3 rtol in speeds.
        allowed = 1e-7 + 1e4 * case.method["rtol"]
        found.judge("differs from SciPy", off, allowed, np.full(1, start + span), "coordinate")


def fastest_alike(case: Case, u: Array) -> Array:
    """Return, for each coordinate, the largest speed of all angles or of all displacements."""
    from tests.campaign.gears import COORDINATES

    mounts = [body["mount"] for body in case.spec["bodies"]]
    is_angle = np.concatenate([[0.0] * (len(COORDINATES[m]) - 1) + [1.0] for m in mounts]) == 1.0
    most, size = np.abs(u).max(axis=0), np.zeros(len(is_angle))
    for kind in (is_angle, ~is_angle):
        size[kind] = most[kind].max(initial=1e-9)
    return size


def check_energy(
    case: Case, train: Train, times: Array, energies: list[tuple[float, list[Touch]]],
    found: Findings, notes: list[str],
) -> None:  # fmt: skip
    """Check energy where flanks conserve it.

    Stiffness is constant there, and no pair enters or leaves the path of contact under load.
    """
    if not case.spec["kept"]:
        return
    total = np.array([one[0] for one in energies])
    pairs = [{(t.mesh, t.teeth, t.is_left) for t in one[1]} for one in energies]
    # Without a pair at both ends, one may have touched and left the path in between.
    same = np.array([a == b != set() for a, b in zip(pairs[1:], pairs[:-1], strict=True)])
    notes += ["energy kept"] * int(same.sum())
    size = (1e-7 + 1000.0 * case.method["rtol"]) * (np.ptp(total) + np.abs(total).max())
    gained = np.diff(total)
    found.judge("energy is gained", gained[same], size, times[1:][same])
    teeth = case.spec["teeth"] or {"D": 0.0}
    is_lossless = (
        not any(mesh["mu"] or mesh["damping"] for mesh in case.spec["meshes"])
        and teeth["D"] == 0.0
        and not any(load["d"] for load in case.spec["loads"])
    )
    if is_lossless:
        found.judge("energy is lost", -gained[same], size, times[1:][same])


def check_momentum(
    case: Case, train: Train, times: Array, states: tuple[Array, Array, Array], found: Findings
) -> None:
    p = np.array([train.momentum(*row) for row in zip(*states, strict=True)])
    mass = sum(body["mass"] for body in case.spec["bodies"])
    wide = max(np.hypot(*body["place"]) for body in case.spec["bodies"])
    # Gears that initially only rotate are scaled by the speed that their flanks may give them.
    speed = np.abs(states[1]).max() * max(wheel.r_b for wheel in train.wheels)
    size = mass * speed * np.array([1.0, 1.0, wide])
    allowed = 1e-9 + 1000.0 * case.method["rtol"]
    found.judge("momentum", np.abs(p - p[0]), allowed * size, times, "component")


def stays_in_mesh(case: Case, train: Train, times: Array, q: Array, found: Findings) -> None:
    """Check that no teeth are skipped: the mean ratio is that of the numbers of teeth."""
    if case.spec["mount"] != "fixed":
        return
    from tests.campaign.gears import pair_of

    wheels = case.spec["wheels"]
    carrier = q[:, 1] if case.spec["arrangement"] == "planets" else 0.0
    for mesh in case.spec["meshes"]:
        if len(mesh["flanks"]) < 2:
            continue
        one, two = mesh["gears"]
        w1, w2 = train.wheels[one], train.wheels[two]
        turned = []
        for w in (w1, w2):
            angle = q[:, train.first[w.body]]
            turned.append(angle if case.spec["bodies"][w.body]["mount"] == "carried"
                          else angle - carrier)  # fmt: skip
        approach = w1.r_b * turned[0] + w2.r_b * turned[1]
        play = pair_of(wheels[one], wheels[two], mesh, mesh["distance"]).play
        found.judge("teeth pass each other", np.abs(approach - approach[0]),
                    play + 0.25 * w1.pitch, times)  # fmt: skip


def other_runs(
    case: Case, system: Any, times: Array, at: Any, found: Findings, notes: list[str]
) -> None:
    """Check that settings outside the model do not change the motion."""
    from tests.campaign.gears import source

    rtol = case.method["rtol"]
    other = dataclasses.replace(case, build=source(case.spec, not case.spec["events"])).system()
    size = np.abs(at.q - at.q[0]).max() + 1e-9
    # Impacts amplify differences: measured up to 2e4 rtol.
    allowed = 1e-6 + 1e5 * rtol
    bound = np.inf if not case.spec["events"] else longest_step(case.spec)
    runs = [("depends on events", case.run(other, max_step=bound))]
    if "dynamic" not in case.tags:  # vibrating teeth take seconds
        runs.append(("depends on rtol", case.run(system, rtol=1e-2 * rtol)))
    for what, run in runs:
        if not run.success:
            notes.append(f"{what}: {run.status}")
            continue
        off = np.abs(run.at(times).q - at.q) / size
        found.judge(what, off, allowed, times, "coordinate")
