"""Gears in mesh as a force element of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from nsmb._core import gears as _gears
from nsmb._core import multibody as _multibody
from nsmb.common.arguments import (
    as_array,
    as_column,
    as_instance,
    as_mapping,
    as_number,
    known_name,
)
from nsmb.gears.contacts import GearContacts
from nsmb.gears.gear import Gear
from nsmb.gears.pair import GearPair
from nsmb.gears.teeth import ElasticTeeth

__all__ = ["GearTrain"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GearTrain:
    """A train of gears in which pairs mesh; a gear with several partners has one set of teeth.

    Each gear is attached to a marker, with its axis along z and its middle plane through the
    origin. The states are those of elastic teeth: displacements ``G1_s0``, ... (rad) relative to
    the gear and, for teeth with mass, velocities ``G1_omega0``, ... (rad/s). The modes ``left`` and
    ``right`` of each mesh, prefixed by the name of the mesh if it has one, tell which flanks touch.

    Raises
    ------
    ValueError
        If a name is invalid, a pair has other gears than those it connects, or :class:`Gear`,
        :class:`GearPair` and :class:`ElasticTeeth` are incompatible.

    Examples
    --------
    >>> from nsmb import gears
    >>> sun = gears.Gear(z=20, m_n=0.002, width=0.01)
    >>> idler, last = sun.mate(25), sun.mate(41)
    >>> train = gears.GearTrain(
    ...     gears={"sun": sun, "idler": idler, "last": last},
    ...     meshes={
    ...         "first": ("sun", "idler", gears.GearPair(gear_1=sun, gear_2=idler)),
    ...         "second": ("idler", "last", gears.GearPair(gear_1=idler, gear_2=last)),
    ...     },
    ... )
    >>> train.names
    ('sun', 'idler', 'last')
    """

    gears: Mapping[str, Gear]
    """Gears by name, in the order of their bodies."""
    meshes: Mapping[str, tuple[str, str, GearPair]]
    """Meshes by name: the names of two gears, and their pair."""
    phases: Mapping[str, float] = field(default_factory=dict)
    """Angles from the marker's x axis to the middle of tooth 0, rad, by default 0."""
    teeth: ElasticTeeth | None = None
    """Elastic teeth, or None for rigid teeth."""
    spins: Mapping[str, float] = field(default_factory=dict)
    """Initial angular velocities of teeth with mass, those of their gears, rad/s."""
    events: bool = True
    """True if events are located where flanks touch or separate."""

    discontinuities: ClassVar[Sequence[float]] = ()

    def __post_init__(self) -> None:
        gears = as_mapping("gears", self.gears, "gears")
        for name, gear in gears.items():
            if not isinstance(name, str) or not name or "." in name:
                raise ValueError(f"gears: expected names without dot, got {name!r}")
            as_instance(f"gears[{name!r}]", gear, Gear)
        meshes = as_mapping("meshes", self.meshes, "(gear, gear, GearPair)")
        if not meshes:
            raise ValueError("meshes: expected one or more, got none")
        for name, mesh in meshes.items():
            what = f"meshes[{name!r}]"
            if not isinstance(name, str) or "." in name:
                raise ValueError(f"meshes: expected names without dot, got {name!r}")
            if not isinstance(mesh, tuple) or len(mesh) != 3:
                raise ValueError(f"{what}: expected (gear, gear, GearPair), got {mesh!r}")
            pair = as_instance(what, mesh[2], GearPair)
            for place, own in ((mesh[0], pair.gear_1), (mesh[1], pair.gear_2)):
                if gears[known_name(f"{what}: gear", place, gears)] != own:
                    raise ValueError(
                        f"{what}: expected a pair with {gears[place]}, which is {place!r}, "
                        f"got {own}"
                    )
        if self.teeth is not None:
            as_instance("teeth", self.teeth, ElasticTeeth)
        for key in ("phases", "spins"):
            given = as_mapping(key, getattr(self, key), "numbers")
            for name, value in given.items():
                known_name(f"{key}: gear", name, gears)
                as_array(f"{key}[{name!r}]", as_number(f"{key}[{name!r}]", value), ())
            object.__setattr__(self, key, given)
        object.__setattr__(self, "gears", gears)
        object.__setattr__(self, "meshes", meshes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the gears."""
        return tuple(self.gears)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the teeth."""
        return tuple(self._core.states)

    def _wheel(self, name: str, gear: Gear) -> _gears.GearWheel:
        teeth = self.teeth
        return _gears.GearWheel(
            name=name,
            teeth=gear.z,
            r_b=gear.r_b,
            r_a=gear.r_a,
            half_tooth=gear.half_tooth,
            beta_b=gear.beta_b,
            width=gear.width,
            phase=float(self.phases.get(name, 0.0)),
            relief=gear.tip_relief,
            relief_length=gear.p_b / 3.0 if gear.relief_length is None else gear.relief_length,
            crowning=gear.crowning,
            r_d=gear.r_d,
            K=teeth.K if teeth else 0.0,
            D=teeth.D if teeth else 0.0,
            mass=teeth.mass_of(gear) if teeth else 0.0,
            spin=float(self.spins.get(name, 0.0)),
        )

    @cached_property
    def _core(self) -> _gears.GearTrain:
        names = self.names
        return _gears.GearTrain(
            wheels=[self._wheel(name, gear) for name, gear in self.gears.items()],
            meshes=[
                pair._core(name, names.index(one), names.index(two))
                for name, (one, two, pair) in self.meshes.items()
            ],
            teeth=self.teeth._core_motion() if self.teeth else _gears.Teeth.Rigid,
            all_teeth=self.teeth.all_teeth if self.teeth else True,
            events=self.events,
        )

    def __getstate__(self) -> dict[str, object]:
        """Return the state without the core, which is rebuilt."""
        return {key: value for key, value in self.__dict__.items() if key != "_core"}

    def core_force(self, name: str, markers: int, coordinates: int) -> _multibody.ForceElement:
        """Return the element of the core, for :meth:`Model.build`."""
        if markers != len(self.gears) or coordinates:
            raise ValueError(
                f"force element {name!r}: on: expected {len(self.gears)} bodies, one for each of "
                f"{list(self.gears)}, and no coordinates, got {markers} and {coordinates}"
            )
        return self._core

    def contacts(
        self,
        r: ArrayLike,
        A: ArrayLike,
        v: ArrayLike,
        Omega: ArrayLike,
        x: ArrayLike = (),
        modes: ArrayLike = (),
    ) -> GearContacts:
        """Return the contacts of teeth, given the motion of the markers.

        Parameters
        ----------
        r, v, Omega : (n, 3) array_like
            Motion of the markers of the n gears, m, m/s, rad/s, in inertial components.
        A : (n, 3, 3) array_like
            Axes of the markers, as columns.
        x : array_like
            States of the teeth.
        modes : array_like
            Modes of the left and right flanks of each mesh, 1 if they touch, otherwise 0. If empty,
            flanks that overlap touch.

        Raises
        ------
        ValueError
            If an argument has a wrong shape.
        """
        n = len(self.gears)
        kinematics = np.zeros((18, n))
        kinematics[:3] = as_array("r", r, (n, 3)).T
        kinematics[3:12] = as_array("A", A, (n, 3, 3)).reshape(n, 9).T
        kinematics[12:15] = as_array("v", v, (n, 3)).T
        kinematics[15:] = as_array("Omega", Omega, (n, 3)).T
        train = self._core
        states = as_array("x", x, (len(train.states),))
        flanks = as_column("modes", modes)
        return GearContacts._of(train.contacts(kinematics, states, flanks), list(self.meshes))
