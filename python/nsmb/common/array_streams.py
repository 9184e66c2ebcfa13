"""Arrays that grow in an HDF5 file during a computation, and can be read at any time.

Rows are appended in chunks. A chunk is committed by a line of JSON, which is then appended to the
data set ``nsmb_commits``. The line has the numbers of rows of all arrays, a checksum of the new
rows, and data that apply only until the next commit. The file is written in the mode of HDF5 for
concurrent readers (SWMR). It is therefore consistent at any time, even if the writer is killed.

On a full disk, HDF5 leaves an unreadable file and may crash the interpreter. Disk space is
therefore reserved before it is used.
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
_CHECKSUM = "nsmb_sha256"  # checksum of the header; commits have their own
# Offsets in the superblock of HDF5, version 3, of the flags for open files and the end of the file.
_FLAGS_AT, _END_AT = 11, 28
_READABLE = 4  # flag of a file that can be read while it is written
_CHUNK_BYTES = 1 << 16  # approximate size of a chunk of one data set in the file
_BOOKS = 1 << 19  # bytes, an upper bound of the metadata that HDF5 writes for some data sets

Arrays = Mapping[str, NDArray[Any]]


def check_folder(path: str | os.PathLike[str]) -> None:
    """Raise an error before the computation if the file cannot be created."""
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"path: the folder {os.fspath(folder)!r} does not exist")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"path: the folder {os.fspath(folder)!r} is not writable")


class ArrayStream:
    """A writer of growing arrays; an existing file is replaced.

    Parameters
    ----------
    path : path
        File name.
    header : mapping
        Description of the arrays, in a form for JSON.
    like : mapping of str to ndarray
        Arrays with the types and columns of the data; their rows are not written.
    """

    def __init__(
        self, path: str | os.PathLike[str], header: Mapping[str, Any], like: Arrays
    ) -> None:
        h5py = import_extra("h5py", "data")
        self._path = path
        self._rows = dict.fromkeys(like, 0)
        self._end = 0  # number of bytes of commits
        with open(path, "wb"):
            pass
        _reserve(path, 0, _BOOKS)
        self._file = h5py.File(path, "w", libver="latest")
        try:
            self._make_room(0)
            # Arrays without columns have rows, but no data.
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
        """Append rows, and replace the note and the tail.

        An interrupted call has no effect and can be repeated.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            New rows.
        note : mapping
            Note in a form for JSON, which replaces the previous one.
        tail : mapping of str to ndarray, optional
            Rows after the last ones that apply until the next call, and whole arrays.

        Raises
        ------
        OSError
            If the disk is full; the file is then unchanged.
        """
        if not self._file:
            raise ValueError("path: must be a file that is being written, got a closed file")
        rows = dict(self._rows)
        # Each data set requires at most one chunk more than its rows fill.
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
        # Overwrite all of an interrupted commit.
        line = line.ljust(self._file[_COMMITS].shape[0] - self._end - 1) + "\n"
        self._make_room(len(line) + _CHUNK_BYTES)  # flushing has used part of the reserved space
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
        with open(self._path, "r+b") as raw:  # release unused reserved space
            raw.seek(_END_AT)
            end = int.from_bytes(raw.read(8), "little")
            if end < os.path.getsize(self._path):
                raw.truncate(end)


def _row_bytes(columns: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return max(dtype.itemsize * int(np.prod(columns)), 1)


def _reserve(path: str | os.PathLike[str], first: int, size: int) -> None:
    """Reserve disk space from byte `first`; raise OSError if there is not enough."""
    if shutil.disk_usage(path).free < size and os.path.getsize(path) < first + size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(path))
    if not hasattr(os, "posix_fallocate"):
        return
    place = os.open(path, os.O_WRONLY)
    try:
        os.posix_fallocate(place, first, size)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # not supported by the file system
            raise OSError(error.errno, os.strerror(error.errno or 0), os.fspath(path)) from None
    finally:
        os.close(place)


def read_stream(path: str | os.PathLike[str]) -> tuple[str, dict[str, NDArray[Any]]]:
    """Return header and arrays of a file that `ArrayStream` has written or is still writing."""
    h5py = import_extra("h5py", "data")
    with open_file(path) as raw, _opened(h5py, path, raw) as file:
        return _committed(file)


def _opened(h5py: Any, path: str | os.PathLike[str], raw: BinaryIO) -> Any:
    raw.seek(_FLAGS_AT)
    # Use the mode for concurrent reading only for a file with a writer, or whose writer was killed.
    # In this mode, damaged bytes make the reader wait for the writer to correct them.
    flags = int.from_bytes(raw.read(1), "little")
    if flags == 0:
        return h5py.File(path, "r")
    if not flags & _READABLE:  # HDF5 before 2.0 would crash the interpreter
        raise ValueError("it is being created, or its writer was killed at that moment")
    try:
        return h5py.File(path, "r", swmr=True)
    except OSError:  # the writer is this process
        return h5py.File(raw, "r")


def _committed(file: Any) -> tuple[str, dict[str, NDArray[Any]]]:
    check_hdf5(file)
    text = read_text(file, _HEADER)
    if read_text(file, _CHECKSUM) != hashlib.sha256(text.encode()).hexdigest():
        raise ValueError("its checksum is wrong")
    header = json.loads(text)
    empty = header.pop("without_columns")
    # An incomplete commit may follow the last end of a line.
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
            raise ValueError(f"{name!r} declares more data than it stores: shape {shape}")
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
    """Return the checksum of the rows of arrays in order; arrays without rows are skipped."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        if array.size:
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
