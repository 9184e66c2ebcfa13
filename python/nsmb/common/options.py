"""Tables of options that only some choices of a method use, for checks and documentation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Option", "OptionTable", "with_notes"]


@dataclass(frozen=True)
class Option:
    """An option and the choices that use it."""

    default: Any
    """Default value if the option is used."""
    used_by: tuple[str, ...]
    """Values of the chooser for which the option has an effect."""
    hint: str = ""
    """Advice for other choices, as a sentence."""


@dataclass(frozen=True)
class OptionTable:
    """Options that apply only to certain values of another option, the chooser.

    Such an option is None if it is not given. An option that is given but not used by the choice
    raises an error, for any value.
    """

    chooser: str
    """Name of the chooser, such as ``method``."""
    choices: tuple[str, ...]
    """All values of the chooser."""
    options: Mapping[str, Option]
    """The options that depend on it, by name."""

    def check(self, choice: str, given: Mapping[str, Any]) -> None:
        """Raise ValueError for an option that is given but not used by `choice`."""
        for name, option in self.options.items():
            value = given[name]
            if value is not None and choice not in option.used_by:
                raise ValueError(self._refusal(name, option, choice, value))

    def in_force(self, choice: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the options that `choice` uses, as given or by default."""
        return {
            name: option.default if given[name] is None else given[name]
            for name, option in self.options.items()
            if choice in option.used_by
        }

    def rows(self) -> list[tuple[str, str, str]]:
        """Return name, default and users of every option as texts."""
        return [
            (name, "" if option.default is None else f"{option.default}", self._users(option))
            for name, option in self.options.items()
        ]

    def text(self) -> str:
        """Return the rows as a table in reStructuredText."""
        head = ("option", "default", f"used by `{self.chooser}`")
        rows = [(f"`{name}`", default or "-", users) for name, default, users in self.rows()]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        rule = "  ".join("=" * width for width in widths)
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (head, *rows)
        ]
        return "\n".join([rule, lines[0], rule, *lines[1:], rule])

    def _users(self, option: Option) -> str:
        return ", ".join(option.used_by)

    def _refusal(self, name: str, option: Option, choice: str, value: Any) -> str:
        users = " or ".join(repr(user) for user in option.used_by)
        hint = f" {option.hint}" if option.hint else ""
        return (
            f"{name}: must be left out for {self.chooser}={choice!r}, which does not use it, got "
            f"{value!r}. Leave it out, or choose {self.chooser}={users}.{hint}"
        )


def with_notes(doc: str | None, notes: str) -> str:
    """Return a docstring with `notes` before the section Raises, for any indentation."""
    return inspect.cleandoc(doc or "").replace("\nRaises\n", f"\n{notes}Raises\n", 1)
