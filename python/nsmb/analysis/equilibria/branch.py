"""Continuation of equilibria in a parameter."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nsmb.analysis.branches.arclength import Chart, Corrected, Family
from nsmb.analysis.branches.branch import Branch, Measure
from nsmb.analysis.branches.follow import Options, follow_branch
from nsmb.analysis.branches.special_points import SpecialPoint
from nsmb.analysis.equilibria.equilibria import Equilibrium, equilibrium_of, margins_of
from nsmb.analysis.equilibria.rest import Rest, RestEvaluation
from nsmb.analysis.orbits.newton import Unreachable
from nsmb.common.arguments import unknown_name
from nsmb.system.base import System

__all__ = ["EquilibriumBranch", "follow_equilibria"]

Vector = NDArray[np.float64]

_ENDS = {"gap": "contact closes", "force": "contact opens", "friction": "slip begins"}
_NEUTRAL = 1e-7  # relative to the largest singular value
_PASSES = 3
_LEAST = 1e-9  # relative to the largest row or column
_BESIDE = 1e-3  # relative to the range
_CHANGES = 1e-7  # relative to the largest eigenvalue; smaller changes of real parts are rounding
_STEP = 6e-6  # of central differences in the parameter, in units of the range


@dataclass(frozen=True, eq=False, repr=False)
class EquilibriumBranch(Branch[Equilibrium]):
    """Equilibria along a parameter, in the order of arclength."""

    _format: ClassVar[str] = "nsmb-equilibria"
    _called: ClassVar[str] = "branch of equilibria"

    @property
    def marginal(self) -> NDArray[np.bool_]:
        """Marginal stability of each equilibrium, shape (k,); see :attr:`Equilibrium.marginal`."""
        return np.array([point.marginal for point in self.points], dtype=np.bool_)

    def measure(self, measure: Measure[Equilibrium]) -> Vector:
        """Return one number per equilibrium, shape (k,).

        Parameters
        ----------
        measure : str or callable
            A coordinate, a margin such as ``"force floor"``, or a function of the equilibrium.

        Raises
        ------
        ValueError
            If the name is neither a coordinate nor a margin.
        """
        return super().measure(measure)

    def _measured(self, point: Equilibrium, name: str) -> float:
        if name in point.margins:
            return point.margins[name]
        known = point.system.coordinates
        if name not in known:
            raise unknown_name("measure", name, [*known, *point.margins])
        return float(point.q[known.index(name)])

    def _usual_measure(self) -> str:
        return self.points[0].system.coordinates[0]

    def _columns(self) -> dict[str, Any]:
        columns = {self.parameter: self.values, "stable": self.stable, "marginal": self.marginal}
        first = self.points[0]
        names = [*first.system.coordinates, *first.margins]
        return columns | {name: self.measure(name) for name in names}

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        return (Equilibrium, Rest, SpecialPoint)

    @classmethod
    def _special(cls) -> dict[type, Callable[[Any], tuple[Any, ...]]]:
        return {Rest: Rest.arguments}

    def __repr__(self) -> str:
        name = self.points[0].system.name
        lines = [
            f"Branch of equilibria of {name} over {self.parameter}: {self.status}",
            f"  {len(self)} points from {self.values.min():.8g} to "
            f"{self.values.max():.8g}, {int(self.stable.sum())} stable",
        ]
        return "\n".join(lines + [f"  {point}" for point in self.special_points])


class _RestChart(Chart[RestEvaluation]):
    """The equations of rest around one equilibrium, as functions of the parameter too."""

    def __init__(self, here: Equilibrium, parameter: str, width: float) -> None:
        self.here, self.parameter, self.width = here, parameter, width
        self.origin = here.rest.start(here.q, here.x)
        self.size = here.rest.size
        self.first = float(here.parameters[parameter])

    def value(self, X: Vector) -> float:
        return self.first + self.width * float(X[-1])

    def coordinate(self, value: float) -> float:
        return (value - self.first) / self.width

    def rest(self, value: float) -> Rest:
        """Return the equations at a value of the parameter; sticking contacts do not move."""
        here = self.here
        system: System = here.system
        if value != self.first:
            try:
                system = system.with_parameters(**{self.parameter: value})
            except ValueError as error:
                raise Unreachable("inadmissible", str(error)) from None
        old = here.rest
        rest = Rest(system, here.t, old.q_0, old.x_0, old.states, old.acting, old.friction)
        # The unknowns are the same in the whole chart.
        rest.span, rest.force_scale, rest.size = old.span, old.force_scale, old.size
        return rest

    def evaluate(self, X: Vector) -> RestEvaluation:
        z = self.origin + X[:-1]
        here = self.rest(self.value(X)).evaluate(z)
        column = np.zeros(self.size)
        sides = []
        for sign in (1.0, -1.0):
            try:
                value = self.value(X) + sign * _STEP * self.width
                sides.append((sign * _STEP, self.rest(value).evaluate(z).F))
            except Unreachable:
                sides.append((0.0, here.F))  # at the end of the range of the parameter
        (up, above), (low, below) = sides
        if up == low:
            raise Unreachable("inadmissible", f"{self.parameter} cannot be changed a little")
        column = (above - below) / (up - low)
        return RestEvaluation(
            here.F,
            np.column_stack([here.J, column]),
            here.q,
            here.x,
            here.lambda_N,
            here.lambda_T,
            here.lambda_B,
            here.system,
        )


class _RestFamily(Family[Equilibrium, RestEvaluation]):
    """Equilibria over a parameter."""

    def __init__(self, parameter: str, width: float) -> None:
        self.parameter, self.width = parameter, width

    def chart(self, point: Equilibrium) -> _RestChart:
        return _RestChart(point, self.parameter, self.width)

    def point(self, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation]) -> Equilibrium:
        assert isinstance(chart, _RestChart)
        return equilibrium_of(chart.rest(chart.value(found.X)), found.evaluation)

    def check(self, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation]) -> None:
        assert isinstance(chart, _RestChart)
        rest = chart.rest(chart.value(found.X))
        for name, margin in margins_of(rest, rest.spread(found.evaluation)).items():
            if margin < 0.0 and margin < 2.0 * min(0.0, chart.here.margins[name]):
                raise Unreachable("branch_end", f"{name} would be {margin:.3g}")

    def transfer(
        self,
        old: Chart[RestEvaluation],
        found: Corrected[RestEvaluation],
        new: Chart[RestEvaluation],
    ) -> Vector | None:
        return found.tangent

    def signature(self, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation]) -> Any:
        return None

    def same(self, one: Any, other: Any) -> bool:
        return True

    def tests(
        self, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation]
    ) -> dict[str, float]:
        sign, logarithm = np.linalg.slogdet(np.vstack([found.evaluation.J, found.tangent]))
        tests = {
            "fold": float(found.tangent[-1]),
            "branch point": float(sign * math.exp(min(logarithm, 700.0))),
        }
        values = self._eigenvalues(chart, found)
        if values.size >= 2:
            first, second = np.triu_indices(values.size, 1)
            sums = (values[first] + values[second]) / np.abs(values).max(initial=1e-300)
            tests["Hopf"] = float(np.prod(sums).real)
        return tests

    def _eigenvalues(
        self, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation]
    ) -> NDArray[np.complex128]:
        here = self.point(chart, found)
        return here.eigenvalues[[kind == "" for kind in here.eigenvalue_kinds]]

    def neutral(self, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation]) -> bool:
        """Return True if the derivative is singular after balancing its rows and columns.

        The balancing allows for moments of small bodies beside forces of stiff ones.
        """
        J = found.evaluation.J
        if J.shape[0] == 0:
            return False
        for _ in range(_PASSES):
            for axis in (0, 1):
                sizes = np.abs(J).max(axis=axis, keepdims=True)
                J = J / np.maximum(sizes, _LEAST * sizes.max())  # keeps zeros
        singular = np.linalg.svd(J, compute_uv=False)
        return bool(singular[-1] < _NEUTRAL * singular[0])

    def confirms(
        self, kind: str, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation]
    ) -> bool:
        if kind != "Hopf":
            return True
        values = self._eigenvalues(chart, found)
        pair = values.imag > 1e-6 * np.abs(values).max()
        there = values[pair & (np.abs(values.real) < 1e-3 * np.abs(values.imag))]
        # The real part of an undamped pair has a random sign. Require a change of its value.
        sides = [self._beside(chart, found, size) for size in (-_BESIDE, _BESIDE)]
        real = np.array([[_nearest(side, value).real for side in sides] for value in there])
        changes = np.abs(np.diff(real.reshape(-1, 2), axis=1))
        return bool((changes > _CHANGES * np.abs(values).max()).any())

    def _beside(
        self, chart: Chart[RestEvaluation], found: Corrected[RestEvaluation], size: float
    ) -> NDArray[np.complex128]:
        """Return the eigenvalues at a short distance along the tangent."""
        X = found.X + size * found.tangent
        try:
            moved = dataclasses.replace(found, X=X, evaluation=chart.evaluate(X))
        except Unreachable:  # the end of the range
            moved = found
        return self._eigenvalues(chart, moved)

    def classify(self, before: Equilibrium, after: Equilibrium | None) -> tuple[str, str]:
        scale = before.rest.force_scale
        sizes = {
            name: margin / (1.0 if name.startswith("gap") else scale)
            for name, margin in before.margins.items()
        }
        if not sizes:
            return "end", "no contact"
        name = min(sizes, key=lambda key: sizes[key])
        if sizes[name] > 1e-6:
            return "end", "no contact at the end of its state"
        kind, _, contact = name.partition(" ")
        return _ENDS[kind], contact


def _nearest(values: NDArray[np.complex128], value: complex) -> complex:
    return complex(values[np.argmin(np.abs(values - value))])


def follow_equilibria(
    here: Equilibrium, parameter: str, span: Sequence[float], options: Options
) -> EquilibriumBranch:
    """Follow an equilibrium over a parameter."""
    if not here.admissible:
        raise ValueError(
            f"problem: must be an admissible equilibrium, got margins {here.margins}. Find one "
            "with other contact states."
        )
    return follow_branch(
        here,
        here.system,
        parameter,
        span,
        options,
        called="equilibrium",
        family=lambda width: _RestFamily(parameter, width),
        branch=lambda found: EquilibriumBranch(parameter, *found),
        max_points=500,
        tol=1e-11,
    )
