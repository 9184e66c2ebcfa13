"""Names and units of the columns of arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nsmb.common.arguments import unknown_name

__all__ = ["Labels", "contact_of", "resistance_of", "velocity_labels"]

Names = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Names and units of the columns of all arrays of a system, ``System.labels``.

    Solutions, events, derivatives, tables and files use these names for their columns.

    Examples
    --------
    >>> import nsmb
    >>> labels = nsmb.systems.woodpecker().labels
    >>> labels.components
    ('y', 'phi_M', 'phi_S', 'y_dot', 'phi_M_dot', 'phi_S_dot')
    >>> labels.unit("phi_S_dot"), labels.component("phi_S_dot")
    ('rad/s', 5)
    """

    coordinates: Names
    """Names of the coordinates, length nq."""
    coordinate_units: Names
    """Units of the coordinates, length nq; empty if unknown, ``-`` if dimensionless."""
    velocities: Names
    """Names of the velocities, length nu: ``y_dot`` if q̇ = u, otherwise the names in the model, or
    ``u_1``, ... without names."""
    velocity_units: Names
    """Units of the velocities, length nu."""
    states: Names = ()
    """Names of the internal states, length nx."""
    state_units: Names = ()
    """Units of the internal states, length nx."""
    contact_names: Names = ()
    """Names of the contacts, length nc."""
    tangent_names: Names = ()
    """Names of the tangential directions, length nt: the name of the contact, with ``.1`` and
    ``.2`` if it has two."""
    gapless: frozenset[str] = frozenset()
    """Names in `contact_names` that belong to a `nsmb.Friction`, which has no gap."""
    element_names: Names = ()
    """Names of the force elements with switching, length ne."""
    constraint_names: Names = ()
    """Names of the bilateral constraints, length nb."""
    shape_names: Names = ()
    """Names of the shapes of `Model.collide`, ``"body.shape"``, by their index in
    `Contacts.points`."""
    input_names: Names = ()
    input_units: Names = ()
    parameter_names: Names = ()
    parameter_units: Names = ()
    user_event_names: Names = ()

    def __post_init__(self) -> None:
        for name in _FIELDS:
            kind = frozenset if name == "gapless" else tuple
            object.__setattr__(self, name, kind(getattr(self, name)))
        for name in ("coordinate", "velocity", "state", "input", "parameter"):
            names = getattr(self, _PLURAL.get(name, f"{name}_names"))
            units = getattr(self, f"{name}_units")
            if len(units) not in (0, len(names)):
                raise ValueError(f"{name}_units: expected {len(names)} units, got {len(units)}")
            if len(units) != len(names):
                object.__setattr__(self, f"{name}_units", ("",) * len(names))

    @cached_property
    def components(self) -> Names:
        """Names of the components of y = (q, u, x), length nq + nu + nx."""
        return self.coordinates + self.velocities + self.states

    @property
    def component_units(self) -> Names:
        """Units of the components."""
        return self.coordinate_units + self.velocity_units + self.state_units

    @cached_property
    def contact_columns(self) -> Mapping[str, tuple[int, ...]]:
        """Columns of each contact by its name.

        A contact with varying contact points has several columns, ``name[0]``, ``name[1]``, ...
        """
        columns: dict[str, list[int]] = {}
        for column, name in enumerate(self.contact_names):
            columns.setdefault(contact_of(name), []).append(column)
        return {name: tuple(own) for name, own in columns.items()}

    @cached_property
    def tangent_columns(self) -> tuple[tuple[int, ...], ...]:
        """Tangential columns of each contact column: one, or two for friction in a plane."""
        column = {name: k for k, name in enumerate(self.tangent_names)}
        return tuple(
            (column[name],) if name in column else (column[f"{name}.1"], column[f"{name}.2"])
            for name in self.contact_names
        )

    def component(self, name: str) -> int:
        """Return the index in y = (q, u, x) of the component `name`.

        Parameters
        ----------
        name : str
            Name of a coordinate, a velocity or an internal state.

        Raises
        ------
        ValueError
            If `name` is not in `components`.
        """
        if name in self.components:
            return self.components.index(name)
        raise unknown_name("component", name, self.components)

    def pick(self, name: object, y: Any, inputs: Any, what: str) -> Any:
        """Return the component of y = (q, u, x) or of the inputs with the given name.

        Parameters
        ----------
        name : str
            Name of a coordinate, a velocity, an internal state or an input.
        y, inputs : (..., ny) and (..., ni) ndarray
            Values of all components and inputs.
        what : str
            Name of the indexed object, for messages.

        Raises
        ------
        TypeError
            If `name` is not a string.
        KeyError
            If `name` is unknown.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"{what}[...]: must be a name, got {name!r}. Use the arrays q, u and x for numbers."
            )
        if name in self.components:
            return y[..., self.component(name)]
        if name in self.input_names:
            return inputs[..., self.input_names.index(name)]
        raise KeyError(str(unknown_name("name", name, self.components + self.input_names)))

    def unit(self, name: str) -> str:
        """Return the unit of a component, an input or a parameter, or "" if it is unknown."""
        if name in self.input_names:
            return self.input_units[self.input_names.index(name)]
        if name in self.parameter_names:
            return self.parameter_units[self.parameter_names.index(name)]
        return self.component_units[self.component(name)]

    def header(self) -> dict[str, Any]:
        """Return the entries for the header of a file."""
        return {
            name: sorted(self.gapless) if name == "gapless" else list(getattr(self, name))
            for name in _FIELDS
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Labels:
        """Return the labels from the entries of `header`."""
        given = {name: header[name] for name in _FIELDS}
        for name, value in given.items():
            if isinstance(value, str) or not all(isinstance(entry, str) for entry in value):
                raise ValueError(f"{name!r}: expected texts, got {value!r}")
        return cls(**given)


_FIELDS = tuple(field.name for field in dataclasses.fields(Labels))
_PLURAL = {"coordinate": "coordinates", "velocity": "velocities", "state": "states"}


def contact_of(column: str) -> str:
    """Return the name of the contact of a column, without the index of its contact point."""
    return column.rpartition("[")[0] if column.endswith("]") else column


def resistance_of(column: str, kind: str) -> str:
    """Return the column of a resistance: ``"pair[2]"`` has ``"pair.rolling[2]"``."""
    name = contact_of(column)
    return f"{name}.{kind}{column[len(name) :]}"


def velocity_labels(
    coordinates: Sequence[str],
    coordinate_units: Sequence[str] | None,
    nu: int,
    states: Sequence[str] = (),
    own: Sequence[str] | None = None,
    own_units: Sequence[str] | None = None,
) -> dict[str, Names]:
    """Return `velocities` and `velocity_units` of a system.

    Parameters
    ----------
    coordinates, coordinate_units, states : sequence of str
        Names and units of the coordinates, and names of the internal states.
    nu : int
        Number of velocities.
    own, own_units : sequence of str, optional
        Names in the model, length nu; the name of a coordinate denotes its rate. None: rates of the
        coordinates if nu = nq, otherwise numbers.
    """
    units = dict(zip(coordinates, coordinate_units or [""] * len(coordinates), strict=True))
    if own is None:
        own = coordinates if nu == len(coordinates) else [f"u_{k + 1}" for k in range(nu)]
    taken = {*coordinates, *states}
    velocities, velocity_units = [], []
    for name, unit in zip(own, own_units or [""] * nu, strict=True):
        rate = f"{name}_dot"
        is_rate = name in units
        velocities.append((f"u:{name}" if rate in taken else rate) if is_rate else name)
        velocity_units.append(_per_second(units[name]) if is_rate and not unit else unit)
    return {"velocities": tuple(velocities), "velocity_units": tuple(velocity_units)}


def _per_second(unit: str) -> str:
    return "1/s" if unit == "-" else f"{unit}/s" if unit else ""
