"""Numbers and figure of turbo_generator.md: ``python docs/systems/turbo_generator.py [FOLDER]``.

Prints the table claim by claim and saves turbo_generator.png in the folder, by default here.
About half a minute.
"""

from __future__ import annotations

import functools
import math
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy import signal

import nsmb
from nsmb import analysis, systems
from nsmb.systems.machines.turbo_generator_evaluation import TurboGeneratorLoads

C_N, T_FAULT = 4.75e5, 0.02
CRITICAL = 3.46e7 / C_N
BLUE, GREEN, ORANGE, PURPLE = "#0072B2", "#009E73", "#D55E00", "#CC79A7"


@functools.cache
def run(t_end: float = 0.12, clutch: float = 1.0, **changes: Any) -> nsmb.Solution:
    """Simulate a clutch with this multiple of the nominal stiffness."""
    return nsmb.simulate(systems.turbo_generator(c_6=clutch * C_N, **changes), t_end)


def loads(**changes: Any) -> TurboGeneratorLoads:
    return systems.turbo_generator.loads(run(**changes))


def overload(what: str = "tooth", **changes: Any) -> float:
    return loads(**changes).overload()[what]


def mal(degrees: float, what: str = "tooth", **changes: Any) -> float:
    return overload(what, fault="mal-synchronisation", dphi=math.radians(degrees), **changes)


def apart(**changes: Any) -> int:
    """Count the separations of the flanks."""
    return len(run(**changes).events.of_kind("switch")) // 2


def joined(values: Any, form: str = ".2f") -> str:
    return ", ".join(f"{value:{form}}" for value in values)


# Claims ----------------------------------------------------------------------------------------


def load_shedding() -> str:
    found = loads(fault="load-shedding", t_end=T_FAULT + 0.02)
    gone = np.abs(found.generator_torque) < 0.01 * found.nominal_torque
    late = found.t[gone & (found.t > T_FAULT)][0] - T_FAULT
    solution = run(fault="load-shedding", t_end=T_FAULT + 0.02)
    current = systems.turbo_generator.currents(solution)
    both = (
        np.diff(current, axis=0)[np.diff(solution.t) > 0]
        / np.diff(solution.t)[np.diff(solution.t) > 0, None]
    )
    steep = np.abs(both).max() / (100.0 * math.pi * np.abs(current).max())
    word = found.overload()
    return (
        f"torque below 1 % after {1e3 * late:.1f} ms; clutch {word['clutch']:.2f}, teeth "
        f"{word['tooth']:.2f}; gradient of currents {steep:.1f} times that of the load"
    )


def lines_of_torque(fault: str) -> tuple[float, float]:
    """Return amplitudes at 50 and 100 Hz in the 0.1 s after the fault, in nominal torques."""
    solution = run(fault=fault)
    machine = systems.turbo_generator.loads(solution, np.linspace(T_FAULT, 0.12, 2001)[:-1])
    f, amplitude = spectrum(machine.t, machine.generator_torque / machine.nominal_torque)
    place = [int(np.abs(f - line).argmin()) for line in (50.0, 100.0)]
    return float(amplitude[place[0]]), float(amplitude[place[1]])


