"""Shared colours, symbols with units, axes and legends of figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nsmb.common.labels import Labels
from nsmb.pictures.plot import _new_figure, _prefix
from nsmb.pictures.rows import legend_above, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "BLACK",
    "BLUE",
    "FAILED",
    "GREY",
    "LINE_STYLES",
    "MANY_DOTS",
    "ORANGE",
    "PALETTE",
    "axis_text",
    "describe_failure",
    "dot_size",
    "figure_of",
    "legend_above",
    "new_axes",
    "scaled",
    "style_axes",
    "symbol",
    "system_of",
    "unit_of",
]

Floats = NDArray[np.float64]

# After Okabe and Ito, distinguishable with any colour vision. Adjacent elements also differ in
# lightness or shape.
BLACK, GREY = "#000000", "#7F7F7F"
BLUE, ORANGE = "#0072B2", "#E69F00"
PALETTE = (BLACK, "#D55E00", BLUE, "#009E73", "#CC79A7", ORANGE, "#56B4E9", "#F0E442")
LINE_STYLES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
FAILED: dict[str, Any] = {
    "color": BLACK, "marker": "x", "linestyle": "none", "markersize": 4.0,
    "markeredgewidth": 0.9,
}  # fmt: skip
MANY_DOTS = 2000  # above this number, dots are rasterised in vector files to keep them small

_GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu",
    "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta",
    "Lambda", "Xi", "Sigma", "Phi", "Psi", "Omega",
)  # fmt: skip
_VARIANTS = {"phi": "varphi", "epsilon": "varepsilon", "theta": "vartheta"}


class Labelled(Protocol):
    """A system with names and units."""

    @property
    def labels(self) -> Labels: ...


def symbol(name: str) -> str:
    """Return the name of a coordinate, velocity or parameter as a formula symbol.

    ``"phi_S"`` becomes φ with index S, ``"y_dot"`` a y with a dot, ``"e_beak"`` e with an upright
    index. A name that is not a letter with an index is returned unchanged. Matplotlib renders the
    symbols without LaTeX.
    """
    own = name.removeprefix("u:").removesuffix("_dot")
    rate = own != name
    head, _, index = own.partition("_")
    letter = _letter(head)
    if letter is None:
        return f"{own}_dot" if rate else name
    letter = rf"\dot{{{letter}}}" if rate else letter
    return f"${letter}_{{{_index(index)}}}$" if index else f"${letter}$"


def unit_of(name: str, system: Labelled | None) -> str:
    """Return the unit of a state component or a parameter, empty if it has none or is unknown."""
    if system is None:
        return ""
    try:
        return _written(system.labels.unit(name))
    except ValueError:  # an observable given by a user function
        return ""


def system_of(result: object, system: Labelled | None) -> Any:
    """Return `system`, or the system of a result, to find units."""
    return getattr(result, "system", None) if system is None else system


def scaled(unit: str, values: Floats) -> tuple[str, float]:
    """Return the unit with an SI prefix that brings m or m/s to at least one, and the factor."""
    prefix, factor = _prefix("m" if unit == "m/s" else unit, values)
    return prefix + unit, factor


def axis_text(name: str, unit: str) -> str:
    """Return the label of an axis: symbol / unit."""
    if not unit:
        return symbol(name)
    return f"{symbol(name)} / ({unit})" if "/" in unit else f"{symbol(name)} / {unit}"


def new_axes(ax: Axes | None, width: float = 5.2, height: float = 3.8) -> Axes:
    """Return `ax`, or the axes of a new figure of the given size in inches."""
    return _new_figure(width, height).subplots() if ax is None else ax


def figure_of(ax: Axes) -> Figure | SubFigure:
    """Return the figure of `ax`."""
    figure = ax.figure
    assert figure is not None
    return figure


def style_axes(ax: Axes) -> None:
    """Remove the frame above and to the right, and add a light grid."""
    tidy(ax)


def dot_size(count: int) -> float:
    """Return the diameter in points for a number of dots."""
    return float(np.clip(4.5 - np.log10(max(count, 1)), 0.9, 3.5))


def describe_failure(ax: Axes, status: str, good: Sequence[str] = ("finished",)) -> None:
    """Write the status above the axes if it is not good."""
    if status not in good:
        ax.set_title(status.replace("_", " "), loc="left", fontsize="medium")


def _letter(text: str) -> str | None:
    if text in _GREEK:
        return "\\" + _VARIANTS.get(text, text)
    return text if re.fullmatch(r"[A-Za-z]", text) else None


def _index(text: str) -> str:
    return r"\,".join(
        part if part.isdigit() else _letter(part) or rf"\mathrm{{{part}}}"
        for part in text.split("_")
    )


def _written(unit: str) -> str:
    return "" if unit == "-" else unit
