"""Numbers and figure of gearbox_branched.md: ``python docs/systems/gearbox_branched.py [png]``."""

from __future__ import annotations

import math
import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import nsmb
from nsmb.analysis import PoincareMap, lyapunov_spectrum, on_event
from nsmb.analysis.results import SectionPoints
from nsmb.gears import DriveWheel, LooseWheel, RattlingTrain
from nsmb.systems import gear_rattling, gearbox_branched, gearbox_run_up, rattling_rig

Vector = NDArray[np.float64]

CARS: dict[str, dict[str, float]] = {
    "clutch spring": {},
    "dual-mass flywheel": {"I_F": 0.1, "I_G": 0.08, "c_C": 120.0},
}
FORWARD = ("first", "second", "third", "fifth")
RPM = 30.0 / math.pi
P = dict(gearbox_branched().parameters)


def stages() -> None:
    """Print the loose wheels and the lengths of their chains."""
    for gear in ("fourth", "third", "reverse"):
        system = gearbox_branched(gear=gear, loose="all")
        print(f"gear {gear}: {', '.join(name[2:] for name in system.coordinates)}")


def single_stages() -> None:
    """Compare wheels behind a loaded countershaft with the exact map."""
    system = gearbox_branched(gear="reverse", loose="all")
    events = nsmb.simulate(system, 0.25, output_step=0.0).events.of_kind("impact")
    for j, name in enumerate(FORWARD):
        hits = events[events.contacts[:, 2 * j : 2 * j + 2].any(axis=1)]
        alpha = P[f"R_{name}"] / P["r_counter"] * P["r_e"] * P["A"] / P["v"]
        gamma = P["T"] * P[f"r_{name}"] / (P[f"I_{name}"] * P["omega"] ** 2 * P["v"])
        exact = gear_rattling.impact_map(alpha, P["beta"], gamma, P["e"]).iterate(
            0.0, -0.5, 0.0, len(hits)
        )
        apart = np.abs(P["omega"] * hits.t - exact.tau).max()
        print(f"single stage {name}: alpha {alpha:.3f}, {len(hits)} impacts, phases to {apart:.1e}")


def of_wheel(run: SectionPoints, name: str) -> tuple[Vector, Vector]:
    """Return impulses of a wheel, N s, and its post-impact gap velocities, m/s, shape (k,)."""
    place = run.system.coordinates.index(f"s_{name}")
    sizes = np.abs(run.Lambda_N[:, 2 * place : 2 * place + 2]).sum(axis=1)
    speeds = run.y_plus[:, run.system.nq + place]
    return sizes[sizes > 0.0], speeds[sizes > 0.0]


def impacts(system: nsmb.System, count: int = 6000) -> SectionPoints:
    return PoincareMap(system, on_event("impact")).iterate(count, skip=1000)


def ranking(axis: Any) -> None:
    """Compare impact energies of each wheel, E[Λ² r²/I], with (1 + ε)² I A² ω²/(r/r_e)²."""
    run = impacts(gearbox_branched(gear="reverse", loose="all", e=0.7, beta=0.0, T=0.0), 12000)
    found, formula = [], []
    for name in FORWARD:
        mass = P[f"I_{name}"] / P[f"r_{name}"] ** 2
        found.append((of_wheel(run, name)[0] ** 2).mean() / mass)
        ratio = P[f"r_{name}"] / P["r_e"] * P["r_counter"] / P[f"R_{name}"]
        formula.append(gear_rattling.noise(0.7, P[f"I_{name}"], P["A"], P["omega"], ratio))
        print(
            f"energy {name}: r/r_e {ratio:.3f}, simulated {1e3 * found[-1]:.3f} mJ, "
            f"formula {1e3 * formula[-1]:.3f} mJ, {found[-1] / formula[-1]:.2f}"
        )
    place = np.arange(4.0)
    axis.bar(place - 0.2, 1e3 * np.array(formula), 0.4, color="0.7", label="formula of 12.1.4")
    axis.bar(place + 0.2, 1e3 * np.array(found), 0.4, label="simulated")
    axis.set(
        ylabel=r"$E[\Lambda^2 r^2/I]$ / mJ", title="Which wheel is loud (reverse engaged)",
        xticks=place, xticklabels=FORWARD,
    )  # fmt: skip
    axis.legend()


