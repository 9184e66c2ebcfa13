"""Contacts by forces that grow with the penetration, with friction without rest."""

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
    """K with which two bodies that meet at a speed go as deep as given, (3.8).

    Parameters
    ----------
    m_1, m_2 : expressions
        Masses, kg; ``sympy.oo`` or infinity for a body at rest.
    speed, depth : expressions
        Of approach, m/s, and the deepest penetration, m.
    exponent : expression
        e of :func:`penalty_contact`. The thesis prints e = 1, where K = m (v/δ)²; for others the
        same balance of energy, ``m v²/2 = K δ^(e + 1)/(e + 1)``, gives K.

    Returns
    -------
    expression
        N/m^e, without damping.
    """
    given = {"m_1": m_1, "m_2": m_2, "speed": speed, "depth": depth, "exponent": exponent}
    m_1, m_2, speed, depth, exponent = (as_expression(*pair) for pair in given.items())
    mass = 1 / (1 / m_1 + 1 / m_2)
    return (exponent + 1) / 2 * mass * speed**2 / depth ** (exponent + 1)  # (3.8)


def regularised_friction(slip: Any, mu: Any, normal: Any, v_eps: Any) -> list[Any]:
    """Coulomb friction whose force rises over a speed, (3.10), (6.6): it never rests.

    Parameters
    ----------
    slip : expression, or two
        Slip velocity, m/s.
    mu, normal : expressions
        Coefficient and normal force, N.
    v_eps : expression of parameters
        Speed from which on the whole of ``mu normal`` acts, m/s.

    Returns
    -------
    list of expressions
        Force along each slip velocity, N.
    """
    slips = list(slip) if isinstance(slip, Sequence | sympy.MatrixBase) else [slip]
    entries = [as_expression("slip", entry) for entry in slips]
    given = {"mu": mu, "normal": normal, "v_eps": v_eps}
    mu, normal, v_eps = (as_expression(*pair) for pair in given.items())
    speed = sympy.Abs(entries[0]) if len(entries) == 1 else sympy.sqrt(sum(v**2 for v in entries))
    # (6.6), divided by the speed: v/v_eps (2 - v/v_eps), and 1 from v_eps on
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
    """Normal force ``K δ^e + D v`` with the damping ``D = ζ δ^e`` that grows with the depth.

    With the penetration δ = -g and the speed of approach v = -ġ, (3.7) for e = 1 and (3.9): the
    force begins and ends at δ = 0 without a jump; where a fast retreat would make it pull, it is
    zero.

    Parameters
    ----------
    name : str
    gap : expression
        g, m.
    velocity : expression, optional
        ġ; needed for places between bodies.
    K : expression of parameters
        N/m^e, see :func:`penalty_stiffness`.
    exponent : expression of parameters
        e >= 1.
    zeta : expression of parameters
        ζ, N s/m^(e + 1).
    slip : expression or two, optional
        Slip velocity: friction by :func:`regularised_friction`.
    mu, v_eps : expressions of parameters, optional
        With `slip`: coefficient of friction, and the speed from which on it acts in full, by
        default 1e-3 m/s.

    Returns
    -------
    Element
        With the mode ``name.touches``.
    """
    g, rate = motion(name, gap, velocity)
    K, e, zeta = expressions(name, K=K, exponent=exponent, zeta=zeta)
    touches = Mode(f"{name}.touches")
    depth = sympy.Max(-g, 0)  # a root of what rounding leaves below zero has no value
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
