"""Finished points of a sweep in a file, so that an interrupted one can go on."""

from __future__ import annotations

import functools
import hashlib
import os
import sqlite3
import sys
import sysconfig
import time
import types
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nsmb.analysis.common.errors import CheckpointError
from nsmb.analysis.common.packing import pack, unpack
from nsmb.common.plain_files import check_file
from nsmb.system.base import System
from nsmb.system.builder import Builder

__all__ = ["Checkpoint", "fingerprint"]

_FORMAT = "nsmb-sweep 2"
_TABLES = {
    "sweep": "CREATE TABLE sweep (format TEXT, key TEXT)",
    "outcomes": "CREATE TABLE outcomes "
    "(point INTEGER PRIMARY KEY, status TEXT, message TEXT, result BLOB)",
}
_COMMIT_EVERY = 0.5  # s; a commit waits for the disk

Outcome = tuple[str, str, Any]


class Checkpoint:
    """Outcomes (status, message, result) of points by their index, in an SQLite file.

    Results are kept as arrays and texts, see `nsmb.analysis.common.packing`; nothing in the file is
    executed. A crash loses at most the last half second.

    Parameters
    ----------
    path : path
        Made if it does not exist.
    key : str
        :func:`fingerprint` of what is computed.
    classes : sequence of type
        Dataclasses that results may be made of.

    Raises
    ------
    ValueError
        If the file is something else, or belongs to another sweep.
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
            raise ValueError(f"checkpoint: {name!r} is no checkpoint of a sweep") from None
        if not rows:
            self._base.execute("INSERT INTO sweep VALUES (?, ?)", (_FORMAT, key))
            self._base.commit()
        elif rows[0] != (_FORMAT, key):
            raise ValueError(
                f"checkpoint: {name!r} belongs to another sweep (another function, other points or "
                "options); give a new path or delete the file"
            )

    def _entries(self) -> list[tuple[str, str, str]]:
        """Kind, name and text of everything that the file defines."""
        found = self._base.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name")
        return found.fetchall()

    def load(self) -> dict[int, Outcome]:
        """Everything kept so far.

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
        except Exception as error:  # of whatever meets the damage first
            raise ValueError(
                f"checkpoint: {self._name!r}: {where} is damaged ({type(error).__name__}: "
                f"{error}); delete the file to begin anew"
            ) from None
        return found

    def keep(self, outcomes: Iterable[tuple[int, Outcome]]) -> dict[int, str]:
        """Add outcomes. Return the reason for each result that cannot be packed.

        Raises
        ------
        AnalysisError
            If they cannot be written; nothing is tried again.
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
                f"checkpoint: {self._name!r} cannot be written ({error}); what was computed is in "
                "the attribute result of this error"
            ) from None

    def close(self) -> None:
        """Write what is left and close the file.

        Raises
        ------
        AnalysisError
            If it cannot be written, unless that has been said before.
        """
        try:
            if self._works:
                with self._writing():
                    self._base.commit()
        finally:
            self._base.close()


def fingerprint(*values: object) -> str:
    """A text that is the same for equal values in every process, and differs for others.

    Functions count by name, code, defaults, what they close over, and the numbers, texts, arrays,
    functions and classes of their module that they use; objects by class and contents. Of libraries
    only names count.

    Raises
    ------
    ValueError
        For what cannot be pickled either.
    """
    digest = hashlib.sha256()
    _feed(digest, values, (), {})
    return digest.hexdigest()


def _is_own(module: str | None) -> bool:
    """Whether code is of the user, who may change it between two calls."""
    if not module or module.partition(".")[0] in {"nsmb", *sys.builtin_module_names}:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    paths = sysconfig.get_paths()
    return file is None or not any(
        Path(file).is_relative_to(paths[name]) for name in ("stdlib", "purelib", "platlib")
    )


def _used(function: types.FunctionType) -> dict[str, Any]:
    """What a function finds in its module: plain values, and functions and classes of the user."""
    codes = [function.__code__]
    names: set[str] = set()
    for code in codes:
        names.update(code.co_names)
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    there = function.__globals__
    return {name: there[name] for name in names if name in there and _counts(there[name])}


def _members(kind: type) -> dict[str, Any]:
    """Methods and plain values of a class."""
    members: dict[str, Any] = {}
    for name, part in vars(kind).items():
        if isinstance(part, staticmethod | classmethod):
            members[name] = part.__func__
        elif isinstance(part, property):
            members[name] = [part.fget, part.fset, part.fdel]
        elif isinstance(part, types.FunctionType) or not name.startswith("__"):
            members[name] = part
    return {
        name: part
        for name, part in members.items()
        if isinstance(part, list | types.FunctionType) or _counts(part)
    }


def _counts(value: Any) -> bool:
    if isinstance(value, types.FunctionType | type | Builder):
        return _is_own(value.__module__)
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_counts, value))
    if isinstance(value, dict):
        return all(map(_counts, value)) and all(map(_counts, value.values()))
    if isinstance(value, np.ndarray):
        return bool(value.dtype != object)
    plain = (str, bytes, int, float, complex, np.generic, System, type(None))
    return isinstance(value, plain)


def _feed(digest: Any, value: Any, above: tuple[int, ...], seen: dict[object, int]) -> None:
    """Not the pickle itself: its bytes depend on which equal objects are one and the same."""

    def text(*parts: object) -> None:
        digest.update((" ".join(map(str, parts)) + "\n").encode())

    def inside(*parts: object) -> None:
        for part in parts:
            _feed(digest, part, (*above, id(value)), seen)

    def used(names: dict[str, Any]) -> None:
        for name, part in sorted(names.items()):
            text("uses", name)
            if not isinstance(part, types.FunctionType):
                inside(part)
            elif part in seen:
                text("seen", seen[part])
            else:
                seen[part] = len(seen)
                inside(part)

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
        if _is_own(value.__module__):
            used(_used(value))
    elif isinstance(value, type):
        text("global", value.__module__, value.__qualname__)
        if _is_own(value.__module__) and value not in seen:
            seen[value] = len(seen)
            inside(*(base for base in value.__bases__ if _is_own(base.__module__)))
            used(_members(value))
    elif isinstance(value, Builder):
        text("builder")
        inside(value.__wrapped__, value.parameters)
    elif isinstance(value, types.BuiltinFunctionType):
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
