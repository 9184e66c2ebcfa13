"""Figures for the pages in this folder."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from IPython.display import SVG
from matplotlib.figure import Figure
from stored import RUNS, exponent, follow

STYLE = {
    "axes.grid": True,
    "grid.alpha": 0.3,
    "font.size": 10,
    "legend.fontsize": 8,
    "svg.hashsalt": "nsmb",  # the same numbers, the same file
}
MARKERS = "osv^D<>*Ph" * 2

Curve = tuple[Sequence[float], Sequence[float]]


def drawn(figure: Figure) -> SVG:
    """Return the figure as SVG, with the legend below the axes."""
    axes = figure.axes[0]
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=2, frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return SVG(buffer.getvalue())


@mpl.rc_context(STYLE)
def growth(curves: Mapping[str, Curve], size: str, value: str, start: float = 10.0) -> SVG:
    """Return a log-log plot of curves over the size, with fitted exponents in the legend."""
    figure = Figure(figsize=(7.0, 4.8), layout="constrained")
    axes = figure.subplots()
    for (name, (n, values)), marker in zip(curves.items(), MARKERS, strict=False):
        power = f", n^{exponent(n, values, start):.1f}" if len(n) > 1 else ""
        axes.loglog(n, values, marker=marker, markersize=4, label=name + power)
    axes.set(xlabel=size, ylabel=value)
    return drawn(figure)


@mpl.rc_context(STYLE)
def ratios(curves: Mapping[str, Curve], size: str) -> SVG:
    """Return a log-log plot of the speed-up over a peer by size, with a line at equal times."""
    figure = Figure(figsize=(7.0, 4.8), layout="constrained")
    axes = figure.subplots()
    for (name, (n, values)), marker in zip(curves.items(), MARKERS, strict=False):
        axes.loglog(n, values, marker=marker, markersize=4, label=name)
    axes.axhline(1.0, color="black", linewidth=1.0)
    axes.set(xlabel=size, ylabel="times faster")
    return drawn(figure)


@mpl.rc_context(STYLE)
def history(series: Mapping[str, Sequence[Any]]) -> SVG:
    """Return a plot of values of all stored runs over their dates, relative to the first value."""
    figure = Figure(figsize=(7.0, 4.8), layout="constrained")
    axes = figure.subplots()
    for (name, path), marker in zip(series.items(), MARKERS, strict=False):
        points = [(run["date"], follow(run, path)) for run in RUNS]
        points = [(date, value) for date, value in points if value]
        if points:
            dates, values = zip(*points, strict=True)
            shares = [value / values[0] for value in values]
            axes.semilogy(dates, shares, marker=marker, markersize=5, label=name)
    axes.set(xlabel="date of the run", ylabel="share of the first run that has it")
    return drawn(figure)
