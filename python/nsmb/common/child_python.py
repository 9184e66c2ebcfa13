"""Child processes of this interpreter with the same import path."""

from __future__ import annotations

import os
import sys
from typing import TypedDict

__all__ = ["Command", "child_python"]

# Remove the working directory, which the interpreter adds for `-c`, unless this process also
# searches it. Python 3.10 has no option for this.
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
