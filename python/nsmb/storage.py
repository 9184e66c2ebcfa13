"""Solutions in files: ``.npz`` (NumPy alone) or ``.h5`` (h5py).

Both hold the arrays of the core under their own names, and everything else as one JSON text: the
entry ``nsmb`` of the archive, the attribute ``nsmb`` of the HDF5 file.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.energy import EnergyBalance
from nsmb.extras import import_extra
from nsmb.solution import Solution

if TYPE_CHECKING:
    from nsmb.system import System

__all__ = ["SUFFIXES", "check_suffix", "load", "save"]

FORMAT = "nsmb-solution"
VERSION = 3
SUFFIXES = (".npz", ".h5", ".hdf5")
_HEADER = "nsmb"
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
    }
    data = dict(solution._data)
    if solution._energy is not None:
        data |= {_ENERGY + name: column for name, column in solution._energy.columns().items()}
    write(path, header, data)


def write(
    path: str | os.PathLike[str], header: Mapping[str, Any], data: Mapping[str, NDArray[Any]]
) -> None:
    """Arrays and what describes them in one file; never half a file under the name."""
    write_as = _write_npz if check_suffix(path) == ".npz" else _write_hdf5
    part = Path(path).with_name(Path(path).name + ".part")
    try:
        write_as(part, json.dumps(header, default=_plain), data)
        os.replace(part, path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def load(path: str | os.PathLike[str]) -> Solution:
    """Read a solution; see `Solution.load`."""
    header, data = read(path, FORMAT, VERSION, "solution")
    balance = {name: data.pop(name) for name in list(data) if name.startswith(_ENERGY)}
    try:
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
        )
        if balance:
            columns = {name.removeprefix(_ENERGY): column for name, column in balance.items()}
            solution._energy = EnergyBalance(
                **{field.name: columns[field.name] for field in fields(EnergyBalance)}
            )
        return solution
    except KeyError as error:
        raise ValueError(f"path: {os.fspath(path)!r} is incomplete: no {error}") from None


def read(
    path: str | os.PathLike[str], kind: str, version: int, what: str
) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays that `write` has put there; ValueError for other kinds and versions."""
    read_as = _read_npz if check_suffix(path) == ".npz" else _read_hdf5
    try:
        text, data = read_as(path)
        header = json.loads(text)
    except (FileNotFoundError, IsADirectoryError, PermissionError, ImportError):
        raise
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"path: {os.fspath(path)!r} is not a {what} of nsmb ({error})") from None
    if not isinstance(header, dict) or header.get("format") != kind:
        raise ValueError(f"path: {os.fspath(path)!r} is not a {what} of nsmb")
    if header["version"] != version:
        raise ValueError(
            f"path: {os.fspath(path)!r} has format version {header['version']}, this nsmb reads "
            f"{version}"
        )
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


def _write_npz(path: Path, header: str, data: Mapping[str, NDArray[Any]]) -> None:
    with open(path, "wb") as file:
        arrays: dict[str, Any] = {_HEADER: np.array(header), **data}
        np.savez(file, **arrays)


def _read_npz(path: str | os.PathLike[str]) -> tuple[str, Arrays]:
    with open(path, "rb") as file:
        archive = np.load(file, allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise ValueError("no archive")
        arrays = {name: archive[name] for name in archive.files}
    return str(arrays.pop(_HEADER)), arrays


def _write_hdf5(path: Path, header: str, data: Mapping[str, NDArray[Any]]) -> None:
    h5py = import_extra("h5py", "data")
    with h5py.File(path, "w") as file:
        file.attrs[_HEADER] = header
        for name, array in data.items():
            file.create_dataset(name, data=array)


def _read_hdf5(path: str | os.PathLike[str]) -> tuple[str, Arrays]:
    h5py = import_extra("h5py", "data")
    with h5py.File(path, "r") as file:
        return str(file.attrs[_HEADER]), {name: file[name][()] for name in file}
