"""Descriptions of systems in files, from which systems are built on demand at a bounded cost."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nsmb.common.child_python import child_python
from nsmb.system import registry
from nsmb.system.base import System

__all__ = ["Described", "described"]

_SECONDS, _BYTES = 10, 4 * 2**30  # limits of time and memory to build a system from a file
# Factor for the waiting time, in case other processes are busy. Windows does not limit CPU time.
_WAITS = 3 if sys.platform == "win32" else 60
_USUAL = 10.0  # factor by which a number may differ from its default without a trial

# Each additional thread of linear algebra would reserve memory of its own.
_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_REFUSED = 3  # exit code of a trial in which the function rejects the parameters
_TRIAL = """
import contextlib, importlib, json, sys
with contextlib.suppress(ImportError):  # Windows has no such limits
    import resource
    for kind, most in ((resource.RLIMIT_CPU, {seconds}), (resource.RLIMIT_AS, {bytes})):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses a limit of memory
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, hard))
module, name, parameters = json.load(sys.stdin)
try:
    getattr(importlib.import_module(module), name)(**parameters)
except ValueError:
    sys.exit({refused})
"""


@dataclass(frozen=True)
class Described:
    """A system by name and parameters. Nothing is computed before :meth:`build` is called."""

    system: str
    builder: str
    """Module of the function that builds the system; empty if there is none."""
    parameters: Mapping[str, float]
    coordinates: tuple[str, ...]
    contact_names: tuple[str, ...]

    @classmethod
    def of(cls, header: Mapping[str, Any]) -> Described:
        """Return the description in the header of a file; ValueError for entries of wrong type."""
        system, builder = header["system"], header["builder"]
        coordinates, contacts = header["coordinates"], header["contact_names"]
        texts = [system, builder]
        for names in (coordinates, contacts):
            texts += names if isinstance(names, list) else [names, None]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("'system': expected texts and lists of texts")
        parameters = header["parameters"]
        if not isinstance(parameters, dict) or not all(
            isinstance(value, int | float) and not isinstance(value, bool)
            for value in parameters.values()
        ):
            raise ValueError(f"'parameters': expected numbers, got {parameters!r}")
        return cls(system, builder, dict(parameters), tuple(coordinates), tuple(contacts))

    def header(self) -> dict[str, Any]:
        """Return the entries of a file header that :meth:`of` reads."""
        return {
            "system": self.system,
            "builder": self.builder,
            "parameters": dict(self.parameters),
            "coordinates": list(self.coordinates),
            "contact_names": list(self.contact_names),
        }

    @property
    def is_known(self) -> bool:
        """Return True if a function is registered here under this name, in the same module."""
        return (
            bool(self.builder)
            and self.system in registry.names()
            and registry.builder(self.system).__module__ == self.builder
        )

    def build(self) -> System:
        """Build the system with the registered function of this name.

        Parameters that the description does not contain have their defaults. If a parameter of a
        ready-made system is far from its default, another process builds the system first, with
        limits on time and memory.

        Raises
        ------
        ValueError
            If the name is unknown, if the function rejects the parameters or builds another system,
            or if building exceeds the limits.
        """
        if not self.is_known:
            raise ValueError(
                f"`system`: must be a ready-made system or one under nsmb.parametric, got "
                f"{self.system!r}, which is not known here. Import the module that defines it, or "
                "give the system itself."
            )
        build = registry.builder(self.system)
        if self.builder.startswith("nsmb.") and self._is_unusual(build):
            self._try()
        try:
            system: System = build(**self.parameters)
        except Exception as error:  # outdated parameters, or any error of a user's function
            raise ValueError(
                f"`system`: must be described by parameters that {self.system!r} accepts, got an "
                f"error ({error}). Give the system itself."
            ) from None
        if (
            system.coordinates != self.coordinates
            or system.contact_names != self.contact_names
            or not self.parameters.items() <= system.parameters.items()
        ):
            raise ValueError(
                f"`system`: must be the system that was stored, got another {self.system!r} with "
                "these parameters. Give the system itself."
            )
        return system

    def _is_unusual(self, build: Any) -> bool:
        """Return True if an integer exceeds its default, or another number is far from it."""
        for name, parameter in inspect.signature(build).parameters.items():
            value, default = self.parameters.get(name, parameter.default), parameter.default
            if value == default or isinstance(default, str):
                continue
            if default is None:  # no value to compare with
                return True
            if isinstance(default, int) or not default:
                if abs(value) > max(abs(default), 1):
                    return True
            elif not 1.0 / _USUAL <= value / default <= _USUAL:
                return True
        return False

    def _try(self) -> None:
        import subprocess

        code = _TRIAL.format(seconds=_SECONDS, bytes=_BYTES, refused=_REFUSED)
        failed = True
        try:
            done = subprocess.run(
                **child_python(code, **_THREADS),
                input=json.dumps([self.builder, self.system, dict(self.parameters)]).encode(),
                capture_output=True,
                timeout=_WAITS * _SECONDS,
                check=False,
            )
            # Rejected parameters raise an error with its own message in this process.
            failed = done.returncode not in (0, _REFUSED)
        except (OSError, subprocess.TimeoutExpired):
            pass
        if failed:
            raise ValueError(
                f"`system`: must be built within {_SECONDS} s and {_BYTES >> 30} GiB, got "
                f"{self.system!r} with {dict(self.parameters)}, which needs more. If you trust the "
                "file, build the system with these parameters and give it."
            )


def described(system: System) -> Described:
    """Return the description of a system for a file."""
    builder = "" if system._builder is None else system._builder.__module__
    return Described(
        system.name, builder, dict(system.parameters), system.coordinates, system.contact_names
    )
