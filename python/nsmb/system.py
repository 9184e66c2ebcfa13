"""Systems: what all of them share, and those given by matrices."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.contacts import Contact, LinearContact, LinearFriction, UnilateralContact
from nsmb.forces import LinearForceElement

__all__ = ["Force", "Harmonic", "LinearSystem", "ParameterInfo", "State", "System"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ParameterInfo:
    """What a parameter is."""

    unit: str = ""
    description: str = ""
    source: str = ""


@dataclass(frozen=True, eq=False)
class State:
    """Time, coordinates, velocities and internal states."""

    t: float
    q: Vector
    """(nq,)"""
    u: Vector
    """(nu,)"""
    x: Vector = field(default_factory=lambda: np.zeros(0))
    """(nx,) internal states; empty: zeros, walls of force elements at rest"""


def as_array(name: str, value: Any, shape: tuple[int, ...]) -> Vector:
    """`value` as a new float array of that shape; a ValueError names the argument otherwise."""
    wanted = f"numbers of shape {shape}" if shape else "a number"
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected {wanted}, got {value!r}") from None
    if array.shape != shape:
        wanted = f"shape {shape}" if shape else "a number"
        raise ValueError(f"{name}: expected {wanted}, got shape {array.shape}")
    if not np.isfinite(array).all():
        wanted = "finite numbers" if shape else "a finite number"
        raise ValueError(f"{name}: expected {wanted}, got {array.tolist()}")
    return array


def per_direction(name: str, value: ArrayLike, d: int) -> Vector:
    """One number for each of d tangential directions; a single number counts for all."""
    if d == 1 or np.ndim(value) == 0:
        return np.full(
            d, as_array(name, np.reshape(value, ()) if np.size(value) == 1 else value, ())
        )
    return as_array(name, value, (d,))


def internal_states(name: str, value: ArrayLike, core: _system.System) -> Vector:
    """`value` as all or the own internal states of a system; nothing: zeros."""
    if np.size(value) == 0:
        return np.zeros(core.nx_own)
    size = core.nx_own if np.shape(value) == (core.nx_own,) else core.nx
    return as_array(name, value, (size,))


def unknown_name(kind: str, name: str, known: Sequence[str]) -> ValueError:
    """Error for a name that does not exist, with the nearest one that does."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return ValueError(f"{kind} {name!r}: expected one of {', '.join(known) or 'none'}{hint}")


def _restore(cls: type[System], arguments: dict[str, Any]) -> System:
    """What pickle and copy call."""
    return cls(**arguments)


def _restore_ready_made(name: str, parameters: dict[str, float]) -> System:
    from nsmb import systems

    return systems.build(name, **parameters)


