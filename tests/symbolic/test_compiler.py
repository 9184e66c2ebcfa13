"""Machine code is compiled once, stored on disk, and recompiled only if necessary."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import symbolic
from nsmb.symbolic import compiler

ASSEMBLY = """
define void @f(ptr %in, ptr %out) {{
  %to = load ptr, ptr %out
  store double {value}, ptr %to
  ret void
}}
"""


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record compilations, with empty caches on disk and in memory."""
    done: list[str] = []
    original = compiler._compile

    def counted(assembly: str) -> bytes:
        done.append(assembly)
        return original(assembly)

    monkeypatch.setenv("NSMB_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "_compile", counted)
    compiler._loaded.clear()
    return done


def ball(height: float = 1.0) -> symbolic.LagrangianSystem:
    y = symbolic.coordinates("y")
    p = symbolic.parameters(m=1.0, g=9.81, e=0.5)
    floor = nsmb.Contact(y, law=nsmb.ContactLaw(e_N=p.e), name="floor")
    return symbolic.LagrangianSystem(
        [y], p.m * y.velocity**2 / 2, p.m * p.g * y, contacts=[floor], parameters=p,
        initial={y: height},
    )  # fmt: skip


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.o"))


def test_changed_parameters_compile_nothing(compilations: list[str]) -> None:
    system = ball()
    first = len(compilations)
    assert first > 0
    for e in np.linspace(0.1, 0.9, 50):
        nsmb.simulate(system.with_parameters(e=float(e), m=2.0), 0.1)
    assert len(compilations) == first


def test_the_same_system_is_compiled_once(compilations: list[str], tmp_path: Path) -> None:
    system = ball()
    first = len(compilations)
    ball()
    assert len(compilations) == first == len(files(tmp_path))
    del system
    compiler._loaded.clear()
    again = ball()  # from disk
    assert len(compilations) == first
    assert again.forces(0.0, [1.0], [0.0])[0] == -9.81
    ball(height=2.0)
    assert len(compilations) > first


_OTHER_PROCESS = """
import nsmb
from nsmb.symbolic import compiler
{forbid}
system = nsmb.systems.woodpecker.symbolic(linear=False)
print(repr(nsmb.simulate(system, 0.2).q[-1].tolist()))
"""


def test_other_processes_find_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for any hash order in the other process."""
    monkeypatch.setenv("NSMB_CACHE_DIR", str(tmp_path))
    ends = []
    for seed, forbid in (("1", ""), ("2", "compiler._compile = None")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        command = [sys.executable, "-c", _OTHER_PROCESS.format(forbid=forbid)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        ends.append(run.stdout)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("damage", ["empty", "cut", "bit", "foreign", "folder"])
def test_damaged_files_are_made_again(compilations: list[str], tmp_path: Path, damage: str) -> None:
    assembly = ASSEMBLY.format(value="2.5")
    assert value_of(compiler.compiled(assembly)) == 2.5
    path = files(tmp_path)[0]
    data = path.read_bytes()
    if damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        bit = data[:200] + bytes([data[200] ^ 1]) + data[201:]
        path.write_bytes({"empty": b"", "cut": data[:-9], "bit": bit, "foreign": b"ELF"}[damage])
    compiler._loaded.clear()
    assert value_of(compiler.compiled(assembly)) == 2.5
    assert len(compilations) == 2
    if damage != "folder":
        assert path.read_bytes() == data
    assert not list(tmp_path.rglob("*.part"))


def value_of(code: compiler.Code) -> float:
    import ctypes

    value = ctypes.c_double()
    out = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("f"))
    function(None, ctypes.addressof(out))
    return value.value


def test_a_cache_without_a_place_only_costs_time(
    compilations: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("NSMB_CACHE_DIR", str(blocked / "below"))
    assert value_of(compiler.compiled(ASSEMBLY.format(value="3.5"))) == 3.5
    assert len(compilations) == 1


def test_threads_that_want_the_same_code_compile_it_once(compilations: list[str]) -> None:
    assembly = ASSEMBLY.format(value="4.5")
    found: list[compiler.Code] = []

    def want() -> None:
        found.append(compiler.compiled(assembly))

    threads = [threading.Thread(target=want) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(compilations) == 1
    assert all(code is found[0] for code in found)


def test_versions_and_target_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assembly = ASSEMBLY.format(value="1.5")
    target, about = compiler._target()
    key = compiler._key(assembly)
    assert "llvmlite" in about
    assert target.triple in about
    monkeypatch.setattr(compiler, "_target", lambda: (target, about + "!"))
    assert compiler._key(assembly) != key


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other folders")
def test_the_cache_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NSMB_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert symbolic.cache_folder() == tmp_path / "nsmb"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert symbolic.cache_folder() == tmp_path / "me" / ".cache" / "nsmb"
