"""Results of computations as bytes: a JSON description and arrays, without pickle."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack", "unpack"]

_KINDS = "biufcU"  # supported kinds of NumPy types
_DIGEST, _LENGTH = hashlib.sha256().digest_size, 8


def pack(value: Any, classes: Sequence[type] = ()) -> bytes:
    """Pack numbers, strings, bytes, arrays, and lists, tuples and dicts of these as bytes.

    Parameters
    ----------
    value : object
    classes : sequence of type
        Dataclasses that may occur in addition.

    Raises
    ------
    TypeError
        If the value contains anything else.
    """
    arrays: list[NDArray[Any]] = []
    content = _put(value, tuple(classes), arrays)
    about = [[array.dtype.str, list(array.shape)] for array in arrays]
    text = json.dumps({"content": content, "arrays": about}).encode()
    rows = (np.ascontiguousarray(array).tobytes() for array in arrays)
    body = len(text).to_bytes(_LENGTH, "little") + text + b"".join(rows)
    return hashlib.sha256(body).digest() + body


def unpack(packed: bytes, classes: Sequence[type] = ()) -> Any:
    """Return the value packed by :func:`pack`, with the same types.

    Raises
    ------
    ValueError
        If the bytes are invalid. No object larger than the bytes is created.
    """
    if not isinstance(packed, bytes) or len(packed) < _DIGEST + _LENGTH:
        raise ValueError("too short, or no bytes")
    body = packed[_DIGEST:]
    if hashlib.sha256(body).digest() != packed[:_DIGEST]:
        raise ValueError("its checksum is wrong")
    end = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    about = json.loads(body[_LENGTH:end])
    arrays, place = [], end
    for name, shape in about["arrays"]:
        dtype, size = np.dtype(str(name)), 1
        if dtype.kind not in _KINDS or dtype.hasobject or dtype.subdtype:
            raise ValueError(f"an array of {dtype}")
        for length in shape:
            size *= int(length)
        behind = place + size * dtype.itemsize
        if behind > len(body) or not all(0 <= length <= len(body) for length in shape):
            raise ValueError("an array that is larger than its bytes")
        content = body[place:behind]
        flat = np.frombuffer(content, dtype) if content else np.zeros(0, dtype)
        arrays.append(flat.reshape(shape).copy())
        place = behind
    if place != len(body):
        raise ValueError("bytes that belong to nothing")
    # Each array is used for one value, so that the values are no larger than the bytes either.
    return _get(about["content"], {cls.__name__: cls for cls in classes}, dict(enumerate(arrays)))


def _put(value: Any, classes: tuple[type, ...], arrays: list[NDArray[Any]]) -> Any:
    kind = type(value)
    if kind in (bool, int, float, str, type(None)):
        return value
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    if kind is bytes:
        arrays.append(np.frombuffer(value, np.uint8))
        return {"bytes": len(arrays) - 1}
    if isinstance(value, np.generic) or kind is np.ndarray:
        array = np.asarray(value)
        if array.dtype.kind not in _KINDS or not array.dtype.itemsize:
            raise TypeError(_remedy(f"an array of {array.dtype}"))
        arrays.append(array)
        return {"array" if kind is np.ndarray else "scalar": len(arrays) - 1}
    if kind in (list, tuple):
        entries = [_put(entry, classes, arrays) for entry in value]
        return entries if kind is list else {"tuple": entries}
    if kind is dict and all(type(key) is str for key in value):
        return {"dict": {key: _put(entry, classes, arrays) for key, entry in value.items()}}
    if kind in classes:
        fields = {
            field.name: _put(getattr(value, field.name), classes, arrays)
            for field in dataclasses.fields(value)
        }
        return {kind.__name__: fields}
    raise TypeError(_remedy(f"an object of {kind.__module__}.{kind.__qualname__}"))


def _remedy(what: str) -> str:
    return (
        "result: must be made of numbers, texts, bytes, arrays, and lists, tuples and dicts with "
        f"texts as keys, got {what}. Return such values, or leave checkpoint out."
    )


def _get(value: Any, classes: Mapping[str, type], arrays: dict[int, NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return [_get(entry, classes, arrays) for entry in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "complex":
        return complex(*content)
    if kind in ("bytes", "array", "scalar"):
        array = arrays.pop(content)
        return array.tobytes() if kind == "bytes" else array if kind == "array" else array[()]
    if kind == "tuple":
        return tuple(_get(entry, classes, arrays) for entry in content)
    entries = {key: _get(entry, classes, arrays) for key, entry in content.items()}
    return entries if kind == "dict" else classes[kind](**entries)
