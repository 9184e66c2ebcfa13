"""Material that returns a part of the work done on it (14.30), Fig. 14.16b of the book."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Hysteresis", "hysteresis", "hysteresis_force"]

Vector = NDArray[np.float64]

# m/s: slower reversals are none, so that what rests on the first branch stays there. Of the energy
# of a blow at 1 m/s this is one part in 1e12.
_REST = 1e-6


@dataclass(frozen=True)
class Hysteresis:
    """Expressions of the material, for the lists of a `symbolic.LagrangianSystem`."""

    force: Any
    """F_f, N, against the depth."""
    rates: dict[Any, Any]
    watch: dict[Any, tuple[Any, Any]]
    energy: Any
    """What would be returned now, J."""
    ratio: Any
    stiffness: Any

    def loaded(self, force: Any) -> dict[Any, Any]:
        """Where state and modes start on the first branch, under a force."""
        (offset,), (carries, _) = self.rates, self.watch
        return {offset: (1 - self.ratio) * force / self.stiffness, carries: True}

    def apart(self, depth: Any) -> dict[Any, Any]:
        """Where they start without force, the depth negative or zero."""
        (offset,), (_, returns) = self.rates, self.watch
        return {offset: depth, returns: True}


def hysteresis(depth: Any, rate: Any, c_1: Any, c_2: Any, name: str) -> Hysteresis:
    """Expressions for a depth δ >= 0 in the material, its rate, and the slopes c_1 <= c_2.

    Compressed for the first time F = c_1 δ; let go from the depth δ_r, F = c_2 (δ - a) with a =
    (1 - c_1/c_2) δ_r, until F = 0. Compressed again before that it goes the same way back to δ_r.
    Once F = 0 the surface follows, a = δ, so that the hole is as before at δ = 0 and the
    force never jumps, wherever the motion turns round.

    The state ``<name>_offset`` is a: with a' = (1 - c_1/c_2) δ' on the first branch, 0 on the
    second one and δ' without force it needs no jumps. The modes are ``<name>``, closed where there
    is a force, and ``<name>_returns``, closed on the second branch.
    """
    import sympy

    from nsmb import symbolic

    a = symbolic.states(f"{name}_offset")
    carries, returns = symbolic.modes(f"{name} {name}_returns")
    ratio = c_1 / c_2

    def by_mode(nothing: Any, first: Any, second: Any) -> Any:
        return carries.select(open=nothing, closed=returns.select(open=first, closed=second))

    return Hysteresis(
        force=by_mode(0, c_1 * depth, c_2 * (depth - a)),
        rates={a: by_mode(rate, (1 - ratio) * rate, 0)},
        # Every end asks for the direction of motion, too: where it turns round neither mode ends.
        watch={
            # it is touched at δ = 0, or by turning round before
            carries: (
                sympy.Max(-depth, -rate),
                sympy.Max(rate, returns.select(open=depth, closed=depth - a)),
            ),
            # what is touched begins on the second branch, which ends where the first one is met
            returns: (
                rate + _REST,
                carries.select(open=1, closed=sympy.Max(a - (1 - ratio) * depth, -rate)),
            ),
        },
        energy=by_mode(0, ratio * c_1 * depth**2 / 2, c_2 * (depth - a) ** 2 / 2),
        ratio=ratio,
        stiffness=c_1,
    )


def hysteresis_force(depth: Vector, offset: Vector, c_1: float, c_2: float) -> Vector:
    """The force at a depth with an offset, without modes: the lower branch of both, or zero."""
    both: Vector = np.minimum(c_1 * depth, c_2 * (depth - offset))
    return np.maximum(both, 0.0)
