"""Time histories of the joints of a run, by name: coordinates, force and moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nsmb.common.arguments import unknown_name
from nsmb.solution.contact_points import HasContactFrames
from nsmb.solution.contacts import Contacts
from nsmb.solution.histories import Histories, History, components

if TYPE_CHECKING:
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


class JointHistory(History):
    """Time history of one joint of a run, see `Joints`.

    Force and moment are the total that the joint transmits: the reaction, and the forces of
    springs, motors, drives, stops and friction on its coordinates. They act on the second body, in
    world axes. Equal and opposite vectors act on the first body. In a stepped run, contact forces
    are means over steps. The force of a joint is then evaluated from the state at the sample and
    these means.

    Force and moment are not available for a joint on a curve, or for a joint of the tree with a
    force element that also acts on another joint. Reading them, also in a table, then raises a
    ValueError.
    """

    def __init__(self, record: Record, contacts: Contacts, name: str, wrench: Wrench) -> None:
        super().__init__(record, name)
        self._contacts, self._wrench = contacts, wrench

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
        """Return the joint in the system with the parameters of one piece of the run."""
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
        assert isinstance(system, HasContactFrames)
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
            found |= components(name, getattr(self, name))
        return found

    def __repr__(self) -> str:
        return (
            f"Joint {self.name!r} of {self.bodies[0]} and {self.bodies[1]}: {self.t.size} samples"
        )


class Joints(Histories[JointHistory]):
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

    _group, _kind = "joints", "joint"

    def __init__(self, record: Record, contacts: Contacts) -> None:
        super().__init__(record)
        self._contacts = contacts

    @property
    def _system(self) -> HasJoints:
        system = self._record.system
        if not isinstance(system, HasJoints):
            raise ValueError(
                f"joints: must be read from a run of an nsmb.Model, got a run of {system.name!r}. "
                "Use q, u and lambda_B."
            )
        return system

    @property
    def _names(self) -> tuple[str, ...]:
        return self._system.joints

    def _make(self, name: str) -> JointHistory:
        return JointHistory(self._record, self._contacts, name, self._system._joint_wrench(name))
