"""A car gearbox with twelve helical gears on four shafts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nsmb.gears import ElasticTeeth, Gear, GearPair, GearTrain
from nsmb.geometry import Frame
from nsmb.multibody import Model, MultibodySystem, joints
from nsmb.multibody.handles import Body
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.gears._wheels import add_outline, elastic_teeth, teeth_parameter
from nsmb.systems.gears.car_gearbox_data import GEARS, PAIRS, SHAFTS

__all__ = ["CarGearboxParameters", "car_gearbox"]

_PRINTED = "printed: Ebrahimi (2007), table 7.4"
_THESIS = "printed: Ebrahimi (2007), section 7.3, third example"
_MISSING = "chosen: the source does not say"

# Gear trains with shared teeth, and the gear of each ratio that rotates freely unless engaged.
_TRAINS = {"D": ("D",), "4": ("4",), "3": ("3",), "2": ("2",), "1R": ("1", "R1", "R2")}
_LOOSE = {1: "G10", 2: "G7", 3: "G5", 4: "G3", 5: "G12"}
_PLANES = {"D": 0.0, "4": 0.03, "3": 0.06, "2": 0.09, "1": 0.12, "R1": 0.12, "R2": 0.12}


@dataclass(frozen=True, kw_only=True)
class CarGearboxParameters(Parameters):
    """Data shared by all gears; those of single gears are in table 7.3."""

    gear: int = parameter(2, "1", "engaged: 1 to 4, 5 is reverse", _THESIS)
    alpha_n: float = parameter(math.radians(20.0), "rad", "normal pressure angle", _PRINTED)
    beta: float = parameter(math.radians(31.5), "rad", "helix angle", _PRINTED)
    addendum: float = parameter(1.1, "-", "of the module", _PRINTED, positive=True)
    dedendum: float = parameter(1.15, "-", "of the module", _PRINTED, positive=True)
    b: float = parameter(0.02, "m", "width", _PRINTED, positive=True)
    E: float = parameter(2.1e11, "N/m²", "Young's modulus", _PRINTED, positive=True)
    s: float = parameter(0.85, "-", "shape factor", _PRINTED, positive=True)
    k: float = parameter(0.8, "-", "c_min/c_max", _PRINTED)
    backlash: float = parameter(0.0, "-", "backlash normal to the flanks, of the module", _PRINTED)
    T_inp: float = parameter(200.0, "N m", "on the driving shaft", _THESIS)
    omega: float = parameter(10.0, "rad/s", "output shaft at the start", _THESIS)
    K_e: float = parameter(5e6, "N/m", "spring of a tooth", _THESIS, positive=True)
    D_e: float = parameter(
        5e4, "N s/m", "damper of a tooth; 1e4 in the second run", _THESIS, least=0.0
    )
    m_th: float | None = parameter(
        None, "kg", "tooth that moves; left out: of steel, beyond the root circle", _MISSING,
        positive=True,
    )  # fmt: skip
    D: float = parameter(
        1.5e3, "N s/m", "damping of a pair of teeth", f"{_MISSING}; free gears settle in 0.01 s"
    )
    transition: float = parameter(1e-6, "m", "depth within which it grows", _MISSING)
    teeth: int | str = teeth_parameter()
    events: int | str = parameter(
        "none", "1", "none; flanks: touching and parting is located", _MISSING,
        choices=("none", "flanks"),
    )  # fmt: skip


def _check_gear(gear: int) -> None:
    if gear not in _LOOSE:
        raise ValueError(f"parameter 'gear': expected 1 to 5, got {gear!r}")


@parametric(
    CarGearboxParameters,
    recommended=Recommended(t_end=0.01),
    sets={"lightly_damped_flanks": {"D": 300.0}},
)
def car_gearbox(p: CarGearboxParameters) -> MultibodySystem:
    """Car gearbox with all pairs in mesh, of which one carries the load and the others idle.

    ===========  =========================================================================
    coordinates  ``driving``, ``transmission``, ``output``, ``idler``, and one for each free
                 gear, ``G3``, ``G5``, ``G10``, ``G12`` in second gear (rad), anticlockwise
    states       of elastic teeth ``D.G1_s0``, ..., ``1R.G9_omega0``, ...
    sets         ``lightly_damped_flanks``: elastic teeth lose more energy at G3 than rigid ones
    source       Ebrahimi, A Contribution to Computational Contact Procedures in Flexible
                 Multibody Systems, Stuttgart 2007, section 7.3, third example
    ===========  =========================================================================

    Forces are continuous when flanks touch and separate, so that a moderate tolerance needs no
    events. Without backlash, both flanks of all seven pairs would have some ten thousand events per
    second. Driving and output shaft are coaxial, and the idler is placed by its two centre
    distances. The backlash follows from the factor alone: from the geometry, pair 2 would have 1.5
    mm and pair R2 would be jammed. At the start all shafts rotate with the ratios, free gears and
    the idler are at rest, and teeth are in the middle of their backlash. In gears 1, 3, 4 and
    reverse, the corresponding free gear is engaged and G7 is free. Damping of flanks, mass of
    teeth, hands of helices, planes of the pairs and phases are not given in the source. The output
    is loaded by the torque that balances the input.

    Raises
    ------
    ValueError
        If a parameter is unknown, a value is out of range, or the gear does not exist.
    """
    _check_gear(p.gear)
    word = p.choice("teeth")
    teeth = elastic_teeth(word, p.K_e, p.D_e, p.m_th)
    gears = {name: _gear(name, p) for name in GEARS}
    pairs = {
        name: GearPair(
            gear_1=gears[data.first], gear_2=gears[data.second], distance=data.distance,
            backlash_from="factor", backlash=p.backlash, shape=p.s, stiffness_ratio=p.k,
            damping=0.0 if word in ("quasi-static", "static") else p.D, transition=p.transition,
        )
        for name, data in PAIRS.items()
    }  # fmt: skip
    axes, angles = _places()
    phases = _phases(pairs, angles)
    rolling = speeds(p.omega, p.gear)
    m = Model(gravity=(0.0, 0.0), name="car_gearbox")
    on, spins = _bodies(m, p, gears, pairs, phases, teeth, axes, rolling)
    m.add_torsion_spring("motor", "driving", c=0.0, preload=p.T_inp)
    m.add_torsion_spring("load", "output", c=0.0, preload=-p.T_inp * ratio(p.gear))
    for train, meshes in _TRAINS.items():
        names = list(dict.fromkeys(g for mesh in meshes for g in PAIRS[mesh][:2]))
        m.add_gear_train(
            train,
            {name: on[name] for name in names},
            GearTrain(
                gears={name: gears[name] for name in names},
                meshes={
                    mesh if len(meshes) > 1 else "": (*PAIRS[mesh][:2], pairs[mesh])
                    for mesh in meshes
                },
                phases={name: phases[name] for name in names},
                spins={name: spins[name] for name in names},
                teeth=teeth,
                events=p.choice("events") == "flanks",
            ),
            at=[Frame((0.0, 0.0, _PLANES[meshes[0]]))] * len(names),
        )
    joint_speeds = {name: rolling[_on_shaft(name)] for name in SHAFTS[:3]}
    return m.build(velocities=joint_speeds)


@car_gearbox.evaluation
def ratio(gear: int = 2) -> float:
    """Return the ratio of output torque to driving torque, negative in reverse.

    Raises
    ------
    ValueError
        If the gear does not exist.
    """
    _check_gear(gear)
    z = {name: data.z for name, data in GEARS.items()}
    first = z["G2"] / z["G1"]
    if gear == 5:
        return -first * z["G12"] / z["G9"]
    pair = PAIRS[str(gear)]
    return first * z[pair.second] / z[pair.first]


@car_gearbox.evaluation
def speeds(omega: float = 10.0, gear: int = 2) -> dict[str, float]:
    """Return the speeds of all gears without slip, rad/s, anticlockwise.

    Parameters
    ----------
    omega : float
        Speed of the output shaft, rad/s.
    gear : int
        1 to 4, or 5 for reverse.

    Raises
    ------
    ValueError
        If the gear does not exist.
    """
    transmission = -ratio(gear) * omega * GEARS["G1"].z / GEARS["G2"].z
    driving = -transmission * GEARS["G2"].z / GEARS["G1"].z
    shafts = {"driving": driving, "transmission": transmission, "output": omega, "idler": 0.0}
    loose = set(_LOOSE.values()) - {_LOOSE[gear]}
    found = {name: shafts[data.shaft] for name, data in GEARS.items()}
    for pair in PAIRS.values():
        one, two = pair.first, pair.second
        teeth = GEARS[one].z / GEARS[two].z
        if one in loose and one != "G12":
            found[one] = -found[two] / teeth
        elif two in loose or two == "G11":
            found[two] = -found[one] * teeth
    return found


def _on_shaft(shaft: str) -> str:
    """Return a gear that is fixed to the shaft."""
    return {"driving": "G1", "transmission": "G2", "output": "G4"}[shaft]


def _gear(name: str, p: CarGearboxParameters) -> Gear:
    data = GEARS[name]
    m_n = next(pair.m_n for pair in PAIRS.values() if name in pair[:2])
    hand = -1.0 if data.shaft == "transmission" or name == "G12" else 1.0
    return Gear(
        z=data.z, m_n=m_n, alpha_n=p.alpha_n, beta=hand * p.beta, x=data.x, addendum=p.addendum,
        dedendum=p.dedendum, width=p.b, E=p.E,
    )  # fmt: skip


def _places() -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Return the axes of the shafts, m, and the direction to the second gear of each pair."""
    a, r_1, r_2 = PAIRS["D"].distance, PAIRS["R1"].distance, PAIRS["R2"].distance
    x = (r_2**2 + a**2 - r_1**2) / (2.0 * a)
    axes = {
        "driving": (0.0, 0.0),
        "transmission": (a, 0.0),
        "output": (0.0, 0.0),
        "idler": (x, math.sqrt(r_2**2 - x**2)),
    }
    angles = {}
    for name, pair in PAIRS.items():
        one, two = (np.array(axes[GEARS[gear].shaft]) for gear in pair[:2])
        angles[name] = math.atan2(*(two - one)[::-1])
    return axes, angles


