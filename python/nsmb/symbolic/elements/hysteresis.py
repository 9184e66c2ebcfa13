"""A one-sided spring with memory of its deepest compression."""

from __future__ import annotations

from typing import Any

import sympy

from nsmb.symbolic.element import Element, expressions, motion
from nsmb.symbolic.symbols import InternalState, Mode

__all__ = ["hysteresis"]


def hysteresis(
    name: str,
    gap: Any,
    velocity: Any = None,
    *,
    c1: Any,
    c2: Any,
    d1: Any = 0,
    d2: Any = 0,
    v_rest: Any = 0,
    recovers: bool = True,
) -> Element:
    """Return a material that is compressed along c₁ and rebounds along c₂, (14.30), Fig. 14.16.

    With the gap g and its deepest value m so far, the repulsive force is::

        loading     -c₁ g - d₁ ġ
        unloading   -c₂ (g + a) - d₂ ġ,    a = -m (1 - c₁/c₂)

    The force is continuous at the end of loading. It starts where the gap closes and ends where it
    vanishes. Compressed again before that, the material returns along c₂ to m, and continues along
    c₁. A loop from g = 0 to m and back absorbs the share 1 - c₁/c₂ of the work done on it.

    Parameters
    ----------
    name : str
    gap : expression
        Gap g in m.
    velocity : expression, optional
        Rate ġ; required between bodies.
    c1, c2 : expressions of parameters
        Stiffnesses in N/m, with c₂ > c₁ > 0.
    d1, d2 : expressions of parameters
        Damping in N s/m. With d₁, the force starts with a jump. With d₂, it ends while the material
        is still compressed. The material then relaxes like the wall of :class:`nsmb.GapForce`:
        ``d₂ ẇ = -c₂ w``.
    v_rest : expression of parameters
        Velocity in m/s below which a reversal is ignored, so that a body at rest on the first
        branch stays on it. With 0, the smallest oscillation, even of integration errors, changes
        the branch. The affected share of the energy of a blow at v is ``(v_rest/v)²``.
    recovers : bool
        If True, the surface rises as fast as the body leaves it, without force, so that the next
        blow starts at g = 0. If False, it starts at -a.

    Returns
    -------
    Element
        An element with the state ``name.deepest``, which is m during contact. With d₂, the state
        ``name.pressed`` is the deflection of its spring (negative). The modes are ``name.touches``,
        ``name.loads``, and, if it recovers, ``name.away``. Its energy is released by unloading. A
        run that starts in contact needs the deepest value in its `initial`.

    Examples
    --------
    A ball thrown down rebounds with the share c₁/c₂ of its energy:

    >>> import nsmb
    >>> from nsmb import symbolic
    >>> y = symbolic.coordinates("y")
    >>> v = symbolic.velocities(y)
    >>> ground = symbolic.elements.hysteresis("ground", y, c1=5e3, c2=2e4)
    >>> ball = symbolic.LagrangianSystem(
    ...     [y], v**2 / 2, elements=[ground], initial={y: 1.0, v: -2.0}
    ... )
    >>> f"{nsmb.simulate(ball, 1.0).u[-1, 0]:.6f} m/s"
    '1.000000 m/s'

    Raises
    ------
    ValueError
        If an argument is not a valid expression.
    """
    g, rate = motion(name, gap, velocity)
    m, pressed = (InternalState(f"{name}.{k}") for k in ("deepest", "pressed"))
    touches, loads, away = (Mode(f"{name}.{k}") for k in ("touches", "loads", "away"))
    c1, c2, d1, d2, v_rest = expressions(name, c1=c1, c2=c2, d1=d1, d2=d2, v_rest=v_rest)
    plastic = 1 - c1 / c2
    limits = {"c1": c1, "c2 - c1": c2 - c1}
    # During loading, g is m, apart from the deflection of a surface that had not relaxed yet.
    spring = -c1 * m - c2 * (g - m)  # -c₂ (g + a)
    force = spring - loads.select(open=d2, closed=d1) * rate  # (14.30)
    states: dict[Any, Any] = {}
    w, relaxes = sympy.S.Zero, sympy.S.Zero
    if d2 != 0:
        w, relaxes = pressed, -c2 / d2 * pressed
        follows = loads.select(open=rate, closed=rate * c1 / c2)
        states[pressed] = touches.select(open=relaxes, closed=follows)
        limits["d2"] = d2
    surface = m * plastic  # -a
    # A surface that rises with the body touches it again as soon as it would be compressed.
    crater = (c2 * w + d2 * rate if d2 != 0 else rate) if recovers else g - surface - w
    closes = away.select(open=crater, closed=g - w) if recovers else crater
    modes: dict[Any, tuple[Any, Any]] = {
        touches: (closes, force),
        loads: (
            touches.select(open=1, closed=g - m),
            touches.select(open=-1, closed=v_rest - rate),
        ),
    }
    if recovers:
        modes[away] = (
            touches.select(open=-surface, closed=1),
            touches.select(open=g - w, closed=-1),
        )
    rises = away.select(open=(rate - relaxes) / plastic, closed=0) if recovers else 0
    states[m] = touches.select(open=rises, closed=loads.select(open=0, closed=rate))
    return Element(
        name,
        [(rate, touches.select(open=0, closed=force))],
        states=states,
        watch=modes,
        energy=touches.select(open=c2 * w**2 / 2, closed=spring**2 / (2 * c2)),
        initial={away: True} if recovers else {},
        limits=limits,
    )
