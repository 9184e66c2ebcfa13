"""A widget page that receives its content and sends user actions back as messages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from nsmb.common.extras import import_extra

__all__ = ["Page"]


def _text(*names: str) -> str:
    folder = resources.files("nsmb.explorer") / "static"
    return "\n".join((folder / name).read_text("utf-8") for name in names)


class Page:
    """An anywidget that is independent of its content.

    Parameters
    ----------
    script : str
        File in ``static/`` with the function ``render``.
    spec : mapping
        Constant data.
    on_message : callable (dict)
        Called with every message of the page.

    Raises
    ------
    ImportError
        If anywidget is not installed; ``pip install nsmb[view]`` installs it.
    """

    def __init__(
        self, script: str, spec: Mapping[str, Any], on_message: Callable[[dict[str, Any]], object]
    ) -> None:
        anywidget = import_extra("anywidget", "view")
        traitlets = import_extra("traitlets", "view")
        members = {
            "_esm": _text("common.js", script),
            "_css": _text("explorer.css"),
            "_spec": traitlets.Dict().tag(sync=True),
            "_header": traitlets.Dict().tag(sync=True),
            "_data": traitlets.Bytes(b"").tag(sync=True),
        }
        kind = type("ExplorerWidget", (anywidget.AnyWidget,), members)
        self.widget: Any = kind(_spec=dict(spec))
        self.widget.on_msg(lambda _, content, buffers: on_message(content))

    def show(self, header: Mapping[str, Any], data: bytes | None = None) -> None:
        """Send new texts, and new numbers if given; both reach the page together."""
        with self.widget.hold_sync():
            if data is not None:
                self.widget._data = data
            self.widget._header = dict(header)

    def send(self, content: Mapping[str, Any]) -> None:
        """Send a message to the page."""
        self.widget.send(dict(content))

    def bundle(self, text: str, options: Mapping[str, Any]) -> Any:
        """Return the MIME bundle for notebooks, with `text` as fallback without widgets."""
        found = self.widget._repr_mimebundle_(**options)
        data, *about = found if isinstance(found, tuple) else (found,)
        data = {**data, "text/plain": text}
        return (data, *about) if about else data


class Worker:
    """A worker that processes only the newest request.

    If an event loop is running, the work is done in a thread, so that newer requests can arrive.

    Parameters
    ----------
    work : callable (wish, is_wanted) -> result
        May raise any exception; `is_wanted` returns True until a newer request arrives.
    done : callable (result)
        Called in the thread of the request.
    """

    def __init__(
        self,
        work: Callable[[Any, Callable[[], bool]], Any],
        done: Callable[[Any], object],
    ) -> None:
        self._work, self._done = work, done
        self._wish: list[Any] = []
        self._task: asyncio.Task[None] | None = None

    def want(self, wish: Any) -> None:
        """Process this request and drop earlier ones."""
        self._wish = [wish]
        if self._task is not None and not self._task.done():
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # without a kernel: at once
            self._wish = []
            self._done(self._work(wish, lambda: True))
            return
        self._task = loop.create_task(self._serve(loop))

    async def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._wish:
            wish = self._wish.pop()
            result = await loop.run_in_executor(None, self._work, wish, lambda: not self._wish)
            self._done(result)
