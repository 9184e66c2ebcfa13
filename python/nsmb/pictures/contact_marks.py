"""Shared parts of figures: lines along forces of contacts without names, and the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nsmb.events.enums import ContactState
from nsmb.pictures.framing import View, half_lines
from nsmb.pictures.instant import FoundForces
from nsmb.pictures.rows import STATES, force_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nsmb.pictures.subjects import Subject

__all__ = ["Chains", "contact_legend"]

_EDGE = "#333333"


class Chains:
    """Lines through contacts along their forces.

    Parameters
    ----------
    ax : Axes
    view : View
        View of the figure.
    scale : float or None
        N per metre of line; None for no lines.
    unit : float
        Unit of the axes per metre.
    """

    def __init__(self, ax: Axes, view: View, scale: float | None, unit: float) -> None:
        self._ax, self._view, self._scale, self._unit = ax, view, scale, unit
        self._lines: Any = None

    def show(self, found: FoundForces) -> None:
        """Update the lines to an instant."""
        from matplotlib.collections import LineCollection

        if self._scale is None:
            return
        if self._lines is None:
            self._lines = self._ax.add_collection(LineCollection([], linewidths=1.6, zorder=5))
        plane = self._view.plane
        middle = plane.of(found.point)
        half = plane.of(half_lines(found, self._scale, self._view.size))
        self._lines.set_segments(self._unit * np.stack([middle - half, middle + half], axis=1))
        self._lines.set_color([force_color(state) for state in found.state.tolist()])


def contact_legend(
    ax: Axes, system: Subject, scale: float | None, unit: float, prefix: str
) -> None:
    """Add a legend of contact states and the force scale; without contacts there is no legend."""
    from matplotlib.lines import Line2D

    finds = system._core.finds_contacts
    if system.nc == 0 and not finds:
        return
    planar = any(contact.tangents == 1 for contact in system.contacts)
    spatial = any(contact.tangents == 2 for contact in system.contacts)
    states = [ContactState.STICK]
    states += [ContactState.SLIP_POSITIVE, ContactState.SLIP_NEGATIVE] * planar
    states += [ContactState.SLIP] * (spatial or finds)
    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgecolor": _EDGE}
    entries = [(state.label, STATES[state][0]) for state in states]
    entries.append(("leaves", force_color(ContactState.OPEN)) if finds else ("touching", "white"))
    handles = [Line2D([], [], color=c, label=label, **dot) for label, c in entries]
    title = "contacts"
    if scale is not None:
        title += f"\n{'lines' if finds else 'arrows'}: {_number(scale / unit)} N/{prefix}m"
    ax.legend(
        handles=handles, title=title, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False,
        fontsize="small", title_fontsize="small", borderaxespad=0.0, handlelength=1.0,
        alignment="left",
    )  # fmt: skip


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".") if 1e-4 <= value < 1e4 else f"{value:g}"
