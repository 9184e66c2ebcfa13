"""Contact problems in files, in the HDF5 layout of FCLIB and the text format of Siconos.

FCLIB is a collection of frictional contact problems for the comparison of solvers. Siconos writes
both formats. A file contains one problem. Its local form is ``y = W x + q``, its global form
``M v = H x + f``, ``y = Hᵀ v + w``. The rows of a contact are N, T (planar), N, T1, T2, or with
rolling friction N, T1, T2, R1, R2.
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
    """The content of a file, as returned by :func:`read`."""

    data: StoredData
    """Data of the problem, with sparse arrays of SciPy."""
    layout: Literal["fclib", "siconos"]
    """Format of the file: the HDF5 layout of FCLIB, or the text format of Siconos."""
    solution: StoredSolution | None = None
    """Stored solution, which is not verified; many files contain zeros."""
    guesses: tuple[StoredSolution, ...] = ()
    title: str = ""
    description: str = ""
    math_info: str = ""

    @cached_property
    def problem(self) -> FrictionProblem:
        """The problem for :func:`nsmb.complementarity.friction.solve`.

        A global problem whose M is not symmetric is converted to local form.
        """
        return to_problem(self.data)


def read(path: str | os.PathLike[str]) -> StoredProblem:
    """Read a problem from a file, whose format is detected from its content.

    Parameters
    ----------
    path : path
        File in the format of FCLIB or Siconos.

    Returns
    -------
    StoredProblem
        The problem, and all other content of the file.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If the file has another format, is not a regular file, is incomplete, links to other files,
        or contains inconsistent sizes or numbers.
    """
    name = os.fspath(path)
    with open_file(path) as file:
        start = file.read(max(len(_HDF5), len(_POINTER)))
        content = b"" if start.startswith(_HDF5) else start + file.read()
    if start.startswith(_POINTER):
        raise ValueError(
            f"path: {name!r} is a pointer of Git LFS, not the file itself. Run git lfs pull."
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
    """Write a problem to a file, which is replaced only after it has been written completely.

    Parameters
    ----------
    problem : FrictionProblem or StoredData
        The problem. All contacts must have the same kinds of rows, 2, 3 or 5 each, and free rows
        must be last.
    path : path
        File name with the suffix ``.hdf5`` or ``.h5`` for the layout of FCLIB, or ``.dat`` or
        ``.txt`` for the text format of Siconos.
    solution, guesses : optional
        Solution and guesses that are stored with the problem, only in the layout of FCLIB. Missing
        velocities are computed from the impulses.
    title, description : str
        Texts for readers, only in the layout of FCLIB.
    storage : {"sparse", "blocks", "dense"}
        Storage of matrices in the text format: triplets, blocks of contacts (local form only), or
        all entries.

    Raises
    ------
    ValueError
        If the suffix is unknown, if the format does not support an argument, or if a solution does
        not match the problem.
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
            raise ValueError(f"{name}.{key}: must have {size} entries, got shape {values.shape}")
    return StoredSolution(solution.x, solution.y, velocities(data, solution.x) if v is None else v)


def _check_text(data: StoredData, storage: str, has_solution: bool) -> None:
    if storage not in siconos_text.STORAGES:
        raise ValueError(f"storage: expected sparse, blocks or dense, got {storage!r}")
    if storage == "blocks" and data.W is None:
        raise ValueError("storage: expected sparse or dense for the global form, got 'blocks'")
    if has_solution:
        raise ValueError("solution: Siconos' text format does not support solutions. Write .hdf5.")
    if data.free:
        raise ValueError(
            "problem: Siconos' text format does not support bilateral constraints, got "
            f"{data.free} free rows. Write .hdf5."
        )


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