def spectrum(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies (Hz) and amplitudes of the spectrum of equidistant values."""
    f, power = signal.periodogram(values, 1.0 / (t[1] - t[0]), "hann", scaling="spectrum")
    return f, np.sqrt(2.0 * power)


def tooth_spectrum(clutch: float, **changes: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the spectrum of the tooth force after the fault, in nominal forces."""
    t = np.linspace(T_FAULT, 0.12, 10001)[:-1]
    found = systems.turbo_generator.loads(run(clutch=clutch, **changes), t)
    return spectrum(t, found.tooth_force / found.nominal_force)


def band(f: np.ndarray, amplitude: np.ndarray, low: float, high: float) -> tuple[float, float]:
    """Return amplitude and frequency of the highest line between two frequencies."""
    inside = np.flatnonzero((f >= low) & (f <= high))
    k = inside[int(amplitude[inside].argmax())]
    return float(amplitude[k]), float(f[k])


def spectra() -> str:
    words = []
    for fault in ("one-phase", "two-phase", "three-phase"):
        words.append(f"{fault} {joined(lines_of_torque(fault))}")
    return "T_G at 50 and 100 Hz, in T_N: " + "; ".join(words)


def peaks_by_fault(model: str, degrees: float = 60.0) -> str:
    words = []
    for fault in ("one-phase", "two-phase", "three-phase"):
        found = loads(fault=fault, model=model, epsilon=math.radians(degrees)).overload()
        words.append(f"{fault} {found['generator']:.2f} and {found['clutch']:.2f}")
    return f"{model}, from {degrees:g} degrees, generator and clutch: " + "; ".join(words)


def opposition() -> str:
    words = []
    for fault in ("two-phase", "three-phase"):
        for what in ("generator", "clutch"):
            short = overload(what, fault=fault, model="two-mass")
            words.append(f"{what} {mal(180.0, what, model='two-mass') / short:.2f} x {fault}")
    return "180 degrees, two masses: " + ", ".join(words)


def over_angle() -> str:
    angles = (30.0, 60.0, 90.0, 110.0, 120.0, 130.0, 140.0, 160.0, 180.0)
    rows = []
    for what in ("generator", "clutch"):
        rows.append(f"{what} {joined(mal(a, what, model='two-mass') for a in angles)}")
    return f"at {joined(angles, '.0f')} degrees, two masses: " + "; ".join(rows)


def small_errors() -> str:
    values = [mal(30.0, what) for what in ("generator", "clutch", "tooth")]
    return f"30 degrees: generator, clutch, teeth {joined(values)}"


def without_backlash() -> str:
    found = loads(s=0.0)
    return (
        f"overloads {joined(found.overload().values())}, least tooth force "
        f"{found.tooth_force.min() / found.nominal_force:.2f}"
    )


def onset() -> tuple[float, float]:
    """Return the bounds of the clutch stiffness at the first separation, in nominal ones."""
    low, high = 2.0, 5.0
    while high - low > 0.05:
        middle = 0.5 * (low + high)
        if apart(clutch=middle):
            high = middle
        else:
            low = middle
    return low, high


def hammering() -> str:
    words = []
    for clutch in (4.0, 5.0, 10.0, 20.0):
        lines = tooth_spectrum(clutch)
        strongest, at = band(*lines, 115.0, 1500.0)
        words.append(
            f"x{clutch:g}: {at:.0f} Hz with {strongest:.2f}, teeth "
            f"{band(*lines, 2000.0, 3500.0)[0]:.2f}, 100 Hz {band(*lines, 90.0, 110.0)[0]:.2f}"
        )
    return "highest line above those of the fault, in nominal forces: " + "; ".join(words)


def modes_of(clutch: float) -> str:
    system = systems.turbo_generator(fault="none", c_6=clutch * C_N)
    found = analysis.modes(system, undamped=True)
    lines = []
    for frequency, vector in zip(found.natural_frequencies, found.vectors.T, strict=True):
        shape = vector[: system.nq]
        if frequency < 5.0 or np.abs(shape).max() < 0.5:
            continue
        shape = (shape / shape[np.abs(shape).argmax()]).real
        lines.append(f"{frequency:7.1f} Hz: {joined(shape)}")
    return f"modes at x{clutch:g} (turbine to generator): " + " | ".join(lines)


def one_way() -> str:
    """Compare runs with and without separation, at ten times the nominal clutch stiffness."""
    t = np.linspace(T_FAULT, 0.12, 4001)
    with_play, never = (
        systems.turbo_generator.loads(run(clutch=10.0, flanks=flanks), t)
        for flanks in ("relaxing wall", "never apart")
    )
    torque = np.abs(with_play.generator_torque - never.generator_torque).max() / 6729.0
    speeds = [run(clutch=10.0, flanks=f).at(t).u for f in ("relaxing wall", "never apart")]
    change = np.abs(speeds[0] - speeds[1]).max(axis=0) / np.abs(speeds[1]).max(axis=0)
    names = ("turbine", "pinion", "gearwheel", "clutch 1", "clutch 2", "generator")
    moved = ", ".join(f"{n} {c:.1%}" for n, c in zip(names, change, strict=True))
    force = np.abs(with_play.tooth_force - never.tooth_force).max() / with_play.nominal_force
    return (
        f"with and without play, generator torque differs by {torque:.2%} T_N, tooth force by "
        f"{force:.1f} nominal ones, speeds beside their largest: {moved}"
    )


def critical() -> str:
    angles = (60.0, 80.0, 100.0, 110.0, 120.0, 130.0, 140.0, 150.0, 160.0, 180.0)
    worst = (
        f"x{clutch:g} {max(mal(a, clutch=clutch) for a in (120.0, 130.0, 140.0, 150.0)):.1f}"
        for clutch in (10.0, 20.0, 40.0)
    )
    return (
        f"at {joined(angles, '.0f')} degrees: {joined(mal(a, clutch=CRITICAL) for a in angles)}; "
        f"largest with softer clutches: {', '.join(worst)}"
    )


def nominal() -> str:
    angles = (60.0, 100.0, 120.0, 140.0, 180.0)
    return f"teeth at {joined(angles, '.0f')} degrees: " + joined(mal(a) for a in angles)


def backlashes() -> str:
    plays = (0.0, 0.075e-3, 0.15e-3, 0.3e-3, 0.45e-3)
    values = [overload(clutch=CRITICAL, s=s) for s in plays]
    return f"s = {joined((1e3 * s for s in plays), 'g')} mm: {joined(values)}"


def wheels() -> str:
    factors = (1.0, 1.5, 2.0, 3.0, 4.0)
    J = systems.turbo_generator().parameters["J_3"]
    values = [overload(clutch=CRITICAL, J_3=f * J) for f in factors]
    return f"inertia x {joined(factors, 'g')}: {joined(values)}"


def teeth() -> str:
    factors = (0.5, 0.7, 1.0, 1.4, 2.0)
    c = systems.turbo_generator().parameters["c_T"]
    values = [overload(clutch=CRITICAL, c_T=f * c) for f in factors]
    return f"stiffness x {joined(factors, 'g')}: {joined(values)}"


def budget() -> str:
    worst = 0.0
    for fault in ("none", "load-shedding", "two-phase", "mal-synchronisation"):
        powers = systems.turbo_generator.powers(run(fault=fault))
        size = np.abs([powers.grid, powers.magnetic, powers.air_gap]).max()
        worst = max(worst, float(np.abs(powers.missing).max() / size))
    return f"missing in (11.60): {worst:.0e} of the largest power"


def stiffnesses() -> str:
    factors = (1.0, 3.0, 5.0, 10.0, 20.0, 40.0, CRITICAL)
    values = [overload(clutch=f) for f in factors]
    low, high = onset()
    return (
        f"first separation between x{low:.2f} and x{high:.2f}; teeth at x "
        f"{joined(factors, '.3g')}: {joined(values)}"
    )


CLAIMS = {
    "power balance": budget,
    "1": load_shedding,
    "2": spectra,
    "3, 4": lambda: "; ".join(
        [peaks_by_fault("two-mass"), peaks_by_fault("six-mass"), peaks_by_fault("two-mass", 0.0)]
    ),
    "5": opposition,
    "6": over_angle,
    "7": small_errors,
    "8": without_backlash,
    "9": stiffnesses,
    "10": lambda: "; ".join([hammering(), modes_of(1.0), modes_of(4.0), modes_of(10.0)]),
    "11": one_way,
    "12": critical,
    "13": nominal,
    "14": backlashes,
    "15": wheels,
    "16": teeth,
}


# Figure ----------------------------------------------------------------------------------------


def figure() -> plt.Figure:
    fig, axes = plt.subplots(2, 3, figsize=(11.5, 6.2), layout="constrained")
    ms = 1e3

    ax = axes[0, 0]
    t = np.linspace(0.0, 0.12, 2401)
    for fault, color in (("two-phase", BLUE), ("three-phase", GREEN)):
        found = systems.turbo_generator.loads(run(fault=fault), t)
        ax.plot(ms * t, found.generator_torque / 6729.0, color=color, linewidth=0.9, label=fault)
    found = systems.turbo_generator.loads(run(), t)
    ax.plot(ms * t, found.clutch_torque / 6729.0, color=ORANGE, label="clutch, two-phase")
    ax.set(title="short circuits: generator torque", xlabel="t / ms", ylabel="torque / nominal")
    ax.legend(frameon=False, fontsize="small")

    ax = axes[0, 1]
    t = np.linspace(0.02, 0.12, 8001)
    for clutch, color in ((10.0, ORANGE), (1.0, BLUE)):
        found = systems.turbo_generator.loads(run(clutch=clutch), t)
        force = found.tooth_force / found.nominal_force
        ax.plot(ms * t, force, color=color, linewidth=0.7, label=f"clutch stiffness × {clutch:g}")
    ax.axhline(0.0, color="0.5", linewidth=0.6)
    ax.set(title="teeth, two-phase fault", xlabel="t / ms", ylabel="tooth force / nominal")
    ax.legend(frameon=False, fontsize="small")

    ax = axes[0, 2]
    f, amplitude = tooth_spectrum(10.0)
    ax.semilogx(f[1:], amplitude[1:], color=BLUE, linewidth=0.9)
    for frequency in (255.0, 2776.0):
        ax.axvline(frequency, color=ORANGE, linewidth=0.8, linestyle="--")
        ax.text(frequency * 1.05, 0.95, f"{frequency:g} Hz", color=ORANGE, fontsize="small",
                transform=ax.get_xaxis_transform(), va="top")  # fmt: skip
    ax.set(title="hammering, clutch × 10: spectrum", xlabel="frequency / Hz", xlim=(20.0, 5000.0))
    ax.set_ylabel("tooth force / nominal")

    ax = axes[1, 0]
    factors = np.geomspace(1.0, CRITICAL, 13)
    ax.semilogx(factors, [overload(clutch=f) for f in factors], "o-", color=BLUE, markersize=3)
    ax.axvline(sum(onset()) / 2.0, color=ORANGE, linewidth=0.8, linestyle="--")
    ax.text(3.7, 1.6, "flanks separate", color=ORANGE, fontsize="small")
    ax.set(title="two-phase fault", xlabel="clutch stiffness / nominal")
    ax.set_ylabel("largest tooth force / nominal")

    ax = axes[1, 1]
    angles = np.linspace(0.0, 180.0, 13)
    lines = (
        ("generator", {"model": "two-mass"}, GREEN, "generator, two masses"),
        ("clutch", {"model": "two-mass"}, PURPLE, "clutch, two masses"),
        ("tooth", {}, BLUE, "teeth, nominal clutch"),
        ("tooth", {"clutch": CRITICAL}, ORANGE, "teeth, critical clutch"),
    )
    for what, changes, color, label in lines:
        values = [mal(float(a), what, **changes) for a in angles]
        ax.plot(angles, values, "o-", color=color, markersize=3, label=label)
    ax.set(title="mal-synchronisation", xlabel="phase error / degrees")
    ax.set_ylabel("largest load / nominal")
    ax.set_ylim(top=22.0)
    ax.legend(frameon=False, fontsize="small", loc="upper left", ncols=2, columnspacing=0.8)

    ax = axes[1, 2]
    p = systems.turbo_generator().parameters
    factors = np.array([0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])
    for name, label, color in (
        ("s", "backlash", ORANGE), ("J_3", "gearwheel inertia", BLUE), ("c_T", "teeth", GREEN),
    ):  # fmt: skip
        kept = factors[(factors >= 1.0) | (name == "s")] if name != "c_T" else factors[1:5]
        values = [overload(clutch=CRITICAL, **{name: float(f) * p[name]}) for f in kept]
        ax.plot(kept, values, "o-", color=color, markersize=3, label=label)
    ax.set(title="critical clutch, two-phase fault", xlabel="parameter / its value in the set")
    ax.set_ylabel("largest tooth force / nominal")
    ax.legend(frameon=False, fontsize="small")
    for ax in axes.ravel():
        ax.spines[["top", "right"]].set_visible(False)
    return fig


def main(folder: Path) -> None:
    for number, claim in CLAIMS.items():
        print(f"{number}: {claim()}", flush=True)
    figure().savefig(folder / "turbo_generator.png", dpi=85)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
