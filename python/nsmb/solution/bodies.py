"""Time histories of the bodies of a run, by name: position, velocity, force and energy."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array
from nsmb.solution.body_energy import BodyEnergy, body_energy
from nsmb.solution.contacts import Contacts
from nsmb.solution.histories import Histories, History, components
from nsmb.solution.motions import HasMotion, motion_of

if TYPE_CHECKING:
    from nsmb.solution.record import Record

__all__ = ["Bodies", "BodyHistory"]

Floats = NDArray[np.float64]
_AXES = ("x", "y", "z")


class BodyHistory(History):
    """Time history of one body of a run, see `Bodies`. Vectors are in world axes."""

    def __init__(self, record: Record, contacts: Contacts, name: str) -> None:
        super().__init__(record, name)
        self._contacts = contacts

    @cached_property
    def _motion(self) -> tuple[Floats, ...]:
        return motion_of(self._record, self.name)

    @property
    def position(self) -> Floats:
        """Position of the origin of the body frame in m, shape (n, 3)."""
        return self._motion[0]

    @property
    def orientation(self) -> Floats:
        """Rotation matrix with the axes of the body frame as columns, shape (n, 3, 3)."""
        return self._motion[1]

    @property
    def velocity(self) -> Floats:
        """Velocity of the origin of the body frame in m/s, shape (n, 3)."""
        return self._motion[2]

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity of the body frame in rad/s, shape (n, 3)."""
        return self._motion[3]

    def at(self, point: ArrayLike) -> tuple[Floats, Floats]:
        """Return the position and velocity of a point that is fixed in the body frame.

        Parameters
        ----------
        point : (2,) or (3,) array_like
            Point in m, body axes.

        Returns
        -------
        tuple of (n, 3) ndarray
            Position in m and velocity in m/s, world axes.

        Raises
        ------
        ValueError
            If `point` has another shape.
        """
        arm = np.zeros(3)
        given = np.asarray(point, dtype=np.float64)
        arm[: given.size] = as_array("point", given, (2,) if given.size == 2 else (3,))
        arms = self.orientation @ arm
        return self.position + arms, self.velocity + np.cross(self.angular_velocity, arms)

    def in_body_axes(self, vectors: ArrayLike) -> Floats:
        """Return the components of vectors along the body axes at each sample.

        Parameters
        ----------
        vectors : (n, 3) array_like
            Vectors in world axes, such as `velocity` or the force of a contact.
        """
        given = as_array("vectors", vectors, (self.t.size, 3))
        result: Floats = np.einsum("nij,ni->nj", self.orientation, given)
        return result

    @property
    def contact_force(self) -> Floats:
        """Resultant of all contacts on the body in N, shape (n, 3), see `Contacts.force_on`.

        It is zero for a body without contacts."""
        points = self._contacts.points
        owners = {shape.rpartition(".")[0] for shape in points.shape_names}
        return points.force_on(self.name) if self.name in owners else np.zeros((self.t.size, 3))

    @cached_property
    def energy(self) -> BodyEnergy:
        """Kinetic and elastic energy of the body, and the energy dissipated by its damping.

        Raises ValueError if parameters were changed during the run."""
        return body_energy(self._record, self._record.system, self.name)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return position and velocities by component: ``position_x``, ..."""
        found: dict[str, NDArray[Any]] = {"t": self.t}
        for name in ("position", "velocity", "angular_velocity"):
            found |= components(name, getattr(self, name))
        return found

    def __repr__(self) -> str:
        return f"Body {self.name!r}: {self.t.size} samples"


class Bodies(Histories[BodyHistory]):
    """The bodies of a run by name: ``sol.bodies["rocker"].position``.

    Examples
    --------
    >>> import nsmb
    >>> m = nsmb.Model(gravity=(0.0, -9.81))
    >>> arm = m.add_body("arm", mass=1.0, inertia=0.1, center=(0.5, 0.0))
    >>> _ = m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, arm)
    >>> sol = nsmb.simulate(m.build(), 0.5)
    >>> arm = sol.bodies["arm"]
    >>> tip, speed = arm.at((1.0, 0.0))
    >>> bool(abs(speed[-1] @ speed[-1] - arm.angular_velocity[-1, 2] ** 2) < 1e-12)
    True
    """

    _group, _kind = "bodies", "body"

    def __init__(self, record: Record, contacts: Contacts) -> None:
        super().__init__(record)
        self._contacts = contacts

    @property
    def _names(self) -> tuple[str, ...]:
        system = self._record.system
        if not isinstance(system, HasMotion):
            raise ValueError(
                f"bodies: must be read from a run of an nsmb.Model, got a run of {system.name!r}. "
                "Use q and u."
            )
        return system.bodies

    def _make(self, name: str) -> BodyHistory:
        return BodyHistory(self._record, self._contacts, name)
