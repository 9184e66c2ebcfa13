"""Time histories of the force elements of a run, by name: length, rate, force and work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import unknown_name
from nsmb.common.extras import import_extra
from nsmb.solution.quadrature import Stretch, integrals

if TYPE_CHECKING:
    import pandas as pd

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


class ElementHistory:
    """Time history of one force element of a run, see `Elements`."""

    def __init__(self, record: Record, name: str, law: Law | None) -> None:
        self._record, self._law = record, law
        self.name = name
        """Name of the element."""
        self.t: Floats = record.t
        """Times of the samples in s, shape (n,)."""

    @property
    def between(self) -> tuple[str, str] | None:
        """Bodies of the two points; None for an element on a coordinate or without bodies."""
        return None if self._law is None else self._law.between

    @cached_property
    def _values(self) -> tuple[Floats, Floats, Floats]:
        record, law = self._record, self._law
        if law is not None:
            return law.evaluate(record.t, record.q, record.u, record.inputs)
        column = record.element_names.index(self.name)
        rate = np.empty(self.t.size)
        for k in range(self.t.size):
            kinematics = record.system.element_kinematics(float(self.t[k]), record.q[k])
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
        return self._values[1]

    @property
    def force(self) -> Floats:
        """Force or moment in N or N m, shape (n,).

        A positive value pushes the points apart or drives the coordinate forward."""
        if self._law is None:
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
        Raises ValueError for an element with switching. Its work is in `Solution.energy`."""
        law = self._law
        if law is None:
            raise ValueError(
                f"element {self.name!r}: work: must be read from an element without switching, "
                "got one with switching. Use sol.energy.element_loss and sol.energy.elements."
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
        return {name: getattr(self, name) for name in names}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row per sample: ``t``, ``length``, ``rate``, ``force``, ...

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        """
        frame: pd.DataFrame = import_extra("pandas", "data").DataFrame(self.columns())
        return frame

    def __repr__(self) -> str:
        return (
            f"Element {self.name!r}: force from {self.force.min(initial=np.inf):.4g} to "
            f"{self.force.max(initial=-np.inf):.4g}"
        )


class Elements(Mapping[str, ElementHistory]):
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
    >>> m.add_joint_force("motor", "x", lambda t, q, u: 6.0)
    >>> sol = nsmb.simulate(m.build(), 2.0)
    >>> motor = sol.elements["motor"]
    >>> round(float(motor.force[-1]), 9), round(float(motor.work[-1]), 9)  # F² t² / 2 m
    (6.0, 36.0)
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._known: dict[str, ElementHistory] = {}

    @cached_property
    def _laws(self) -> Mapping[str, Law]:
        system = self._record._system_or_none
        return system._laws_along() if isinstance(system, HasLaws) else {}

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self._record.element_names, *self._laws)

    def __getitem__(self, name: str) -> ElementHistory:
        if not isinstance(name, str):
            raise TypeError(
                f"elements[...]: must be the name of a force element, got {name!r}. "
                "See list(sol.elements) for the names."
            )
        if name not in self._names:
            raise KeyError(str(unknown_name("force element", name, self._names)))
        return self._known.setdefault(
            name, ElementHistory(self._record, name, self._laws.get(name))
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Elements: {', '.join(self) or 'none'}"
