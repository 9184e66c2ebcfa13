"""Arrays that grow in an HDF5 file while they are computed, readable whatever happens.

Rows are appended chunk by chunk. What a chunk adds counts once a line of JSON, appended to the data
set ``nsmb_commits`` behind it, says so: how many rows every array has by then, a checksum of those
that have come, and what is true at that moment alone. The file is written as HDF5 lets others read
it meanwhile (SWMR), so that it is whole at any time, also where the writer was killed.

HDF5 must not meet a full disk: it leaves a file that nothing reads, and may take the interpreter
with it. Room for what is to come is reserved before it is written.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra
from nsmb.common.plain_files import open_file
from nsmb.common.plain_hdf5 import KINDS, check_hdf5, read_text, rows_of

__all__ = ["ArrayStream", "check_folder", "read_stream"]

_COMMITS = "nsmb_commits"
_HEADER = "nsmb"
_CHECKSUM = "nsmb_sha256"  # of the header; commits have their own
# In the superblock of HDF5, version 3: who has the file open for writing; where it ends.
_FLAGS_AT, _END_AT = 11, 28
_READABLE = 4  # the flag of a file that others may read while it is written
_CHUNK_BYTES = 1 << 16  # of one data set in the file, about
_BOOKS = 1 << 19  # bytes: more than HDF5 needs for its own books of some data sets

Arrays = Mapping[str, NDArray[Any]]


def check_folder(path: str | os.PathLike[str]) -> None:
    """Errors of a file that cannot be begun, before anything is computed."""
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"path: no folder {os.fspath(folder)!r}")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"path: nothing can be written in {os.fspath(folder)!r}")


class ArrayStream:
    """Writes arrays that grow; an existing file is replaced.

    Parameters
    ----------
    path : path
    header : mapping
        What describes the arrays, as JSON.
    like : mapping of str to ndarray
        Types and columns of the arrays to come; their rows are not written.
    """

    def __init__(
        self, path: str | os.PathLike[str], header: Mapping[str, Any], like: Arrays
    ) -> None:
        h5py = import_extra("h5py", "data")
        self._path = path
        self._rows = dict.fromkeys(like, 0)
        self._end = 0  # bytes of commits
        with open(path, "wb"):
            pass
        _reserve(path, 0, _BOOKS)
        self._file = h5py.File(path, "w", libver="latest")
        try:
            self._make_room(0)
            # Arrays without columns have rows all the same, but nothing to store.
            empty = {n: [a.dtype.str, *a.shape[1:]] for n, a in like.items() if 0 in a.shape[1:]}
            text = json.dumps({**header, "without_columns": empty})
            self._file.attrs[_HEADER] = text
            self._file.attrs[_CHECKSUM] = hashlib.sha256(text.encode()).hexdigest()
            for name, array in like.items():
                if name not in empty:
                    self._create(name, array.shape[1:], array.dtype)
            self._create(_COMMITS, (), np.dtype(np.uint8))
            self._file.swmr_mode = True
        except BaseException:
            self._file.close()
            raise

    def _create(self, name: str, columns: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        rows = max(_CHUNK_BYTES // _row_bytes(columns, dtype), 1)
        self._file.create_dataset(
            name, shape=(0, *columns), maxshape=(None, *columns), chunks=(rows, *columns),
            dtype=dtype,
        )  # fmt: skip

    def append(self, arrays: Arrays, note: Mapping[str, Any], tail: Arrays | None = None) -> None:
        """Rows that come behind those there are, and what is true now.

        A call that was broken off has added nothing, and can be made again.

        Parameters
        ----------
        arrays : mapping of str to ndarray
        note : mapping
            As JSON; replaces what was said before.
        tail : mapping of str to ndarray, optional
            Rows behind the last ones that count until the next call, and whole arrays.

        Raises
        ------
        OSError
            Where there is no room for them; the file is what it was.
        """
        if not self._file:
            raise ValueError("path: expected a file that is being written, got one that was closed")
        rows = dict(self._rows)
        # Of each data set a chunk more than its rows fill, at most.
        chunks = (max(_CHUNK_BYTES, _row_bytes(a.shape[1:], a.dtype)) for a in arrays.values())
        self._make_room(sum(array.nbytes for array in arrays.values()) + sum(chunks))
        for name, array in arrays.items():
            rows[name] += array.shape[0]
            if name in self._file:
                self._write(name, self._rows[name], array)
        self._file.flush()
        commit = {
            "from": self._rows,
            "rows": rows,
            "sha256": _checksum({name: arrays[name] for name in sorted(arrays)}),
            "note": dict(note),
            "tail": {name: _as_json(array) for name, array in (tail or {}).items()},
        }
        text = json.dumps(commit, default=_plain)
        line = f"{hashlib.sha256(text.encode()).hexdigest()} {text}"
        # Over all of one that was broken off.
        line = line.ljust(self._file[_COMMITS].shape[0] - self._end - 1) + "\n"
        self._make_room(len(line) + _CHUNK_BYTES)  # what flushing has left of it
        self._write(_COMMITS, self._end, np.frombuffer(line.encode(), np.uint8))
        self._file.flush()
        self._end += len(line)
        self._rows = rows

    def _write(self, name: str, first: int, array: NDArray[Any]) -> None:
        if array.shape[0] == 0:
            return
        data = self._file[name]
        data.resize(first + array.shape[0], axis=0)
        data[first:] = array

    def _make_room(self, size: int) -> None:
        _reserve(self._path, self._file.id.get_filesize(), size + _BOOKS)

    def close(self) -> None:
        if not self._file:
            return
        self._file.close()
        with open(self._path, "r+b") as raw:  # what was reserved and not needed
            raw.seek(_END_AT)
            end = int.from_bytes(raw.read(8), "little")
            if end < os.path.getsize(self._path):
                raw.truncate(end)


def _row_bytes(columns: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return max(dtype.itemsize * int(np.prod(columns)), 1)


def _reserve(path: str | os.PathLike[str], first: int, size: int) -> None:
    """Room on the disk for bytes from `first` on; an OSError where there is none."""
    if shutil.disk_usage(path).free < size and os.path.getsize(path) < first + size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(path))
    if not hasattr(os, "posix_fallocate"):
        return
    place = os.open(path, os.O_WRONLY)
    try:
        os.posix_fallocate(place, first, size)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # a file system without it
            raise OSError(error.errno, os.strerror(error.errno or 0), os.fspath(path)) from None
    finally:
        os.close(place)


def read_stream(path: str | os.PathLike[str]) -> tuple[str, dict[str, NDArray[Any]]]:
    """Header and arrays of a file that `ArrayStream` writes or has written."""
    h5py = import_extra("h5py", "data")
    with open_file(path) as raw, _opened(h5py, path, raw) as file:
        return _committed(file)


def _opened(h5py: Any, path: str | os.PathLike[str], raw: BinaryIO) -> Any:
    raw.seek(_FLAGS_AT)
    # Only what is written, or was when its writer was killed, is read as beside a writer: where
    # bytes are wrong, such a reader waits for them to become right.
    flags = int.from_bytes(raw.read(1), "little")
    if flags == 0:
        return h5py.File(path, "r")
    if not flags & _READABLE:  # HDF5 before 2.0 takes the interpreter with it
        raise ValueError("it is being created, or its writer was killed at that moment")
    try:
        return h5py.File(path, "r", swmr=True)
    except OSError:  # this process itself is writing it
        return h5py.File(raw, "r")


def _committed(file: Any) -> tuple[str, dict[str, NDArray[Any]]]:
    check_hdf5(file)
    text = read_text(file, _HEADER)
    if read_text(file, _CHECKSUM) != hashlib.sha256(text.encode()).hexdigest():
        raise ValueError("its checksum is wrong")
    header = json.loads(text)
    empty = header.pop("without_columns")
    # Behind the last end of a line is what was on its way.
    lines = rows_of(file[_COMMITS]).tobytes().split(b"\n")[:-1]
    commits = [_commit(line) for line in lines]
    last = commits[-1] if commits else {"rows": {}, "note": {}, "tail": {}}
    rows: dict[str, int] = last["rows"]
    data: dict[str, NDArray[Any]] = {}
    for name in file:
        if name != _COMMITS:
            data[name] = rows_of(file[name], rows.get(name, 0))
    most = file.id.get_filesize()
    for name, (dtype, *columns) in empty.items():
        shape = (rows.get(name, 0), *columns)
        if 0 not in columns or max(shape) > most:
            raise ValueError(f"{name!r} declares more than it holds: shape {shape}")
        data[name] = np.zeros(shape, _number_type(name, dtype))
    for commit in commits:
        first, end = commit["from"], commit["rows"]
        if commit["sha256"] != _checksum({n: data[n][first[n] : end[n]] for n in sorted(end)}):
            raise ValueError("its checksum is wrong")
    for name, (dtype, shape, numbers) in last["tail"].items():
        more = np.array(numbers, _number_type(name, dtype)).reshape(shape)
        data[name] = np.concatenate([data[name], more]) if name in data else more
    return json.dumps(header | last["note"]), data


def _number_type(name: str, given: Any) -> np.dtype[Any]:
    dtype = np.dtype(given if isinstance(given, str) else "O")
    if dtype.kind not in KINDS:
        raise ValueError(f"{name!r} holds no numbers (type {dtype})")
    return dtype


def _commit(line: bytes) -> dict[str, Any]:
    checksum, _, text = line.rstrip().partition(b" ")
    if hashlib.sha256(text).hexdigest() != checksum.decode("ascii", "replace"):
        raise ValueError("its checksum is wrong")
    commit: dict[str, Any] = json.loads(text)
    return commit


def _as_json(array: NDArray[Any]) -> list[Any]:
    return [array.dtype.str, list(array.shape), array.ravel().tolist()]


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot store {value!r}")


def _checksum(arrays: Arrays) -> str:
    """Of the rows of arrays, in the order given; those without rows leave no trace."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        if array.size:
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
