"""Finished points of a sweep in a file, with which an interrupted sweep can resume."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nsmb.analysis.common.errors import CheckpointError
from nsmb.analysis.common.packing import pack, unpack
from nsmb.common.arguments import left_out
from nsmb.common.plain_files import check_file
from nsmb.system.builder import Builder

__all__ = ["Checkpoint", "fingerprint"]

_FORMAT = "nsmb-sweep 2"
_TABLES = {
    "sweep": "CREATE TABLE sweep (format TEXT, key TEXT)",
    "outcomes": "CREATE TABLE outcomes "
    "(point INTEGER PRIMARY KEY, status TEXT, message TEXT, result BLOB)",
}
# Packages whose code is taken as fixed, so that their objects are compared by content.
_UNCHANGED = ("nsmb", "numpy", "sympy", "builtins", "copyreg", "functools", "operator")
_COMMIT_EVERY = 0.5  # s, because a commit waits for the disk

Outcome = tuple[str, str, Any]


class Checkpoint:
    """Outcomes (status, message, result) of points by their index, in an SQLite file.

    Results are stored as arrays and text, see `nsmb.analysis.common.packing`. Nothing in the file
    is executed. A crash loses at most the results of the last half second.

    Parameters
    ----------
    path : path
        Path of the file, which is created if it does not exist.
    key : str
        :func:`fingerprint` of the computation.
    classes : sequence of type
        Dataclasses that may occur in results.

    Raises
    ------
    ValueError
        If the file is not a checkpoint, or belongs to another sweep.
    """

    def __init__(
        self, path: str | os.PathLike[str], key: str, classes: Sequence[type] = ()
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ValueError(f"checkpoint: expected a path, got {path!r}")
        name = os.fspath(path)
        if not Path(name).absolute().parent.is_dir():
            raise ValueError(f"checkpoint: expected a file in an existing folder, got {name!r}")
        if Path(name).is_dir():
            raise ValueError(f"checkpoint: expected a file, got the folder {name!r}")
        if os.path.lexists(name):
            check_file(name)
        self._classes = tuple(classes)
        self._name = name
        self._works = True
        self._base = sqlite3.connect(name)
        try:
            self._open(name, key)
        except BaseException:
            self._base.close()
            raise
        self._committed = time.monotonic()

    def _open(self, name: str, key: str) -> None:
        try:
            self._base.execute("PRAGMA trusted_schema = OFF")
            if not self._entries():
                for text in _TABLES.values():
                    self._base.execute(text)
            if self._entries() != [("table", *entry) for entry in sorted(_TABLES.items())]:
                raise sqlite3.DatabaseError  # views and triggers would be executed
            rows = self._base.execute("SELECT format, key FROM sweep").fetchall()
        except sqlite3.OperationalError as error:
            raise ValueError(f"checkpoint: cannot use {name!r} ({error})") from None
        except sqlite3.DatabaseError:
            raise ValueError(f"checkpoint: {name!r} is not a checkpoint of a sweep") from None
        if not rows:
            self._base.execute("INSERT INTO sweep VALUES (?, ?)", (_FORMAT, key))
            self._base.commit()
        elif rows[0] != (_FORMAT, key):
            raise ValueError(
                f"checkpoint: {name!r} belongs to another sweep (another key, other points or "
                "options). Pass a new path, or delete the file."
            )

    def _entries(self) -> list[tuple[str, str, str]]:
        """Return kind, name and text of everything that the file defines."""
        found = self._base.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name")
        return found.fetchall()

    def load(self) -> dict[int, Outcome]:
        """Return all stored outcomes.

        Raises
        ------
        ValueError
            If a row is damaged.
        """
        where = "the table"
        found: dict[int, Outcome] = {}
        try:
            rows = self._base.execute("SELECT point, status, message, result FROM outcomes")
            for point, status, message, result in rows:
                where = f"the result of point {point!r}"
                if not isinstance(status, str) or not isinstance(message, str):
                    raise TypeError(f"status {status!r}, message {message!r}")
                found[point] = status, message, unpack(result, self._classes)
        except Exception as error:  # from the first function that detects the damage
            raise ValueError(
                f"checkpoint: {self._name!r}: {where} is damaged ({type(error).__name__}: "
                f"{error}). Delete the file to start again."
            ) from None
        return found

    def keep(self, outcomes: Iterable[tuple[int, Outcome]]) -> dict[int, str]:
        """Add outcomes. Return the reason for each result that cannot be packed.

        Raises
        ------
        AnalysisError
            If the outcomes cannot be written. Later calls do not try again.
        """
        rows, refused = [], {}
        for point, (status, message, result) in outcomes:
            try:
                rows.append((point, status, message, pack(result, self._classes)))
            except (TypeError, ValueError, RecursionError) as error:
                refused[point] = f"{type(error).__name__}: {error}"
        with self._writing():
            self._base.executemany("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)", rows)
            if time.monotonic() - self._committed > _COMMIT_EVERY:
                self._base.commit()
                self._committed = time.monotonic()
        return refused

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            self._works = False
            raise CheckpointError(
                f"checkpoint: {self._name!r} cannot be written ({error}). The attribute result "
                "of this error contains what was computed."
            ) from None

    def close(self) -> None:
        """Write what is left and close the file.

        Raises
        ------
        AnalysisError
            If the file cannot be written, unless a call of `keep` has raised before.
        """
        try:
            if self._works:
                with self._writing():
                    self._base.commit()
        finally:
            self._base.close()


def fingerprint(
    checkpoint: str | os.PathLike[str] | None, key: str | None, *values: object
) -> str | None:
    """Return a string that is equal for equal values in every process, and differs otherwise.

    Numbers, strings, arrays, containers, and objects of nsmb, NumPy and SymPy are compared by
    value.
    The key stands for the code of functions and other objects, of which only names and contents are
    compared. Without a checkpoint there is no fingerprint.

    Raises
    ------
    ValueError
        If the key is missing or not a string, or if a value cannot be pickled.
    """
    if checkpoint is None:
        left_out("key", key, "without a checkpoint", "Give checkpoint=, the path of a file.")
        return None
    if key is not None and not (isinstance(key, str) and key):
        raise ValueError(f"key: must be a text, got {key!r}. Name what is computed: key='v1'.")
    return _digest((key, values), key is not None, ())


def _digest(value: object, has_key: bool, above: tuple[int, ...]) -> str:
    """Return the digest of a value.

    A pickle is unsuitable, because its bytes depend on which equal objects are identical.
    """

    def inside(parts: Iterable[object]) -> list[str]:
        return [_digest(part, has_key, (*above, id(value))) for part in parts]

    found: list[object]
    if id(value) in above:
        found = ["above", len(above) - above.index(id(value))]
    elif isinstance(value, np.ndarray) and value.dtype != object:
        found = ["array", value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    elif isinstance(value, str | bytes | int | float | complex | type(None)):
        found = [type(value).__name__, repr(value)]
    elif isinstance(value, tuple | list):
        found = [type(value).__qualname__, *inside(value)]
    elif isinstance(value, Mapping):
        found = ["mapping", *inside(value.items())]
    elif isinstance(value, set | frozenset):  # their order differs from process to process
        found = ["set", *sorted(inside(value))]
    elif isinstance(value, type | Builder | types.FunctionType | types.BuiltinFunctionType):
        found = ["name", value.__module__, value.__qualname__]
        if _is_unchanged(value, has_key):
            cells = getattr(value, "__closure__", None) or ()
            found += inside(cell.cell_contents for cell in cells)
    else:
        # A system created by a user's builder consists of a name and parameters.
        _is_unchanged(getattr(value, "_builder", None) or type(value), has_key)
        try:
            reduced = value.__reduce_ex__(4)
        except TypeError as error:
            raise ValueError(
                f"checkpoint: cannot compare {type(value).__qualname__} objects ({error}). Sweep "
                "without a checkpoint, or leave them out of function and points."
            ) from None
        found = ["object", type(value).__module__, type(value).__qualname__]
        if isinstance(reduced, str):
            found.append(reduced)
        else:
            found += inside(p if k < 3 else list(p or ()) for k, p in enumerate(reduced))
    return hashlib.sha256("\0".join(map(str, found)).encode()).hexdigest()


def _is_unchanged(code: Any, has_key: bool) -> bool:
    """Return False for code that may change between two calls; raise ValueError without a key."""
    if str(code.__module__).partition(".")[0] in _UNCHANGED:
        return True
    if has_key:
        return False
    raise ValueError(
        f"key: must be given with the checkpoint of {code.__qualname__!r}, got None. Give a text, "
        "and another one whenever the code changes: key='v1'."
    )
