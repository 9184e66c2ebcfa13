"""The events of a run.

Events are impacts, changes of contact states, switches of force elements and user-defined events.
Each event has the velocities (``u_minus``, ``u_plus``) and the contact states before and after it.
Impacts also have the impulses ``Lambda_N``, ``Lambda_T`` and the energy loss.
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

from nsmb.common.arguments import nearest, one_of, unknown_name
from nsmb.common.extras import import_extra
from nsmb.common.html import html_table
from nsmb.common.labels import Labels
from nsmb.common.text import text_table
from nsmb.events.energy_table import ROWS_SHOWN, EnergyTable, energy_table
from nsmb.events.enums import ContactState, EventKind

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Event", "Events"]

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

_COLUMNS = (
    "t", "kind", "contacts", "q", "u_minus", "u_plus", "Lambda_N", "Lambda_T", "state_minus",
    "state_plus", "energy_loss", "friction_loss", "x", "elements", "Lambda_NC", "Lambda_TC",
    "compression_loss", "drive_work", "work_N", "work_T", "features", "user",
)  # fmt: skip
_STATES = [state.label for state in ContactState]  # indexed by value


@dataclass(frozen=True, eq=False)
class Event:
    """One event of a run."""

    t: float
    """Time of the event, in s."""
    kind: EventKind
    """Kind of the event."""
    contacts: tuple[str, ...]
    """Names of the contacts at which the event occurred."""
    q: Floats
    """Coordinates, shape (nq,); they are continuous."""
    u_minus: Floats
    """Velocities before the event, shape (nu,)."""
    u_plus: Floats
    """Velocities after the event, shape (nu,)."""
    Lambda_N: Floats
    """Normal impulses, shape (nc,), in N s; zero except in impacts."""
    Lambda_T: Floats
    """Tangential impulses, shape (nt,), in N s; zero except in impacts."""
    state_minus: Bytes
    """Contact states before the event, values of `nsmb.ContactState`, shape (nc,)."""
    state_plus: Bytes
    """Contact states after the event, shape (nc,)."""
    energy_loss: float
    """Energy that the contacts dissipate in the impact, -½ Λᵀ(γ⁻ + γ⁺), or that the effect of a
    user-defined event removes, in J. The kinetic energy decreases by
    ``energy_loss - drive_work``."""
    friction_loss: Floats
    """Energy lost to sliding friction from the start of the run to the event, (nc,), in J."""
    x: Floats
    """Internal states, shape (nx,)."""
    elements: tuple[str, ...]
    """Names of the force elements that switched."""
    Lambda_NC: Floats
    """Normal impulses at the end of compression, shape (nc,), in N s; zero for impact laws with
    one phase."""
    Lambda_TC: Floats
    """Tangential impulses at the end of compression, shape (nt,), in N s."""
    compression_loss: float
    """Part of `energy_loss` up to the end of compression (8.52), in J."""
    drive_work: float
    """Work of moving contact surfaces in the impact, -Λᵀw̃, in J; zero if none moves."""
    work_N: Floats
    """Work of the normal impulses in the relative motion, shape (nc,), in J. The sum of `work_N`
    and `work_T` over the contacts is minus `energy_loss`."""
    work_T: Floats
    """Work of the tangential impulses, shape (nc,), in J."""
    features: NDArray[np.int32]
    """Features in contact, shape (nc, 2), for systems with varying contact points; otherwise shape
    (0, 2)."""
    name: str = ""
    """Name of the `nsmb.When` or `nsmb.At`; empty for other events."""

    def __str__(self) -> str:
        name = (self.name,) if self.name else ()
        places = ", ".join(self.contacts + self.elements + name)
        return f"{self.kind.label} at t = {self.t:.10g} s ({places})"


@dataclass(frozen=True, eq=False, repr=False)
class Events:
    """A table of all or some events of a run, one row per event, in the order of time.

    ``events[3]`` is an `Event`; a slice, a mask or a list of indices returns `Events` again.
    Several rows may have the same time. All arrays are read-only.
    """

    labels: Labels
    """Names and units of the columns."""
    t: Floats
    """Times, shape (m,), in s."""
    kind: Bytes
    """Values of `nsmb.EventKind`, shape (m,); their names are in `kinds`."""
    contacts: NDArray[np.bool_]
    """Mask of the contacts at which each event occurred, shape (m, nc)."""
    q: Floats
    """Coordinates, shape (m, nq)."""
    u_minus: Floats
    """Velocities before the event, shape (m, nu)."""
    u_plus: Floats
    """Velocities after the event, shape (m, nu)."""
    Lambda_N: Floats
    """Normal impulses, shape (m, nc), in N s."""
    Lambda_T: Floats
    """Tangential impulses in the order of `tangent_names`, shape (m, nt), in N s."""
    state_minus: Bytes
    """Contact states before the event, values of `nsmb.ContactState`, shape (m, nc)."""
    state_plus: Bytes
    """Contact states after the event, shape (m, nc)."""
    energy_loss: Floats
    """Energy that the contacts dissipate in the impact, -½ Λᵀ(γ⁻ + γ⁺), or that the effect of a
    user-defined event removes, shape (m,), in J; zero for other events. The kinetic energy
    decreases by ``energy_loss - drive_work``."""
    friction_loss: Floats
    """Energy lost to sliding friction from the start of the run to the event, (m, nc), in J."""
    x: Floats
    """Internal states, shape (m, nx)."""
    elements: NDArray[np.bool_]
    """Mask of the force elements that switched, shape (m, ne)."""
    Lambda_NC: Floats
    """Normal impulses at the end of compression, shape (m, nc), in N s; zero for impact laws with
    one phase."""
    Lambda_TC: Floats
    """Tangential impulses at the end of compression, shape (m, nt), in N s."""
    compression_loss: Floats
    """Part of `energy_loss` up to the end of compression (8.52), shape (m,), in J."""
    drive_work: Floats
    """Work of moving contact surfaces in the impact, -Λᵀw̃, (m,), in J; zero if none moves."""
    work_N: Floats
    """Work of the normal impulses of each contact in the relative motion, shape (m, nc), in J. The
    sum of `work_N` and `work_T` over the contacts is minus `energy_loss` (8.52)."""
    work_T: Floats
    """Work of the tangential impulses of each contact, shape (m, nc), in J."""
    features: NDArray[np.int32]
    """Features in contact, shape (m, nc, 2), for systems with varying contact points; otherwise
    shape (m, 0, 2)."""
    user: NDArray[np.int32]
    """Indices of user-defined events in `user_names`, shape (m,); -1 for other events."""

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            column: NDArray[Any] = getattr(self, name).view()
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    def __reduce__(self) -> tuple[type[Events], tuple[Any, ...]]:
        columns = (getattr(self, name) for name in _COLUMNS)
        return Events, (self.labels, *columns)  # __post_init__ makes the arrays read-only again

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the columns of `q`."""
        return self.labels.coordinates

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the columns of arrays of shape (m, nc): contacts and `nsmb.Friction`."""
        return self.labels.contact_names

    @property
    def tangent_names(self) -> tuple[str, ...]:
        """Names of the columns of `Lambda_T` and `Lambda_TC`."""
        return self.labels.tangent_names

    @property
    def element_names(self) -> tuple[str, ...]:
        """Names of the columns of `elements`."""
        return self.labels.element_names

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the columns of `x`."""
        return self.labels.states

    @property
    def user_names(self) -> tuple[str, ...]:
        """Names of the `nsmb.When` and `nsmb.At` of the run."""
        return self.labels.user_event_names

    @classmethod
    def from_core(cls, labels: Labels, data: Mapping[str, NDArray[Any]]) -> Events:
        """Return the events in the arrays ``event_*`` of the core."""
        return cls(labels, **_columns_of(data))

    @classmethod
    def first_from_core(cls, labels: Labels, data: Mapping[str, NDArray[Any]]) -> Event:
        """Return the first event in the arrays of the core, without building a table."""
        return _event_of(labels, _columns_of(data), 0)

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
        return Events(self.labels, **columns)

    def __iter__(self) -> Iterator[Event]:
        return (self._event(row) for row in range(len(self)))

    def of_kind(self, *kinds: str | EventKind) -> Events:
        """Return the events of the given kinds.

        Parameters
        ----------
        *kinds : {"impact", "touch", "detach", "stick", "slip", "reversal", "switch", \
                "user"} or EventKind
            One or more kinds.

        Raises
        ------
        ValueError
            If a kind is unknown.
        """
        labels = {kind.label: kind for kind in EventKind}
        wanted = []
        for kind in kinds:
            is_kind = isinstance(kind, EventKind)
            wanted.append(int(kind if is_kind else labels[one_of("kind", kind, labels)]))
        return self[np.isin(self.kind, wanted)]

    def at_contact(self, *names: str) -> Events:
        """Return the events at any of the named contacts.

        Raises
        ------
        ValueError
            If there is no contact of that name.
        """
        columns = [self._contact(name) for name in names]
        rows: NDArray[np.bool_] = np.logical_or.reduce(self.contacts[:, columns], axis=1)
        return self[rows]

    def at_element(self, *names: str) -> Events:
        """Return the events at which any of the named force elements switches.

        Raises
        ------
        ValueError
            If there is no force element of that name.
        """
        for name in names:
            if name not in self.element_names:
                known = ", ".join(self.element_names) or "no force elements at all"
                hint = nearest(name, self.element_names)
                raise ValueError(f"force element: expected one of {known}, got {name!r}{hint}")
        columns = [self.element_names.index(name) for name in names]
        rows: NDArray[np.bool_] = np.logical_or.reduce(self.elements[:, columns], axis=1)
        return self[rows]

    def named(self, *names: str) -> Events:
        """Return the user-defined events of `nsmb.When` and `nsmb.At` with the given names.

        Raises
        ------
        ValueError
            If the run has no user-defined event of that name.
        """
        for name in names:
            if name not in self.user_names:
                raise unknown_name("event", name, self.user_names)
        return self[np.isin(self.user, [self.user_names.index(name) for name in names])]

    @property
    def kinds(self) -> list[str]:
        """The kind of each event as a word, such as ``"impact"``."""
        return [EventKind(kind).label for kind in self.kind.tolist()]

    def count(self) -> dict[str, int]:
        """Return the number of events by kind; kinds that do not occur are left out."""
        numbers = np.bincount(self.kind, minlength=len(EventKind)).tolist()
        return {kind.label: n for kind, n in zip(EventKind, numbers, strict=True) if n > 0}

    # ---- tables ------------------------------------------------------------------------------

    def to_text(self, *, t_start: float = 0.0, max_rows: int | None = None) -> str:
        """Return a fixed-width table, without impacts that changed nothing.

        Parameters
        ----------
        t_start : float
            Time that is subtracted from all times, s.
        max_rows : int, optional
            Maximum number of rows, reached by omitting rows in the middle; None: all rows.
        """
        told = self._told()
        return text_table(
            self._header(),
            lambda row: told._cells(row, t_start),
            len(told),
            left=(1, 2, 3),
            max_rows=max_rows,
        )

    def cells(self, max_rows: int | None = None) -> list[tuple[str, ...]]:
        """Return the cells of the table of `to_text`: the header, then one row per event.

        Parameters
        ----------
        max_rows : int, optional
            Number of events from the first; default: all.
        """
        told = self._told()
        shown = len(told) if max_rows is None else min(max_rows, len(told))
        return [self._header(), *(told._cells(row, 0.0) for row in range(shown))]

    def __repr__(self) -> str:
        if len(self) == 0:
            return "Events: none"
        kinds = ", ".join(f"{n} {label}" for label, n in self.count().items())
        return f"Events: {len(self)} ({kinds})\n{self.to_text(max_rows=ROWS_SHOWN)}"

    def _repr_html_(self) -> str:
        told, (title, *_) = self._told(), repr(self).splitlines()
        count = len(told)
        head = count if count <= ROWS_SHOWN else ROWS_SHOWN // 2
        shown = [*range(head), *range(max(head, count - ROWS_SHOWN // 2), count)]
        note = f"{count - len(shown)} more between them" if len(shown) < count else ""
        header = self._header() if count else ()
        return html_table(title, header, (told._cells(row, 0.0) for row in shown), note)

    def _header(self) -> tuple[str, ...]:
        where = "contacts, elements" if self.element_names else "contacts"
        where += ", events" if self.user_names else ""
        return ("t / s", "kind", where, "state", "Λ_N / N s", "loss / J")

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write all columns to a CSV file in UTF-8.

        Numbers have full precision, and contact states are words. Impacts without an impulse and
        without a change of contact state have no row. Names of several contacts or force elements
        of one event are joined by ``+``. Columns that do not apply to the system are left out.
        """
        columns = self._told()._flat_columns()
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the columns of `to_csv`.

        Raises
        ------
        ImportError
            If pandas is not installed. Install it with ``pip install nsmb[data]``.
        """
        pandas = import_extra("pandas", "data")
        frame: pd.DataFrame = pandas.DataFrame(self._told()._flat_columns())
        return frame

    def energy_table(self) -> EnergyTable:
        """Return a table of the energy of the impacts.

        It has the impulses and work of each contact, and the losses in compression and expansion
        (8.52)."""
        return energy_table(self)

    # ---- details -----------------------------------------------------------------------------

    def _told(self) -> Events:
        """Return the events that tables show, without impacts that changed nothing."""
        pushed = (self.Lambda_N != 0.0).any(axis=1) | (self.Lambda_T != 0.0).any(axis=1)
        changed = (self.state_minus != self.state_plus).any(axis=1)
        idle = (self.kind == EventKind.IMPACT) & ~pushed & ~changed
        return self[~idle] if idle.any() else self

    def _contact(self, name: str) -> int:
        if name not in self.contact_names:
            known = ", ".join(self.contact_names) or "no contacts at all"
            hint = nearest(name, self.contact_names)
            raise ValueError(f"contact: expected one of {known}, got {name!r}{hint}")
        return self.contact_names.index(name)

    def _names(self, row: int) -> tuple[str, ...]:
        return _chosen(self.contact_names, self.contacts[row])

    def _switched(self, row: int) -> tuple[str, ...]:
        return _chosen(self.element_names, self.elements[row])

    def _name(self, row: int) -> str:
        return self.user_names[self.user[row]] if self.user[row] >= 0 else ""

    def _event(self, row: int) -> Event:
        if not -len(self) <= row < len(self):
            raise IndexError(f"index: expected a row of {len(self)} events, got {row}")
        return _event_of(self.labels, {name: getattr(self, name) for name in _COLUMNS}, row)

    def _cells(self, row: int, t_start: float) -> tuple[str, ...]:
        before, after = self.state_minus[row], self.state_plus[row]
        changes = [
            f"{self.contact_names[i]}: {_STATES[before[i]]} → {_STATES[after[i]]}"
            for i in np.flatnonzero(before != after)
        ]
        impact = self.kind[row] == EventKind.IMPACT
        impulses = self.Lambda_N[row][self.contacts[row]] if impact else []
        name = (self._name(row),) if self.user[row] >= 0 else ()
        told = impact or (name and self.energy_loss[row] != 0.0)
        return (
            f"{self.t[row] - t_start:.9f}",
            EventKind(int(self.kind[row])).label,
            " + ".join(self._names(row) + self._switched(row) + name),
            ", ".join(changes),
            " + ".join(f"{impulse:.4e}" for impulse in impulses),
            f"{self.energy_loss[row]:.4e}" if told else "",
        )

    def _flat_columns(self) -> dict[str, list[Any]]:
        velocities = self.labels.velocities
        columns: dict[str, list[Any]] = {"t": self.t.tolist(), "kind": self.kinds}
        columns["contacts"] = ["+".join(self._names(row)) for row in range(len(self))]
        if self.element_names:
            columns["elements"] = ["+".join(self._switched(row)) for row in range(len(self))]
        if self.user_names:
            columns["event"] = [self._name(row) for row in range(len(self))]
        columns |= _split(self.q, self.coordinates)
        columns |= _split(self.u_minus, [f"{name}_minus" for name in velocities])
        columns |= _split(self.u_plus, [f"{name}_plus" for name in velocities])
        columns |= _split(self.x, self.states)
        for name in ("Lambda_N", "Lambda_T", "Lambda_NC", "Lambda_TC"):
            names = self.tangent_names if "T" in name else self.contact_names
            columns |= _split(getattr(self, name), [f"{name}[{c}]" for c in names])
        for name in ("state_minus", "state_plus"):
            numbers = _split(getattr(self, name), [f"{name}[{c}]" for c in self.contact_names])
            columns |= {key: [_STATES[s] for s in col] for key, col in numbers.items()}
        columns["energy_loss"] = self.energy_loss.tolist()
        columns["compression_loss"] = self.compression_loss.tolist()
        columns["drive_work"] = self.drive_work.tolist()
        for name in ("work_N", "work_T", "friction_loss"):
            columns |= _split(getattr(self, name), [f"{name}[{c}]" for c in self.contact_names])
        return columns


def _split(table: NDArray[Any], names: Sequence[str]) -> dict[str, list[Any]]:
    return dict(zip(names, table.T.tolist(), strict=True))


def _columns_of(data: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the columns of a table from the arrays of the core."""
    columns = {name: data[f"event_{name}"] for name in _COLUMNS if name != "user"}
    user = data.get("event_user")  # missing for runs without user-defined events
    columns["user"] = np.full(data["event_t"].shape, -1, np.int32) if user is None else user
    columns["contacts"] = columns["contacts"].astype(np.bool_)
    columns["elements"] = columns["elements"].astype(np.bool_)
    features = columns["features"]
    columns["features"] = features.reshape(len(features), features.shape[1] // 2, 2)
    return columns


def _event_of(labels: Labels, columns: Mapping[str, NDArray[Any]], row: int) -> Event:
    """Return one row of a table."""
    values = {name: columns[name][row] for name in _COLUMNS[3:-1]}
    user = int(columns["user"][row])
    return Event(
        t=float(columns["t"][row]),
        kind=EventKind(int(columns["kind"][row])),
        contacts=_chosen(labels.contact_names, columns["contacts"][row]),
        **values
        | {
            "energy_loss": float(values["energy_loss"]),
            "compression_loss": float(values["compression_loss"]),
            "drive_work": float(values["drive_work"]),
            "elements": _chosen(labels.element_names, columns["elements"][row]),
            "name": labels.user_event_names[user] if user >= 0 else "",
        },
    )


def _chosen(names: Sequence[str], marks: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the names that are marked."""
    return tuple(name for name, is_marked in zip(names, marks.tolist(), strict=True) if is_marked)
