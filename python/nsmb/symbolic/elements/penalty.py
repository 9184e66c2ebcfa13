"""Penalty contacts, whose force grows with the penetration, and regularised friction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from nsmb.common.arguments import left_out
from nsmb.common.expressions import as_expression
from nsmb.symbolic.element import Element, expressions, motion
from nsmb.symbolic.symbols import Mode

__all__ = ["penalty_contact", "penalty_stiffness", "regularised_friction"]


def penalty_stiffness(m_1: Any, m_2: Any, speed: Any, depth: Any, exponent: Any = 1) -> Any:
    """Return the stiffness K for a given penetration of two bodies in a collision, (3.8).

    Parameters
    ----------
    m_1, m_2 : expressions
        Masses in kg; ``sympy.oo`` or infinity for a fixed body.
    speed, depth : expressions
        Approach speed in m/s, and deepest penetration in m.
    exponent : expression
        Exponent e of :func:`penalty_contact`. The thesis gives e = 1, where K = m (v/δ)². For
        others, K follows from the same balance of energy, ``m v²/2 = K δ^(e + 1)/(e + 1)``.

    Returns
    -------
    expression
        Stiffness in N/m^e, without damping.
    """
    given = {"m_1": m_1, "m_2": m_2, "speed": speed, "depth": depth, "exponent": exponent}
    m_1, m_2, speed, depth, exponent = (as_expression(*pair) for pair in given.items())
    mass = 1 / (1 / m_1 + 1 / m_2)
    return (exponent + 1) / 2 * mass * speed**2 / depth ** (exponent + 1)  # (3.8)


def regularised_friction(slip: Any, mu: Any, normal: Any, v_eps: Any) -> list[Any]:
    """Return Coulomb friction whose force rises over a range of speeds, (3.10), (6.6).

    It never sticks.

    Parameters
    ----------
    slip : expression, or two
        Slip velocity in m/s.
    mu, normal : expressions
        Coefficient of friction, and normal force in N.
    v_eps : expression of parameters
        Speed in m/s from which the full force ``mu normal`` acts.

    Returns
    -------
    list of expressions
        Force along each slip velocity, in N.
    """
    slips = list(slip) if isinstance(slip, Sequence | sympy.MatrixBase) else [slip]
    entries = [as_expression("slip", entry) for entry in slips]
    given = {"mu": mu, "normal": normal, "v_eps": v_eps}
    mu, normal, v_eps = (as_expression(*pair) for pair in given.items())
    speed = sympy.Abs(entries[0]) if len(entries) == 1 else sympy.sqrt(sum(v**2 for v in entries))
    # (6.6), divided by the speed: v/v_eps (2 - v/v_eps), and 1 from v_eps on.
    share = sympy.Piecewise(((2 - speed / v_eps) / v_eps, speed < v_eps), (1 / speed, True))
    return [-mu * normal * share * entry for entry in entries]


def penalty_contact(
    name: str,
    gap: Any,
    velocity: Any = None,
    *,
    K: Any,
    exponent: Any = 1,
    zeta: Any = 0,
    slip: Any = None,
    mu: Any = None,
    v_eps: Any = None,
) -> Element:
    """Return a normal force ``K δ^e + D v``, with the damping ``D = ζ δ^e``.

    The penetration is δ = -g and the approach speed v = -ġ, (3.7) for e = 1 and (3.9). The force
    starts and ends at δ = 0 without a jump. It is zero where a fast retreat would make it pull.

    Parameters
    ----------
    name : str
    gap : expression
        Gap g in m.
    velocity : expression, optional
        Rate ġ; required between bodies.
    K : expression of parameters
        Stiffness in N/m^e, see :func:`penalty_stiffness`.
    exponent : expression of parameters
        Exponent e >= 1.
    zeta : expression of parameters
        Damping constant ζ in N s/m^(e + 1).
    slip : expression or two, optional
        Slip velocity, for friction by :func:`regularised_friction`.
    mu, v_eps : expressions of parameters, optional
        Coefficient of friction, and the speed from which it acts in full, by default 1e-3 m/s. Only
        with `slip`.

    Returns
    -------
    Element
        An element with the mode ``name.touches``.
    """
    g, rate = motion(name, gap, velocity)
    K, e, zeta = expressions(name, K=K, exponent=exponent, zeta=zeta)
    touches = Mode(f"{name}.touches")
    depth = sympy.Max(-g, 0)  # powers of negative rounding errors have no value
    pressed = touches.select(open=0, closed=depth**e * sympy.Max(K - zeta * rate, 0))  # (3.9)
    actions = [(rate, pressed)]
    if slip is None:
        for option, value in (("mu", mu), ("v_eps", v_eps)):
            left_out(f"element '{name}': {option}", value, "without slip", "Give slip, too.")
    else:
        if mu is None:
            raise ValueError(f"element '{name}': mu: expected a coefficient with slip, got none")
        v_eps = 1e-3 if v_eps is None else v_eps
        slips = list(slip) if isinstance(slip, Sequence | sympy.MatrixBase) else [slip]
        friction = regularised_friction(slips, mu, pressed, v_eps)
        actions += list(zip(slips, friction, strict=True))
    return Element(
        name,
        actions,
        watch={touches: (g, -g)},
        energy=touches.select(open=0, closed=K * depth ** (e + 1) / (e + 1)),
        limits={"K": K},
    )
