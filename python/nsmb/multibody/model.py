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
    """A model of bodies, joints, forces and contacts, from which :meth:`build` makes a system.

    Planar systems lie in the x-y plane: positions are (x, y), and angles are about e_z.

    Each ``add_`` method returns a handle: the name of the part, as a string. A handle can therefore
    be used wherever a name is expected: in other calls of the model, in the initial state and in
    results. Functions that take a system also accept a model and build it with its default initial
    state.

    Parameters
    ----------
    gravity : array_like (3,) or (2,)
        Gravitational acceleration, m/s².
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
        """All bodies except the ground."""
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
            Mass in kg. It may be 0 for a part that always moves together with some mass.
        inertia : float, (3,) or (3, 3)
            Inertia about the centre of mass in axes of the body frame, kg m². A number is the
            moment about e_z of a flat body, whose other two moments are half of it. (3,) is a
            diagonal.
        center : array_like (2,) or (3,)
            Centre of mass in the body frame, m.

        Raises
        ------
        ValueError
            If the name is in use, the mass is negative, or no body can have this inertia.
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
        """Add a rigid body that fills a shape and has its mass, centre of mass and inertia.

        Parameters
        ----------
        name : str
        shape : Shape
            A shape of :mod:`nsmb.geometry` with finite volume. It becomes the shape ``"solid"`` of
            the body, in the body frame.
        density : float
            Density, kg/m³.
        material, group : str
            As for :meth:`Body.shape`.

        Raises
        ------
        ValueError
            If the name is in use, the argument is not a shape, the density is not positive, or the
            shape has no finite volume.
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
        """Add a deformable body with coordinates ``"name.q1"``, ``"name.q2"``, ...

        Parts attached to a slender body move with their cross-section. `at` is then a position on
        the undeformed body, or a number, the coordinate along its axis. On a
        :class:`nsmb.flexible.FlexibleBody`, parts move with a node. `at` is then the number, name
        or position of the node. A joint holds the frame of the body. At this frame, the shape
        functions must vanish in all directions that the joint constrains.

        Parameters
        ----------
        name : str
            Must differ from the names of all joints.
        elastic : nsmb.flexible.Torsion, nsmb.flexible.Bending or nsmb.flexible.FlexibleBody
        mass, inertia, center : float, array_like
            Rigid mass fixed to the frame of the body, as for :meth:`add_body`. The mass and inertia
            of `elastic` are added. Mass fixed elsewhere is a separate body on a ``Fixed`` joint.

        Raises
        ------
        ValueError
            If the name is in use, `elastic` is not an elastic body, the mass is negative, or no
            body can have this inertia.

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
            raise ValueError(
                f"{what}: must have a name that no joint has, since both name coordinates"
            )
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
        """Add a joint from frame F on `body_1` to frame G on `body_2`, its successor.

        Parameters
        ----------
        name : str
            Prefix of the coordinate names.
        joint : Joint
            A joint of :mod:`nsmb.joints`.
        body_1, body_2 : Body or Marker
            The two bodies, one of which may be ``model.ground``. A marker gives the body and `at`.
        at, at_2 : Frame or array_like
            Position on each body: a frame, or its origin (x, y) or (x, y, z). The default is the
            origin of the body.
        angle, angle_2 : float
            Rotation of each frame about its e_z, rad.
        motion : callable t -> (s, ṡ, s̈), Polynomial, or sequence of (time, Polynomial), optional
            Prescribed motion of a joint with one coordinate, which is then no longer a coordinate.
            For other joints see :meth:`drive`.
        discontinuities : sequence of float and Repeating
            Times in s at which s̈ jumps or has a kink. Boundaries between polynomials are added
            automatically.

        Returns
        -------
        JointHandle
            Handle of the joint, with the names of its coordinates and velocities.

        Raises
        ------
        ValueError
            If the joint would close a loop, `body_2` is already attached to another joint, or the
            name is in use.
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
                f"{what}: must form a tree with the other joints, got the loop {loop}. Close it "
                "with add_loop instead."
            )
        if second.body == GROUND or self._records.joint_of(second.body) is not None:
            other = self._records.joint_of(second.body)
            taken = "the ground" if other is None else f"a body attached to {other.name!r}"
            raise ValueError(
                f"{what}: second body: must not be attached to another joint, got {taken}. "
                "Exchange the two bodies."
            )
        record = JointRecord(name, joint, first, second)
        if motion is not None:
            names, _, velocities = joint._names()
            if len(names) != 1 or names[0] not in velocities:
                raise ValueError(
                    f"{what}: motion: must be given to a joint with one coordinate, got "
                    f"{joint!r}. Use Model.drive."
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
            A name such as ``"hinge"`` or ``"sleeve.x"``, of a translation or an angle.
        s : callable t -> (s, ṡ, s̈), numpy.polynomial.Polynomial, or sequence of pairs of these
            Polynomials in t run without Python. In pairs (time, Polynomial), each polynomial holds
            from its time on. It must continue the previous one in value and velocity.
        locked : bool
            If True, the coordinate equals s(t) and is no longer a coordinate of the system.
            Otherwise s(t) is added to it, as for a moving support.
        discontinuities : sequence of float and Repeating
            Times in s at which s̈ jumps or has a kink. Boundaries between polynomials are added
            automatically.

        Raises
        ------
        ValueError
            If the coordinate is unknown or already has a motion, or the derivatives contradict s.
        """
        name, k = self._register.coordinate(coordinate)
        record = self._records.joints[name]
        if any(other == k for other, _, _ in record.motions):
            raise ValueError(f"coordinate {coordinate!r}: must not have a prescribed motion yet")
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
        """Close a loop by bilateral constraints, which may be redundant.

        Parameters
        ----------
        name : str
        joint : Joint
            Fixed, Revolute, Prismatic, Cylindrical, Spherical, Universal, Planar, Rod or OnCurve.
        body_1, body_2, at, angle, at_2, angle_2
            As for :meth:`add_joint`. A fixed or prismatic joint keeps both frames parallel.

        Returns
        -------
        JointHandle
            Handle of the joint, which has no coordinates.

        Raises
        ------
        ValueError
            If the joint cannot close a loop, or the name is in use.
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
        """Add limits to a joint as unilateral contacts without friction.

        Parameters
        ----------
        joint : str
            A coordinate such as ``"hinge"`` or ``"sleeve.shift"``, or a joint of :meth:`add_loop`,
            which has no coordinates. This joint is revolute, prismatic or cylindrical. For a
            cylindrical joint, give ``"loop.angle"`` or ``"loop.shift"``. The coordinate is zero
            where both frames coincide and includes prescribed motion.
        lower, upper : float
            Limits in m or rad, infinite for no limit. For the angle of a loop both are required and
            must be less than one full rotation apart, since the angle does not count rotations.
        law : ContactLaw
            Law with the restitution ``e_N``; a limit has no friction.
        name : str
            Name of the limits, by default ``"stop of joint"``. The contacts are ``"name.lower"``
            and ``"name.upper"``.

        Returns
        -------
        StopHandles
            Names of the contacts of the two limits.

        Raises
        ------
        ValueError
            If the joint is unknown, lacks such a coordinate or is locked, or the name is in use.
            Also if the limits are invalid or in the wrong order, or the law has friction.
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
            A velocity named like its coordinate: ``"hinge"``, ``"sleeve.x"``, ``"ball.omega_x"``.
        bound : float
            Bound of the friction force, N or N m.

        Returns
        -------
        Handle
            Handle of the friction.

        Raises
        ------
        ValueError
            If the name is in use, the velocity is unknown, or the bound is negative.
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
        """Add a unilateral contact between two contours in one plane or two shapes in space.

        Pairs of shapes must have permanent contact points, each on a smooth surface. Supported are
        a sphere on a half-space, and a sphere on or inside a sphere or an infinite cylinder. On a
        half-space, also corners of boxes and hulls, rims of cylinders and ends of capsules are
        supported. For shapes that may touch anywhere, use :meth:`collide`.

        Parameters
        ----------
        contour_1, contour_2 : ContourOnBody or ShapeOnBody
            Contours from :meth:`Body.contour`, or from :meth:`Body.boundary` of a flexible body;
            the tangent is that of contour 1. Or shapes from :meth:`Body.shape`; the tangents follow
            e_x of a half-space and e_z of a cylinder. Those of two spheres are fixed in the first
            for a fixed normal, and depend smoothly on it.
        law : ContactLaw
        name : str
            Name of the contact, by default the names of both contours.
        points : int, optional
            Maximum number of simultaneous contact points, named ``name[0]``, ``name[1]``, ... The
            default is 1 for convex contours without corners. For a point or a disc on straight
            pieces, it is one for each piece and, for a disc, one for each corner, if these are
            fewer than 8. For boundaries, it is their number of nodes plus two, at most 64.
            Otherwise it is the number of convex corners of the smaller polygon, at least 8 and at
            most 64.
        search_distance : float, optional
            Distance in m within which candidates are searched. The search is repeated after the
            bodies have moved by this distance. The default is a tenth of the smaller contour.
        skin : float, optional
            Depth in m; deeper penetrations are not contacts. The default is half the thickness of
            the convex hull of the thinner body. Pass half the thickness of the thinnest wall if
            that is less.
        inside : bool
            For shapes: the first shape is a hollow sphere or pipe that contains the second one.

        Returns
        -------
        Handle
            Handle of the contact.

        Raises
        ------
        ValueError
            If contours or shapes belong to another model or to the same body, or cannot touch
            (infinite straight lines, points). Also if a pair of shapes has no permanent contact
            points.
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
    ) -> None:
        """Let shapes of :meth:`Body.shape` collide, by one law for all or for two materials.

        Shapes touch where their two materials have a law. Shapes of one body do not touch each
        other. Shapes of two bodies connected by a joint other than Free or Planar do not touch
        unless :meth:`let_touch` allows it. The ground touches everything that is not fixed to it.
        The model may also contain stops, dry friction in joints and contacts of
        :meth:`add_contact`.

        Such a model runs event by event, or by time stepping with :class:`nsmb.Midpoint`. For
        events, each pair of shapes has named contact points, ``"body.shape-other.shape[0]"``, ...
        in ``Solution.system``. Time stepping is required for cylinders that touch anything but
        half-spaces and spheres, and for very many shapes.

        Parameters
        ----------
        law : ContactLaw or None
            Law of the contacts. With None, the two materials pass through each other.
        materials : (str, str), optional
            Two materials as passed to :meth:`Body.shape`, in any order, possibly equal. By default
            the law applies to all pairs without a law of their own.

        Raises
        ------
        ValueError
            If `law` is not a law, or the materials already have a law.

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
        key, law = surface_law(law, materials, self._records)
        self._records.surface_laws[key] = law

    def let_pass(self, first: Body | str, second: Body | str) -> None:
        """Let shapes of two bodies or of two groups pass through each other.

        Parameters
        ----------
        first, second : Body or str
            Two bodies, including ``model.ground``, or two names of groups as passed to
            :meth:`Body.shape`. If both are the same group, its shapes do not touch one another.

        Raises
        ------
        ValueError
            If one argument is a body and the other a group, both are the same body, or a body
            belongs to another model.
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
            If both are the same body, or a body belongs to another model.
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
        """Add a spring and a damper along the line between two points, (3.12)-(3.15).

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`.
        c, d : float
            Stiffness in N/m and damping in N s/m.
        free_length : float
            Distance in m at which the spring exerts only `preload`.
        preload : float
            Force at the free length, N.
        sign : {"tension", "pressure"}
            Sign of a positive preload: it pulls the points together or pushes them apart. The
            spring is the same for both.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, or a position or number is invalid.
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
        """Add a force along the line between two points, by a user-defined law.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The points, as for :meth:`add_joint`.
        law : callable (t, γ, γ̇) -> ζ, or ForceTable, or Input
            Law with the distance γ in m and the force ζ in N. An input is ζ itself.
        sign : {"tension", "pressure"}
            Whether ζ > 0 pulls the points together (11.6) or pushes them apart (3.12).
        discontinuities : sequence of float and Repeating
            Times in s at which the law jumps or has a kink.
        inputs : sequence of Input
            Inputs whose values are further arguments of the law: ``law(t, γ, γ̇, valve)``.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, or a position or the law is invalid.
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
            A name such as ``"hinge"`` or ``"sleeve.phi"``. For a translation, units are those of a
            spring.
        c, d : float
            Stiffness in N m/rad and damping in N m s/rad.
        free_angle : float
            Angle in rad at which the spring exerts only `preload`.
        preload : float
            Moment in N m, which drives the coordinate forward if positive.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, the coordinate is unknown, or a number is invalid.
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
        """Add a force on a joint coordinate, by a user-defined law; positive drives it forward.

        Parameters
        ----------
        name : str
        coordinate : str
        law : callable (t, q, q̇) -> ζ, or ForceTable, or Input
            Law for the force ζ on the coordinate, N or N m. The force of a motor is positive, that
            of a spring is negative beyond its rest position. An input is ζ itself.
        discontinuities : sequence of float and Repeating
            Times in s at which the law jumps or has a kink.
        inputs : sequence of Input
            Inputs whose values are further arguments of the law: ``law(t, q, q̇, gain)``.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, the coordinate is unknown, or the law is invalid.
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
        """Add a one-sided spring and damper, (3.16)-(3.23), between points or on a coordinate.

        Parameters
        ----------
        name : str
        law : GapForce
            Law over γ, which is the distance minus `rest`, or ``direction (q - rest)``.
        body_1, body_2, at, at_2
            The two points, as for :meth:`add_joint`, if `coordinate` is not given.
        coordinate : str
            A joint coordinate, if no points are given.
        rest : float
            Distance or coordinate at which the bodies touch, m or rad.
        direction : {1, -1}, optional
            For a coordinate: the side on which the bodies are apart, by default 1.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, points or the coordinate are invalid, or both or neither are
            given.
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
        """Add a force and a moment on a body, given by a function.

        Parameters
        ----------
        name : str
        body, at
            The point where the force acts, as for :meth:`add_joint`.
        function : callable (t, r, A, v, Omega) -> force (3,), or (force (3,), moment (3,))
            Function of position r, orientation A, velocity v and angular velocity Omega of that
            frame. All components are in the inertial frame.
        discontinuities : sequence of float and Repeating
            Times in s at which the function jumps or has a kink, such as a load that is switched. A
            run stops there and continues afterwards. Steps may pass over times that are not listed.
        inputs : sequence of Input
            Inputs whose values are further arguments of the function:
            ``function(t, r, A, v, Omega, thrust)``.

        Returns
        -------
        Handle
            Handle of the load.

        Raises
        ------
        ValueError
            If the name is in use, or `function` is not a function.
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
        """Add a user-defined force element with states and modes, on any number of markers.

        Its states are ``name.state`` in ``system.states``. Its modes are ``name.watched``, as 0 and
        1 in ``system.states`` and also in ``system.elements``.

        Parameters
        ----------
        name : str
        element : UserForce, symbolic.BodyForce or callable (now) -> forces
            An element, or a function as :meth:`nsmb.UserForce.force`. `now` is a
            :class:`nsmb.ForceInput`.
        on : sequence of Body and Marker
            Bodies and markers on which it acts.
        at : sequence, optional
            Positions on the bodies of `on`, as for :meth:`add_joint`.
        coordinates : sequence of str
            Joint coordinates on which it acts.
        states, rates, watched, watch, energy, resolution
            For a function: the other members of :class:`nsmb.UserForce`.
        discontinuities : sequence of float and Repeating
            Times in s at which the element jumps or has a kink.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, positions or coordinates are invalid, or a function has the wrong
            signature. :meth:`build` raises it for invalid names or numbers of the element.
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
        """Add a contact of two closed meshes as pressure over an area, by an elastic layer.

        The pressure is c_l δ, where δ is the penetration depth of one surface in the layer of the
        other. Damping d_l v_n increases with the depth up to `transition_depth`. There is no
        tension. Friction is μ times the normal force against the sliding velocity, and less below
        `switch_velocity`, (6.1)-(6.8). :meth:`MultibodySystem.areal_contact` returns the contact at
        one instant.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The bodies and the frames of their meshes, as for :meth:`add_joint`. Deformable surfaces
            are in the frame of their body.
        surface_1, surface_2 : nsmb.geometry.TriangleMesh or ElasticSurface
            Closed meshes without self-intersections.
        stiffness : float
            Stiffness c_l of the layer, N/m³. Either this or `layers` is required.
        layers : two of ElasticLayer, or None for a rigid body
            Layers from which the stiffness follows, (6.2), (6.3).
        damping : float, optional
            d_l in N s/m³, by default 0.
        transition_depth : float, optional
            δ_d in m, by default 0. Requires `damping`.
        mu : float, optional
            Friction coefficient μ, by default 0.
        switch_velocity : float, optional
            v_ε, by default 1e-3 m/s. Requires `mu`.
        elements : {"clipped", "barycentre"}
            With "clipped", the base is clipped at the cells of the layer, and the pressure is
            integrated exactly. Force and moment are continuous in the motion, and the layer has an
            energy. With "barycentre", elements are whole triangles of the base whose barycentre is
            in the target, by the line through it. The force jumps where triangles appear and
            disappear.
        base : {"both", "first", "second"}
            Surface whose triangles are the elements. With "both", each contributes half, and the
            result is symmetric in the bodies.
        velocity : {"barycentric", "average"}
            Velocity of points of a deformable surface. "barycentric" interpolates by area
            coordinates and is conjugate to the forces. "average" is the mean of the velocities
            given by the three vertices, (6.11)-(6.14).
        depth : float
            Thickness of the layer in m. Bodies may penetrate each other up to it, and deeper
            contact is lost. With 0, it is half of the volume over the area of each mesh, a quarter
            of the thickness of a plate.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, a surface belongs to another body, or a number is invalid. Also
            if a mesh is open, inside out or intersects itself; the message gives the location.

        Examples
        --------
        A box of 2 kg on a fixed box:

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
        """Add the contact of the teeth of two gears, as a force element.

        Its modes ``name.left`` and ``name.right`` are closed while the left and right flanks touch.
        Its energy is that of pressed flanks and tooth springs. The work of a stiffness that changes
        along the path of contact is not included and is not a loss.

        Parameters
        ----------
        name : str
        body_1, body_2, at, at_2
            The gears, as for :meth:`add_joint`. Their axes are the z axes there, and their middle
            planes contain the origins.
        pair : nsmb.gears.GearPair
        phases : (float, float)
            Angles in rad from the x axes to the middles of teeth, see
            :meth:`nsmb.gears.GearPair.phases`.
        teeth : nsmb.gears.ElasticTeeth, optional
            Elastic teeth. By default teeth are rigid.
        spins : (float, float)
            Initial angular velocities in rad/s of teeth with mass.
        events : bool
            Whether events are located where flanks touch or separate.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, or a position or number is invalid.
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
        """Add a train of gears with several meshes, as a force element.

        Parameters
        ----------
        name : str
        bodies : mapping of str to Body and Marker
            Bodies by names of gears. One body may carry several gears.
        train : nsmb.gears.GearTrain
        at : sequence, optional
            Positions on the bodies, as for :meth:`add_gear_pair`, in the order of the train's
            gears.

        Returns
        -------
        Handle
            Handle of the element.

        Raises
        ------
        ValueError
            If the name is in use, a gear has no body, or a position is invalid.
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
        """Check the model and build the system.

        Parameters
        ----------
        initial : mapping of str to float
            Initial coordinates. The name of a joint stands for all its coordinates. By default, the
            frames of a joint coincide. To close loops, only coordinates that are not given are
            changed. Elastic bodies are bent only if joints alone cannot close the loops.
        velocities : mapping of str to float
            Initial velocities, given in the same way.
        guess : mapping of str to float
            Starting values of coordinates that may change to close loops. They select the solution.
        t : float
            Initial time, s.
        name, parameters, parameter_info, rebuild, period : optional
            As for :class:`LinearSystem`.
        penetration : float
            Admissible initial penetration of shapes of :meth:`Body.shape`, m.

        Warns
        -----
        ModelWarning
            If the model has unused markers or contours.

        Raises
        ------
        ValueError
            If a body has no joint, a direction has no inertia, or the planes of contours do not
            coincide. Also if a loop cannot be closed, or bodies penetrate each other initially. The
            message names the part.
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

        Requires yourdfpy (``pip install nsmb[io]``).

        Parameters
        ----------
        path : path
        base : Joint, optional
            Joint between the ground and the root link, by default fixed.
        gravity : array_like (3,)
            Gravitational acceleration in m/s², which URDF does not specify.
        stops : ContactLaw, optional
            Law of the joint limits, such as ``nsmb.ContactLaw(e_N=0.2)``, which URDF does not
            specify. By default limits are omitted.
        shapes : bool
            If True, spheres, boxes, cylinders and meshes of ``<collision>`` become shapes of the
            bodies, which touch by :meth:`collide`. Mesh files are read by
            :meth:`nsmb.geometry.TriangleMesh.from_file`. Files that cannot be read are omitted.
        mesh_folder : path, optional
            Folder of the meshes, by default that of the URDF file. ``package://name/path`` is the
            file ``path`` in this folder or in its subfolder ``name``. Names and links that lead out
            of it are not followed.
        max_mesh_bytes : int
            Maximum size of a mesh file, by default 256 MiB. Larger files are omitted.

        Warns
        -----
        ModelWarning
            If collision shapes of links or limits of joints are omitted. The message names them.

        Raises
        ------
        ValueError
            If a joint or loss is not supported.
        ImportError
            If yourdfpy is not installed.
        """
        foot = Fixed() if base is None else base
        meshes = MeshFolder.of(path, mesh_folder, max_mesh_bytes)
        return read_urdf(cls(gravity), path, foot, stops, meshes if shapes else None)


def _by_name(values: Mapping[str, ArrayLike] | None) -> dict[str, Any]:
    """Return the values by plain names, since a system does not keep handles and their model."""
    return {str(key): value for key, value in (values or {}).items()}
