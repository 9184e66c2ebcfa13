"""A turbo-generator set and its faults: Pfeiffer & Glocker, section 11.2."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.scene import Scene
from nsmb.system import System
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._blocks import Part, disc, parts_scene
from nsmb.systems.machines.synchronous_machine import STATES, loaded_start
from nsmb.systems.machines.turbo_generator_equations import BODIES, DATA, equations, machine_of

__all__ = ["FAULTS", "LOST", "TurboGeneratorParameters", "turbo_generator"]

Vector = NDArray[np.float64]

FAULTS = (
    "none", "load-shedding", "one-phase", "two-phase", "three-phase", "mal-synchronisation",
)  # fmt: skip
MODELS = ("six-mass", "two-mass")
FLANKS = ("relaxing wall", "elastic", "never apart")
LOST = {"one-phase": (1, 0, 0), "two-phase": (0, 1, 1), "three-phase": (1, 1, 1)}

_BOOK = "printed: Pfeiffer & Glocker 11.2"
_USUAL = "chosen: usual for turbo-generators of this size"
_FIT = "chosen: calibrated to the checks of docs/systems/turbo_generator.md"


@dataclass(frozen=True, kw_only=True)
class TurboGeneratorParameters(Parameters):
    """Data of machine, drive and fault; angles and inertias are referred to the generator."""

    load: float = parameter(1.0, "-", "load before the fault, in nominal ones", "chosen")
    fault: int | str = parameter(
        "two-phase", "-", "what happens", f"{_BOOK}, the standard case", choices=FAULTS
    )
    model: int | str = parameter("six-mass", "-", "size of the drive", _BOOK, choices=MODELS)
    flanks: int | str = parameter(
        "relaxing wall", "-", "law of the mesh", f"{_BOOK}, (3.20)-(3.23)", choices=FLANKS
    )
    t_fault: float = parameter(0.02, "s", "when the fault begins", "chosen: a period of the grid")
    t_clear: float = parameter(10.0, "s", "when the voltages return", "chosen: not in a usual run")
    epsilon: float = parameter(
        math.radians(60.0), "rad", "phase of the first voltage when the fault begins",
        "chosen: there the torques grow with the phases faulted",
    )  # fmt: skip
    dphi: float = parameter(math.pi, "rad", "phase error of mal-synchronisation", _BOOK)
    tau: float = parameter(
        1e-3, "s", "time in which an opening switch takes the currents", f"{_BOOK}, a few ms",
        positive=True,
    )  # fmt: skip
    T_N: float = parameter(6729.0, "N m", "nominal torque", f"{_BOOK}, Fig. 11.27", positive=True)
    T_R: float = parameter(
        67.0, "N m", "friction torque of the generator, (11.60)", "chosen: one per cent of T_N"
    )
    cos_phi: float = parameter(0.8, "-", "power factor", _USUAL, positive=True)
    f: float = parameter(50.0, "Hz", "frequency of the grid", _BOOK, positive=True)
    p: int = parameter(2, "-", "pairs of poles", "derived: 1040 kW at 6729 N m", positive=True)
    x_l: float = parameter(0.2, "-", "leakage of the stator", _FIT, positive=True)
    x_md: float = parameter(1.9, "-", "main reactance, d axis", _USUAL, positive=True)
    x_mq: float = parameter(1.8, "-", "main reactance, q axis", _USUAL, positive=True)
    x_D: float = parameter(0.06, "-", "leakage of the cage, d axis", _USUAL, positive=True)
    x_Q: float = parameter(0.06, "-", "leakage of the cage, q axis", _USUAL, positive=True)
    x_E: float = parameter(0.15, "-", "leakage of the excitation", _USUAL, positive=True)
    R_S: float = parameter(0.012, "-", "resistance of the stator", _USUAL)
    R_D: float = parameter(0.03, "-", "resistance of the cage, d axis", _USUAL)
    R_Q: float = parameter(0.03, "-", "resistance of the cage, q axis", _USUAL)
    R_E: float = parameter(0.0012, "-", "resistance of the excitation", _USUAL)
    J_1: float = parameter(16.66, "kg m²", "turbine wheel", _FIT, positive=True)
    J_2: float = parameter(0.9433, "kg m²", "pinion", _FIT, positive=True)
    J_3: float = parameter(14.21, "kg m²", "gearwheel", _FIT, positive=True)
    J_4: float = parameter(23.78, "kg m²", "clutch half of the gear", _FIT, positive=True)
    J_5: float = parameter(17.13, "kg m²", "clutch half of the generator", _FIT, positive=True)
    J_6: float = parameter(48.5, "kg m²", "rotor of the generator", _FIT, positive=True)
    c_2: float = parameter(1.822e7, "N m/rad", "turbine shaft", _FIT, positive=True)
    c_T: float = parameter(8.09e8, "N/m", "teeth", "derived: 2776 Hz", positive=True)
    c_5: float = parameter(8.593e6, "N m/rad", "gear shaft", "derived: 255 Hz", positive=True)
    c_6: float = parameter(4.75e5, "N m/rad", "clutch", _BOOK, positive=True)
    c_7: float = parameter(3.007e6, "N m/rad", "generator shaft", _FIT, positive=True)
    D_S: float = parameter(0.01, "-", "damping of shafts and clutch, see notes", _FIT)
    D_T: float = parameter(0.085, "-", "damping of the teeth", _FIT, positive=True)
    s: float = parameter(1.5e-4, "m", "backlash", _BOOK)
    r: float = parameter(
        0.6047, "m", "pitch radius of the gearwheel", "derived: 6729 N m and 12025 N", positive=True
    )
    alpha: float = parameter(math.radians(20.0), "rad", "pressure angle", "chosen: standard")
    beta: float = parameter(math.radians(10.0), "rad", "helix angle", "chosen: usual")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("t_fault", "T_R", "R_S", "R_D", "R_Q", "R_E", "D_S", "s"):
            if getattr(self, name) < 0.0:
                raise ValueError(
                    f"parameter {name!r}: expected a number >= 0, got {getattr(self, name):g}"
                )
        if self.cos_phi > 1.0:
            raise ValueError(f"parameter 'cos_phi': expected a number <= 1, got {self.cos_phi:g}")
        if self.load < 0.0:
            raise ValueError(f"parameter 'load': expected a number >= 0, got {self.load:g}")
        if self.t_clear < self.t_fault:
            raise ValueError(
                f"parameter 't_clear': expected a time from t_fault = {self.t_fault:g} on, got "
                f"{self.t_clear:g}"
            )
        for name in ("alpha", "beta"):
            if not abs(getattr(self, name)) < math.pi / 2:
                raise ValueError(
                    f"parameter {name!r}: expected an angle below a right one, got "
                    f"{getattr(self, name):g}"
                )


# Under steady load, speeds and cage currents are zero up to rounding and give no error scale.
@parametric(
    TurboGeneratorParameters,
    recommended=Recommended(EventDriven(atol=1e-10), t_end=0.12),
    evaluations="nsmb.systems.machines.turbo_generator_evaluation",
)
def turbo_generator(p: TurboGeneratorParameters) -> System:
    """Steam turbine, helical gears, clutch and synchronous generator, with faults of the grid.

    ===========  =========================================================================
    coordinates  ``phi_turbine``, ``phi_pinion``, ``phi_gearwheel``, ``phi_clutch_1``,
                 ``phi_clutch_2``, ``phi_generator``; with two masses ``phi_drive`` and
                 ``phi_generator``: angles relative to synchronous rotation, referred to the
                 generator (rad)
    states       ``i_d``, ``i_q``, ``i_D``, ``i_Q``, ``i_E``: currents of stator, cage and
                 excitation, per unit
    contacts     none; force elements ``front`` and ``rear``, the flanks of the mesh
    faults       ``none``; ``load-shedding``; ``one-phase``, ``two-phase``, ``three-phase``
                 short circuit; ``mal-synchronisation``, the switch closes at the phase
                 error dphi
    source       Pfeiffer & Glocker, section 11.2, (11.36)-(11.60); most data chosen
    ===========  =========================================================================

    The fault starts at t_fault and, if the voltages return, ends at t_clear. Turbine torque and
    excitation do not react. Faulted phases have no voltage, the others keep the grid voltage, and
    the star point is not connected. When the switch opens, the stator currents decay with the time
    constant tau to zero. Before mal-synchronisation the generator idles at rated voltage. The
    turbine carries the load and the friction torque T_R.

    Dashpots have d = 2 D √(c J), where J is the reduced inertia of the two adjacent masses, or of
    both halves of the drive for the clutch. With the flanks ``never apart`` the mesh is a spring
    and a dashpot, regardless of the backlash.

    Clutch torque and tooth force are positive under load. The generator torque has the sign of a
    consumer, -T_N under load: see :func:`turbo_generator.loads` and :func:`turbo_generator.powers`.

    Notes
    -----
    With these data, in a two-phase fault the flanks separate from 3.15 times the nominal clutch
    stiffness on and hammer in the mode of 255 Hz. They carry 5.9 times the nominal force at the
    critical stiffness 3.46·10⁷ N m/rad, and 12.0 times in mal-synchronisation at 130° to 140°.
    ``docs/systems/turbo_generator.md`` checks all claims of the book.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    model, flanks = p.choice("model"), p.choice("flanks")
    system = _template(model, flanks).with_parameters(**_numbers(p))
    system.scene = _scene(model)
    return system


