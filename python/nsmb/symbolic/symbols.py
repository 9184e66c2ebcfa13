"""The symbols of a system: coordinates, velocities, internal states, time and parameters."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from nsmb.common.arguments import as_array, unknown_name
from nsmb.common.expressions import as_expression

__all__ = [
    "Coordinate",
    "InternalState",
    "Kinematic",
    "Mode",
    "Parameter",
    "Parameters",
    "PathRate",
    "Velocity",
    "as_mode",
    "by_symbol",
    "coordinates",
    "keys_made_by",
    "modes",
    "other_assumptions",
    "parameters",
    "rate",
    "states",
    "time",
    "velocities",
]

time = sympy.Symbol("t", real=True)
"""Time t, s."""


class _Real(sympy.Symbol):  # type: ignore[misc]
    """A real symbol; those of two kinds differ even if they have the same name."""

    __slots__ = ()

    def __new__(cls, name: str, **assumptions: bool) -> _Real:
        symbol: _Real = super().__new__(cls, name, **({"real": True} | assumptions))
        return symbol


class Coordinate(_Real):
    """A generalized coordinate."""

    __slots__ = ()

    @property
    def velocity(self) -> Velocity:
        """Its rate."""
        return Velocity(f"{self.name}_dot")


class Velocity(_Real):
    """A generalized velocity."""

    __slots__ = ()


class InternalState(_Real):
    """An internal first-order state."""

    __slots__ = ()


class Kinematic(_Real):
    """A component of the kinematics of a marker, or a joint coordinate or its rate."""

    __slots__ = ()


class Mode(_Real):
    """The mode of a watched function: 0 open, 1 closed; frozen between events."""

    __slots__ = ()

    def select(self, open: Any, closed: Any) -> Any:
        """An expression for each mode."""
        return sympy.Piecewise((closed, self > sympy.Rational(1, 2)), (open, True))


class Parameter(_Real):
    """A named constant whose value is an argument of the compiled system."""

    __slots__ = ()


def _names(argument: str, names: str) -> list[str]:
    found = names.replace(",", " ").split() if isinstance(names, str) else []
    if not found:
        raise ValueError(f"{argument}: expected names with blanks between them, got {names!r}")
    for name in found:
        if found.count(name) > 1:
            raise ValueError(f"{argument}: expected different names, got {name!r} twice")
    return found


def coordinates(names: str) -> Any:
    """Coordinates: one symbol for one name, a tuple for several.

    Examples
    --------
    >>> from nsmb import symbolic
    >>> y, phi = symbolic.coordinates("y phi")
    >>> phi.velocity
    phi_dot
    """
    found = tuple(Coordinate(name) for name in _names("coordinates", names))
    return found[0] if len(found) == 1 else found


def velocities(*coordinates: Any) -> Any:
    """Velocities q̇ of coordinates: one symbol for one coordinate, a tuple for several."""
    for coordinate in coordinates:
        if not isinstance(coordinate, Coordinate):
            raise ValueError(
                f"velocities: expected symbols made by coordinates(), got {coordinate!r}"
            )
    found = tuple(coordinate.velocity for coordinate in coordinates)
    return found[0] if len(found) == 1 else found


def states(names: str) -> Any:
    """Internal first-order states: one symbol for one name, a tuple for several."""
    found = tuple(InternalState(name) for name in _names("states", names))
    return found[0] if len(found) == 1 else found


def modes(names: str) -> Any:
    """Modes of watched functions: one symbol for one name, a tuple for several."""
    found = tuple(Mode(name) for name in _names("modes", names))
    return found[0] if len(found) == 1 else found


def as_mode(where: str, value: Any) -> bool:
    """Whether a mode is closed, given as True or False, or as its number."""
    if value in (False, True):
        return bool(value)
    raise ValueError(f"{where}: expected True (closed) or False (open), got {value!r}")


def keys_made_by(what: str, given: Any, kind: type, maker: str) -> tuple[Any, ...]:
    """Keys of a mapping of symbols of one kind; None: no mapping."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise ValueError(f"{what}: expected a mapping, got {given!r}")
    for key in given:
        if not isinstance(key, kind):
            raise ValueError(f"{what}: expected symbols made by {maker}, got {key!r}")
    return tuple(given)


def by_symbol(where: str, values: Mapping[Any, Any], known: Sequence[Any]) -> dict[Any, Any]:
    """`values` of known symbols, which may be given by their names."""
    labels = [str(s.func if isinstance(s, AppliedUndef) else s) for s in known]
    found: dict[Any, Any] = {}
    for key, value in values.items():
        symbol = key
        if isinstance(key, str) and key in labels:
            if labels.count(key) > 1:
                raise ValueError(f"{where} {key!r}: expected a symbol, as several have this name")
            symbol = known[labels.index(key)]
        elif key not in known:
            if not isinstance(key, str) and str(key) in map(str, known):
                raise other_assumptions(where, key)
            raise unknown_name(where, str(key), labels)
        if symbol in found:
            raise ValueError(f"{where} {str(symbol)!r}: expected one value, got two")
        found[symbol] = value
    return found