def _phases(pairs: dict[str, GearPair], angles: dict[str, float]) -> dict[str, float]:
    """Return the phases of all gears with teeth in the middle of the backlash."""
    phases: dict[str, float] = {}
    for name, data in PAIRS.items():
        phases.setdefault(data.first, 0.0)
        phases[data.second] = pairs[name].phase_2(phases[data.first], angles[name])
    return phases


def _bodies(
    m: Model,
    p: CarGearboxParameters,
    gears: dict[str, Gear],
    pairs: dict[str, GearPair],
    phases: dict[str, float],
    teeth: ElasticTeeth | None,
    axes: dict[str, tuple[float, float]],
    rolling: dict[str, float],
) -> tuple[dict[str, Body], dict[str, float]]:
    """Add shafts with their fixed gears, then free gears; return bodies and speeds of all gears."""
    loose = [name for name in GEARS if name in _LOOSE.values() and name != _LOOSE[p.gear]]
    moving = dict.fromkeys(GEARS, 0.0)
    if teeth is not None:
        for name, data in PAIRS.items():
            for k, gear in enumerate(data[:2]):
                whole = teeth.inertia_of(gears[gear])
                near = pairs[name].near(k == 0) / gears[gear].z
                moving[gear] = whole if teeth.all_teeth else moving[gear] + near * whole
    on: dict[str, Body] = {}
    spins: dict[str, float] = {}
    for body_name in (*SHAFTS, *loose):
        own = [
            name
            for name, data in GEARS.items()
            if name == body_name or (data.shaft == body_name and name not in loose)
        ]
        inertia = sum(GEARS[name].inertia - moving[name] for name in own)
        if not inertia > 0.0:
            raise ValueError(
                f"parameter 'm_th': expected teeth with less than the inertia of {own}, got "
                f"{sum(moving[name] for name in own):g} kg m²"
            )
        body = m.add_body(body_name, mass=1.0, inertia=inertia)
        shaft = GEARS[own[0]].shaft
        m.add_joint(body_name, joints.Revolute(), m.ground, body, at=axes[shaft])
        for name in own:
            on[name] = body
            still = body_name in loose or body_name == "idler"
            spins[name] = 0.0 if still else rolling[name]
            add_outline(body, name, gears[name], phases[name])
    return on, spins
