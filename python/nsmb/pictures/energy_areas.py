"""Figure of the energy balance of a run: stored and dissipated energies over time.

Matplotlib is imported when a figure is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nsmb.pictures.plot_style import BLACK, legend_above, new_axes, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Energies", "energy_shares", "plot_energy"]

Floats = NDArray[np.float64]

# Recoverable energies have cold colours, losses warm ones.
_COLORS = {
    "kinetic": "#56B4E9",
    "potential": "#0072B2",
    "elements": "#009E73",
    "friction loss": "#E69F00",
    "impact loss": "#D55E00",
    "element loss": "#CC79A7",
    "work taken": "#999999",
}
_SMALLEST = 1e-3  # smallest visible share, relative to the supplied energy


class Energies(Protocol):
    """The values of a balance that the figure needs; see `nsmb.results.EnergyBalance`."""

    @property
    def t(self) -> Floats: ...
    @property
    def kinetic(self) -> Floats: ...
    @property
    def potential(self) -> Floats: ...
    @property
    def elements(self) -> Floats: ...
    @property
    def friction_loss(self) -> Floats: ...
    @property
    def impact_loss(self) -> Floats: ...
    @property
    def element_loss(self) -> Floats: ...
    @property
    def work(self) -> Floats: ...
    @property
    def drive_work(self) -> Floats: ...


def energy_shares(energy: Energies) -> tuple[dict[str, Floats], Floats]:
    """Return nonnegative shares (n,) in J, and their sum, the supplied energy.

    The potential energy is measured from its lowest value in the run. Positive total work of forces
    and drives counts as supplied energy. Negative total work is a separate share.
    """
    potential = np.nan_to_num(energy.potential)
    shares = {
        "kinetic": energy.kinetic,
        "potential": potential - potential.min(initial=np.inf if potential.size else 0.0),
        "elements": energy.elements,
    }
    supplied = np.zeros(energy.t.size) + sum(values[:1].sum() for values in shares.values())
    taken = {
        "friction loss": energy.friction_loss,
        "impact loss": energy.impact_loss - energy.impact_loss[:1],  # the first sample is after it
        "element loss": energy.element_loss,
        "work taken": -energy.work - (energy.drive_work - energy.drive_work[:1]),
    }
    for name, values in taken.items():
        shares[name] = np.maximum(values, 0.0)
        supplied += np.maximum(-values, 0.0)
    return shares, supplied


def plot_energy(energy: Energies, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Plot the shares of the energy as areas over time, see `EnergyBalance.plot`."""
    shares, supplied = energy_shares(energy)
    visible = {
        name: values
        for name, values in shares.items()
        if values.max(initial=0.0) > _SMALLEST * supplied.max(initial=0.0)
    }
    ax = new_axes(ax, 7.2, 3.6)
    handles: list[Any] = []
    floor = np.zeros(energy.t.size)
    for name, values in visible.items():
        label = f"{name}, {values[-1]:.3g} J"
        area = ax.fill_between(
            energy.t, floor, floor + values, color=_COLORS[name], linewidth=0.0, label=label
        )
        floor = floor + values
        handles.append(area)
    total = f"supplied, {supplied[-1:].sum():.3g} J"
    handles += ax.plot(energy.t, supplied, color=BLACK, linewidth=1.2, label=total)
    legend_above(ax, handles)
    ax.set_xlabel("t / s")
    ax.set_ylabel("energy / J")
    if energy.t.size and energy.t[0] < energy.t[-1]:
        ax.set_xlim(float(energy.t[0]), float(energy.t[-1]))
    ax.set_ylim(0.0, None)
    style_axes(ax)
    if title:
        ax.set_title(title, loc="left", fontsize="medium", fontweight="bold")
    return ax
