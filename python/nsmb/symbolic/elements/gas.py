"""Gas springs and air cushions."""

from __future__ import annotations

from typing import Any

import sympy

from nsmb.symbolic.element import Element, expressions, motion
from nsmb.symbolic.symbols import Mode

__all__ = ["air_cushion", "gas_spring"]


def gas_spring(
    name: str,
    stroke: Any,
    velocity: Any = None,
    *,
    area: Any,
    volume_1: Any,
    pressure_1: Any,
    volume_2: Any = None,
    pressure_2: Any = None,
    exponent: Any = 1.3,
    oil_in: Any = 0,
    oil_out: Any = 0,
    ambient: Any = 0,
) -> Element:
    """Return a gas spring with one gas chamber or with two.

    The second chamber opens at its pressure. The stroke s is the compression from s = 0,
    (14.78)-(14.85)::

        stage 1   p = p₁ / (1 - A s/V₁)^n                           until p = p₂ at s_A, (14.79)
        stage 2   p = p₂ / (1 - A (s - s_A)/V_A)^n,   V_A = V₁(s_A) + V₂
        force     A (p - p_a) + λ ṡ |ṡ|                             against the stroke

    The force is continuous where the stage changes, but its slope is not.

    Parameters
    ----------
    name : str
    stroke : expression
        Stroke s in m.
    velocity : expression, optional
        Rate ṡ; required between bodies.
    area : expression of parameters
        Area A in m²: the sum K = A_3 - A_4 + A_2a in the book.
    volume_1, pressure_1 : expressions of parameters
        Gas volume in m³ and pressure in Pa of the first chamber at s = 0; A_1 z_001 and p_L100 in
        the book.
    volume_2, pressure_2 : expressions of parameters, optional
        Those of the second chamber, with p₂ > p₁; A_2i z_002 and p_L200 in the book.
    exponent : expression of parameters
        Polytropic exponent, other than 1.
    oil_in, oil_out : expressions of parameters
        Coefficients λ in N s²/m² for a growing and for a shrinking stroke, (14.75), (14.76).
    ambient : expression of parameters
        Ambient pressure p_a in Pa; 0 for gauge pressures.

    Returns
    -------
    Element
        An element with the mode ``name.second``, which is closed in stage 2. A run in which a gas
        volume vanishes ends with a status.

    Raises
    ------
    ValueError
        If only one of `volume_2` and `pressure_2` is given.
    """
    if (volume_2 is None) != (pressure_2 is None):
        raise ValueError(f"element '{name}': expected both of volume_2 and pressure_2, or none")
    s, rate = motion(name, stroke, velocity)
    A, V_1, p_1, n, p_a, d_in, d_out = expressions(
        name, area=area, volume_1=volume_1, pressure_1=pressure_1, exponent=exponent,
        ambient=ambient, oil_in=oil_in, oil_out=oil_out,
    )  # fmt: skip
    oil = d_in * sympy.Max(rate, 0) ** 2 - d_out * sympy.Max(-rate, 0) ** 2  # (14.75)
    limits = {"area": A, "volume_1": V_1, "pressure_1": p_1}
    first = V_1 - A * s
    pressure, stored = _polytrope(p_1, V_1, first, n)  # (14.78)
    left, watch = first, {}
    if volume_2 is not None:
        V_2, p_2 = expressions(name, volume_2=volume_2, pressure_2=pressure_2)
        shrunk = (p_1 / p_2) ** (1 / n)
        s_A = V_1 / A * (1 - shrunk)  # (14.79)
        V_A = V_1 * shrunk + V_2
        second = Mode(f"{name}.second")
        both = V_A - A * (s - s_A)
        pressure_both, stored_both = _polytrope(p_2, V_A, both, n)  # (14.84)
        stored_both += _polytrope(p_1, V_1, V_1 * shrunk, n)[1]
        pressure = second.select(open=pressure, closed=pressure_both)
        stored = second.select(open=stored, closed=stored_both)
        left = second.select(open=first, closed=both)
        watch = {second: (s_A - s, s - s_A)}
        limits |= {"volume_2": V_2, "pressure_2 - pressure_1": p_2 - p_1}
    return Element(
        name,
        [(rate, -A * (pressure - p_a) - oil)],  # (14.85)
        watch=watch,
        energy=stored - p_a * A * s,
        limits={**limits, "gas volume": left},
    )


def _polytrope(p: Any, V: Any, now: Any, n: Any) -> tuple[Any, Any]:
    """Return the pressure of gas that was at p in V, and the work done on it."""
    return p * (V / now) ** n, p * V / (n - 1) * ((V / now) ** (n - 1) - 1)


def air_cushion(
    name: str,
    length: Any,
    velocity: Any = None,
    *,
    area: Any,
    length_0: Any,
    pressure: Any = 101325.0,
    exponent: Any = 1.4,
) -> Element:
    """Return an adiabatic cushion of enclosed air between two pistons.

    The air outside has the same initial pressure. ``F = A p₀ ((L₀/L)^κ - 1)`` pushes the pistons
    apart under compression and pulls under extension. The book (14.29) names this force F_A without
    its formula.

    Parameters
    ----------
    name : str
    length : expression
        Length L in m.
    velocity : expression, optional
        Rate L̇; required between bodies.
    area, length_0 : expressions of parameters
        Area A in m², and length without force in m.
    pressure : expression of parameters
        Pressure p₀ in Pa.
    exponent : expression of parameters
        Adiabatic exponent κ, other than 1.

    Returns
    -------
    Element
        An element. A run in which the length vanishes ends with a status.
    """
    L, rate = motion(name, length, velocity)
    A, L_0, p_0, kappa = expressions(
        name, area=area, length_0=length_0, pressure=pressure, exponent=exponent
    )
    inside, stored = _polytrope(p_0, A * L_0, A * L, kappa)
    return Element(
        name,
        [(rate, A * (inside - p_0))],
        energy=stored + p_0 * A * (L - L_0),
        limits={"area": A, "length_0": L_0, "pressure": p_0, "length": L},
    )
