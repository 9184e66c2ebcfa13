"""Contact problems in files: FCLIB's HDF5 layout and Siconos' text format, read and written.

FCLIB is the collection of frictional contact problems that solvers are compared on; Siconos writes
both layouts. A file holds one problem: local, ``y = W x + q``, or global, ``M v = H x + f``,
``y = Hᵀ v + w``; the rows of a contact are N, T (planar), N, T1, T2, or with rolling friction
N, T1, T2, R1, R2.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from nsmb.common.plain_files import open_file
from nsmb.complementarity import fclib_layout, siconos_text
from nsmb.complementarity.friction import FrictionProblem, FrictionResult
from nsmb.complementarity.stored_problem import (
    StoredData,
    StoredSolution,
    from_problem,
    to_problem,
    velocities,
)

__all__ = ["StoredData", "StoredProblem", "StoredSolution", "read", "write"]

_HDF5 = b"\x89HDF\r\n\x1a\n"
_POINTER = b"version https://git-lfs"
_SUFFIXES = {".hdf5": "fclib", ".h5": "fclib", ".dat": "siconos", ".txt": "siconos"}


@dataclass(frozen=True, eq=False)
class StoredProblem:
    """What :func:`read` finds in a file."""

    data: StoredData
    """The problem's numbers, with sparse arrays of SciPy."""
    layout: Literal["fclib", "siconos"]
    """FCLIB's HDF5 layout, or Siconos' text format."""
    solution: StoredSolution | None = None
    """As stored: nobody has checked it, and many files hold zeros."""
    guesses: tuple[StoredSolution, ...] = ()
    title: str = ""
    description: str = ""
    math_info: str = ""

    @cached_property
    def problem(self) -> FrictionProblem:
        """The problem, for :func:`nsmb.complementarity.friction.solve`.

        In global form M must be symmetric.
        """
        return to_problem(self.data)


def read(path: str | os.PathLike[str]) -> StoredProblem:
    """Read a problem; what the file is follows from its content, not from its name.

    Parameters
    ----------
    path : path
        A file in FCLIB's or Siconos' format.

    Returns
    -------
    StoredProblem
        Its problem, and what else the file holds.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is no such file or no regular file, is not complete, leads to other files, or holds
        sizes or numbers that do not fit.
    """
    name = os.fspath(path)
    with open_file(path) as file:
        start = file.read(max(len(_HDF5), len(_POINTER)))
        content = b"" if start.startswith(_HDF5) else start + file.read()
    if start.startswith(_POINTER):
        raise ValueError(
            f"path: {name!r} is a pointer of Git LFS, not the file itself; git lfs pull gets it"
        )
    if not start.strip():
        raise ValueError(f"path: {name!r} is empty")
    try:
        if start.startswith(_HDF5):
            data, solution, guesses, texts = fclib_layout.read_file(name)
            return StoredProblem(data, "fclib", solution, tuple(guesses), **texts)
        return StoredProblem(siconos_text.from_bytes(content), "siconos")
    except (ValueError, ArithmeticError, LookupError, OSError, RuntimeError, TypeError) as error:
        what = "FCLIB's layout" if start.startswith(_HDF5) else "Siconos' text format"
        raise ValueError(f"path: {name!r} cannot be read as {what}: {_said(error)}") from None


def write(
    problem: FrictionProblem | StoredData,
    path: str | os.PathLike[str],
    *,
    solution: StoredSolution | FrictionResult | None = None,
    guesses: Iterable[StoredSolution | FrictionResult] = (),
    title: str = "",
    description: str = "",
    storage: Literal["sparse", "blocks", "dense"] = "sparse",
) -> None:
    """Write a problem; never half a file under the name.

    Parameters
    ----------
    problem : FrictionProblem or StoredData
        The problem; its contacts are all alike, with 2, 3 or 5 rows, free rows come last.
    path : path
        ``.hdf5`` or ``.h5``: FCLIB's layout; ``.dat`` or ``.txt``: Siconos' text format.
    solution, guesses : optional
        Stored beside the problem, in FCLIB's layout only; velocities that are missing follow from
        the impulses.
    title, description : str
        For readers, in FCLIB's layout only.
    storage : {"sparse", "blocks", "dense"}
        How the text format holds matrices: triplets, blocks of contacts (local form only), or all
        entries.

    Raises
    ------
    ValueError
        If the suffix or an argument does not fit the layout, or a solution the problem.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ValueError(f"path: expected a suffix {', '.join(_SUFFIXES)}, got {os.fspath(path)!r}")
    data = from_problem(problem) if isinstance(problem, FrictionProblem) else problem
    stored = [_checked("guesses", guess, data) for guess in guesses]
    answer = None if solution is None else _checked("solution", solution, data)
    if _SUFFIXES[suffix] == "fclib":
        texts = {"title": title, "description": description}
        image = fclib_layout.to_bytes(
            data, answer, stored, {key: text for key, text in texts.items() if text}
        )
    else:
        _check_text(data, storage, answer is not None or bool(stored))
        image = siconos_text.to_bytes(data, storage)
    part = Path(path).with_name(Path(path).name + ".part")
    try:
        part.write_bytes(image)
        os.replace(part, path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def _checked(
    name: str, solution: StoredSolution | FrictionResult, data: StoredData
) -> StoredSolution:
    sizes = {"x": data.w.size, "y": data.w.size}
    v = solution.v
    if data.M is not None and v is not None:
        sizes["v"] = data.M.shape[0]
    for key, size in sizes.items():
        values = getattr(solution, key)
        if values.shape != (size,):
            raise ValueError(f"{name}.{key}: expected {size} entries, got shape {values.shape}")
    return StoredSolution(solution.x, solution.y, velocities(data, solution.x) if v is None else v)


def _check_text(data: StoredData, storage: str, has_solution: bool) -> None:
    if storage not in siconos_text.STORAGES:
        raise ValueError(f"storage: expected sparse, blocks or dense, got {storage!r}")
    if storage == "blocks" and data.W is None:
        raise ValueError("storage: expected sparse or dense for the global form, got 'blocks'")
    if has_solution:
        raise ValueError("solution: Siconos' text format has no place for one; write .hdf5")
    if data.free:
        raise ValueError(
            f"problem: Siconos' text format has no bilateral constraints, got {data.free} free "
            "rows; write .hdf5"
        )


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
