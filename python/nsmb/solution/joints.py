"""Time histories of the joints of a run, by name: coordinates, force and moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import unknown_name
from nsmb.common.extras import import_extra
from nsmb.solution.contact_points import HasBodies
from nsmb.solution.contacts import Contacts

if TYPE_CHECKING:
    import pandas as pd

    from nsmb.solution.record import Record
    from nsmb.system.base import System

__all__ = ["JointHistory", "Joints"]

Floats = NDArray[np.float64]
_Push = tuple[str, str, Floats, Floats, Floats]  # both shapes, point, force, moment
_AXES = ("x", "y", "z")


class Wrench(Protocol):
    """Force and moment that a joint of a model transmits."""

    bodies: tuple[str, str]

    def along(self, samples: Sequence[Any]) -> tuple[Floats, Floats, Floats]: ...


@runtime_checkable
class HasJoints(Protocol):
    """A system of bodies connected by joints."""

    joints: tuple[str, ...]

    def _joint_wrench(self, name: str) -> Wrench: ...


class JointHistory:
    """Time history of one joint of a run, see `Joints`.

    Force and moment are the total that the joint transmits: the reaction, and the forces of
    springs, motors, drives, stops and friction on its coordinates. They act on the second body, in
    world axes. Equal and opposite vectors act on the first body. In a stepped run, contact forces
    are means over steps. The force of a joint is then evaluated from the state at the sample and
    these means.

    Reading force or moment, also in a table, raises a ValueError for a joint on a curve and for a
    joint of the tree with a force element that also acts on another joint.
    """

    def __init__(self, record: Record, contacts: Contacts, name: str, wrench: Wrench) -> None:
        self._record, self._contacts, self._wrench = record, contacts, wrench
        self.name = name
        """Name of the joint."""
        self.t: Floats = record.t
        """Times of the samples in s, shape (n,)."""

    @property
    def bodies(self) -> tuple[str, str]:
        """Names of both bodies."""
        return self._wrench.bodies

    @property
    def coordinates(self) -> dict[str, Floats]:
        """Free coordinates of the joint by name, (n,) each; empty if the joint closes a loop."""
        return {name: self._record[name] for name in self._own(self._record.labels.coordinates)}

    @property
    def rates(self) -> dict[str, Floats]:
        """Velocities of the joint by name, (n,) each."""
        return {name: self._record[name] for name in self._own(self._record.labels.velocities)}

    def _own(self, names: Sequence[str]) -> list[str]:
        return [
            name for name in names
            if name.partition(".")[0] == self.name or name == f"{self.name}_dot"
        ]  # fmt: skip

    @cached_property
    def _values(self) -> tuple[Floats, Floats, Floats]:
        points, rows = self._points, self._rows
        samples = [self._acting(k, points, rows) for k in range(self.t.size)]
        found = [self._wrench_in(system).along(samples[k]) for k, system in self._record._pieces]
        force, moment, point = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return force, moment, point

    def _wrench_in(self, system: System) -> Wrench:
        """The same joint of the system with the parameters of a piece of the run."""
        if system is self._record.system:
            return self._wrench
        assert isinstance(system, HasJoints)
        return system._joint_wrench(self.name)

    def _acting(
        self, k: int, points: list[list[_Push]], rows: Mapping[str, Sequence[int]]
    ) -> dict[str, Any]:
        """Return all forces that act at one sample."""
        record, tangents = self._record, self._record.labels.tangent_columns
        forces = zip(record.element_names, record.element_force[k].tolist(), strict=True)
        return {
            "t": float(record.t[k]),
            "q": record.q[k],
            "u": record.u[k],
            "x": record.x[k, : record.system._core.nx_own],
            "inputs": record.inputs[k],
            "lambda_B": record.lambda_B[k],
            "element_force": dict(forces),
            "points": points[k],
            "rows": {
                name: (
                    float(record.lambda_N[k, own].sum()),
                    record.lambda_T[k, list(tangents[own[0]])],
                )
                for name, own in rows.items()
            },
        }

    @property
    def _rows(self) -> dict[str, list[int]]:
        """Columns of the contacts without a position, which are joint stops and joint friction."""
        system = self._record.system
        assert isinstance(system, HasBodies)
        sides = system._contact_frames().sides
        columns = self._record.labels.contact_columns.items()
        return {name: list(own) for name, own in columns if name not in sides}

    @property
    def _points(self) -> list[list[_Push]]:
        """Forces and moments at contact points for each sample."""
        pushes: list[list[_Push]] = [[] for _ in range(self.t.size)]
        if not self._contacts:
            return pushes
        points = self._contacts.points
        shapes = points.shape_names
        force, torque = points.force, points.torque
        for row in np.flatnonzero(force.any(axis=1) | torque.any(axis=1)).tolist():
            first, second = shapes[points.shape_1[row]], shapes[points.shape_2[row]]
            pushes[points.sample[row]].append(
                (first, second, points.point[row], force[row], torque[row])
            )
        return pushes

    @property
    def force(self) -> Floats:
        """Force on the second body in N, world axes, shape (n, 3)."""
        return self._values[0]

    @property
    def moment(self) -> Floats:
        """Moment on the second body about `point` in N m, world axes, shape (n, 3)."""
        return self._values[1]

    @property
    def point(self) -> Floats:
        """Origin of the joint frame on the second body in m, world axes, shape (n, 3)."""
        return self._values[2]

    def force_on(self, body: str) -> Floats:
        """Return the force on one of the two bodies.

        Parameters
        ----------
        body : str
            Name of the first or the second body.

        Returns
        -------
        (n, 3) ndarray
            N, world axes.

        Raises
        ------
        ValueError
            If `body` is not one of the two.
        """
        if body not in self.bodies:
            raise unknown_name(f"joint {self.name!r}: body", body, self.bodies)
        return self.force if body == self.bodies[1] else -self.force

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return coordinates, rates, force and moment by name."""
        found: dict[str, NDArray[Any]] = {"t": self.t, **self.coordinates, **self.rates}
        for name in ("force", "moment"):
            table = getattr(self, name)
            found |= {f"{name}_{axis}": table[:, k] for k, axis in enumerate(_AXES)}
        return found

    def to_dataframe(self) -> pd.DataFrame:
        """Return a table with one row per sample: ``t``, coordinates, rates, ``force_x``, ...

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` installs it.
        ValueError
            If the force of the joint cannot be read, see `JointHistory`.
        """
        frame: pd.DataFrame = import_extra("pandas", "data").DataFrame(self.columns())
        return frame

    def __repr__(self) -> str:
        return (
            f"Joint {self.name!r} of {self.bodies[0]} and {self.bodies[1]}: {self.t.size} samples"
        )


