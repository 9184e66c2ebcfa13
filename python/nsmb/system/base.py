"""The base class of all systems."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.common.arguments import as_array, as_number, as_states, known_name, nearest
from nsmb.common.html import html_table
from nsmb.common.labels import Labels, velocity_labels
from nsmb.pictures import drawing
from nsmb.pictures.scene import Scene
from nsmb.system import registry
from nsmb.system.contact_info import ContactInfo
from nsmb.system.force_parts import ForceParts
from nsmb.system.inputs import Input, check_names
from nsmb.system.parameter_info import ParameterInfo
from nsmb.system.parameter_table import ParameterTable
from nsmb.system.recommended import Recommended
from nsmb.system.state import State

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Buildable", "ParameterInfo", "State", "System", "SystemLike", "as_system"]

Vector = NDArray[np.float64]

_NO_INFO = ParameterInfo()


def _with_unit(name: str, unit: str) -> str:
    return f"{name} / {unit}" if unit and unit != "-" else name


def _tangent_names(contacts: Sequence[ContactInfo]) -> tuple[str, ...]:
    return tuple(
        contact.name if contact.tangents == 1 else f"{contact.name}.{k + 1}"
        for contact in contacts
        for k in range(contact.tangents)
    )


class Buildable(Protocol):
    """A description from which a system is built, such as :class:`nsmb.Model`."""

    def build(self) -> System:
        """Build and return the system with a default initial state."""
        ...


def as_system(name: str, value: Any, also: str = "") -> System:
    """Return `value` if it is a system, or the system that a description builds.

    Any other object raises a ValueError, whose message suggests a system. `also` names additional
    types that the caller accepts.
    """
    if isinstance(value, System):
        return value
    hint = ""
    if not isinstance(value, type) and callable(getattr(value, "build", None)):
        built = value.build()
        if isinstance(built, System):
            return built
    if isinstance(value, str):
        known = registry.names()
        hint = f"; nsmb.systems.{value}() is one" if value in known else nearest(value, known)
    elif callable(value):
        hint = f"; {getattr(value, '__name__', 'it')}(...) with brackets may be one"
    raise ValueError(f"{name}: expected a nsmb.System{also}, got {type(value).__name__}{hint}")


def _restore(cls: type[System], arguments: dict[str, Any]) -> System:
    """Restore a system; called by pickle and copy."""
    return cls(**arguments)


class System:
    """A description of a mechanical system ``M(q,t) u̇ = h(q,u,t) + W λ``.

    Create systems by :class:`LinearSystem`, :class:`CallbackSystem` or :mod:`nsmb.systems`. Runs do
    not change a system. Systems can be copied and pickled if the functions given to them can. They
    are then rebuilt from their arguments, or from name and parameters for ready-made systems. A
    subclass with its own constructor must define ``__reduce__``.

    Attributes
    ----------
    name : str
        Name of the system.
    labels : Labels
        Names and units of all columns. The names below are taken from `labels`.
    coordinates, coordinate_units : tuple of str, length nq
        Names and units of the coordinates.
    contacts : tuple of ContactInfo, length nc
        Names, laws and tangential directions of the contacts.
    elements : tuple of str, length ne
        Names of the force elements with switching.
    states : tuple of str, length nx
        Names of the internal states: those of the system, then the walls of its force elements.
    constraints : tuple of str, length nb
        Names of the bilateral constraints.
    inputs : tuple of Input
        Inputs, whose values `Simulator.set` changes.
    period : float or None
        Shortest period of the explicit time dependence, s; None if there is none or it is unknown.
    initial_state : State
        Default initial state of runs.
    parameters : mapping of str to float
        Values of the parameters.
    parameter_info : mapping of str to ParameterInfo
        Descriptions of the parameters, including optional ones without a value.
    scene : Scene or None
        Appearance of the system in `draw`; may be set.
    recommended : Recommended
        Default method and end time of runs; may be set. Ready-made systems have those of their
        source.
    """

    _scene: Scene | None = None
    _recommended: Recommended = Recommended()
    _recommends = False  # True if `recommended` was set by the user

    def __init__(
        self,
        core: _system.System,
        *,
        name: str,
        coordinates: Sequence[str],
        coordinate_units: Sequence[str] | None = None,
        velocities: Sequence[str] | None = None,
        velocity_units: Sequence[str] | None = None,
        contacts: Sequence[ContactInfo],
        elements: Sequence[str] = (),
        initial_state: State | None = None,
        parameters: Mapping[str, float] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        rebuild: Callable[..., System] | None = None,
        period: float | None = None,
        inputs: Sequence[Input] = (),
    ) -> None:
        self._core = core
        self.name = name
        self.contacts = tuple(contacts)
        if coordinate_units is not None and len(coordinate_units) not in (0, len(coordinates)):
            raise ValueError(
                f"coordinate_units: expected {len(coordinates)} units, got {len(coordinate_units)}"
            )
        self._labels = Labels(
            coordinates=tuple(coordinates),
            coordinate_units=tuple(coordinate_units or ()),
            **velocity_labels(
                coordinates, coordinate_units, core.nu, core.states, velocities, velocity_units
            ),
            states=tuple(core.states),
            contact_names=tuple(contact.name for contact in self.contacts),
            tangent_names=_tangent_names(self.contacts),
            gapless=frozenset(c.name for c in self.contacts if not c.is_unilateral),
            element_names=tuple(elements),
            constraint_names=tuple(core.constraints),
            shape_names=tuple(core.shape_names),
            input_names=tuple(entry.name for entry in inputs),
            input_units=tuple(entry.unit for entry in inputs),
        )
        self.inputs = tuple(inputs)
        self._set_parameters(parameters or {}, parameter_info or {})
        self._rebuild = rebuild
        self.period = None if period is None else as_number("period", period)
        if self.period is not None and not self.period > 0.0:
            raise ValueError(f"period: expected a number > 0 or None, got {self.period}")
        self._builder: Callable[..., System] | None = None  # None unless the system is parametric
        start = initial_state or State(0.0, np.zeros(core.nq), np.zeros(core.nu))
        self.initial_state = State(
            float(as_array("initial_state.t", start.t, ())),
            as_array("initial_state.q", start.q, (core.nq,)),
            as_array("initial_state.u", start.u, (core.nu,)),
            as_states("initial_state.x", start.x, core.nx_own, core.nx),
        )
        for array in (self.initial_state.q, self.initial_state.u, self.initial_state.x):
            array.flags.writeable = False

    def _set_parameters(
        self, parameters: Mapping[str, float], info: Mapping[str, ParameterInfo]
    ) -> None:
        check_names(self.inputs, parameters)
        self.parameters: Mapping[str, float] = MappingProxyType(dict(parameters))
        self.parameter_info: Mapping[str, ParameterInfo] = MappingProxyType(dict(info))
        if not parameters and not self._labels.parameter_names:
            return
        self._labels = dataclasses.replace(
            self._labels,
            parameter_names=tuple(parameters),
            parameter_units=tuple(info.get(k, _NO_INFO).unit for k in parameters),
        )

    @property
    def parameter_table(self) -> ParameterTable:
        """A table of the parameters with value, unit, meaning and source."""
        return ParameterTable(self.name, self.parameters, self.parameter_info)

    @property
    def labels(self) -> Labels:
        """Names and units of all columns."""
        return self._labels

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self._labels.coordinates

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Units of the coordinates."""
        return self._labels.coordinate_units

    @property
    def elements(self) -> tuple[str, ...]:
        """Names of the force elements with switching."""
        return self._labels.element_names

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the internal states."""
        return self._labels.states

    @property
    def constraints(self) -> tuple[str, ...]:
        """Names of the bilateral constraints."""
        return self._labels.constraint_names

    @property
    def scene(self) -> Scene | None:
        """The appearance of the system in `draw`."""
        return self._scene

    @scene.setter
    def scene(self, scene: Scene | None) -> None:
        if scene is not None and not isinstance(scene, Scene):
            raise ValueError(f"system.scene: expected a nsmb.plotting.Scene or None, got {scene!r}")
        self._scene = scene

    @property
    def recommended(self) -> Recommended:
        """The default method and end time of runs."""
        return self._recommended

    @recommended.setter
    def recommended(self, recommended: Recommended) -> None:
        if not isinstance(recommended, Recommended):
            raise ValueError(
                f"system.recommended: expected a nsmb.results.Recommended, got {recommended!r}"
            )
        self._recommended = recommended
        self._recommends = True

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._core.nq

    @property
    def nu(self) -> int:
        """Number of velocities."""
        return self._core.nu

    @property
    def nc(self) -> int:
        """Number of contacts."""
        return self._core.nc

    @property
    def nt(self) -> int:
        """Number of tangential directions of all contacts."""
        return self._core.nt

    @property
    def nx(self) -> int:
        """Number of internal states."""
        return self._core.nx

    @property
    def ne(self) -> int:
        """Number of force elements with switching."""
        return self._core.ne

    @property
    def nb(self) -> int:
        """Number of bilateral constraints."""
        return len(self.constraints)

    @property
    def tangent_names(self) -> tuple[str, ...]:
        """Names of the tangential directions: the contact, with ``.1`` and ``.2`` if it has two."""
        return self._labels.tangent_names

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the contacts, in the order of all contact arrays."""
        return self._labels.contact_names

    def with_parameters(self, **changes: float | str | None) -> System:
        """Return the system with other parameters; this system does not change.

        A value of None unsets an optional parameter. `recommended` is kept if it was set by the
        user.

        Raises
        ------
        ValueError
            If the system has no parameter of that name, or a value is invalid.
        """
        if self._rebuild is None:
            raise ValueError(
                f"with_parameters: system {self.name!r} was built without named parameters; "
                "give `parameters` and `rebuild` when building it"
            )
        self._check_parameters(changes)
        return self._hand_on(self._rebuild(**{**self.parameters, **changes}))

    def _check_parameters(self, names: Iterable[str]) -> None:
        for name in names:
            known_name("parameter", name, {**self.parameters, **self.parameter_info})

    def _become(
        self,
        name: str,
        builder: Callable[..., System],
        parameters: Mapping[str, float],
        info: Mapping[str, ParameterInfo],
        recommended: Recommended | None,
    ) -> None:
        """Turn the system into a parametric one, built by `builder` from `parameters`."""
        self.name = name
        self._builder = self._rebuild = builder
        self._set_parameters(parameters, info)
        if not self._recommends and recommended is not None:
            self._recommended = recommended
        self._recommends = False

    @property
    def _has_potential(self) -> bool:
        start = self.initial_state
        return not np.isnan(self._core.potential_energy(start.t, start.q))

    def _force_parts(self) -> ForceParts:
        """Return the object that evaluates the energy of each force, for `Solution.energy`."""
        return ForceParts(self._core, self._has_potential, np.zeros((self.nu, self.nu)), {}, True)

    def _for_events(self) -> System:
        """Return the system in a form with named contacts, whose events can be located.

        Raises
        ------
        EventsRefused
            If the system can only be simulated by time stepping.
        """
        return self

    def _for_steps(self) -> System:
        """Return the system in a form for time stepping, with contact detection in each step."""
        return self

    def _usual_step(self) -> tuple[float, str]:
        """Return the default step length in s, and the rule from which it follows."""
        return 1e-3, "1 ms"

    def _set_contacts(self, core: _system.System, contacts: Sequence[ContactInfo]) -> None:
        """Replace the contacts, and the core by one that has them."""
        self._core = core
        self.contacts = tuple(contacts)
        self._labels = dataclasses.replace(
            self._labels,
            contact_names=tuple(contact.name for contact in self.contacts),
            tangent_names=_tangent_names(self.contacts),
            gapless=frozenset(c.name for c in self.contacts if not c.is_unilateral),
            shape_names=tuple(core.shape_names),
        )

    def _hand_on(self, other: System) -> System:
        """Return `other` with the recommendation of this system, if only that was set by a user."""
        if self._recommends and not other._recommends:
            other.recommended = self.recommended
        return other

    def next_discontinuity(self, t: float) -> float:
        """Return the first declared time after t at which loads or drives jump or bend, in s.

        The time is infinite if there is none. Runs stop at these times, and continue with the
        equations that apply afterwards."""
        return self._core.discontinuities.next(float(as_array("t", t, ())))

    def _inputs(self, inputs: ArrayLike | None) -> Vector | None:
        return None if inputs is None else as_array("inputs", inputs, (len(self.inputs),))

    def mass_matrix(self, t: float, q: ArrayLike, *, inputs: ArrayLike | None = None) -> Vector:
        """Return M (nu, nu) at (t, q); `inputs` in order, by default their initial values."""
        return self._core.mass_matrix(t, as_array("q", q, (self.nq,)), self._inputs(inputs))

    def forces(
        self,
        t: float,
        q: ArrayLike,
        u: ArrayLike,
        x: ArrayLike | None = None,
        *,
        inputs: ArrayLike | None = None,
    ) -> Vector:
        """Return h, all forces except those of contacts and force elements (3.11), (nu,)."""
        own = self._core.nx_own
        states = np.zeros(own) if x is None else as_array("x", x, (self.nx,))[:own]
        place, velocity = as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,))
        return self._core.forces(t, place, velocity, states, self._inputs(inputs))

    def state_rates(self, t: float, q: ArrayLike, u: ArrayLike, x: ArrayLike) -> Vector:
        """Return ẋ of the internal states of the system, without the walls of force elements."""
        own = self._core.nx_own
        states = as_array("x", x, (self.nx,))[:own]
        return self._core.state_rates(
            t, as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,)), states
        )

    def element_kinematics(self, t: float, q: ArrayLike) -> dict[str, Vector]:
        """Return ``gamma`` (ne,), ``W`` (nu, ne) and ``w_tilde`` (ne,) of the force elements."""
        return self._core.element_kinematics(t, as_array("q", q, (self.nq,)))

    def constraint_kinematics(self, t: float, q: ArrayLike, u: ArrayLike) -> dict[str, Vector]:
        """Return ``g, w_tilde, w_bar`` (nb,) and ``W`` (nu, nb) of the bilateral constraints."""
        return self._core.constraint_kinematics(
            t, as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,))
        )

    def contact_kinematics(
        self,
        t: float,
        q: ArrayLike,
        u: ArrayLike,
        *,
        inputs: ArrayLike | None = None,
        x: ArrayLike | None = None,
    ) -> dict[str, Vector]:
        """Return the kinematic terms of the contacts at (t, q, u).

        They are ``g_N, w_tilde_N, w_bar_N, bound`` (nc,), ``w_tilde_T, w_bar_T`` (nt,), ``W_N``
        (nu, nc) and ``W_T`` (nu, nt). For systems with varying contact points, they describe the
        points found at (t, q), and the result has four more arrays. ``features`` (nc, 2) are the
        features of both contours that may touch, or -1 for an unused slot. ``sigma`` (nc, 2) are
        their contour parameters. ``domain`` (nc,) is the distance of the point from the end of its
        features in m, negative beyond the end. ``valid`` (nc,) is True for contact points of a run
        that starts there.

        Friction bounds that depend on internal states use `x`, by default the initial states."""
        states = None
        if self._core.has_state_bounds:
            given = self.initial_state.x if x is None else as_array("x", x, (self.nx,))
            states = given[: self._core.nx_own]
        return self._core.contact_kinematics(
            t,
            as_array("q", q, (self.nq,)),
            as_array("u", u, (self.nu,)),
            self._inputs(inputs),
            states,
        )

    def contact_quantities(self, t: float, q: ArrayLike, u: ArrayLike) -> dict[str, Vector]:
        """Return gaps ``g_N`` (nc,) and relative velocities ``gamma_N`` (nc,), ``gamma_T`` (nt,).

        See (4.38). For systems with varying contact points, ``g_N`` is infinite for slots without a
        contact point.
        """
        kinematics = self.contact_kinematics(t, q, u)
        velocity = np.asarray(u, dtype=np.float64)
        return {
            "g_N": np.where(kinematics.get("valid", True), kinematics["g_N"], np.inf),
            "gamma_N": kinematics["W_N"].T @ velocity + kinematics["w_tilde_N"],
            "gamma_T": kinematics["W_T"].T @ velocity + kinematics["w_tilde_T"],
        }

    def overlaps(self, t: float, q: ArrayLike, *, beyond_skin: bool = False) -> dict[str, float]:
        """Return the contacts whose bodies overlap at (t, q), and lower bounds of the depths in m.

        Overlaps of any depth are found from the outlines of bodies, not from contact points. The
        result is empty if the system has no outlines. With `beyond_skin`, return only overlaps that
        are too deep for contact detection."""
        return {}

    def kinetic_energy(self, t: float, q: ArrayLike, u: ArrayLike) -> float:
        """Return the kinetic energy ½ uᵀ M u in J."""
        velocity = as_array("u", u, (self.nu,))
        return float(0.5 * velocity @ self.mass_matrix(t, q) @ velocity)

    def potential_energy(self, t: float, q: ArrayLike) -> float:
        """Return the potential energy V(q, t) in J; NaN if the system does not define it."""
        return self._core.potential_energy(t, as_array("q", q, (self.nq,)))

    def draw(
        self,
        q: ArrayLike | None = None,
        t: float | None = None,
        *,
        u: ArrayLike | None = None,
        x: ArrayLike | None = None,
        ax: Axes | None = None,
        forces: bool = True,
        title: str | None = None,
    ) -> Axes:
        """Draw the system at (t, q), by default at the initial state.

        Arguments are those of :func:`nsmb.pictures.drawing.draw`.
        """
        return drawing.draw(self, q, t, u=u, x=x, ax=ax, forces=forces, title=title)

    def _arguments(self) -> dict[str, Any]:
        """Return the constructor arguments that all systems have in common."""
        return {
            "coordinates": self.coordinates,
            "coordinate_units": self.coordinate_units,
            "initial_state": self.initial_state,
            "name": self.name,
            "parameters": dict(self.parameters),
            "parameter_info": dict(self.parameter_info),
            "rebuild": self._rebuild,
            "period": self.period,
        }

    def _outside(self) -> dict[str, Any]:
        """Return attributes that are not constructor arguments, for pickle and copy."""
        names = ("_recommended", "_recommends") if self._recommends else ()
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> tuple[Any, ...]:
        cls = type(self)
        if self._builder is not None:
            known_as = (self._builder.__module__, self._builder.__name__, dict(self.parameters))
            return registry.build_again, known_as, self._outside()
        constructors = [base for base in cls.__mro__ if "__init__" in vars(base)]
        if constructors[0] is System or "_arguments" not in vars(constructors[0]):
            raise TypeError(
                f"cannot pickle or copy a {cls.__name__}: its arguments are not known; "
                "define __reduce__"
            )
        look = {} if self.scene is None else {"_scene": self.scene}
        return _restore, (cls, self._arguments()), look | self._outside()

    def __repr__(self) -> str:
        contacts = ", ".join(self.contact_names) or "none"
        options = "".join(f", {key}={value!r}" for key, value in self.recommended.options.items())
        return f"<{self.name}: {self.nq} coordinates, contacts: {contacts}{options}>"

    def _repr_html_(self) -> str:
        labels = self.labels
        rows = [
            ("coordinates", ", ".join(map(_with_unit, labels.coordinates, labels.coordinate_units)))
        ]
        for kind, names in (
            ("internal states", labels.states),
            ("contacts", labels.contact_names),
            ("force elements", labels.element_names),
            ("constraints", labels.constraint_names),
        ):
            if names:
                rows.append((kind, ", ".join(names)))
        for name, value in self.parameters.items():
            info = self.parameter_info.get(name, _NO_INFO)
            said = ", ".join(part for part in (info.description, info.source) if part)
            rows.append((name, f"{info.shown(value)} {info.unit}{f' ({said})' if said else ''}"))
        return html_table(self.name, (), rows)


SystemLike: TypeAlias = System | Buildable
"""A system, or a description from which a system is built."""
