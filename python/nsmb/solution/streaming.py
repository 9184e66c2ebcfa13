"""Files of runs that are still being computed."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.array_files import check_suffix
from nsmb.common.array_streams import ArrayStream, check_folder
from nsmb.common.extras import import_extra
from nsmb.common.interrupts import held
from nsmb.common.labels import Labels
from nsmb.solution.core_tables import TABLE_OF
from nsmb.solution.files import header_of
from nsmb.system.base import System
from nsmb.system.method import Method

__all__ = ["RunFile"]

Arrays = Mapping[str, NDArray[Any]]

_STEPS = (*(name for name, table in TABLE_OF.items() if table == "step"), "coefficients")
_OF_PARTS = ("part_of_y", "part_of_contact")
_CUT_OFF = "the file ends at t = {t:.17g} s: the run was killed or is still running"


@dataclass
class RunFile:
    """The file of a run, which is written in chunks and can be read at any time."""

    path: str
    stream: ArrayStream | None = field(default=None, repr=False)
    _end: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    """Data after the last chunk: incomplete steps, and arrays that are replaced as a whole."""
    _note: dict[str, Any] = field(default_factory=dict, repr=False)
    _t: float = np.nan
    """Time of the last sample in the file, in s."""
    has_failed: bool = False
    """True if writing a chunk failed, for example on a full disk."""

    def __post_init__(self) -> None:
        if check_suffix(self.path) == ".npz":
            raise ValueError(
                f"path: must end with .h5 or .hdf5, the format that can grow, got {self.path!r}"
            )
        import_extra("h5py", "data")
        check_folder(self.path)

    def begin(
        self, system: System, labels: Labels, method: Method, method_reason: str, like: Arrays
    ) -> None:
        """Create the file for a run whose arrays have the columns of `like`."""
        self._end = {name: like[name] for name in _OF_PARTS if name in like}
        columns = {name: like[name] for name in like if name in TABLE_OF or name in _STEPS}
        header = header_of(system, labels, method, method_reason)
        unknown = {"status": "interrupted", "message": "the run has just started", "stats": {}}
        self.stream = ArrayStream(self.path, header | unknown, columns)

    def take(self, columns: Arrays, pending: int, stats: Mapping[str, float]) -> bool:
        """Write the rows of a chunk, whose last `pending` steps are not complete yet.

        Return True if Ctrl-C was pressed meanwhile. The run then stops after the rows are written.
        """
        with held() as interrupts:
            self._take(columns, pending, stats)
        return interrupts.pressed

    def _take(self, columns: Arrays, pending: int, stats: Mapping[str, float]) -> None:
        complete = dict(columns)
        tail = {name: self._end[name] for name in _OF_PARTS if name in self._end}
        if pending:
            count = columns["step_start"].size - pending
            place = int(columns["step_offset"][count] - columns["step_offset"][0])
            for name in _STEPS:
                if name in complete:
                    first = place if name == "coefficients" else count
                    complete[name], tail[name] = columns[name][:first], columns[name][first:]
        t = float(columns["t"][-1]) if columns["t"].size else self._note.get("t", np.nan)
        note = {"status": "interrupted", "message": _CUT_OFF.format(t=t), "stats": dict(stats)}
        self._note |= {**note, "t": t}
        self._append(complete, self._note, tail)
        self._end = tail

    def set_parameters(
        self, parameters: Mapping[str, float], rows: list[tuple[int, tuple[float, ...]]]
    ) -> None:
        """Set the names and values of the parameters, and the samples from which they apply."""
        self._note["parameters"] = dict(parameters)
        self._note["parameter_rows"] = [[row, list(values)] for row, values in rows]

    def say(self, end_slots: NDArray[np.float64] | None, **note: Any) -> None:
        """Write contact points, status, message, stats and parameters at the last sample."""
        end = self._end if end_slots is None else self._end | {"end_slots": end_slots}
        with held() as interrupts:
            self._append({}, self._note | note, end)
        if interrupts.pressed:
            signal.raise_signal(signal.SIGINT)

    def _append(self, columns: Arrays, note: dict[str, Any], tail: Arrays) -> None:
        assert self.stream is not None
        try:
            self.stream.append(columns, note, tail)
        except OSError as error:
            self.has_failed = True
            what = error.strerror or str(error)
            raise OSError(
                error.errno,
                f"{what}: {self.path!r} contains the run up to t = {self._t:.6g} s, which "
                "nsmb.Solution.load reads and nsmb.simulate(..., start=...) continues. The "
                "attribute 'solution' of this error contains the results after that time.",
            ) from error
        if columns:
            self._t = note["t"]

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()

    @property
    def remedy(self) -> str:
        return f"read the whole run with nsmb.Solution.load({os.fspath(self.path)!r})"