def start_of(p: TurboGeneratorParameters) -> tuple[float, tuple[float, ...], float]:
    """Return load angle, currents and u_E before the fault."""
    if p.choice("fault") == "mal-synchronisation":
        # idling at rated voltage, (11.57) with i_S = 0
        return p.dphi, (0.0, 0.0, 0.0, 0.0, 1.0 / p.x_md), p.R_E / p.x_md
    return loaded_start(machine_of(p), p.load * p.cos_phi, p.cos_phi)


def _numbers(p: TurboGeneratorParameters) -> dict[str, float]:
    """Return the parameters of the template: data, switches of the fault, initial state."""
    fault = p.choice("fault")
    delta, currents, u_E = start_of(p)
    values = {name: float(getattr(p, name)) for name in DATA}
    lost = LOST.get(fault, (0, 0, 0))
    return values | {
        **{f"lost_{k}": float(gone) for k, gone in enumerate(lost)},
        "open_before": float(fault == "mal-synchronisation"),
        "open_after": float(fault == "load-shedding"),
        "T_M": p.T_R + (0.0 if fault == "mal-synchronisation" else p.load * p.T_N),
        "delta": delta,
        "u_E": u_E,
        **{f"start_{name}": value for name, value in zip(STATES, currents, strict=True)},
    }


@functools.cache
def _template(model: str, flanks: str) -> System:
    """Derive the system with the default data once."""
    p = TurboGeneratorParameters()
    return equations(_numbers(p), p.info(), model, flanks)


def _scene(model: str) -> Scene:
    """Return discs in a row that rotate by a hundred times their angles; sizes are chosen."""
    names = BODIES if model == "six-mass" else ("drive", "generator")
    radii = (0.35, 0.12, 0.55, 0.4, 0.4, 0.5) if model == "six-mass" else (0.55, 0.5)
    places = np.cumsum([0.0, *(a + b + 0.2 for a, b in itertools.pairwise(radii))])

    def follow(i: int) -> Callable[[float, Vector], tuple[float, ...]]:
        return lambda t, q: (float(places[i]), 0.0, 100.0 * float(q[i]))

    parts = []
    for i, (name, radius) in enumerate(zip(names, radii, strict=True)):
        wheel = np.vstack([disc(radius), [(0.0, 0.0)]])
        parts.append(Part(name, wheel, follow(i)))
    floor = np.array([(float(places[-1]) + 1.0, -0.8), (-1.0, -0.8)])
    return parts_scene([Part("ground", floor), *parts])
