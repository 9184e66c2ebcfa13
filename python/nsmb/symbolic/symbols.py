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
"""Time t in s."""


class _Real(sympy.Symbol):  # type: ignore[misc]
    """A real symbol; symbols of two kinds differ even if they have the same name."""

    __slots__ = ()

    def __new__(cls, name: str, **assumptions: bool) -> _Real:
        symbol: _Real = super().__new__(cls, name, **({"real": True} | assumptions))
        return symbol


class Coordinate(_Real):
    """A generalised coordinate."""

    __slots__ = ()

    @property
    def velocity(self) -> Velocity:
        """The rate of the coordinate."""
        return Velocity(f"{self.name}_dot")


class Velocity(_Real):
    """A generalised velocity."""

    __slots__ = ()


class InternalState(_Real):
    """An internal first-order state."""

    __slots__ = ()


class Kinematic(_Real):
    """A component of the kinematics of a marker, or a joint coordinate or its rate."""

    __slots__ = ()


class Mode(_Real):
    """The mode of a watched function: 0 open, 1 closed; constant between events."""

    __slots__ = ()

    def select(self, open: Any, closed: Any) -> Any:
        """Return an expression with one value for each mode."""
        return sympy.Piecewise((closed, self > sympy.Rational(1, 2)), (open, True))


class Parameter(_Real):
    """A named constant whose value is an argument of the compiled system."""

    __slots__ = ()


def _names(argument: str, names: str) -> list[str]:
    found = names.replace(",", " ").split() if isinstance(names, str) else []
    if not found:
        raise ValueError(f"{argument}: must be names separated by blanks, got {names!r}")
    for name in found:
        if found.count(name) > 1:
            raise ValueError(f"{argument}: must be distinct names, got {name!r} twice")
    return found


def coordinates(names: str) -> Any:
    """Create coordinates: one symbol for one name, a tuple for several.

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
    """Return the velocities q̇ of coordinates: a symbol for one coordinate, a tuple for several."""
    for coordinate in coordinates:
        if not isinstance(coordinate, Coordinate):
            raise ValueError(
                f"velocities: expected symbols made by coordinates(), got {coordinate!r}"
            )
    found = tuple(coordinate.velocity for coordinate in coordinates)
    return found[0] if len(found) == 1 else found


def states(names: str) -> Any:
    """Create internal first-order states: one symbol for one name, a tuple for several."""
    found = tuple(InternalState(name) for name in _names("states", names))
    return found[0] if len(found) == 1 else found


def modes(names: str) -> Any:
    """Create modes of watched functions: one symbol for one name, a tuple for several."""
    found = tuple(Mode(name) for name in _names("modes", names))
    return found[0] if len(found) == 1 else found


def as_mode(where: str, value: Any) -> bool:
    """Return True if a mode is closed, given as True or False, or as its number."""
    if value in (False, True):
        return bool(value)
    raise ValueError(f"{where}: expected True (closed) or False (open), got {value!r}")


def keys_made_by(what: str, given: Any, kind: type, maker: str) -> tuple[Any, ...]:
    """Return the keys of a mapping, which must be symbols of one kind; empty for None."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise ValueError(f"{what}: expected a mapping, got {given!r}")
    for key in given:
        if not isinstance(key, kind):
            raise ValueError(f"{what}: expected symbols made by {maker}, got {key!r}")
    return tuple(given)


def by_symbol(where: str, values: Mapping[Any, Any], known: Sequence[Any]) -> dict[Any, Any]:
    """Return the values by known symbols; keys may also be names of symbols."""
    labels = [str(s.func if isinstance(s, AppliedUndef) else s) for s in known]
    found: dict[Any, Any] = {}
    for key, value in values.items():
        symbol = key
        if isinstance(key, str) and key in labels:
            if labels.count(key) > 1:
                raise ValueError(
                    f"{where} {key!r}: must be a symbol, because several have this name"
                )
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
    """Return an error for a symbol of which only the name is known."""
    own = getattr(symbol, "_assumptions_orig", {})
    assumed = ", ".join(f"{name}={value}" for name, value in own.items()) or "no assumptions"
    return ValueError(
        f"{where} {str(symbol)!r}: expected the symbol of the system, got the same name with "
        f"other assumptions or of another kind ({type(symbol).__name__}, {assumed}). Use the "
        "same symbol object as the system, or list this symbol in `parameters`."
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
                    f"parameter {name!r}: must not be a name that parameters use themselves, got "
                    f"that of p.{name}. Call it {name}_."
                )
            if not name.isidentifier() or keyword.iskeyword(name):
                raise ValueError(f"parameter {name!r}: must be a valid Python identifier")
            checked[name] = float(as_array(f"parameter {name!r}", value, ()))
        self._values = checked
        self._given: tuple[sympy.Symbol, ...] = ()

    @classmethod
    def of(cls, values: Mapping[Any, float] | None) -> Parameters:
        """Create parameters from a mapping of names or symbols, which may have any assumptions."""
        if isinstance(values, Parameters):
            return values
        if values is not None and not isinstance(values, Mapping):
            raise ValueError(f"parameters: expected parameters(...) or a mapping, got {values!r}")
        numbers: dict[str, float] = {}
        for key, value in (values or {}).items():
            if isinstance(key, Coordinate | Velocity | InternalState | Mode):
                raise ValueError(f"parameters: expected names or plain symbols, got {key!r}")
            if str(key) in numbers:
                raise ValueError(f"parameters: must have distinct names, got {str(key)!r} twice")
            numbers[str(key)] = value
        made = cls(numbers)
        made._given = tuple(key for key in values or {} if isinstance(key, sympy.Symbol))
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._values:
            message = str(unknown_name("parameter", name, list(self._values)))
            raise AttributeError(message, name=name)  # prevents a further hint from Python
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
    """Create named parameters with their default values, in SI units.

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
        If a value is not a finite number, or if a name is reserved, such as ``values``.
    """
    return Parameters(values)


class PathRate(sympy.Function):  # type: ignore[misc]
    """The rate of a path, derived along the motion of its system, also with generalised speeds."""

    nargs = 1


def rate(expression: Any) -> Any:
    """Return d/dt of an expression of coordinates, time and parameters, in terms of velocities.

    A list, a tuple or a matrix is differentiated entry by entry. Vectors of ``sympy.physics`` have
    their own methods for that.

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
        Expression of coordinates, parameters and time.

    Raises
    ------
    ValueError
        If the argument is a string, or if it contains velocities, internal states or modes, whose
        rates are unknown before the motion.
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
