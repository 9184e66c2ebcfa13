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
    """Gears of which pairs are in mesh; one with several partners has its teeth once.

    Each gear stands on a marker, its axis the z axis there and its middle plane through the origin.
    States are those of elastic teeth: ``G1_s0``, ... (rad), displacements against the gear, and
    ``G1_omega0``, ... (rad/s), where they have mass. Of each mesh the modes ``left`` and ``right``
    say which flanks touch, behind the name of the mesh if it has one.

    Raises
    ------
    ValueError
        For names that are none, pairs of other gears than those they join, and what :class:`Gear`,
        :class:`GearPair` and :class:`ElasticTeeth` cannot be together.

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
    """By names, in the order of the bodies they stand on."""
    meshes: Mapping[str, tuple[str, str, GearPair]]
    """By names: which two gears, and how they mesh."""
    phases: Mapping[str, float] = field(default_factory=dict)
    """rad, middle of tooth 0 from the x axis of the marker; 0 where none is given."""
    teeth: ElasticTeeth | None = None
    """None: rigid."""
    spins: Mapping[str, float] = field(default_factory=dict)
    """rad/s of the teeth at the start where they have mass, that of their gear."""
    events: bool = True
    """Whether flanks that touch and part are events."""

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
        """Of the gears."""
        return tuple(self.gears)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Of the teeth."""
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
        """Without the core, which is made again."""
        return {key: value for key, value in self.__dict__.items() if key != "_core"}

    def core_force(self, name: str, markers: int, coordinates: int) -> _multibody.ForceElement:
        """What :meth:`Model.build` calls."""
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
        """Where teeth touch, by the motion of the markers.

        Parameters
        ----------
        r, v, Omega : (n, 3) array_like
            m, m/s, rad/s, of the markers of the n gears in inertial components.
        A : (n, 3, 3) array_like
            Their axes, as columns.
        x : array_like
            States of the teeth.
        modes : array_like
            1 of flanks that touch, left and right of each mesh, else 0; none: those that are in
            each other.

        Raises
        ------
        ValueError
            For other shapes.
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
