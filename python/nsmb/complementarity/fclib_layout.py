"""The layout of FCLIB: an HDF5 file with one problem, and optionally a solution and guesses.

| group | holds | spacedim |
| --- | --- | --- |
| fclib_local | W, vectors/q, mu; with bilateral constraints V, R, vectors/s | 2, 3 |
| fclib_global | M, H, vectors/f, w, mu; with bilateral constraints G, vectors/b | 2, 3 |
| fclib_global_rolling | as fclib_global, and vectors/mu_r | 5 |
| fclib_local_rolling | as fclib_local, and vectors/mu_r; FCLIB itself has no such group | 5 |
| solution, guesses/k | r, u, with global problems v, with bilateral constraints l | |

The local form is ``u = W r + V l + q, 0 = Vᵀ r + R l + s``. The global form is
``M v = H r + G l + f, u = Hᵀ v + w, 0 = Gᵀ v + b``. A matrix consists of m, n, nz, nzmax, p, i, x.
nz = -1 means compressed columns, and -2 compressed rows. Otherwise there are nz triplets with rows
in i and columns in p. All known files have this order, although the header of FCLIB states the
opposite.

Source: V. Acary, M. Brémond, T. Koziara, F. Pérignon, *FCLIB: a collection of discrete 3D
frictional contact problems*, INRIA RT-444 (2014).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nsmb.common.extras import import_extra
from nsmb.common.plain_hdf5 import check_hdf5
from nsmb.complementarity.stored_problem import (
    Floats,
    Matrix,
    StoredData,
    StoredSolution,
    joined,
    sparse,
)

__all__ = ["INFO", "read_file", "to_bytes"]

INFO = ("title", "description", "math_info")
_GROUPS = ("fclib_local", "fclib_local_rolling", "fclib_global", "fclib_global_rolling")
_MAX_INT = np.iinfo(np.int32).max
_CSC, _CSR = -1, -2
_FREE = 1000  # rows and columns allowed without entries, so that missing data has its own message
_SYMMETRIC = (
    1e-10  # tolerance between V and the transpose of its mirror block, relative to its entries
)


def read_file(
    path: str,
) -> tuple[StoredData, StoredSolution | None, list[StoredSolution], dict[str, str]]:
    """Return problem, solution, guesses and texts; raise an error for invalid content."""
    h5py = import_extra("h5py", "data")
    with h5py.File(path, "r") as file:
        check_hdf5(file, groups=True, kinds="biufS")
        found = [name for name in _GROUPS if name in file]
        if len(found) != 1:
            held = ", ".join(file) or "nothing"
            raise ValueError(f"expected one of the groups {', '.join(_GROUPS)}, got {held}")
        group = file[found[0]]
        data = _local(group) if "local" in found[0] else _global(group)
        solution = _solution(file["solution"], data) if "solution" in file else None
        guesses = [_solution(guess, data) for guess in _numbered(file.get("guesses", {}))]
        texts = group.get("info", {})
        return data, solution, guesses, {k: _text(texts[k]) for k in INFO if k in texts}


def to_bytes(
    data: StoredData,
    solution: StoredSolution | None,
    guesses: Sequence[StoredSolution],
    texts: Mapping[str, str],
) -> bytes:
    """Return the content of the file."""
    h5py = import_extra("h5py", "data")
    rolling = "_rolling" if data.mu_R is not None else ""
    name = f"fclib_{'local' if data.W is not None else 'global'}{rolling}"
    with h5py.File("image", "w", driver="core", backing_store=False) as file:
        group = file.create_group(name)
        _put(group, "spacedim", data.dimension)
        vectors = group.create_group("vectors")
        _put_local(group, vectors, data) if data.W is not None else _put_global(
            group, vectors, data
        )
        vectors["mu"] = data.mu
        if data.mu_R is not None:
            vectors["mu_r"] = data.mu_R
        if texts:
            info = group.create_group("info")
            for key, text in texts.items():
                _put_text(info, key, text)
        if solution is not None:
            _put_solution(file.create_group("solution"), solution, data)
        if guesses:
            _put(file.create_group("guesses"), "number_of_guesses", len(guesses))
            for k, guess in enumerate(guesses):
                _put_solution(file["guesses"].create_group(str(k + 1)), guess, data)
        file.flush()
        image: bytes = file.id.get_file_image()
    return image


def _local(group: Any) -> StoredData:
    W, q, free = _matrix(group, "W"), _vector(group, "q"), 0
    if "V" in group:
        V, R = _matrix(group, "V"), _matrix(group, "R")
        free = R.shape[0]
        W = joined([[W, V], [V.T, R]])
        q = np.concatenate([q, _vector(group, "s")])
    return StoredData(**_contacts(group), W=W, w=q, free=free)


def _global(group: Any) -> StoredData:
    M, H = _matrix(group, "M"), _matrix(group, "H")
    w, free = _vector(group, "w"), 0
    if "G" in group:
        G = _matrix(group, "G")
        free = G.shape[1]
        H = joined([[H, G]])
        w = np.concatenate([w, _vector(group, "b")])
    return StoredData(**_contacts(group), M=M, H=H, f=_vector(group, "f"), w=w, free=free)


def _contacts(group: Any) -> dict[str, Any]:
    rolls = "mu_r" in group["vectors"]
    return {
        "dimension": _number(group, "spacedim"),
        "mu": _vector(group, "mu"),
        "mu_R": _vector(group, "mu_r") if rolls else None,
    }


def _put_local(group: Any, vectors: Any, data: StoredData) -> None:
    W, m = data.W, data.w.size - data.free
    assert W is not None
    _put_matrix(group, "W", W[:m, :m].tocsr())
    vectors["q"] = data.w[:m]
    if data.free:
        V = W[:m, m:]
        if abs(V - W[m:, :m].T).max() > _SYMMETRIC * abs(V).max():
            raise ValueError("W: FCLIB's layout holds bilateral constraints with symmetric W only")
        _put_matrix(group, "V", V.tocsr())
        _put_matrix(group, "R", W[m:, m:].tocsr())
        vectors["s"] = data.w[m:]


def _put_global(group: Any, vectors: Any, data: StoredData) -> None:
    m = data.w.size - data.free
    assert data.H is not None
    assert data.M is not None
    _put_matrix(group, "M", data.M.tocoo())
    _put_matrix(group, "H", data.H[:, :m].tocoo())
    vectors["f"] = data.f
    vectors["w"] = data.w[:m]
    if data.free:
        _put_matrix(group, "G", data.H[:, m:].tocoo())
        vectors["b"] = data.w[m:]


def _matrix(parent: Any, name: str) -> Matrix:
    group = _entry(parent, name)
    m, n, nz = (_number(group, key) for key in ("m", "n", "nz"))
    p, i, x = (np.asarray(_entry(group, key)[()]).ravel() for key in ("p", "i", "x"))
    where = group.name
    # Each row and each column corresponds to an entry of a vector of the problem.
    entries = sum(vector.size for vector in _entry(parent, "vectors").values())
    if max(m, n) > _FREE + entries:
        raise ValueError(
            f"{where}: must have sizes m, n justified by vectors with {entries} entries, got {m}, "
            f"{n}"
        )
    if min(m, n) < 0 or nz < _CSR:
        raise ValueError(f"{where}: expected sizes m, n >= 0 and nz >= -2, got {m}, {n}, {nz}")
    if nz >= 0:
        for key, values in (("p", p), ("i", i), ("x", x)):
            _at_least(f"{where}/{key}", values, nz, f"nz = {nz} triplets")
        return _triplets(where, i[:nz], p[:nz], x[:nz], (m, n))
    lines, across, count = (n, m, p[-1:]) if nz == _CSC else (m, n, p[-1:])
    if p.size != lines + 1:
        kind = "columns" if nz == _CSC else "rows"
        raise ValueError(
            f"{where}/p: expected {lines + 1} entries for {lines} compressed {kind}, got {p.size}"
        )
    size = int(count[0])
    if p[0] != 0 or (np.diff(p) < 0).any():
        raise ValueError(f"{where}/p: must be non-decreasing numbers that start at 0")
    for key, values in (("i", i), ("x", x)):
        _at_least(f"{where}/{key}", values, size, f"the last entry of p is {size}")
    _in_range(f"{where}/i", i[:size], across)
    kind = sparse().csc_array if nz == _CSC else sparse().csr_array
    return _canonical(kind((x[:size].astype(np.float64), i[:size], p), shape=(m, n)))


def _triplets(where: str, rows: Any, columns: Any, x: Any, shape: tuple[int, int]) -> Matrix:
    def fits(i: Any, n: int) -> bool:
        return bool(((i >= 0) & (i < n)).all())

    if not (fits(rows, shape[0]) and fits(columns, shape[1])):
        if not (fits(columns, shape[0]) and fits(rows, shape[1])):
            raise ValueError(
                f"{where}: triplets with indices outside of {shape[0]} x {shape[1]}: i reaches "
                f"{rows.max()}, p {columns.max()}"
            )
        rows, columns = columns, rows
    return _canonical(sparse().coo_array((x.astype(np.float64), (rows, columns)), shape=shape))


def _canonical(matrix: Matrix) -> Matrix:
    matrix = matrix.tocsc()
    matrix.sum_duplicates()
    return matrix


def _put_matrix(parent: Any, name: str, matrix: Matrix) -> None:
    if max(*matrix.shape, matrix.nnz) > _MAX_INT:
        raise ValueError(f"{name}: FCLIB's layout counts to {_MAX_INT}, got {matrix.nnz} entries")
    group = parent.create_group(name)
    is_triplet = matrix.format == "coo"
    for key, value in zip(("m", "n"), matrix.shape, strict=True):
        _put(group, key, value)
    _put(group, "nzmax", matrix.nnz)
    _put(group, "nz", matrix.nnz if is_triplet else _CSR)
    p, i = (matrix.col, matrix.row) if is_triplet else (matrix.indptr, matrix.indices)
    group["p"] = p.astype(np.int32)
    group["i"] = i.astype(np.int32)
    group["x"] = matrix.data


def _solution(group: Any, data: StoredData) -> StoredSolution:
    m = data.w.size - data.free
    r, u = (_sized(group, key, m) for key in ("r", "u"))
    if data.free:
        r = np.concatenate([r, _sized(group, "l", data.free)])
        u = np.concatenate([u, np.zeros(data.free)])
    v = _sized(group, "v", data.M.shape[0]) if data.M is not None else None
    return StoredSolution(r, u, v)


def _put_solution(group: Any, solution: StoredSolution, data: StoredData) -> None:
    m = data.w.size - data.free
    group["r"], group["u"] = solution.x[:m], solution.y[:m]
    if data.free:
        group["l"] = solution.x[m:]
    if data.M is not None:
        group["v"] = solution.v


def _numbered(group: Any) -> list[Any]:
    """Return the subgroups 1, 2, ... in numerical order."""
    return [group[key] for key in sorted((k for k in group if k.isdigit()), key=int)]


def _entry(group: Any, name: str) -> Any:
    if name not in group:
        raise ValueError(f"{group.name}: expected an entry {name!r}, got {', '.join(group)}")
    return group[name]


def _number(group: Any, name: str) -> int:
    values = np.asarray(_entry(group, name)[()]).ravel()
    if values.size != 1 or values.dtype.kind not in "iu":
        raise ValueError(f"{group.name}/{name}: expected a whole number, got {values.tolist()}")
    return int(values[0])


def _vector(group: Any, name: str) -> Floats:
    vectors = _entry(group, "vectors")
    return np.array(_entry(vectors, name)[()], dtype=np.float64).ravel()


def _sized(group: Any, name: str, size: int) -> Floats:
    values = np.array(_entry(group, name)[()], dtype=np.float64).ravel()
    if values.size != size:
        raise ValueError(f"{group.name}/{name}: expected {size} entries, got {values.size}")
    return values


def _at_least(name: str, values: Any, size: int, why: str) -> None:
    if values.size < size:
        raise ValueError(f"{name}: expected {size} entries ({why}), got {values.size}")


def _in_range(name: str, indices: Any, size: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        raise ValueError(
            f"{name}: expected indices 0 ... {size - 1}, got {indices.min()} ... {indices.max()}"
        )


def _text(entry: Any) -> str:
    value = entry[()]
    text = value if isinstance(value, str) else bytes(value).decode("utf-8", errors="replace")
    return text.rstrip("\0")


def _put(group: Any, name: str, value: int) -> None:
    group.create_dataset(name, data=np.array([value], dtype=np.int32))


def _put_text(group: Any, name: str, text: str) -> None:
    encoded = text.encode() + b"\0"  # terminated for C programs
    group.create_dataset(name, data=np.array(encoded, dtype=f"S{len(encoded)}"))
