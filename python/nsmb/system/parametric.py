"""Parametric systems: a dataclass with the data, and a registered function that builds them."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar, cast

from nsmb.common.arguments import nearest, unknown_name
from nsmb.system import registry
from nsmb.system.base import ParameterInfo, System, as_system
from nsmb.system.builder import Builder
from nsmb.system.recommended import Recommended

__all__ = ["Parameters", "data_of", "from_keywords", "parameter", "parametric"]


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Base class for the data of a parametric system.

    Subclasses are also frozen dataclasses, whose fields are finite floats, or integers if declared
    ``int``. :func:`parameter` defines unit, source and range of a field. A field with choices
    accepts a word or its index in the list of words, and stores the index. A field whose default is
    None is optional and has no value unless given.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            choices = self._choices(field)
            if choices:
                object.__setattr__(self, field.name, _place(field.name, value, choices))
                continue
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"parameter {field.name!r}: expected a number, got {value!r}"
                ) from None
            if not math.isfinite(number):
                raise ValueError(
                    f"parameter {field.name!r}: expected a finite number, got {number}"
                )
            whole = field.type in (int, "int")  # postponed annotations are strings
            if whole and not number.is_integer():
                raise ValueError(
                    f"parameter {field.name!r}: expected a whole number, got {number:g}"
                )
            if field.metadata.get("positive") and number <= 0.0:
                raise ValueError(f"parameter {field.name!r}: expected a number > 0, got {number:g}")
            least, most = field.metadata.get("range", (-math.inf, math.inf))
            if not least <= number <= most:
                raise ValueError(_outside(field.name, number, least, most))
            object.__setattr__(self, field.name, int(number) if whole else number)

    def values(self) -> dict[str, float]:
        """Return names and values of all parameters that have a value."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def choice(self, name: str) -> str:
        """Return the word that the value of a field with choices represents.

        Raises
        ------
        ValueError
            If the field has no choices.
        """
        known = {f.name: self._choices(f) for f in dataclasses.fields(self) if self._choices(f)}
        if name not in known:
            raise unknown_name("parameter with choices", name, list(known))
        return known[name][int(getattr(self, name))]

    @staticmethod
    def _choices(field: dataclasses.Field[Any]) -> tuple[str, ...]:
        info: ParameterInfo | None = field.metadata.get("info")
        return () if info is None else info.choices

    @classmethod
    def info(cls) -> dict[str, ParameterInfo]:
        """Return unit, description and source of every parameter."""
        return {f.name: f.metadata.get("info", ParameterInfo()) for f in dataclasses.fields(cls)}


D = TypeVar("D", bound=Parameters)
S = TypeVar("S", bound=System)
P = ParamSpec("P")


def _place(name: str, value: Any, choices: tuple[str, ...]) -> int:
    """Return the index of a word among the choices; an index is returned unchanged."""
    if isinstance(value, str) and value in choices:
        return choices.index(value)
    hint = nearest(value, choices) if isinstance(value, str) else ""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if number not in range(len(choices)):
        words = ", ".join(f"{word!r} ({i})" for i, word in enumerate(choices))
        raise ValueError(f"parameter {name!r}: expected one of {words}, got {value!r}{hint}")
    return int(number)


def _outside(name: str, number: float, least: float, most: float) -> str:
    wanted = f"at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
    if math.isinf(least):
        wanted = f"at most {most:g}"
    return f"parameter {name!r}: must be {wanted}, got {number:g}"


def parameter(
    default: float | str | None,
    unit: str = "",
    description: str = "",
    source: str = "",
    *,
    positive: bool = False,
    least: float = -math.inf,
    most: float = math.inf,
    choices: Sequence[str] = (),
) -> Any:
    """Return a field of :class:`Parameters`.

    Parameters
    ----------
    default : float, str or None
        Default value. None: the parameter is optional; declare the field ``float | None``.
    unit, description, source : str
        Texts for `System.parameter_info`, ``nsmb info NAME`` and ``help()``.
    positive : bool
        Reject values <= 0.
    least, most : float
        Range of valid values.
    choices : sequence of str
        Words that the field, declared ``int | str``, accepts in addition to their indices. It
        stores the index; `Parameters.choice` returns the word.

    Returns
    -------
    field
        Field for the body of a dataclass that derives from :class:`Parameters`.

    Raises
    ------
    ValueError
        When an object of the class is created with a value out of range.

    Examples
    --------
    >>> import dataclasses, nsmb
    >>> @dataclasses.dataclass(frozen=True, kw_only=True)
    ... class Data(nsmb.Parameters):
    ...     fault: int | str = nsmb.parameter("none", choices=("none", "one-phase"))
    >>> data = Data(fault="one-phase")
    >>> data.fault, data.choice("fault")
    (1, 'one-phase')
    """
    info = ParameterInfo(unit, description, source, tuple(choices), positive)
    metadata = {"info": info, "positive": positive, "range": (least, most)}
    return dataclasses.field(default=default, metadata=metadata)


def from_keywords(cls: type[D], changes: Mapping[str, Any]) -> D:
    """Return parameters with the given values; raise ValueError for an unknown name."""
    known = [f.name for f in dataclasses.fields(cls)]
    for key in changes:
        if key not in known:
            raise unknown_name("parameter", key, known)
    return cls(**changes)


