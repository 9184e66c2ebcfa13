"""The parameters of a system as a table with values, units, meanings and sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsmb.common.extras import import_extra
from nsmb.common.html import html_table
from nsmb.common.text import text_table
from nsmb.system.parameter_info import ParameterInfo

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ParameterTable"]

_HEADER = ("parameter", "value", "unit", "meaning", "source")


@dataclass(frozen=True, eq=False, repr=False)
class ParameterTable:
    """A table of the parameters of a system, with value, unit, meaning and source.

    It is returned by `System.parameter_table`. Notebooks and the gallery display it as a table.
    """

    title: str
    """Name of the system."""
    values: Mapping[str, float]
    """Value of every parameter; for a parameter with choices, the index of the word."""
    info: Mapping[str, ParameterInfo]
    """Descriptions of the parameters; may be incomplete."""

    def __len__(self) -> int:
        return len(self.values)

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return name, value, unit, meaning and source of every parameter as text."""
        return [self._row(name) for name in self.values]

    def to_text(self) -> str:
        """Return a fixed-width table."""
        rows = self.rows()
        return text_table(_HEADER, rows.__getitem__, len(rows), left=(0, 2, 3, 4), max_rows=None)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas DataFrame with one row per parameter and numerical values.

        Raises
        ------
        ImportError
            If pandas is not installed. Install it with ``pip install nsmb[data]``.
        """
        pandas = import_extra("pandas", "data")
        names = list(self.values)
        columns = {"value": list(self.values.values())}
        texts = {key: [row[2 + k] for row in self.rows()] for k, key in enumerate(_HEADER[2:])}
        index = pandas.Index(names, name=_HEADER[0])
        frame: pd.DataFrame = pandas.DataFrame(columns | texts, index=index)
        return frame

    def __repr__(self) -> str:
        head = f"ParameterTable of {self.title}: {len(self)} parameters"
        return f"{head}\n{self.to_text()}" if len(self) else head

    def _repr_html_(self) -> str:
        return html_table(f"Data of {self.title}", _HEADER, self.rows())

    def _row(self, name: str) -> tuple[str, str, str, str, str]:
        info = self.info.get(name, ParameterInfo())
        unit = "" if info.unit == "-" else info.unit
        return name, info.shown(self.values[name]), unit, info.meaning, info.source
