"""Reading of untrusted files, which must be regular and of bounded size."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from nsmb.common.arguments import whole

__all__ = ["MAX_BYTES", "check_file", "open_file", "read_file"]

MAX_BYTES = 256 * 2**20
"""Maximum size of a drawing, a table of points or a robot description, in bytes."""


def check_file(
    path: str | os.PathLike[str], max_bytes: int | None = None, option: str = "max_bytes"
) -> None:
    """Raise an error unless the path, or the target of a link, is a regular file of bounded size.

    Parameters
    ----------
    path : path
        File name.
    max_bytes : int, optional
        Maximum size; default: no limit.
    option : str
        Argument of the caller that changes the limit; empty if there is none.

    Raises
    ------
    OSError
        If there is no such file, or if it is a folder.
    ValueError
        If the file is a device, a pipe or a socket, or is too large.
    """
    _check(path, os.stat(path), max_bytes, option)


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; errors are those of :func:`check_file`."""
    # Opening a pipe without O_NONBLOCK waits for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        _check(path, os.fstat(descriptor), None, "")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_file(path: str | os.PathLike[str], max_bytes: int = MAX_BYTES, option: str = "") -> bytes:
    """Return the content of a regular file of bounded size, opened as by :func:`open_file`."""
    with open_file(path) as file:
        _check(path, os.fstat(file.fileno()), max_bytes, option)
        return file.read(max_bytes)


def _check(
    path: str | os.PathLike[str], found: os.stat_result, max_bytes: int | None, option: str
) -> None:
    name = os.fspath(path)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(
            f"`path`: must be a regular file, got {name!r}, which is a device, pipe or socket. "
            "Copy its content to a file first."
        )
    if max_bytes is not None and found.st_size > whole(option, max_bytes, 1):
        remedy = f"Pass {option}={found.st_size} to read it anyway." if option else "Simplify it."
        raise ValueError(
            f"`path`: must have at most {max_bytes} bytes, got {name!r} with {found.st_size}. "
            f"{remedy}"
        )
