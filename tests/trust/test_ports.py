"""Only the viewer opens a port or a connection."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import nsmb

PACKAGE = Path(nsmb.__file__).parent
NETWORK = {
    "socket", "socketserver", "ssl", "http", "urllib", "requests", "httpx", "aiohttp", "zmq",
    "tornado", "xmlrpc", "ftplib", "smtplib", "telnetlib",
}  # fmt: skip


def imports(path: Path) -> set[str]:
    """Return the top-level names of all modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("import_extra", "import_module", "__import__"):
                found.add(str(node.args[0].value).partition(".")[0])
    return found


def test_no_other_module_uses_sockets() -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if imports(path) & NETWORK
    }
    assert users == {"viewer/server.py"}


_RUN = """
import sys, tempfile
opened = []
sys.addaudithook(lambda event, _: opened.append(event) if event in (
    "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"
) else None)
import nsmb
run = nsmb.simulate(nsmb.systems.woodpecker(), 0.2)
with tempfile.TemporaryDirectory() as folder:
    run.save(folder + "/run.npz")
    again = nsmb.Solution.load(folder + "/run.npz")
again.system, again.check(), again.energy
try:
    nsmb.explore(nsmb.systems.bouncing_ball())
except ImportError:
    pass
print(opened)
"""


def test_computing_opens_no_socket() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RUN], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
