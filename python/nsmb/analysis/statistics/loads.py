"""Load distributions (11.35)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.common.summary import spread
from nsmb.analysis.statistics.blows import BlowTable
from nsmb.analysis.statistics.columns import force_columns, force_unit, stretch
from nsmb.common.arguments import (
    as_array,
    as_column,
    as_number,
    fraction,
    one_of,
    whole,
)
from nsmb.common.html import ShownAsTable
from nsmb.pictures.plot_style import BLUE, GREY, legend_above, new_axes, style_axes
from nsmb.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LoadDistribution", "load_distribution"]

Vector = NDArray[np.float64]
FitName = Literal["counts", "logarithms"]

_LEVELS = 64


@dataclass(frozen=True, eq=False)
class LoadDistribution(ShownAsTable):
    """How often loads are exceeded, ``H(x) = H_0 exp(-α xⁿ)`` (11.35)."""

    x: Vector
    """(m,) N, loads above the nominal one."""
    H: Vector
    """(m,) how often each is exceeded."""
    H_0: float
    """How often the nominal load is."""
    x_0: float
    """N, the load that one in e exceeds: α = x_0⁻ⁿ."""
    n: float
    """Exponent."""
    r_squared: float
    """Part of the scatter of H, or of ln H, that the curve tells; 1: all."""
    nominal: float
    """N"""

    @property
    def alpha(self) -> float:
        """N⁻ⁿ"""
        return float(self.x_0**-self.n)

    def __call__(self, x: ArrayLike) -> Vector:
        """H at loads x above the nominal one, N."""
        load = np.maximum(np.asarray(x, dtype=np.float64), 0.0)
        return np.asarray(self.H_0 * np.exp(-((load / self.x_0) ** self.n)))

    def quantile(self, p: float = 0.99) -> float:
        """N, the load that is not exceeded with probability `p`: (-ln(1 - p)/α)^(1/n).

        Raises
        ------
        ValueError
            For p outside (0, 1).
        """
        share = fraction("p", p)
        return float(self.nominal + self.x_0 * (-np.log1p(-share)) ** (1.0 / self.n))

    def plot(self, *, p: float | None = 0.99, ax: Axes | None = None, unit: str = "N") -> Axes:
        """Counts and curve over the load, counts on a logarithmic axis.

        Parameters
        ----------
        p : float, optional
            The quantile that is marked.
        ax : Axes, optional
            To draw in; default: those of a new figure.
        unit : {"N", "kN"}

        Returns
        -------
        Axes
        """
        factor = force_unit(unit)
        ax = new_axes(ax, 5.2, 3.4)
        load = np.linspace(0.0, 1.05 * float(self.x.max()), 200)
        handles = [
            *ax.plot(factor * (self.nominal + self.x), self.H, ".", color=GREY, label="counted"),
            *ax.plot(
                factor * (self.nominal + load), self(load), color=BLUE,
                label=f"$H_0\\,\\exp(-\\alpha x^n)$, n = {self.n:.3g}",
            ),
        ]  # fmt: skip
        if p is not None:
            handles.append(
                ax.axvline(
                    factor * self.quantile(p), color=BLUE, linewidth=0.9, linestyle=(0, (4, 2)),
                    label=f"{100 * p:g} %",
                )
            )  # fmt: skip
        legend_above(ax, handles)
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.5)
        ax.set_xlabel(f"x / {unit}")
        ax.set_ylabel("H")
        style_axes(ax)
        return ax

    def __repr__(self) -> str:
        return "\n".join(
            [
                f"LoadDistribution of {self.H_0:g} passages of {self.nominal:g} N",
                f"  x_0 {self.x_0:.6g} N",
                f"  n {self.n:.6g}",
                f"  99 % {self.quantile():.6g} N",
                f"  R² {self.r_squared:.4f}",
            ]
        )


def load_distribution(
    source: BlowTable | Solution | ArrayLike,
    forces: str | Sequence[str] | None = None,
    *,
    nominal: float | None = None,
    fit: FitName = "counts",
    levels: int | ArrayLike | None = None,
    t_start: float | None = None,
) -> LoadDistribution:
    """Return how often loads are exceeded, by the peaks of blows or by level crossings of a force.

    Of blows, or an array of peaks, H(x) is the number of blows that exceed the load x. Of a
    solution, H(x) is the number of times that the force passes x upward; a blow with several peaks
    passes a load several times. Between samples the force is taken to be linear.

    Parameters
    ----------
    source : BlowTable, Solution or array_like
        The result of :func:`blows`, peaks in N, or a run.
    forces : str or sequence of str, optional
        Names of contacts or force elements, for a run only. Several are counted together.
    nominal : float, optional
        N, the load from which loads count. Default: that of the blows, otherwise zero.
    fit : {"counts", "logarithms"}
        Least squares of H, or of ln H, where rare high loads have the same weight as frequent ones.
    levels : int or array_like, optional
        Loads above the nominal one, N, or their number up to the largest, for a run only. Default:
        64.
    t_start : float, optional
        s, start of the part of the run that counts.

    Returns
    -------
    LoadDistribution

    Raises
    ------
    TypeError
        For options that the kind of source does not use.
    ValueError
        For fewer than three different peaks; for names that are not forces; for levels that do not
        determine the curve, because the force passes fewer than three of them, or all but one as
        often as the nominal load.

    References
    ----------
    Pfeiffer & Glocker, (11.35).

    Examples
    --------
    >>> import numpy as np
    >>> from nsmb import analysis
    >>> peaks = 100.0 * np.random.default_rng(1).weibull(2.0, 4000)  # x_0 = 100 N, n = 2
    >>> found = analysis.load_distribution(peaks)
    >>> round(found.x_0), round(found.n, 1)
    (100, 2.0)
    """
    if isinstance(source, Solution):
        if forces is None:
            raise TypeError(
                "forces: must be given for a Solution, got None. Name contacts or force elements."
            )
        return _of_crossings(source, forces, levels, nominal, t_start, fit)
    for name, value in (("forces", forces), ("levels", levels), ("t_start", t_start)):
        if value is not None:
            raise TypeError(
                f"{name}: must be left out for peaks, got {value!r}. Give it to blows, or pass the "
                "Solution itself to count level crossings."
            )
    if isinstance(source, BlowTable):
        nominal = source.nominal if nominal is None else nominal
        source = source.peak
    start = 0.0 if nominal is None else as_number("nominal", nominal)
    loads = as_column("source", source)
    if not (np.isfinite(loads).all() and np.isfinite(start)):
        raise ValueError(
            f"source, nominal: must be finite numbers, got {spread(loads)}, {start:g}. Leave out "
            "rows without a peak."
        )
    x = np.sort(loads) - start
    x = x[x > 0.0]
    # between the counts before and after each peak
    H = np.arange(x.size, 0, -1, dtype=np.float64) - 0.5
    return _fitted("source", x, np.asarray(H), float(x.size), start, fit)


def _of_crossings(
    solution: Solution,
    forces: str | Sequence[str],
    levels: int | ArrayLike | None,
    nominal: float | None,
    t_start: float | None,
    fit: FitName,
) -> LoadDistribution:
    start = 0.0 if nominal is None else float(as_array("nominal", nominal, ()))
    late = solution.t >= stretch(solution, t_start)[0]
    columns = force_columns(solution.labels, forces)
    tables = [column.of_samples(solution)[late] - start for column in columns]
    largest = max((float(f.max(initial=0.0)) for f in tables), default=0.0)
    if levels is None or np.ndim(levels) == 0:
        count = _LEVELS if levels is None else whole("levels", levels, 4)
        x = largest * np.arange(1, count) / count
    else:
        x = np.sort(as_column("levels", levels))
        x = x[x > 0.0]

    def passages(level: float) -> float:
        return float(sum(((f[:-1] <= level) & (f[1:] > level)).sum() for f in tables))

    H = np.array([passages(float(level)) for level in x])
    return _fitted("levels", x, H, passages(0.0), start, fit)


def _fitted(
    what: str, x: Vector, H: Vector, H_0: float, nominal: float, fit: FitName
) -> LoadDistribution:
    from scipy import optimize

    one_of("fit", fit, ("counts", "logarithms"))
    x, H = x[H > 0.0], H[H > 0.0]
    if np.unique(x).size < 3 or H_0 <= 0.0:
        raise ValueError(
            f"{what}: expected three or more different loads above {nominal:g} N, got "
            f"{np.unique(x).size}"
        )
    share = H / H_0
    # ln(-ln(H/H_0)) = n ln x + ln α is a line: its slope and place are where the search begins
    known = share < 1.0
    if np.unique(x[known]).size < 2:
        raise ValueError(
            f"{what}: expected two or more that are passed less often than {nominal:g} N, got "
            f"{np.unique(x[known]).size} of {x.size}: any steep curve is as good; look at more"
        )
    n, place = 1.0, float(np.log(np.median(x)))
    slope, offset = np.polyfit(np.log(x[known]), np.log(-np.log(share[known])), 1)
    if slope > 0.0:
        n, place = float(slope), float(-offset / slope)

    def residuals(z: Vector) -> Vector:
        logarithm = -np.exp(z[1] * (np.log(x) - z[0]))
        return np.asarray(
            logarithm - np.log(share) if fit == "logarithms" else np.exp(logarithm) - share
        )

    found = optimize.least_squares(
        residuals, [place, n], bounds=([-np.inf, 1e-3], [np.inf, 1e3]), x_scale=[1.0, max(n, 0.1)]
    )
    told = np.log(share) if fit == "logarithms" else share
    scatter = float(((told - told.mean()) ** 2).sum())
    rest = float((found.fun**2).sum())
    r_squared = 1.0 - rest / scatter if scatter > 0.0 else 0.0
    return LoadDistribution(
        x, H, H_0, float(np.exp(found.x[0])), float(found.x[1]), r_squared, nominal
    )
