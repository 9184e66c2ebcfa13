"""The bodies of a run by name: position, velocity, contact force and energy of each over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, unknown_name
from nsmb.common.extras import import_extra
from nsmb.solution.body_energy import BodyEnergy, body_energy
from nsmb.solution.contacts import Contacts

if TYPE_CHECKING:
    import pandas as pd

    from nsmb.solution.record import Record

__all__ = ["Bodies", "BodyHistory"]

Floats = NDArray[np.float64]
_AXES = ("x", "y", "z")


@runtime_checkable
class HasBodies(Protocol):
    """A system of bodies."""

    bodies: tuple[str, ...]

    def motion(self, body: str, t: Floats, q: Floats, u: Floats) -> tuple[Floats, ...]: ...


class BodyHistory:
    """One body of a run over time, see `Bodies`. Vectors are in world axes."""

    def __init__(self, record: Record, contacts: Contacts, name: str) -> None:
        self._record, self._contacts = record, contacts
        self.name = name
        """Its name."""
        self.t: Floats = record.t
        """(n,) s, times of the samples."""

    @cached_property
    def _motion(self) -> tuple[Floats, ...]:
        system, record = self._record.system, self._record
        assert isinstance(system, HasBodies)
        return system.motion(self.name, record.t, record.q, record.u)

    @property
    def position(self) -> Floats:
        """(n, 3) m, origin of the body frame."""
        return self._motion[0]

    @property
    def orientation(self) -> Floats:
        """(n, 3, 3), axes of the body frame as columns."""
        return self._motion[1]

    @property
    def velocity(self) -> Floats:
        """(n, 3) m/s, of the origin of the body frame."""
        return self._motion[2]

    @property
    def angular_velocity(self) -> Floats:
        """(n, 3) rad/s"""
        return self._motion[3]

    def at(self, point: ArrayLike) -> tuple[Floats, Floats]:
        """Position and velocity of a point of the body, as long as it is rigid.

        Parameters
        ----------
        point : (2,) or (3,) array_like
            m, in body axes.

        Returns
        -------
        tuple of (n, 3) ndarray
            m and m/s, world axes.

        Raises
        ------
        ValueError
            For another shape.
        """
        arm = np.zeros(3)
        given = np.asarray(point, dtype=np.float64)
        arm[: given.size] = as_array("point", given, (2,) if given.size == 2 else (3,))
        arms = self.orientation @ arm
        return self.position + arms, self.velocity + np.cross(self.angular_velocity, arms)

    def in_body_axes(self, vectors: ArrayLike) -> Floats:
        """Components of vectors along the axes of the body, sample by sample.

        Parameters
        ----------
        vectors : (n, 3) array_like
            In world axes, as `velocity` or the force of a contact.
        """
        given = as_array("vectors", vectors, (self.t.size, 3))
        result: Floats = np.einsum("nij,ni->nj", self.orientation, given)
        return result

    @property
    def contact_force(self) -> Floats:
        """(n, 3) N, resultant of all contacts on the body, see `Contacts.force_on`; zero for a body
        without contacts."""
        points = self._contacts.points
        owners = {shape.rpartition(".")[0] for shape in points.shape_names}
        return points.force_on(self.name) if self.name in owners else np.zeros((self.t.size, 3))

    @cached_property
    def energy(self) -> BodyEnergy:
        """Kinetic and elastic energy, and what its damping takes.

        Raises ValueError if parameters were set on the way."""
        return body_energy(self._record, self._record.system, self.name)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Position and velocities by component: ``position_x``, ..."""
        found: dict[str, NDArray[Any]] = {"t": self.t}
        for name in ("position", "velocity", "angular_velocity"):
            table = getattr(self, name)
            found |= {f"{name}_{axis}": table[:, k] for k, axis in enumerate(_AXES)}
        return found

    def to_dataframe(self) -> pd.DataFrame:
        """One row per sample: ``t``, ``position_x``, ..., ``angular_velocity_z``.

        Raises
        ------
        ImportError
            If pandas is not installed; ``pip install nsmb[data]`` brings it.
        """
        frame: pd.DataFrame = import_extra("pandas", "data").DataFrame(self.columns())
        return frame

    def __repr__(self) -> str:
        return f"Body {self.name!r}: {self.t.size} samples"


class Bodies(Mapping[str, BodyHistory]):
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

    def __init__(self, record: Record, contacts: Contacts) -> None:
        self._record, self._contacts = record, contacts
        self._known: dict[str, BodyHistory] = {}

    @property
    def _names(self) -> tuple[str, ...]:
        system = self._record.system
        if not isinstance(system, HasBodies):
            raise ValueError(
                f"bodies: must be asked of a run of bodies, got one of {system.name!r}, which no "
                "nsmb.Model has built. Use q and u."
            )
        return system.bodies

    def __getitem__(self, name: str) -> BodyHistory:
        if not isinstance(name, str):
            raise TypeError(
                f"bodies[...]: must be the name of a body, got {name!r}. list(sol.bodies) shows "
                "the names."
            )
        if name not in self._names:
            raise KeyError(str(unknown_name("body", name, self._names)))
        return self._known.setdefault(name, BodyHistory(self._record, self._contacts, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Bodies: {', '.join(self)}"
