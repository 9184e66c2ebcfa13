"""Results made of records in files: a header with the content of each field, and arrays.

Systems are stored by name and parameters. Systems, and values computed from them, are created when
a field is accessed, not when a file is read.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from nsmb.common import array_files
from nsmb.events.enums import EventKind
from nsmb.solution import files
from nsmb.solution.described import Described, described
from nsmb.system.base import System
from nsmb.system.options import EventDriven

__all__ = ["Later", "Saved", "made_when_asked", "read", "write"]

_VERSION = 1
_PLAIN = (bool, int, float, str, type(None))


def write(
    path: str | os.PathLike[str],
    kind: str,
    record: Any,
    special: Mapping[type, Callable[[Any], tuple[Any, ...]]] | None = None,
) -> None:
    """Write a dataclass and everything in it.

    Parameters
    ----------
    path : path
    kind : str
        Format of the file.
    record : dataclass
    special : mapping, optional
        Functions that return the constructor arguments of classes that are not dataclasses.

    Raises
    ------
    ValueError
        If the record contains a function, or if the suffix is unknown.
    """
    writer = _Writer(special or {})
    content = writer.put(kind, record)
    header = {"format": kind, "version": _VERSION, "systems": writer.systems, "content": content}
    array_files.write(path, header, writer.arrays)


def read(
    path: str | os.PathLike[str],
    kind: str,
    what: str,
    classes: Sequence[type],
    system: System | None,
) -> Any:
    """Read a record that was written by `write`.

    Parameters
    ----------
    path : path
    kind, what : str
        Format of the file, and its name in messages.
    classes : sequence of type
        Classes that the file may contain.
    system : System, optional
        The system, with any parameters, if it is not known by its name.

    Raises
    ------
    ValueError
        If the file was not written by `write`, or if its system is unknown.
    """
    header, arrays = array_files.read(path, kind, _VERSION, what)
    with array_files.reading(path):
        entries = [Described.of(entry) for entry in header["systems"]]
    systems = [_system(entry, system) for entry in entries]
    with array_files.reading(path):
        found = _get(header["content"], {c.__name__: c for c in classes}, arrays, systems)
        if not isinstance(found, tuple(classes)):
            raise ValueError(f"content: expected one of {[c.__name__ for c in classes]}")
        return found


@dataclasses.dataclass(eq=False)
class Later:
    """A value that is created once, on first access."""

    make: Callable[..., Any]
    arguments: Sequence[Any] = ()
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @cached_property
    def value(self) -> Any:
        """The value; arguments that are themselves created later are created first."""
        given = (part.value if isinstance(part, Later) else part for part in self.arguments)
        return self.make(*given, **self.options)


class _Asked:
    """A field of a record from a file, whose value is created on first access."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, record: Any, owner: type | None = None) -> Any:
        if record is None:
            raise AttributeError(self.name)
        held = vars(record)
        value = held[self.name]
        if isinstance(value, Later):
            value = held[self.name] = value.value
        return value

    def __set__(self, record: Any, value: Any) -> None:
        vars(record)[self.name] = value


_Record = TypeVar("_Record", bound=type)


def made_when_asked(*fields: str) -> Callable[[_Record], _Record]:
    """Decorate a dataclass so that these fields of a record from a file are created on access."""

    def decorate(cls: _Record) -> _Record:
        for name in fields:
            setattr(cls, name, _Asked(name))
        return cls

    return decorate


_Saved = TypeVar("_Saved", bound="Saved")


