"""Runs of deformable bodies, a minute each: ``python -m tests.campaign.flexible_runs``.

The landing airplane of bodies over its whole second, and stiff discs with 200 free modes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb import flexible
from nsmb.systems import elastic_discs, landing_gear
from nsmb.systems.machines.landing_gear_data import GEARS, LandingGearParameters
from tests.campaign.findings import Findings
from tests.oracles.disc_on_wall import bounce
from tests.support.methods import stepping
from tests.systems.landing_bodies import EXACT, STOPS, Airplane, landing, touching, unexplained
from tests.systems.landing_kinematics import LandingKinematics

Array = NDArray[np.float64]
SAMPLES = 4001
KINKS = 2e-4  # relative to all momentum exchanged: forces have kinks and jumps


def whole_second() -> tuple[Findings, str]:
    """Check the momentum balance, a tighter tolerance, and numbers on the page of the system."""
    p, found = LandingGearParameters(elastic=1), Findings()
    airplane = Airplane(p, EXACT)
    system = landing(airplane, touching(airplane, landing_gear(elastic=1).initial_state))
    sol = nsmb.simulate(system, 1.0, rtol=1e-6, throw=False)
    found.judge("not finished", float(sol.status != "finished"), 0.5, float(sol.t[-1]))
    t = np.linspace(0.0, float(sol.t[-1]), SAMPLES)
    at = sol.at(t)
    rows = list(zip(at.q, at.u, strict=True))
    gap, turnover = unexplained(airplane, t, rows)
    found.judge("momentum", gap, KINKS * turnover, t, "direction")
    finer = nsmb.simulate(system, 1.0, rtol=1e-7, throw=False)
    names = list(airplane.made.coordinates)
    lengths = [k for k, name in enumerate(names) if not name.startswith("phi_")]
    apart = np.abs(finer.at(t).q - at.q)[:, lengths]
    found.judge("another tolerance", apart, 1e-4, t, "coordinate")
    nose = LandingKinematics(p, airplane.made, straight=True).stroke(GEARS[1])
    strut = [airplane.gears["nose"].strut(float(nose @ q), float(nose @ u)) for q, u in rows]
    stop = at.lambda_N[:, STOPS.index("nose_upper")] - at.lambda_N[:, STOPS.index("nose_lower")]
    guide = at.lambda_T[:, sol.tangent_names.index("nose_guide")]
    peak = float((np.array(strut) - guide + stop).max())  # (14.85) with its stops
    hits = [e.t for e in sol.events if e.kind.label == "impact" and "nose_upper" in e.contacts]
    height = np.array([airplane.system.position("fuselage.centre", 0.0, airplane.T @ q)[1]
                       for q, _ in rows])  # fmt: skip
    turns = np.flatnonzero(np.diff(height) < 0.0)
    fall = float(height[turns[0]] - height[0])
    for what, size, said, allowed in (
        ("load of the nose strut", peak, 402e3, 4e3),
        ("nose strut on its stop", hits[0] if hits else np.nan, 0.60, 5e-3),
        ("first fall", fall, 0.330, 2e-3),
    ):
        found.judge(what, abs(size - said), allowed, 1.0)
    text = (
        f"momentum {gap.max():.3g} of {turnover:.3g} N s, another tolerance {apart.max():.2g} m, "
        f"nose {1e-3 * peak:.1f} kN, on its stop at {hits[0] if hits else np.nan:.4f} s, first "
        f"fall {1e3 * fall:.1f} mm, {len(sol.events)} events"
    )
    return found, text


T_END, GAP, E = 1.1e-3, 1e-5, 2e8  # s, m, N/m
MODES = (55, 100, 200)


def after(sol: nsmb.Solution) -> Array:
    names = sol.coordinates
    return np.asarray(sol.u[-1, [names.index("left_frame.x"), names.index("right_frame.x")]])


def stiff_discs() -> tuple[Findings, str]:
    """Check convergence of duration and velocity with the number of modes.

    Position level and velocity level agree with the event-driven solution.
    """
    found = Findings()
    mesh = flexible.Mesh.disc(0.5, 16)
    touching_nodes = len(np.asarray(mesh.nodes)) - 96 + np.array([0, 1, 2, 94, 95])
    whole = bounce(np.asarray(mesh.nodes), np.asarray(mesh.cells), {"E": E, "nu": 0.3, "rho": 10.0},
                   0.25, 0.5 * GAP, touching_nodes, 1e-6, T_END)  # fmt: skip
    lasts, speeds, peaks = [], [], []
    for modes in MODES:
        sol = nsmb.simulate(elastic_discs(E=E, modes=modes, gap=GAP), T_END, output_step=1e-6)
        found.judge("momentum", abs(after(sol).sum() - 0.5), 1e-9, T_END)
        lasts.append(float(sol.events.of_kind("detach").t[-1] - sol.events.t[0]))
        speeds.append(float(np.diff(after(sol))[0]))
        peaks.append(float(sol.lambda_N.sum(axis=1).max()))
    for what, row in (
        ("duration", [*lasts, whole.duration]),
        ("velocity apart", [*speeds, 2.0 * whole.velocity, 0.5]),
        ("largest force, from above", [-peak for peak in (*peaks, whole.force.max())]),
    ):
        found.judge(f"{what} does not come nearer", float((np.diff(row) <= 0.0).any()), 0.5, T_END)
    levels: dict[str, Array] = {}
    for scheme, mixing in (("rk4-position", 0.5), ("rk4-velocity", None)):
        method: Any = stepping(5e-6, scheme, mixing=mixing)
        levels[scheme] = after(
            nsmb.simulate(elastic_discs(E=E, modes=MODES[-1], gap=GAP), T_END, method=method)
        )
        found.judge("momentum of steps", abs(levels[scheme].sum() - 0.5), 1e-9, T_END)
        found.judge("events and steps", abs(np.diff(levels[scheme])[0] - speeds[-1]), 5e-4, T_END)
    text = ", ".join(
        f"{modes} modes {1e3 * last:.4f} ms {speed:.5f} m/s {peak:.0f} N"
        for modes, last, speed, peak in zip(MODES, lasts, speeds, peaks, strict=True)
    )
    return found, (
        f"{text}; all unknowns {1e3 * whole.duration:.3f} ms {2.0 * whole.velocity:.5f} m/s "
        f"{whole.force.max():.0f} N; levels {[float(np.diff(v)[0]) for v in levels.values()]}"
    )


PARTS: dict[str, Callable[[], tuple[Findings, str]]] = {
    "landing": whole_second, "discs": stiff_discs,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", action="append", choices=sorted(PARTS), help="default: all")
    options = parser.parse_args()
    wrong = False
    for name in options.part or PARTS:
        before = time.process_time()
        found, text = PARTS[name]()
        print(f"{name:8} {time.process_time() - before:.0f} s: {text}", flush=True)
        for finding in found:
            print(f"  {finding}", flush=True)
        wrong = wrong or bool(found)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
