"""Figures over parameters or initial states: bifurcation diagrams, exponents, basins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import left_out, unknown_name
from nsmb.pictures.plot import _new_figure
from nsmb.pictures.plot_style import (
    BLACK,
    BLUE,
    FAILED,
    GREY,
    LINE_STYLES,
    MANY_DOTS,
    PALETTE,
    axis_text,
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

    from nsmb.analysis.figures.plot_data import BasinData, DiagramData
    from nsmb.system.base import System

__all__ = ["lyapunov_exponents", "plot_basins", "plot_diagram"]

Floats = NDArray[np.float64]

# Colour and relative size. Where both meet, the smaller dots lie on the larger ones.
_DIRECTIONS = {"up": (BLUE, 2.0), "down": ("#E66100", 1.0)}
_BASINS = ("#0B5A8A", "#F2B134", "#7FC8A9", "#B5446E", "#A9D2F0", "#5C5C5C", "#F4E9A4", "#3B7D5E")
_NO_BASIN = "#FFFFFF"


def plot_diagram(
    diagram: DiagramData,
    observe: str | None = None,
    *,
    ax: Axes | None = None,
    system: System | None = None,
) -> Axes:
    """Plot a bifurcation diagram; see :meth:`BifurcationDiagram.plot`."""
    from matplotlib.lines import Line2D

    names = list(diagram.names)
    name = names[0] if observe is None else observe
    if name not in names:
        raise unknown_name("observe", name, names)
    column = names.index(name)
    system = system_of(diagram, system)
    points = diagram.points[:, :, column]
    unit, factor = scaled(unit_of(name, system), points)
    directions = np.asarray(diagram.direction)
    both = [d for d in _DIRECTIONS if np.any(directions == d)]
    groups = both if len(both) == 2 else [None]

    ax = new_axes(ax, 6.4, 4.0)
    handles = []
    for direction in groups:
        rows = np.full(len(points), True) if direction is None else directions == direction
        color, relative = (BLACK, 1.0) if direction is None else _DIRECTIONS[direction]
        _dots(ax, diagram.values[rows], factor * points[rows], color, relative)
        if direction is not None:
            mark = Line2D(
                [], [], linestyle="none", marker="o", color=color, markeredgewidth=0.0,
                markersize=2.6 * relative, label=direction,
            )  # fmt: skip
            handles.append(mark)
    failed = np.asarray(diagram.status) != "finished"
    if np.any(failed):
        handles += ax.plot(
            diagram.values[failed], np.full(failed.sum(), 0.02), clip_on=False, zorder=3,
            transform=ax.get_xaxis_transform(), label=f"failed ({failed.sum()})", **FAILED,
        )  # fmt: skip
    legend_above(ax, handles)
    ax.set_xlabel(axis_text(diagram.parameter, unit_of(diagram.parameter, system)))
    ax.set_ylabel(axis_text(name, unit))
    style_axes(ax)
    return ax


def lyapunov_exponents(
    values: ArrayLike,
    exponents: ArrayLike,
    *,
    parameter: str = "",
    per: Literal["time", "impact"] = "time",
    diagram: DiagramData | None = None,
    observe: str | None = None,
    ax: Axes | None = None,
    system: System | None = None,
) -> Axes:
    """Plot Lyapunov exponents over a parameter, optionally below the bifurcation diagram.

    Parameters
    ----------
    values : (k,) array_like
        Values of the parameter.
    exponents : (k, n) array_like
        One column per exponent, with NaN for missing ones; shape (k,) for the largest alone.
    parameter : str
        Name of the parameter; default: that of `diagram`.
    per : {"time", "impact"}
        Unit of the exponents: 1/s, or per impact.
    diagram : BifurcationDiagram, optional
        Diagram to draw above the exponents, in a new figure with a common horizontal axis.
    observe : str, optional
        Observed quantity of the diagram, as for `BifurcationDiagram.plot`.
    ax : Axes, optional
        Axes to draw in. Default: those of a new figure. Not together with `diagram`.
    system : System, optional
        The system that gives the units of the axes.

    Returns
    -------
    Axes
        The axes of the exponents. Those of the diagram are ``ax.figure.axes[0]``.

    Raises
    ------
    ValueError
        If shapes do not match, `per` is unknown, or `ax` is given together with `diagram`.
    ImportError
        If Matplotlib is not installed; ``pip install nsmb[plot]`` installs it.

    Examples
    --------
    >>> from nsmb import plotting
    >>> ax = plotting.lyapunov_exponents([1.0, 2.0], [-0.3, 0.1], parameter="alpha")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('$\\\\alpha$', '$\\\\lambda$ / (1/s)')
    """
    x = np.asarray(values, dtype=np.float64)
    rates = np.asarray(exponents, dtype=np.float64)
    rates = rates[:, None] if rates.ndim == 1 else rates
    if x.ndim != 1 or rates.ndim != 2 or len(rates) != x.size:
        raise ValueError(
            f"exponents: expected a row for each of the values, shape ({x.size}, n), got shape "
            f"{np.shape(exponents)}"
        )
    if per not in ("time", "impact"):
        raise ValueError(f"per: expected 'time' or 'impact', got {per!r}")
    if diagram is not None and ax is not None:
        raise ValueError("ax: must be left out with diagram, which needs a figure with two axes")
    if diagram is None:
        left_out("observe", observe, "without a diagram", "Give diagram, too.")
    if diagram is not None:
        figure = _new_figure(6.4, 5.6)
        above, ax = figure.subplots(2, sharex=True, height_ratios=(2.0, 1.0))
        plot_diagram(diagram, observe, ax=above, system=system)
        above.set_xlabel("")
        parameter, system = parameter or diagram.parameter, system_of(diagram, system)
    ax = new_axes(ax, 6.4, 2.6)
    ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    lines = []
    for i, column in enumerate(rates.T):
        lines += ax.plot(
            x, column, color=PALETTE[i % len(PALETTE)], linewidth=1.0, zorder=2,
            linestyle=LINE_STYLES[i % len(LINE_STYLES)], label=rf"$\lambda_{{{i + 1}}}$",
        )  # fmt: skip
    if len(lines) > 1:
        legend_above(ax, lines)
    ax.set_xlabel(axis_text(parameter, unit_of(parameter, system)))
    ax.set_ylabel(r"$\lambda$ / (1/s)" if per == "time" else r"$\lambda$ per impact")
    style_axes(ax)
    if diagram is not None:
        ax.figure.align_ylabels()
    return ax


def plot_basins(
    basins: BasinData,
    x: str | None = None,
    y: str | None = None,
    *,
    at: Mapping[str, float] | None = None,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
    system: System | None = None,
) -> Axes:
    """Plot basins of attraction; see :meth:`BasinMap.plot`."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    known = list(basins.axes)
    if len(known) < 2:
        raise ValueError(f"basins: expected at least two axes, got {', '.join(known) or 'none'}")
    first = (next(n for n in known if n != y)) if x is None else x
    second = (next(n for n in known if n != first)) if y is None else y
    for name in (first, second, *(at or {})):
        if name not in known:
            raise unknown_name("axis", name, known)
    if first == second:
        raise ValueError(f"y: must differ from x, got {second!r} for both")
    for name in {first, second} & set(at or {}):
        raise ValueError(
            f"at: must be left out for {name!r}, which is an axis of the figure, got "
            f"{(at or {})[name]!r}. Name the other axes of the grid in it."
        )
    labels = _cut(basins, first, second, at or {})
    count = int(np.max(basins.labels, initial=-1)) + 1
    texts = [f"attractor {i}" for i in range(count)] if names is None else list(names)
    if len(texts) < count:
        raise ValueError(f"names: expected {count}, one for each attractor, got {len(texts)}")

    system = system_of(basins, system)
    ax = new_axes(ax, 5.2, 4.4)
    edges = []
    for name, write in ((first, ax.set_xlabel), (second, ax.set_ylabel)):
        grid = np.asarray(basins.axes[name], dtype=np.float64)
        unit, factor = scaled(unit_of(name, system), grid)
        write(axis_text(name, unit))
        edges.append(factor * grid)
    colors = [_NO_BASIN, *(_BASINS[i % len(_BASINS)] for i in range(count))]
    ax.pcolormesh(
        *edges, np.maximum(labels, -1).T, shading="nearest", cmap=ListedColormap(colors),
        vmin=-1.5, vmax=count - 0.5, rasterized=True, zorder=0,
    )  # fmt: skip
    handles: list[Any] = [
        Patch(facecolor=colors[i + 1], edgecolor=BLACK, linewidth=0.5, label=texts[i])
        for i in range(count)
        if np.any(labels == i)
    ]
    if np.any(labels < 0):
        handles.append(Patch(facecolor=_NO_BASIN, edgecolor=BLACK, linewidth=0.5, label="none"))
    legend_above(ax, handles)
    return ax


def _dots(ax: Axes, values: Floats, points: Floats, color: str, relative: float) -> None:
    x, y = np.broadcast_arrays(values[:, None], points)
    drawn = np.isfinite(y)
    count = int(drawn.sum())
    ax.plot(
        x[drawn], y[drawn], linestyle="none", marker="o", color=color, markeredgewidth=0.0,
        markersize=relative * dot_size(count), rasterized=count > MANY_DOTS, snap=False, zorder=2,
    )  # fmt: skip


def _cut(basins: BasinData, x: str, y: str, at: Mapping[str, float]) -> NDArray[Any]:
    """Return the labels in the plane of x and y, shape (nx, ny)."""
    index: list[Any] = []
    for name, values in basins.axes.items():
        if name in (x, y):
            index.append(slice(None))
        elif name in at:
            index.append(int(np.argmin(np.abs(np.asarray(values) - at[name]))))
        else:
            index.append(len(values) // 2)
    plane: NDArray[Any] = np.asarray(basins.labels)[tuple(index)]
    order = list(basins.axes)
    return plane if order.index(x) < order.index(y) else plane.T
