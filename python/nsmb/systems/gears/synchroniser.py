"""The double-cone synchroniser of a truck: section 12.3 of Pfeiffer & Glocker."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.pictures.scene import ContactFrame, Scene
from nsmb.system import System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.contacts import Contact, Friction
from nsmb.system.options import EventDriven
from nsmb.system.parametric import Parameters, parameter, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._blocks import Part, parts_scene

__all__ = ["SynchroniserParameters", "synchroniser"]

_TRUCK = "chosen: size of a truck's double cone; the book gives no number"
_WORKED = "chosen: with it the safety factor (12.48) is 2.73"
_TIMES = "chosen: teeth meet after 120 ms, position I lasts from 140 ms on"
_LINK = "chosen: the first recoil of the exterior ring is caught by the link, and ends there"
_ROUND = "chosen: edges of chamfers are rounded; a small part of the tooth"

_CONTACTS = 18  # including friction without gap

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SynchroniserParameters(Parameters):
    """Data of sleeve, rings, pins and pneumatic cylinder; none is printed."""

    gamma: float = parameter(math.radians(110.0), "rad", "angle of the tips of the teeth", _WORKED)
    beta: float = parameter(0.0, "rad", "taper of the teeth along the radius", _TRUCK)
    alpha: float = parameter(math.radians(7.0), "rad", "angle of the cones", _WORKED)
    D_A: float = parameter(0.13, "m", "diameter of the teeth", _WORKED, positive=True)
    D_AF: float = parameter(0.12, "m", "exterior ring on friction ring", _WORKED, positive=True)
    D_IF: float = parameter(0.11, "m", "interior ring on friction ring", _WORKED, positive=True)
    D_IC: float = parameter(0.10, "m", "interior ring on clutch", _WORKED, positive=True)
    mu_SA: float = parameter(0.1, "-", "friction of the sleeve, at teeth and hub", _WORKED)
    mu_AF: float = parameter(0.1, "-", "friction of exterior and friction ring", _WORKED)
    mu_IF: float = parameter(0.1, "-", "friction of interior and friction ring", _WORKED)
    mu_IC: float = parameter(0.1, "-", "friction of interior ring and clutch", _WORKED)
    m_S: float = parameter(2.8, "kg", "sleeve with fork and piston", _TRUCK, positive=True)
    m_A: float = parameter(0.75, "kg", "exterior ring", _TRUCK, positive=True)
    J_A: float = parameter(3.5e-3, "kg m²", "exterior ring", _TRUCK, positive=True)
    J_F: float = parameter(1.2e-3, "kg m²", "friction ring", _TRUCK, positive=True)
    J_I: float = parameter(3.0e-3, "kg m²", "interior ring", _LINK, positive=True)
    J_C: float = parameter(
        0.25, "kg m²", "clutch with the gear to be engaged", _TRUCK, positive=True
    )
    Omega: float = parameter(60.0, "rad/s", "speed of clutch over hub at the start", _TRUCK)
    x_0: float = parameter(
        3.3e-3, "m", "travel of the sleeve to the teeth of a ring at phi_A = 0", _TRUCK
    )
    x_A: float = parameter(0.8e-3, "m", "axial clearance of the cones", _TRUCK, positive=True)
    x_S: float = parameter(14.0e-3, "m", "total travel of the sleeve", _TRUCK, positive=True)
    z_T: float = parameter(
        2.2e-3, "m", "travel of the ring's teeth to the gaps", _TRUCK, positive=True
    )
    z_G: float = parameter(0.4e-3, "m", "clearance of teeth in gaps", _TRUCK, positive=True)
    b: float = parameter(0.1e-3, "m", "rounding of the chamfers' ends", _ROUND, positive=True)
    phi_A: float = parameter(-0.05, "rad", "least angle of the exterior ring", _TRUCK)
    phi_I: float = parameter(-0.05, "rad", "least angle of the interior ring", _TRUCK)
    phi_AI: float = parameter(
        4.8e-3, "rad", "clearance of the coupler link to both sides", _LINK, positive=True
    )
    phi_CF: float = parameter(
        0.01, "rad", "clearance of the friction ring to both sides", _TRUCK, positive=True
    )
    F_S: float = parameter(2100.0, "N", "greatest pneumatic force", _TRUCK, positive=True)
    t_S: float = parameter(0.26, "s", "time in which it rises", _TIMES, positive=True)
    v_0: float = parameter(2.0, "m/s", "speed of the piston without force", _TRUCK, positive=True)
    F_D: float = parameter(720.0, "N", "greatest force of the pins", _TIMES)
    F_E: float = parameter(600.0, "N", "force of the pins out of the notch", _TIMES)
    s_D: float = parameter(
        0.65e-3, "m", "displacement at the greatest force", _TRUCK, positive=True
    )
    s_E: float = parameter(2.4e-3, "m", "displacement out of the notch", _TRUCK, positive=True)
    d_S: float = parameter(100.0, "N s/m", "oil drag of the sleeve", _TRUCK, least=0.0)
    d_A: float = parameter(100.0, "N s/m", "oil drag of the exterior ring", _TRUCK, least=0.0)
    d_F: float = parameter(0.005, "N m s", "oil drag in each gap of the cones", _TRUCK, least=0.0)
    d_C: float = parameter(0.02, "N m s", "oil drag of the clutch", _TRUCK, least=0.0)
    T_C: float = parameter(2.0, "N m", "disturbance of the clutch by other gears", _TRUCK)
    omega_C: float = parameter(200.0, "rad/s", "its angular frequency", _TRUCK)
    e_teeth: float = parameter(0.35, "-", "restitution of teeth", _TRUCK)
    e_stops: float = parameter(0.2, "-", "restitution of hub, link and stops", _TRUCK)
    e_cone: float = parameter(0.0, "-", "restitution of the cones", "chosen: wedged in oil")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gamma", "alpha"):
            value, end = getattr(self, name), math.pi if name == "gamma" else 0.5 * math.pi
            if not 0.0 < value < end:
                raise ValueError(
                    f"parameter {name!r}: expected an angle in (0, {end:.4g}), got {value:g}"
                )
        if self.mu_SA * self.tip >= 1.0:
            raise ValueError(
                f"parameter 'mu_SA': expected less than 1/tan(gamma/2) = {1.0 / self.tip:.4g}, "
                f"where teeth slide at all, got {self.mu_SA:g}"
            )
        for name in ("phi_A", "phi_I"):
            if not getattr(self, name) < 0.0:
                raise ValueError(
                    f"parameter {name!r}: expected an angle < 0, got {getattr(self, name):g}"
                )

    @property
    def tip(self) -> float:
        """Slope tan(γ/2) of the tips."""
        return math.tan(0.5 * self.gamma)

    @property
    def x_1(self) -> float:
        """Displacement of sleeve relative to ring at which its teeth leave the chamfers, m."""
        return self.x_0 + self.z_T / self.tip


@parametric(
    SynchroniserParameters,
    recommended=Recommended(EventDriven(impact_law="newton", on_inconsistent="impact"), 0.25),
    sets={"slippery_exterior_cone": {"mu_AF": 0.04, "mu_IF": 0.14, "mu_IC": 0.14}},
    evaluations="nsmb.systems.gears.synchroniser_results",
)
def synchroniser(p: SynchroniserParameters) -> System:
    """Double-cone synchroniser of a truck at the start of a shift, in which the teeth may lock.

    ===========  =========================================================================
    coordinates  ``x_S`` sleeve, ``x_A`` exterior ring, towards the gear (m); ``phi_A`` exterior
                 ring, ``phi_F`` friction ring, ``phi_I`` interior ring, ``phi_C`` clutch, relative
                 to the hub (rad)
    contacts     ``teeth`` (g_1, g_2) and ``teeth_back``, the other flank; ``hub_A`` (g_3),
                 ``hub_A_back`` (g_4), ``hub_I`` (g_5), ``hub_I_back`` (g_6); ``link`` (g_7),
                 ``link_back`` (g_8); ``drive`` (g_9), ``drive_back`` (g_10); ``cone`` (g_11), with
                 the friction ``AF``, ``IF``, ``IC``; ``ring_stop``, ``sleeve_stop``; friction
                 ``hub`` and ``hub_back`` of the sleeve
    sets         ``slippery_exterior_cone``: the exterior ring alone does not lock, and the shift
                 goes through position II
    source       Pfeiffer & Glocker, section 12.3, (12.38)-(12.48); all data chosen
    ===========  =========================================================================

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

    p: Any = symbolic.parameters(**SynchroniserParameters().values())
    q = symbolic.coordinates("x_S x_A phi_A phi_F phi_I phi_C")
    x_S, x_A, phi_A, phi_F, phi_I, phi_C = q
    v_S, v_A, w_A, w_F, w_I, w_C = symbolic.velocities(*q)
    masses = (p.m_S, p.m_A, p.J_A, p.J_F, p.J_I, p.J_C)
    kinetic = sum(m * u**2 for m, u in zip(masses, (v_S, v_A, w_A, w_F, w_I, w_C), strict=True)) / 2

    t = symbolic.time
    rise = (1 - sympy.cos(sympy.pi * sympy.Min(sympy.Max(t, 0) / p.t_S, 1))) / 2
    shift = p.F_S * rise * (1 - v_S / p.v_0)
    s = x_S - x_A
    falls = p.F_D + (p.F_E - p.F_D) * (s - p.s_D) / (p.s_E - p.s_D)
    pins = sympy.Min(p.F_D * s / p.s_D, sympy.Max(p.F_E, falls))
    drag_A, drag_I = p.d_F * (w_F - w_A), p.d_F * (w_F - w_I)
    drag_C = p.d_F * (w_C - w_I)
    forces = [
        shift - pins - p.d_S * v_S,
        pins - p.d_A * v_A,
        drag_A,
        -drag_A - drag_I,
        drag_I + drag_C,
        -drag_C - p.d_C * w_C + p.T_C * sympy.sin(p.omega_C * t),
    ]

    half = p.gamma / 2
    a = 1 / sympy.sqrt(1 + sympy.tan(p.beta) ** 2 * sympy.sin(half) ** 2)  # (12.41)
    tip, x_1 = sympy.tan(half), p.x_0 + p.z_T / sympy.tan(half)
    # amount that the chamfer removes from the tooth at s, and its slope, (12.39) with rounded end
    end = x_1 + p.b - s
    rounded, flank = tip * end**2 / (4 * p.b), tip * (x_1 - s)
    pairs = ((flank, -tip), (rounded, -tip * end / (2 * p.b)), (0, 0))
    chamfer, slope = (
        sympy.Piecewise((part[0], s < x_1 - p.b), (part[1], s < x_1 + p.b), (part[2], True))
        for part in zip(*pairs, strict=True)
    )
    z, v_z, n_z = -p.D_A * phi_A / 2, -p.D_A * w_A / 2, a * sympy.cos(half)
    teeth_law = ContactLaw(mu=p.mu_SA, e_N=p.e_teeth)
    stop, wedge = ContactLaw(e_N=p.e_stops), ContactLaw(e_N=p.e_cone)
    contacts = [
        Contact(
            gap=n_z * (z - p.z_T + chamfer),  # (12.39)
            slip=-n_z * (v_S - v_A - slope * v_z),  # (12.40)
            law=teeth_law,
            name="teeth",
        ),
        Contact(
            gap=n_z * (p.z_T + p.z_G + chamfer - z),
            slip=-n_z * (v_S - v_A + slope * v_z),
            law=teeth_law,
            name="teeth_back",
        ),
    ]
    gaps = {
        "hub_A": -phi_A,  # (12.42)
        "hub_A_back": phi_A - p.phi_A,
        "hub_I": -phi_I,
        "hub_I_back": phi_I - p.phi_I,
        "link": phi_A - phi_I + p.phi_AI,  # (12.43)
        "link_back": phi_I - phi_A + p.phi_AI,
        "drive": phi_C - phi_F + p.phi_CF,  # (12.44)
        "drive_back": phi_F - phi_C + p.phi_CF,
    }
    contacts += [Contact(gap=gap, law=stop, name=name) for name, gap in gaps.items()]
    contacts += [
        Contact(gap=p.x_A - x_A, law=wedge, name="cone"),
        Contact(gap=x_A, law=stop, name="ring_stop"),
        Contact(gap=p.x_S - x_S, law=stop, name="sleeve_stop"),
    ]
    # (12.47): the axial force is the normal force of a flat surface; cones divide it by sin α
    lever = 1 / (2 * sympy.sin(p.alpha))
    # circumferential part of the forces on a sliding tooth, F_U of (12.47)
    hub = p.mu_SA * a * (sympy.cos(half) - p.mu_SA * sympy.sin(half))
    friction = [
        Friction(w_F - w_A, mu=p.mu_AF * p.D_AF * lever, normal="cone", name="AF"),
        Friction(w_F - w_I, mu=p.mu_IF * p.D_IF * lever, normal="cone", name="IF"),
        Friction(w_C - w_I, mu=p.mu_IC * p.D_IC / 2, normal="cone", name="IC"),
        Friction(v_S, mu=hub, normal="teeth", name="hub"),
        Friction(v_S, mu=hub, normal="teeth_back", name="hub_back"),
    ]
    return symbolic.LagrangianSystem(
        q,
        kinetic,
        0,
        forces,
        contacts=[*contacts, *friction],
        parameters=p,
        initial={w_F: p.Omega, w_C: p.Omega, phi_A: p.phi_A / 4, phi_I: p.phi_I / 4},
        linear=False,
        name="synchroniser",
        coordinate_units=["m", "m", "rad", "rad", "rad", "rad"],
    )


