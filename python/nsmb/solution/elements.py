"""Time histories of the force elements of a run, by name: length, rate, force and work."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nsmb.solution.histories import Histories, History
from nsmb.solution.quadrature import Stretch, integrals

if TYPE_CHECKING:
    from nsmb.solution.record import Record

__all__ = ["ElementHistory", "Elements"]

Floats = NDArray[np.float64]


class Law(Protocol):
    """A force law of a model, evaluated along a run."""

    @property
    def between(self) -> tuple[str, str] | None: ...
    @property
    def coordinate(self) -> str: ...
    def evaluate(
        self, t: Floats, q: Floats, u: Floats, inputs: Floats
    ) -> tuple[Floats, Floats, Floats]: ...


@runtime_checkable
class HasLaws(Protocol):
    """A system with force laws between points or on joint coordinates."""

    def _laws_along(self) -> Mapping[str, Law]: ...
    def _modes_of(self, element: str) -> str: ...


class ElementHistory(History):
    """Time history of one force element of a run, see `Elements`."""

    def __init__(self, record: Record, name: str, law: Law | None) -> None:
        super().__init__(record, name)
        self._law = law

    @property
    def between(self) -> tuple[str, str] | None:
        """Bodies of the two points; None for an element on a coordinate or without bodies."""
        return None if self._law is None else self._law.between

    @cached_property
    def _values(self) -> tuple[Floats, Floats, Floats]:
        record, law = self._record, self._law
        if law is not None:
            found = []
            for span, system in record._pieces:
                own = law
                if system is not record.system:
                    assert isinstance(system, HasLaws)
                    own = system._laws_along()[self.name]
                found.append(
                    own.evaluate(
                        record.t[span], record.q[span], record.u[span], record.inputs[span]
                    )
                )
            length, rate, force = (np.concatenate(parts) for parts in zip(*found, strict=True))
            return length, rate, force
        column = record.element_names.index(self.name)
        rate = np.empty(self.t.size)
        for span, system in record._pieces:
            for k in range(span.start, span.stop):
                kinematics = system.element_kinematics(float(self.t[k]), record.q[k])
                rate[k] = kinematics["W"][:, column] @ record.u[k] + kinematics["w_tilde"][column]
        return record.element_gamma[:, column], rate, record.element_force[:, column]

    @property
    def length(self) -> Floats:
        """Distance γ of the two points, or the joint coordinate, in m or rad, shape (n,)."""
        if self._law is None:  # available without the system
            return self._record.element_gamma[:, self._record.element_names.index(self.name)]
        return self._values[0]

    @property
    def rate(self) -> Floats:
        """Rate γ̇ of the length in m/s or rad/s, shape (n,)."""
        self._check_force("rate")
        return self._values[1]

    @property
    def force(self) -> Floats:
        """Force or moment in N or N m, shape (n,).

        A positive value pushes the points apart or drives the coordinate forward."""
        if self._law is None:
            self._check_force("force")
            return self._record.element_force[:, self._record.element_names.index(self.name)]
        return self._values[2]

    @property
    def power(self) -> Floats:
        """Power of the element on the bodies in W, shape (n,)."""
        return self.force * self.rate

    @cached_property
    def work(self) -> Floats:
        """Work of the element on the bodies since the start in J, shape (n,).

        The power is integrated along the steps of the run. The work is NaN without dense output.

        Raises ValueError for an element with switching, whose work is in `EnergyBalance.parts`, and
        for a run in which parameters were set."""
        law = self._law
        if law is None:
            raise ValueError(
                f"element {self.name!r}: work: must be read from an element without switching, "
                f"got one with switching. Use sol.energy.parts[{self.name!r}].work."
            )
        if self._record._has_parameters_set:
            raise ValueError(
                f"element {self.name!r}: work: must be read from a run with the same parameters "
                f"throughout, got one in which {', '.join(self._record.parameter_values)} were "
                "set. Ask for power."
            )
        nq, nu = len(self._record.coordinates), self._record._nu

        def power(stretch: Stretch) -> Floats:
            steps, points, rows = stretch.y.shape
            flat = stretch.y.reshape(-1, rows)
            inputs = np.repeat(stretch.inputs, points, axis=0)
            q, u = flat[:, :nq], flat[:, nq : nq + nu]
            _, rate, force = law.evaluate(stretch.t.ravel(), q, u, inputs)
            return (force * rate).reshape(1, steps, points)

        works, _ = integrals(self._record, power, 1)
        work: Floats = works[0]
        return work

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return length, rate, force and power by name."""
        names = ("t", "length", "rate", "force", "power")
        shown = names[:2] if self._owner else names
        return {name: getattr(self, name) for name in shown}

    @property
    def _owner(self) -> str:
        """The force element with several points of which this is a mode, or empty."""
        system = self._record._system_or_none if self._law is None else None
        return system._modes_of(self.name) if isinstance(system, HasLaws) else ""

    def _check_force(self, what: str) -> None:
        if owner := self._owner:
            raise ValueError(
                f"element {self.name!r}: {what}: must be asked of an element with one force, got a "
                f"mode of {owner!r}, which acts on several places. Use sol.joints of its bodies."
            )

    def __repr__(self) -> str:
        if owner := self._owner:
            return f"Element {self.name!r}: a mode of {owner!r}"
        return (
            f"Element {self.name!r}: force from {self.force.min(initial=np.inf):.4g} to "
            f"{self.force.max(initial=-np.inf):.4g}"
        )


class Elements(Histories[ElementHistory]):
    """The force elements of a run by name: ``sol.elements["spring"].force``.

    They are the elements with switching of any system, and the springs, dampers and force laws of
    models, between two points or on a joint coordinate. A positive force pushes the points apart or
    drives the coordinate forward.

    Examples
    --------
    >>> import nsmb
    >>> m = nsmb.Model()
    >>> cart = m.add_body("cart", mass=2.0, inertia=1.0)
    >>> _ = m.add_joint("x", nsmb.joints.Prismatic(), m.ground, cart)
    >>> motor = m.add_joint_force("motor", "x", lambda t, q, u: 6.0)
    >>> sol = nsmb.simulate(m.build(), 2.0)
    >>> motor = sol.elements["motor"]
    >>> round(float(motor.force[-1]), 9), round(float(motor.work[-1]), 9)  # F² t² / 2 m
    (6.0, 36.0)
    """

    _group, _kind = "elements", "force element"

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._laws_of: tuple[object, Mapping[str, Law]] | None = None

    @property
    def _laws(self) -> Mapping[str, Law]:
        system = self._record._system_or_none
        if self._laws_of is None or self._laws_of[0] is not system:
            self._laws_of = system, system._laws_along() if isinstance(system, HasLaws) else {}
        return self._laws_of[1]

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self._record.element_names, *self._laws)

    def _make(self, name: str) -> ElementHistory:
        return ElementHistory(self._record, name, self._laws.get(name))

    def _find(self, name: str) -> str:
        if name not in self._names:
            self._record.system  # noqa: B018 - it raises where a law may be one of a system not known
        return super()._find(name)

    def __repr__(self) -> str:
        unknown = self._record._system_or_none is None
        return super().__repr__() + (
            " (force laws are known with solution.system)" if unknown else ""
        )
