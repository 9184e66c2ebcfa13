"""Force elements with states and modes, on any number of markers of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_floats, as_number, check_signature
from nsmb.system.callback_values import LARGEST, NoValue, call, real, returned
from nsmb.system.discontinuities import Discontinuity

__all__ = ["CoreForce", "ForceInput", "FunctionForce", "UserForce", "is_user_force"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ForceInput:
    """The input to the functions of a force element, in inertial components."""

    t: float
    """Time, s."""
    r: Array
    """Positions of the markers, shape (n, 3), in m."""
    A: Array
    """Axes of the markers, as columns, shape (n, 3, 3)."""
    v: Array
    """Velocities, shape (n, 3), in m/s."""
    Omega: Array
    """Angular velocities, shape (n, 3), in rad/s."""
    q: Array
    """Joint coordinates, shape (m,)."""
    u: Array
    """Rates of the joint coordinates, shape (m,)."""
    x: Array
    """States of the element, in the order of their names."""
    closed: tuple[bool, ...]
    """Modes of the watched functions, fixed between events."""

    def distance(self, first: int = 0, second: int = 1) -> float:
        """Return the distance of two markers, m."""
        return float(np.linalg.norm(self.r[second] - self.r[first]))

    def direction(self, first: int = 0, second: int = 1) -> Array:
        """Return the unit vector (3,) from first to second marker, or zeros if they coincide."""
        d: Array = self.r[second] - self.r[first]
        length = np.linalg.norm(d)
        return d / length if length > 0.0 else np.zeros(3)

    def rate(self, first: int = 0, second: int = 1) -> float:
        """Return the rate of the distance, m/s."""
        return float(self.direction(first, second) @ (self.v[second] - self.v[first]))

    def pull(self, tension: float, first: int = 0, second: int = 1) -> Array:
        """Return forces (n, 3) on all markers for a tension between two of them, (11.6)-(11.8)."""
        forces = np.zeros_like(self.r)
        e = self.direction(first, second)
        forces[first] += tension * e
        forces[second] -= tension * e
        return forces


class CoreForce(Protocol):
    """The interface of force elements for :meth:`Model.add_user_force`."""

    @property
    def discontinuities(self) -> Sequence[Discontinuity]:
        """Times at which the element jumps or has a kink."""

    def core_force(self, name: str, markers: int, coordinates: int) -> _multibody.ForceElement:
        """Return the element for given numbers of markers and coordinates, with a `name`."""


def is_user_force(value: Any) -> TypeGuard[CoreForce]:
    """Return True for an object that makes an element of the core, but not for its class."""
    return not isinstance(value, type) and callable(getattr(value, "core_force", None))


class UserForce:
    """A user-defined force element with states and modes, whose methods are overridden as needed.

    Everything must be smooth as long as the modes last, and switching conditions must be watched.
    `watch` returns one value for each name in `watched`, which is not negative while its current
    mode lasts. When the value passes through zero, an event is located, as for ``nsmb.GapForce``,
    and the mode changes. A function that decreases in both of its modes switches indefinitely, and
    the run ends with the status ``event_limit``. Let the modes overlap, as in a valve that opens
    late and closes early.

    Attributes
    ----------
    states : mapping of str to float
        First-order states and their initial values.
    watched : mapping of str to bool
        Watched functions, and whether they are initially closed. A function that is negative in
        this mode at the start begins in the other mode.
    resolution : float
        Values of watched functions below this count as zero, in their unit.

    Examples
    --------
    A motor with the current as its state, on the joint of a wheel:

    >>> import nsmb
    >>> class Motor(nsmb.UserForce):
    ...     states = {"current": 0.0}
    ...
    ...     def force(self, now):
    ...         return 0.05 * now.x
    ...
    ...     def rates(self, now):
    ...         return (12.0 - 2.0 * now.x - 0.05 * now.u) / 1e-3
    >>> m = nsmb.Model()
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=1e-3)
    >>> axle = m.add_joint("axle", nsmb.joints.Revolute(), m.ground, wheel)
    >>> motor = m.add_user_force("motor", Motor(), coordinates=[axle])
    >>> system = m.build()
    >>> system.states
    ('motor.current',)
    >>> sol = nsmb.simulate(system, 10.0)
    >>> f"{sol.u[-1, 0]:.1f} rad/s"
    '240.0 rad/s'
    """

    states: Mapping[str, float] = MappingProxyType({})
    watched: Mapping[str, bool] = MappingProxyType({})
    resolution: float = 1e-9
    discontinuities: Sequence[Discontinuity] = ()

    def force(self, now: ForceInput) -> Any:
        """Return the forces on the markers and joint coordinates.

        For n markers, these are forces (n, 3) or wrenches (n, 2, 3), force and moment. For m joint
        coordinates, these are forces (m,). An element with both returns a pair.
        """
        raise NotImplementedError("a force element needs a function force(now)")

    def rates(self, now: ForceInput) -> ArrayLike:
        """Return the rates ẋ of the states."""
        raise NotImplementedError("a force element with states needs a function rates(now)")

    def watch(self, now: ForceInput) -> ArrayLike:
        """Return the values of the watched functions."""
        raise NotImplementedError("a force element that watches needs a function watch(now)")

    def energy(self, now: ForceInput) -> float:
        """Return the stored energy in J; without states it depends on time and positions alone."""
        raise NotImplementedError

    def core_force(self, name: str, markers: int, coordinates: int) -> _multibody.ForceElement:
        """Return the element of the core, for :meth:`Model.build`."""
        return _Caller(self, f"force element {name!r}", markers, coordinates).core()


class FunctionForce(UserForce):
    """A force element given by functions."""

    def __init__(
        self,
        force: Callable[[ForceInput], Any],
        rates: Callable[[ForceInput], ArrayLike] | None,
        watch: Callable[[ForceInput], ArrayLike] | None,
        energy: Callable[[ForceInput], float] | None,
        states: Mapping[str, float],
        watched: Mapping[str, bool],
        resolution: float,
    ) -> None:
        self.states, self.watched, self.resolution = states, watched, resolution
        given = {"force": force, "rates": rates, "watch": watch, "energy": energy}
        for key, function in given.items():
            if function is not None:
                setattr(self, key, function)


class _Caller:
    """Connection of the core with the functions of an element: shapes, signatures, messages."""

    _needs: ClassVar = {"rates": "states", "watch": "watched"}

    def __init__(self, element: UserForce, what: str, markers: int, coordinates: int) -> None:
        self.what, self.markers, self.coordinates = what, markers, coordinates
        self.states = _named(f"{what}: states", element.states, float)
        self.watched = _named(f"{what}: watched", element.watched, bool)
        if set(self.states) & set(self.watched):
            raise ValueError(f"{what}: expected states and watched functions of different names")
        self.resolution = as_number(f"{what}: resolution", element.resolution)
        if not self.resolution > 0.0:
            raise ValueError(f"{what}: resolution: expected a number > 0, got {self.resolution}")
        self.functions: dict[str, Callable[[ForceInput], Any]] = {}
        for key in ("force", "rates", "watch", "energy"):
            function = getattr(element, key)
            if getattr(function, "__func__", None) is getattr(UserForce, key):
                continue
            if not callable(function):
                raise ValueError(f"{what}: {key}: expected a function of (now), got {function!r}")
            check_signature(f"{what}: {key}", function, "now")
            self.functions[key] = function
        for key, names in self._needs.items():
            if getattr(self, names) and key not in self.functions:
                raise ValueError(f"{what}: {key}: expected a function, as there are {names}")
            if key in self.functions and not getattr(self, names):
                raise ValueError(f"{what}: {names}: expected names, as there is a function {key}")
        if "force" not in self.functions:
            raise ValueError(f"{what}: force: expected a function of (now), got none")

    def core(self) -> _multibody.CallbackForce:
        watched = [(name, closed, self.resolution) for name, closed in self.watched.items()]
        return _multibody.CallbackForce(
            self.markers,
            self.coordinates,
            list(self.states),
            np.array(list(self.states.values())),
            watched,
            self.evaluate,
            self.watch if self.watched else None,
            self.energy if "energy" in self.functions else None,
        )

    def input(self, t: float, markers: Array, joints: Array, states: Array) -> ForceInput:
        k, m = len(self.states), self.coordinates
        rows = markers.T
        return ForceInput(
            t,
            rows[:, :3],
            rows[:, 3:12].reshape(-1, 3, 3),
            rows[:, 12:15],
            rows[:, 15:],
            joints[:m],
            joints[m:],
            states[:k],
            tuple((states[k:] > 0.5).tolist()),
        )

    def _call(self, key: str, now: ForceInput) -> Any:
        name = f"{self.what}: {key}(now)"
        return real(name, call(name, self.functions[key], now))

    def evaluate(
        self, t: float, markers: Array, joints: Array, states: Array
    ) -> tuple[Array, Array, Array]:
        now = self.input(t, markers, joints, states)
        wrenches, forces = self._force(now)
        rates = np.zeros(0)
        if self.states:
            value = self._call("rates", now)
            if len(self.states) == 1 and np.ndim(value) == 0:
                value = [value]
            name = f"{self.what}: rates(now)"
            rates = returned(name, value, (len(self.states),), list(self.states))
        return wrenches, forces, rates

    def _force(self, now: ForceInput) -> tuple[Array, Array]:
        name = f"{self.what}: force(now)"
        n, m = self.markers, self.coordinates
        value = call(name, self.functions["force"], now)
        wrenches, forces = np.zeros((6, n)), np.zeros(m)
        if n and m:
            if not isinstance(value, tuple) or len(value) != 2:
                raise ValueError(
                    f"{name}: expected a pair, of what acts on the markers and of forces on the "
                    f"coordinates, got {value!r}"
                )
            on_markers, on_joints = value
        else:
            on_markers, on_joints = (value, None) if n else (None, value)
        if n:
            wrenches = _wrenches(name, on_markers, n)
        if m:
            if m == 1 and np.ndim(on_joints) == 0:
                on_joints = [on_joints]
            forces = returned(f"{name}, on coordinates", on_joints, (m,))
        return wrenches, forces

    def watch(self, t: float, markers: Array, joints: Array, states: Array) -> Array:
        value = self._call("watch", self.input(t, markers, joints, states))
        if len(self.watched) == 1 and np.ndim(value) == 0:
            value = [value]
        return returned(f"{self.what}: watch(now)", value, (len(self.watched),), list(self.watched))

    def energy(self, t: float, markers: Array, joints: Array, states: Array) -> float:
        value = self._call("energy", self.input(t, markers, joints, states))
        return float(as_floats(f"{self.what}: energy(now)", value, ()))


def _named(what: str, given: Any, kind: type) -> dict[str, Any]:
    """Return the names with their checked values."""
    wanted = "where they start" if kind is float else "whether they start closed"
    if not isinstance(given, Mapping):
        raise ValueError(f"{what}: expected a mapping of names to {wanted}, got {given!r}")
    for name, value in given.items():
        if not isinstance(name, str) or not name or "." in name:
            raise ValueError(f"{what}: expected names without dot, got {name!r}")
        if kind is bool and not isinstance(value, bool | np.bool_):
            raise ValueError(f"{what} {name!r}: expected True or False, got {value!r}")
    if kind is bool:
        return {name: bool(value) for name, value in given.items()}
    return {name: as_number(f"{what} {name!r}", value) for name, value in given.items()}


def _wrenches(name: str, value: Any, n: int) -> Array:
    """Return an array (6, n) from forces (n, 3) or wrenches (n, 2, 3)."""
    try:
        array = np.asarray(real(name, value), dtype=np.float64)
    except (TypeError, ValueError) as error:
        if "expected real" in str(error):
            raise
        raise ValueError(f"{name}: expected forces of shape ({n}, 3), got {value!r}") from None
    if array.shape == (n, 3):
        array = np.concatenate([array, np.zeros((n, 3))], axis=1)
    elif array.shape != (n, 2, 3):
        raise ValueError(
            f"{name}: expected forces of shape ({n}, 3), or forces and moments ({n}, 2, 3), on "
            f"{n} {'marker' if n == 1 else 'markers'}, got shape {array.shape}"
        )
    if not (np.abs(array) <= LARGEST).all():
        raise NoValue(f"{name}: expected finite numbers, got {array.tolist()}")
    return array.reshape(n, 6).T
