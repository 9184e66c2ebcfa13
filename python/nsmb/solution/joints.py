"""The joints of a run by name: coordinates, and the force and moment that each transmits."""

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

__all__ = ["JointHistory", "Joints"]

Floats = NDArray[np.float64]
_Push = tuple[str, str, Floats, Floats, Floats]  # both bodies, point, force, moment
_AXES = ("x", "y", "z")


class Wrench(Protocol):
    """A joint of a model and what it transmits."""

    bodies: tuple[str, str]

    def along(self, samples: Sequence[Any]) -> tuple[Floats, Floats, Floats]: ...


@runtime_checkable
class HasJoints(Protocol):
    """A system of bodies on joints."""

    joints: tuple[str, ...]

    def _joint_wrench(self, name: str) -> Wrench: ...


class JointHistory:
    """One joint of a run over time, see `Joints`.

    Force and moment are everything that the joint transmits: its reaction, and springs, motors,
    drives, stops and friction on its coordinates. They act on the second body in world axes, and
    the opposite acts on the first. In a stepped run contact forces are means over steps, and the
    force of a joint is that of the state and these means.
    """

    def __init__(self, record: Record, contacts: Contacts, name: str, wrench: Wrench) -> None:
        self._record, self._contacts, self._wrench = record, contacts, wrench
        self.name = name
        """Its name."""
        self.t: Floats = record.t
        """(n,) s, times of the samples."""

    @property
    def bodies(self) -> tuple[str, str]:
        """Names of both bodies."""
        return self._wrench.bodies

    @property
    def coordinates(self) -> dict[str, Floats]:
        """(n,) values of its free coordinates by name; none where it closes a loop."""
        return {name: self._record[name] for name in self._own(self._record.labels.coordinates)}

    @property
    def rates(self) -> dict[str, Floats]:
        """(n,) values of its velocities by name."""
        return {name: self._record[name] for name in self._own(self._record.labels.velocities)}

    def _own(self, names: Sequence[str]) -> list[str]:
        return [
            name for name in names
            if name.partition(".")[0] == self.name or name == f"{self.name}_dot"
        ]  # fmt: skip

    @cached_property
    def _values(self) -> tuple[Floats, Floats, Floats]:
        points, rows = self._points, self._rows
        return self._wrench.along([self._acting(k, points, rows) for k in range(self.t.size)])

    def _acting(
        self, k: int, points: list[list[_Push]], rows: Mapping[str, Sequence[int]]
    ) -> dict[str, Any]:
        """Everything that acts in a sample."""
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
        """Columns of the contacts without a position: stops and friction of joints."""
        system = self._record.system
        assert isinstance(system, HasBodies)
        sides = system._contact_frames().sides
        columns = self._record.labels.contact_columns.items()
        return {name: list(own) for name, own in columns if name not in sides}

    @property
    def _points(self) -> list[list[_Push]]:
        """What pushes at contact points, sample by sample."""
        pushes: list[list[_Push]] = [[] for _ in range(self.t.size)]
        if not self._contacts:
            return pushes
        points = self._contacts.points
        bodies = [name.rpartition(".")[0] for name in points.shape_names]
        force, torque = points.force, points.torque
        for row in np.flatnonzero(force.any(axis=1) | torque.any(axis=1)).tolist():
            first, second = bodies[points.shape_1[row]], bodies[points.shape_2[row]]
            pushes[points.sample[row]].append(
                (first, second, points.point[row], force[row], torque[row])
            )
        return pushes

    @property
    def force(self) -> Floats:
        """(n, 3) N, on the second body."""
        return self._values[0]

    @property
    def moment(self) -> Floats:
        """(n, 3) N m, on the second body, about `point`."""
        return self._values[1]

    @property
    def point(self) -> Floats:
        """(n, 3) m, origin of the frame of the joint on its second body."""
        return self._values[2]

    def force_on(self, body: str) -> Floats:
        """Force on one of its two bodies.

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
            For another body.
        """
        if body not in self.bodies:
            raise unknown_name(f"joint {self.name!r}: body", body, self.bodies)
        return self.force if body == self.bodies[1] else -self.force

    def columns(self) -> dict[str, NDArray[Any]]:
        """Coordinates, rates, force and moment by name."""
        found: dict[str, NDArray[Any]] = {"t": self.t, **self.coordinates, **self.rates}
        for name in ("force", "moment"):
            table = getattr(self, name)
            found |= {f"{name}_{axis}": table[:, k] for k, axis in enumerate(_AXES)}
        return found

    def to_dataframe(self) -> pd.DataFrame:
        """One row per sample: ``t``, the coordinates and rates, ``force_x``, ..., ``moment_z``.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
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
    The hinge of a rod that hangs at rest carries its weight:

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
                f"joints: must be asked of a run of bodies, got one of {system.name!r}, which no "
                "nsmb.Model has built. Use q, u and lambda_B."
            )
        return system

    def __getitem__(self, name: str) -> JointHistory:
        if not isinstance(name, str):
            raise TypeError(
                f"joints[...]: must be the name of a joint, got {name!r}. list(sol.joints) shows "
                "the names."
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
