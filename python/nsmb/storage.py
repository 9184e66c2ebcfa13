"""Solutions in files: ``.npz`` (NumPy alone) or ``.h5`` (h5py).

Both hold the arrays of the core under their own names, and everything else as one JSON text: the
entry ``nsmb`` of the archive, the attribute ``nsmb`` of the HDF5 file. An archive checks what it
holds by itself; an HDF5 file has a checksum for that, the attribute ``nsmb_sha256``.

A file is made in memory and then written: libraries that meet a full disk half-way may take the
interpreter with them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.dense_output import is_divided
from nsmb.energy import EnergyBalance
from nsmb.enums import ContactState, EventKind
from nsmb.extras import import_extra
from nsmb.options import EventDriven
from nsmb.solution import Solution

if TYPE_CHECKING:
    from nsmb.system import System

__all__ = ["SUFFIXES", "check_suffix", "load", "reading", "save"]

FORMAT = "nsmb-solution"
VERSION = 3
SUFFIXES = (".npz", ".h5", ".hdf5")
_HEADER = "nsmb"
_CHECKSUM = "nsmb_sha256"
_ENERGY = "energy_"  # columns of Solution.energy, where it was asked for

Arrays = dict[str, NDArray[Any]]


def check_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix in lower case; ValueError if no solution can be stored under it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"path: expected a suffix {', '.join(SUFFIXES)}, got {os.fspath(path)!r}")
    return suffix


def save(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write a solution; see `Solution.save`."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "status": solution.status,
        "message": solution.message,
        "stats": solution.stats,
        "system": solution.system_name,
        "parameters": dict(solution.parameters),
        "coordinates": solution.coordinates,
        "coordinate_units": solution.coordinate_units,
        "contact_names": solution.contact_names,
        "tangent_names": solution.tangent_names,
        "states": solution.states,
        "element_names": solution.element_names,
        "gapless": sorted(solution.gapless),
        "constraint_names": solution.constraint_names,
        "method": _options(solution.method),
    }
    data = dict(solution._data)
    if solution._energy is not None:
        data |= {_ENERGY + name: column for name, column in solution._energy.columns().items()}
    write(path, header, data)


def write(
    path: str | os.PathLike[str], header: Mapping[str, Any], data: Mapping[str, NDArray[Any]]
) -> None:
    """Arrays and what describes them in one file; never half a file under the name."""
    image_as = _npz if check_suffix(path) == ".npz" else _hdf5
    image = image_as(json.dumps(header, default=_plain), data)
    part = Path(path).with_name(Path(path).name + ".part")
    try:
        part.write_bytes(image)
        os.replace(part, path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def load(path: str | os.PathLike[str]) -> Solution:
    """Read a solution; see `Solution.load`."""
    header, data = read(path, FORMAT, VERSION, "solution")
    with reading(path):
        _check_tables(header, data)
        balance = {name: data.pop(name) for name in list(data) if name.startswith(_ENERGY)}
        solution = Solution(
            data,
            system=_rebuild(header),
            system_name=header["system"],
            parameters=header["parameters"],
            coordinates=header["coordinates"],
            coordinate_units=header["coordinate_units"],
            contact_names=header["contact_names"],
            tangent_names=header["tangent_names"],
            states=header["states"],
            element_names=header["element_names"],
            gapless=header["gapless"],
            constraint_names=header["constraint_names"],
            status=header["status"],
            message=header["message"],
            stats=header["stats"],
            method=_method(header.get("method")),
        )
        if balance:
            columns = {name.removeprefix(_ENERGY): column for name, column in balance.items()}
            solution._energy = EnergyBalance(
                **{field.name: columns[field.name] for field in fields(EnergyBalance)}
            )
        return solution


def _options(method: EventDriven | None) -> dict[str, Any] | None:
    """Options as JSON has them; None where a function is among them."""
    if method is None or method.expansion is not None:
        return None
    options = {field.name: getattr(method, field.name) for field in fields(method)}
    return options | {"atol": None if method.atol is None else np.asarray(method.atol).tolist()}


def _method(options: Mapping[str, Any] | None) -> EventDriven | None:
    if options is None:
        return None
    for field in fields(EventDriven):
        value = options.get(field.name, field.default)
        if not _is_like(value, field):
            raise ValueError(
                f"'method': expected {field.name} like {field.default!r}, got {value!r}"
            )
    return EventDriven(**options)


def _is_like(value: Any, field: Field[Any]) -> bool:
    """Options have the type of their defaults; what may be None is None by default."""
    if field.default is None:
        return value is None or isinstance(value, list if field.name == "atol" else bool)
    if isinstance(field.default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is type(field.default)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """What is wrong with the content of a file is said with its name."""
    name = os.fspath(path)
    try:
        yield
    except KeyError as error:
        raise ValueError(f"path: {name!r} is incomplete: no {error}") from None
    except Exception as error:  # damaged contents raise whatever meets them first
        raise ValueError(f"path: {name!r} is damaged ({_text(error)})") from None


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else str(error)


_NAMES = (
    "coordinates", "coordinate_units", "contact_names", "tangent_names", "states",
    "element_names", "gapless", "constraint_names",
)  # fmt: skip


def _check_tables(header: Mapping[str, Any], data: Arrays) -> None:
    """Tables of one kind have as many rows, and what points into others points inside."""
    for name in _NAMES:
        if not all(isinstance(entry, str) for entry in header[name]):
            raise ValueError(f"{name!r}: expected texts, got {header[name]!r}")
    for name in ("status", "message", "system"):
        if not isinstance(header[name], str):
            raise ValueError(f"{name!r}: expected a text, got {header[name]!r}")
    for name in ("stats", "parameters"):
        for key, value in dict(header[name]).items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name!r}: expected numbers, got {value!r} for {key!r}")
    rows = {
        "": data["t"].size,
        "event": data["event_t"].size,
        "step": data["step_start"].size,
        "part": len(header["coordinates"]) + data["event_u_minus"].shape[1] + len(header["states"]),
    }
    for name, array in data.items():
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name!r}: expected numbers, got {array.dtype}")
        if name == "coefficients" or array.shape[1:] == (0,):
            continue
        expected = rows.get(name.partition("_")[0], rows[""])
        if name == "part_of_contact":
            expected = len(header["contact_names"])
        if array.ndim == 0 or array.shape[0] != expected:
            raise ValueError(f"{name!r}: expected {expected} rows, got shape {array.shape}")
    widths = {
        "y": len(header["coordinates"]) + data["event_u_minus"].shape[1] + len(header["states"]),
        "event_q": len(header["coordinates"]),
        "event_u_plus": data["event_u_minus"].shape[1],
        "t": 0, "event_t": 0, "event_kind": 0, "step_start": 0, "step_end": 0, "step_offset": 0,
        "step_degree": 0, "coefficients": 0, "event_energy_loss": 0, "event_compression_loss": 0,
    }  # fmt: skip
    for name, width in widths.items():
        if data[name].shape[1:] != ((width,) if width else ()):
            raise ValueError(f"{name!r}: expected {width or 'no'} columns, got {data[name].shape}")
    order, columns = _steps_by_part(data, widths["y"])
    for name in ("t", "event_t", "step_start", "step_end"):
        for steps in order if name.startswith("step") else [slice(None)]:
            times = data[name][steps]
            if not (np.isfinite(times).all() and (np.diff(times) >= 0.0).all()):
                raise ValueError(f"{name!r}: expected times that do not fall")
    first, degree = data["step_offset"], data["step_degree"]
    behind = first + (degree.astype(np.int64) + 1) * columns
    if ((first < 0) | (degree < 0) | (behind > data["coefficients"].size)).any():
        raise ValueError("'step_offset': expected places inside of 'coefficients'")
    for name, values in (("contact_state", ContactState), ("event_kind", EventKind)):
        if not np.isin(data[name], [int(value) for value in values]).all():
            raise ValueError(f"{name!r}: expected values of nsmb.{values.__name__}")


def _steps_by_part(
    data: Arrays, rows: int
) -> tuple[Sequence[slice | NDArray[np.intp]], int | NDArray[np.int64]]:
    """The steps of every part of the system in order, and how many components of y a step has."""
    if not is_divided(data):
        return [slice(None)], rows
    part, of_y = data["step_part"], data["part_of_y"]
    count = int(of_y.max(initial=-1)) + 1
    for name in ("step_part", "part_of_y", "part_of_contact"):
        values = data[name]
        if values.dtype.kind not in "iu" or ((values < 0) | (values >= count)).any():
            raise ValueError(f"{name!r}: expected numbers of parts below {count}")
    sizes = np.bincount(of_y, minlength=count)
    if (np.bincount(part, minlength=count) == 0).any():
        raise ValueError("'step_part': expected a step of every part")
    return [np.flatnonzero(part == k) for k in range(count)], sizes[part]


def read(
    path: str | os.PathLike[str], kind: str, version: int, what: str
) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays that `write` has put there; ValueError for other kinds and versions."""
    is_npz = check_suffix(path) == ".npz"
    if not is_npz:
        import_extra("h5py", "data")
    with open(path, "rb") as file:  # what is wrong with the disk is no matter of the content
        image = file.read()
    name = os.fspath(path)
    try:
        text, data = _from_npz(image) if is_npz else _from_hdf5(image)
        header = json.loads(text)
    except Exception as error:  # of whatever library meets the damage first
        raise ValueError(
            f"path: {name!r} is not a {what} of nsmb, or damaged ({_text(error)})"
        ) from None
    if not isinstance(header, dict) or header.get("format") != kind:
        raise ValueError(f"path: {name!r} is not a {what} of nsmb")
    found = header.get("version")
    if found != version:
        raise ValueError(f"path: {name!r} has format version {found!r}, this nsmb reads {version}")
    return header, data


