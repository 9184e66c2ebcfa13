"""Damaged, truncated or foreign files, and full disks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb.analysis.results import BasinMap
from nsmb.solution import files as storage

Arrays = dict[str, np.ndarray]


@pytest.fixture(params=[".npz", ".h5"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param != ".npz":
        pytest.importorskip("h5py")
    return tmp_path / f"run{request.param}"


@pytest.fixture(scope="module")
def run() -> nsmb.Solution:
    return nsmb.simulate(nsmb.systems.woodpecker(), 0.1, output_step=0.01)


def content(run: nsmb.Solution, path: Path) -> tuple[dict[str, Any], Arrays]:
    run.save(path)
    header, data = storage.read(path, storage.FORMAT, storage.VERSION, "solution")
    return header, dict(data)


def assert_same(found: nsmb.Solution, run: nsmb.Solution) -> None:
    for name, array in run._data.items():
        assert found._data[name].tobytes() == array.tobytes(), name
    assert (found.status, found.stats, found.parameters) == (run.status, run.stats, run.parameters)


def test_damaged_files_are_refused_or_read_right(run: nsmb.Solution, path: Path) -> None:
    """One to eight bytes are changed, or the file is truncated."""
    run.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(11)
    messages = []
    for k in range(300):
        image = bytearray(whole)
        if k % 10 == 0:
            del image[rng.integers(len(image)) :]
        for place in rng.integers(len(image), size=rng.integers(1, 9)) if image else []:
            image[place] ^= int(rng.integers(1, 256))
        path.write_bytes(image)
        try:
            found = nsmb.Solution.load(path)
        except ValueError as error:
            messages.append(str(error))
        else:
            assert_same(found, run)
    assert len(messages) > 100
    assert all(os.fspath(path) in message for message in messages)


TABLES = ("y", "g_N", "lambda_T", "friction_loss", "event_q", "event_Lambda_N", "event_state_plus",
          "step_end", "step_offset", "step_state", "contact_state")  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_one_row_short_is_named(run: nsmb.Solution, path: Path, name: str) -> None:
    header, data = content(run, path)
    storage.write(path, header, data | {name: data[name][:-1]})
    with pytest.raises(ValueError, match=rf"is damaged \('{name}': expected \d+ rows, got shape"):
        nsmb.Solution.load(path)


CHANGES: dict[str, tuple[Callable[[dict[str, Any], Arrays], object], str]] = {
    "columns": (
        lambda h, d: d.update(y=d["y"][:, :-1]),
        r"'y': expected 6 columns",
    ),
    "texts": (
        lambda h, d: d.update(t=np.array(["a"] * d["t"].size)),
        "'t': expected numbers",
    ),
    "times that fall": (
        lambda h, d: d.update(t=d["t"][::-1].copy()),
        "'t': must be non-decreasing times",
    ),
    "places outside": (
        lambda h, d: d.update(coefficients=d["coefficients"][:-1]),
        "'step_offset': must be indices into",
    ),
    "states": (
        lambda h, d: d.update(contact_state=d["contact_state"] + np.int8(9)),
        r"'contact_state': expected values of nsmb\.ContactState",
    ),
    "names": (lambda h, d: h.update(coordinates=[1, 2, 3]), "'coordinates': expected texts"),
    "statistics": (lambda h, d: h.update(stats={"a": "b"}), "'stats': expected numbers, got 'b'"),
    "an option of another type": (
        lambda h, d: h["method"].update(rtol="1e-8"),
        r"'method': expected rtol of type float \| None, got '1e-8'",
    ),
    "an option that is a number": (
        lambda h, d: h["method"].update(divide=2),
        r"'method': expected divide of type bool \| None, got 2",
    ),
    "an option more": (lambda h, d: h["method"].update(speed=1.0), "is damaged .*'speed'"),
    "version as text": (
        lambda h, d: h.update(version="3"),
        "has format version '3', this nsmb reads 4",
    ),
    "no version": (lambda h, d: h.pop("version"), "has format version None, this nsmb reads 4"),
    "no status": (lambda h, d: h.pop("status"), "is incomplete: no 'status'"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_contents_that_do_not_fit_are_named(run: nsmb.Solution, tmp_path: Path, name: str) -> None:
    change, message = CHANGES[name]
    header, data = content(run, tmp_path / "run.npz")
    change(header, data)
    storage.write(tmp_path / "run.npz", header, data)
    with pytest.raises(ValueError, match=rf"^path: '.*run\.npz'.*{message}"):
        nsmb.Solution.load(tmp_path / "run.npz")


def test_values_changed_in_an_hdf5_file_are_noticed(run: nsmb.Solution, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    run.save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file["y"][3, 1] += 1e-12
    with pytest.raises(ValueError, match=r"run\.h5' is .* damaged \(its checksum is wrong\)"):
        nsmb.Solution.load(tmp_path / "run.h5")


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_a_full_disk_is_an_error_and_no_half_file(run: nsmb.Solution, path: Path) -> None:
    """A process limited to files of 4 kB continues, and the previous file is kept."""
    run.save(path)
    before = path.read_bytes()
    script = """
    import resource, signal, sys, nsmb
    run = nsmb.Solution.load(sys.argv[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        run.save(sys.argv[1])
    except OSError as error:
        print("refused:", error.strerror)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "refused: File too large\n"
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_diagram_and_basins_that_are_damaged_are_named(tmp_path: Path) -> None:
    from nsmb.analysis.results import BifurcationDiagram

    for kind, what in ((BifurcationDiagram, "bifurcation diagram"), (BasinMap, "set of basins")):
        path = tmp_path / "found.npz"
        path.write_bytes(b"PK\x03\x04 and nothing behind")
        with pytest.raises(ValueError, match=f"is not a {what} of nsmb, or damaged"):
            kind.load(path)


def test_the_text_of_a_file_is_plain_json(run: nsmb.Solution, tmp_path: Path) -> None:
    header, _ = content(run, tmp_path / "run.npz")
    assert json.loads(json.dumps(header)) == header
