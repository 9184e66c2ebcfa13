"""Common base of the time histories of parts of a run: names, times and tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import unknown_name
from nsmb.common.extras import import_extra

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from nsmb.solution.record import Record

__all__ = ["Histories", "History", "HistoryTable", "components"]

H = TypeVar("H", bound="History")
Columns = dict[str, NDArray[Any]]
_AXES = ("x", "y", "z")


class History(ABC):
    """Time history of one part of a run."""

    def __init__(self, record: Record, name: str) -> None:
        self._record = record
        self.name = name
        """Name of the part."""
        self.t: NDArray[np.float64] = record.t
        """Times of the samples in s, shape (n,)."""

    @abstractmethod
    def columns(self) -> Columns:
        """Return time histories by name, (n,) each; vectors by component: ``force_x``, ..."""

    def to_dataframe(self) -> pd.DataFrame:
        """Return `columns` as a table with one row per sample.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        ValueError
            If a column cannot be read, see the attribute of that name.
        """
        frame: pd.DataFrame = import_extra("pandas", "data").DataFrame(self.columns())
        return frame

    def to_xarray(self) -> xr.Dataset:
        """Return `columns` as variables over the dimension ``t``.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` installs it.
        ValueError
            If a column cannot be read, see the attribute of that name.
        """
        columns = self.columns()
        times = columns.pop("t")
        variables = {name: ("t", values) for name, values in columns.items()}
        data: xr.Dataset = import_extra("xarray", "data").Dataset(
            variables, {"t": times}, {"name": self.name}
        )
        return data


class Histories(Mapping[str, H], Generic[H]):
    """The histories of all parts of one kind by name, created on first access."""

    _group: ClassVar[str]
    """Name of the attribute of `Solution`."""
    _kind: ClassVar[str]
    """Word for one part in messages."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._known: dict[str, H] = {}

    @property
    @abstractmethod
    def _names(self) -> Sequence[str]:
        """Return the names of all parts."""

    @abstractmethod
    def _make(self, name: str) -> H:
        """Return the history of a part that exists."""

    def _find(self, name: str) -> str:
        """Return the name under which a part is known; KeyError for one that is not."""
        if name not in self._names:
            raise KeyError(str(unknown_name(self._kind, name, self._names)))
        return name

    def __getitem__(self, name: str) -> H:
        if not isinstance(name, str):
            raise TypeError(
                f"{self._group}[...]: must be the name of a {self._kind}, got {name!r}. "
                f"See list(sol.{self._group}) for the names."
            )
        key = str(self._find(name))
        if key not in self._known:
            self._known[key] = self._make(key)
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {', '.join(self) or 'none'}"


class HistoryTable(Histories[H]):
    """Histories with the same columns, which make one table."""

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row per part and sample; the first column names the part.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        """
        pandas = import_extra("pandas", "data")
        frames = [self[name].to_dataframe().assign(**{self._kind: name}) for name in self]
        if not frames:
            return pandas.DataFrame({self._kind: [], "t": []})  # type: ignore[no-any-return]
        frame: pd.DataFrame = pandas.concat(frames, ignore_index=True)
        return frame[[self._kind, *(name for name in frame if name != self._kind)]]

    def to_xarray(self) -> xr.Dataset:
        """Return a Dataset over parts and ``time`` with the columns of :meth:`to_dataframe`.

        Raises
        ------
        ImportError
            If xarray is not installed; ``pip install nsmb[data]`` installs it.
        """
        xarray = import_extra("xarray", "data")
        tables = [self[name].columns() for name in self]
        names = list(dict.fromkeys(key for table in tables for key in table if key != "t"))
        blank = np.full(self._record.t.size, np.nan)
        variables = {
            key: (
                (self._kind, "time"),
                np.stack([table.get(key, blank) for table in tables]),
                {"units": self._unit(key)},
            )
            for key in names
        }
        coords = {self._kind: list(self), "time": ("time", self._record.t, {"units": "s"})}
        dataset: xr.Dataset = xarray.Dataset(variables, coords)
        return dataset

    def _unit(self, column: str) -> str:
        """Return the unit of a column."""
        raise NotImplementedError


def components(name: str, table: NDArray[Any], ends: Sequence[str] = _AXES) -> Columns:
    """Return the columns of a table by name and component."""
    shown = ends[: table.shape[1]]
    return {f"{name}_{end}": table[:, k] for k, end in enumerate(shown)}
