"""A gearbox that rattles while the engine accelerates: fig. 12.13 of Pfeiffer & Glocker."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_floats
from nsmb.common.extras import import_extra
from nsmb.gears.rattling_scene import meshes_scene
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.options import EventDriven
from nsmb.system.parametric import data_of, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems.gears.gearbox_wheels import GEARBOX_CHOSEN, GearboxWheels

__all__ = ["GearboxRunUpParameters", "gearbox_run_up", "run_up_data"]

Vector = NDArray[np.float64]
Complex = NDArray[np.complex128]

_ENGINE = "chosen: four cylinders at full load"
_CAR = "chosen: gearbox resonates at 70 Hz, between idling and full speed"
_UP = "chosen: the whole range of speed"


@dataclass(frozen=True, kw_only=True)
class GearboxRunUpParameters(GearboxWheels):
    """Data of wheels, drive train and acceleration; the book has curves but no numbers."""

    omega_d: float = parameter(
        300.0, "rad/s", "ω that beta refers to: d = beta I omega_d", GEARBOX_CHOSEN
    )
    Omega_0: float = parameter(104.7, "rad/s", "engine speed at the start, 1000/min", _UP)
    Omega_1: float = parameter(628.3, "rad/s", "engine speed after duration, 6000/min", _UP)
    duration: float = parameter(
        2.0, "s", "of the acceleration", "chosen: as in a low gear; 20 s is a car in fourth",
        positive=True,
    )  # fmt: skip
    order: int = parameter(
        2, "-", "periods of the torque per turn of the engine",
        "derived: four cylinders of four strokes ignite twice per turn", positive=True,
    )  # fmt: skip
    T_E: float = parameter(150.0, "N m", "amplitude of the torque of this order", _ENGINE)
    I_F: float = parameter(0.15, "kg m²", "engine and flywheel", _ENGINE, positive=True)
    c_C: float = parameter(1500.0, "N m/rad", "clutch", _CAR, positive=True)
    d_C: float = parameter(1.0, "N m s", "its damping", _CAR, least=0.0)
    I_G: float = parameter(0.012, "kg m²", "loaded part of the gearbox", _CAR, positive=True)
    c_S: float = parameter(
        800.0, "N m/rad", "shafts to the car, seen from the driving shaft", _CAR, least=0.0
    )
    d_S: float = parameter(0.5, "N m s", "their damping", _CAR, least=0.0)


@parametric(
    GearboxRunUpParameters,
    recommended=Recommended(EventDriven(impact_law="newton"), 2.0),
    evaluations="nsmb.systems.gears.gearbox_noise",
)
def gearbox_run_up(p: GearboxRunUpParameters) -> System:
    """Gearbox of five gears and reverse behind an engine at constant acceleration (12.1.5).

    ===========  =========================================================================
    coordinates  ``phi_counter``, ``phi_first``, ``phi_third``, ``phi_idler``, ``phi_reverse``:
                 deviations of the loose wheels from their uniform rotation (rad); others by
                 `gear` and `loose`
    contacts     ``counter.driving``, ``counter.driven``, and so on
    source       Pfeiffer & Glocker, section 12.1, (12.1), (12.2), fig. 12.13; all numbers chosen
    ===========  =========================================================================

    The engine rotates with Omega_0 at the start and with Omega_1 after `duration`. Its constant
    acceleration continues after `duration`. A torque T_E sin θ, θ̇ = order Ω, acts on the flywheel.
    Clutch, the loaded part of the gearbox, and the shafts to a car that is too heavy to respond
    turn it into the motion φ_e of the driving shaft: :func:`gearbox_run_up.entrance`, the steady
    response at each speed. A dual-mass flywheel, with its second mass in I_G, has another
    resonance: 17 Hz with ``I_F=0.1, I_G=0.08, c_C=120.0``, below idling.

    At the start the wheels are on the driving flanks, where drag holds them.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    wheels = p.train(0.0, 1.0, p.omega_d).wheels
    system = _template(p.choice("gear"), p.choice("loose")).with_parameters(**p.values())

    def plays(t: float, q: Vector) -> Vector:
        gaps: Vector = system.contact_kinematics(t, q, np.zeros(q.size))["g_N"]
        return -gaps[::2]

    names = [f"wheel {wheel.name}" for wheel in wheels]
    system.scene = meshes_scene(names, [wheel.v for wheel in wheels], plays)
    return system


