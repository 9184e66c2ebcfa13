"""Models of bodies, joints, contacts and force elements."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from nsmb.common.arguments import as_instance, as_mapping, as_number, left_out
from nsmb.common.frames import Frame
from nsmb.common.plain_files import MAX_BYTES
from nsmb.gears import ElasticTeeth, GearPair, GearTrain
from nsmb.geometry.shapes.base import Shape
from nsmb.geometry.shapes.triangles import TriangleMesh
from nsmb.multibody.areal import ElasticLayer, ElasticSurface
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.body_records import body_record, elastic_record
from nsmb.multibody.checks import check_names
from nsmb.multibody.contact_records import check_owner, contact_record
from nsmb.multibody.deformable import Deformable
from nsmb.multibody.force_records import (
    friction_record,
    gap_force_record,
    law_record,
    load_record,
    user_force_record,
)
from nsmb.multibody.foundation_records import foundation_record
from nsmb.multibody.handles import Body, Handle, JointHandle, StopHandles
from nsmb.multibody.joints import Fixed, Joint, OnCurve, Rod
from nsmb.multibody.laws import Law, Sign, SpringDamper
from nsmb.multibody.motion import Motion, breaks, check_motion
from nsmb.multibody.parts import GROUND, ContourOnBody, JointRecord, Marker, ShapeOnBody
from nsmb.multibody.register import Register
from nsmb.multibody.stops import stop_record
from nsmb.multibody.surface_records import surface_contact_records, surface_law
from nsmb.multibody.system import MultibodySystem, warn_unused
from nsmb.multibody.urdf import read_urdf
from nsmb.multibody.urdf_meshes import MeshFolder
from nsmb.multibody.user_force import CoreForce, ForceInput
from nsmb.system.base import ParameterInfo, System
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.discontinuities import Discontinuity
from nsmb.system.forces import GapForce
from nsmb.system.inputs import Input

__all__ = ["Model"]


class Model:
    """Bodies, joints, force elements and contacts, from which :meth:`build` makes a system.

    Planar systems live in the x-y plane: places are (x, y), angles turn about e_z.

    Each ``add_`` method returns a handle. A handle is the name of the part, a string, and therefore
    a key wherever a name is expected: in other calls of the model, in the start and in results.
    Functions that need a system also take a model, which they build with its default start.

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
    >>> hinge = m.add_joint("hinge", nsmb.joints.Revolute(), m.ground, rod, at=(0, 0.2))
    >>> tip = rod.contour("tip", nsmb.geometry.Circle(0.01), at=(0.3, 0))
    >>> floor = m.ground.contour("floor", nsmb.geometry.Line())
    >>> bump = m.add_contact(tip, floor, law=nsmb.ContactLaw(e_N=0.5), name="bump")
    >>> sol = nsmb.simulate(m.build(initial={hinge: 0.3}), t_end=1.0)
    >>> sol.contacts[bump].events[0].kind.label
    'impact'
    >>> bool(sol[hinge].min() < -0.6)
    True
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, 0.0), *, name: str = "model") -> None:
        self.name = name
        self._records = Blueprint(gravity)
        self._register = Register(self._records)
        self.ground = Body._of(self._register, GROUND)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies, without the ground."""
        return tuple(Body._of(self._register, name) for name in self._records.bodies)

    def __repr__(self) -> str:
        bodies, joints = len(self._records.bodies), len(self._records.joints)
        return f"<{self.name}: {bodies} bodies, {joints} joints>"

    def add_body(
        self,
        name: str,
        *,
        mass: float = 0.0,
        inertia: ArrayLike = 0.0,
        center: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a rigid body.

        Parameters
        ----------
        name : str
        mass : float
            kg; 0 for a part without inertia where something heavy moves with it.
        inertia : float, (3,) or (3, 3)
            kg m², about the centre of mass, axes of the body frame. A number is the moment about
            e_z of a flat body, of which the other two take half each; (3,) is a diagonal.
        center : array_like (2,) or (3,)
            Centre of mass in the body frame, m.

        Raises
        ------
        ValueError
            For a name given twice, a negative mass, and an inertia that no body has.
        """
        what = self._register.new_body(name)
        self._records.bodies[name] = body_record(what, name, mass, inertia, center)
        return Body._of(self._register, name)

    def add_solid(
        self,
        name: str,
        shape: Shape,
        density: float,
        *,
        material: str = "",
        group: str = "",
    ) -> Body:
        """Add a rigid body that fills a shape, with the mass, centre and inertia of the shape.

        Parameters
        ----------
        name : str
        shape : Shape
            One of :mod:`nsmb.geometry` with a finite volume; becomes the shape ``"solid"`` of the
            body, in the body frame.
        density : float
            kg/m³
        material, group : str
            As for :meth:`Body.shape`.

        Raises
        ------
        ValueError
            For a name given twice, something else than a shape, a density that is not positive, and
            a shape without finite volume.
        """
        what = self._register.new_body(name)
        if not isinstance(shape, Shape):
            raise ValueError(f"{what}: expected one of nsmb.geometry, got {shape!r}")
        p = shape.mass_properties(as_number(f"{what}: density", density))
        body = self.add_body(name, mass=p.mass, inertia=p.inertia, center=p.center)
        body.shape("solid", shape, material=material, group=group)
        return body

    def add_elastic_body(
        self,
        name: str,
        elastic: Deformable,
        *,
        mass: float = 0.0,
        inertia: ArrayLike = 0.0,
        center: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a body that deforms, with coordinates ``"name.q1"``, ``"name.q2"``, ...

        Everything attached to a slender body moves with the cross-section it is in; its place `at`
        is that on the undeformed body, or a number, the coordinate along its axis. On a
        :class:`nsmb.flexible.FlexibleBody` it moves with a node: `at` is its number, its name, or
        its place.
        What hangs on a joint is its frame: the functions have to vanish there as far as the joint
        holds the body.

        Parameters
        ----------
        name : str
            None of a joint.
        elastic : nsmb.flexible.Torsion, nsmb.flexible.Bending or nsmb.flexible.FlexibleBody
        mass, inertia, center : float, array_like
            As for :meth:`add_body`, of what is rigid and fixed to its frame, besides the mass and
            inertia of `elastic` itself. What is fixed elsewhere is a body of its own on a joint
            ``Fixed``.

        Raises
        ------
        ValueError
            For a name given twice, something that is not elastic, a negative mass, and an inertia
            that no body has.

        Examples
        --------
        A disc on a shaft:

        >>> import nsmb
        >>> m = nsmb.Model()
        >>> twist = nsmb.flexible.Torsion(2.0, 3e5, 0.09, nsmb.flexible.sines(2, "fixed-free"))
        >>> shaft = m.add_elastic_body("shaft", twist, inertia=0.25)
        >>> turn = m.add_joint("turn", nsmb.joints.Revolute(), m.ground, shaft)
        >>> disc = m.add_body("disc", mass=20.0, inertia=0.4)
        >>> hub = m.add_joint("hub", nsmb.joints.Fixed(), shaft, disc, at=1.5)
        >>> m.build().coordinates
        ('turn', 'shaft.q1', 'shaft.q2')
        """
        what = self._register.new_body(name)
        if name in self._records.joints or name in self._records.loops:
            raise ValueError(f"{what}: expected a name that no joint has, as both name coordinates")
        rigid = body_record(what, name, mass, inertia, center)
        self._records.bodies[name] = elastic_record(what, elastic, rigid)
        self._records.elastic[name] = elastic
        return Body._of(self._register, name)

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
    ) -> JointHandle:
        """Add a joint from frame F on `body_1` to frame G on `body_2`, which hangs on it.

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

        Returns
        -------
        JointHandle
            The name, with those of its coordinates and velocities.

        Raises
        ------
        ValueError
            When the joint would close a loop, when `body_2` hangs on another joint already, for a
            name given twice.
        """
        what = self._register.new_name("joint", name)
        if not isinstance(joint, Joint) or isinstance(joint, Rod | OnCurve):
            raise ValueError(
                f"{what}: expected a joint with coordinates of nsmb.joints, got {joint!r}"
            )
        first = self._register.place(body_1, at, angle)
        second = self._register.place(body_2, at_2, angle_2, "at_2")
        loop = self._records.way(first.body, second.body)
        if loop:
            raise ValueError(
                f"{what}: expected a tree of joints, got the loop {loop}; close it with "
                "add_loop instead"
            )
        if second.body == GROUND or self._records.joint_of(second.body) is not None:
            other = self._records.joint_of(second.body)
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
        self._register.add_discontinuities(what, discontinuities)
        self._records.hang(record)
        return JointHandle._of(name, joint.coordinates, joint._names()[2])

    def drive(
        self,
        coordinate: str,
        s: Motion,
        *,
        locked: bool,
        discontinuities: Sequence[Discontinuity] = (),
    ) -> None:
        """Prescribe the motion of a coordinate in time.

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
        name, k = self._register.coordinate(coordinate)
        record = self._records.joints[name]
        if any(other == k for other, _, _ in record.motions):
            raise ValueError(f"coordinate {coordinate!r}: expected one without motion yet")
        motion = check_motion(f"motion of {coordinate!r}", s)
        motions = (*record.motions, (k, motion, bool(locked)))
        self._register.add_discontinuities(
            f"motion of {coordinate!r}", [*discontinuities, *breaks(motion)]
        )
        self._records.joints[name] = dataclasses.replace(record, motions=motions)

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
    ) -> JointHandle:
        """Close a loop by bilateral constraints, which may be dependent.

        Parameters
        ----------
        name : str
        joint : Joint
            Fixed, Revolute, Prismatic, Cylindrical, Spherical, Universal, Planar, Rod or
            OnCurve.
        body_1, body_2, at, angle, at_2, angle_2
            As for :meth:`add_joint`; a fixed or prismatic joint keeps both frames parallel.

        Returns
        -------
        JointHandle
            The name, with those of its coordinates and velocities.

        Raises
        ------
        ValueError
            For a joint that cannot close a loop or a name given twice.
        """
        what = self._register.new_name("loop", name)
        if not isinstance(joint, Joint) or joint.rows is None:
            raise ValueError(f"{what}: expected a joint that can close a loop, got {joint!r}")
        first = self._register.place(body_1, at, angle)
        second = self._register.place(body_2, at_2, angle_2, "at_2")
        if first.body == second.body:
            raise ValueError(f"{what}: expected two bodies, got {first.body!r} twice")
        self._records.loops[name] = JointRecord(name, joint, first, second)
        return JointHandle._of(name)

    def add_stop(
        self,
        joint: str,
        lower: float = -np.inf,
        upper: float = np.inf,
        law: ContactLaw = ContactLaw(),  # noqa: B008 - immutable
        name: str = "",
    ) -> StopHandles:
        """Add limits of a joint as unilateral contacts without friction.

        Parameters
        ----------
        joint : str
            A coordinate, as ``"hinge"`` or ``"sleeve.shift"``; or a joint of :meth:`add_loop`,
            which has none of its own: a revolute, prismatic or cylindrical one, ``"loop.angle"`` or
            ``"loop.shift"`` of the latter. Measured from where both frames coincide; a motion
            prescribed besides counts.
        lower, upper : float
            m or rad; infinite where there is no limit. Of the angle of a loop both are needed, less
            than a full turn apart: it does not count turns.
        law : ContactLaw
            Its restitution ``e_N``; a limit has no friction.
        name : str
            Empty: ``"stop of joint"``. The contacts are ``"name.lower"`` and ``"name.upper"``.

        Returns
        -------
        StopHandles
            Names of the contacts of both limits.

        Raises
        ------
        ValueError
            For an unknown joint or one without such a coordinate, a locked one, limits that are
            none or in the wrong order, a law with friction, a name given twice.
        """
        if not isinstance(joint, str):
            raise ValueError(f"stop: joint: expected the name of a coordinate, got {joint!r}")
        what = self._register.new_name("stop", name := name or f"stop of {joint}")
        record = stop_record(
            what, name, joint, (lower, upper), law, self._records.joints, self._records.loops
        )
        self._records.stops[name] = record
        ends = [contact for contact, _, _ in record.sides()]
        lower_end, upper_end = (
            Handle(f"{name}.{end}") if f"{name}.{end}" in ends else None
            for end in ("lower", "upper")
        )
        return StopHandles(lower_end, upper_end)

    def add_joint_friction(self, name: str, velocity: str, bound: float) -> Handle:
        """Add dry friction in a joint, ``|τ| <= bound``.

        Parameters
        ----------
        name : str
        velocity : str
            As the coordinate: ``"hinge"``, ``"sleeve.x"``, ``"ball.omega_x"``.
        bound : float
            N or N m.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, an unknown velocity, a negative bound.
        """
        what = self._register.new_name("friction", name)
        self._records.frictions[name] = friction_record(what, name, velocity, bound, self._records)
        return Handle(name)

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
    ) -> Handle:
        """Add a unilateral contact of two contours in one plane, or of two shapes in space.

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

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For contours or shapes that are not of this model, on the same body, or that cannot
            touch: straight lines without ends, points; and for pairs of shapes that have no contact
            points of their own.
        """
        shapes = isinstance(contour_1, ShapeOnBody) and isinstance(contour_2, ShapeOnBody)
        if shapes:
            options = {"points": points, "search_distance": search_distance, "skin": skin}
            for argument, value in options.items():
                left_out(argument, value, "between shapes", "Give contours of Body.contour.")
        elif inside:
            raise ValueError("inside: expected False between contours, got True")
        for argument, given in (("contour_1", contour_1), ("contour_2", contour_2)):
            check_owner(argument, given, self._records)
        name = name or f"{contour_1.label}-{contour_2.label}"
        what = self._register.new_name("contact", name)
        if contour_1.place.body == contour_2.place.body:
            raise ValueError(f"{what}: expected two bodies, got {contour_1.place.body!r} twice")
        if isinstance(contour_1, ShapeOnBody) and isinstance(contour_2, ShapeOnBody):
            for record in surface_contact_records(
                what, name, law, contour_1, contour_2, bool(inside), self._register
            ):
                self._records.surface_contacts[record.name] = record
        elif isinstance(contour_1, ContourOnBody) and isinstance(contour_2, ContourOnBody):
            self._records.contacts[name] = contact_record(
                what, name, law, contour_1, contour_2, points, search_distance, skin
            )
        return Handle(name)

    def collide(
        self,
        law: ContactLaw | None = ContactLaw(),  # noqa: B008 - immutable
        materials: tuple[str, str] | None = None,
        *,
        mu_R: float = 0.0,
        mu_D: float = 0.0,
    ) -> None:
        """Let shapes of :meth:`Body.shape` collide, by a law for all or for two materials.

        Shapes touch where two materials have a law. Those of one body do not, nor those of two
        bodies that a joint other than Free and Planar joins, unless :meth:`let_touch` says so; the
        ground touches all that is not fixed to it. Stops, dry friction in joints and contacts of
        :meth:`add_contact` may be in the same model.

        Such a model runs event by event, or in steps by :class:`nsmb.Midpoint`. For events each
        pair of shapes gets contact points with names, ``"body.shape-other.shape[0]"``, ... in
        ``Solution.system``. Cylinders that touch anything but half-spaces and spheres, resistance
        to rolling and drilling, and very many shapes need steps; the error says so.

        Parameters
        ----------
        law : ContactLaw or None
            None: these two materials pass through each other.
        materials : (str, str), optional
            Names as given to :meth:`Body.shape`, in any order; may be the same. Default: all pairs
            that have no law of their own.
        mu_R, mu_D : float
            m, resistance to rolling and to drilling: moments up to ``mu_R`` and ``mu_D`` times the
            normal force.

        Raises
        ------
        ValueError
            For something else than a law, and materials with two laws.

        Examples
        --------
        A ball on the ground:

        >>> import nsmb
        >>> m = nsmb.Model(gravity=(0, 0, -9.81))
        >>> ball = m.add_solid("ball", nsmb.geometry.Sphere(0.1), density=1000.0)
        >>> free = m.add_joint("free", nsmb.joints.Free(), m.ground, ball)
        >>> _ = m.ground.shape("floor", nsmb.geometry.HalfSpace())
        >>> m.collide(nsmb.ContactLaw(mu=0.3))
        >>> system = m.build(initial={"free": (0, 0, 0.1, 1, 0, 0, 0)})
        >>> system.find_contacts(0.0, system.initial_state.q).shapes
        (('ground.floor', 'ball.solid'),)
        >>> nsmb.simulate(system, t_end=0.1).system.contact_names
        ('ground.floor-ball.solid',)
        """
        key, record = surface_law(law, materials, mu_R, mu_D, self._records)
        self._records.surface_laws[key] = record

    def let_pass(self, first: Body | str, second: Body | str) -> None:
        """Let shapes of two bodies, or of two groups, pass through each other.

        Parameters
        ----------
        first, second : Body or str
            Bodies, ``model.ground`` among them, or names of groups as given to
            :meth:`Body.shape`; twice the same group: its shapes do not touch each other.

        Raises
        ------
        ValueError
            For a body and a group, the same body twice, or a body of another model.
        """
        is_group = [
            isinstance(part, str) and not isinstance(part, Body) for part in (first, second)
        ]
        if all(is_group):
            self._records.passing_groups.add((min(first, second), max(first, second)))
            return
        self._records.passing_bodies.add(
            self._register.pair_of_bodies(first, second, " or two names of groups")
        )

    def let_touch(self, body_1: Body, body_2: Body) -> None:
        """Let shapes of two bodies touch although a joint connects the bodies.

        Raises
        ------
        ValueError
            For the same body twice, or a body of another model.
        """
        self._records.touching_bodies.add(self._register.pair_of_bodies(body_1, body_2))

    def add_spring_damper(
        self,
        name: str,
        body_1: Body | Marker,
        body_2: Body | Marker,
        *,
        c: float,
        d: float = 0.0,
        free_length: float,
        preload: float = 0.0,
        sign: Sign = "tension",
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
    ) -> Handle:
        """Add a spring and a damper along the line between two points (3.12)-(3.15).

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`.
        c, d : float
            Stiffness in N/m and damping in N s/m.
        free_length : float
            m, where the spring does nothing but `preload`.
        preload : float
            N, force at the free length.
        sign : {"tension", "pressure"}
            Which preload is positive: one that pulls the points together, or one that pushes them
            apart. The spring is the same.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, places or numbers that are none.
        """
        law = SpringDamper(c, d, free_length, preload)
        return self.add_force(name, body_1, body_2, law, sign=sign, at=at, at_2=at_2)

    def add_force(
        self,
        name: str,
        body_1: Body | Marker,
        body_2: Body | Marker,
        law: Law,
        *,
        sign: Sign = "tension",
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
        discontinuities: Sequence[Discontinuity] = (),
        inputs: Sequence[Input] = (),
    ) -> Handle:
        """Add a force along the line between two points, by a law of your own.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`.
        law : callable (t, γ, γ̇) -> ζ, or ForceTable, or Input
            γ is the distance in m, ζ the force in N. An input is ζ itself.
        sign : {"tension", "pressure"}
            ζ > 0 pulls the points together (11.6), or pushes them apart (3.12).
        discontinuities : sequence of float and Repeating
            Times, in s, at which the law jumps or bends.
        inputs : sequence of Input
            The law is handed their values behind its other arguments: ``law(t, γ, γ̇, valve)``.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, places or laws that are none.
        """
        what = self._register.new_name("force", name)
        places = (
            self._register.place(body_1, at),
            self._register.place(body_2, at_2, 0.0, "at_2"),
        )
        record = law_record(what, name, law, sign, places, inputs, self._records)
        self._register.add_discontinuities(what, discontinuities)
        self._records.laws[name] = record
        return Handle(name)

    def add_torsion_spring(
        self,
        name: str,
        coordinate: str,
        *,
        c: float,
        d: float = 0.0,
        free_angle: float = 0.0,
        preload: float = 0.0,
    ) -> Handle:
        """Add ``-c (q - free_angle) - d q̇ + preload`` to the force on a joint coordinate.

        Parameters
        ----------
        name : str
        coordinate : str
            As ``"hinge"`` or ``"sleeve.phi"``; for a translation the units are those of a spring.
        c, d : float
            N m/rad, N m s/rad.
        free_angle : float
            rad.
        preload : float
            N m, drives the coordinate forward if positive.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, an unknown coordinate, or numbers that are none.
        """
        return self.add_joint_force(name, coordinate, SpringDamper(c, d, free_angle, preload))

    def add_joint_force(
        self,
        name: str,
        coordinate: str,
        law: Law,
        *,
        discontinuities: Sequence[Discontinuity] = (),
        inputs: Sequence[Input] = (),
    ) -> Handle:
        """Add a force on a joint coordinate, by a law of your own; positive drives it forward.

        Parameters
        ----------
        name : str
        coordinate : str
        law : callable (t, q, q̇) -> ζ, or ForceTable, or Input
            ζ in N or N m is the force on the coordinate: that of a motor is positive, that of a
            spring negative beyond its rest. An input is ζ itself.
        discontinuities : sequence of float and Repeating
            Times, in s, at which the law jumps or bends.
        inputs : sequence of Input
            The law is handed their values behind its other arguments: ``law(t, q, q̇, gain)``.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, an unknown coordinate, or a law that is none.
        """
        what = self._register.new_name("force", name)
        self._register.coordinate(coordinate)
        record = law_record(what, name, law, "pressure", coordinate, inputs, self._records)
        self._register.add_discontinuities(what, discontinuities)
        self._records.laws[name] = record
        return Handle(name)

    def add_gap_force(
        self,
        name: str,
        law: GapForce,
        body_1: Body | Marker | None = None,
        body_2: Body | Marker | None = None,
        *,
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
        coordinate: str = "",
        rest: float = 0.0,
        direction: int | None = None,
    ) -> Handle:
        """Add a one-sided spring and damper (3.16)-(3.23), between points or on a coordinate.

        Parameters
        ----------
        name : str
        law : GapForce
            Over γ: the distance minus `rest`, or ``direction (q - rest)``.
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`; or
        coordinate : str
            of a joint.
        rest : float
            m or rad, where the bodies touch.
        direction : {1, -1}, optional
            On a coordinate: the side on which they are apart, by default 1.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, places and coordinates that are none, both or neither.
        """
        what = self._register.new_name("force", name)
        self._records.switches[name] = gap_force_record(
            what, name, law, (body_1, body_2), (at, at_2), coordinate, rest, direction,
            self._register,
        )  # fmt: skip
        return Handle(name)

    def add_load(
        self,
        name: str,
        body: Body | Marker,
        function: Callable[..., Any],
        *,
        at: Frame | ArrayLike | None = None,
        discontinuities: Sequence[Discontinuity] = (),
        inputs: Sequence[Input] = (),
    ) -> Handle:
        """Add a force and a moment on a body, by a function.

        Parameters
        ----------
        name : str
        body, at
            Where the force acts, as for :meth:`add_joint`.
        function : callable (t, r, A, v, Omega) -> force (3,), or (force (3,), moment (3,))
            Of place r, orientation A, velocity v and angular velocity of that frame; everything in
            components of the inertial frame.
        discontinuities : sequence of float and Repeating
            Times, in s, at which the function jumps or bends: a load that is switched. A run stops
            there and goes on behind; what is not named here may be stepped over.
        inputs : sequence of Input
            The function is handed their values behind its other arguments:
            ``function(t, r, A, v, Omega, thrust)``.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, or something that is no function.
        """
        what = self._register.new_name("load", name)
        place = self._register.place(body, at)
        record = load_record(what, name, function, place, inputs, self._records)
        self._register.add_discontinuities(what, discontinuities)
        self._records.loads[name] = record
        return Handle(name)

    def add_user_force(
        self,
        name: str,
        element: CoreForce | Callable[[ForceInput], Any],
        on: Sequence[Body | Marker] = (),
        *,
        at: Sequence[Frame | ArrayLike | None] | None = None,
        coordinates: Sequence[str] = (),
        states: Mapping[str, float] | None = None,
        rates: Callable[[ForceInput], ArrayLike] | None = None,
        watched: Mapping[str, bool] | None = None,
        watch: Callable[[ForceInput], ArrayLike] | None = None,
        energy: Callable[[ForceInput], float] | None = None,
        resolution: float = 1e-9,
        discontinuities: Sequence[Discontinuity] = (),
    ) -> Handle:
        """Add a force element of your own, with states and modes, between any number of places.

        Its states are ``name.state`` in ``system.states``, its modes ``name.watched`` there, as 0
        and 1, and in ``system.elements``.

        Parameters
        ----------
        name : str
        element : UserForce, symbolic.BodyForce or callable (now) -> forces
            An element, or the function of :meth:`nsmb.UserForce.force`; `now` is a
            :class:`nsmb.ForceInput`.
        on : sequence of Body and Marker
            The places it acts on.
        at : sequence, optional
            Where on the bodies of `on`, as for :meth:`add_joint`.
        coordinates : sequence of str
            Joint coordinates it acts on.
        states, rates, watched, watch, energy, resolution
            With a function: the rest of what :class:`nsmb.UserForce` has.
        discontinuities : sequence of float and Repeating
            Times, in s, at which the element jumps or bends.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, places or coordinates that are none, functions that cannot be
            called with what they are given; by :meth:`build` for names or numbers of the element.
        """
        what = self._register.new_name("force element", name)
        functions = {
            "rates": rates, "watch": watch, "energy": energy, "states": states, "watched": watched,
        }  # fmt: skip
        record = user_force_record(
            what, name, element, on, at, coordinates, functions, resolution, self._register
        )
        self._register.add_discontinuities(
            what, (*discontinuities, *record.element.discontinuities)
        )
        self._records.elements[name] = record
        return Handle(name)

    def add_elastic_foundation(
        self,
        name: str,
        body_1: Body | Marker,
        surface_1: TriangleMesh | ElasticSurface,
        body_2: Body | Marker,
        surface_2: TriangleMesh | ElasticSurface,
        *,
        stiffness: float | None = None,
        layers: Sequence[ElasticLayer | None] | None = None,
        damping: float | None = None,
        transition_depth: float | None = None,
        mu: float | None = None,
        switch_velocity: float | None = None,
        elements: Literal["clipped", "barycentre"] = "clipped",
        base: Literal["both", "first", "second"] = "both",
        velocity: Literal["barycentric", "average"] = "barycentric",
        depth: float = 0.0,
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
    ) -> Handle:
        """Add a contact of two closed meshes as a pressure over an area, by an elastic layer.

        The pressure is c_l δ with the depth δ at which one surface is in the layer of the other
        one; damping d_l v_n grows with the depth up to `transition_depth`; there is no tension;
        friction is μ times the normal force against the sliding velocity, less below
        `switch_velocity`, (6.1)-(6.8). What acts at an instant says
        :meth:`MultibodySystem.areal_contact`.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The bodies and where the frames of their meshes are, as for :meth:`add_joint`. Surfaces
            that deform are in the frame of their body.
        surface_1, surface_2 : nsmb.geometry.TriangleMesh or ElasticSurface
            Closed, not intersecting themselves.
        stiffness : float
            c_l, N/m³; or
        layers : two of ElasticLayer, or None for a rigid body
            of which it follows, (6.2), (6.3).
        damping : float, optional
            d_l, N s/m³, by default none.
        transition_depth : float, optional
            δ_d, m, by default 0; only with `damping`.
        mu : float, optional
            Friction coefficient μ, by default none.
        switch_velocity : float, optional
            v_ε, by default 1e-3 m/s; only with `mu`.
        elements : {"clipped", "barycentre"}
            The base clipped at the cells of the layer, pressure integrated exactly: force and
            moment are continuous in the motion, and the layer has an energy. Or whole triangles of
            the base whose middle is in the target, by the line through it: the force jumps where
            triangles come and go.
        base : {"both", "first", "second"}
            Whose triangles are the elements; both: half of each, symmetric in the bodies.
        velocity : {"barycentric", "average"}
            Of points of a surface that deforms: by area coordinates, conjugate to the forces; or
            the mean of what its three vertices say (6.11)-(6.14).
        depth : float
            m, of the layer: bodies may be in each other by so much, what is deeper is lost. 0: for
            each mesh half of its volume over its area, a quarter of the thickness of a plate.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, meshes that are open, inside out or intersect themselves, the
            message says where; surfaces of other bodies, and numbers that are none.

        Examples
        --------
        A box of 2 kg on one that stands still:

        >>> import nsmb
        >>> box = nsmb.geometry.box_mesh((1.0, 1.0, 1.0))
        >>> m = nsmb.Model(gravity=(0, 0, -10.0))
        >>> body = m.add_body("body", mass=2.0, inertia=(1.0, 1.0, 1.0))
        >>> free = m.add_joint("free", nsmb.joints.Free(), m.ground, body)
        >>> layer = m.add_elastic_foundation("layer", m.ground, box, body, box, stiffness=2e5)
        >>> system = m.build(initial={"free": (0, 0, 1 - 1e-4, 1, 0, 0, 0)})
        >>> start = system.initial_state
        >>> contact = system.areal_contact("layer", 0.0, start.q, start.u)
        >>> f"{-contact.force[2]:.2f} N on {contact.area:.3f} m²"
        '20.00 N on 1.000 m²'
        """
        what = self._register.new_name("elastic foundation", name)
        places = (
            self._register.place(body_1, at),
            self._register.place(body_2, at_2, 0.0, "at_2"),
        )
        moved = (
            at is not None or isinstance(body_1, Marker),
            at_2 is not None or isinstance(body_2, Marker),
        )
        options = {
            "stiffness": stiffness, "layers": layers, "damping": damping,
            "transition_depth": transition_depth, "mu": mu, "switch_velocity": switch_velocity,
            "elements": elements, "base": base, "velocity": velocity, "depth": depth,
        }  # fmt: skip
        self._records.elements[name] = foundation_record(
            what, name, (surface_1, surface_2), places, moved, options, self._records.elastic
        )
        return Handle(name)

    def add_gear_pair(
        self,
        name: str,
        body_1: Body | Marker,
        body_2: Body | Marker,
        pair: GearPair,
        *,
        at: Frame | ArrayLike | None = None,
        at_2: Frame | ArrayLike | None = None,
        phases: tuple[float, float] = (0.0, 0.0),
        teeth: ElasticTeeth | None = None,
        spins: tuple[float, float] = (0.0, 0.0),
        events: bool = True,
    ) -> Handle:
        """Add the contact of the teeth of two gears, a force element.

        Its modes ``name.left`` and ``name.right`` say which flanks touch. Energy is that of
        pressed flanks and of springs of teeth; what a stiffness that changes along the path of
        contact gives and takes is no loss and not in it.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The gears, as for :meth:`add_joint`: their axes are the z axes there, their middle
            planes in the origins.
        pair : nsmb.gears.GearPair
        phases : (float, float)
            rad, middles of teeth from the x axes, as :meth:`nsmb.gears.GearPair.phases` finds them.
        teeth : nsmb.gears.ElasticTeeth, optional
            None: rigid teeth.
        spins : (float, float)
            rad/s, at the start, of teeth with mass.
        events : bool
            Whether flanks that touch and part are events.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, places or numbers that are none.
        """
        as_instance(f"force element {name!r}: pair", pair, GearPair)
        names = ("gear_1", "gear_2")
        train = GearTrain(
            gears=dict(zip(names, (pair.gear_1, pair.gear_2), strict=True)),
            meshes={"": (*names, pair)},
            phases=dict(zip(names, phases, strict=True)),
            teeth=teeth,
            spins=dict(zip(names, spins, strict=True)),
            events=events,
        )
        return self.add_user_force(name, train, (body_1, body_2), at=(at, at_2))

    def add_gear_train(
        self,
        name: str,
        bodies: Mapping[str, Body | Marker],
        train: GearTrain,
        *,
        at: Sequence[Frame | ArrayLike | None] | None = None,
    ) -> Handle:
        """Add gears of which pairs are in mesh, a force element.

        Parameters
        ----------
        name : str
        bodies : mapping of str to Body and Marker
            By names of gears; several may be on one body.
        train : nsmb.gears.GearTrain
        at : sequence, optional
            Where on the bodies, as for :meth:`add_gear_pair`, in the order of the train's gears.

        Returns
        -------
        Handle
            The name.

        Raises
        ------
        ValueError
            For a name given twice, gears without body, places that are none.
        """
        what = f"force element {name!r}"
        as_instance(f"{what}: train", train, GearTrain)
        given = as_mapping(f"{what}: bodies", bodies, "bodies")
        if set(given) != set(train.names):
            raise ValueError(
                f"{what}: bodies: expected one for each of {list(train.names)}, got {list(given)}"
            )
        return self.add_user_force(name, train, [given[gear] for gear in train.names], at=at)

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
        """Build the system and check it.

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
        warn_unused(self._records)
        return MultibodySystem(
            self._records.copy(),
            initial=_by_name(initial),
            velocities=_by_name(velocities),
            guess=_by_name(guess),
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
        """Read links, inertias, joints, losses and limits from a URDF file.

        Needs yourdfpy (``pip install nsmb[io]``).

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


def _by_name(values: Mapping[str, ArrayLike] | None) -> dict[str, Any]:
    """Return the values by names alone: handles know their model, which a system does not keep."""
    return {str(key): value for key, value in (values or {}).items()}