class System:
    """A mechanical system ``M(q,t) u̇ = h(q,u,t) + W λ``: a description, never changed.

    Build one with :class:`LinearSystem`, :class:`CallbackSystem` or :mod:`nsmb.systems`. Systems
    can be copied and pickled, as far as the functions given to them can: they are built anew from
    their arguments, ready-made ones from name and parameters. A subclass with a constructor of its
    own has to define ``__reduce__``.

    Attributes
    ----------
    name : str
    coordinates, coordinate_units : tuple of str, length nq
    contacts : tuple of Contact, length nc
    elements : tuple of str, length ne
        Names of the force elements with switching.
    states : tuple of str, length nx
        Names of the internal states: those of the system, then the walls of its force elements.
    initial_state : State
        Where a simulation starts unless told otherwise.
    parameters : mapping of str to float
    parameter_info : mapping of str to ParameterInfo
    """

    def __init__(
        self,
        core: _system.System,
        *,
        name: str,
        coordinates: Sequence[str],
        coordinate_units: Sequence[str] | None = None,
        contacts: Sequence[Contact],
        elements: Sequence[str] = (),
        initial_state: State | None = None,
        parameters: Mapping[str, float] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        rebuild: Callable[..., System] | None = None,
    ) -> None:
        self._core = core
        self.name = name
        self.coordinates = tuple(coordinates)
        units = coordinate_units or [""] * len(self.coordinates)
        if len(units) != len(self.coordinates):
            raise ValueError(
                f"coordinate_units: expected {len(self.coordinates)} units, got {len(units)}"
            )
        self.coordinate_units = tuple(units)
        self.contacts = tuple(contacts)
        self.elements = tuple(elements)
        self.states = tuple(core.states)
        self.parameters: Mapping[str, float] = MappingProxyType(dict(parameters or {}))
        self.parameter_info: Mapping[str, ParameterInfo] = MappingProxyType(
            dict(parameter_info or {})
        )
        self._rebuild = rebuild
        self._ready_made = ""  # name in nsmb.systems, set there
        start = initial_state or State(0.0, np.zeros(core.nq), np.zeros(core.nu))
        self.initial_state = State(
            float(as_array("initial_state.t", start.t, ())),
            as_array("initial_state.q", start.q, (core.nq,)),
            as_array("initial_state.u", start.u, (core.nu,)),
            internal_states("initial_state.x", start.x, core),
        )
        for array in (self.initial_state.q, self.initial_state.u, self.initial_state.x):
            array.flags.writeable = False

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
    def tangent_names(self) -> tuple[str, ...]:
        """Names of the tangential directions: the contact, ``.1`` and ``.2`` where it has two."""
        return tuple(
            contact.name if contact.tangents == 1 else f"{contact.name}.{k + 1}"
            for contact in self.contacts
            for k in range(contact.tangents)
        )

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the contacts, in the order of all contact arrays."""
        return tuple(contact.name for contact in self.contacts)

    def with_parameters(self, **changes: float) -> System:
        """The same system with other parameters; this one stays as it is.

        Raises
        ------
        ValueError
            For a parameter the system does not have, or a value it cannot take.
        """
        if self._rebuild is None:
            raise ValueError(
                f"with_parameters: system {self.name!r} was built without named parameters; "
                "give `parameters` and `rebuild` when building it"
            )
        for key in changes:
            if key not in self.parameters:
                raise unknown_name("parameter", key, list(self.parameters))
        return self._rebuild(**{**self.parameters, **changes})

    def mass_matrix(self, t: float, q: ArrayLike) -> Vector:
        """M (nu, nu) at (t, q)."""
        return self._core.mass_matrix(t, as_array("q", q, (self.nq,)))

    def forces(self, t: float, q: ArrayLike, u: ArrayLike, x: ArrayLike | None = None) -> Vector:
        """h (nu,): all forces without those of contacts and force elements (3.11)."""
        own = self._core.nx_own
        states = np.zeros(own) if x is None else as_array("x", x, (self.nx,))[:own]
        return self._core.forces(
            t, as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,)), states
        )

    def state_rates(self, t: float, q: ArrayLike, u: ArrayLike, x: ArrayLike) -> Vector:
        """ẋ of the system's own internal states, without the walls of force elements."""
        own = self._core.nx_own
        states = as_array("x", x, (self.nx,))[:own]
        return self._core.state_rates(
            t, as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,)), states
        )

    def element_kinematics(self, t: float, q: ArrayLike) -> dict[str, Vector]:
        """``gamma`` (ne,), ``W`` (nu, ne) and ``w_tilde`` (ne,) of the force elements."""
        return self._core.element_kinematics(t, as_array("q", q, (self.nq,)))

    def contact_kinematics(self, t: float, q: ArrayLike, u: ArrayLike) -> dict[str, Vector]:
        """``g_N, w_tilde_N, w_bar_N, bound`` (nc,), ``w_tilde_T, w_bar_T`` (nt,), ``W_N`` (nu, nc)
        and ``W_T`` (nu, nt)."""
        return self._core.contact_kinematics(
            t, as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,))
        )

    def contact_quantities(self, t: float, q: ArrayLike, u: ArrayLike) -> dict[str, Vector]:
        """``g_N, gamma_N`` (nc,) and ``gamma_T`` (nt,): gap and relative velocities (4.38)."""
        kinematics = self.contact_kinematics(t, q, u)
        velocity = np.asarray(u, dtype=np.float64)
        return {
            "g_N": kinematics["g_N"],
            "gamma_N": kinematics["W_N"].T @ velocity + kinematics["w_tilde_N"],
            "gamma_T": kinematics["W_T"].T @ velocity + kinematics["w_tilde_T"],
        }

    def kinetic_energy(self, t: float, q: ArrayLike, u: ArrayLike) -> float:
        """½ uᵀ M u in J."""
        velocity = as_array("u", u, (self.nu,))
        return float(0.5 * velocity @ self.mass_matrix(t, q) @ velocity)

    def potential_energy(self, t: float, q: ArrayLike) -> float:
        """V(q, t) in J; NaN when the system does not know it."""
        return self._core.potential_energy(t, as_array("q", q, (self.nq,)))

    def _arguments(self) -> dict[str, Any]:
        """Arguments of the constructor that all systems share."""
        return {
            "coordinates": self.coordinates,
            "coordinate_units": self.coordinate_units,
            "initial_state": self.initial_state,
            "name": self.name,
            "parameters": dict(self.parameters),
            "parameter_info": dict(self.parameter_info),
            "rebuild": self._rebuild,
        }

    def __reduce__(self) -> tuple[Callable[..., System], tuple[Any, ...]]:
        cls = type(self)
        if self._ready_made:
            return _restore_ready_made, (self._ready_made, dict(self.parameters))
        constructors = [base for base in cls.__mro__ if "__init__" in vars(base)]
        if constructors[0] is System or "_arguments" not in vars(constructors[0]):
            raise TypeError(
                f"cannot pickle or copy a {cls.__name__}: its arguments are not known; "
                "define __reduce__"
            )
        return _restore, (cls, self._arguments())

    def __repr__(self) -> str:
        contacts = ", ".join(self.contact_names) or "none"
        return f"<{self.name}: {self.nq} coordinates, contacts: {contacts}>"


