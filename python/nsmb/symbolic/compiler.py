"""Machine code from LLVM assembly, cached on disk by content.

The name of a file in the cache is the hash of everything on which its content depends: the assembly
text, the versions, the target. A file contains a hash of its name and its content. If it is damaged
or was renamed, it is recompiled. Files are written under temporary names and then moved, so that
processes may share the folder.

The content of the folder is executed. The folder and its files are used only if they belong to the
user and are closed to everybody else. Otherwise a warning gives a remedy, and nothing is stored.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from nsmb.common.extras import import_extra

__all__ = ["CacheWarning", "Code", "cache_folder", "compiled"]

_FORMAT = b"nsmb machine code 2\n"
_DIGEST = hashlib.sha256().digest_size
_LEVEL = 2
_lock = threading.RLock()
_loaded: weakref.WeakValueDictionary[str, Code] = weakref.WeakValueDictionary()


class CacheWarning(UserWarning):
    """Warning that the folder of compiled code is not used, because others could write into it."""


class Code:
    """Functions in memory, which exist as long as this object does."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def address(self, name: str) -> int:
        """Return the address of the function with that name."""
        address = int(self._engine.get_function_address(name))
        assert address != 0, name
        return address


def cache_folder() -> Path:
    """Return the folder for compiled code: ``NSMB_CACHE_DIR``, or the user's cache folder.

    It is used only if it belongs to the user and has the mode 0700. Otherwise a `CacheWarning` is
    issued.
    """
    given = os.environ.get("NSMB_CACHE_DIR")
    if given:
        return Path(given)
    return Path(import_extra("platformdirs", "symbolic").user_cache_dir("nsmb", appauthor=False))


def compiled(assembly: str) -> Code:
    """Return the functions of a module, from memory, from disk, or compiled now."""
    key = _key(assembly)
    with _lock:
        code = _loaded.get(key)
        if code is None:
            code = _loaded[key] = _link(_object(key, assembly))
        return code


@lru_cache(maxsize=1)
def _target() -> tuple[Any, str]:
    """Return LLVM's target, and the text that identifies it.

    The target is the generic processor of its kind, not the actual one. Results are therefore the
    same on all of them.
    """
    llvm = import_extra("llvmlite.binding", "symbolic")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    version = import_extra("llvmlite", "symbolic").__version__
    numbers = ".".join(map(str, llvm.llvm_version_info))
    return target, f"llvmlite {version}, LLVM {numbers}, {target.triple}, -O{_LEVEL}"


def _machine() -> Any:
    return _target()[0].create_target_machine(opt=_LEVEL, codemodel="jitdefault", jit=True)


def _key(assembly: str) -> str:
    about = f"{_FORMAT.decode()}{_target()[1]}\n"
    return hashlib.sha256(about.encode() + assembly.encode()).hexdigest()


def _object(key: str, assembly: str) -> bytes:
    """Return an object file."""
    folder = _private_folder(cache_folder(), key[:2])
    content = None if folder is None else _read(folder / f"{key}.o", key)
    if content is None:
        content = _compile(assembly)
        if folder is not None:
            _write(folder / f"{key}.o", key, content)
    return content


def _private_folder(top: Path, name: str) -> Path | None:
    """Return a folder for code below `top`, created if necessary; None if it cannot be used."""
    for folder in (top, top / "code", top / "code" / name):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            reason = _exposure(os.lstat(folder), stat.S_ISDIR)
        except OSError:  # without a folder, the next process recompiles
            return None
        if reason:
            remedy = "Set NSMB_CACHE_DIR to a folder of your own."
            if "open to others" in reason:
                remedy = (
                    f"If everything in it is yours, run: chmod -R go-rwx '{top}'. Otherwise set "
                    "NSMB_CACHE_DIR to a folder of your own."
                )
            warnings.warn(
                f"Compiled code is not kept, as the folder {os.fspath(folder)!r} {reason}. "
                + remedy,
                CacheWarning,
                stacklevel=2,
            )
            return None
    return top / "code" / name


def _exposure(found: os.stat_result, is_kind: Callable[[int], bool]) -> str:
    """Return how others could have accessed a file or folder; empty if they could not."""
    if not is_kind(found.st_mode):
        return "is a link"
    if not hasattr(os, "geteuid"):  # Windows: permissions are inherited from the user's folder
        return ""
    if found.st_uid != os.geteuid():
        return f"belongs to the user {found.st_uid}"
    if found.st_mode & 0o077:
        return f"is open to others (mode {stat.S_IMODE(found.st_mode):04o})"
    return ""


def _read(path: Path, key: str) -> bytes | None:
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    if _exposure(os.fstat(descriptor), stat.S_ISREG):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        data = file.read()
    head = len(_FORMAT) + _DIGEST
    digest, content = data[len(_FORMAT) : head], data[head:]
    intact = data.startswith(_FORMAT) and _digest(key, content) == digest
    return content if intact else None


def _write(path: Path, key: str, content: bytes) -> None:
    """Write a file. If that is not possible, the next process recompiles."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")  # for the user only
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_FORMAT + _digest(key, content) + content)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + content).digest()


def _compile(assembly: str) -> bytes:
    llvm = import_extra("llvmlite.binding", "symbolic")
    machine = _machine()
    module = llvm.parse_assembly(assembly)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=_LEVEL)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def _link(content: bytes) -> Code:
    llvm = import_extra("llvmlite.binding", "symbolic")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(content))
    engine.finalize_object()
    return Code(engine)