def _scene(p: SynchroniserParameters) -> Scene:
    """Return unrolled teeth, with those of the sleeve pointing to the gear; sizes are chosen."""
    w, tip = 0.6 * p.z_T, p.tip  # half the width of a tooth
    pitch, depth, length = 4.0 * w + p.z_G, w / tip, 0.5 * p.x_S
    tooth = np.array([(-length, -w), (-depth, -w), (0.0, 0.0), (-depth, w), (-length, w)])
    sleeve = np.vstack([tooth, tooth[:1]])
    ring = sleeve[::-1] * (-1.0, 1.0)
    beside = 2.0 * w - p.z_T
    ahead = p.x_0 - beside / tip  # distance of the tips of the ring from those of the sleeve
    plate = np.array([(0.0, -1.6 * pitch), (0.2, -1.6 * pitch), (0.2, 1.6 * pitch)])
    plate = np.vstack([plate, [(0.0, 1.6 * pitch)], plate[:1]]) * (p.x_S, 1.0)

    def on_ring(k: int) -> Callable[[float, Vector], Sequence[float]]:
        return lambda t, q: (ahead + q[1], 0.5 * p.D_A * q[2] - beside + k * pitch)

    def on_sleeve(k: int) -> Callable[[float, Vector], Sequence[float]]:
        return lambda t, q: (q[0], k * pitch)

    def turning(i: int, diameter: float, x: float) -> Callable[[float, Vector], Sequence[float]]:
        # modulo the pitch
        return lambda t, q: (ahead + x, math.remainder(0.5 * diameter * q[i], pitch))

    bodies = [Part("sleeve", sleeve, on_sleeve(k)) for k in (-1, 0, 1)]
    bodies += [Part("exterior ring", ring, on_ring(k)) for k in (0, 1)]
    rings = (("interior ring", 4, p.D_IF), ("friction ring", 3, p.D_AF), ("clutch", 5, p.D_IC))
    bodies += [
        Part(name, plate, turning(i, diameter, (0.75 + 0.3 * k) * p.x_S))
        for k, (name, i, diameter) in enumerate(rings)
    ]

    def contacts(t: float, q: Vector) -> list[ContactFrame | None]:
        normal = np.array([math.sin(0.5 * p.gamma), -math.cos(0.5 * p.gamma)])
        touch = ContactFrame((q[0], 0.0), normal, (normal[1], -normal[0]))
        return [touch, *[None] * (_CONTACTS - 1)]

    return parts_scene(bodies, contacts=contacts)
