"""Checkpoints of sweeps keep the guarantees of SECURITY.md."""

from __future__ import annotations

import ast
import os
import pickle
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import nsmb
from nsmb.analysis import sweep
from nsmb.analysis.common.packing import pack, unpack

PACKAGE = Path(nsmb.__file__).parent


class Trap:
    """An object that executes code when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, (os.environ["NSMB_TRAP"],)


def double(x: float) -> float:
    return 2.0 * x


def execute(path: Path, *commands: str, blob: bytes = b"") -> None:
    base = sqlite3.connect(path)
    for command in commands:
        base.execute(command, (blob,) if "?" in command else ())
    base.commit()
    base.close()


def test_a_pickle_in_a_checkpoint_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSMB_TRAP", str(tmp_path / "trapped"))
    path = tmp_path / "sweep.db"
    sweep(double, [1.0, 2.0], checkpoint=path, key="v1")
    execute(path, "UPDATE outcomes SET result = ? WHERE point = 1", blob=pickle.dumps(Trap()))
    with pytest.raises(ValueError, match="the result of point 1 is damaged"):
        sweep(double, [1.0, 2.0], checkpoint=path, key="v1")
    assert not (tmp_path / "trapped").exists()
    pickle.loads(pickle.dumps(Trap()))
    assert (tmp_path / "trapped").exists()  # the trap works


@pytest.mark.parametrize(
    "commands",
    [
        ("CREATE TRIGGER t AFTER INSERT ON outcomes BEGIN DELETE FROM sweep; END",),
        ("CREATE VIEW v AS SELECT 1",),
        ("DROP TABLE outcomes", "CREATE VIEW outcomes AS SELECT 1, '', '', x''"),
        ("CREATE TABLE more (x)",),
    ],
)
def test_a_checkpoint_with_more_than_its_tables_is_refused(
    tmp_path: Path, commands: tuple[str, ...]
) -> None:
    path = tmp_path / "sweep.db"
    sweep(double, [1.0, 2.0], checkpoint=path, key="v1")
    execute(path, *commands)
    with pytest.raises(ValueError, match="is not a checkpoint of a sweep"):
        sweep(double, [1.0, 2.0], checkpoint=path, key="v1")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes pipes")
def test_special_files_are_no_checkpoints(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="must be a regular file"):
        sweep(double, [1.0], checkpoint=tmp_path / "pipe", key="v1")


numbers = st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers()
kinds = st.sampled_from([np.float64, np.float32, np.int8, np.uint64, np.bool_, np.complex128])
tables = kinds.flatmap(
    lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, min_side=0, max_side=3))
)
values = st.recursive(
    numbers | st.text(max_size=5) | st.binary(max_size=5) | tables,
    lambda part: (
        st.lists(part, max_size=3)
        | st.lists(part, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), part, max_size=3)
    ),
    max_leaves=8,
)


def same(a: Any, b: Any) -> bool:
    """Return True if the values have the same types and are bitwise identical."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float | complex):
        return repr(a) == repr(b)
    return bool(a == b)


@given(values)
def test_results_come_back_as_they_were(value: Any) -> None:
    assert same(unpack(pack(value)), value)


def test_scalars_of_numpy_keep_their_types() -> None:
    for value in (np.float64(1.0), np.float32(0.1), np.int8(3), np.bool_(True), np.str_("a")):
        again = unpack(pack(value))
        assert type(again) is type(value)
        assert again == value


@dataclass(frozen=True)
class Pair:
    first: float
    second: np.ndarray


def test_other_results_are_refused_with_a_remedy() -> None:
    for value in (Pair(1.0, np.zeros(2)), {1: 2}, {"a": {1, 2}}, np.array([None]), Trap(), double):
        with pytest.raises(TypeError, match=r"result: must be made of numbers.*leave checkpoint"):
            pack(value)
    again = unpack(pack(Pair(1.0, np.ones(2)), [Pair]), [Pair])
    assert again.first == 1.0
    with pytest.raises(KeyError):
        unpack(pack(Pair(1.0, np.ones(2)), [Pair]))
    result = sweep(lambda x: Pair(x, np.zeros(2)) if x else 0.0, [0.0, 1.0])
    assert result.success  # without a checkpoint, results may be of any type


@given(st.binary(max_size=200), st.integers(0, 400))
def test_damaged_results_are_errors(more: bytes, place: int) -> None:
    packed = bytearray(pack({"a": np.arange(9.0), "b": [1, "text", None]}))
    packed[place % len(packed)] ^= 1 + len(more) % 255
    for wrong in (bytes(packed), more, bytes(packed)[: place % len(packed)]):
        with pytest.raises(ValueError, match=r"checksum|too short"):
            unpack(wrong)


def test_packed_results_cannot_ask_for_memory() -> None:
    import hashlib
    import json

    for about in ([["<f8", [10**15]]], [["<f8", [10**15, 0]]], [["O", [1]]], [["<f8", [-1, -2]]]):
        text = json.dumps({"content": {"array": 0}, "arrays": about}).encode()
        body = len(text).to_bytes(8, "little") + text + bytes(16)
        with pytest.raises(ValueError, match=r"array"):
            unpack(hashlib.sha256(body).digest() + body)
    twice = json.dumps({"content": [{"bytes": 0}, {"bytes": 0}], "arrays": [["|u1", [8]]]}).encode()
    body = len(twice).to_bytes(8, "little") + twice + bytes(8)
    with pytest.raises(KeyError):
        unpack(hashlib.sha256(body).digest() + body)


def test_no_module_reads_pickles() -> None:
    """Failure reports contain programs that read pickles, but nsmb does not run them."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                if [alias.name for alias in node.names] != ["PicklingError"]:
                    names = [str(node.module)]
            elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                names = ["pickle"] if getattr(node.value, "value", True) else []
            if {"pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"} & set(names):
                found.add(path.relative_to(PACKAGE).as_posix())
    assert found == {"testing/script.py"}
    text = (PACKAGE / "testing" / "script.py").read_text("utf-8")
    assert "pickle.dumps" in text
    assert text.count("pickle.loads") == 1  # in the generated program
