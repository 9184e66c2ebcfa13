"""The content and the access of a viewer's server keep the guarantees of SECURITY.md."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import nsmb

pytest.importorskip("meshcat")


@pytest.fixture(scope="module")
def viewer() -> Iterator[Any]:
    shown = nsmb.view(nsmb.systems.bouncing_ball())
    yield shown
    shown.close()


def address(viewer: Any) -> tuple[int, str]:
    """Return port and path of the page."""
    parts = urlsplit(viewer.visualizer.url())
    assert parts.hostname == "127.0.0.1"
    assert parts.port is not None
    return parts.port, parts.path


def status(viewer: Any, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", address(viewer)[0], timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def socket_status(viewer: Any, path: str, **headers: str) -> int:
    """Return the HTTP status, 101 if the server accepts a websocket."""
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    return status(viewer, path, **upgrade, **headers)


def listening(process: int) -> set[str]:
    """Return the addresses at which a process listens, from /proc."""
    folder = Path(f"/proc/{process}/fd")
    own = set()
    for entry in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # descriptor of this listing
            own.add(os.readlink(entry))
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            cells = line.split()
            if cells[3] in ("0A", "07") and f"socket:[{cells[9]}]" in own:
                found.add(f"{table} {cells[1]}")
    return found


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads /proc")
def test_the_server_listens_on_loopback_alone(viewer: Any) -> None:
    port, _ = address(viewer)
    process = viewer.visualizer.window.server_proc
    assert listening(process.pid) == {f"tcp 0100007F:{port:04X}"}
    assert not any(entry.endswith(f":{port:04X}") for entry in listening(os.getpid()))


def test_other_addresses_of_this_machine_do_not_answer(viewer: Any) -> None:
    """127.0.0.2 is another loopback address on Linux. Other machines have no route to it."""
    with pytest.raises(OSError):  # noqa: PT011 - refused, or without a route
        socket.create_connection(("127.0.0.2", address(viewer)[0]), 2.0).close()


def test_pages_without_the_secret_are_refused(viewer: Any) -> None:
    _, path = address(viewer)
    assert status(viewer, path) == 200
    assert status(viewer, path + "main.min.js") == 200
    wrong = path[:-2] + ("A" if path[-2] != "A" else "B") + "/"
    for other in ("/", "/static/", "/static/index.html", wrong, wrong + "main.min.js", path[:-1],
                  path + "../../server.py", path.upper(), "//", "/main.min.js"):  # fmt: skip
        assert status(viewer, other) == 404, other


def test_sockets_without_the_secret_are_refused(viewer: Any) -> None:
    _, path = address(viewer)
    assert socket_status(viewer, path + "socket") == 101
    for other in ("/", "/socket", path[:-2] + "_/socket", path.upper() + "socket"):
        assert socket_status(viewer, other) == 404, other


def test_other_hosts_and_origins_are_refused(viewer: Any) -> None:
    """A foreign name may resolve to this machine, and a foreign page may request ours."""
    port, path = address(viewer)
    own = f"http://127.0.0.1:{port}"
    assert status(viewer, path, Host="localhost:9") == 200  # as through a tunnel
    assert status(viewer, path, Host=f"example.org:{port}") == 404
    assert status(viewer, path, Origin="http://example.org") == 404
    assert socket_status(viewer, path + "socket", Origin=own) == 101
    for origin in ("http://example.org", "null", f"https://127.0.0.1:{port}", "http://127.0.0.1:1"):
        assert socket_status(viewer, path + "socket", Origin=origin) == 404, origin
    assert socket_status(viewer, path + "socket", Host="example.org", Origin=own) == 404


def test_the_secret_is_unguessable_and_not_listed(viewer: Any) -> None:
    secret = address(viewer)[1].strip("/")
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", secret)  # 256 bits
    process = viewer.visualizer.window.server_proc
    assert not any(secret in str(argument) for argument in process.args)
    listed = Path(f"/proc/{process.pid}/cmdline")
    if listed.exists():
        assert secret not in listed.read_text()
    other = nsmb.view(nsmb.systems.bouncing_ball())
    try:
        assert address(other)[1] != address(viewer)[1]
        assert status(other, address(viewer)[1]) == 404
    finally:
        other.close()
    with pytest.raises(RuntimeError, match=r"viewer: the server has ended\. Call nsmb\.view"):
        other.show()


def test_the_server_ends_with_the_process_that_started_it(viewer: Any) -> None:
    """Its commands arrive through a pipe, which closes with the process."""
    shown = nsmb.view(nsmb.systems.bouncing_ball())
    process = shown.visualizer.window.server_proc
    process.stdin.close()
    assert process.wait(20) == 0
    shown.close()
