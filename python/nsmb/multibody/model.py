"""Models of rigid bodies: bodies, joints, loops, contacts."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_number
from nsmb.common.plain_files import MAX_BYTES
from nsmb.multibody import defaults
from nsmb.multibody.bodies import Bodies
from nsmb.multibody.checks import check_names
from nsmb.multibody.frames import Frame
from nsmb.multibody.joints import Fixed, Joint, OnCurve, Rod
from nsmb.multibody.motion import Motion, breaks, check_motion
from nsmb.multibody.parts import (
    GROUND,
    Body,
    ContactRecord,
    ContourOnBody,
    JointRecord,
    Marker,
    ShapeOnBody,
)
from nsmb.multibody.system import MultibodySystem, warn_unused
from nsmb.multibody.urdf import read_urdf
from nsmb.multibody.urdf_meshes import MeshFolder
from nsmb.system.base import ParameterInfo, System
from nsmb.system.contact_laws import ContactLaw, as_contact_law
from nsmb.system.discontinuities import Discontinuity

__all__ = ["Model"]


class Model(Bodies):
    """Bodies, joints, force elements and contacts, from which :meth:`build` makes a system.

    Planar systems live in the x-y plane: places are (x, y), angles turn about e_z.

    Parameters
    ----------
    gravity : array_like (3,) or (2,)
        m/s².
    name : str

    Examples
    --------
    A ball on a rod above a floor:

    >>> import nsmb
    >>> m = nsmb.Model(gravity=(0, -9.81))
    >>> rod = m.add_body("rod", mass=0.4, inertia=3e-3, center=(0.15, 0))
    >>> m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, rod, at=(0, 0.2))
    >>> tip = rod.contour("tip", nsmb.geometry.Circle(0.01), at=(0.3, 0))
    >>> floor = m.ground.contour("floor", nsmb.geometry.Line())
    >>> m.add_contact(tip, floor, law=nsmb.ContactLaw(e_N=0.5), name="bump")
    >>> system = m.build(initial={"hinge": 0.3})
    >>> nsmb.simulate(system, 1.0).events[0].kind.label
    'impact'
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, 0.0), *, name: str = "model") -> None:
        super().__init__(gravity, name)
        self.ground = Body(GROUND, self)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies, without the ground."""
        return tuple(Body(name, self) for name in self._bodies)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self._bodies)} bodies, {len(self._joints)} joints>"

    def add_joint(
        self,
        name: str,
        joint: Joint,
        body_1: Body | Marker,
        body_2: Body | Marker,
        *,
        at: Frame | ArrayLike | None = None,
        angle: float = 0.0,
        at_2: Frame | ArrayLike | None = None,
        angle_2: float = 0.0,
        motion: Motion | None = None,
        discontinuities: Sequence[Discontinuity] = (),
    ) -> None:
        """Joint from frame F on `body_1` to frame G on `body_2`, which hangs on it.

        Parameters
        ----------
        name : str
            Names the coordinates.
        joint : Joint
            One of :mod:`nsmb.joints`.
        body_1, body_2 : Body or Marker
            ``model.ground`` is a body, too. A marker stands for body and place.
        at, at_2 : Frame or array_like
            Places on either body: a frame, or its origin, (x, y) or (x, y, z); default the origin
            of the body.
        angle, angle_2 : float
            rad, turn of either frame about its e_z.
        motion : callable t -> (s, ṡ, s̈), Polynomial, or sequence of (time, Polynomial), optional
            Prescribed motion of a joint with one coordinate, which then is none any more. See
            :meth:`drive`, also for other joints.
        discontinuities : sequence of float and Repeating
            Times, in s, at which s̈ jumps or bends; those between polynomials are known.

        Raises
        ------
        ValueError
            When the joint would close a loop, when `body_2` hangs on another joint already, for a
            name given twice.
        """
        what = self._new_name("joint", name)
        if not isinstance(joint, Joint) or isinstance(joint, Rod | OnCurve):
            raise ValueError(
                f"{what}: expected a joint with coordinates of nsmb.joints, got {joint!r}"
            )
        first, second = self._place(body_1, at, angle), self._place(body_2, at_2, angle_2, "at_2")
        loop = self._way(first.body, second.body)
        if loop:
            raise ValueError(
                f"{what}: expected a tree of joints, got the loop {loop}; close it with "
                "add_loop instead"
            )
        if second.body == GROUND or self._joint_of(second.body) is not None:
            other = self._joint_of(second.body)
            taken = "the ground" if other is None else f"a body that hangs on {other.name!r}"
            raise ValueError(
                f"{what}: expected a second body that hangs on no joint yet, got {taken}; "
                "give the bodies the other way round"
            )
        record = JointRecord(name, joint, first, second)
        if motion is not None:
            names, _, velocities = joint._names()
            if len(names) != 1 or names[0] not in velocities:
                raise ValueError(
                    f"{what}: motion: expected a joint with one coordinate, got {joint!r}; use "
                    "Model.drive"
                )
            checked = check_motion(f"motion of {name!r}", motion)
            record = dataclasses.replace(record, motions=((0, checked, True),))
            discontinuities = [*discontinuities, *breaks(checked)]
        self._add_discontinuities(what, discontinuities)
        self._hang(record)

    def drive(
        self,
        coordinate: str,
        s: Motion,
        *,
        locked: bool,
        discontinuities: Sequence[Discontinuity] = (),
    ) -> None:
        """Motion of a coordinate prescribed in time.

        Parameters
        ----------
        coordinate : str
            As ``"hinge"`` or ``"sleeve.x"``; a translation or an angle.
        s : callable t -> (s, ṡ, s̈), numpy.polynomial.Polynomial, or sequence of pairs of these
            Polynomials in t run without Python; of pairs (time, Polynomial) each one holds from its
            time on, and begins with value and velocity of the one before.
        locked : bool
            The coordinate is s(t) and no coordinate of the system any more; else s(t) is added
            to it, as a moving support.
        discontinuities : sequence of float and Repeating
            Times, in s, at which s̈ jumps or bends; those between polynomials are known.

        Raises
        ------
        ValueError
            For an unknown coordinate or one with a motion, and derivatives that contradict s.
        """
        name, k = self._coordinate(coordinate)
        record = self._joints[name]
        if any(other == k for other, _, _ in record.motions):
            raise ValueError(f"coordinate {coordinate!r}: expected one without motion yet")
        motion = check_motion(f"motion of {coordinate!r}", s)
        motions = (*record.motions, (k, motion, bool(locked)))
        self._add_discontinuities(f"motion of {coordinate!r}", [*discontinuities, *breaks(motion)])
        self._joints[name] = dataclasses.replace(record, motions=motions)

    def add_loop(
        self,
        name: str,
        joint: Joint,
        body_1: Body | Marker,
        body_2: Body | Marker,
        *,
        at: Frame | ArrayLike | None = None,
        angle: float = 0.0,
        at_2: Frame | ArrayLike | None = None,
        angle_2: float = 0.0,
    ) -> None:
        """Closes a loop by bilateral constraints; dependent ones do no harm.

        Parameters
        ----------
        name : str
        joint : Joint
            Fixed, Revolute, Prismatic, Cylindrical, Spherical, Universal, Planar, Rod or
            OnCurve.
        body_1, body_2, at, angle, at_2, angle_2
            As for :meth:`add_joint`; a fixed or prismatic joint keeps both frames parallel.

        Raises
        ------
        ValueError
            For a joint that cannot close a loop or a name given twice.
        """
        what = self._new_name("loop", name)
        if not isinstance(joint, Joint) or joint.rows is None:
            raise ValueError(f"{what}: expected a joint that can close a loop, got {joint!r}")
        first, second = self._place(body_1, at, angle), self._place(body_2, at_2, angle_2, "at_2")
        if first.body == second.body:
            raise ValueError(f"{what}: expected two bodies, got {first.body!r} twice")
        self._loops[name] = JointRecord(name, joint, first, second)

    def add_contact(
        self,
        contour_1: ContourOnBody | ShapeOnBody,
        contour_2: ContourOnBody | ShapeOnBody,
        law: ContactLaw = ContactLaw(),  # noqa: B008 - immutable
        name: str = "",
        *,
        points: int | None = None,
        search_distance: float | None = None,
        skin: float | None = None,
        inside: bool = False,
    ) -> None:
        """Unilateral contact of two contours whose planes coincide, or of two shapes in space.

        Shapes are pairs whose contact points exist always, each on a smooth surface of its own: a
        sphere on a half-space, on or in a sphere or a cylinder without ends; each corner of a box
        or hull, each rim of a cylinder, each end of a capsule on a half-space. :meth:`collide` is
        for all shapes that touch anywhere.

        Parameters
        ----------
        contour_1, contour_2 : ContourOnBody or ShapeOnBody
            From :meth:`Body.contour`, or :meth:`Body.boundary` of a flexible body; the tangent is
            that of contour 1. Or from :meth:`Body.shape`; the tangents follow e_x of the half-space
            or the first sphere, on a cylinder e_z.
        law : ContactLaw
        name : str
            Empty: the names of both contours.
        points : int, optional
            Contact points there may be at once, called ``name[0]``, ``name[1]``, ...; default 1
            for convex contours without corners; for a point or a disc and straight pieces one for
            each piece and, of a disc, each corner, if these are fewer than 8; else as many as the
            smaller polygon has convex corners, at least 8 and at most 64; for boundaries
            two more than they have nodes, at most 64.
        search_distance : float, optional
            m; candidates are looked for this near, and anew when the bodies have moved by that
            much. Default a tenth of the smaller contour.
        skin : float, optional
            m; deeper penetrations are no contact. Default half the thickness of the convex hull of
            the thinner body: give the half of the thinnest wall where that is less.
        inside : bool
            Of shapes: the first is the wall of a hollow, a ball or a pipe, with the second in it.

        Raises
        ------
        ValueError
            For contours or shapes that are not of this model, on the same body, or that cannot
            touch: straight lines without ends, points; and for pairs of shapes that have no contact
            points of their own.
        """
        if isinstance(contour_1, ShapeOnBody) and isinstance(contour_2, ShapeOnBody):
            options = {"points": points, "search_distance": search_distance, "skin": skin}
            for argument, value in options.items():
                if value is not None:
                    raise ValueError(f"{argument}: expected none between shapes, got {value!r}")
            self._add_surface_contact(contour_1, contour_2, law, name, bool(inside))
            return
        if inside:
            raise ValueError("inside: expected False between contours, got True")
        for k, contour in enumerate((contour_1, contour_2)):
            known = isinstance(contour, ContourOnBody)
            if not known or self._contours.get((contour.place.body, contour.name)) is not contour:
                raise ValueError(
                    f"contour_{k + 1}: expected a contour of this model, got {contour!r}"
                )
            if contour.is_outline:
                raise ValueError(
                    f"contour_{k + 1}: expected one from Body.contour, got the outline "
                    f"{contour.label!r}"
                )
        assert isinstance(contour_1, ContourOnBody)
        assert isinstance(contour_2, ContourOnBody)
        name = name or f"{contour_1.label}-{contour_2.label}"
        what = self._new_name("contact", name)
        if contour_1.place.body == contour_2.place.body:
            raise ValueError(f"{what}: expected two bodies, got {contour_1.place.body!r} twice")
        law = as_contact_law(f"{what}: law", law)
        pair = contour_1.contour, contour_2.contour
        if not defaults.can_touch(*pair):
            straight = [c for c in (contour_1, contour_2) if defaults.is_straight(c.contour)]
            labels = " and ".join(repr(c.label) for c in (contour_1, contour_2))
            kind = "straight without ends" if straight else "points"
            raise ValueError(
                f"{what}: expected a contour with curvature, corners or ends, got {labels}, both "
                f"{kind}"
            )
        nodes = len(contour_1.nodes) + len(contour_2.nodes)
        number = points
        if points is None:
            number = defaults.contact_points(*pair, nodes)
        if not isinstance(number, int | np.integer) or number < 1:
            raise ValueError(f"{what}: points: expected a whole number > 0, got {points!r}")
        lengths = []
        for argument, value, default in (
            ("search_distance", search_distance, defaults.search_distance),
            ("skin", skin, defaults.skin),
        ):
            length = default(*pair) if value is None else as_number(argument, value)
            if not 0.0 < length < np.inf:
                raise ValueError(f"{what}: {argument}: expected a number > 0, got {length}")
            lengths.append(length)
        self._contacts[name] = ContactRecord(name, law, contour_1, contour_2, int(number), *lengths)

    def build(
        self,
        initial: Mapping[str, ArrayLike] | None = None,
        velocities: Mapping[str, ArrayLike] | None = None,
        *,
        guess: Mapping[str, ArrayLike] | None = None,
        t: float = 0.0,
        name: str | None = None,
        parameters: Mapping[str, float] | None = None,
        parameter_info: Mapping[str, ParameterInfo] | None = None,
        rebuild: Callable[..., System] | None = None,
        period: float | None = None,
        penetration: float = 1e-9,
    ) -> MultibodySystem:
        """The system, checked.

        Parameters
        ----------
        initial : mapping of str to float
            Coordinates at the start; the name of a joint stands for all its coordinates. What is
            not given is where the frames of the joint coincide; where loops have to be closed,
            these coordinates move and the given ones do not; elastic bodies bend for that only
            where joints alone do not do.
        velocities : mapping of str to float
            The same for velocities.
        guess : mapping of str to float
            Coordinates that may move to close loops: tells which way they close.
        t : float
            Time of the start, s.
        name, parameters, parameter_info, rebuild, period : optional
            As for :class:`LinearSystem`.
        penetration : float
            m, how deep shapes of :meth:`Body.shape` may lie within each other at the start.

        Warns
        -----
        ModelWarning
            Markers and contours that nothing uses.

        Raises
        ------
        ValueError
            Bodies without joint, directions without inertia, contours whose planes do not
            coincide, loops that cannot be closed, penetration at the start; each named.
        """
        check_names(initial=initial, velocities=velocities, guess=guess)
        warn_unused(self)
        return MultibodySystem(
            self._copy(),
            initial=dict(initial or {}),
            velocities=dict(velocities or {}),
            guess=dict(guess or {}),
            t=t,
            name=self.name if name is None else name,
            parameters=parameters,
            parameter_info=parameter_info,
            rebuild=rebuild,
            period=period,
            penetration=as_number("penetration", penetration),
        )

    @classmethod
    def from_urdf(
        cls,
        path: str | os.PathLike[str],
        *,
        base: Joint | None = None,
        gravity: ArrayLike = (0, 0, -9.81),
        stops: ContactLaw | None = None,
        shapes: bool = False,
        mesh_folder: str | os.PathLike[str] | None = None,
        max_mesh_bytes: int = MAX_BYTES,
    ) -> Model:
        """Links, inertias and joints of a URDF file, with what it says of losses and limits.

        Needs yourdfpy (``pip install nsmb[urdf]``).

        Parameters
        ----------
        path : path
        base : Joint, optional
            Between ground and root link; default fixed.
        gravity : array_like (3,)
            m/s²; URDF does not know it.
        stops : ContactLaw, optional
            Law of the limits of joints, as ``nsmb.ContactLaw(e_N=0.2)``, which URDF does not
            know; None: limits are left out.
        shapes : bool
            Spheres, boxes, cylinders and meshes of ``<collision>`` become shapes of the bodies,
            which touch by :meth:`collide`. Files of meshes are read as by
            :meth:`nsmb.geometry.TriangleMesh.from_file`; those that cannot be are left out.
        mesh_folder : path, optional
            Folder that meshes may lie in; default: that of the URDF file. ``package://name/path``
            is the file ``path`` in it, or in its folder ``name``. Names and links that lead out of
            it are not followed.
        max_mesh_bytes : int
            Larger files of meshes are left out; default 256 MiB.

        Warns
        -----
        ModelWarning
            Names links whose collision shapes, and joints whose limits are left out.

        Raises
        ------
        ValueError
            For joints or losses that are not known here.
        ImportError
            Without yourdfpy.
        """
        foot = Fixed() if base is None else base
        meshes = MeshFolder.of(path, mesh_folder, max_mesh_bytes)
        return read_urdf(cls(gravity), path, foot, stops, meshes if shapes else None)

    def _copy(self) -> Model:
        """Records are shared, lists of them are not."""
        twin = copy.copy(self)
        for key, value in vars(self).items():
            if isinstance(value, dict | set):
                setattr(twin, key, copy.copy(value))
        twin.ground = Body(GROUND, twin)
        return twin
