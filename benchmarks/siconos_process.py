"""Siconos in a process of its own, with the interpreter it was built for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("siconos_woodpecker.py")
ADVICE = (
    "skipped: no interpreter can import siconos.kernel. On Debian: apt-get install "
    "python3-siconos; elsewhere name an interpreter that has it in NSMB_SICONOS_PYTHON."
)


def find_interpreter() -> str | None:
    """The first interpreter that can import Siconos."""
    candidates = [os.environ.get("NSMB_SICONOS_PYTHON"), "/usr/bin/python3", "python3"]
    for name in candidates:
        path = shutil.which(name) if name else None
        if path is None:
            continue
        command = [path, "-c", "import numpy, siconos.kernel; print('found')"]
        test = subprocess.run(command, capture_output=True, text=True, check=False)
        if test.stdout.strip() == "found":
            return path
    return None


def version() -> str:
    """Version of the Debian package."""
    command = ["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()


class SiconosProcess:
    """Stays alive between runs, so that no run pays for starting it."""

    def __init__(self, interpreter: str, script: Path = SCRIPT) -> None:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [interpreter, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, **data: Any) -> dict[str, Any]:
        """One run, as the script describes it."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(data) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError("Siconos ended early; its message is above")
        result: dict[str, Any] = json.loads(answer)
        return result

    def __enter__(self) -> SiconosProcess:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
