"""Arrays and what describes them in one file: ``.npz`` (NumPy alone) or ``.h5`` (h5py).

Both hold the arrays under their own names, and everything else as one JSON text: the entry ``nsmb``
of the archive, the attribute ``nsmb`` of the HDF5 file. An archive checks what it holds by itself;
an HDF5 file has a checksum for that, the attribute ``nsmb_sha256``. HDF5 files that grow while they
are written are those of `array_streams`.

A file is made in memory and then written: libraries that meet a full disk half-way may take the
interpreter with them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.array_streams import read_stream
from nsmb.common.extras import import_extra

__all__ = ["SUFFIXES", "Arrays", "check_suffix", "read", "reading", "write"]

SUFFIXES = (".npz", ".h5", ".hdf5")
_HEADER = "nsmb"
_CHECKSUM = "nsmb_sha256"
_GROWING = b"\x03"  # version of HDF5 files that others may read while they are written

Arrays = dict[str, NDArray[Any]]


def check_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix in lower case; ValueError if nothing can be stored under it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"path: expected a suffix {', '.join(SUFFIXES)}, got {os.fspath(path)!r}")
    return suffix


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


def read(
    path: str | os.PathLike[str], kind: str, version: int, what: str
) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays that `write` has put there; ValueError for other kinds and versions."""
    is_npz = check_suffix(path) == ".npz"
    if not is_npz:
        import_extra("h5py", "data")
    with open(path, "rb") as file:  # what is wrong with the disk is no matter of the content
        start = file.read(9)
        grows = not is_npz and start[8:] == _GROWING
        image = b"" if grows else start + file.read()
    name = os.fspath(path)
    try:
        if grows:
            text, data = read_stream(path)
        else:
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
    if "allow_pickle" in str(error):  # NumPy's advice would not help
        return "no archive of NumPy"
    if isinstance(error, KeyError):
        return f"no {error} in it"
    return f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else str(error)


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
