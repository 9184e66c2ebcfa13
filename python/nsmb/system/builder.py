"""Builders of systems by name, with the evaluations that belong to their systems."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Generic, ParamSpec, TypeVar

from nsmb.common.arguments import nearest
from nsmb.system.base import System
from nsmb.system.catalogue import plain
from nsmb.system.recommended import Recommended

__all__ = ["Builder"]

P = ParamSpec("P")
S = TypeVar("S", bound=System)
F = TypeVar("F", bound=Callable[..., Any])


class _Text:
    """A docstring that differs between the class and its instances."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __get__(self, builder: Builder[..., Any] | None, owner: type) -> str:
        return self._text if builder is None else builder._tell()


class Builder(Generic[P, S]):
    """A function that builds a system from named parameters, as returned by `nsmb.parametric`.

    Functions that evaluate the system or its runs are attributes of the builder, see
    :meth:`evaluation`: ``nsmb.systems.dominoes.speed(n=20)``.

    Attributes
    ----------
    parameters : type
        The subclass of `nsmb.Parameters` with the data.
    recommended : Recommended
        Default method and end time of runs.
    parameter_sets : mapping of str to mapping
        Named parameter sets: for each name the values that differ from the defaults. The gallery
        page of a ready-made system shows which statements of its source apply to each set.
    """

    def __init__(
        self,
        build: Callable[..., S],
        describe: Callable[..., S],
        parameters: Callable[P, Any],
        text: str,
        recommended: Recommended,
        parameter_sets: Mapping[str, Mapping[str, float | str]],
        evaluations: str | None,
    ) -> None:
        self.parameters = parameters
        self.recommended = recommended
        self.parameter_sets = parameter_sets
        self._build = build
        self._text = text
        self._own: dict[str, Callable[..., Any]] = {}
        self._elsewhere = evaluations
        self.__name__ = describe.__name__
        self.__qualname__ = describe.__qualname__
        self.__module__ = describe.__module__
        self.__wrapped__ = describe
        given = inspect.signature(parameters).parameters.values()
        self.__signature__ = inspect.signature(describe).replace(parameters=list(given))

    __doc__ = _Text(__doc__)

    def __call__(self, *args: P.args, **parameters: P.kwargs) -> S:
        """Build the system.

        Raises
        ------
        TypeError
            If a parameter is given by position.
        ValueError
            If a parameter is unknown, or a value is out of range.
        """
        if args:
            raise TypeError(f"{self.__name__}: expected parameters by name, got {args[0]!r}")
        return self._build(**parameters)

    def evaluation(self, function: F) -> F:
        """Make a function an attribute of the builder, under the name of the function.

        Use the method as a decorator. The first sentence of the docstring of the function is its
        summary in ``help(builder)``.

        Raises
        ------
        TypeError
            If `function` is not a function with a name.
        ValueError
            If the builder already has an attribute of that name. A function of the same module may
            be defined again, as in a notebook.

        Examples
        --------
        >>> import dataclasses, nsmb
        >>> @dataclasses.dataclass(frozen=True, kw_only=True)
        ... class FallParameters(nsmb.Parameters):
        ...     H: float = nsmb.parameter(1.0, "m", "height of the start")
        >>> @nsmb.parametric(FallParameters)
        ... def fall(p: FallParameters) -> nsmb.LinearSystem:
        ...     return nsmb.LinearSystem([[1.0]], force=[-9.81])
        >>> @fall.evaluation
        ... def duration(H: float = 1.0) -> float:
        ...     '''Return the time of a free fall from the height H, s.'''
        ...     return (2.0 * H / 9.81) ** 0.5
        >>> fall.duration(H=4.905)
        1.0
        """
        name = getattr(function, "__name__", None)
        if not callable(function) or name is None:
            raise TypeError(f"`function`: must be a function with a name, got {function!r}")
        known = self._own.get(name)
        if hasattr(type(self), name) or name in vars(self) or not name.isidentifier():
            raise ValueError(
                f"`function`: must not be named {name!r}, which every builder has. Rename it."
            )
        if known is not None and known.__module__ != function.__module__:
            raise ValueError(
                f"`function`: must have a name of its own, got {name!r}, which is a function of "
                f"{known.__module__}. Rename it."
            )
        self._own[name] = function
        return function

    @property
    def evaluations(self) -> Mapping[str, Callable[..., Any]]:
        """Functions that evaluate the system or its runs, by name."""
        if self._elsewhere is not None:
            import_module(self._elsewhere)
        return MappingProxyType(self._own)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"builder {self.__name__!r} has no attribute {name!r}", name=name)
        known = self.evaluations
        if name in known:
            return known[name]
        hint = nearest(name, [each for each in dir(self) if not each.startswith("_")])
        text = f"builder {self.__name__!r} has no attribute {name!r}{hint}"
        lines = self._list_evaluations("  {}: {}")
        if lines:
            text = "\n".join([text, "Call one of its evaluations:", *lines])
        raise AttributeError(text, name=name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.evaluations})

    def __repr__(self) -> str:
        return f"<builder {self.__name__} of {self.__module__}>"

    def __reduce__(self) -> str:
        return self.__qualname__

    def _tell(self) -> str:
        """Return the docstring for `help`."""
        lines = self._list_evaluations("{}\n    {}")
        if not lines:
            return self._text
        return "\n".join([self._text.rstrip(), "", "Evaluations", "-----------", *lines, ""])

    def _list_evaluations(self, layout: str) -> list[str]:
        """Return names and summaries of the evaluations in alphabetical order."""
        return [
            layout.format(name, _summary(function))
            for name, function in sorted(self.evaluations.items())
        ]


def _summary(function: Callable[..., Any]) -> str:
    """Return the first paragraph of the docstring in one line."""
    return plain((inspect.getdoc(function) or "").partition("\n\n")[0])
