"""The server of a viewer: serves pages to this machine only, controlled by its parent process.

MeshCat's own server listens on all interfaces and accepts commands from anyone who finds its port.
This one listens on 127.0.0.1, answers only addresses that start with a secret, and reads commands
from its standard input instead of a port. It ends with the process that started it.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hmac
import os
import secrets
import struct
import subprocess
import sys
import threading
import webbrowser
from typing import IO, Any

from nsmb.common.child_python import child_python
from nsmb.common.extras import import_extra

__all__ = ["HOST", "ViewerServer", "main", "visualizer"]

HOST = "127.0.0.1"
_NAMES = (HOST, "localhost")  # accepted host names, against DNS rebinding
_SIZE = struct.Struct(">Q")

_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>nsmb</title>
<style>body { margin: 0; } #scene { width: 100vw; height: 100vh; overflow: hidden; }</style>
<div id="scene"></div>
<script src="main.min.js"></script>
<script>
  var viewer = new MeshCat.Viewer(document.getElementById("scene"));
  viewer.connect("ws://" + location.host + location.pathname + "socket");
</script>
"""


def visualizer() -> Any:
    """Return a MeshCat visualizer whose server is reachable only from this machine."""
    return import_extra("meshcat", "view").Visualizer(window=ViewerServer())