class Saved:
    """A dataclass that can be saved to a file and loaded."""

    _format: ClassVar[str]
    _called: ClassVar[str]
    """Name of the class in messages."""

    @classmethod
    def _parts(cls) -> tuple[type, ...]:
        """Return the classes that may occur in the record, apart from its own."""
        raise NotImplementedError

    @classmethod
    def _special(cls) -> Mapping[type, Callable[[Any], tuple[Any, ...]]]:
        """Return functions that give the arguments of classes that are not dataclasses."""
        return {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, ``.npz``, or ``.h5`` or ``.hdf5`` with h5py.

        Parameters
        ----------
        path : path
            Path with suffix ``.npz``, ``.h5`` or ``.hdf5``. An existing file is replaced.

        Raises
        ------
        ValueError
            If a section or a method contains a function, which cannot be saved, or if the suffix is
            not one of these.
        """
        write(path, self._format, self, self._special())

    @classmethod
    def load(
        cls: type[_Saved], path: str | os.PathLike[str], *, system: System | None = None
    ) -> _Saved:
        """Read a file written by `save`.

        Nothing in the file is executed. The system is built when it is accessed.

        Parameters
        ----------
        path : path
        system : System, optional
            The system, with any parameters. Required if the system is not known by its name, that
            is, neither ready-made nor under `nsmb.parametric`.

        Raises
        ------
        ValueError
            If the file was not written by `save` or was changed since, or if its suffix or its
            system is unknown.
        """
        found: _Saved = read(path, cls._format, cls._called, (*cls._parts(), cls), system)
        return found


def _system(entry: Described, given: System | None) -> Later:
    if given is not None:
        same = dict(given.parameters) == dict(entry.parameters)
        return (
            Later(_itself, [given]) if same else Later(given.with_parameters, (), entry.parameters)
        )
    if not entry.is_known:
        raise ValueError(
            f"system: expected the system {entry.system!r}, which is not known by its name "
            "here, got None; give it, or import what defines it under nsmb.parametric"
        )
    return Later(entry.build)


def _itself(system: System) -> System:
    return system


class _Writer:
    def __init__(self, special: Mapping[type, Callable[[Any], tuple[Any, ...]]]) -> None:
        self.special = special
        self.arrays: dict[str, NDArray[Any]] = {}
        self.systems: list[dict[str, Any]] = []
        self._known: dict[int, int] = {}  # systems by identity

    def put(self, where: str, value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, EventKind):
            return {"kind": int(value)}
        if isinstance(value, (IntEnum, *_PLAIN)):
            return value
        if isinstance(value, np.ndarray):
            name = f"array_{len(self.arrays)}"
            self.arrays[name] = value
            return {"array": name}
        if isinstance(value, list | tuple):
            entries = [self.put(f"{where}[{i}]", entry) for i, entry in enumerate(value)]
            return entries if isinstance(value, list) else {"tuple": entries}
        if isinstance(value, Mapping):
            return {"map": {k: self.put(f"{where}[{k!r}]", entry) for k, entry in value.items()}}
        if isinstance(value, System):
            return {"system": self._place(value)}
        if isinstance(value, EventDriven):
            return {"method": self._options(where, value)}
        if type(value) in self.special:
            arguments = self.special[type(value)](value)
            return {"class": type(value).__name__, "arguments": self.put(where, list(arguments))}
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            raise ValueError(f"{where}: expected nothing but numbers and names, got {value!r}")
        fields = {
            field.name: self.put(f"{where}.{field.name}", getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.init
        }
        return {"class": type(value).__name__, "fields": fields}

    def _options(self, where: str, method: EventDriven) -> dict[str, Any]:
        options = files.options_of(method)
        if options is None:
            raise ValueError(f"{where}: expected a method without a function, got {method!r}")
        return options

    def _place(self, system: System) -> int:
        if id(system) not in self._known:
            self._known[id(system)] = len(self.systems)
            self.systems.append(described(system).header())
        return self._known[id(system)]


def _get(
    value: Any, classes: Mapping[str, type], arrays: array_files.Arrays, systems: list[Later]
) -> Any:
    def get(entry: Any) -> Any:
        return _get(entry, classes, arrays, systems)

    if isinstance(value, list):
        return [get(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "class" in value:
        cls = classes[value["class"]]
        if "arguments" in value:
            return Later(cls, get(value["arguments"]))
        return cls(**{name: get(entry) for name, entry in value["fields"].items()})
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content]
    if kind == "tuple":
        return tuple(get(entry) for entry in content)
    if kind == "map":
        return {name: get(entry) for name, entry in content.items()}
    if kind == "system":
        return systems[content]
    if kind == "method":
        return files.method_of(content)
    if kind == "kind":
        return EventKind(content)
    raise ValueError(f"content: expected a known kind of entry, got {kind!r}")
