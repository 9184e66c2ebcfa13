"""Notebooks as pages: Voilà serves them, headless Chromium opens them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["BROWSER", "chromium", "explorer", "served", "shown"]

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
PATIENCE = 900  # times a fifth of a second, for a server to start on a busy machine


def notebook(code: str) -> str:
    """Return a notebook of one cell."""
    cell = {"cell_type": "code", "execution_count": None, "id": "page", "metadata": {},
            "outputs": [], "source": code.splitlines(keepends=True)}  # fmt: skip
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": [cell], "metadata": about, "nbformat": 4, "nbformat_minor": 5})


@contextmanager
def served(folder: Path, notebooks: Mapping[str, str]) -> Iterator[str]:
    """Yield the address at which Voilà serves notebooks with these cells, by name.

    Raises
    ------
    OSError
        If no port may be opened.
    """
    for name, code in notebooks.items():
        (folder / f"{name}.ipynb").write_text(notebook(code), "utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {name: str(folder / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR",
                                                 "IPYTHONDIR")}  # fmt: skip
    command = [sys.executable, "-m", "voila", str(folder), "--no-browser", f"--port={port}",
               "--Voila.ip=127.0.0.1"]  # fmt: skip
    log = folder / "voila.log"
    address = f"http://127.0.0.1:{port}"
    with log.open("w", encoding="utf-8") as file:
        server = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env=os.environ | own
        )
        try:
            _wait(server, address, log)
            yield address
        finally:
            server.terminate()  # and with it the kernels
            server.wait()


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    for _ in range(PATIENCE):
        try:
            urllib.request.urlopen(address, timeout=10.0).close()
            return
        except (urllib.error.URLError, OSError):
            if server.poll() is not None:
                break
            time.sleep(0.2)
    raise RuntimeError(f"no answer from Voilà: {log.read_text('utf-8')}")


@contextmanager
def chromium(width: int = 1360, height: int = 860) -> Iterator[Any]:
    """Yield a browser page with access to this machine only; `errors` collects complaints."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(90e3)  # ms
            page.route(
                lambda url: not url.startswith(("http://127.0.0.1", "blob:", "data:")),
                lambda route: route.abort(),
            )
            yield page
        finally:
            browser.close()


def explorer(page: Any, address: str, name: str) -> Any:
    """Return the explorer of a notebook after its first output."""
    page.goto(f"{address}/voila/render/{name}.ipynb")
    page.wait_for_function("document.querySelector('.nsmb-explorer')?.dataset.shown")
    return page.locator(".nsmb-explorer")


def shown(page: Any) -> dict[str, str]:
    """Return the figures of the page by name, as text."""
    found: dict[str, str] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.nsmb-canvas')]"
        ".map((canvas) => [canvas.dataset.name, canvas.toDataURL()]))"
    )
    return found
