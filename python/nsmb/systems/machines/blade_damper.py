"""A friction damper under the platforms of two turbine blades; Pfeiffer & Glocker, section 13.1."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.extras import import_extra
from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._blocks import block, turned

__all__ = ["BladeDamperParameters", "blade_damper"]

_RIG = "chosen: size of a test rig; the book keeps the industrial data to itself"
_MODE_A = "derived: blades against each other at the printed 62 Hz, (2π 62 Hz)² m_2"
_MODE_I = "derived: blades with each other at the printed 61 Hz, the damper blocked"
_LIGHT = "chosen: damping ratio 0.003, of a blade without damper"
_LEAST = "chosen: 1.0 with p_2, below 1.276 where the symmetric place loses its stability"

_M, _BLADE, _DAMPER = 0.2, 0.5, 0.05  # kg: platform, blade, damper
_F_A, _F_I = 62.0, 61.0  # Hz
_C_BLADE = _BLADE * (2.0 * math.pi * _F_A) ** 2
# Blades in phase on a block: m_2 ω² (c_2 + κ) = c_2 κ with 2 κ = c_1 + c_3 - M ω².
_PART = (_F_I / _F_A) ** 2
_KAPPA = _PART / (1.0 - _PART) * _C_BLADE
_C_PLATFORM = _KAPPA + 0.5 * (2.0 * _M + _DAMPER) * (2.0 * math.pi * _F_I) ** 2
_D_BLADE = 2.0 * 0.003 * _C_BLADE / (2.0 * math.pi * _F_A)

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class BladeDamperParameters(Parameters):
    """Data of blades, platforms and damper; the book has two frequencies and an angle."""

    m_1: float = parameter(_M, "kg", "left platform", _RIG, positive=True)
    m_2: float = parameter(_BLADE, "kg", "left blade", _RIG, positive=True)
    m_3: float = parameter(_M, "kg", "right platform", _RIG, positive=True)
    m_4: float = parameter(_BLADE, "kg", "right blade", _RIG, positive=True)
    m_5: float = parameter(_DAMPER, "kg", "damper", _RIG, positive=True)
    J_S: float = parameter(1.2e-6, "kg m²", "damper about its mass centre", _RIG, positive=True)
    c_1: float = parameter(_C_PLATFORM, "N/m", "left platform to the disc", _MODE_I, positive=True)
    c_2: float = parameter(_C_BLADE, "N/m", "left blade on its platform", _MODE_A, positive=True)
    c_3: float = parameter(_C_PLATFORM, "N/m", "right platform to the disc", _MODE_I, positive=True)
    c_4: float = parameter(_C_BLADE, "N/m", "right blade on its platform", _MODE_A, positive=True)
    d_1: float = parameter(
        _D_BLADE * _C_PLATFORM / _C_BLADE, "N s/m", "damping along c_1", _LIGHT, least=0.0
    )
    d_2: float = parameter(_D_BLADE, "N s/m", "damping along c_2", _LIGHT, least=0.0)
    d_3: float = parameter(
        _D_BLADE * _C_PLATFORM / _C_BLADE, "N s/m", "damping along c_3", _LIGHT, least=0.0
    )
    d_4: float = parameter(_D_BLADE, "N s/m", "damping along c_4", _LIGHT, least=0.0)
    gamma: float = parameter(
        math.radians(50.0), "rad", "contact angle, a = cot γ", "printed: 50°, Fig. 13.8"
    )
    b: float = parameter(0.03, "m", "height of the faces in the middle", _RIG)
    p_1: float = parameter(
        100.0, "1/m", "half the curvature of the parabola", _LEAST, positive=True
    )
    p_2: float = parameter(0.01, "m", "its apex above the mass centre", _RIG, positive=True)
    mu: float = parameter(0.3, "-", "friction coefficient", "chosen: dry steel", least=0.0)
    e_N: float = parameter(
        0.0, "-", "restitution of a damper that comes back", "chosen", least=0.0, most=1.0
    )
    F_z: float = parameter(
        100.0, "N", "centrifugal force of the damper", "chosen: 2000 m/s² times its mass",
        positive=True,
    )  # fmt: skip
    A: float = parameter(2.5, "N", "amplitude of the gas forces", "chosen: the damper slides")
    omega: float = parameter(
        2.0 * math.pi * _F_A, "rad/s", "their angular frequency", "printed: 62 Hz, a resonance",
        positive=True,
    )  # fmt: skip
    phi_2: float = parameter(0.0, "rad", "phase at the left blade", "chosen")
    phi_4: float = parameter(2.0, "rad", "phase at the right blade", "chosen: both modes answer")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.gamma < 0.5 * math.pi:
            raise ValueError(
                f"parameter 'gamma': expected an angle between 0 and π/2, got {self.gamma:g}"
            )


@parametric(BladeDamperParameters, recommended=Recommended(t_end=0.5))
def blade_damper(p: BladeDamperParameters) -> System:
    """Turbine blade damper: two blades on platforms, and a damper pressed against both platforms.

    ===========  ==========================================================================
    coordinates  ``q_1`` left platform, ``q_2`` left blade, ``q_3`` right platform, ``q_4``
                 right blade (m), ``q_5`` damper (rad), ``q_6``, ``q_7`` its mass centre (m)
    contacts     ``left``, ``right``: the parabola y = -p_1 x² + p_2 of the damper on the faces
                 y = b ± a (x - q_1,3), with friction
    period       2π/omega
    source       Pfeiffer & Glocker, section 13.1, (13.1)-(13.7), (4.48)-(4.55); data chosen
    ===========  ==========================================================================

    It starts at the equilibrium without friction and with the damper upright, (13.7) in closed
    form: λ_N = F_z √(1 + a²)/2, q_1 = q_2 = -a F_z/(2 c_1), q_3 = q_4 = a F_z/(2 c_3). For p_1 p_2
    > (1 + 3a²/2 + a⁴)/2 this equilibrium is unstable. There are two others, which
    `nsmb.analysis.static_start` finds from a start with q_5 ≠ 0.

    Notes
    -----
    :func:`blade_damper_blocked` is the linear model with the damper blocked.
    ``docs/systems/blade_damper.md`` compares the claims of the book with computed results. In
    short, the upright equilibrium loses its stability in a pitchfork at the p_1 above. The contacts
    start to slip at the gas force predicted by the blocked model, which is smallest at 62 Hz. The
    resonance amplitude of the blades has minima over gamma and over the mass of the damper.
    Accelerations jump where sliding ends, but not where it starts. Amplitudes that decrease with
    m_5 by inertia rather than by friction require softer platforms than these.

    The book does not treat impacts: contacts that have opened close without rebound (e_N = 0).
    Events of kind ``detach`` record openings. Contour and face have parallel tangents at a point
    only while |q_5| < gamma.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    ImportError
        If SymPy or llvmlite is not installed (``pip install nsmb[symbolic]``).
    """
    system = _template().with_parameters(**p.values())
    system.scene = _scene(p)
    return system


@functools.cache
def _template() -> System:
    """Derive the system with the default parameters once."""
    sympy = import_extra("sympy", "symbolic")

    from nsmb import symbolic

    data = BladeDamperParameters()
    p: Any = symbolic.parameters(**data.values())
    q = symbolic.coordinates("q_1 q_2 q_3 q_4 q_5 q_6 q_7")
    u = symbolic.velocities(*q)
    q_1, q_2, q_3, q_4, q_5, q_6, q_7 = q
    u_1, u_2, u_3, u_4, u_5, u_6, u_7 = u
    a = sympy.cot(p.gamma)
    root = sympy.sqrt(1 + a**2)
    masses = (p.m_1, p.m_2, p.m_3, p.m_4, p.J_S, p.m_5, p.m_5)  # (13.2)
    kinetic = sum(m * v**2 for m, v in zip(masses, u, strict=True)) / 2
    # (13.3)
    potential = (p.c_1 * q_1**2 + p.c_2 * (q_2 - q_1) ** 2) / 2
    potential += (p.c_3 * q_3**2 + p.c_4 * (q_4 - q_3) ** 2) / 2 - p.F_z * q_7
    left, right = p.d_2 * (u_2 - u_1), p.d_4 * (u_4 - u_3)
    forces = {
        q_1: left - p.d_1 * u_1,
        q_2: p.A * sympy.sin(p.omega * symbolic.time + p.phi_2) - left,
        q_3: right - p.d_3 * u_3,
        q_4: p.A * sympy.sin(p.omega * symbolic.time + p.phi_4) - right,
    }
    cos, sin = sympy.cos(q_5), sympy.sin(q_5)

    def contact(name: str, slope: Any, platform: Any, speed: Any) -> Contact:
        along = slope * sin + cos
        sigma = -(slope * cos - sin) / along / (2 * p.p_1)  # (4.48)
        reach = (p.p_1 * sigma**2 + p.p_2) * along
        return Contact(
            gap=(p.b - q_7 + slope * (q_6 - platform) - reach) / root,  # (4.49)
            slip=(u_6 - speed + slope * u_7 - reach * u_5) / root,  # (4.52), (13.4)
            law=ContactLaw(mu=p.mu, e_N=p.e_N),
            name=name,
        )

    # (13.7) for q_5 = 0
    far_1, far_3 = a * p.F_z / (2 * p.c_1), a * p.F_z / (2 * p.c_3)
    height = p.b - p.p_2 - a**2 / (4 * p.p_1) + a * (far_1 + far_3) / 2
    initial = {q_1: -far_1, q_2: -far_1, q_3: far_3, q_4: far_3}
    initial |= {q_6: (far_3 - far_1) / 2, q_7: height}
    return symbolic.LagrangianSystem(
        q,
        kinetic,
        potential,
        forces,
        contacts=[contact("left", a, q_1, u_1), contact("right", -a, q_3, u_3)],
        parameters=p,
        initial=initial,
        linear=False,
        name="blade_damper",
        coordinate_units=["m"] * 4 + ["rad", "m", "m"],
        parameter_info=data.info(),
        period=2 * sympy.pi / p.omega,
    )


def _scene(p: BladeDamperParameters) -> Scene:
    """Return the scene; sizes are proportional to those of the damper."""
    a = 1.0 / math.tan(p.gamma)
    root = math.hypot(1.0, a)
    width = 1.6 * a / p.p_1 + 0.5 * p.p_2
    side = np.linspace(-0.5, 0.5, 81) * min(2.4 * a / p.p_1, 2.0 * math.sqrt(1.4 * p.p_2 / p.p_1))
    damper = np.column_stack([side, p.p_2 - p.p_1 * side**2])
    damper = np.vstack([damper, damper[:1]])
    top = p.b + 0.3 * width
    right = np.array([(0.1, a * -0.1), (1.0, -a), (1.6, -a), (1.6, 0.3), (0.1, 0.3)])
    right = np.vstack([right, right[:1]]) * width + (0.0, p.b)
    left = right[::-1] * (-1.0, 1.0)
    blade = block(0.35 * width, 1.2 * width)
    wall = np.array([(0.0, -a), (0.0, 0.3)]) * width + (2.3 * width, p.b)
    away = np.array([0.9 * width, top + 0.4 * width])

    def points(t: float, q: Vector) -> list[ArrayLike]:
        body = damper @ turned(float(q[4])).T + q[5:]
        blades = [blade + away * (sign, 1.0) + (x, 0.0) for sign, x in ((-1.0, q[1]), (1.0, q[3]))]
        platforms = [left + np.array([q[0], 0.0]), right + np.array([q[2], 0.0])]
        return [*platforms, *blades, body, wall * (-1.0, 1.0), wall[::-1]]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        frames: list[ContactFrame | None] = []
        for slope in (a, -a):
            cos, sin = math.cos(q[4]), math.sin(q[4])
            sigma = -(slope * cos - sin) / (slope * sin + cos) / (2.0 * p.p_1)  # (4.48)
            point = turned(float(q[4])) @ (sigma, p.p_2 - p.p_1 * sigma**2) + q[5:]
            frames.append(ContactFrame(point, (slope / root, -1 / root), (1 / root, slope / root)))
        return frames

    def markers(t: float, q: Vector) -> list[ArrayLike]:
        found: list[ArrayLike] = []
        for sign, platform, mass in ((-1.0, q[0], q[1]), (1.0, q[2], q[3])):
            found.append((sign * 2.3 * width, p.b))
            found.append((sign * 1.6 * width + platform, p.b))
            found.append((sign * 0.9 * width + platform, top))
            found.append((sign * 0.9 * width + mass, top + 0.4 * width))
        return found

    return Scene.from_function(
        points,
        bodies=[
            "left platform", "right platform", "left blade", "right blade", "damper",
            "ground", "ground",
        ],
        markers=markers,
        springs=[(0, 1), (2, 3), (4, 5), (6, 7)],
        contacts=contacts,
    )  # fmt: skip
