"""The events of a run: impacts, and every change of a contact state.

An event has two sides: the velocity before and after it (``u_minus``, ``u_plus``), the contact
states before and after it, and, for impacts, the impulses ``Lambda_N``, ``Lambda_T`` and the energy
lost.
"""

from __future__ import annotations

import csv
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from nsmb.enums import ContactState, EventKind

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cycle", "Event", "Events", "last_cycle"]

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

_COLUMNS = (
    "t", "kind", "contacts", "q", "u_minus", "u_plus", "Lambda_N", "Lambda_T", "state_minus",
    "state_plus", "energy_loss", "friction_loss", "x", "elements", "Lambda_NC", "Lambda_TC",
    "compression_loss", "work_N", "work_T",
)  # fmt: skip
_STATES = [state.label for state in ContactState]  # by value
_SHOWN = 20  # rows of a table in repr()


@dataclass(frozen=True, eq=False)
class Event:
    """One event."""

    t: float
    """s"""
    kind: EventKind
    """What happened."""
    contacts: tuple[str, ...]
    """Names of the contacts it happened at."""
    q: Floats
    """(nq,) coordinates; they do not jump."""
    u_minus: Floats
    """(nu,) velocities before."""
    u_plus: Floats
    """(nu,) velocities after."""
    Lambda_N: Floats
    """(nc,) N s, normal impulses; zero unless an impact."""
    Lambda_T: Floats
    """(nc,) N s, tangential impulses; zero unless an impact."""
    state_minus: Bytes
    """(nc,) contact states before, values of `nsmb.ContactState`."""
    state_plus: Bytes
    """(nc,) contact states after."""
    energy_loss: float
    """J, kinetic energy lost in the impact."""
    friction_loss: Floats
    """(nc,) J, work lost to sliding friction from the start of the run to the event."""
    x: Floats
    """(nx,) internal states."""
    elements: tuple[str, ...]
    """Names of the force elements that switched."""
    Lambda_NC: Floats
    """(nc,) N s, normal impulses at the end of compression."""
    Lambda_TC: Floats
    """(nt,) N s, tangential impulses at the end of compression."""
    compression_loss: float
    """J, kinetic energy lost until the end of compression (8.52)."""
    work_N: Floats
    """(nc,) J, work of the normal impulses; with `work_T` it adds to minus `energy_loss`."""
    work_T: Floats
    """(nc,) J, work of the tangential impulses."""

    def __str__(self) -> str:
        places = ", ".join(self.contacts + self.elements)
        return f"{self.kind.label} at t = {self.t:.10g} s ({places})"