class ViewerServer:
    """A server in a separate process, with the interface of MeshCat's window.

    Attributes
    ----------
    web_url : str
        Address of the page; anyone on this machine who knows it can see the scene.
    server_proc : subprocess.Popen
        The process.
    """

    def __init__(self) -> None:
        import_extra("meshcat", "view")
        self._lock = threading.Lock()
        self.server_proc = subprocess.Popen(
            **child_python("from nsmb.viewer.server import main; main()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C in a notebook must not stop the server.
            start_new_session=True,
        )
        atexit.register(self.close)
        token = secrets.token_urlsafe(32)
        # Other users can read the arguments of a process, but not its standard input.
        port = self._ask(token.encode()).decode()
        self.web_url = f"http://{HOST}:{port}/{token}/"
        print(f"The scene is shown, on this machine, at\n{self.web_url}")

    def send(self, command: Any) -> None:
        """Send a MeshCat command."""
        data = command.lower()
        packed = import_extra("umsgpack", "view").packb(data)
        answer = self._ask(data["type"].encode(), data["path"].encode(), packed)
        if answer != b"ok":
            raise RuntimeError(f"viewer: {answer.decode('utf-8', 'replace')}")

    def open(self) -> ViewerServer:
        """Open a browser."""
        webbrowser.open(self.web_url, new=2)
        return self

    def wait(self) -> str:
        """Wait for a browser."""
        return self._ask(b"wait").decode()

    def get_scene(self) -> str:
        """Return the scene as a standalone page."""
        return self._ask(b"get_scene").decode()

    def get_image(self) -> Any:
        """Return an image of the scene in the browser."""
        import io

        data = import_extra("meshcat.commands", "view").CaptureImage().lower()
        packed = import_extra("umsgpack", "view").packb(data)
        image = self._ask(data["type"].encode(), b"", packed)
        return import_extra("PIL.Image", "view").open(io.BytesIO(image))

    def close(self) -> None:
        """Stop the server; open pages remain as they are."""
        atexit.unregister(self.close)
        for pipe in (self.server_proc.stdin, self.server_proc.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # the other end may be gone
                    pipe.close()
        self.server_proc.terminate()
        self.server_proc.wait()

    def _ask(self, *frames: bytes) -> bytes:
        commands, answers = self.server_proc.stdin, self.server_proc.stdout
        assert commands is not None
        assert answers is not None
        try:
            with self._lock:
                _write(commands, *frames)
                answer = _read(answers)
        except (OSError, ValueError):
            answer = None
        except BaseException:  # Ctrl-C: the next answer would belong to this command
            self.close()
            raise
        if not answer:
            raise RuntimeError(
                "viewer: the server has ended. Call nsmb.view again to start another one."
            )
        return answer[0]


def _write(pipe: IO[bytes], *frames: bytes) -> None:
    pipe.write(_SIZE.pack(len(frames)))
    for frame in frames:
        pipe.write(_SIZE.pack(len(frame)))
        pipe.write(frame)
    pipe.flush()


def _read(pipe: IO[bytes]) -> list[bytes] | None:
    """Read the frames of one `_write`; return None if the other side has ended."""
    count = pipe.read(_SIZE.size)
    if len(count) < _SIZE.size:
        return None
    frames = []
    for _ in range(_SIZE.unpack(count)[0]):
        length = pipe.read(_SIZE.size)
        if len(length) < _SIZE.size:
            return None
        (size,) = _SIZE.unpack(length)
        frame = pipe.read(size)
        if len(frame) < size:
            return None
        frames.append(frame)
    return frames


# ---- in the process of the server ------------------------------------------------------------


def main() -> None:
    """Serve the scene that standard input describes until it ends."""
    commands, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # keep printed text out of the answers
    first = _read(commands)
    if first is None:
        return
    loop = asyncio.SelectorEventLoop()  # the kind that Tornado needs, also on Windows
    asyncio.set_event_loop(loop)
    bridge, port = _serve(first[0].decode(), answers)
    _write(answers, str(port).encode())

    def listen() -> None:
        try:
            while (frames := _read(commands)) is not None:
                loop.call_soon_threadsafe(bridge.handle_zmq, frames)
        finally:
            loop.call_soon_threadsafe(loop.stop)

    threading.Thread(target=listen, daemon=True).start()
    loop.run_forever()


def _serve(token: str, answers: IO[bytes]) -> tuple[Any, int]:
    """Return MeshCat's bridge, with pages and pipes instead of its sockets, and the port."""
    from meshcat.servers import zmqserver
    from meshcat.servers.tree import SceneTree
    from tornado import httpserver, ioloop, netutil, web

    class Answers:
        """Receiver of the answers that MeshCat would send to its command port."""

        def send(self, answer: bytes) -> None:
            _write(answers, answer)

    class Bridge(zmqserver.ZMQWebSocketBridge):  # type: ignore[misc]
        def __init__(self) -> None:  # opens nothing
            self.websocket_pool: set[Any] = set()
            self.ioloop = ioloop.IOLoop.current()
            self.zmq_socket = self.zmq_stream = Answers()
            self.tree = SceneTree()
            self.images = 0  # number of requested images

        def handle_zmq(self, frames: list[bytes]) -> None:
            self.images += frames[0] == b"capture_image" and bool(self.websocket_pool)
            super().handle_zmq(frames)

        def send_image(self, data: str) -> None:
            if self.images:  # ignore images that were not requested
                self.images = 0
                super().send_image(data)

    class Guarded(web.RequestHandler):
        """Handler for requests with the secret that address this machine by its own name."""

        def prepare(self) -> None:
            given = self.path_kwargs.pop("token", "")
            name = self.request.host.rpartition(":")[0] or self.request.host
            origin = self.request.headers.get("Origin")
            is_own = origin is None or origin == f"http://{self.request.host}"
            is_known = hmac.compare_digest(given.encode(), token.encode())
            if not (is_known and name in _NAMES and is_own):
                raise web.HTTPError(404)

        def set_default_headers(self) -> None:
            self.set_header("Cache-Control", "no-store")
            self.set_header("Referrer-Policy", "no-referrer")
            self.set_header("X-Content-Type-Options", "nosniff")
            self.clear_header("Server")

    class Page(Guarded):
        def get(self) -> None:
            self.write(_PAGE)

    class Script(Guarded):
        def get(self) -> None:
            self.set_header("Content-Type", "text/javascript; charset=utf-8")
            with open(os.path.join(zmqserver.VIEWER_ROOT, "main.min.js"), "rb") as file:
                self.write(file.read())

    class Nothing(web.RequestHandler):
        def prepare(self) -> None:
            raise web.HTTPError(404)

    class Socket(Guarded, zmqserver.WebSocketHandler):  # type: ignore[misc]
        def check_origin(self, origin: str) -> bool:
            return bool(origin == f"http://{self.request.host}")

        def open(self) -> None:
            bridge.websocket_pool.add(self)
            bridge.send_scene(self)

        def on_close(self) -> None:
            bridge.websocket_pool.discard(self)

    bridge = Bridge()
    at = r"/(?P<token>[A-Za-z0-9_-]+)/"
    pages: list[Any] = [
        (at, Page),
        (at + r"main\.min\.js", Script),
        (at + "socket", Socket, {"bridge": bridge}),
        (".*", Nothing),
    ]
    server = httpserver.HTTPServer(web.Application(pages, log_function=lambda handler: None))
    sockets = netutil.bind_sockets(0, HOST)
    server.add_sockets(sockets)
    return bridge, int(sockets[0].getsockname()[1])