def fifth_on_either_shaft() -> None:
    """Compare its loose wheel on the main shaft, driven by a larger one, or on the countershaft."""
    omega, A_counter = P["omega"], P["A"] * P["r_e"] / P["r_counter"]
    large, small, I = P["R_fifth"], P["r_fifth"], P["I_fifth"]
    for gear in ("first", "second", "third"):
        A_main = A_counter * P[f"R_{gear}"] / P[f"r_{gear}"]
        for where, A, R, r, inertia in (
            ("main shaft", A_counter, large, small, I),
            ("countershaft", A_main, small, large, I),
            ("countershaft, disc", A_main, small, large, I * (large / small) ** 4),
        ):
            d = P["beta"] * inertia * omega
            wheel = LooseWheel("fifth", inertia, r, P["v"], P["e"], d, P["T"])
            system = RattlingTrain(DriveWheel(A, omega, R), [wheel]).system()
            sol = nsmb.simulate(system, 400 * 2.0 * math.pi / omega, output_step=0.0)
            hits = sol.events.of_kind("impact")
            late = hits[hits.t > 0.25 * sol.t[-1]]
            span = 0.75 * float(sol.t[-1])
            if len(late) == 0:
                print(f"fifth gear's wheel on the {where}, {gear} engaged: silent")
                continue
            power = late.energy_loss.sum() / span
            print(
                f"fifth gear's wheel on the {where}, {gear} engaged: noise "
                f"{1e3 * np.abs(late.Lambda_N).sum(axis=1).mean():.2f} mN s, "
                f"{len(late) / span:.0f} impacts/s, loss {1e3 * power:.1f} mW"
            )


