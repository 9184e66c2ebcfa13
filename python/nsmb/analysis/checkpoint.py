"""Finished points of a sweep in a file, so that an interrupted one can go on."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sqlite3
import time
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Checkpoint", "fingerprint"]

_FORMAT = "nsmb-sweep 1"
_COMMIT_EVERY = 0.5  # s; a commit waits for the disk

Outcome = tuple[str, str, Any]


class Checkpoint:
    """Outcomes (status, message, result) of points by their index, in an SQLite file.

    Results are pickled: open only files you trust. A crash loses at most the last half second.

    Parameters
    ----------
    path : path
        Made if it does not exist.
    key : str
        :func:`fingerprint` of what is computed.

    Raises
    ------
    ValueError
        If the file is something else, or belongs to another sweep.
    """

    def __init__(self, path: str | os.PathLike[str], key: str) -> None:
        name = os.fspath(path)
        if not Path(name).absolute().parent.is_dir():
            raise ValueError(f"checkpoint: expected a file in an existing folder, got {name!r}")
        if Path(name).is_dir():
            raise ValueError(f"checkpoint: expected a file, got the folder {name!r}")
        self._base = sqlite3.connect(name)
        try:
            self._open(name, key)
        except BaseException:
            self._base.close()
            raise
        self._committed = time.monotonic()

    def _open(self, name: str, key: str) -> None:
        try:
            self._base.execute("CREATE TABLE IF NOT EXISTS sweep (format TEXT, key TEXT)")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS outcomes "
                "(point INTEGER PRIMARY KEY, status TEXT, message TEXT, result BLOB)"
            )
            rows = self._base.execute("SELECT format, key FROM sweep").fetchall()
        except sqlite3.OperationalError as error:
            raise ValueError(f"checkpoint: cannot use {name!r} ({error})") from None
        except sqlite3.DatabaseError:
            raise ValueError(f"checkpoint: {name!r} is no checkpoint of a sweep") from None
        if not rows:
            self._base.execute("INSERT INTO sweep VALUES (?, ?)", (_FORMAT, key))
            self._base.commit()
        elif rows[0] != (_FORMAT, key):
            raise ValueError(
                f"checkpoint: {name!r} belongs to another sweep (another function, other points or "
                "options); give a new path or delete the file"
            )

    def load(self) -> dict[int, Outcome]:
        """Everything kept so far."""
        rows = self._base.execute("SELECT point, status, message, result FROM outcomes")
        return {
            point: (status, message, pickle.loads(result))
            for point, status, message, result in rows
        }

    def keep(self, outcomes: Iterable[tuple[int, Outcome]]) -> None:
        """Add outcomes."""
        self._base.executemany(
            "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
            [
                (point, status, message, pickle.dumps(result))
                for point, (status, message, result) in outcomes
            ],
        )
        if time.monotonic() - self._committed > _COMMIT_EVERY:
            self._base.commit()
            self._committed = time.monotonic()

    def close(self) -> None:
        """Write what is left and close the file."""
        self._base.commit()
        self._base.close()


def fingerprint(*values: object) -> str:
    """A text that is the same for equal values in every process, and differs for others.

    Functions count by name, code, defaults and what they close over; objects by class and contents.

    Raises
    ------
    ValueError
        For what cannot be pickled either.
    """
    digest = hashlib.sha256()
    _feed(digest, values, ())
    return digest.hexdigest()


def _feed(digest: Any, value: Any, above: tuple[int, ...]) -> None:
    """Not the pickle itself: its bytes depend on which equal objects are one and the same."""

    def text(*parts: object) -> None:
        digest.update((" ".join(map(str, parts)) + "\n").encode())

    def inside(*parts: object) -> None:
        for part in parts:
            _feed(digest, part, (*above, id(value)))

    if id(value) in above:
        text("above", len(above) - above.index(id(value)))
    elif isinstance(value, np.ndarray) and value.dtype != object:
        text("array", value.dtype.str, value.shape)
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, str | bytes | int | float | complex | type(None)):
        text(type(value).__name__, repr(value))
    elif isinstance(value, tuple | list):
        text(type(value).__qualname__, len(value))
        inside(*value)
    elif isinstance(value, dict):
        text("dict", len(value))
        for item in value.items():
            inside(*item)
    elif isinstance(value, set | frozenset):  # their order differs from process to process
        text("set", *sorted(fingerprint(part) for part in value))
    elif isinstance(value, functools.partial):
        text("partial")
        inside(value.func, value.args, value.keywords)
    elif isinstance(value, types.CodeType):
        text("code", value.co_name, value.co_names, value.co_code.hex())
        inside(*value.co_consts)
    elif isinstance(value, types.FunctionType):
        text("function", value.__module__, value.__qualname__)
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inside(value.__code__, value.__defaults__, value.__kwdefaults__, cells)
    elif isinstance(value, type | types.BuiltinFunctionType):
        text("global", value.__module__, value.__qualname__)
    else:
        try:
            reduced = value.__reduce_ex__(4)
        except TypeError as error:
            raise ValueError(
                f"checkpoint: cannot tell {type(value).__qualname__} objects apart ({error}); "
                "sweep without checkpoint, or leave them out of function and points"
            ) from None
        text("object", type(value).__module__, type(value).__qualname__)
        if isinstance(reduced, str):
            text(reduced)
        else:
            inside(*(part if k < 3 else list(part or ()) for k, part in enumerate(reduced)))