def data_of(parameters: type[D], made: str, where: str, system: object) -> D:
    """Return the data of a system that was built by a certain function, for evaluating its runs.

    Parameters
    ----------
    parameters : type
        The subclass of :class:`Parameters` that the function takes.
    made : str
        Description of the system, which ends with the name of the function: ``"a woodpecker"``.
    where : str
        Name of the argument, for the message.
    system : System or None
        The system.

    Raises
    ------
    ValueError
        If `system` is another system or None.
    """
    if not isinstance(system, System) or system.name != made.split()[-1]:
        got = system.name if isinstance(system, System) else system
        raise ValueError(f"{where}: expected {made}, got {got!r}")
    return from_keywords(parameters, system.parameters)


def parametric(
    parameters: Callable[P, D],
    *,
    recommended: Recommended | None = None,
    spread: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None,
    sets: Mapping[str, Mapping[str, float | str]] | None = None,
    evaluations: str | None = None,
) -> Callable[[Callable[[D], S]], Builder[P, S]]:
    """Turn a function of a dataclass into a registered builder, which takes keyword arguments.

    The data become the `parameters` of the system, which `System.with_parameters` can change. The
    system is copied, pickled and stored in files by name and data. ``nsmb run`` finds it after its
    module is imported.

    Parameters
    ----------
    parameters : type
        The subclass of :class:`Parameters` that the function takes.
    recommended : Recommended, optional
        Default method and end time of runs, unless the function sets others.
    spread : callable, optional
        Function that converts the given keywords into values of fields. One keyword may represent
        several fields.
    sets : mapping of str to mapping, optional
        Named parameter sets: for each name the values that differ from the defaults. Pass one as
        ``drop(**sets[name])``; `parameter_sets` of the builder lists them.
    evaluations : str, optional
        Name of a module with functions, decorated by `Builder.evaluation`, that evaluate the
        system. The module is imported on first use of an evaluation. It is not required for
        evaluations in the module of the builder.

    Returns
    -------
    Builder

    Raises
    ------
    TypeError
        If `evaluations` is not a string.
    ValueError
        If another function has that name already, or a set has an unknown parameter, a value out
        of range, or a default.

    Examples
    --------
    >>> import dataclasses, nsmb
    >>> @dataclasses.dataclass(frozen=True, kw_only=True)
    ... class DropParameters(nsmb.Parameters):
    ...     H: float = nsmb.parameter(1.0, "m", "height of the start")
    >>> @nsmb.parametric(DropParameters)
    ... def drop(p: DropParameters) -> nsmb.LinearSystem:
    ...     start = nsmb.State(0.0, [p.H], [0.0])
    ...     floor = nsmb.Contact(w_N=[1.0])
    ...     return nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[floor], initial_state=start)
    >>> drop(H=0.5).with_parameters(H=2.0).initial_state.q
    array([2.])
    >>> @drop.evaluation
    ... def impact_velocity(sol: nsmb.Solution) -> float:
    ...     '''Return the velocity before the first impact, m/s.'''
    ...     return float(sol.events.of_kind("impact").u_minus[0, 0])
    >>> round(drop.impact_velocity(nsmb.simulate(drop(H=0.5), 1.0)), 3)
    -3.132
    """

    if evaluations is not None and not isinstance(evaluations, str):
        raise TypeError(
            f"`evaluations`: must be the name of a module, got {evaluations!r}. Pass a string."
        )

    def decorate(build: Callable[[D], S]) -> Builder[P, S]:
        name = build.__name__
        usual = recommended or Recommended()
        checked = _checked(sets or {}, parameters)
        text = _describe(build, parameters)

        def made(**changes: Any) -> S:
            values = changes if spread is None else spread(changes)
            data = from_keywords(parameters, values)  # type: ignore[arg-type]
            system = cast(S, as_system(f"value returned by {name!r}", build(data)))
            system._become(name, builder, data.values(), data.info(), recommended)
            return system

        builder: Builder[P, S] = Builder(made, build, parameters, text, usual, checked, evaluations)
        registry.register(name, builder)
        return builder

    return decorate


def _checked(
    sets: Mapping[str, Mapping[str, float | str]], parameters: Callable[..., Parameters]
) -> Mapping[str, Mapping[str, float | str]]:
    """Check parameter sets, and return read-only copies.

    Values must be valid and differ from the defaults."""
    usual = parameters().values() if sets else {}
    for name, values in sets.items():
        changed = from_keywords(parameters, values).values()  # type: ignore[arg-type]
        for key in values:
            if changed[key] == usual[key]:
                raise ValueError(
                    f"sets: set {name!r} must differ from the defaults, got {key} = {usual[key]}, "
                    "which is the default. Leave it out."
                )
    return MappingProxyType({name: MappingProxyType(dict(sets[name])) for name in sets})


def _describe(build: Callable[..., System], parameters: Callable[..., Parameters]) -> str:
    """Return the docstring of a builder with its parameters, for `help`."""
    text = inspect.cleandoc(build.__doc__ or "")
    head, mark, tail = text.partition("\nRaises\n------\n")
    lines = ["", "Parameters", "----------"]
    for key, info in parameters.info().items():  # type: ignore[attr-defined]
        default = inspect.signature(parameters).parameters[key].default
        said = ", ".join(part for part in (info.description, info.source) if part)
        if info.choices:
            words = ", ".join(info.choices)
            lines.append(f"{key} : one of {words}, default {info.shown(default)}")
        else:
            usual = "optional" if default is None else f"default {default:g}"
            lines.append(f"{key} : {info.unit or '-'}, {usual}")
        if said:
            lines.append(f"    {said}")
    return "\n".join([head.rstrip(), *lines]) + ("\n" + mark + tail if mark else "\n")
