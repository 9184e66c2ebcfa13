"""The motion between two impacts of one contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.events.enums import EventKind
from nsmb.events.event_table import Events

__all__ = ["Cycle", "last_cycle"]


@dataclass(frozen=True, eq=False)
class Cycle:
    """The motion between two impacts of one contact, see `last_cycle`."""

    contact: str
    """Name of the contact."""
    start: int
    """Index of the first impact among all events."""
    end: int
    """Index of the second impact."""
    period: float
    """Time between the two impacts, in s."""
    period_change: float
    """Period minus that of the previous cycle, in s; NaN if there is no previous cycle."""
    displacement: dict[str, float]
    """Change of every coordinate over the cycle, by name."""
    events: Events
    """The events from the first impact to the second, both included."""

    @property
    def impact_loss(self) -> float:
        """Energy lost in impacts over one period, in J, without the first impact of the cycle."""
        return float(self.events.energy_loss[1:].sum())

    @property
    def friction_loss(self) -> float:
        """Energy lost by sliding over one period, in J."""
        return float((self.events.friction_loss[-1] - self.events.friction_loss[0]).sum())

    def to_text(self) -> str:
        """Return period, displacements, losses and a table of events, as text.

        Times in the table count from the start of the cycle."""
        change = self.period_change
        before = "" if np.isnan(change) else f" ({_fixed(change)} s against the cycle before)"
        moved = ", ".join(f"{name} {_fixed(value)}" for name, value in self.displacement.items())
        return (
            f"last cycle, from {self.contact} impact to {self.contact} impact: "
            f"t = {self.events.t[0]:.9f} s to {self.events.t[-1]:.9f} s\n"
            f"period {self.period:.9f} s{before}, {1.0 / self.period:.4f} Hz\n"
            f"displacement (SI units): {moved}\n"
            f"lost: {self.impact_loss:.4e} J by impacts, {self.friction_loss:.4e} J by sliding\n"
            f"{self.events.to_text(t_start=float(self.events.t[0]))}"
        )


def last_cycle(events: Events, contact: str | None = None) -> Cycle:
    """Return the motion between the last two impacts of one contact.

    The result does not prove that the motion is periodic; see `Cycle.period_change`. A cycle with
    two impacts of the contact is split in two.

    Parameters
    ----------
    events : Events
        All events of a run.
    contact : str, optional
        Name of the contact. None: the contact with the largest mean energy loss per impact, among
        those with at least two impacts.

    Returns
    -------
    Cycle
        Several impacts of the contact at the same instant count as one.

    Raises
    ------
    ValueError
        If there is no contact of that name, or no contact with two impacts.
    """
    impact = events.kind == EventKind.IMPACT
    if contact is None:
        share = events.energy_loss / np.maximum(1, events.contacts.sum(axis=1))
        losses = {
            name: float(share[_impacts(events, i)].mean())
            for i, name in enumerate(events.contact_names)
            if _impacts(events, i).size >= 2
        }
        if not losses:
            raise ValueError(
                f"events: expected two impacts of one contact, got {int(impact.sum())} impacts"
            )
        contact = max(losses, key=losses.__getitem__)
    hits = _impacts(events, events._contact(contact))
    if hits.size < 2:
        raise ValueError(f"contact: expected two impacts of {contact!r}, got {hits.size}")
    start, end = int(hits[-2]), int(hits[-1])
    period = float(events.t[end] - events.t[start])
    before = float(events.t[start] - events.t[hits[-3]]) if hits.size > 2 else np.nan
    displacement = (events.q[end] - events.q[start]).tolist()
    return Cycle(
        contact=contact,
        start=start,
        end=end,
        period=period,
        period_change=period - before,
        displacement=dict(zip(events.coordinates, displacement, strict=True)),
        events=events[start : end + 1],
    )


def _impacts(events: Events, contact: int) -> NDArray[np.intp]:
    """Return the rows of the impacts of a contact, the last one at each instant."""
    rows = np.flatnonzero((events.kind == EventKind.IMPACT) & events.contacts[:, contact])
    last = np.append(np.diff(events.t[rows]) > 0.0, True)[: rows.size]
    return np.asarray(rows[last], dtype=np.intp)


def _fixed(value: float) -> str:
    """Format a number with sign and nine decimals; values that round to zero get a plus sign."""
    return f"{round(value, 9) + 0.0:+.9f}"
