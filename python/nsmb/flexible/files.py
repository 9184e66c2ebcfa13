"""Meshes and matrices from files of other programs."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import positive, whole
from nsmb.common.mesh_content import read_mesh_content
from nsmb.common.plain_files import MAX_BYTES, check_file
from nsmb.flexible.mesh import Mesh
from nsmb.flexible.mesh_kinds import KINDS

__all__ = ["read_matrix", "read_mesh"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
_FACETS = {2: ("line", "line3"), 3: ("triangle", "triangle6", "quad", "quad8")}
_CORNERS = {"line": 2, "line3": 2, "triangle": 3, "triangle6": 3, "quad": 4, "quad8": 4}
_ROWS_PER_ENTRY = 100
_FLAT = ("triangle", "triangle6", "quad", "quad8", "quad9")
_SPATIAL = ("tetra", "tetra10", "hexahedron", "wedge", "pyramid", "hexahedron20", "hexahedron27")


def read_mesh(
    path: str | os.PathLike[str], *, scale: float = 1.0, max_bytes: int = MAX_BYTES
) -> Mesh:
    """Read a mesh from a file of Gmsh, Abaqus, Nastran, VTK or another format of meshio.

    The mesh consists of the elements of the highest dimension, which must be of one kind, and of
    their nodes in the order of the file. Named groups become places. Groups of lines or faces on
    the surface distribute loads over their nodes.

    Parameters
    ----------
    path : path
    scale : float
        Length of one unit of the file in m: 1e-3 for millimetres.
    max_bytes : int
        Largest size of the file; default: 256 MiB.

    Raises
    ------
    ValueError
        If the file cannot be read, is too large, is not a regular file, or has a format that may
        refer to other files (XDMF, MED, CGNS, Exodus, TetGen, ``*INCLUDE`` of Abaqus), or if its
        elements are of other kinds or rejected by :class:`Mesh`.
    OSError
        If the file cannot be opened.
    """
    scale = positive("scale", scale)
    content = read_mesh_content(path, max_bytes)
    name = os.fspath(path)
    kinds = {block.type for block in content.cells if len(block.data)}
    solids = sorted(kinds & set(_SPATIAL)) or sorted(kinds & set(_FLAT))
    if len(solids) != 1 or solids[0] not in KINDS:
        raise ValueError(
            f"path: {name!r}: expected elements of one kind of {', '.join(KINDS)}, got "
            f"{', '.join(solids) or 'none'}"
        )
    kind = solids[0]
    cells = np.vstack([b.data for b in content.cells if b.type == kind]).astype(np.int64)
    used = np.unique(cells)
    number = np.full(len(content.points), -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    points = scale * np.asarray(content.points, dtype=np.float64)[used]
    dimension = KINDS[kind].dimension
    if dimension == 2 and points.shape[1] == 3:
        if np.ptp(points[:, 2]) > 1e-9 * np.ptp(points[:, :2], axis=0).max():
            raise ValueError(f"path: {name!r}: expected {kind} elements in a plane z = constant")
        points = points[:, :2]
    places, facets = _groups(content, number, dimension, KINDS[kind].corners_of_facet)
    try:
        return Mesh(points, number[cells], kind, places, facets)
    except ValueError as error:
        raise ValueError(f"path: {name!r}: {error}") from None


def _groups(
    content: Any, number: Indices, dimension: int, corners: int
) -> tuple[dict[str, Indices], dict[str, Indices]]:
    """Return the named groups of nodes and of facets."""
    places: dict[str, Indices] = {}
    for name, nodes in (getattr(content, "point_sets", None) or {}).items():
        kept = number[np.asarray(nodes, dtype=np.int64)]
        if (kept >= 0).any():
            places[str(name)] = np.unique(kept[kept >= 0])
    facets: dict[str, Indices] = {}
    for name, blocks in _named_cells(content).items():
        rows, nodes = [], []
        for block, chosen in zip(content.cells, blocks, strict=True):
            if not len(chosen):
                continue
            own = number[np.asarray(block.data, dtype=np.int64)[chosen]]
            nodes.append(own.ravel())
            if block.type in _FACETS[dimension] and _CORNERS[block.type] == corners:
                rows.append(own[:, :corners])
        found = np.unique(np.concatenate(nodes)) if nodes else np.zeros(0, dtype=np.int64)
        found = found[found >= 0]
        if rows and all((own >= 0).all() for own in rows):
            facets[name] = np.vstack(rows)
        if found.size and name not in places:
            places[name] = found
    return places, facets


def _named_cells(content: Any) -> dict[str, list[Indices]]:
    """Return for each name the indices of its cells in each block."""
    found: dict[str, list[Indices]] = {}
    for name, blocks in (getattr(content, "cell_sets", None) or {}).items():
        if str(name).startswith("gmsh:"):
            continue
        found[str(name)] = [
            np.zeros(0, np.int64) if b is None else np.asarray(b, np.int64) for b in blocks
        ]
    tags = content.cell_data.get("gmsh:physical")
    if tags is not None:
        dimensions = [_dimension(block.type) for block in content.cells]
        for name, (tag, dimension) in content.field_data.items():
            found[str(name)] = [
                np.flatnonzero(np.asarray(block) == tag)
                if d == dimension
                else np.zeros(0, np.int64)
                for block, d in zip(tags, dimensions, strict=True)
            ]
    return found


def _dimension(kind: str) -> int:
    if kind == "vertex":
        return 0
    if kind.startswith("line"):
        return 1
    return 3 if kind in _SPATIAL else 2


def read_matrix(
    path: str | os.PathLike[str], *, size: int | None = None, max_bytes: int = MAX_BYTES
) -> Any:
    """Read a sparse symmetric matrix from a Matrix Market file or lines ``row column value``.

    Rows and columns count from 1. If only one triangle is given, the other is added.

    Parameters
    ----------
    path : path
        Path of a Matrix Market file (its first line begins with ``%%MatrixMarket``), or of a text
        file
        with row, column and value in each line, separated by spaces or commas. Lines that begin
        with ``#``, ``%`` or ``**`` are comments.
    size : int, optional
        Number of rows of a text file; default: the largest index in it.
    max_bytes : int
        Largest size of the file; default: 256 MiB.

    Returns
    -------
    scipy.sparse.csr_array

    Raises
    ------
    ValueError
        If the content is invalid (the message gives the line), the file is too large or not a
        regular file, or the number of entries is too small for the size.
    OSError
        If the file cannot be opened.
    """
    from scipy import io as reader
    from scipy import sparse

    name = os.fspath(path)
    check_file(path, max_bytes)
    with open(path, encoding="utf-8", errors="replace") as file:
        is_market = file.readline().startswith("%%MatrixMarket")
    if is_market:
        try:
            _check_market(name, reader.mminfo(name))
            A = sparse.csr_array(reader.mmread(name, spmatrix=False))
        except ValueError as error:
            raise ValueError(f"path: {name!r} cannot be read ({error})") from None
    else:
        rows, columns, values = _triplets(path)
        n = whole("size", size, 1) if size is not None else int(max(rows.max(), columns.max())) + 1
        if size is None:
            _check_rows(name, n, len(values))
        if max(rows.max(), columns.max()) >= n:
            raise ValueError(
                f"size: expected at least {max(rows.max(), columns.max()) + 1}, got {n}"
            )
        A = sparse.csr_array((values, (rows, columns)), shape=(n, n))
    lower, upper = sparse.tril(A, -1), sparse.triu(A, 1)
    if not (lower.nnz and upper.nnz):
        A = A + lower.T + upper.T
    return A.tocsr()


def _check_rows(name: str, rows: int, entries: int) -> None:
    """Raise ValueError if a faulty index would demand a huge matrix."""
    if rows > _ROWS_PER_ENTRY * entries + 1000:
        raise ValueError(
            f"`path`: must have rows in proportion to its entries, got {name!r} with {rows} rows "
            f"and {entries} entries. Pass size={rows} to a text if this is right."
        )


def _check_market(name: str, about: tuple[Any, ...]) -> None:
    rows, columns, entries = (int(number) for number in about[:3])
    # An entry takes at least two bytes: a digit, and a blank or the end of a line.
    if 2 * entries > os.stat(name).st_size:
        raise ValueError(f"{entries} entries are declared, more than the file can hold")
    _check_rows(name, max(rows, columns), entries)


def _triplets(path: str | os.PathLike[str]) -> tuple[Indices, Indices, Array]:
    rows, columns, values = [], [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        for k, line in enumerate(file, 1):
            text = line.strip()
            if not text or text.startswith(("#", "%", "**")):
                continue
            parts = text.replace(",", " ").split()
            try:
                row, column, value = int(parts[0]), int(parts[1]), float(parts[2])
                if len(parts) != 3 or row < 1 or column < 1:
                    raise ValueError
            except (ValueError, IndexError):
                raise ValueError(
                    f"path: {os.fspath(path)!r}: expected row, column and value from 1 on in line "
                    f"{k}, got {text[:60]!r}"
                ) from None
            rows.append(row - 1)
            columns.append(column - 1)
            values.append(value)
    if not rows:
        raise ValueError(f"path: {os.fspath(path)!r}: expected entries of a matrix, got none")
    return np.array(rows), np.array(columns), np.array(values)
