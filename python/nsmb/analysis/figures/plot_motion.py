"""Figures of points and numbers: Poincaré sections and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import unknown_name
from nsmb.pictures.plot_style import (
    BLUE,
    GREY,
    MANY_DOTS,
    axis_text,
    describe_failure,
    dot_size,
    legend_above,
    new_axes,
    scaled,
    style_axes,
    system_of,
    unit_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.analysis.figures.plot_data import PointData
    from nsmb.system.base import System

__all__ = ["histogram", "plot_poincare"]

Floats = NDArray[np.float64]


def plot_poincare(
    points: PointData,
    x: str,
    y: str,
    *,
    side: Literal["minus", "plus"] = "plus",
    ax: Axes | None = None,
    system: System | None = None,
) -> Axes:
    """Plot points of a section; see :meth:`SectionPoints.plot`."""
    if side not in ("minus", "plus"):
        raise ValueError(f"side: expected 'minus' or 'plus', got {side!r}")
    columns = {name: _column(points.names, name) for name in (x, y)}
    states = points.y_plus if side == "plus" else points.y_minus
    ax = new_axes(ax, 4.6, 4.2)
    shown = []
    for name, write in ((x, ax.set_xlabel), (y, ax.set_ylabel)):
        values = states[:, columns[name]]
        unit, factor = scaled(unit_of(name, system_of(points, system)), values)
        write(axis_text(name, unit))
        shown.append(factor * values)
    count = len(states)
    ax.plot(
        *shown, linestyle="none", marker="o", color=BLUE, markeredgewidth=0.0,
        markersize=dot_size(count), rasterized=count > MANY_DOTS, snap=False, zorder=2,
    )  # fmt: skip
    style_axes(ax)
    describe_failure(ax, points.status)
    return ax


def histogram(
    values: ArrayLike,
    *,
    period: float | None = None,
    bins: int = 60,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Plot a histogram as a probability density, such as that of the phases of impacts.

    Parameters
    ----------
    values : (n,) array_like
        Finite numbers.
    period : float, optional
        Period of phases. Values are taken modulo the period, bins cover one period, and a dashed
        line marks the uniform density 1/period.
    bins : int
        Number of bins of equal width.
    label : str
        Text of the horizontal axis.
    ax : Axes, optional
        Axes to draw in. Default: those of a new figure.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If there are no values, a value is not finite, the period is <= 0, or `bins` is below 1.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.

    Examples
    --------
    >>> import numpy as np
    >>> from nsmb import plotting
    >>> phases = np.random.default_rng(1).normal(0.0, 0.5, 400)
    >>> ax = plotting.histogram(phases, period=2 * np.pi, label="phase / rad")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('phase / rad', 'probability density')
    """
    sample = np.asarray(values, dtype=np.float64).ravel()
    if sample.size == 0 or not np.all(np.isfinite(sample)):
        raise ValueError(f"values: expected finite numbers, at least one, got {values!r}")
    if bins < 1:
        raise ValueError(f"bins: expected a number of at least 1, got {bins!r}")
    if period is not None and not 0.0 < period < np.inf:
        raise ValueError(f"period: expected a number > 0, got {period!r}")
    limits = None
    if period is not None:
        sample = np.mod(sample, period)
        limits = (0.0, float(period))
    density, edges = np.histogram(sample, bins=bins, range=limits, density=True)
    ax = new_axes(ax, 5.2, 3.2)
    ax.stairs(density, edges, fill=True, facecolor="#A6CEE8", edgecolor=BLUE, linewidth=0.9)
    if period is not None:
        ax.axhline(1.0 / period, color=GREY, linewidth=0.9, linestyle=(0, (4, 2)), label="uniform")
        legend_above(ax, ax.lines[-1:])
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel(label)
    ax.set_ylabel("probability density")
    style_axes(ax)
    return ax


def _column(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise unknown_name("component", name, names)
    return list(names).index(name)
