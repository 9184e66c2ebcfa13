"""Data of a landing airplane: Pfeiffer & Glocker, section 14.4."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nsmb.system.parametric import Parameters, parameter

__all__ = ["GEARS", "LandingGearParameters", "Strut"]

_BOOK = "printed: Pfeiffer & Glocker 14.4.3"
_SIZE = "chosen: a propeller airplane of 7.5 t; the book gives no data of it"
_FLAT = "chosen: flat as in the book's runs"
_LIFT = "derived: lift carries the weight at the start"
_TRIM = "derived: no pitching moment at the start"
_POLAR = "chosen: usual for such airplanes"
_STRUT = "chosen: with it forces and stroke come out as in Figs. 14.29, 14.30"
_TYRE = "chosen: size of the wheel; progressive as in Fig. 14.23"
_GUIDE = "chosen: polished steel in bronze bushes"
_STIFF = "derived: lowest bending mode of the airplane at the printed 7 Hz"
_LEG = "chosen: first bending mode of the leg with its wheel near 20 Hz"
_LINE = "chosen: fuselage of 2 m, legs of 0.12 m height"
_NONE = "chosen: no brakes while it touches down"

_G = 9.81
_ALPHA, _SPEED, _RHO, _F_B = math.radians(13.0), 60.0, 1.225, 32.0
_M_1, _M_2O, _M_2U, _M_3O, _M_3U, _M_4, _M_5 = 6870.0, 90.0, 50.0, 60.0, 30.0, 75.0, 35.0
_TOTAL = _M_1 + 2.0 * (_M_2O + _M_2U + _M_4) + _M_3O + _M_3U + _M_5
_Q = 0.5 * _RHO * _SPEED**2
_SLOPE = _TOTAL * _G / (_Q * _F_B * _ALPHA)
_M_ALPHA = -0.2


@dataclass(frozen=True)
class Strut:
    """Suffix of the names of one type of undercarriage, and the number of such legs."""

    index: str
    name: str
    count: int
    rake: int
    """Sign of the slip term in (14.87), (14.88)."""


GEARS = (Strut("2", "main", 2, 1), Strut("3", "nose", 1, -1))


@dataclass(frozen=True, kw_only=True)
class LandingGearParameters(Parameters):
    """Data of airplane, undercarriages and start; suffix 2 is a main leg, 3 the nose leg."""

    v_sink: float = parameter(4.3, "m/s", "sinking speed at the start", _BOOK)
    v_x: float = parameter(_SPEED, "m/s", "horizontal speed at the start", _BOOK, positive=True)
    alpha: float = parameter(_ALPHA, "rad", "pitch at the start", _BOOK)
    elastic: int = parameter(0, "-", "1: fuselage and legs bend, 0: rigid", "chosen: both in it")
    g: float = parameter(_G, "m/s²", "gravity", "chosen: standard")

    m_1: float = parameter(_M_1, "kg", "fuselage without legs", _SIZE, positive=True)
    m_2o: float = parameter(_M_2O, "kg", "upper part of a main leg", _SIZE, positive=True)
    m_2u: float = parameter(_M_2U, "kg", "its lower part", _SIZE, positive=True)
    m_3o: float = parameter(_M_3O, "kg", "upper part of the nose leg", _SIZE, positive=True)
    m_3u: float = parameter(_M_3U, "kg", "its lower part", _SIZE, positive=True)
    m_4: float = parameter(_M_4, "kg", "wheels of a main leg", _SIZE, positive=True)
    m_5: float = parameter(_M_5, "kg", "wheels of the nose leg", _SIZE, positive=True)
    I_4: float = parameter(4.0, "kg m²", "wheels of a main leg, spinning", _SIZE, positive=True)
    I_5: float = parameter(1.0, "kg m²", "wheels of the nose leg, spinning", _SIZE, positive=True)
    I_1z: float = parameter(250.0, "kg m", "turning sections, fuselage", _LINE)
    I_2z: float = parameter(0.1, "kg m", "turning sections, main leg", _LINE)
    I_3z: float = parameter(0.1, "kg m", "turning sections, nose leg", _LINE)
    l_1: float = parameter(11.0, "m", "length of the fuselage's line mass", _SIZE, positive=True)
    x_12: float = parameter(-1.45, "m", "main legs, ahead of the mass centre", _SIZE)
    x_13: float = parameter(4.0, "m", "nose leg, ahead of the mass centre", _SIZE)
    l_02: float = parameter(1.6, "m", "medium length of a main leg", _SIZE, positive=True)
    l_03: float = parameter(1.6, "m", "medium length of the nose leg", _SIZE, positive=True)

    EI_1: float = parameter(4.45e7, "N m²", "bending stiffness, fuselage", _STIFF, positive=True)
    EI_2: float = parameter(2.2e6, "N m²", "bending stiffness, main leg", _LEG, positive=True)
    EI_3: float = parameter(1.2e6, "N m²", "bending stiffness, nose leg", _LEG, positive=True)
    zeta: float = parameter(0.02, "-", "damping ratio of all bending modes", "chosen: airframes")

    rho: float = parameter(
        _RHO, "kg/m³", "density of air", "chosen: standard atmosphere", least=0.0
    )
    F_B: float = parameter(_F_B, "m²", "reference area", _SIZE)
    l_mu: float = parameter(2.0, "m", "reference length of the wing", _SIZE)
    alpha_0: float = parameter(0.0, "rad", "angle of no lift", "chosen: that of the body axis")
    c_A_alpha: float = parameter(_SLOPE, "-", "slope of the lift coefficient", _LIFT)
    a_0: float = parameter(0.05, "-", "drag coefficient, constant part", _POLAR)
    a_1: float = parameter(0.0, "1/rad", "drag coefficient, linear part", _POLAR)
    a_2: float = parameter(0.8, "1/rad²", "drag coefficient, quadratic part", _POLAR)
    c_M0: float = parameter(
        -_M_ALPHA * _SLOPE * _ALPHA, "-", "moment coefficient at no lift", _TRIM
    )
    c_M_A: float = parameter(_M_ALPHA, "-", "its slope over the lift coefficient", _POLAR)
    c_M_q: float = parameter(-8.0, "-", "its slope over the reduced pitch rate", _POLAR)
    F_S0: float = parameter(2000.0, "N", "idling thrust", _POLAR)
    k: float = parameter(20.0, "N s/m", "loss of thrust with speed", _POLAR, least=0.0)

    c_12: float = parameter(1.63e6, "N/m", "tyres of a main leg, first piece", _TYRE, positive=True)
    c_22: float = parameter(2.67e6, "N/m", "second piece", _TYRE, positive=True)
    c_32: float = parameter(5.35e6, "N/m", "third piece", _TYRE, positive=True)
    s_12: float = parameter(0.08, "m", "end of the first piece", _TYRE, positive=True)
    s_22: float = parameter(0.18, "m", "end of the second piece", _TYRE, positive=True)
    r_2: float = parameter(0.40, "m", "their radius", _TYRE, positive=True)
    c_13: float = parameter(
        0.4e6, "N/m", "tyres of the nose leg, first piece", _TYRE, positive=True
    )
    c_23: float = parameter(1.0e6, "N/m", "second piece", _TYRE, positive=True)
    c_33: float = parameter(8.0e6, "N/m", "third piece", _TYRE, positive=True)
    s_13: float = parameter(0.06, "m", "end of the first piece", _TYRE, positive=True)
    s_23: float = parameter(0.12, "m", "end of the second piece", _TYRE, positive=True)
    r_3: float = parameter(0.30, "m", "their radius", _TYRE, positive=True)
    mu_Sp: float = parameter(0.75, "-", "largest friction coefficient of the tyres", "chosen: dry")
    h_r: float = parameter(0.0, "m", "height of the runway's waves", _FLAT)
    l_r: float = parameter(20.0, "m", "their length", _FLAT, positive=True)
    M_B: float = parameter(0.0, "N m", "brake torque of a main leg", _NONE)
    t_S: float = parameter(0.5, "s", "when the brakes act", _NONE)

    K_2: float = parameter(1.77e-2, "m²", "A_3 - A_4 + A_2a, main leg", _STRUT, positive=True)
    V_12: float = parameter(4.8e-3, "m³", "low-pressure gas, extended", _STRUT, positive=True)
    V_22: float = parameter(3.5e-3, "m³", "high-pressure gas, extended", _STRUT, positive=True)
    p_12: float = parameter(8.1e5, "Pa", "low pressure, extended", _STRUT, positive=True)
    p_22: float = parameter(3.2e6, "Pa", "high pressure, extended", _STRUT, positive=True)
    oil_in2: float = parameter(2.0e4, "N s²/m²", "λ while it is compressed", _STRUT)
    oil_out2: float = parameter(2.0e4, "N s²/m²", "λ while it extends", _STRUT)
    y_min2: float = parameter(0.0, "m", "stroke at the lower stop", _STRUT)
    y_max2: float = parameter(0.36, "m", "stroke at the upper stop", _STRUT, positive=True)
    k_2: float = parameter(0.12, "-", "slope of a main leg, tan β", _STRUT)
    l_g2: float = parameter(1.0, "m", "axle to upper bush, main leg", _STRUT, positive=True)
    a_g2: float = parameter(0.5, "m", "axle to lower bush, main leg", _STRUT, positive=True)
    K_3: float = parameter(6.75e-3, "m²", "A_3 - A_4 + A_2a, nose leg", _STRUT, positive=True)
    V_13: float = parameter(2.36e-3, "m³", "low-pressure gas, extended", _STRUT, positive=True)
    V_23: float = parameter(1.35e-3, "m³", "high-pressure gas, extended", _STRUT, positive=True)
    p_13: float = parameter(1.01e6, "Pa", "low pressure, extended", _STRUT, positive=True)
    p_23: float = parameter(5.0e6, "Pa", "high pressure, extended", _STRUT, positive=True)
    oil_in3: float = parameter(1.0e3, "N s²/m²", "λ while it is compressed", _STRUT)
    oil_out3: float = parameter(1.28e4, "N s²/m²", "λ while it extends", _STRUT)
    y_min3: float = parameter(0.0, "m", "stroke at the lower stop", _STRUT)
    y_max3: float = parameter(0.30, "m", "stroke at the upper stop", _STRUT, positive=True)
    k_3: float = parameter(0.15, "-", "slope of the nose leg, tan β", _STRUT)
    l_g3: float = parameter(0.9, "m", "axle to upper bush, nose leg", _STRUT, positive=True)
    a_g3: float = parameter(0.45, "m", "axle to lower bush, nose leg", _STRUT, positive=True)
    n_p: float = parameter(1.25, "-", "polytropic exponent", "chosen: fast, oil cools the gas")
    mu_G: float = parameter(0.12, "-", "friction coefficient of the bushes", _GUIDE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.elastic not in (0, 1):
            raise ValueError(f"parameter 'elastic': expected 0 or 1, got {self.elastic}")
        for name in ("oil_in2", "oil_out2", "oil_in3", "oil_out3", "zeta", "mu_Sp", "mu_G", "M_B"):
            if getattr(self, name) < 0.0:
                raise ValueError(
                    f"parameter {name!r}: expected a number >= 0, got {getattr(self, name):g}"
                )
        for gear in GEARS:
            for low, high in (("y_min", "y_max"), ("a_g", "l_g")):
                below, above = getattr(self, low + gear.index), getattr(self, high + gear.index)
                if not above > below:
                    raise ValueError(
                        f"parameter {high + gear.index!r}: expected a number above "
                        f"{low + gear.index} = {below:g}, got {above:g}"
                    )