class Joints(Mapping[str, JointHistory]):
    """The joints of a run by name: ``sol.joints["knee"].force``.

    Examples
    --------
    The hinge of a rod that hangs at rest carries the weight of the rod:

    >>> import nsmb
    >>> m = nsmb.Model(gravity=(0.0, -9.81))
    >>> rod = m.add_body("rod", mass=2.0, inertia=0.1, center=(0.0, -0.5))
    >>> _ = m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, rod)
    >>> sol = nsmb.simulate(m.build(), 0.1)
    >>> sol.joints["hinge"].force[-1].round(9) + 0.0
    array([ 0.  , 19.62,  0.  ])
    """

    def __init__(self, record: Record, contacts: Contacts) -> None:
        self._record, self._contacts = record, contacts
        self._known: dict[str, JointHistory] = {}

    @property
    def _system(self) -> HasJoints:
        system = self._record.system
        if not isinstance(system, HasJoints):
            raise ValueError(
                f"joints: must be read from a run of an nsmb.Model, got a run of {system.name!r}. "
                "Use q, u and lambda_B."
            )
        return system

    def __getitem__(self, name: str) -> JointHistory:
        if not isinstance(name, str):
            raise TypeError(
                f"joints[...]: must be the name of a joint, got {name!r}. See "
                "list(sol.joints) for the names."
            )
        system = self._system
        if name not in system.joints:
            raise KeyError(str(unknown_name("joint", name, system.joints)))
        if name not in self._known:
            wrench = system._joint_wrench(name)
            self._known[name] = JointHistory(self._record, self._contacts, name, wrench)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._system.joints)

    def __len__(self) -> int:
        return len(self._system.joints)

    def __repr__(self) -> str:
        return f"Joints: {', '.join(self)}"
