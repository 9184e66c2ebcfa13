"""Points of a branch at which its solutions change qualitatively."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nsmb.analysis.branches.orbits import double_period
from nsmb.analysis.orbits.orbit import PeriodicOrbit

__all__ = ["SpecialPoint"]


@dataclass(frozen=True, eq=False)
class SpecialPoint:
    """A point at which the solutions of a branch change qualitatively.

    Orbits have the kinds ``fold``, ``period doubling``, ``Neimark-Sacker``, ``branch point``,
    ``end``, and:

    - ``grazing``: an impact, or the contact of a one-sided spring, appears or disappears,
    - ``sliding``: a phase of sticking or sliding appears or disappears, or an impact changes
      between them,
    - ``event sequence``: the sequence changes otherwise, as when two impacts coincide,
    - ``Hopf``: the orbit shrinks to an equilibrium.

    Equilibria have the kinds ``fold``, ``Hopf``, ``branch point``, ``contact opens``,
    ``contact closes``, ``slip begins`` and ``end``. Forced responses and loci have ``fold`` and
    ``end``.

    :func:`nsmb.analysis.continuation` follows a ``fold`` or a ``period doubling`` of orbits over a
    second parameter.
    """

    kind: str
    parameter: str
    value: float
    """Value of the parameter."""
    bracket: tuple[float, float]
    """Values of the parameter that enclose the point. They are the two sides of a change of sign,
    or the last value with orbits of one kind and the first one with orbits of the other. At the end
    of a branch, they are the last value with an orbit and the nearest one at which Newton's method
    found none. If the branch ends before an impact grazes, `value` is extrapolated from approach
    velocities, and the bracket extends equally far beyond it."""
    index: int
    """The special point lies between the points `index` and `index + 1` of the branch, or at the
    point `index`."""
    point: Any
    """The orbit, equilibrium or response at the special point. At the end of the branch or at a
    change of the event sequence, the last one before."""
    message: str = ""

    @property
    def accuracy(self) -> float:
        """Half the width of the bracket."""
        return 0.5 * (self.bracket[1] - self.bracket[0])

    def switch_branch(self, *, amplitude: float | None = None, tol: float = 1e-10) -> PeriodicOrbit:
        """Return the orbit of twice the period that branches off at a period doubling.

        Parameters
        ----------
        amplitude : float, optional
            Distance from the orbit at the doubling, in units of the motion. Default: several values
            are tried.
        tol : float
            Largest gap allowed, as for :func:`periodic_orbit`.

        Returns
        -------
        PeriodicOrbit
            The orbit at the value of the parameter at which it has that distance. The value is on
            the side of the doubling where the orbit exists.

        Raises
        ------
        ValueError
            If the special point is of another kind.
        AnalysisError
            If no orbit of twice the period is found.

        Examples
        --------
        >>> import nsmb
        >>> from nsmb import analysis
        >>> orbit = analysis.periodic_orbit(nsmb.systems.gear_rattling(alpha=1.4))
        >>> branch = analysis.continuation(orbit, "alpha", (1.4, 1.5))
        >>> (doubling,) = branch.of_kind("period doubling")
        >>> twice = doubling.switch_branch()
        >>> round(twice.period / doubling.point.period, 6)
        2.0
        """
        if self.kind != "period doubling" or not isinstance(self.point, PeriodicOrbit):
            raise ValueError(
                f"switch_branch: must start from a 'period doubling', got {self.kind!r}. Choose a "
                "point of branch.of_kind('period doubling')."
            )
        return double_period(self.point, self.parameter, self.value, amplitude, tol)

    def __str__(self) -> str:
        text = f"{self.kind} at {self.parameter} = {self.value:.10g} ± {self.accuracy:.2g}"
        return f"{text}: {self.message}" if self.message else text
