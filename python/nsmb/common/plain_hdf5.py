"""Validation of HDF5 files, which must contain plain data sets only.

HDF5 supports virtual data sets, links to other files, and filters from shared libraries. A few
bytes can also declare an array of any size. None of this is required here. All of it is rejected
before a data set is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.extras import import_extra

__all__ = ["KINDS", "check_hdf5", "read_text", "rows_of"]

KINDS = "biufc"
"""Kinds of NumPy types in data sets of nsmb."""
_MOST_LINKS = 100_000
_INFLATED = 200  # maximum ratio of unpacked to packed size
_FILTERS = (1, 2, 3)  # deflate, shuffle, Fletcher's checksum, which are part of HDF5


def check_hdf5(file: Any, *, groups: bool = False, kinds: str = KINDS) -> None:
    """Raise ValueError unless the file contains only plain data sets.

    Parameters
    ----------
    file : h5py.File
        File that is open for reading.
    groups : bool
        Allow groups, and compression by the built-in filters of HDF5.
    kinds : str
        Allowed kinds of NumPy types.
    """
    h5py = import_extra("h5py", "data")
    places: set[Any] = set()
    for path, entry in _entries(h5py, file, groups, places):
        _check_data_set(h5py, path, entry, groups, kinds)


def _entries(
    h5py: Any, group: Any, groups: bool, places: set[Any], above: str = ""
) -> Iterator[tuple[str, Any]]:
    for name in group:
        path = f"{above}{name}"
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise ValueError(f"{path!r} is a link to another location or file")
        entry = group[name]
        about = h5py.h5o.get_info(entry.id)
        place = (about.fileno, about.addr)
        if place in places or len(places) > _MOST_LINKS:
            raise ValueError(f"{path!r} occurs twice, or the file has too many entries")
        places.add(place)
        if isinstance(entry, h5py.Dataset):
            yield path, entry
        elif groups and isinstance(entry, h5py.Group):
            yield from _entries(h5py, entry, groups, places, f"{path}/")
        else:
            raise ValueError(f"{path!r} is not a data set")


def _check_data_set(h5py: Any, path: str, entry: Any, packed: bool, kinds: str) -> None:
    made = entry.id.get_create_plist()
    if made.get_layout() == h5py.h5d.VIRTUAL or entry.is_virtual:
        raise ValueError(f"{path!r} is a virtual data set")
    if made.get_external_count():
        raise ValueError(f"{path!r} is stored in another file")
    filters = [made.get_filter(k)[0] for k in range(made.get_nfilters())]
    if filters and not (packed and set(filters) <= set(_FILTERS)):
        raise ValueError(f"{path!r} is compressed")
    if entry.dtype.kind not in kinds or entry.dtype.hasobject or entry.shape is None:
        raise ValueError(f"{path!r} holds no numbers (type {entry.dtype})")
    if not packed:
        return  # the size is checked when rows are read
    if size_of(entry, entry.shape) > entry.id.get_storage_size() * (_INFLATED if filters else 1):
        raise ValueError(f"{path!r} declares more data than it stores: shape {entry.shape}")


def size_of(entry: Any, shape: tuple[int, ...]) -> int:
    """Return the number of bytes of an array of this shape, without overflow."""
    size = int(entry.dtype.itemsize)
    for length in shape:
        size *= int(length)
    return size


def rows_of(entry: Any, rows: int | None = None) -> NDArray[Any]:
    """Return the first rows of a data set, or all; raise ValueError if it has fewer rows."""
    shape = tuple(entry.shape) if rows is None else (rows, *entry.shape[1:])
    if rows is not None and not 0 <= rows <= (entry.shape[0] if entry.shape else 0):
        raise ValueError(f"{entry.name.lstrip('/')!r} has too few rows")
    stored = entry.id.get_storage_size()
    # An empty data set stores nothing, so its number of rows is limited by the size of the file.
    most = entry.file.id.get_filesize()
    if size_of(entry, shape) > stored or max(shape, default=0) > most:
        raise ValueError(
            f"{entry.name.lstrip('/')!r} declares more data than it stores: shape {shape}"
        )
    return np.asarray(entry[()] if rows is None else entry[:rows])


def read_text(file: Any, name: str) -> str:
    """Return a text attribute; raise KeyError if it is missing, ValueError if it is not a text."""
    h5py = import_extra("h5py", "data")
    if name not in file.attrs:
        raise KeyError(name)
    about = file.attrs.get_id(name)
    if about.shape != () or h5py.check_string_dtype(about.dtype) is None:
        raise ValueError(f"{name!r} is not a text")
    value = file.attrs[name]
    return value.decode() if isinstance(value, bytes) else str(value)
