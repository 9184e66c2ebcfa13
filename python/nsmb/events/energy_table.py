"""A table of the energy of impacts, by contact and by phase (compression and expansion)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.common.text import text_table
from nsmb.events.enums import EventKind

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ROWS_SHOWN", "EnergyTable", "energy_table"]

Floats = NDArray[np.float64]
ROWS_SHOWN = 20  # maximum number of rows of a table in repr()


class _Events(Protocol):
    """The attributes of `nsmb.results.Events` that the table uses."""

    @property
    def contact_names(self) -> tuple[str, ...]: ...
    @property
    def tangent_names(self) -> tuple[str, ...]: ...
    @property
    def t(self) -> Floats: ...
    @property
    def kind(self) -> NDArray[np.int8]: ...
    @property
    def Lambda_N(self) -> Floats: ...
    @property
    def Lambda_T(self) -> Floats: ...
    @property
    def Lambda_NC(self) -> Floats: ...
    @property
    def Lambda_TC(self) -> Floats: ...
    @property
    def work_N(self) -> Floats: ...
    @property
    def work_T(self) -> Floats: ...
    @property
    def energy_loss(self) -> Floats: ...
    @property
    def compression_loss(self) -> Floats: ...


@dataclass(frozen=True, eq=False, repr=False)
class EnergyTable:
    """Impulses and energies of impacts, one row for each contact with an impulse in each impact.

    The sum of ``work_N + work_T`` over the rows of one impact equals minus its `energy_loss`. The
    losses are those of the whole impact and are the same in all its rows. Both phases transfer
    energy between contacts, so that only the sum over the contacts is a loss (8.52).

    Source: Pfeiffer & Glocker, section 8.4.
    """

    event: NDArray[np.intp]
    """Index of the impact among the events from which the table was built, shape (k,)."""
    t: Floats
    """Times of the impacts, shape (k,), in s."""
    contact: tuple[str, ...]
    """Names of the contacts, length k."""
    Lambda_N: Floats
    """Normal impulse, shape (k,), in N s."""
    Lambda_T: Floats
    """Tangential impulse, shape (k, d), in N s. With d = 2, some contact has two tangential
    directions, and the second column is 0 for contacts with one."""
    work_N: Floats
    """Work of the normal impulse, shape (k,), in J."""
    work_T: Floats
    """Work of the tangential impulse, shape (k,), in J."""
    energy_loss: Floats
    """Energy that the contacts dissipate in the impact, shape (k,), in J."""
    compression_loss: Floats
    """Part of `energy_loss` up to the end of compression, shape (k,), in J; NaN for impact laws
    with one phase."""
    expansion_loss: Floats
    """Part of `energy_loss` in expansion, shape (k,), in J, negative if stored energy is returned;
    NaN for impact laws with one phase."""

    def __len__(self) -> int:
        return int(self.t.size)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the attributes as columns.

        Two tangential directions have the columns ``Lambda_T.1`` and ``Lambda_T.2``.

        Raises
        ------
        ImportError
            If pandas is not installed. Install it with ``pip install nsmb[data]``.
        """
        pandas = import_extra("pandas", "data")
        columns: dict[str, Any] = {
            "event": self.event,
            "t": self.t,
            "contact": list(self.contact),
            "Lambda_N": self.Lambda_N,
        }
        d = self.Lambda_T.shape[1]
        columns |= {
            "Lambda_T" if d == 1 else f"Lambda_T.{k + 1}": self.Lambda_T[:, k] for k in range(d)
        }
        for name in ("work_N", "work_T", "energy_loss", "compression_loss", "expansion_loss"):
            columns[name] = getattr(self, name)
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def to_text(self, *, max_rows: int | None = None) -> str:
        """Return a fixed-width table with the losses in the first row of each impact.

        Parameters
        ----------
        max_rows : int, optional
            Maximum number of rows, reached by omitting rows in the middle; None: all rows.
        """
        d = self.Lambda_T.shape[1]
        header = (
            "t / s", "contact", "Λ_N / N s",
            *(["Λ_T / N s"] if d == 1 else ["Λ_T1 / N s", "Λ_T2 / N s"]),
            "work_N / J", "work_T / J", "loss / J", "compression", "expansion",
        )  # fmt: skip
        first = np.diff(self.event, prepend=-1) != 0
        losses = (self.energy_loss, self.compression_loss, self.expansion_loss)

        def cells(k: int) -> tuple[str, ...]:
            return (
                f"{self.t[k]:.9f}" if first[k] else "",
                self.contact[k],
                f"{self.Lambda_N[k]:.4e}",
                *(f"{value:.4e}" for value in self.Lambda_T[k]),
                f"{self.work_N[k]:.4e}",
                f"{self.work_T[k]:.4e}",
                *(_number(loss[k]) if first[k] else "" for loss in losses),
            )

        return text_table(header, cells, len(self), left=(1,), max_rows=max_rows)

    def __repr__(self) -> str:
        impacts = np.unique(self.event).size
        head = f"EnergyTable: {impacts} impacts"
        return head if impacts == 0 else f"{head}\n{self.to_text(max_rows=ROWS_SHOWN)}"


def energy_table(events: _Events) -> EnergyTable:
    """Return the table of the impacts among `events`; see `Events.energy_table`."""
    impact = events.kind == EventKind.IMPACT
    tangents = _tangents(events)
    d = max((columns.size for columns in tangents), default=1)
    Lambda_T = np.zeros((events.t.size, len(tangents), d))
    for i, columns in enumerate(tangents):
        Lambda_T[:, i, : columns.size] = events.Lambda_T[:, columns]
    pushed = (events.Lambda_N != 0.0) | (Lambda_T != 0.0).any(axis=2)
    event, contact = np.nonzero(pushed & impact[:, None])
    one_phase = ~((events.Lambda_NC != 0.0).any(axis=1) | (events.Lambda_TC != 0.0).any(axis=1))
    compression = np.where(one_phase, np.nan, events.compression_loss)
    return EnergyTable(
        event=event,
        t=events.t[event],
        contact=tuple(events.contact_names[i] for i in contact),
        Lambda_N=events.Lambda_N[event, contact],
        Lambda_T=Lambda_T[event, contact],
        work_N=events.work_N[event, contact],
        work_T=events.work_T[event, contact],
        energy_loss=events.energy_loss[event],
        compression_loss=compression[event],
        expansion_loss=(events.energy_loss - compression)[event],
    )


def _tangents(events: _Events) -> list[NDArray[np.intp]]:
    """Return the columns of Lambda_T of each contact.

    A contact has two columns if the name of its first column differs from its own name."""
    columns, first = [], 0
    for name in events.contact_names:
        count = 1 if events.tangent_names[first] == name else 2
        columns.append(np.arange(first, first + count))
        first += count
    return columns


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4e}"
