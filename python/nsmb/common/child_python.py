"""Another process of this interpreter that imports what this one can import."""

from __future__ import annotations

import os
import sys
from typing import TypedDict

__all__ = ["Command", "child_python"]

# The working directory is searched only if this process searches it, whatever the interpreter adds
# for `-c` (Python 3.10 has no option against it).
_PATH = "import sys\nif not sys.path[0]: del sys.path[0]\n"


class Command(TypedDict):
    """Arguments of `subprocess.run` and `subprocess.Popen`."""

    args: list[str]
    env: dict[str, str]


def child_python(code: str, **environment: str) -> Command:
    """Return the command that runs `code`, with variables added to the environment."""
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return {
        "args": [sys.executable, "-c", _PATH + code],
        "env": {**os.environ, "PYTHONPATH": paths, **environment},
    }
