"""The derivative of a run with respect to its initial state and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import unknown_name
from nsmb.common.html import ShownAsTable
from nsmb.common.labels import Labels

if TYPE_CHECKING:
    from nsmb.system.base import System

__all__ = ["Sensitivity", "SensitivityNote", "parameter_shifts"]

Floats = NDArray[np.float64]
Shift = tuple[Any, Any, float]

# Names for the values of nsmb::VariationNote in the core.
_KINDS = ("grazing", "simultaneous", "edge", "unknown")
_MEANING = {
    "grazing": "touches without approach: a nearby motion hits or misses",
    "simultaneous": (
        "reaches zero together with another contact; in nearby motions, one comes first"
    ),
    "edge": "is on the boundary between two cases of the impact law",
    "unknown": "changes at an instant that is not a zero of a smooth function",
    "rank": "the derivative is singular, because directions of motion end here: {lost}",
}


@dataclass(frozen=True)
class SensitivityNote:
    """An instant at which the derivative does not exist or is singular."""

    t: float
    """Time of the instant, in s."""
    kind: str
    """``grazing``, ``simultaneous``, ``edge`` or ``unknown`` if the derivative does not exist.
    ``rank`` if it exists but is singular, for example because slip ends or a contact closes."""
    contact: str
    """Name of the contact or force element; empty if there is none in particular."""
    message: str
    """Description of the instant."""


class Sensitivity(ShownAsTable):
    """The derivative of a run, from variational equations and from saltation matrices at events.

    The state is y = (q, u, x) with n components. A *part* of the run ends after every instant with
    events, and at the end of the run or of a call of :meth:`Simulator.advance`. If contacts are
    closed at the start, only directions that keep them closed are meaningful.

    Attributes
    ----------
    labels : Labels
        Names and units.
    names : tuple of str, length n
        Names of the components of y, ``labels.components``.
    parameters : tuple of str, length p
        Names of the parameters.
    t : (k,) array
        Ends of the parts, s.
    is_event : (k,) array of bool
        True for parts that end with an event.
    factors : (k, n, n) array
        Derivative of y after each part with respect to y after the previous part, both at fixed
        times. It is the saltation matrix at the end of the part, multiplied by the state-transition
        matrix of its motion.
    state_transition_matrices, saltation_matrices : (k, n, n) array
        The two factors of this product.
    parameter_factors : (k, n, p) array
        Derivative with respect to the parameters, for fixed y after the previous part.
    time_factors : (k, n) array
        Derivative of the time of the event with respect to y after the previous part; zero without
        an event.
    time_parameter_factors : (k, p) array
        Derivative of the time of the event with respect to the parameters.
    rate : (k + 1, n) array
        Derivative dy/dt after the start and after each part.
    """

    def __init__(
        self,
        data: Mapping[str, NDArray[Any]],
        *,
        labels: Labels,
        parameters: Sequence[str],
    ) -> None:
        self.labels = labels
        self.names = labels.components
        n = len(self.names)
        self.parameters = tuple(parameters)
        self._data = dict(data)
        self.t: Floats = data["t"]
        self.is_event: NDArray[np.bool_] = data["is_event"].astype(bool)
        self.factors: Floats = data["factors"][:, :, :n]
        self.parameter_factors: Floats = data["factors"][:, :, n:]
        self.time_factors: Floats = data["time_factors"][:, :n]
        self.time_parameter_factors: Floats = data["time_factors"][:, n:]
        self.rate: Floats = data["rate"]

    @classmethod
    def of(
        cls, system: System, data: Mapping[str, NDArray[Any]], parameters: Sequence[str]
    ) -> Sensitivity:
        """Return the derivative from the arrays of the core."""
        return cls(data, labels=system.labels, parameters=parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        about = {"labels": self.labels, "parameters": self.parameters}
        return _restore, (self._data, about)

    @cached_property
    def notes(self) -> tuple[SensitivityNote, ...]:
        """Instants at which the derivative does not exist or is singular, in the order of time."""
        notes = []
        table = (self._data["note_t"], self._data["note_kind"], self._data["note_contact"])
        places = self.labels.contact_names + self.labels.element_names
        for t, code, place in zip(*(column.tolist() for column in table), strict=True):
            contact = places[place] if 0 <= place < len(places) else ""
            kind = _KINDS[code]
            notes.append(
                SensitivityNote(t, kind, contact, f"{contact or 'the system'} {_MEANING[kind]}")
            )
        for t, lost in zip(self.t.tolist(), self._data["lost"].tolist(), strict=True):
            if lost > 0:
                notes.append(SensitivityNote(t, "rank", "", _MEANING["rank"].format(lost=lost)))
        return tuple(sorted(notes, key=lambda note: note.t))

    @property
    def exists(self) -> bool:
        """True if the derivative exists at all instants of the run."""
        return bool(self._data["note_t"].size == 0)

    @cached_property
    def state_transition_matrices(self) -> Floats:
        """State-transition matrices of the parts, shape (k, n, n).

        They are the derivatives of y at the end of each part, before the event there, with respect
        to y after the previous part."""
        return self._data["flows"]

    @cached_property
    def saltation_matrices(self) -> Floats:
        """Saltation matrices, shape (k, n, n).

        They are the derivatives of y after the event at the end of each part with respect to y
        before it, both at the time of the event. The matrix is the identity for parts without an
        event."""
        with_event = self.factors @ np.linalg.inv(self.state_transition_matrices)
        return np.where(self.is_event[:, None, None], with_event, np.eye(len(self.names)))

    @property
    def state(self) -> Floats:
        """State-transition matrix of the run, shape (n, n).

        It is the derivative of y at the end with respect to y at the start, and the product of all
        factors."""
        return self.between(0, len(self.t))[0]

    @property
    def parameter(self) -> Floats:
        """Derivative of y at the end with respect to the parameters, shape (n, p)."""
        return self.between(0, len(self.t))[1]

    def between(self, first: int, last: int) -> tuple[Floats, Floats]:
        """Return the derivative of y after part ``last - 1``.

        The derivatives are with respect to y after part ``first - 1`` and to the parameters.

        Parameters
        ----------
        first, last : int
            Indices of parts, ``0 <= first <= last <= len(t)``.

        Raises
        ------
        ValueError
            If the indices are outside this range.
        """
        if not 0 <= first <= last <= len(self.t):
            raise ValueError(
                f"first, last: expected 0 <= first <= last <= {len(self.t)}, got {first}, {last}"
            )
        state = np.eye(len(self.names))
        parameter = np.zeros((len(self.names), len(self.parameters)))
        for k in range(first, last):
            state = self.factors[k] @ state
            parameter = self.factors[k] @ parameter + self.parameter_factors[k]
        return state, parameter

    def event_state(self, k: int) -> tuple[Floats, Floats]:
        """Return the derivative of y after the event at the end of part `k`, at its varying time.

        The derivatives are with respect to y after the previous part and to the parameters. They
        are those of a Poincaré map at such events."""
        return (
            self.factors[k] + np.outer(self.rate[k + 1], self.time_factors[k]),
            self.parameter_factors[k] + np.outer(self.rate[k + 1], self.time_parameter_factors[k]),
        )

    def event_time(self, k: int) -> tuple[Floats, Floats]:
        """Return the derivative of the time of an event.

        The derivatives are with respect to y at the start and to the parameters. Several events at
        one instant count as one.

        Parameters
        ----------
        k : int
            Index of the instant with events, counted from the end if negative.

        Returns
        -------
        state : (n,) ndarray
            Derivative with respect to y, s per unit of each component.
        parameter : (p,) ndarray
            Derivative with respect to the parameters.

        Raises
        ------
        ValueError
            If the run has no such event.

        Examples
        --------
        A ball dropped from h lands after sqrt(2 h / g), with the derivative 1 / sqrt(2 g h):

        >>> import nsmb
        >>> ball = nsmb.systems.bouncing_ball()
        >>> run = nsmb.simulate(ball, 0.6, sensitivity=True)
        >>> h, g = ball.initial_state.q[0], ball.parameters["g"]
        >>> bool(abs(run.sensitivity.event_time(0)[0][0] - (2 * g * h) ** -0.5) < 1e-9)
        True
        """
        parts = np.flatnonzero(self.is_event)
        if not -parts.size <= k < parts.size:
            raise ValueError(f"k: expected one of {parts.size} instants with events, got {k!r}")
        part = int(parts[k])
        state, parameter = self.between(0, part)
        row = self.time_factors[part]
        return row @ state, row @ parameter + self.time_parameter_factors[part]

    def __repr__(self) -> str:
        events = int(self.is_event.sum())
        by = f", by {', '.join(self.parameters)}" if self.parameters else ""
        return f"<Sensitivity of {len(self.names)} components over {events} events{by}>"


def _restore(data: Mapping[str, NDArray[Any]], about: dict[str, Any]) -> Sensitivity:
    return Sensitivity(data, **about)


def parameter_names(system: System, wanted: bool | str | Sequence[str]) -> tuple[str, ...] | None:
    """Return the parameters of the derivative, or None if no derivative is requested.

    Raises
    ------
    ValueError
        If the system has no parameter of that name.
    """
    if wanted is False:
        return None
    names = () if wanted is True else (wanted,) if isinstance(wanted, str) else tuple(wanted)
    for name in names:
        if not system.parameters:
            raise ValueError(
                f"sensitivity: parameter {name!r}: must be a named parameter, but system "
                f"{system.name!r} has none. Use nsmb.parametric."
            )
        if name not in system.parameters:
            raise unknown_name("sensitivity: parameter", name, list(system.parameters))
    return names


def parameter_shifts(system: System, names: Sequence[str]) -> list[Shift]:
    """Return two systems with slightly shifted values of each parameter, and their distance.

    The core computes difference quotients from them. At the end of the range of a parameter, one of
    the two is the system itself.

    Raises
    ------
    ValueError
        If the parameter cannot be shifted, for example an integer. If friction or restitution
        vanish at the value but not next to it.
    """
    return [_shift(system, name) for name in names]


def _shift(system: System, name: str) -> Shift:
    value = system.parameters[name]
    # The best steps for central differences and for one-sided differences.
    wide = np.cbrt(np.finfo(float).eps) * (abs(value) or 1.0)
    narrow = np.sqrt(np.finfo(float).eps) * (abs(value) or 1.0)
    plus, minus = _moved(system, name, value + wide), _moved(system, name, value - wide)
    for beside in (plus, minus):
        if beside is not None and _laws(beside) != _laws(system):
            raise ValueError(
                f"sensitivity: parameter {name!r} = {value:g}: at nearby values, contacts have "
                "friction or restitution that they do not have here, so that the events differ. "
                "Pass a value inside the range, such as a small number instead of 0."
            )
    if plus is not None and minus is not None:
        return plus._core, minus._core, (value + wide) - (value - wide)
    if plus is not None:
        plus = _moved(system, name, value + narrow) or plus
        return plus._core, system._core, plus.parameters[name] - value
    if minus is not None:
        minus = _moved(system, name, value - narrow) or minus
        return system._core, minus._core, value - minus.parameters[name]
    raise ValueError(
        f"sensitivity: parameter {name!r} = {value:g} cannot be shifted: must be a real parameter"
    )


def _laws(system: System) -> list[tuple[bool, bool]]:
    """Return for each contact whether it has friction, and whether it has restitution."""
    laws = [contact.law for contact in system.contacts]
    return [(law.mu > 0.0, law.e_N > 0.0) for law in laws]


def _moved(system: System, name: str, value: float) -> System | None:
    try:
        return system.with_parameters(**{name: value})
    except ValueError:
        return None