@dataclass(frozen=True, eq=False)
class Harmonic:
    """Force ``amplitude cos(omega t + phase)``."""

    amplitude: ArrayLike
    """(n,)"""
    omega: float
    """rad/s, > 0"""
    phase: float = 0.0
    """rad"""


@dataclass(frozen=True, eq=False)
class Force:
    """Time-dependent force ``constant + ramp t + Σ harmonics`` of a linear system.

    With such a force the motion between two events has a closed form. Any other function of
    time can be given to :class:`LinearSystem` as a callable; it is then integrated numerically.
    """

    constant: ArrayLike | None = None
    """(n,)"""
    ramp: ArrayLike | None = None
    """(n,) per second"""
    harmonics: Sequence[Harmonic] = ()


def _core_force(
    force: Force | Callable[[float], ArrayLike] | ArrayLike | None, n: int
) -> _system.LinearForce:
    user: Callable[[float], ArrayLike] | None = None
    if callable(force):
        user, given = force, Force()
    elif isinstance(force, Force):
        given = force
    else:
        given = Force(constant=force)
    zero = np.zeros(n)
    constant = zero if given.constant is None else as_array("force", given.constant, (n,))
    ramp = zero if given.ramp is None else as_array("force.ramp", given.ramp, (n,))
    harmonics = []
    for harmonic in given.harmonics:
        amplitude = as_array("force.harmonics: amplitude", harmonic.amplitude, (n,))
        phase = float(as_array("force.harmonics: phase", harmonic.phase, ()))
        omega = float(as_array("force.harmonics: omega", harmonic.omega, ()))
        # a cos(ωt + φ) = a cos φ cos ωt - a sin φ sin ωt
        harmonics.append(
            _system.HarmonicForce(amplitude * np.cos(phase), -amplitude * np.sin(phase), omega)
        )
    return _system.LinearForce(constant, ramp, harmonics, user)


def _order(M: ArrayLike) -> int:
    """Rows of what should be a square matrix."""
    try:
        shape: tuple[int, ...] = np.asarray(M, dtype=np.float64).shape
    except (TypeError, ValueError):
        n = len(M) if isinstance(M, Sequence) else 1
        raise ValueError(f"M: expected numbers of shape {(n, n)}, got {M!r}") from None
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"M: expected a square matrix, got shape {shape}")
    return shape[0]


def _directions(name: str, value: ArrayLike | None, n: int) -> Vector:
    """Tangential directions as (n, 1) or (n, 2)."""
    if value is None:
        return np.zeros((n, 1))
    if np.shape(value) == (n, 2):
        return as_array(name, value, (n, 2))
    return as_array(name, value, (n,)).reshape(n, 1)


def _description(contact: LinearContact | LinearFriction, label: str, n: int) -> Contact:
    tangents = _directions(f"contact '{label}': w_T", contact.w_T, n).shape[1]
    if isinstance(contact, LinearContact):
        return Contact(label, contact.law, tangents)
    law = UnilateralContact(mu=contact.mu, aspect=contact.aspect)
    return Contact(label, law, tangents, contact.normal)