@dataclass(frozen=True, eq=False, repr=False)
class Events:
    """All events of a run, or some of them: one row per event, in the order of time.

    ``events[3]`` is an `Event`; a slice, a mask or a list of indices gives `Events` again.
    Several rows may have the same time. All arrays are read-only.
    """

    coordinates: tuple[str, ...]
    """Names of the columns of `q`."""
    contact_names: tuple[str, ...]
    """Names of the columns of everything of shape (m, nc)."""
    t: Floats
    """(m,) s"""
    kind: Bytes
    """(m,) values of `nsmb.EventKind`; `kinds` has the words."""
    contacts: NDArray[np.bool_]
    """(m, nc) whether the event happened at the contact."""
    q: Floats
    """(m, nq)"""
    u_minus: Floats
    """(m, nu) velocities before."""
    u_plus: Floats
    """(m, nu) velocities after."""
    Lambda_N: Floats
    """(m, nc) N s"""
    Lambda_T: Floats
    """(m, nc) N s"""
    state_minus: Bytes
    """(m, nc) contact states before, values of `nsmb.ContactState`."""
    state_plus: Bytes
    """(m, nc) contact states after."""
    energy_loss: Floats
    """(m,) J, kinetic energy lost in the impact; zero for other events."""
    friction_loss: Floats
    """(m, nc) J, work lost to sliding friction from the start of the run to the event."""
    x: Floats
    """(m, nx) internal states."""
    elements: NDArray[np.bool_]
    """(m, ne) whether the force element switched."""
    Lambda_NC: Floats
    """(m, nc) N s, normal impulses at the end of compression."""
    Lambda_TC: Floats
    """(m, nt) N s, tangential impulses at the end of compression."""
    compression_loss: Floats
    """(m,) J, kinetic energy lost until the end of compression (8.52)."""
    work_N: Floats
    """(m, nc) J, work of the normal impulses of each contact; with `work_T` it adds to minus
    `energy_loss`, (8.52) contact by contact."""
    work_T: Floats
    """(m, nc) J, work of the tangential impulses of each contact."""
    tangent_names: tuple[str, ...] = ()
    """Names of the columns of `Lambda_T`."""
    element_names: tuple[str, ...] = ()
    """Names of the columns of `elements`."""

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            column: NDArray[Any] = getattr(self, name).view()
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    def __reduce__(self) -> tuple[type[Events], tuple[Any, ...]]:
        columns = (getattr(self, name) for name in _COLUMNS)
        names = (self.tangent_names, self.element_names)
        return Events, (self.coordinates, self.contact_names, *columns, *names)  # read-only again

    @classmethod
    def from_core(
        cls,
        coordinates: Sequence[str],
        contact_names: Sequence[str],
        data: Mapping[str, NDArray[Any]],
        tangent_names: Sequence[str] | None = None,
        element_names: Sequence[str] = (),
    ) -> Events:
        """The events in the arrays ``event_*`` that the core hands over."""
        columns = {name: data[f"event_{name}"] for name in _COLUMNS}
        columns["contacts"] = columns["contacts"].astype(np.bool_)
        columns["elements"] = columns["elements"].astype(np.bool_)
        tangents = contact_names if tangent_names is None else tangent_names
        return cls(
            tuple(coordinates),
            tuple(contact_names),
            **columns,
            tangent_names=tuple(tangents),
            element_names=tuple(element_names),
        )

    # ---- selection ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self.t.size)

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> Event: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> Events: ...
    def __getitem__(
        self, index: int | np.integer[Any] | slice | Sequence[int] | NDArray[Any]
    ) -> Event | Events:
        if isinstance(index, int | np.integer):
            return self._event(operator.index(index))
        rows = index if isinstance(index, slice) else np.asarray(index)
        if isinstance(rows, np.ndarray) and rows.size == 0 and rows.dtype != np.bool_:
            rows = rows.astype(np.intp)
        columns = {name: getattr(self, name)[rows] for name in _COLUMNS}
        return Events(
            self.coordinates,
            self.contact_names,
            **columns,
            tangent_names=self.tangent_names,
            element_names=self.element_names,
        )

    def __iter__(self) -> Iterator[Event]:
        return (self._event(row) for row in range(len(self)))

    def of_kind(self, *kinds: str | EventKind) -> Events:
        """The events of the given kinds.

        Parameters
        ----------
        *kinds : {"impact", "touch", "detach", "stick", "slip", "reversal", "switch"} or EventKind
            One or more.

        Raises
        ------
        ValueError
            If a kind is not known.
        """
        labels = {kind.label: kind for kind in EventKind}
        wanted = []
        for kind in kinds:
            if not isinstance(kind, EventKind) and kind not in labels:
                raise ValueError(f"kind: expected one of {', '.join(labels)}, got {kind!r}")
            wanted.append(int(kind if isinstance(kind, EventKind) else labels[kind]))
        return self[np.isin(self.kind, wanted)]

    def at_contact(self, *names: str) -> Events:
        """The events at any of the named contacts.

        Raises
        ------
        ValueError
            If there is no contact of that name.
        """
        columns = [self._contact(name) for name in names]
        rows: NDArray[np.bool_] = np.logical_or.reduce(self.contacts[:, columns], axis=1)
        return self[rows]

    @property
    def kinds(self) -> list[str]:
        """One word per event, as ``"impact"``."""
        return [EventKind(kind).label for kind in self.kind.tolist()]

    def count(self) -> dict[str, int]:
        """Number of events by kind; kinds that do not occur are left out."""
        numbers = np.bincount(self.kind, minlength=len(EventKind)).tolist()
        return {kind.label: n for kind, n in zip(EventKind, numbers, strict=True) if n > 0}

    # ---- tables ------------------------------------------------------------------------------

    def to_text(self, *, t_start: float = 0.0, max_rows: int | None = None) -> str:
        """A fixed-width table.

        Parameters
        ----------
        t_start : float
            s, subtracted from all times.
        max_rows : int, optional
            Longer tables lose rows in the middle; None: all rows.
        """
        header = ("t / s", "kind", "contacts", "state", "Λ_N / N s", "loss / J")
        rows = list(range(len(self)))
        left_out = 0 if max_rows is None else max(0, len(rows) - max_rows)
        head = len(rows) if left_out == 0 else (len(rows) - left_out) // 2
        shown = rows[:head] + rows[head + left_out :]
        table = [header, *(self._cells(row, t_start) for row in shown)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        right = (True, False, False, False, True, True)
        lines = [
            "  ".join(
                cell.rjust(width) if to_right else cell.ljust(width)
                for cell, width, to_right in zip(cells, widths, right, strict=True)
            ).rstrip()
            for cells in table
        ]
        lines.insert(1, "  ".join("─" * width for width in widths))
        if left_out:
            lines.insert(2 + head, f"… {left_out} more …".rjust(widths[0]))
        return "\n".join(lines)

    def __repr__(self) -> str:
        if len(self) == 0:
            return "Events: none"
        kinds = ", ".join(f"{n} {label}" for label, n in self.count().items())
        return f"Events: {len(self)} ({kinds})\n{self.to_text(max_rows=_SHOWN)}"

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write all columns; numbers in full precision, contact states as words, UTF-8."""
        columns = self._flat_columns()
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))

    def to_dataframe(self) -> pd.DataFrame:
        """A pandas DataFrame with the columns of `to_csv`.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
        """
        pandas = import_extra("pandas", "data")
        frame: pd.DataFrame = pandas.DataFrame(self._flat_columns())
        return frame

    # ---- details -----------------------------------------------------------------------------

    def _contact(self, name: str) -> int:
        if name not in self.contact_names:
            known = ", ".join(self.contact_names) or "no contacts at all"
            raise ValueError(f"contact: expected one of {known}, got {name!r}")
        return self.contact_names.index(name)

    def _names(self, row: int) -> tuple[str, ...]:
        return tuple(self.contact_names[i] for i in np.flatnonzero(self.contacts[row]))

    def _switched(self, row: int) -> tuple[str, ...]:
        return tuple(self.element_names[i] for i in np.flatnonzero(self.elements[row]))

    def _event(self, row: int) -> Event:
        if not -len(self) <= row < len(self):
            raise IndexError(f"index: expected a row of {len(self)} events, got {row}")
        values = {name: getattr(self, name)[row] for name in _COLUMNS[3:]}
        return Event(
            t=float(self.t[row]),
            kind=EventKind(int(self.kind[row])),
            contacts=self._names(row),
            **values
            | {
                "energy_loss": float(values["energy_loss"]),
                "compression_loss": float(values["compression_loss"]),
                "elements": self._switched(row),
            },
        )

    def _cells(self, row: int, t_start: float) -> tuple[str, ...]:
        before, after = self.state_minus[row], self.state_plus[row]
        changes = [
            f"{self.contact_names[i]}: {_STATES[before[i]]} → {_STATES[after[i]]}"
            for i in np.flatnonzero(before != after)
        ]
        impact = self.kind[row] == EventKind.IMPACT
        impulses = self.Lambda_N[row][self.contacts[row]] if impact else []
        return (
            f"{self.t[row] - t_start:.9f}",
            EventKind(int(self.kind[row])).label,
            " + ".join(self._names(row) + self._switched(row)),
            ", ".join(changes),
            " + ".join(f"{impulse:.4e}" for impulse in impulses),
            f"{self.energy_loss[row]:.4e}" if impact else "",
        )

    def _flat_columns(self) -> dict[str, list[Any]]:
        velocities = velocity_names(self.coordinates, self.u_minus.shape[1])
        columns: dict[str, list[Any]] = {"t": self.t.tolist(), "kind": self.kinds}
        columns["contacts"] = ["+".join(self._names(row)) for row in range(len(self))]
        columns |= _split(self.q, self.coordinates)
        columns |= _split(self.u_minus, [f"{name}_minus" for name in velocities])
        columns |= _split(self.u_plus, [f"{name}_plus" for name in velocities])
        columns |= _split(self.Lambda_N, [f"Lambda_N[{c}]" for c in self.contact_names])
        columns |= _split(self.Lambda_T, [f"Lambda_T[{c}]" for c in self.tangent_names])
        for name in ("state_minus", "state_plus"):
            numbers = _split(getattr(self, name), [f"{name}[{c}]" for c in self.contact_names])
            columns |= {key: [_STATES[s] for s in col] for key, col in numbers.items()}
        columns["energy_loss"] = self.energy_loss.tolist()
        return columns | _split(
            self.friction_loss, [f"friction_loss[{c}]" for c in self.contact_names]
        )


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
    """s, time between them."""
    period_change: float
    """s, the period minus that of the cycle before; NaN when there is none."""
    displacement: dict[str, float]
    """Change of every coordinate over the cycle, by name."""
    events: Events
    """From the first impact to the second, both included."""

    @property
    def impact_loss(self) -> float:
        """J, energy lost in impacts in one period; the first impact belongs to the cycle before."""
        return float(self.events.energy_loss[1:].sum())

    @property
    def friction_loss(self) -> float:
        """J, energy lost by sliding over one period."""
        return float((self.events.friction_loss[-1] - self.events.friction_loss[0]).sum())

    def to_text(self) -> str:
        """Period, displacements, losses, and the table of the events with time from the start."""
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
    """The motion between the last two impacts of one contact.

    A reading aid, no proof of periodicity: whether the motion repeats is for the reader to judge,
    `Cycle.period_change` helps. A cycle in which the contact hits twice is cut in two.

    Parameters
    ----------
    events : Events
        All events of a run.
    contact : str, optional
        Name of the contact. None: of those that hit at least twice, the one with the largest mean
        loss of energy per impact.

    Returns
    -------
    Cycle
        Impacts of the contact at one and the same instant count as one.

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
    """Rows of the impacts of a contact, the last one of each instant."""
    rows = np.flatnonzero((events.kind == EventKind.IMPACT) & events.contacts[:, contact])
    last = np.append(np.diff(events.t[rows]) > 0.0, True)[: rows.size]
    return np.asarray(rows[last], dtype=np.intp)


def velocity_names(coordinates: Sequence[str], nu: int) -> list[str]:
    """``y_dot`` for every coordinate ``y``; ``u_0``, ``u_1``, ... when there are not as many."""
    if nu == len(coordinates):
        return [f"{name}_dot" for name in coordinates]
    return [f"u_{i}" for i in range(nu)]


def import_extra(module: str, extra: str) -> Any:
    """Import an optional dependency, or raise ImportError naming the extra that brings it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{package} is not installed: pip install nsmb[{extra}]") from error


def _fixed(value: float) -> str:
    """With sign and nine decimals, as times are written; rounding errors have no sign."""
    return f"{round(value, 9) + 0.0:+.9f}"


def _split(table: NDArray[Any], names: Sequence[str]) -> dict[str, list[Any]]:
    return dict(zip(names, table.T.tolist(), strict=True))
