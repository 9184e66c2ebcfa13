"""Teeth: backlash between two flanks, and the line along which they press."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from nsmb.common.expressions import as_expression
from nsmb.symbolic.element import Element, Wall, expressions, motion
from nsmb.symbolic.symbols import Mode

__all__ = ["backlash", "helical_mesh", "line_of_action"]


def backlash(
    name: str,
    way: Any,
    velocity: Any = None,
    *,
    play: Any,
    c: Any,
    d: Any,
    oil: Any = 0,
    oil_decay: Any = 3,
) -> Element:
    """Two flanks, a play apart, that close where they meet and open where they would pull.

    The way γ grows towards the front flank: that touches at γ = 0, the rear flank at γ = -play.
    Each is a spring and damper whose wall relaxes when it is left (:class:`nsmb.GapForce`), so
    that the contact begins at (11.32), where the flanks meet, and ends at (11.33), where the force
    vanishes, before the flanks part.

    Parameters
    ----------
    name : str
    way : expression
        γ, m (or rad, with forces in N m).
    velocity : expression, optional
        γ̇; needed for places between bodies.
    play : expression of parameters
        s, m.
    c, d : expressions of parameters
        Of each flank, N/m and N s/m, d > 0.
    oil : expression of parameters
        Damping d_0 at a flank, N s/m: inside the play ``d_0 (exp(-κ δ_1/s) + exp(-κ δ_2/s))`` with
        the distances δ of both flanks; towards a flank that is pressed it stays at its end.
    oil_decay : expression of parameters
        κ.

    Returns
    -------
    Element
        In systems from energies its flanks are the force elements ``name.front`` and
        ``name.rear``, each with the state ``.wall``; between bodies they are states and modes,
        which start open. With oil modes ``name.oil_front``, ``name.oil_rear``.

    Notes
    -----
    The book names an oil damping that grows exponentially towards the flank (Fig. 11.6) without
    its formula; the form here is ours.
    """
    gamma, rate = motion(name, way, velocity)
    play, c, d, oil, decay = expressions(name, play=play, c=c, d=d, oil=oil, oil_decay=oil_decay)
    gaps = {"front": -gamma, "rear": gamma + play}
    walls = [
        Wall(f"{name}.{side}", gap, sign * rate, c, d)
        for (side, gap), sign in zip(gaps.items(), (-1, 1), strict=True)
    ]
    limits = {"play": play, "c": c, "d": d}
    if oil == 0:
        return Element(name, [], limits=limits, walls=walls)
    modes = {side: Mode(f"{name}.oil_{side}") for side in gaps}
    film = sum(
        modes[side].select(open=sympy.exp(-decay * gap / play), closed=1)
        for side, gap in gaps.items()
    )
    return Element(
        name,
        [(rate, -oil * film * rate)],
        watch={modes[side]: (gap, -gap) for side, gap in gaps.items()},
        limits=limits,
        walls=walls,
    )


def line_of_action(alpha: Any, beta: Any = 0) -> Any:
    """Unit vector of the tooth force of helical wheels, (11.55).

    Parameters
    ----------
    alpha, beta : expressions
        Pressure angle and helix angle, rad.

    Returns
    -------
    Matrix (3, 1)
        x along the circumference, y from wheel to wheel, z along the axes.
    """
    cos, sin = sympy.cos, sympy.sin
    return sympy.Matrix([cos(alpha) * cos(beta), -sin(alpha) * cos(beta), -sin(beta)])


def helical_mesh(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    r1: Any,
    r2: Any,
    alpha: Any,
    beta: Any = 0,
) -> Any:
    """How far the contact point of the second wheel has moved away from that of the first along
    the line of action, (11.54), (11.55).

    Parameters
    ----------
    first, second : six expressions each
        Small displacements x, y, z and rotations φ_x, φ_y, φ_z of the wheels; the axes of the
        second are such that both turn in the driving sense. With velocities in their place the
        result is the rate.
    r1, r2 : expressions of parameters
        Radii of the pitch circles, m.
    alpha, beta : expressions
        Pressure angle and helix angle, rad.

    Returns
    -------
    expression
        ``e·(C_2 p_2 - C_1 p_1)``, m, for :func:`backlash`, or any spring.

    Raises
    ------
    ValueError
        For other than six displacements.
    """
    points = []
    for what, given, r in (("first", first, r1), ("second", second, r2)):
        entries = [as_expression(what, entry) for entry in given]
        if len(entries) != 6:
            raise ValueError(f"{what}: expected 6 displacements, got {len(entries)}")
        x, y, z, phi_x, _, phi_z = entries
        points.append(sympy.Matrix([x - r * phi_z, y, z + r * phi_x]))  # C_K p, (11.54)
    return line_of_action(alpha, beta).dot(points[1] - points[0])
