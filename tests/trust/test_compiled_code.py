"""The folder of compiled code keeps the guarantees of SECURITY.md."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

pytest.importorskip("sympy")
pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="asks for owners and modes")

from nsmb.symbolic import CacheWarning, compiler  # noqa: E402

ASSEMBLY = """
define void @f(ptr %in, ptr %out) {{
  %to = load ptr, ptr %out
  store double {value}, ptr %to
  ret void
}}
"""


@pytest.fixture
def compilations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record compilations, with an empty memory cache and `tmp_path` as the disk cache."""
    done: list[str] = []
    original = compiler._compile

    def counted(assembly: str) -> bytes:
        done.append(assembly)
        return original(assembly)

    tmp_path.chmod(0o700)
    monkeypatch.setenv("NSMB_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "_compile", counted)
    return done


def value(text: str) -> float:
    """Return the value of the code, without keeping it in memory."""
    import ctypes

    code = compiler.compiled(ASSEMBLY.format(value=text))
    found = ctypes.c_double()
    out = (ctypes.c_void_p * 1)(ctypes.addressof(found))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("f"))
    function(None, ctypes.addressof(out))
    compiler._loaded.clear()
    return found.value


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.o"))


def test_folders_and_files_are_closed_to_others(tmp_path: Path, compilations: list[str]) -> None:
    old = os.umask(0)
    try:
        os.environ["NSMB_CACHE_DIR"] = str(tmp_path / "new")
        assert value("1.5") == 1.5
    finally:
        os.umask(old)
    made = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert len(made) == 4
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert value("1.5") == 1.5
    assert len(compilations) == 1


@pytest.mark.parametrize("mode", [0o750, 0o702, 0o1777])
@pytest.mark.parametrize("below", ["", "code", "code/*"])
def test_an_open_folder_is_not_used(
    tmp_path: Path, compilations: list[str], mode: int, below: str
) -> None:
    assert value("2.5") == 2.5
    place = next(tmp_path.glob(below)) if below else tmp_path
    before = files(tmp_path)[0].read_bytes()
    place.chmod(mode)
    message = rf"is not kept, as the folder '.*' is open to others \(mode {mode:04o}\)\. If .*chmod"
    with pytest.warns(CacheWarning, match=message):
        assert value("2.5") == 2.5
    assert len(compilations) == 2  # the existing code was not used
    if below != "code/*":  # there, other code has another folder
        with pytest.warns(CacheWarning):
            value("3.5")
    assert [file.read_bytes() for file in files(tmp_path)] == [before]  # and not changed
    place.chmod(0o700)
    assert value("2.5") == 2.5
    assert len(compilations) == (2 if below == "code/*" else 3)


def test_code_of_others_is_not_used(
    tmp_path: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current user has changed."""
    assert value("4.5") == 4.5
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(CacheWarning, match=rf"belongs to the user {owner}\."):
        assert value("4.5") == 4.5
    assert len(compilations) == 2


def test_links_are_not_followed(tmp_path: Path, compilations: list[str]) -> None:
    assert value("5.5") == 5.5
    (file,) = files(tmp_path)
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    moved = tmp_path / "elsewhere" / "file"
    file.rename(moved)
    file.symlink_to(moved)
    assert value("5.5") == 5.5
    assert len(compilations) == 2
    (tmp_path / "code").rename(tmp_path / "moved")
    (tmp_path / "code").symlink_to(tmp_path / "moved")
    with pytest.warns(CacheWarning, match=r"code' is a link\. Set NSMB_CACHE_DIR"):
        assert value("5.5") == 5.5
    assert len(compilations) == 3


def test_open_files_are_not_used(tmp_path: Path, compilations: list[str]) -> None:
    assert value("6.5") == 6.5
    files(tmp_path)[0].chmod(0o666)
    assert value("6.5") == 6.5
    assert len(compilations) == 2
    assert stat.S_IMODE(files(tmp_path)[0].stat().st_mode) == 0o600  # compiled again


def test_moved_code_is_not_used(tmp_path: Path, compilations: list[str]) -> None:
    """Intact code under the name of other code is not used."""
    assert value("7.5") == 7.5
    (first,) = files(tmp_path)
    assert value("8.5") == 8.5
    (second,) = set(files(tmp_path)) - {first}
    second.write_bytes(first.read_bytes())
    assert value("8.5") == 8.5
    assert len(compilations) == 3
