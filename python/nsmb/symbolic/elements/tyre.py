"""A tyre: stepwise stiffness, and a tangential force that depends on the slip ratio."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from nsmb.common.expressions import as_expression
from nsmb.symbolic.element import Element, expressions, motion
from nsmb.symbolic.symbols import Mode
from nsmb.symbolic.tables import table

__all__ = ["slip_curve", "tyre"]


def slip_curve(points: Sequence[tuple[float, float]]) -> Callable[[Any], Any]:
    """Return a smooth odd function for the friction coefficient over the slip ratio.

    Parameters
    ----------
    points : sequence of (slip ratio, coefficient)
        Measured points with increasing slip ratios, starting at (0, 0). The coefficient is constant
        beyond the last point.

    Returns
    -------
    callable
        Function from an expression of the slip ratio to an expression, by monotone cubics, for
        :func:`tyre`.

    Raises
    ------
    ValueError
        If the points do not start at (0, 0), or if their slip ratios do not increase.

    Examples
    --------
    >>> from nsmb.symbolic.elements import slip_curve
    >>> mu = slip_curve([(0.0, 0.0), (0.1, 0.7), (1.0, 0.5)])
    >>> float(mu(0.1)), float(mu(-0.1)), float(mu(3.0))
    (0.7, -0.7, 0.5)
    """
    given = np.asarray(points, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 2 or len(given) < 2 or not np.isfinite(given).all():
        raise ValueError(f"points: expected at least two pairs of numbers, got {points!r}")
    if given[0].any() or not (np.diff(given[:, 0]) > 0).all():
        raise ValueError(f"points: expected slip ratios that ascend from (0, 0), got {points!r}")
    slips, values = given.T

    def coefficient(slip: Any) -> Any:
        size = sympy.Min(sympy.Abs(slip), float(slips[-1]))
        return sympy.sign(slip) * table(size, slips, values, kind="monotone")

    return coefficient


def tyre(
    name: str,
    compression: Any,
    velocity: Any = None,
    *,
    stiffness: Sequence[Any],
    steps: Sequence[Any] = (),
    damping: Any = 0,
    speed: Any = None,
    spin: Any = None,
    radius: Any = None,
    mu: Callable[[Any], Any] | None = None,
) -> Element:
    """Return a radial force with stepwise stiffness, and a force that depends on the slip ratio.

    With the compression s, positive under load, the radial force is piecewise linear and
    continuous, (14.64). Its stiffness is c₁ up to s₁, c₂ up to s₂, and so on. The force along the
    ground is ``μ(SR) F_R``, (14.66), (14.67). It brakes the axle and spins the wheel up. The slip
    ratio is ``SR = 1 - φ̇ r/v``, with the radius ``r = r₀ - s`` of the compressed tyre.

    Parameters
    ----------
    name : str
    compression : expression
        Compression s in m, including the runway roughness (14.65).
    velocity : expression, optional
        Rate ṡ; required between bodies.
    stiffness : expressions of parameters
        Stiffnesses c₁, c₂, ... in N/m.
    steps : expressions of parameters
        Compressions s₁, s₂, ... in m, increasing, one fewer than stiffnesses.
    damping : expression of parameters
        Damping in N s/m of the radial force, which may then start with a jump, and pull at its end.
    speed, spin : expressions, optional
        Velocity v > 0 of the axle along the ground in m/s, and φ̇ of the wheel in rad/s, positive
        in rolling. Required with `radius` and `mu`.
    radius : expression of parameters, optional
        Radius r₀ in m.
    mu : callable, optional
        Coefficient of friction as an expression of the slip ratio, see :func:`slip_curve`.

    Returns
    -------
    Element
        An element with the modes ``name.touches``, ``name.step_1``, ... A run in which the axle
        comes to rest ends with a status, because the slip ratio has no value there.

    Raises
    ------
    ValueError
        If the number of steps is wrong, or if only some arguments of the slip ratio are given.
    """
    where = f"element '{name}': "
    s, rate = motion(name, compression, velocity)
    c, bounds = _listed(where + "stiffness", stiffness), _listed(where + "steps", steps)
    (damping,) = expressions(name, damping=damping)
    if not c or len(bounds) != len(c) - 1:
        raise ValueError(
            f"{where}steps: expected one less than the {len(c)} stiffnesses, got {len(bounds)}"
        )
    needs = {"speed": speed, "spin": spin, "radius": radius, "mu": mu}
    missing = [what for what, value in needs.items() if value is None]
    if missing and len(missing) < len(needs):
        raise ValueError(f"{where}{missing[0]}: expected one, as a part of the slip ratio")
    modes = [Mode(f"{name}.touches"), *(Mode(f"{name}.step_{k + 1}") for k in range(len(bounds)))]
    starts = [sympy.S.Zero, *bounds]
    force, energy = sympy.S.Zero, sympy.S.Zero
    level, stored = sympy.S.Zero, sympy.S.Zero  # at the start of a piece
    pieces = []
    for k, start in enumerate(starts):  # (14.64)
        way = s - start
        pieces.append((level + c[k] * way, stored + level * way + c[k] * way**2 / 2))
        if k < len(bounds):
            way = bounds[k] - start
            stored += level * way + c[k] * way**2 / 2
            level += c[k] * way
    for mode, (pressed, kept) in zip(modes, pieces, strict=True):
        force = mode.select(open=force, closed=pressed)
        energy = mode.select(open=energy, closed=kept)
    radial = force + modes[0].select(open=0, closed=damping * rate)
    actions = [(rate, -radial)]
    limits = {f"stiffness {k + 1}": value for k, value in enumerate(c)}
    for k, (left, right) in enumerate(pairwise(starts)):
        limits[f"steps {k + 1}"] = right - left
    if mu is not None:
        slip = speed - spin * (radius - s)
        actions.append((slip, -mu(slip / speed) * radial))  # (14.66), (14.67)
        limits |= {"speed": speed, "radius": radius - s}
    return Element(
        name,
        actions,
        watch={m: (start - s, s - start) for m, start in zip(modes, starts, strict=True)},
        energy=energy,
        limits=limits,
    )


def _listed(where: str, given: Any) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{where}: expected a sequence of expressions, got {given!r}")
    return [as_expression(where, value) for value in given]