def _rebuild(header: Mapping[str, Any]) -> System | None:
    """The ready-made system of that name, if it is the one that was simulated."""
    from nsmb import systems

    if header["system"] not in systems.names():
        return None
    try:
        system: System = systems.build(header["system"], **header["parameters"])
    except (TypeError, ValueError):  # other parameters than today
        return None
    same = (
        list(system.coordinates) == header["coordinates"]
        and list(system.contact_names) == header["contact_names"]
        # A parameter that was not there yet has its default.
        and header["parameters"].items() <= system.parameters.items()
    )
    return system if same else None


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot store {value!r}")


def _npz(header: str, data: Mapping[str, NDArray[Any]]) -> bytes:
    image = io.BytesIO()
    arrays: dict[str, Any] = {_HEADER: np.array(header), **data}
    np.savez(image, **arrays)
    return image.getvalue()


def _from_npz(image: bytes) -> tuple[str, Arrays]:
    archive = np.load(io.BytesIO(image), allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError("no archive")
    arrays = {name: archive[name] for name in archive.files}
    return str(arrays.pop(_HEADER)), arrays


def _hdf5(header: str, data: Mapping[str, NDArray[Any]]) -> bytes:
    h5py = import_extra("h5py", "data")
    with h5py.File("image", "w", driver="core", backing_store=False) as file:
        file.attrs[_HEADER] = header
        file.attrs[_CHECKSUM] = _checksum(header, data)
        for name, array in data.items():
            file.create_dataset(name, data=array)
        file.flush()
        image: bytes = file.id.get_file_image()
    return image


def _from_hdf5(image: bytes) -> tuple[str, Arrays]:
    h5py = import_extra("h5py", "data")
    with h5py.File(io.BytesIO(image), "r") as file:
        header = str(file.attrs[_HEADER])
        arrays = {name: np.asarray(file[name][()]) for name in file}
        # Files of earlier versions have none.
        if _CHECKSUM in file.attrs and file.attrs[_CHECKSUM] != _checksum(header, arrays):
            raise ValueError("its checksum is wrong")
    return header, arrays


def _checksum(header: str, data: Mapping[str, NDArray[Any]]) -> str:
    """Of names, types, shapes and bytes."""
    digest = hashlib.sha256(header.encode())
    for name, array in sorted(data.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
