"""Arrays with a header in one file, ``.npz`` (NumPy only) or ``.h5`` (h5py).

Both formats store the arrays by name, everything else as one JSON text, and a checksum of both. The
text and the checksum are the entries ``nsmb`` and ``nsmb_sha256`` of the archive, or attributes of
these names in the HDF5 file. `array_streams` writes HDF5 files that grow during a run.

Reading is safe for untrusted files. Only regular files are read. Only plain arrays of numbers and
texts are accepted, and none may be larger than the file. The checksum is verified before the
content is used. Nothing in the file is executed or unpickled, and no other file is opened.

A file is created in memory and then written, because libraries may crash the interpreter on a full
disk.
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
from nsmb.common.plain_files import open_file
from nsmb.common.plain_hdf5 import check_hdf5, read_text, rows_of

__all__ = [
    "SUFFIXES", "Arrays", "check_suffix", "read", "reading", "write",
]  # fmt: skip

SUFFIXES = (".npz", ".h5", ".hdf5")
_HEADER = "nsmb"
_CHECKSUM = "nsmb_sha256"
_KINDS = "biufcU"  # kinds of NumPy types in archives
_GROWING = b"\x03"  # version of HDF5 files that can be read while they are written

Arrays = dict[str, NDArray[Any]]


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix in lower case; raise ValueError if it is not supported."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"path: expected a suffix {', '.join(SUFFIXES)}, got {os.fspath(path)!r}")
    return suffix


def write(
    path: str | os.PathLike[str], header: Mapping[str, Any], data: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays to a file, which is replaced only after it is complete."""
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
    """Read the header and arrays of a file written by `write`.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If the file is not a regular file, was not written by `write`, was changed since, or has
        another kind or version.
    """
    is_npz = check_suffix(path) == ".npz"
    if not is_npz:
        import_extra("h5py", "data")
    with open_file(path) as file:  # errors of the disk are raised unchanged
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
    except Exception as error:  # any library may fail on damaged content
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
    """Add the name of the file to errors about its content."""
    name = os.fspath(path)
    try:
        yield
    except KeyError as error:
        raise ValueError(f"path: {name!r} is incomplete: no {error}") from None
    except Exception as error:  # damaged content may raise any error
        raise ValueError(f"path: {name!r} is damaged ({_text(error)})") from None


def _text(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no {error} in it"
    return f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else str(error)


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot store {value!r}")


def _npz(header: str, data: Mapping[str, NDArray[Any]]) -> bytes:
    image = io.BytesIO()
    checksum = np.array(_checksum(header, data))
    arrays: dict[str, Any] = {_HEADER: np.array(header), _CHECKSUM: checksum, **data}
    np.savez(image, **arrays)
    return image.getvalue()


def _from_npz(image: bytes) -> tuple[str, Arrays]:
    import zipfile

    arrays: Arrays = {}
    with zipfile.ZipFile(io.BytesIO(image)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > len(image):
            raise ValueError("its members are larger than the file")
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name == member.filename or name in arrays:
                raise ValueError(f"{member.filename!r} is not a separate array")
            if member.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{name!r} is compressed")
            arrays[name] = _array(name, archive.read(member), len(image))
    texts = [arrays.pop(name) for name in (_HEADER, _CHECKSUM)]
    if any(text.shape != () or text.dtype.kind != "U" for text in texts):
        raise ValueError(f"{_HEADER!r} and {_CHECKSUM!r} are not texts")
    header, checksum = map(str, texts)
    _compare(checksum, header, arrays)
    return header, arrays


def _array(name: str, content: bytes, limit: int) -> NDArray[Any]:
    """Return an array in the NumPy format, without allocating more than its content."""
    stream = io.BytesIO(content)
    readers = {(1, 0): np.lib.format.read_array_header_1_0,
               (2, 0): np.lib.format.read_array_header_2_0}  # fmt: skip
    version = np.lib.format.read_magic(stream)
    if version not in readers:
        raise ValueError(f"{name!r} has the format version {version}")
    shape, by_columns, dtype = readers[version](stream)
    if dtype.kind not in _KINDS or dtype.hasobject or dtype.subdtype or not dtype.itemsize:
        raise ValueError(f"{name!r} holds neither numbers nor texts (type {dtype})")
    size = 1
    for length in shape:
        size *= length
    if size * dtype.itemsize != len(content) - stream.tell() or max(shape, default=0) > limit:
        raise ValueError(f"{name!r} declares another size than it stores: shape {shape}")
    if size == 0:
        return np.zeros(shape, dtype)
    flat = np.frombuffer(content, dtype, offset=stream.tell())
    return flat.reshape(shape, order="F" if by_columns else "C").copy()


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
        check_hdf5(file)
        header, checksum = read_text(file, _HEADER), read_text(file, _CHECKSUM)
        arrays = {name: rows_of(file[name]) for name in file}
        if sum(array.nbytes for array in arrays.values()) > len(image):
            raise ValueError("its data sets are larger than the file")
    _compare(checksum, header, arrays)
    return header, arrays


def _compare(checksum: str, header: str, data: Mapping[str, NDArray[Any]]) -> None:
    if checksum != _checksum(header, data):
        raise ValueError("its checksum is wrong")


def _checksum(header: str, data: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 checksum of names, types, shapes and bytes."""
    digest = hashlib.sha256(header.encode())
    for name, array in sorted(data.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
