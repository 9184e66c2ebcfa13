"""Teeth: backlash between two flanks, and the line of action of their force."""

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
    """Return two flanks with a clearance, which close on contact and open before they pull.

    The displacement γ grows towards the front flank, which touches at γ = 0. The rear flank touches
    at γ = -play. Each flank is a spring and damper with a wall that relaxes after contact
    (:class:`nsmb.GapForce`). Contact starts at (11.32), where the flanks meet. It ends at (11.33),
    where the force vanishes, before the flanks separate.

    Parameters
    ----------
    name : str
    way : expression
        Displacement γ in m (or in rad, with forces in N m).
    velocity : expression, optional
        Rate γ̇; required between bodies.
    play : expression of parameters
        Backlash s in m.
    c, d : expressions of parameters
        Stiffness in N/m and damping in N s/m of each flank, with d > 0.
    oil : expression of parameters
        Damping d_0 at a flank in N s/m. Within the backlash, the damping is
        ``d_0 (exp(-κ δ_1/s) + exp(-κ δ_2/s))`` with the distances δ of both flanks. The exponential
        of a flank in contact is replaced by 1.
    oil_decay : expression of parameters
        Decay constant κ.

    Returns
    -------
    Element
        In systems from energies, its flanks are the force elements ``name.front`` and
        ``name.rear``, each with the state ``.wall``. Between bodies, they are states and modes,
        which start open. With oil, there are also modes ``name.oil_front`` and ``name.oil_rear``.

    Notes
    -----
    The book mentions an oil damping that grows exponentially towards the flank (Fig. 11.6) without
    its formula. The form used here is our own.
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
    """Return the unit vector of the tooth force of helical wheels, (11.55).

    Parameters
    ----------
    alpha, beta : expressions
        Pressure angle and helix angle in rad.

    Returns
    -------
    Matrix (3, 1)
        Components x along the circumference, y from wheel to wheel, z along the axes.
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
    """Return the separation of the contact points of two wheels, (11.54), (11.55).

    It is the displacement of the second wheel's point from the first one's along the line of
    action.

    Parameters
    ----------
    first, second : six expressions each
        Small displacements x, y, z and rotations φ_x, φ_y, φ_z of the wheels. The axes of the
        second wheel are such that both rotate in the driving direction. With velocities instead,
        the result is the rate.
    r1, r2 : expressions of parameters
        Radii of the pitch circles in m.
    alpha, beta : expressions
        Pressure angle and helix angle in rad.

    Returns
    -------
    expression
        ``e·(C_2 p_2 - C_1 p_1)`` in m, for :func:`backlash` or any spring.

    Raises
    ------
    ValueError
        If the number of displacements is not six.
    """
    points = []
    for what, given, r in (("first", first, r1), ("second", second, r2)):
        entries = [as_expression(what, entry) for entry in given]
        if len(entries) != 6:
            raise ValueError(f"{what}: expected 6 displacements, got {len(entries)}")
        x, y, z, phi_x, _, phi_z = entries
        points.append(sympy.Matrix([x - r * phi_z, y, z + r * phi_x]))  # C_K p, (11.54)
    return line_of_action(alpha, beta).dot(points[1] - points[0])
