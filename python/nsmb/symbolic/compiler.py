"""Machine code from LLVM's assembly language, kept on disk by content.

A file in the cache is named by the hash of everything its content depends on: the assembly text,
the versions, the target. It carries the hash of its content: what is damaged is compiled anew.
Files are written beside their place and moved there, so that processes may share the folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
import weakref
from functools import lru_cache
from pathlib import Path
from typing import Any

from nsmb.common.extras import import_extra

__all__ = ["Code", "cache_folder", "compiled"]

_FORMAT = b"nsmb machine code 1\n"
_DIGEST = hashlib.sha256().digest_size
_LEVEL = 2
_lock = threading.RLock()
_loaded: weakref.WeakValueDictionary[str, Code] = weakref.WeakValueDictionary()


class Code:
    """Functions in memory, as long as this object lives."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def address(self, name: str) -> int:
        """Where the function of that name begins."""
        address = int(self._engine.get_function_address(name))
        assert address != 0, name
        return address


def cache_folder() -> Path:
    """Where compiled code is kept: ``NSMB_CACHE_DIR``, else the user's cache folder."""
    given = os.environ.get("NSMB_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "nsmb"


def compiled(assembly: str) -> Code:
    """The functions of a module, from memory, from disk, or compiled now."""
    key = _key(assembly)
    with _lock:
        code = _loaded.get(key)
        if code is None:
            code = _loaded[key] = _link(_object(key, assembly))
        return code


@lru_cache(maxsize=1)
def _target() -> tuple[Any, str]:
    """LLVM's target, and the text that tells it from others.

    The plain processor of its kind, not the one at hand: results are the same on all of them.
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
    """An object file."""
    path = cache_folder() / "code" / key[:2] / f"{key}.o"
    content = _read(path)
    if content is None:
        content = _compile(assembly)
        _write(path, content)
    return content


def _read(path: Path) -> bytes | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    head = len(_FORMAT) + _DIGEST
    digest, content = data[len(_FORMAT) : head], data[head:]
    intact = data.startswith(_FORMAT) and hashlib.sha256(content).digest() == digest
    return content if intact else None


def _write(path: Path, content: bytes) -> None:
    """Without a place to write the next process compiles again, and nothing else happens."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_FORMAT + hashlib.sha256(content).digest() + content)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)


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
