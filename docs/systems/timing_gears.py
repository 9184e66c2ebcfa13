"""Numbers and figure of timing_gears.md: ``python timing_gears.py [folder]``, some minutes."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
from scipy import optimize, signal, stats

import nsmb
from nsmb.analysis import blows
from nsmb.systems.gears.timing_gears import TimingGearsParameters

matplotlib.use("Agg")
from matplotlib import pyplot

MESHES = ("12", "23", "45")
TABLE = {"s = 0": (34.5, 31.3, 37.4), "nominal": (42.4, 34.8, 38.8)}  # kN, 99 %
TURNS, SKIP, STEP = 24, 4, 3e-5
DATA = TimingGearsParameters()
COARSE = nsmb.EventDriven(rtol=1e-6, dense_output=False)


def scaled(factor: float, *names: str) -> dict[str, float]:
    return {name: factor * getattr(DATA, name) for name in names}


TEETH = ("c_12", "c_23", "c_45")


class Fit:
    """Weibull distribution H(x) = H_0 exp(-α xⁿ) (11.35), by least squares of H or of ln H."""

    def __init__(self, peaks: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> None:
        self.x = np.sort(peaks)
        self.H = self.x.size - 0.5 - np.arange(self.x.size)  # between the counts around each peak
        n, _, x_0 = stats.weibull_min.fit(self.x, floc=0.0)
        values = of(self.H / self.x.size)

        def curve(x: np.ndarray, n: float, x_0: float) -> np.ndarray:
            return of(stats.weibull_min.sf(x, n, scale=x_0))

        (self.n, self.x_0), _ = optimize.curve_fit(curve, self.x, values, (n, x_0))
        rest = values - curve(self.x, self.n, self.x_0)
        self.r_squared = 1.0 - (rest**2).mean() / values.var()

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.x.size * stats.weibull_min.sf(x, self.n, scale=self.x_0)

    def quantile(self, p: float = 0.99) -> float:
        return stats.weibull_min.ppf(p, self.n, scale=self.x_0)


class Run:
    """Blows of all flanks of one design after its first revolutions."""

    def __init__(self, turns: int = TURNS, **changes: float | str) -> None:
        self.system = nsmb.systems.timing_gears(**changes)
        turn = self.system.period
        clock = time.perf_counter()
        self.sol = nsmb.simulate(self.system, turns * turn, method=COARSE, output_step=STEP)
        self.seconds = (time.perf_counter() - clock) / (turns * turn)
        start = SKIP * turn
        self.blows = {
            name: blows(self.sol, name, t_start=start, refine=False)
            for name in self.sol.element_names
        }
        late = self.sol.t > start
        phi = self.sol.q[late, self.sol.coordinates.index("phi_5")]
        self.vibration = 1e3 * float(phi.std())

    def loads(self, flank: str = "front", p: float = 0.99) -> np.ndarray:
        """Return the quantile of the counted peaks, kN."""
        meshes = [m for m in MESHES if f"{m}_{flank}" in self.blows]
        return np.array([1e-3 * np.quantile(self.blows[f"{m}_{flank}"].peak, p) for m in meshes])

    def fits(self) -> list[Fit]:
        return [Fit(self.blows[f"{m}_front"].peak, np.log) for m in MESHES]

    def count(self, flank: str) -> int:
        return sum(len(b) for name, b in self.blows.items() if name.endswith(flank))


def row(name: str, run: Run, base: Run) -> None:
    ratio = run.loads().mean() / base.loads().mean()
    rear = run.loads("rear")
    print(f"| {name} | {show(run.loads())} | {ratio:.2f} | {show(rear)} | {run.vibration:.2f} |")


def show(values: np.ndarray) -> str:
    return " / ".join(f"{v:.1f}" for v in values)


def loads_at_rest() -> None:
    system = nsmb.systems.timing_gears()
    for name, torque in (("static", DATA.T_mean), ("quasi-static", DATA.T_max)):
        found = nsmb.systems.timing_gears.loads(system, torque)
        print(name, ", ".join(f"{m}: {1e-3 * f:.3g} kN" for m, f in found.items()))


def dynamic(base: Run, tight: Run) -> None:
    print("\n| mesh | book s = 0 | counted | fit | book nominal | counted | fit | R² |")
    for i, mesh in enumerate(MESHES):
        cells = []
        for key, run in (("s = 0", tight), ("nominal", base)):
            cells += [f"{TABLE[key][i]}", f"{run.loads()[i]:.1f}",
                      f"{1e-3 * run.fits()[i].quantile():.1f}"]  # fmt: skip
        print(f"| {mesh} | " + " | ".join(cells) + f" | {base.fits()[i].r_squared:.3f} |")
    print("raised by backlash:", base.loads() / tight.loads())


def distributions(name: str, run: Run) -> None:
    """Print R² of both fits of (11.35), and Gamma fits of durations and times between blows."""
    for mesh in MESHES:
        found = run.blows[f"{mesh}_front"]
        counts, logarithms = Fit(found.peak, np.asarray), Fit(found.peak, np.log)
        intervals = np.diff(found.begin)
        T, tau = gamma(found.duration), gamma(intervals)
        print(
            f"{name}, {mesh}: {len(found)} blows, R² {counts.r_squared:.3f} of H, "
            f"{logarithms.r_squared:.3f} of ln H; duration {1e3 * found.duration.mean():.2f} ms, "
            f"k {T[0]:.2f}, KS {T[1]:.2f}; period {1e3 * intervals.mean():.2f} ms, "
            f"k {tau[0]:.2f}, KS {tau[1]:.2f}"
        )


def gamma(sample: np.ndarray) -> tuple[float, float]:
    """Return the Gamma shape parameter of a sample, and its Kolmogorov-Smirnov distance."""
    shape, _, scale = stats.gamma.fit(sample, floc=0.0)
    return shape, stats.kstest(sample, "gamma", args=(shape, 0.0, scale)).statistic


def returns(run: Run) -> float:
    """Return the distance of a late state to the nearest one at this cam angle, over the spread."""
    turn = run.system.period
    strobe = nsmb.simulate(
        run.system, 60 * turn, method=COARSE, output_times=turn * np.arange(20, 61)
    )
    states = np.array([strobe.q[np.searchsorted(strobe.t, turn * k - 1e-9)] for k in range(20, 61)])
    size = np.abs(states).max(axis=0)
    distance = (np.abs(states[-1] - states[-9:-1]) / size).max(axis=1)
    return float(distance.min())


def sweeps(base: Run, large: Run) -> dict[str, tuple[list[float], list[float], list[float]]]:
    print("\n| design | 99 % front, kN | ratio | 99 % rear, kN | camshaft, mrad rms |")
    row("nominal", base, base)
    row("crankshaft even", Run(A_3=0.0, A_6=0.0), base)
    row("pumps, half torque", Run(**scaled(0.5, "T_mean", "T_max", "T_back")), base)
    row("crankshaft alone", Run(T_mean=1.0, T_max=1.0, T_back=0.0), base)
    for f in (0.7, 1.3):
        row(f"inertias x {f}", Run(**scaled(f, "J_2", "J_34", "J_5")), base)
    curves = {}
    for name, fields, factors in (
        ("backlash", ("s",), (0.0, 0.5, 1.5, 2.0, 3.0)),
        ("stiffness of the camshaft", ("GI",), (0.5, 0.7, 1.5, 2.0, 3.0, 4.0, 6.0)),
        ("stiffness of teeth", TEETH, (0.25, 0.5, 0.7, 1.5, 2.0, 3.0)),
        ("damping of teeth", ("d_M",), (0.5, 0.7, 1.5, 2.0, 3.0, 4.0)),
    ):
        found = {1.0: base}
        for f in factors:
            found[f] = Run(**scaled(f, *fields))
            row(f"{name} x {f}", found[f], base)
        places = sorted(found)
        ratio = [found[f].loads().mean() / base.loads().mean() for f in places]
        curves[name] = (places, ratio, [found[f].vibration / base.vibration for f in places])
    for f in (1.5, 2.0, 3.0):
        row(f"teeth and their damping x {f}", Run(**scaled(f, *TEETH, "d_M")), base)
    for g in (1.7, 2.5):
        stiffer = Run(**scaled(g, "GI"))
        row(f"camshaft x {g}", stiffer, base)
        for f in (1.5, 2.0):
            changes = scaled(g, "GI") | scaled(f, *TEETH)
            row(f"camshaft x {g}, teeth x {f}, ratio to the line above", Run(**changes), stiffer)
    for f in (0.3, 3.0):
        row(f"camshaft damping x {f}", Run(**scaled(f, "D_S")), base)
    row("elastic functions 4", Run(elastic=4), base)
    row("elastic functions 6", Run(elastic=6), base)
    row("damper", Run(n=6), base)
    row("side B", Run(side="B"), base)
    row("n = 13", large, base)
    for f in (0.5, 2.0, 4.0):
        row(f"n = 13, bearing damping x {f}", Run(n=13, **scaled(f, "d_B")), large)
    row("n = 13, journal bearings", Run(n=13, bearings="journal"), large)
    row("n = 12, with damper", Run(n=12), large)
    return curves


def integrators() -> None:
    system = nsmb.systems.timing_gears()
    print()
    names = ("dp853", "arkode_bogacki_shampine23", "arkode_dormand_prince45", "arkode_verner56")
    for rtol, name in [*itertools.product((1e-5, 1e-6), names), (1e-6, "cvode")]:
        method = nsmb.EventDriven(rtol=rtol, integrator=name, dense_output=False)
        clock = time.perf_counter()
        sol = nsmb.simulate(
            system, 20 * system.period, method=method, output_step=STEP, throw=False
        )
        seconds = time.perf_counter() - clock
        if not sol.success:
            print(f"{name}, {rtol:g}: {sol.status} at {sol.t[-1]:.3f} s")
            continue
        start = SKIP * system.period
        F = [
            1e-3 * np.quantile(blows(sol, f"{m}_front", t_start=start, refine=False).peak, 0.99)
            for m in MESHES
        ]
        print(
            f"{name}, {rtol:g}: {seconds:.2f} s, {sol.stats['steps']} steps, {show(np.array(F))} kN"
        )


def figure(base: Run, tight: Run, curves: dict, folder: Path) -> None:
    system, turn = base.system, base.system.period
    fig, axes = pyplot.subplots(2, 2, figsize=(9.6, 6.6), layout="constrained")
    force, loads, curve, vibration = axes.ravel()

    late = (base.sol.t >= 10 * turn) & (base.sol.t <= 10.5 * turn)
    angle = 360.0 * (base.sol.t[late] / turn - 10)
    colors = {"12": "#0072B2", "45": "#D55E00"}
    for mesh, color in colors.items():
        for flank, sign in (("front", 1e-3), ("rear", -1e-3)):
            k = base.sol.element_names.index(f"{mesh}_{flank}")
            force.plot(angle, sign * base.sol.element_force[late, k], color=color, linewidth=0.9,
                       label=f"mesh {mesh[0]}/{mesh[1]}" if sign > 0 else None)  # fmt: skip
    torque = nsmb.systems.timing_gears.torque(system, base.sol.t[late])
    twin = force.twinx()
    twin.fill_between(angle, 1e-3 * torque, color="#BBBBBB", alpha=0.5, linewidth=0.0)
    twin.set_ylim(-6, 6)
    twin.set_yticks([0, 2.5])
    twin.set_ylabel("pumps / kN m", color="#777777")
    force.set_zorder(twin.get_zorder() + 1)
    force.patch.set_visible(False)
    force.set_ylim(-46, 46)
    force.set_xlabel("cam angle / °")
    force.set_ylabel("tooth force / kN, rear flank below")
    force.legend(loc="lower right", fontsize="small", frameon=False, ncols=2)

    for i, (name, run) in enumerate((("s = 0", tight), ("nominal", base))):
        x = np.arange(3) + 0.45 * i
        loads.bar(x, TABLE[name], 0.2, color="#CCCCCC", edgecolor="#777777",
                  label="table 11.2" if i else None)  # fmt: skip
        loads.bar(x + 0.2, run.loads(), 0.2, color=("#56B4E9", "#0072B2")[i], label=f"{name}, 99 %")
    loads.set_xticks(np.arange(3) + 0.3, ["1/2", "2/3", "4/5"])
    loads.set_ylabel("load / kN")
    loads.set_ylim(0, 56)
    loads.legend(fontsize="small", frameon=False, ncols=3, loc="upper center")

    found = base.fits()
    for k, (mesh, color) in enumerate(zip(MESHES, ("#0072B2", "#009E73", "#D55E00"), strict=True)):
        fit = found[k]
        curve.plot(1e-3 * fit.x, fit.H, ".", color=color, markersize=3)
        x = np.linspace(0, 1.1 * fit.x.max(), 200)
        curve.plot(1e-3 * x, fit(x), color=color, label=f"{mesh[0]}/{mesh[1]}, n = {fit.n:.1f}")
    curve.set_yscale("log")
    curve.set_ylim(0.7, 600)
    curve.set_xlabel("x / kN")
    curve.set_ylabel("H, blows above x")
    curve.legend(fontsize="small", frameon=False, title=r"$H_0\,\exp(-\alpha x^n)$")

    colors = ("#000000", "#D55E00", "#0072B2", "#009E73")
    for (name, (factor, ratio, shaken)), color in zip(curves.items(), colors, strict=True):
        vibration.plot(factor, ratio, "o-", color=color, markersize=3.5, label=name)
        if name == "backlash":
            vibration.plot(factor, shaken, "s--", color=color, markersize=3.5, linewidth=0.9,
                           label="backlash: camshaft's vibration")  # fmt: skip
    vibration.axhline(1.0, color="#BBBBBB", linewidth=0.8, zorder=0)
    vibration.set_xlabel("factor on the nominal value")
    vibration.set_ylabel("99 % load / nominal, mean of meshes")
    vibration.set_ylim(0, 3.4)
    vibration.legend(fontsize="small", frameon=False, loc="upper right", ncols=2)
    for ax in (force, loads, curve, vibration):
        ax.spines["top"].set_visible(False)
    fig.savefig(folder / "timing_gears.png", dpi=110)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    loads_at_rest()
    base, tight, large = Run(), Run(s=0.0), Run(n=13)
    print(f"{base.seconds:.2f} s of computing for a second of motion")
    dynamic(base, tight)
    distributions("n = 5", base)
    distributions("n = 13", large)
    distributions("n = 13, more", Run(turns=84, n=13))
    for name, run in (("nominal", base), ("s = 0", tight), ("damper", Run(n=6)),
                      ("n = 13", large)):  # fmt: skip
        print(f"{name}: blows {run.count('front')} front, {run.count('rear')} rear, "
              f"comes back within {returns(run):.1e}")  # fmt: skip
    turn = base.system.period
    phi_5 = nsmb.simulate(base.system, 8 * turn).at(np.arange(2 * turn, 8 * turn, 1e-4))["phi_5"]
    f, power = signal.periodogram(phi_5, 1e4, "hann", scaling="spectrum")
    peaks = signal.find_peaks(power)[0]
    highest = peaks[np.argsort(-power[peaks])][:4]
    lines = [f"{f[k]:.0f} Hz {1e3 * np.sqrt(2 * power[k]):.2f} mrad" for k in highest]
    print("lines of phi_5:", lines)
    curves = sweeps(base, large)
    integrators()
    figure(base, tight, curves, folder)


if __name__ == "__main__":
    main()