def second_moments(axis: Any) -> None:
    """Evaluate (12.24) for second and fifth gear over restitution, with the J_2 of the runs."""
    restitutions = np.array([0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    for k, name in enumerate(("second", "fifth")):
        ratio = P[f"R_{name}"] / P["r_counter"] * P["r_e"]  # m, tooth's speed to φ̇_e
        A = P["v"] / ratio  # α = 1
        rows = []
        for e in restitutions:
            system = gearbox_branched(gear="reverse", loose="all", A=A, e=float(e), beta=0.0, T=0.0)
            j = system.coordinates.index(f"s_{name}")
            run = impacts(system, 12000)
            mine = run.Lambda_N[:, 2 * j : 2 * j + 2].any(axis=1)
            cosine = np.cos(P["omega"] * run.t[mine])
            speed = ratio * A * P["omega"]
            phi_dot = (speed * cosine - run.y_plus[mine, system.nq + j]) / P[f"r_{name}"]
            scale = (speed / P[f"r_{name}"]) ** 2
            J_2 = (cosine**2).mean()
            rows.append([(phi_dot**2).mean() / scale, gear_rattling.second_moment(J_2, float(e))])
        found, theory = np.array(rows).T
        print(f"second moment {name}, over (A ω r_e/r)²: " + ", ".join(f"{m:.2f}" for m in found))
        print(f"  by (12.24): {', '.join(f'{m:.2f}' for m in theory)}")
        axis.plot(restitutions, found, "o-", color=f"C{k}", label=f"{name}, simulated")
        axis.plot(restitutions, theory, "--", color=f"C{k}", label=f"{name}, (12.24)")
    axis.set(
        xlabel="ε", ylabel=r"$E[\dot\varphi^2]/(A\omega r_e/r)^2$", ylim=(0.0, 4.0),
        title="Mean values (Fig. 12.10)",
    )  # fmt: skip
    axis.legend(fontsize="small")


def kept_speed(p: dict[str, Any], Omega: float) -> float:
    """Return (12.9) at one engine speed, from the gearbox with one frequency."""
    up = gearbox_run_up(**p)
    omega = float(up.parameters["order"]) * Omega
    system = gearbox_branched(
        A=float(np.abs(gearbox_run_up.entrance(up, Omega)[0])), omega=omega, loose="all",
        beta=P["beta"] * up.parameters["omega_d"] / omega,
    )  # fmt: skip
    period = 2.0 * math.pi / omega
    sol = nsmb.simulate(system, 500.0 * period, output_step=0.0)
    hits = sol.events.of_kind("impact")
    hits = hits[hits.t > 100.0 * period]
    return float(np.abs(hits.Lambda_N).sum() / max(1, np.unique(hits.t).size))


def run_up(curves: Any, drives: Any) -> None:
    """Reproduce Fig. 12.13: noise of two cars over engine speed, and the excitation."""
    for k, (car, changes) in enumerate(CARS.items()):
        p: dict[str, Any] = {"loose": "all", "duration": 20.0, **changes}
        sol = nsmb.simulate(gearbox_run_up(**p), 20.0, output_step=0.0)
        curve = gearbox_run_up.noise(sol, pieces=50)
        curves.plot(RPM * curve.Omega, 1e3 * curve.noise, color=f"C{k}", label=car)
        speeds = curve.Omega[2::4]
        kept = np.array([kept_speed(p, float(Omega)) for Omega in speeds])
        curves.plot(RPM * speeds, 1e3 * kept, "o", ms=4, color=f"C{k}")
        A = np.abs(gearbox_run_up.entrance(gearbox_run_up(**p), curve.Omega))
        drives.plot(RPM * curve.Omega, A * 2.0 * curve.Omega, color=f"C{k}", label=car)
        top = int(np.argmax(curve.noise))
        loud = curve.noise > 0.0
        both = loud[2::4] & (kept > 0.0)
        apart = np.abs(kept[both] / curve.noise[2::4][both] - 1.0)
        slope, _ = np.polyfit(np.log(A * curve.Omega)[loud], np.log(curve.noise[loud]), 1)
        shown = ", ".join(
            f"{1e3 * float(np.interp(n / RPM, curve.Omega, curve.noise)):.2f}"
            for n in (1100, 2000, 3000, 4000, 5900)
        )
        print(
            f"{car}: {len(sol.events)} events; noise at 1100, 2000, 3000, 4000, 5900/min "
            f"{shown} mN s; most {1e3 * curve.noise[top]:.2f} mN s at "
            f"{RPM * curve.Omega[top]:.0f}/min; A ω most at "
            f"{RPM * curve.Omega[int(np.argmax(A * curve.Omega))]:.0f}/min; grows with "
            f"(A ω)^{slope:.2f}; kept speeds apart by {100 * np.median(apart):.1f} % in the "
            f"median, {100 * apart.max():.0f} % at most"
        )
        if not loud.all():
            last = RPM * curve.Omega[np.flatnonzero(loud)[-1]]
            alone = RPM * speeds[~both & (kept > 0.0)]
            print(f"  silent above {last:.0f}/min; at kept speeds not at {np.round(alone)}/min")
        loudest = {name: force.mean() for name, force in curve.force.items()}
        order = sorted(loudest, key=lambda name: -loudest[name])
        print("  mean force: " + ", ".join(f"{name} {loudest[name]:.3f} N" for name in order))
    curves.set(
        xlabel="engine speed / 1/min", ylabel="(12.9) / mN s",
        title="Noise at constant acceleration (Fig. 12.13)\ndots: at kept speeds",
    )  # fmt: skip
    curves.legend()
    drives.set(
        xlabel="engine speed / 1/min", ylabel="$A\\omega$ / rad/s",
        title="Driving shaft: the drive trains of both cars",
    )  # fmt: skip
    drives.legend()


def rig(axes: Any) -> None:
    """Reproduce Fig. 12.12, with a constant moment and with a spring."""
    for axis, a, label in ((axes[0], 4.2e-3, "periodic"), (axes[1], 9e-3, "chaotic")):
        system = rattling_rig(a=a)
        sol = nsmb.simulate(system, 2.4, output_step=2e-4)
        seen = rattling_rig.motions(sol)
        late = seen.t > 2.0
        axis.fill_between(
            seen.t[late], 1e3 * seen.driving[late], 1e3 * seen.driven[late], color="0.9"
        )
        axis.plot(seen.t[late], 1e3 * seen.driving[late], color="0.4", lw=0.8)
        axis.plot(seen.t[late], 1e3 * seen.driven[late], color="0.4", lw=0.8)
        axis.plot(seen.t[late], 1e3 * seen.tooth[late], color="C3")
        exponent = lyapunov_spectrum(system, per="impact", count=2000, transient=500).exponents[0]
        axis.set(xlabel="t / s", ylabel="stops and tooth / mm", title=f"Test rig, {label}: a = "
                 f"{1e3 * a:.1f} mm (Fig. 12.12)")  # fmt: skip
        print(f"rig, a = {1e3 * a:.1f} mm: largest exponent per impact {exponent:+.3f}")
    T = rattling_rig().parameters["T"]
    base = PoincareMap(rattling_rig(), on_event("impact")).iterate(4, skip=600)
    for c in (0.02, 0.05, 0.1):
        points = PoincareMap(rattling_rig(c=c), on_event("impact")).iterate(8, skip=600)
        times = np.mod(points.t[:4], 0.05)
        shift = min(
            np.abs(np.mod(np.roll(times, k) - np.mod(base.t, 0.05) + 0.025, 0.05) - 0.025).max()
            for k in range(4)
        )
        again = np.abs(points.t[4:] - points.t[:4] - 0.05).max()
        travel = np.ptp(np.asarray(rattling_rig.motions(
            nsmb.simulate(rattling_rig(c=c), 2.0)).tooth)) / 0.06  # fmt: skip
        print(
            f"rig with a spring of {c:g} N m/rad, whose moment changes by "
            f"{100.0 * c * travel / T:.1f} %: impacts shift by {1e3 * shift:.2f} ms, "
            f"periodic to {again:.1e} s"
        )


def main(path: str) -> None:
    """Print all numbers and draw the figure."""
    stages()
    single_stages()
    fifth_on_either_shaft()
    figure, axes = plt.subplots(2, 3, figsize=(14.0, 7.6), layout="constrained")
    run_up(axes[0, 0], axes[0, 1])
    ranking(axes[0, 2])
    rig(axes[1, :2])
    second_moments(axes[1, 2])
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "gearbox_branched.png")
