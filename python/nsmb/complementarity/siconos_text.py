"""The text format of Siconos, which consists of numbers separated by blanks, in this order.

| local form | global form |
| --- | --- |
| rows of a contact: 2, 3, or 5 with rolling friction | the same |
| number of contacts | the same |
| matrix W | matrices M, H |
| q | f, w |
| mu, with five rows then mu_r | the same |

A matrix starts with its storage and its size m, n.

- Storage 0 repeats m, n, followed by all entries by columns.
- Storage 1 consists of blocks in rows: number of blocks, numbers of rows and columns of blocks, and
  the end of each of them; numbers of pointers and indices, and both lists; for each block its
  number and its entries by columns.
- Storage 2 has the origin, followed by the output of CSparse: ``m-by-n, nzmax: ...`` with
  compressed columns, preceded by ``csr:`` with compressed rows, or by ``triplet:`` with triplets.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb.complementarity.stored_problem import DIMENSIONS, Floats, Matrix, StoredData, sparse

__all__ = ["STORAGES", "from_bytes", "to_bytes"]

STORAGES = ("dense", "blocks", "sparse")
_TRIPLETS = 1  # origin of a matrix: triplets
_FREE = 1000  # rows and columns allowed without words, so that missing data has its own message
_FLAGS = 1  # number of words that earlier versions wrote at the end
_BANNER = "CSparse Version 3.1.9, triplets with all digits"


def from_bytes(content: bytes) -> StoredData:
    """Return the problem; raise ValueError with the position of an error."""
    words = _Words(content)
    dimension = words.whole("rows of a contact")
    if dimension not in DIMENSIONS:
        raise ValueError(f"first number: expected 2, 3 or 5 rows of a contact, got {dimension}")
    contacts = words.whole("number of contacts")
    rows, coefficients = dimension * contacts, contacts * (2 if dimension == 5 else 1)
    first = _matrix(words, "first matrix")
    is_square = first.shape == (rows, rows)
    if is_square and words.left <= rows + coefficients + _FLAGS:
        data: dict[str, Any] = {"W": first, "w": words.floats("q", rows)}
    else:
        H = _matrix(words, "second matrix")
        f = words.floats("f", first.shape[0])
        data = {"M": first, "H": H, "f": f, "w": words.floats("w", H.shape[1])}
    data["mu"] = words.floats("mu", contacts)
    if dimension == 5:
        data["mu_R"] = words.floats("mu_r", contacts)
    if words.left > _FLAGS:
        raise ValueError(f"after the coefficients: expected the end, got {words.left} more words")
    return StoredData(dimension, **data)


def to_bytes(data: StoredData, storage: str) -> bytes:
    """Return the content of the file."""
    text = io.StringIO()
    text.write(f"{data.dimension}\n{data.contacts}\n")
    for matrix in (data.W, data.M, data.H):
        if matrix is not None:
            kind = STORAGES.index(storage)
            text.write("{}\n{}\n{}\n".format(kind, *matrix.shape))
            if storage == "blocks":
                _put_blocks(text, matrix, data.dimension)
            else:
                _put_dense(text, matrix) if storage == "dense" else _put_triplets(text, matrix)
    for values in (data.f, data.w, data.mu, data.mu_R):
        if values is not None:
            text.write(_line(values))
    return text.getvalue().encode()


class _Words:
    """The words of the file, which are read one after another."""

    def __init__(self, content: bytes) -> None:
        self._words = content.split()
        self._next = 0

    @property
    def left(self) -> int:
        return len(self._words) - self._next

    def take(self, what: str, count: int) -> list[bytes]:
        if count > self.left:
            raise ValueError(
                f"{what}: expected {count} entries, got {self.left}: the file is incomplete"
            )
        self._next += count
        return self._words[self._next - count : self._next]

    def floats(self, what: str, count: int) -> Floats:
        return _floats(what, self.take(what, count))

    def integers(self, what: str, count: int) -> NDArray[np.int64]:
        taken = self.take(what, count)
        try:
            numbers = np.array([int(word) for word in taken], dtype=np.int64)
        except ValueError:
            raise ValueError(f"{what}: expected whole numbers, got {_shown(taken)}") from None
        if (numbers < 0).any():
            raise ValueError(f"{what}: expected numbers >= 0, got {numbers.min()}")
        return numbers

    def whole(self, what: str) -> int:
        return int(self.integers(what, 1)[0])

    def after(self, what: str, mark: bytes) -> bytes:
        """Return the next word that contains `mark`, among the next 40 words."""
        for word in self._words[self._next : self._next + 40]:
            self._next += 1
            if mark in word:
                return word
        raise ValueError(f"{what}: expected {mark.decode()!r} as CSparse prints it")

    def before(self) -> bytes:
        """Return the word before the last one that was read."""
        return self._words[self._next - 2]


def _matrix(words: _Words, what: str) -> Matrix:
    storage, m, n = words.integers(f"{what}, its storage and size", 3)
    if storage >= len(STORAGES):
        raise ValueError(f"{what}: expected storage 0, 1 or 2, got {storage}")
    if max(m, n) > _FREE + words.left:  # vectors of these lengths follow later
        raise ValueError(f"{what}: must have a size justified by {words.left} words, got {m}, {n}")
    matrix = (_dense, _blocks, _printed)[storage](words, what, (int(m), int(n))).tocsc()
    matrix.sum_duplicates()
    return matrix


def _dense(words: _Words, what: str, shape: tuple[int, int]) -> Matrix:
    again = tuple(words.integers(f"{what}, its size repeated", 2).tolist())
    if again != shape:
        raise ValueError(f"{what}: must repeat its size {shape}, got {again}")
    entries = words.floats(what, shape[0] * shape[1])
    return sparse().csc_array(entries.reshape(shape, order="F"))


def _blocks(words: _Words, what: str, shape: tuple[int, int]) -> Matrix:
    count = words.whole(f"{what}, number of blocks")
    if count == 0:
        return sparse().csc_array(shape)
    lines, across = words.integers(f"{what}, rows and columns of blocks", 2)
    ends = [
        np.concatenate([[0], words.integers(f"{what}, ends of {name}", int(number))])
        for name, number in (("rows", lines), ("columns", across))
    ]
    if (ends[0][-1], ends[1][-1]) != shape or any((np.diff(end) < 0).any() for end in ends):
        raise ValueError(f"{what}: blocks that end at {ends[0][-1]}, {ends[1][-1]} in {shape}")
    filled = words.integers(f"{what}, number of pointers and indices", 2)
    pointers, columns = (words.integers(f"{what}, its pointers", int(k)) for k in filled)
    if (columns >= across).any() or not 1 <= pointers.size <= lines + 1:
        raise ValueError(f"{what}: blocks outside of {lines} x {across}")
    if (np.diff(pointers) < 0).any() or pointers[0] != 0 or pointers[-1] > columns.size:
        raise ValueError(f"{what}: must be non-decreasing pointers from 0 to {columns.size}")
    rows_of, columns_of, entries = [], [], []
    for line in range(pointers.size - 1):
        rows = np.arange(ends[0][line], ends[0][line + 1])
        for k in range(pointers[line], pointers[line + 1]):
            inside = np.arange(ends[1][columns[k]], ends[1][columns[k] + 1])
            number = words.whole(f"{what}, number of block {k}")
            if number != k:
                raise ValueError(f"{what}: expected block {k}, got {number}")
            entries.append(words.floats(f"{what}, block {k}", rows.size * inside.size))
            rows_of.append(np.tile(rows, inside.size))
            columns_of.append(np.repeat(inside, rows.size))
    places = [np.concatenate(part) if part else np.zeros(0, int) for part in (rows_of, columns_of)]
    values = np.concatenate(entries) if entries else np.zeros(0)
    return sparse().coo_array((values, tuple(places)), shape=shape)


def _printed(words: _Words, what: str, shape: tuple[int, int]) -> Matrix:
    size = words.after(what, b"-by-").rstrip(b",")
    kind = {b"triplet:": "coo", b"csr:": "csr"}.get(words.before(), "csc")
    if size != b"%d-by-%d" % shape:
        raise ValueError(f"{what}: expected {shape[0]}-by-{shape[1]}, got {size.decode()}")
    words.after(what, b"nnz:")
    count = int(words.take(what, 1)[0].rstrip(b","))
    if kind == "coo":
        table = words.take(what, 4 * count)
        return _placed(what, table[::4], table[1::4], table[3::4], shape)
    words.after(what, b"1-norm:")
    words.take(what, 1)
    lines: list[int] = []
    places: list[bytes] = []
    values: list[bytes] = []
    for k in range(shape[1] if kind == "csc" else shape[0]):
        head = words.take(f"{what}, line {k}", 7)  # col k : locations a to b
        if head[3] != b"locations":
            raise ValueError(f"{what}: expected line {k} with its locations, got {_shown(head)}")
        filled = int(head[6]) - int(head[4]) + 1
        table = words.take(f"{what}, line {k}", 3 * filled)
        lines += filled * [k]
        places += table[::3]
        values += table[2::3]
    if len(values) != count:
        raise ValueError(f"{what}: expected {count} entries, got {len(values)}")
    outer, inner = (lines, places) if kind == "csr" else (places, lines)
    return _placed(what, outer, inner, values, shape)


def _placed(what: str, rows: Any, columns: Any, values: Any, shape: tuple[int, int]) -> Matrix:
    try:
        places = [np.array([int(k) for k in part], dtype=np.int64) for part in (rows, columns)]
    except ValueError as error:
        raise ValueError(f"{what}: expected row, column and entry ({error})") from None
    for place, size in zip(places, shape, strict=True):
        if ((place < 0) | (place >= size)).any():
            raise ValueError(f"{what}: entries outside of {shape[0]} x {shape[1]}")
    return sparse().coo_array((_floats(what, values), tuple(places)), shape=shape)


def _floats(what: str, words: list[bytes]) -> Floats:
    try:
        return np.array([float(word) for word in words], dtype=np.float64)
    except ValueError:
        raise ValueError(f"{what}: expected numbers, got {_shown(words)}") from None


def _shown(words: list[bytes]) -> str:
    text = b" ".join(words[:6]).decode(errors="replace")
    return f"{text[:60]!r}"


def _put_dense(text: io.StringIO, matrix: Matrix) -> None:
    text.write("{}\t{}\n".format(*matrix.shape))
    for row in matrix.toarray().T:
        text.write(_line(row))


def _put_blocks(text: io.StringIO, matrix: Matrix, size: int) -> None:
    blocks = matrix.tobsr((size, size))
    blocks.sort_indices()
    count = blocks.data.shape[0]
    lines = matrix.shape[0] // size
    text.write(f"{count}\n")
    if count == 0:
        return
    ends = "\t".join(str(size * (k + 1)) for k in range(lines))
    text.write(f"{lines}\n{lines}\n{ends}\n{ends}\n{lines + 1}\n{count}\n")
    for numbers in (blocks.indptr, blocks.indices):
        text.write("\t".join(map(str, numbers)) + "\n")
    for k, block in enumerate(blocks.data):
        text.write(f"{k}\n{_line(block.T.ravel())}")


def _put_triplets(text: io.StringIO, matrix: Matrix) -> None:
    triplets = matrix.tocoo()
    m, n = matrix.shape
    count = triplets.nnz
    text.write(f"{_TRIPLETS}\n{_BANNER}\n")
    text.write(f"triplet: {m}-by-{n}, nzmax: {max(count, 1)} nnz: {count}\n")
    for i, j, x in zip(triplets.row, triplets.col, triplets.data, strict=True):
        text.write(f"    {i} {j} : {float(x)!r}\n")


def _line(values: Floats) -> str:
    return " ".join(repr(float(x)) for x in values) + "\n"