def _core_contact(
    contact: LinearContact | LinearFriction, about: Contact, labels: Sequence[str], n: int
) -> _system.LinearContact:
    prefix = f"contact '{about.name}': "
    description = about._core(labels)
    w_T = _directions(prefix + "w_T", contact.w_T, n)
    d = w_T.shape[1]
    w_tilde_T = per_direction(prefix + "w_tilde_T", contact.w_tilde_T, d)
    if isinstance(contact, LinearFriction):
        bound = float(as_array(prefix + "bound", contact.bound, ()))
        return _system.LinearContact(
            about.name, np.zeros(n), w_T, 0.0, 0.0, w_tilde_T, description.law, description.kind,
            description.normal, bound,
        )  # fmt: skip
    return _system.LinearContact(
        about.name,
        as_array(prefix + "w_N", contact.w_N, (n,)),
        w_T,
        float(as_array(prefix + "gap", contact.gap, ())),
        float(as_array(prefix + "w_tilde_N", contact.w_tilde_N, ())),
        w_tilde_T,
        description.law,
    )


def _core_element(element: LinearForceElement, name: str, n: int) -> _system.LinearForceElement:
    prefix = f"force element '{name}': "
    return _system.LinearForceElement(
        element.law._core(name),
        as_array(prefix + "w", element.w, (n,)),
        float(as_array(prefix + "gap", element.gap, ())),
        float(as_array(prefix + "w_tilde", element.w_tilde, ())),
    )


class LinearSystem(System):
    """``M q̈ + D q̇ + K q = f(t)`` with affine gaps, at native speed.

    Parameters
    ----------
    M, K, D : array_like, (n, n)
        Mass (symmetric positive definite), stiffness and damping matrices; None: zero K or D.
    force : Force, array_like (n,) or callable t -> (n,), optional
        A callable is called from the integrator; the other forms keep the closed-form motion.
    contacts : sequence of LinearContact and LinearFriction
    elements : sequence of LinearForceElement
    coordinates, coordinate_units : sequence of str, optional
        Default names ``q1, q2, ...``.
    initial_state : State, optional
        Default: t = 0, q = 0, u = 0.
    parameters, parameter_info, rebuild : optional
        Named parameters, and the function ``rebuild(**parameters) -> System`` that
        :meth:`System.with_parameters` calls.

    Raises
    ------
    ValueError
        Wrong shapes, NaN, a mass matrix that is not symmetric positive definite, or a law out of
        range; the message names the argument, what was expected and what came.
    """

    def __init__(
        self,
        M: ArrayLike,
        K: ArrayLike | None = None,
        D: ArrayLike | None = None,
        *,
        force: Force | Callable[[float], ArrayLike] | ArrayLike | None = None,
        contacts: Sequence[LinearContact | LinearFriction] = (),
        elements: Sequence[LinearForceElement] = (),
        coordinates: Sequence[str] | None = None,
        coordinate_units: Sequence[str] | None = None,
        initial_state: State | None = None,
        name: str = "linear system",
        parameters: Mapping[str, float] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        rebuild: Callable[..., System] | None = None,
    ) -> None:
        n = _order(M)
        self.M = as_array("M", M, (n, n))
        self.K = as_array("K", np.zeros((n, n)) if K is None else K, (n, n))
        self.D = as_array("D", np.zeros((n, n)) if D is None else D, (n, n))
        for matrix in (self.M, self.K, self.D):
            matrix.flags.writeable = False
        # Kept to build the system anew; arrays in them stay with the caller.
        contacts = copy.deepcopy(tuple(contacts))
        force = force if callable(force) else copy.deepcopy(force)
        elements = copy.deepcopy(tuple(elements))
        self._given: dict[str, Any] = {"force": force, "contacts": contacts, "elements": elements}
        names = [f"q{i + 1}" for i in range(n)] if coordinates is None else list(coordinates)
        if len(names) != n:
            raise ValueError(f"coordinates: expected {n} names, got {len(names)}")
        labels = [c.name or f"contact_{i + 1}" for i, c in enumerate(contacts)]
        laws = [_description(c, label, n) for c, label in zip(contacts, labels, strict=True)]
        core_contacts = [
            _core_contact(c, law, labels, n) for c, law in zip(contacts, laws, strict=True)
        ]
        core_elements = [
            _core_element(e, e.name or f"element_{i + 1}", n) for i, e in enumerate(elements)
        ]
        core = _system.LinearSystem(
            names, self.M, self.K, self.D, _core_force(force, n), core_contacts, core_elements
        )
        super().__init__(
            core,
            name=name,
            coordinates=names,
            coordinate_units=coordinate_units,
            contacts=laws,
            elements=[e.name or f"element_{i + 1}" for i, e in enumerate(elements)],
            initial_state=initial_state,
            parameters=parameters,
            parameter_info=parameter_info,
            rebuild=rebuild,
        )

    def _arguments(self) -> dict[str, Any]:
        matrices = {"M": self.M, "K": self.K, "D": self.D}
        return super()._arguments() | matrices | self._given
