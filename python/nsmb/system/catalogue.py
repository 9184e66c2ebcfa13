"""Ready-made systems by name, topic and summary, read from their files without importing them."""

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
    """First sentence of its docstring, in plain words."""


class Catalogue:
    """Systems that the modules in the folders of a package define under `nsmb.parametric`.

    Their files are read, not imported: a summary of all systems costs no dependency and no system.

    Parameters
    ----------
    package : str
        Name of the package.
    places : iterable of str
        Its ``__path__``.
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
        """Module of each system."""
        return {name: entry.home for name, entry in self._entries.items()}

    def home(self, name: str) -> str | None:
        """Module of the system of that name, or None if the catalogue does not list it."""
        entry = self._entries.get(name)
        return None if entry is None else entry.home

    def entry(self, name: str) -> Entry:
        """The system of that name; a KeyError for an unknown one."""
        return self._entries[name]

    def topics(self) -> dict[str, list[Entry]]:
        """Systems by topic; the title of each topic is the docstring of its folder."""
        grouped: dict[str, list[Entry]] = {}
        for entry in self._entries.values():
            grouped.setdefault(entry.topic, []).append(entry)
        order = sorted(grouped, reverse=True)  # by chance from simple to large
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