def other_assumptions(where: str, symbol: Any) -> ValueError:
    """Error for a symbol that is known by name only."""
    own = getattr(symbol, "_assumptions_orig", {})
    assumed = ", ".join(f"{name}={value}" for name, value in own.items()) or "no assumptions"
    return ValueError(
        f"{where} {str(symbol)!r}: expected the symbol of the system, got the same name with other "
        f"assumptions or of another kind ({type(symbol).__name__}, {assumed}); use the very symbol "
        "of the system, or list this one in `parameters`"
    )


class Parameters(Mapping[str, float]):
    """Named parameters with default values: ``p.m`` is the symbol, ``p["m"]`` the number."""

    def __init__(self, values: Mapping[str, float]) -> None:
        checked = {}
        for name, value in values.items():
            if not isinstance(name, str):
                raise ValueError(f"parameter {name!r}: expected a name")
            if hasattr(Parameters, name) or name in ("_values", "_given"):
                raise ValueError(
                    f"parameter {name!r}: expected a name that parameters do not use themselves, "
                    f"got that of p.{name}; call it {name}_"
                )
            if not name.isidentifier() or keyword.iskeyword(name):
                raise ValueError(f"parameter {name!r}: expected a name of Python")
            checked[name] = float(as_array(f"parameter {name!r}", value, ()))
        self._values = checked
        self._given: tuple[sympy.Symbol, ...] = ()

    @classmethod
    def of(cls, values: Mapping[Any, float] | None) -> Parameters:
        """Parameters of a mapping of names or symbols; the symbols may have any assumptions."""
        if isinstance(values, Parameters):
            return values
        if values is not None and not isinstance(values, Mapping):
            raise ValueError(f"parameters: expected parameters(...) or a mapping, got {values!r}")
        numbers: dict[str, float] = {}
        for key, value in (values or {}).items():
            if isinstance(key, Coordinate | Velocity | InternalState | Mode):
                raise ValueError(f"parameters: expected names or plain symbols, got {key!r}")
            if str(key) in numbers:
                raise ValueError(f"parameters: expected different names, got {str(key)!r} twice")
            numbers[str(key)] = value
        made = cls(numbers)
        made._given = tuple(key for key in values or {} if isinstance(key, sympy.Symbol))
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._values:
            message = str(unknown_name("parameter", name, list(self._values)))
            raise AttributeError(message, name=name)  # Python adds no hint of its own then
        return Parameter(name)

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __or__(self, other: Mapping[str, float]) -> Parameters:
        merged = Parameters({**self._values, **other})
        merged._given = self._given
        return merged

    @property
    def symbols(self) -> tuple[Parameter, ...]:
        """All symbols, in order."""
        return tuple(Parameter(name) for name in self._values)

    def __repr__(self) -> str:
        return f"parameters({', '.join(f'{k}={v:g}' for k, v in self._values.items())})"


def parameters(**values: float) -> Parameters:
    """Named parameters with their default values, in SI units.

    Examples
    --------
    >>> from nsmb import symbolic
    >>> p = symbolic.parameters(m=1.5, l=0.2)
    >>> p.m * p.l**2
    l**2*m
    >>> p["m"]
    1.5

    Raises
    ------
    ValueError
        For a value that is not a finite number, and for names such as ``values`` that parameters
        use themselves.
    """
    return Parameters(values)


class PathRate(sympy.Function):  # type: ignore[misc]
    """Rate of a path, derived along the motion of its system: with generalized speeds, too."""

    nargs = 1


def rate(expression: Any) -> Any:
    """d/dt of an expression of coordinates, time and parameters, as an expression of velocities.

    Also of a list, a tuple or a matrix, entry by entry. Vectors of ``sympy.physics`` differentiate
    themselves.

    Examples
    --------
    >>> import sympy
    >>> from nsmb import symbolic
    >>> phi = symbolic.coordinates("phi")
    >>> symbolic.rate(sympy.sin(phi))
    phi_dot*cos(phi)

    Parameters
    ----------
    expression : expression
        Of coordinates, parameters and time.

    Raises
    ------
    ValueError
        For texts; if velocities, internal states or modes enter, whose rates are not known before
        the motion is.
    """
    if isinstance(expression, tuple | list):
        return type(expression)(rate(entry) for entry in expression)
    if isinstance(expression, sympy.MatrixBase):
        return expression.applyfunc(rate)
    value = as_expression("rate", expression)
    total = value.diff(time)
    for symbol in sorted(value.free_symbols, key=str):
        if isinstance(symbol, Velocity | InternalState | Mode):
            raise ValueError(
                f"rate: expected an expression of coordinates and time, got one with {symbol}"
            )
        if isinstance(symbol, Coordinate):
            total += value.diff(symbol) * symbol.velocity
    return total