@gearbox_run_up.evaluation
def entrance(data: GearboxRunUpParameters | System, Omega: ArrayLike) -> Complex:
    """Return the motion of the driving shaft for engine speeds: φ_e = Im(entrance · exp(iθ)), rad.

    Parameters
    ----------
    data : GearboxRunUpParameters or System
        A :func:`gearbox_run_up`, or its data.
    Omega : array_like, (n,)
        Engine speeds, rad/s.

    Returns
    -------
    (n,) ndarray of complex

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    p = run_up_data("data", data)
    speeds = np.atleast_1d(as_floats("Omega", Omega, np.shape(Omega)))
    M = np.diag([p.I_F, p.I_G])
    K = np.array([[p.c_C, -p.c_C], [-p.c_C, p.c_C + p.c_S]])
    D = np.array([[p.d_C, -p.d_C], [-p.d_C, p.d_C + p.d_S]])
    omega = (p.order * speeds)[:, None, None]
    load = np.array([p.T_E, 0.0])[None, :, None]
    found = np.linalg.solve(K + 1j * omega * D - omega**2 * M, load + 0.0 * omega)
    return np.asarray(found[:, 1, 0], dtype=np.complex128)


def run_up_data(name: str, given: GearboxRunUpParameters | System | None) -> GearboxRunUpParameters:
    """Return the data of a :func:`gearbox_run_up`."""
    if isinstance(given, GearboxRunUpParameters):
        return given
    return data_of(GearboxRunUpParameters, "a gearbox_run_up", name, given)


@functools.cache
def _template(gear: str, loose: str) -> System:
    """Derive the system with the default numbers once."""
    from nsmb import symbolic

    data = GearboxRunUpParameters(gear=gear, loose=loose)
    p: Any = symbolic.parameters(**data.values())
    e = p.r_e * _entrance(p)
    train = data.train(0.0, 1.0, 1.0)
    names = [wheel.name for wheel in train.wheels]
    angles = {name: symbolic.coordinates(f"phi_{name}") for name in names}
    kinetic, contacts = 0, []
    forces: dict[Any, Any] = {}
    initial: dict[Any, Any] = {}
    follow: dict[str, Any] = {}  # φ/e of a wheel on its driving flank
    for wheel in train.wheels:
        name, phi = wheel.name, angles[wheel.name]
        I, r = p[f"I_{name}"], p[f"r_{name}"]
        turning = symbolic.velocities(phi)
        kinetic += I * turning**2 / 2
        forces[phi] = -p.beta * I * p.omega_d * turning - p.T  # (12.1)
        if wheel.parent is not None:
            R = p[f"R_{name}"] if wheel.R is not None else p[f"r_{wheel.parent}"]
            driven, follow[name] = R * angles[wheel.parent], R * follow[wheel.parent] / r
        else:
            ratio = 1 if wheel.R is None else p[f"R_{name}"] / p.r_counter
            driven, follow[name] = ratio * e, ratio / r
        s = driven - r * phi  # (12.2)
        law = ContactLaw(e_N=p.e)
        contacts.append(Contact(gap=-s, law=law, name=f"{name}.driving"))
        contacts.append(Contact(gap=s + p.v, law=law, name=f"{name}.driven"))
        initial[phi] = (follow[name] * e).subs(symbolic.time, 0)
        initial[turning] = (follow[name] * e.diff(symbolic.time)).subs(symbolic.time, 0)
    return symbolic.LagrangianSystem(
        list(angles.values()), kinetic, 0, forces, contacts,
        parameters=p, initial=initial, linear=False, name="gearbox_run_up",
        coordinate_units=["rad"] * len(names), parameter_info=data.info(),
    )  # fmt: skip


def _entrance(p: Any) -> Any:
    """Return φ_e(t) of :func:`gearbox_run_up.entrance` in real arithmetic."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    t = symbolic.time
    rise = (p.Omega_1 - p.Omega_0) / p.duration
    omega = p.order * (p.Omega_0 + rise * t)
    theta = p.order * (p.Omega_0 * t + rise * t**2 / 2)
    # c_C + iω d_C =: c + ib; the other entries of the dynamic stiffness: f + ib, g + ih
    c, b = p.c_C, omega * p.d_C
    f, g = c - omega**2 * p.I_F, c + p.c_S - omega**2 * p.I_G
    h = omega * (p.d_C + p.d_S)
    real, imaginary = f * g - b * h - c**2 + b**2, f * h + b * g - 2 * b * c  # the determinant
    size = p.T_E / (real**2 + imaginary**2)
    in_phase = size * (c * real + b * imaginary)
    across = size * (b * real - c * imaginary)
    return in_phase * sympy.sin(theta) + across * sympy.cos(theta)
