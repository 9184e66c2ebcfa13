"""A page of widgets: what it shows is sent to it, what is done on it comes back as messages."""

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
    """An anywidget without knowledge of what it shows.

    Parameters
    ----------
    script : str
        File of ``static/`` with the function ``render``.
    spec : mapping
        What does not change.
    on_message : callable (dict)
        Asked with every message of the page.

    Raises
    ------
    ImportError
        If anywidget is not installed; ``pip install nsmb[view]`` brings it.
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
        """New texts, and new numbers unless those before stay; both reach the page at once."""
        with self.widget.hold_sync():
            if data is not None:
                self.widget._data = data
            self.widget._header = dict(header)

    def send(self, content: Mapping[str, Any]) -> None:
        """A message."""
        self.widget.send(dict(content))

    def bundle(self, text: str, options: Mapping[str, Any]) -> Any:
        """What notebooks take of the widget, with `text` where they can show no widget."""
        found = self.widget._repr_mimebundle_(**options)
        data, *about = found if isinstance(found, tuple) else (found,)
        data = {**data, "text/plain": text}
        return (data, *about) if about else data


class Worker:
    """Works on the last wish alone; where an event loop runs, beside it, so that a newer wish is
    heard meanwhile.

    Parameters
    ----------
    work : callable (wish, is_wanted) -> result
        Raises what it likes; `is_wanted` says whether no newer wish has come.
    done : callable (result)
        Called where the wish came from.
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
        """Work on this wish, and no longer on others."""
        self._wish = [wish]
        if self._task is not None and not self._task.done():
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: at once
            self._wish = []
            self._done(self._work(wish, lambda: True))
            return
        self._task = loop.create_task(self._serve(loop))

    async def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._wish:
            wish = self._wish.pop()
            result = await loop.run_in_executor(None, self._work, wish, lambda: not self._wish)
            self._done(result)
