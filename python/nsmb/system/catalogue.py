"""A catalogue of ready-made systems, read from their source files without importing them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

__all__ = ["Catalogue", "Entry", "plain"]

_DECORATED = re.compile(r"^@(?:\w+\.)?parametric\(", re.M)
_FUNCTION = re.compile(r"^def (\w+)\(", re.M)
_SUMMARY = re.compile(r'"""(.+?)(?:\n\n|\n?\s*""")', re.S)
_ROLE = re.compile(r":(?:\w+:)+`~?([^`<]+?)(?: *<[^`]*>)?`")


@dataclass(frozen=True)
class Entry:
    """A ready-made system in a catalogue."""

    name: str
    home: str
    """Module that defines it."""
    topic: str
    """Folder of that module."""
    summary: str
    """First sentence of its docstring, without markup."""


class Catalogue:
    """A catalogue of the systems that a package defines by `nsmb.parametric`.

    Source files are read, not imported. Listing the systems therefore builds none of them and
    requires no optional dependency.

    Parameters
    ----------
    package : str
        Name of the package.
    places : iterable of str
        ``__path__`` of the package.
    """

    def __init__(self, package: str, places: Iterable[str]) -> None:
        self.package = package
        self._places = [Path(place) for place in places]

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        files = sorted(file for place in self._places for file in place.glob("*/*.py"))
        found = [entry for file in files for entry in self._read(file)]
        return {entry.name: entry for entry in found}

    def _read(self, file: Path) -> list[Entry]:
        text = file.read_text("utf-8")
        topic, entries = file.parent.name, []
        for mark in _DECORATED.finditer(text):
            function = _FUNCTION.search(text, mark.end())
            summary = None if function is None else _SUMMARY.search(text, function.end())
            if function is None or summary is None:
                continue
            home = f"{self.package}.{topic}.{file.stem}"
            entries.append(Entry(function[1], home, topic, plain(summary[1])))
        return entries

    def homes(self) -> dict[str, str]:
        """Return the module of each system."""
        return {name: entry.home for name, entry in self._entries.items()}

    def home(self, name: str) -> str | None:
        """Return the module of a system, or None if the catalogue does not list it."""
        entry = self._entries.get(name)
        return None if entry is None else entry.home

    def entry(self, name: str) -> Entry:
        """Return the entry of a system; raise KeyError for an unknown name."""
        return self._entries[name]

    def topics(self) -> dict[str, list[Entry]]:
        """Return systems by topic; the title of a topic is the docstring of its folder."""
        grouped: dict[str, list[Entry]] = {}
        for entry in self._entries.values():
            grouped.setdefault(entry.topic, []).append(entry)
        order = sorted(grouped, reverse=True)  # happens to be the order from simple to complex
        return {self._title(topic): grouped[topic] for topic in order}

    def _title(self, topic: str) -> str:
        for place in self._places:
            file = place / topic / "__init__.py"
            if file.is_file():
                return plain(ast.get_docstring(ast.parse(file.read_text("utf-8"))) or topic)
        return topic


def plain(text: str) -> str:
    """Return `text` in one line, without reStructuredText markup."""
    without_roles = _ROLE.sub(lambda match: match[1].rpartition(".")[2], text)
    return " ".join(without_roles.replace("`", "").split())
