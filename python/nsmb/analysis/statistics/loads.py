"""Load distributions (11.35) and Gamma distributions of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.analysis.common.summary import spread
from nsmb.analysis.figures.plot_style import BLUE, GREY, legend_above, new_axes, style_axes
from nsmb.analysis.statistics.blows import Blows
from nsmb.analysis.statistics.columns import force_columns, force_unit, stretch
from nsmb.common.arguments import (
    as_array,
    as_column,
    as_instance,
    as_number,
    fraction,
    one_of,
    whole,
)
from nsmb.common.extras import import_extra
from nsmb.common.html import ShownAsTable
from nsmb.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GammaFit", "LoadDistribution", "crossing_distribution", "gamma_fit",
           "load_distribution"]  # fmt: skip

Vector = NDArray[np.float64]
FitName = Literal["counts", "logarithms"]


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
    peaks: Blows | ArrayLike, *, nominal: float | None = None, fit: FitName = "counts"
) -> LoadDistribution:
    """Distribution of peaks: of a load x, how many blows exceed it.

    Parameters
    ----------
    peaks : Blows or array_like
        N; of several forces all together.
    nominal : float, optional
        N, from where loads count; default that of the blows, else zero.
    fit : {"counts", "logarithms"}
        Least squares of H, or of ln H, where rare high loads count as much as frequent ones.

    Returns
    -------
    LoadDistribution
        With `H_0` the number of peaks above the nominal load.

    Raises
    ------
    ValueError
        For fewer than three different peaks.

    References
    ----------
    (11.35).
    """
    if isinstance(peaks, Blows):
        nominal = peaks.nominal if nominal is None else nominal
        peaks = peaks.peak
    start = 0.0 if nominal is None else as_number("nominal", nominal)
    loads = as_column("peaks", peaks)
    if not (np.isfinite(loads).all() and np.isfinite(start)):
        raise ValueError(f"peaks, nominal: expected finite numbers, got {spread(loads)}, {start:g}")
    x = np.sort(loads) - start
    x = x[x > 0.0]
    # between the counts before and behind each peak
    H = np.arange(x.size, 0, -1, dtype=np.float64) - 0.5
    return _fitted("peaks", x, np.asarray(H), float(x.size), start, fit)


def crossing_distribution(
    solution: Solution,
    forces: str | Sequence[str],
    *,
    levels: int | ArrayLike = 64,
    nominal: float = 0.0,
    t_start: float | None = None,
    fit: FitName = "counts",
) -> LoadDistribution:
    """Distribution of a force by level crossings: how often it passes x on its way up.

    A blow with several peaks passes a load several times. Between samples the force is taken as
    straight.

    Parameters
    ----------
    solution : Solution
    forces : str or sequence of str
        Names of contacts or force elements.
    levels : int or array_like
        Loads above the nominal one, N, or how many up to the largest.
    nominal : float
        N
    t_start : float, optional
        s, leave out what comes before.
    fit : {"counts", "logarithms"}
        As in `load_distribution`.

    Returns
    -------
    LoadDistribution

    Raises
    ------
    ValueError
        For names that are no forces, or levels that say nothing of the curve: the force passes
        less than three of them, or all but one as often as the nominal load.

    References
    ----------
    (11.35).
    """
    solution = as_instance("solution", solution, Solution)
    nominal = float(as_array("nominal", nominal, ()))
    late = solution.t >= stretch(solution, t_start)[0]
    columns = force_columns(solution.labels, forces)
    tables = [column.of_samples(solution)[late] - nominal for column in columns]
    largest = max((float(f.max(initial=0.0)) for f in tables), default=0.0)
    if np.ndim(levels) == 0:
        count = whole("levels", levels, 4)
        x = largest * np.arange(1, count) / count
    else:
        x = np.sort(as_column("levels", levels))
        x = x[x > 0.0]

    def passages(level: float) -> float:
        return float(sum(((f[:-1] <= level) & (f[1:] > level)).sum() for f in tables))

    H = np.array([passages(float(level)) for level in x])
    return _fitted("levels", x, H, passages(0.0), nominal, fit)


def _fitted(
    what: str, x: Vector, H: Vector, H_0: float, nominal: float, fit: FitName
) -> LoadDistribution:
    one_of("fit", fit, ("counts", "logarithms"))
    x, H = x[H > 0.0], H[H > 0.0]
    if np.unique(x).size < 3 or H_0 <= 0.0:
        raise ValueError(
            f"{what}: expected three or more different loads above {nominal:g} N, got "
            f"{np.unique(x).size}"
        )
    optimize = import_extra("scipy.optimize", "analysis")
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


@dataclass(frozen=True, eq=False)
class GammaFit(ShownAsTable):
    """A Gamma distribution of positive numbers, and how far they are from it."""

    sample: Vector
    """(n,)"""
    shape: float
    """k, by maximum likelihood."""
    scale: float
    """θ, in the unit of the numbers; the mean is k θ."""
    distance: float
    """Of Kolmogorov and Smirnov: largest difference of the distribution functions."""
    p_value: float
    """How probable a distance as large is where the numbers do come from a Gamma distribution, with
    k and θ found from them likewise; NaN: not asked for."""

    def density(self, x: ArrayLike) -> Vector:
        """Probability density at x."""
        stats = import_extra("scipy.stats", "analysis")
        return np.asarray(stats.gamma.pdf(x, self.shape, scale=self.scale))

    def plot(self, *, bins: int = 40, label: str = "", ax: Axes | None = None) -> Axes:
        """Histogram and density.

        Parameters
        ----------
        bins : int
        label : str
            Of the horizontal axis.
        ax : Axes, optional
            To draw in; default: those of a new figure.

        Returns
        -------
        Axes
        """
        ax = new_axes(ax, 5.2, 3.2)
        density, edges = np.histogram(self.sample, bins=bins, density=True)
        ax.stairs(density, edges, fill=True, facecolor="#A6CEE8", edgecolor=BLUE, linewidth=0.9)
        x = np.linspace(edges[0], edges[-1], 300)[1:]
        handle = ax.plot(x, self.density(x), color="#000000", label=f"Gamma, k = {self.shape:.3g}")
        legend_above(ax, handle)
        ax.set_xlabel(label)
        ax.set_ylabel("probability density")
        style_axes(ax)
        return ax

    def __repr__(self) -> str:
        lines = [
            f"GammaFit of {self.sample.size} numbers: {spread(self.sample)}",
            f"  shape {self.shape:.6g}",
            f"  scale {self.scale:.6g}",
            f"  distance {self.distance:.4f}",
        ]
        if np.isfinite(self.p_value):
            lines.append(f"  p-value {self.p_value:.3g}")
        return "\n".join(lines)


def gamma_fit(sample: ArrayLike, *, resamples: int = 0, seed: int = 0) -> GammaFit:
    """Fit a Gamma distribution to durations of blows, or times between them, and test it.

    Parameters
    ----------
    sample : (n,) array_like
        Positive numbers.
    resamples : int
        Samples drawn for the p-value; 0: it is NaN. The usual tables do not hold, as shape and
        scale come from the same numbers.
    seed : int
        Of these draws.

    Returns
    -------
    GammaFit

    Raises
    ------
    ValueError
        For fewer than three numbers, numbers <= 0, or all the same.

    References
    ----------
    Fig. 11.11; likelihood and test by SciPy.
    """
    values = as_column("sample", sample)
    if values.size < 3 or not (np.isfinite(values).all() and (values > 0.0).all()):
        raise ValueError(f"sample: expected three or more numbers > 0, got {spread(values)}")
    if np.ptp(values) <= 1e-12 * values.max():
        raise ValueError(f"sample: expected different numbers, got {values[0]:g} alone")
    shape, scale, distance = _gamma(values)
    p_value = float("nan")
    if whole("resamples", resamples, 0):
        rng = np.random.default_rng(whole("seed", seed, 0))
        drawn = rng.gamma(shape, scale, (resamples, values.size))
        larger = sum(_gamma(row)[2] >= distance for row in drawn)
        p_value = (larger + 1) / (resamples + 1)
    return GammaFit(values, shape, scale, distance, p_value)


def _gamma(values: Vector) -> tuple[float, float, float]:
    """Shape, scale and distance."""
    stats = import_extra("scipy.stats", "analysis")
    shape, _, scale = stats.gamma.fit(values, floc=0.0)
    distance = stats.kstest(values, "gamma", args=(shape, 0.0, scale)).statistic
    return float(shape), float(scale), float(distance)
