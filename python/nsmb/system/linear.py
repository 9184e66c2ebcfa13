"""Linear systems, which are defined by their matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import system as _system
from nsmb.common.arguments import (
    as_array,
    as_column,
    as_floats,
    as_number,
    check_signature,
    per_direction,
    positive,
)
from nsmb.common.copies import owned
from nsmb.system.base import ParameterInfo, State, System
from nsmb.system.callback_values import call, real, returned
from nsmb.system.contact_info import ContactInfo
from nsmb.system.contact_laws import as_numbers
from nsmb.system.contacts import Contact, Friction
from nsmb.system.discontinuities import Discontinuity, as_discontinuities, core_discontinuities
from nsmb.system.force_parts import ForceParts
from nsmb.system.forces import ForceElement, element_description
from nsmb.system.geometry import NUMBERS, check_part
from nsmb.system.inputs import Input, all_inputs, as_inputs, core_inputs

__all__ = ["Force", "Harmonic", "LinearStates", "LinearSystem", "Pulse"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Harmonic:
    """A harmonic force ``amplitude cos(omega t + phase)``.

    Examples
    --------
    >>> import nsmb
    >>> nsmb.Harmonic([1.0, 0.0], omega=6.0).omega
    6.0
    """

    amplitude: ArrayLike
    """Amplitude, shape (n,)."""
    omega: float
    """Angular frequency > 0, rad/s."""
    phase: float = 0.0
    """Phase, rad."""

    def __post_init__(self) -> None:
        _check_amplitude(self.amplitude)
        object.__setattr__(self, "omega", positive("omega", self.omega))
        object.__setattr__(self, "phase", float(as_array("phase", self.phase, ())))


@dataclass(frozen=True, eq=False)
class Pulse:
    """A constant force `amplitude` from `start` to `end`.

    Examples
    --------
    A force of 10 N for 0.1 s has an impulse of 1 N s:

    >>> import nsmb
    >>> kick = nsmb.Force(pulses=[nsmb.Pulse([10.0], 0.2, 0.3)])
    >>> round(float(nsmb.simulate(nsmb.LinearSystem([[2.0]], force=kick), 1.0).u[-1, 0]), 9)
    0.5
    """

    amplitude: ArrayLike
    """Amplitude, shape (n,)."""
    start: float = -np.inf
    """Start time, s."""
    end: float = np.inf
    """End time, s."""

    def __post_init__(self) -> None:
        _check_amplitude(self.amplitude)
        start, end = as_number("start", self.start), as_number("end", self.end)
        if not start < end:
            raise ValueError(f"end: expected a number > start = {start}, got {end}")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)


def _check_amplitude(amplitude: ArrayLike) -> None:
    """Check that `amplitude` consists of numbers; their count is checked by the system."""
    as_floats("amplitude", amplitude, np.shape(amplitude))


@dataclass(frozen=True, eq=False)
class Force:
    """A time-dependent force of a linear system, for which the motion has a closed form.

    The force is ``constant + ramp t + Σ harmonics + Σ pulses + table + Σ inputs``. Any other
    function of time can be passed to :class:`LinearSystem` as a callable. The motion is then
    integrated numerically.

    Examples
    --------
    >>> import nsmb
    >>> shaken = nsmb.Force(constant=[-9.81], harmonics=[nsmb.Harmonic([5.0], omega=20.0)])
    >>> system = nsmb.LinearSystem([[1.0]], force=shaken)
    >>> nsmb.simulate(system, 0.1).status
    'finished'
    """

    constant: ArrayLike | None = None
    """Constant part, shape (n,)."""
    ramp: ArrayLike | None = None
    """Rate of the linear part per second, shape (n,)."""
    harmonics: Sequence[Harmonic] = ()
    pulses: Sequence[Pulse] = ()
    table: tuple[ArrayLike, ArrayLike] | None = None
    """Tabulated force: increasing times in s, shape (k,), and forces there, shape (k, n). The force
    is linear between the times and constant beyond them."""
    inputs: Mapping[Input, ArrayLike] = field(default_factory=dict)
    """Force per unit of each input, shape (n,)."""


@dataclass(frozen=True, eq=False)
class LinearStates:
    """First-order states ``ẋ = A x + Q q + U q̇ + b(t)`` of a linear system.

    Examples are currents, pressures and filters. They act on the masses with the force ``C x``.

    Examples
    --------
    A motor whose winding has the equation ``L i' = v - R i - k q̇`` and the torque ``k i``:

    >>> import nsmb
    >>> R, L, k, v = 2.0, 0.1, 0.5, 12.0
    >>> winding = nsmb.LinearStates([[-R / L]], U=[[-k / L]], C=[[k]], drive=[v / L], names=["i"])
    >>> motor = nsmb.LinearSystem([[0.01]], D=[[0.02]], states=winding)
    >>> sol = nsmb.simulate(motor, 5.0)
    >>> float(sol.x[-1, 0].round(6)), float(sol.u[-1, 0].round(6))  # 0.02 ω = k i, k ω = v - R i
    (0.827586, 20.689655)
    """

    A: ArrayLike
    """State matrix, shape (nx, nx), in 1/s."""
    Q: ArrayLike | None = None
    """Coefficients of the coordinates, shape (nx, n); None: zero."""
    U: ArrayLike | None = None
    """Coefficients of the velocities, shape (nx, n); None: zero."""
    C: ArrayLike | None = None
    """Force per unit of each state, shape (n, nx); None: zero."""
    drive: Force | ArrayLike | None = None
    """Excitation b, shape (nx,), or a :class:`Force` of this size."""
    names: Sequence[str] | None = None
    """Names of the states; default ``x1, x2, ...``."""


def _core_force(
    force: Force | Callable[[float], ArrayLike] | ArrayLike | None,
    n: int,
    inputs: Sequence[Input] = (),
    ends: Sequence[float] = (),
    label: str = "force",
) -> _system.LinearForce:
    user = None
    if callable(force):
        check_signature("force", force, "t")
        function, given = force, Force()

        def user(t: float) -> ArrayLike:
            value: ArrayLike = real("force.user(t)", call("force.user(t)", function, t))
            return value

    elif isinstance(force, Force):
        given = force
    else:
        given = Force(constant=force)
    zero = np.zeros(n)
    constant = zero if given.constant is None else as_array(label, given.constant, (n,))
    ramp = zero if given.ramp is None else as_array(f"{label}.ramp", given.ramp, (n,))
    harmonics = []
    for harmonic in given.harmonics:
        amplitude = as_array(f"{label}.harmonics: amplitude", harmonic.amplitude, (n,))
        phase = float(as_array(f"{label}.harmonics: phase", harmonic.phase, ()))
        omega = float(as_array(f"{label}.harmonics: omega", harmonic.omega, ()))
        # a cos(ωt + φ) = a cos φ cos ωt - a sin φ sin ωt
        harmonics.append(
            _system.HarmonicForce(amplitude * np.cos(phase), -amplitude * np.sin(phase), omega)
        )
    by_input = np.zeros((n, len(inputs)))
    for entry, direction in given.inputs.items():
        what = f"{label}.inputs: {entry.name}"
        by_input[:, inputs.index(entry)] = as_array(what, direction, (n,))
    pieces = _pieces(given, n, ends, label)
    return _system.LinearForce(constant, ramp, harmonics, user, *pieces, by_input)


def _inputs(*forces: tuple[str, object]) -> tuple[Input, ...]:
    """Return the inputs of forces, which are given with their labels."""
    found: list[tuple[Input, ...]] = []
    for label, force in forces:
        given = force.inputs if isinstance(force, Force) else {}
        if not isinstance(given, Mapping):
            raise ValueError(f"{label}.inputs: expected {{Input: direction}}, got {given!r}")
        found.append(as_inputs(f"{label}.inputs", given))
    return all_inputs("inputs", *found)


def _pieces(
    force: Force, n: int, more_ends: Sequence[float], label: str
) -> tuple[Vector, Vector, Vector]:
    """Return the linear pieces of pulses and table.

    They are their ends (k,), including `more_ends`, and constants and ramps (n, k + 1)."""
    spans = []
    for pulse in force.pulses:
        amplitude = as_array(f"{label}.pulses: amplitude", pulse.amplitude, (n,))
        spans.append((pulse.start, pulse.end, amplitude))
    times, values = _table(force, n, label)
    ends = set(more_ends) | {t for start, end, _ in spans for t in (start, end) if np.isfinite(t)}
    ends |= set(times.tolist())
    places = np.array(sorted(ends))
    constant, ramp = np.zeros((2, n, places.size + 1))
    begin = np.concatenate([[-np.inf], places])
    for start, stop, amplitude in spans:
        constant[:, (begin >= start) & (begin < stop)] += amplitude[:, None]
    if times.size:
        slopes = np.vstack([np.zeros(n), np.diff(values, axis=0) / np.diff(times)[:, None],
                            np.zeros(n)])  # fmt: skip
        piece = np.searchsorted(times, begin, side="right")  # index of the piece of the table
        known = np.maximum(piece - 1, 0)  # index of the point at which this piece starts
        ramp += slopes[piece].T
        constant += (values[known] - slopes[piece] * times[known, None]).T
    return places, constant, ramp


def _table(force: Force, n: int, label: str) -> tuple[Vector, Vector]:
    if force.table is None:
        return np.zeros(0), np.zeros((0, n))
    if not isinstance(force.table, Sequence) or len(force.table) != 2:
        raise ValueError(f"{label}.table: expected (times, forces), got {force.table!r}")
    times = as_column(f"{label}.table: times", force.table[0])
    values = as_array(f"{label}.table: forces", force.table[1], (times.size, n))
    if times.size == 0 or not (np.isfinite(times).all() and (np.diff(times) > 0.0).all()):
        raise ValueError(f"{label}.table: expected increasing times, got {times.tolist()}")
    return times, values


def _core_states(
    states: LinearStates | None,
    force: Force | Callable[[float], ArrayLike] | ArrayLike | None,
    n: int,
    inputs: Sequence[Input],
) -> tuple[_system.LinearForce, _system.LinearStates | None]:
    """Return force and states for the core, with common ends of their linear pieces."""
    if states is None:
        return _core_force(force, n, inputs), None
    if not isinstance(states, LinearStates):
        raise ValueError(f"states: expected a nsmb.LinearStates, got {states!r}")
    if callable(states.drive):
        raise ValueError(
            f"states.drive: must be a nsmb.Force or numbers, got {states.drive!r}. Use "
            "nsmb.CallbackSystem for a function."
        )
    nx = _order("states.A", states.A)
    names = [f"x{k + 1}" for k in range(nx)] if states.names is None else list(states.names)
    if len(names) != nx:
        raise ValueError(f"states.names: expected {nx} names, got {len(names)}")

    def matrix(name: str, value: ArrayLike | None, shape: tuple[int, int]) -> Vector:
        return np.zeros(shape) if value is None else as_array(f"states.{name}", value, shape)

    ends = sorted(
        {
            float(end)
            for given, size, label in ((force, n, "force"), (states.drive, nx, "states.drive"))
            if isinstance(given, Force)
            for end in _pieces(given, size, (), label)[0]
        }
    )
    core = _system.LinearStates(
        names,
        matrix("A", states.A, (nx, nx)),
        matrix("Q", states.Q, (nx, n)),
        matrix("U", states.U, (nx, n)),
        matrix("C", states.C, (n, nx)),
        _core_force(states.drive, nx, inputs, ends, "states.drive"),
    )
    return _core_force(force, n, inputs, ends), core


def _period(
    force: Force | Callable[[float], ArrayLike] | ArrayLike | None,
    drive: Force | ArrayLike | None,
    contacts: Sequence[Contact | Friction],
    elements: Sequence[ForceElement],
) -> float | None:
    """Return the common period of all harmonics, or None.

    There is a period if all frequencies are multiples of the lowest one and nothing else depends on
    time."""
    if callable(force):
        return None
    forces = [given for given in (force, drive) if isinstance(given, Force)]
    if any(f.ramp is not None or f.pulses or f.inputs or f.table is not None for f in forces):
        return None
    if any(isinstance(c, Contact) and c.w_tilde_N for c in contacts):
        return None
    if any(element.w_tilde for element in elements):
        return None
    omegas = [float(harmonic.omega) for given in forces for harmonic in given.harmonics]
    if not omegas:
        return None
    ratios = np.array(omegas) / min(omegas)
    if np.any(np.abs(ratios - np.round(ratios)) > 1e-12 * ratios):
        return None
    return float(2.0 * np.pi / min(omegas))


def _order(name: str, M: ArrayLike) -> int:
    """Return the number of rows of M, or raise ValueError if it is not a square matrix."""
    try:
        shape: tuple[int, ...] = np.asarray(M, dtype=np.float64).shape
    except (TypeError, ValueError):
        n = len(M) if isinstance(M, Sequence) else 1
        raise ValueError(f"{name}: expected numbers of shape {(n, n)}, got {M!r}") from None
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"{name}: expected a square matrix, got shape {shape}")
    return shape[0]


def _directions(name: str, value: Any, n: int) -> Vector:
    """Return the tangential directions, shape (n, 1) or (n, 2)."""
    if value is None:
        return np.zeros((n, 1))
    if np.shape(value) == (n, 2):
        return returned(name, value, (n, 2))
    return returned(name, value, (n,)).reshape(n, 1)


def _description(contact: Contact | Friction, label: str, n: int) -> ContactInfo:
    if not isinstance(contact, Contact | Friction):
        raise TypeError(
            f"contact {label!r}: must be a nsmb.Contact or a nsmb.Friction, got {contact!r}"
        )
    check_part(contact, label, NUMBERS)
    tangents = _directions(f"contact '{label}': w_T", contact.w_T, n).shape[1]
    if isinstance(contact, Contact):
        return ContactInfo(label, contact.law, tangents)
    as_numbers(f"contact {label!r}: ", contact, ("mu", "aspect"))
    return ContactInfo(label, contact._law, tangents, contact.normal, False, contact._is_bounded)


def _number(where: str, value: Any, direction: str) -> float:
    """Return `value` as a number; None is zero."""
    if np.ndim(value) > 0:
        raise TypeError(f"{where}: must be a number, got {value!r}. Pass the row as {direction}=.")
    return float(as_array(where, 0.0 if value is None else value, ()))


def _core_contact(
    contact: Contact | Friction, about: ContactInfo, others: Sequence[ContactInfo], n: int
) -> _system.LinearContact:
    prefix = f"contact '{about.name}': "
    description = about._core(others)
    w_T = _directions(prefix + "w_T", contact.w_T, n)
    d = w_T.shape[1]
    prescribed: Any = 0.0 if contact.w_tilde_T is None else contact.w_tilde_T
    w_tilde_T = per_direction(prefix + "w_tilde_T", prescribed, d)
    if isinstance(contact, Friction):
        bound: Any = contact.bound
        return _system.LinearContact(
            about.name, np.zeros(n), w_T, 0.0, 0.0, w_tilde_T, description.law, description.kind,
            description.normal, bound,
        )  # fmt: skip
    gap = _number(prefix + "gap", contact.gap, "w_N")
    if contact.w_N is None:
        raise ValueError(
            f"{prefix}w_N: must be given in a LinearSystem, got None. Give the direction of the "
            "normal force as a row."
        )
    return _system.LinearContact(
        about.name,
        returned(prefix + "w_N", contact.w_N, (n,)),
        w_T,
        gap,
        _number(prefix + "w_tilde_N", contact.w_tilde_N, "w_N"),
        w_tilde_T,
        description.law,
    )


def _core_element(element: ForceElement, name: str, n: int) -> _system.LinearForceElement:
    prefix = f"force element '{name}': "
    if not isinstance(element, ForceElement):
        raise TypeError(f"force element {name!r}: must be a nsmb.ForceElement, got {element!r}")
    check_part(element, name, NUMBERS)
    gap = _number(prefix + "gap", element.gap, "w")
    if element.w is None:
        raise ValueError(
            f"{prefix}w: must be given in a LinearSystem, got None. Give its direction as a row."
        )
    assert element.law is not None
    return _system.LinearForceElement(
        element_description(element.law, name),
        as_array(prefix + "w", element.w, (n,)),
        gap,
        _number(prefix + "w_tilde", element.w_tilde, "w"),
    )


class LinearSystem(System):
    """A linear system ``M q̈ + D q̇ + K q = f(t) + C x`` with affine gaps, evaluated in C++.

    Parameters
    ----------
    M, K, D : array_like, (n, n)
        Mass (symmetric positive definite), stiffness and damping matrices; K and D default to zero.
    force : Force, array_like (n,) or callable t -> (n,), optional
        Force f(t). With a callable, the motion is integrated numerically; otherwise it has a closed
        form.
    contacts : sequence of Contact and Friction
        Contacts, whose geometry is given by numbers and rows.
    elements : sequence of ForceElement
        Force elements, whose geometry is given by numbers and rows.
    states : LinearStates, optional
        First-order states x. The motion between two events still has a closed form.
    coordinates, coordinate_units : sequence of str, optional
        Names and units of the coordinates; default names ``q1, q2, ...``.
    initial_state : State, optional
        Default initial state of runs; default t = 0, q = 0, u = 0.
    parameters, parameter_info, rebuild : optional
        Named parameters, and the function ``rebuild(**parameters) -> System`` that
        :meth:`System.with_parameters` calls.
    period : float, optional
        Period of the force, s. Default: that of its harmonics, if their frequencies are multiples
        of one of them.
    discontinuities : sequence of float and Repeating
        Times, in s, at which a callable force jumps or bends. Those of a :class:`Force` need not be
        given.

    Raises
    ------
    ValueError
        If a shape is wrong, a value is NaN, or the mass matrix is not symmetric positive definite.
        If a law is out of range, or a contact has fields that rows do not have. The message names
        the argument, the requirement and the value.
    TypeError
        If a contact or force element is given by functions or expressions.

    Examples
    --------
    A mass on a spring strikes a stop at 0.1 m:

    >>> import nsmb
    >>> stop = nsmb.Contact(0.1, w_N=[-1.0], law=nsmb.ContactLaw(e_N=0.5), name="stop")
    >>> system = nsmb.LinearSystem([[2.0]], [[50.0]], contacts=[stop], coordinates=["x"])
    >>> sol = nsmb.simulate(system, 1.0, u=[1.0])
    >>> round(float(sol["x"].max()), 9), sol.contacts["stop"].events.kinds[0]
    (0.1, 'impact')
    """

    def __init__(
        self,
        M: ArrayLike,
        K: ArrayLike | None = None,
        D: ArrayLike | None = None,
        *,
        force: Force | Callable[[float], ArrayLike] | ArrayLike | None = None,
        contacts: Sequence[Contact | Friction] = (),
        elements: Sequence[ForceElement] = (),
        states: LinearStates | None = None,
        coordinates: Sequence[str] | None = None,
        coordinate_units: Sequence[str] | None = None,
        initial_state: State | None = None,
        name: str = "linear system",
        parameters: Mapping[str, float] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        rebuild: Callable[..., System] | None = None,
        period: float | None = None,
        discontinuities: Sequence[Discontinuity] = (),
    ) -> None:
        n = _order("M", M)
        self.M = as_array("M", M, (n, n))
        self.K = as_array("K", np.zeros((n, n)) if K is None else K, (n, n))
        self.D = as_array("D", np.zeros((n, n)) if D is None else D, (n, n))
        for matrix in (self.M, self.K, self.D):
            matrix.flags.writeable = False
        # Copies for rebuilding the system, independent of the caller's arrays.
        contacts, elements = owned(tuple(contacts)), owned(tuple(elements))
        force, states = owned(force), owned(states)
        times = as_discontinuities("discontinuities", discontinuities)
        self._given: dict[str, Any] = {
            "force": force, "contacts": contacts, "elements": elements, "discontinuities": times,
            "states": states,
        }  # fmt: skip
        names = [f"q{i + 1}" for i in range(n)] if coordinates is None else list(coordinates)
        if len(names) != n:
            raise ValueError(f"coordinates: expected {n} names, got {len(names)}")
        labels = [getattr(c, "name", "") or f"contact_{i + 1}" for i, c in enumerate(contacts)]
        laws = [_description(c, label, n) for c, label in zip(contacts, labels, strict=True)]
        core_contacts = [
            _core_contact(c, law, laws, n) for c, law in zip(contacts, laws, strict=True)
        ]
        of_elements = [getattr(e, "name", "") or f"element_{i + 1}" for i, e in enumerate(elements)]
        core_elements = [
            _core_element(e, label, n) for e, label in zip(elements, of_elements, strict=True)
        ]
        drive = None if states is None else getattr(states, "drive", None)
        inputs = _inputs(("force", force), ("states.drive", drive))
        core_force, core_states = _core_states(states, force, n, inputs)
        given_states: dict[str, Any] = {} if core_states is None else {"states": core_states}
        core = _system.LinearSystem(
            names,
            self.M,
            self.K,
            self.D,
            core_force,
            core_contacts,
            core_elements,
            core_discontinuities(times),
            **given_states,
            inputs=core_inputs(inputs),
        )
        super().__init__(
            core,
            name=name,
            coordinates=names,
            coordinate_units=coordinate_units,
            contacts=laws,
            elements=of_elements,
            initial_state=initial_state,
            parameters=parameters,
            parameter_info=parameter_info,
            rebuild=rebuild,
            period=(
                _period(force, None if states is None else states.drive, contacts, elements)
                if period is None
                else period
            ),
            inputs=inputs,
        )

    def _arguments(self) -> dict[str, Any]:
        matrices = {"M": self.M, "K": self.K, "D": self.D}
        return super()._arguments() | matrices | self._given

    def _force_parts(self) -> ForceParts:
        force = self._given["force"]
        given = force if isinstance(force, Force) else Force()
        timed = (given.ramp, given.table, given.harmonics or None, given.pulses or None)
        has_others = callable(force) or self._given["states"] is not None
        has_others = has_others or any(part is not None for part in timed)
        directions = {entry.name: np.zeros(self.nq) for entry in self.inputs}
        directions |= {key.name: np.asarray(row, float) for key, row in given.inputs.items()}
        known = self._has_potential
        return ForceParts(self._core, known, self.D, directions, has_others or not known)
