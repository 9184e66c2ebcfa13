"""Inputs, whose values are constant in a run until they are set."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsmb._core import system as _system
from nsmb.common.arguments import as_array, unknown_name
from nsmb.common.extras import import_extra

__all__ = ["Input", "all_inputs", "as_inputs", "check_names", "core_inputs", "input_values"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Input:
    """An input of a system, such as a motor force, which `Simulator.set` changes during a run.

    The system defines where an input enters, the run holds its value. An input may enter several
    times.

    - :class:`Force` of a `LinearSystem`: ``Force(inputs={motor: [1.0, 0.0]})``;
    - SymPy: ``LagrangianSystem(..., inputs=[motor])``, and `motor` in the expressions;
    - :class:`Model`: as the law of a force, ``add_joint_force("motor", "hinge", motor)``, or
      ``inputs=[motor]`` together with a function, which receives the value after its other
      arguments;
    - `CallbackSystem`: ``inputs=[motor]``; `forces` and `state_rates` receive the value after their
      other arguments.

    Examples
    --------
    >>> import nsmb
    >>> motor = nsmb.Input("motor", unit="N")
    >>> cart = nsmb.LinearSystem([[2.0]], force=nsmb.Force(inputs={motor: [1.0]}))
    >>> sim = nsmb.Simulator(cart, output_step=0.0)
    >>> sim.set(motor=4.0)
    >>> sim.advance(1.0)
    >>> sim.u
    array([2.])
    """

    name: str
    value: float = 0.0
    """Initial value, which applies until a run sets another one."""
    unit: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        name = self.name
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"input {name!r}: must be a valid Python identifier")
        value = float(as_array(f"input {name!r}", self.value, ()))
        object.__setattr__(self, "value", value)

    def _sympy_(self) -> Any:
        return import_extra("sympy", "symbolic").Symbol(self.name, real=True)

    # Arithmetic with an input returns SymPy expressions.
    def __neg__(self) -> Any:
        return -self._sympy_()

    def __add__(self, other: Any) -> Any:
        return self._sympy_() + other

    def __radd__(self, other: Any) -> Any:
        return other + self._sympy_()

    def __sub__(self, other: Any) -> Any:
        return self._sympy_() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self._sympy_()

    def __mul__(self, other: Any) -> Any:
        return self._sympy_() * other

    def __rmul__(self, other: Any) -> Any:
        return other * self._sympy_()

    def __truediv__(self, other: Any) -> Any:
        return self._sympy_() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self._sympy_()

    def __pow__(self, other: Any) -> Any:
        return self._sympy_() ** other


def as_inputs(argument: str, given: Iterable[Any]) -> tuple[Input, ...]:
    """Return `given` without duplicates, or raise ValueError if an entry is not an input."""
    if isinstance(given, Input):
        raise ValueError(
            f"{argument}: must be a sequence, got {given!r}. Put a single one in a list."
        )
    inputs = tuple(given)
    for entry in inputs:
        if not isinstance(entry, Input):
            raise ValueError(
                f"{argument}: must contain only nsmb.Input(name, value), got {entry!r}"
            )
    return all_inputs(argument, inputs)


def all_inputs(argument: str, *groups: Iterable[Input]) -> tuple[Input, ...]:
    """Return the inputs of all groups in order, without duplicates."""
    known: dict[str, Input] = {}
    for entry in (entry for group in groups for entry in group):
        if known.setdefault(entry.name, entry) != entry:
            raise ValueError(
                f"{argument}: must have distinct names, got {known[entry.name]!r} and {entry!r}"
            )
    return tuple(known.values())


def check_names(inputs: Sequence[Input], parameters: Iterable[str]) -> None:
    """Raise ValueError if an input has the name of a parameter."""
    for name in set(parameters).intersection(entry.name for entry in inputs):
        raise ValueError(f"input {name!r}: must have a name that is not a parameter")


def core_inputs(inputs: Sequence[Input]) -> list[_system.InputDescription]:
    """Return the descriptions of inputs for the core."""
    return [_system.InputDescription(entry.name, entry.value) for entry in inputs]


def input_values(inputs: Sequence[Input], given: Mapping[str, Any], values: Vector) -> Vector:
    """Return `values` with the named entries replaced."""
    names = [entry.name for entry in inputs]
    changed = values.copy()
    for name, value in given.items():
        if name not in names:
            raise unknown_name("input", name, names)
        if type(value) is not float or not -np.inf < value < np.inf:
            value = as_array(f"input {name!r}", value, ())
        changed[names.index(name)] = value
    return changed
