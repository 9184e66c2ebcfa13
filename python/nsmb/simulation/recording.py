"""The record of a run: its extent, and whether it is kept in memory or in a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import unknown_name, whole
from nsmb.solution.streaming import RunFile
from nsmb.system.base import System
from nsmb.system.method import Method

__all__ = ["Recording", "ToHdf5", "to_hdf5"]

_KINDS = ("memory", "events", "nothing")
_EVERY = 1000  # number of rows that are dropped together


@dataclass(frozen=True)
class ToHdf5:
    """The options of a record in a file, as returned by :func:`nsmb.to_hdf5`."""

    path: str
    every: int


def to_hdf5(path: str | os.PathLike[str], *, every: int = 10_000) -> ToHdf5:
    """Write a run to a file while it is computed: ``simulate(..., record=to_hdf5("run.h5"))``.

    The file receives samples, events and steps. Only one chunk of them is held in memory.
    :meth:`Solution.load <nsmb.Solution.load>` reads the file at any time, also after an interrupted
    or failed run. If the process was killed, the file ends with the last complete chunk. The
    solution that the run itself returns has only the samples at the start and the end.

    Parameters
    ----------
    path : path
        File name with the suffix ``.h5`` or ``.hdf5``. An existing file is replaced when the run
        starts.
    every : int
        Approximate number of samples, events or steps in a chunk, which are written together.

    Returns
    -------
    ToHdf5
        Value for ``record=`` of :func:`nsmb.simulate` and :class:`nsmb.Simulator`.

    Raises
    ------
    ValueError
        If the suffix is neither of these, or `every` is less than 1.
    ImportError
        If h5py is not installed. Install it with ``pip install nsmb[data]``.

    Examples
    --------
    >>> import nsmb, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "run.h5")
    ...     end = nsmb.simulate(nsmb.systems.woodpecker(), 2.0, record=nsmb.to_hdf5(path))
    ...     run = nsmb.Solution.load(path)
    >>> end.t.tolist(), run.t.size > 1000
    ([0.0, 2.0], True)
    >>> run.events.count() == nsmb.simulate(nsmb.systems.woodpecker(), 2.0).events.count()
    True
    """
    whole("every", every, 1)
    return ToHdf5(os.fspath(path), every)


class Recording:
    """The recorded rows of one simulator: kept in memory, written to a file, or dropped."""

    def __init__(self, record: str | ToHdf5 | None) -> None:
        self._file: RunFile | None = None
        self._every = 0
        self.is_open = False  # True while the file accepts more rows
        if isinstance(record, ToHdf5):
            self._file, self._every = RunFile(record.path), record.every
            self.kind = record.path
            return
        if record is not None and not isinstance(record, str):
            raise ValueError(f"record: expected a name or nsmb.to_hdf5(...), got {record!r}")
        self.kind = "nothing" if record is None else record
        if self.kind not in _KINDS:
            raise unknown_name("record", self.kind, _KINDS)
        self._every = 0 if self.kind == "memory" else _EVERY

    def method(self, method: Method) -> Method:
        """Return `method` without dense output if the record does not keep the steps."""
        keeps = self.kind == "memory" or self._file is not None
        return method if keeps else replace(method, dense_output=False)

    def equip(self, run: _simulation.Simulation) -> None:
        """Set up how the core passes on or drops its rows."""
        if self._every:
            sink = None if self._file is None else self._file.take
            run.record(self._every, self.kind == "events", sink)

    def begin(
        self,
        run: _simulation.Simulation,
        system: System,
        method: Method,
        method_reason: str,
        user_events: tuple[str, ...],
    ) -> None:
        """Create the file, if there is one and it does not exist yet."""
        if self._file is None or self._file.stream is not None:
            return
        labels = replace(system.labels, user_event_names=user_events)
        self._file.begin(system, labels, method, method_reason, run.trajectory())
        self.is_open = True

    def check_start(self) -> None:
        """Raise an error if the file already holds a run."""
        if self._file is not None and self._file.stream is not None:
            raise ValueError(
                f"record: file {self.kind!r} already holds a run. Create a new Simulator with "
                "another file."
            )

    def set_parameters(
        self, parameters: Mapping[str, float], rows: list[tuple[int, tuple[float, ...]]]
    ) -> None:
        if self._file is not None:
            self._file.set_parameters(parameters, rows)

    def forget(self, run: _simulation.Simulation) -> bool:
        """Drop the rows in memory and return True, or write them to the file and return False."""
        if self._file is None:
            run.forget()
            return True
        self.pass_on(run)
        return False

    def pass_on(self, run: _simulation.Simulation) -> None:
        if self.is_open or (self._every and self._file is None):
            run.pass_on()

    def left(self, data: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the arrays for the solution of the run; for a run in a file, without steps."""
        if self._file is None:
            return data
        return {
            name: array[:0] if name.startswith("step_") or name == "coefficients" else array
            for name, array in data.items()
        }

    def places(self, run: _simulation.Simulation, samples: int) -> NDArray[np.intp]:
        """Return the indices that the remaining samples have among all samples of the run."""
        last = run.sample_count - np.arange(samples - 1, 0, -1)
        return np.concatenate([[0], last])[:samples].astype(np.intp)

    def say(self, data: Mapping[str, NDArray[Any]], **note: Any) -> None:
        """Write the current status of the run to the file."""
        if self._file is not None and self.is_open:
            self._file.say(data.get("end_slots"), **note)

    @property
    def has_failed(self) -> bool:
        """True if writing to the file has failed; later rows are then kept in memory."""
        return self._file is not None and self._file.has_failed

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self.is_open = False
