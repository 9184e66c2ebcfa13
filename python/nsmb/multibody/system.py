"""Systems built from models."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_array, as_column, unknown_name
from nsmb.common.frames import Frame
from nsmb.gears import GearContacts, GearTrain
from nsmb.multibody.areal import ArealContact, FoundationForce
from nsmb.multibody.assembly import Assembly
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.body_energies import BodyMeter
from nsmb.multibody.checks import (
    check_inertia,
    check_motions,
    check_penetration,
    check_planes,
    marker_kinematics,
    overlap_depth,
)
from nsmb.multibody.contact_frames import ContactFrames, sides_of
from nsmb.multibody.force_energies import ForceEnergies
from nsmb.multibody.law_history import LawAlong, laws_along
from nsmb.multibody.look import scene_of_model
from nsmb.multibody.parts import GROUND, Marker, ModelWarning, Place
from nsmb.multibody.reactions import JointWrench, LoopWrench, TreeWrench
from nsmb.multibody.shape_set import can_touch
from nsmb.multibody.start import find_start
from nsmb.multibody.usual_step import smallest_radius, usual_step
from nsmb.system.base import ParameterInfo, State, System

__all__ = ["MultibodySystem", "ShapeContacts", "warn_unused"]

Array = NDArray[np.float64]


def warn_unused(model: Blueprint) -> None:
    """Warn about markers, shapes and contours that no other part of the model uses."""
    for body, name in model.markers:
        if (body, name) not in model.used_markers:
            warnings.warn(
                f"marker {name!r} of body {body!r} is not used. Leave it out, or pass "
                "is_output=True.",
                ModelWarning,
                stacklevel=3,
            )
    used = {id(c) for record in model.contacts.values() for c in (record.first, record.second)}
    touched = {id(s) for record in model.surface_contacts.values() for s in record.shapes}
    for shape in model.shapes.values():
        if id(shape) not in touched and not can_touch(model, shape):
            warnings.warn(
                f"shape {shape.label!r} is not used in any contact", ModelWarning, stacklevel=3
            )
    for contour in model.contours.values():
        if id(contour) not in used and not contour.is_outline:
            warnings.warn(
                f"contour {contour.label!r} is not used in any contact. Use Body.outline for "
                "drawing only.",
                ModelWarning,
                stacklevel=3,
            )


@dataclass(frozen=True, eq=False)
class ShapeContacts:
    """Contacts of shapes at one instant, n in number."""

    shapes: tuple[tuple[str, str], ...]
    """Names of both shapes, ``"body.shape"``."""
    g_N: Array
    """Gaps, shape (n,), in m; negative for penetrations."""
    point: Array
    """Contact points midway between the two shapes, shape (n, 3), in m."""
    axes: Array
    """Normals n, from the first shape to the second, and tangents t_1, t_2, as rows, (n, 3, 3)."""
    identity: NDArray[np.uint64]
    """Numbers that stay the same as long as the same features touch, shape (n,)."""


def _restore(
    cls: type[MultibodySystem], model: Blueprint, arguments: dict[str, Any]
) -> MultibodySystem:
    """Restore a system, for pickle and copy."""
    return cls(model, **arguments)


def _listed(system: MultibodySystem) -> MultibodySystem:
    """Restore a system with listed contacts, for pickle and copy."""
    return system._for_events()


class MultibodySystem(System):
    """A system of bodies and joints, made by :meth:`nsmb.Model.build`.

    Attributes
    ----------
    bodies : tuple of str
        Names of the bodies, in the order of their joints.
    joints : tuple of str
        Names of the joints of the tree, then of those that close loops.
    markers : tuple of str
        Names ``"body.marker"``.
    velocity_names : tuple of str, length nu
        Names of the velocities as in the joints. Where q̇ = u, a velocity has the name of its
        coordinate, and `labels` distinguishes the two.
    scene : Scene
        Contours, outlines, springs and hinges, with lines for bodies without outline.
    """

    def __init__(
        self,
        model: Blueprint,
        *,
        initial: Mapping[str, ArrayLike],
        velocities: Mapping[str, ArrayLike],
        guess: Mapping[str, ArrayLike],
        t: float,
        name: str,
        parameters: Mapping[str, float] | None,
        parameter_info: Mapping[str, ParameterInfo] | None,
        rebuild: Callable[..., System] | None,
        period: float | None,
        penetration: float = 1e-9,
    ) -> None:
        start = float(as_array("t", t, ()))
        assembly = Assembly(model)
        check_motions(model, start)
        q, u = find_start(assembly, start, initial, guess, velocities)
        check_inertia(assembly, start, q)
        check_planes(assembly, model, start, q, u)
        check_penetration(assembly, model, start, q, u, penetration)
        super().__init__(
            assembly.core,
            name=name,
            coordinates=assembly.coordinates,
            coordinate_units=assembly.units,
            velocities=assembly.velocities,
            velocity_units=assembly.velocity_units,
            contacts=assembly.contacts,
            elements=assembly.core.element_names,
            initial_state=State(start, q, u, assembly.core.initial_states()),
            parameters=parameters,
            parameter_info=parameter_info,
            rebuild=rebuild,
            period=period,
            inputs=model.inputs,
        )
        self._model = model
        self._assembly = assembly
        self._finds: MultibodySystem | None = None  # the system whose contacts are listed here
        self._frames: ContactFrames | None = None  # of its contacts, once requested
        self._given: dict[str, Any] = {
            "initial": dict(initial),
            "velocities": dict(velocities),
            "guess": dict(guess),
            "t": start,
            "penetration": penetration,
        }
        self.joints = (*model.joints, *model.loops)
        self.bodies = tuple(name for name in assembly.bodies if name != GROUND)
        self.markers = tuple(f"{body}.{name}" for body, name in model.markers)
        self.velocity_names = tuple(assembly.velocities)
        self.scene = scene_of_model(assembly, model)

    def overlaps(self, t: float, q: ArrayLike, *, beyond_skin: bool = False) -> dict[str, float]:
        place, rest = as_array("q", q, (self.nq,)), np.zeros(self.nu)
        found = {}
        for contact in self._model.contacts.values():
            depth = overlap_depth(self._assembly, self._model, contact, t, place, rest)
            if depth > (contact.skin if beyond_skin else 0.0):
                found[contact.name] = depth
        return found

    def find_contacts(
        self,
        t: float,
        q: ArrayLike,
        u: ArrayLike | None = None,
        *,
        margin: float = 0.0,
        step: float = 0.0,
    ) -> ShapeContacts:
        """Return the contacts of shapes, by :meth:`Model.collide`, that touch or are near.

        Parameters
        ----------
        t : float
            Time, s.
        q : (nq,) array_like
        u : (nu,) array_like, optional
            Velocities, by default zero.
        margin : float
            Maximum gap of the contacts found, m.
        step : float
            Time in s. Gaps that bodies with these velocities may close within it are also found.

        Raises
        ------
        ValueError
            If the system has no shapes that may touch.
        """
        place = as_array("q", q, (self.nq,))
        rate = np.zeros(self.nu) if u is None else as_array("u", u, (self.nu,))
        found = _multibody.find_contacts(
            self._assembly.core,
            float(as_array("t", t, ())),
            place,
            rate,
            float(as_array("margin", margin, ())),
            float(as_array("step", step, ())),
        )
        labels = [shape.label for shape in self._model.shapes.values()]
        pairs = zip(found["shape_1"].tolist(), found["shape_2"].tolist(), strict=True)
        return ShapeContacts(
            shapes=tuple((labels[i], labels[k]) for i, k in pairs),
            g_N=found["g_N"],
            point=found["point"],
            axes=found["axes"].reshape(-1, 3, 3),
            identity=found["identity"],
        )

    def areal_contact(self, name: str, t: float, q: ArrayLike, u: ArrayLike) -> ArealContact:
        """Return the contact between the surfaces of an elastic foundation.

        Parameters
        ----------
        name : str
            Name given to :meth:`Model.add_elastic_foundation`.
        t : float
            Time, s.
        q, u : (nq,) and (nu,) array_like
            Coordinates and velocities.

        Raises
        ------
        ValueError
            If no elastic foundation has this name.
        """
        known = {
            key: (record.places, record.element)
            for key, record in self._model.elements.items()
            if isinstance(record.element, FoundationForce)
        }
        if name not in known:
            raise unknown_name("elastic foundation", name, list(known))
        places, element = known[name]
        place, velocity = as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,))
        k = [marker_kinematics(self._assembly, p, t, place, velocity) for p in places]
        elastic: tuple[list[Array], list[Array]] = [], []
        for side, where in zip(element.sides, places, strict=True):
            these = self.elastic_coordinates(where.body) if side.count else slice(0, 0)
            first = self._assembly.velocity_places.of[f"{where.body}.q1"] if side.count else 0
            elastic[0].append(place[these])
            elastic[1].append(velocity[first : first + side.count])
        return element.contact(
            [m.r for m in k], [m.A for m in k], [m.v for m in k], [m.Omega for m in k], *elastic
        )

    def pose(self, body: str | Marker, t: float, q: ArrayLike) -> tuple[Array, Array]:
        """Return the origin r (3,) in m and the axes A (3, 3), as columns, of a body or marker.

        Parameters
        ----------
        body : str or Marker
            A body, or ``"body.marker"``.
        t : float
            Time, s.
        q : (nq,) array_like
            Coordinates.

        Raises
        ------
        ValueError
            If the name is neither a body nor ``"body.marker"``.
        """
        k = self._kinematics(body, t, q, np.zeros(self.nu))
        return k.r, k.A

    def position(self, body: str | Marker, t: float, q: ArrayLike) -> Array:
        """Return the origin (3,) of a body or marker in the inertial frame, m."""
        return self.pose(body, t, q)[0]

    def velocity(
        self, body: str | Marker, t: float, q: ArrayLike, u: ArrayLike
    ) -> tuple[Array, Array]:
        """Return velocity (3,) in m/s and angular velocity (3,) in rad/s, inertial components."""
        k = self._kinematics(body, t, q, u)
        return k.v, k.Omega

    def motion(
        self, body: str | Marker, t: ArrayLike, q: ArrayLike, u: ArrayLike
    ) -> tuple[Array, Array, Array, Array]:
        """Return poses and velocities of a body or marker at n instants, in inertial axes.

        Parameters
        ----------
        body : str or Marker
            A body, or ``"body.marker"``.
        t, q, u : (n,), (n, nq) and (n, nu) array_like

        Returns
        -------
        tuple
            Origins (n, 3) in m, axes (n, 3, 3) as columns, velocities (n, 3) in m/s and angular
            velocities (n, 3) in rad/s.

        Raises
        ------
        ValueError
            If the name is neither a body nor ``"body.marker"``.
        """
        times = as_column("t", t)
        places = as_array("q", q, (times.size, self.nq))
        rates = as_array("u", u, (times.size, self.nu))
        rows = [
            self._kinematics(body, *row) for row in zip(times.tolist(), places, rates, strict=True)
        ]
        return (
            np.array([k.r for k in rows]).reshape(-1, 3),
            np.array([k.A for k in rows]).reshape(-1, 3, 3),
            np.array([k.v for k in rows]).reshape(-1, 3),
            np.array([k.Omega for k in rows]).reshape(-1, 3),
        )

    def elastic_coordinates(self, body: str) -> slice:
        """Return the slice of the coordinates of an elastic body: ``q[..., these]``.

        Raises
        ------
        ValueError
            If the body is not elastic.
        """
        elastic = self._model.elastic.get(body)
        if elastic is None:
            raise unknown_name("elastic body", body, list(self._model.elastic))
        first = self._assembly.coordinate_places.of[f"{body}.q1"]
        return slice(first, first + elastic.count)

    def momentum(self, t: float, q: ArrayLike, u: ArrayLike) -> tuple[Array, Array]:
        """Return momentum (3,), N s, and angular momentum (3,) about the inertial origin, N m s."""
        place, velocity = as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,))
        result = _multibody.TreeEvaluation(self._assembly.tree).momentum(t, place, velocity)
        return result.p, result.L

    def gear_contacts(
        self, name: str, t: float, q: ArrayLike, u: ArrayLike, x: ArrayLike = ()
    ) -> GearContacts:
        """Return the contacts between the teeth of gears.

        The gears are those of :meth:`Model.add_gear_pair` or :meth:`Model.add_gear_train`.

        Parameters
        ----------
        name : str
            Name of the force element.
        t : float
            Time, s.
        q : (nq,) array_like
        u : (nu,) array_like
        x : (nx,) array_like
            States of the system. They may be omitted if teeth have no states and deflect little.

        Raises
        ------
        ValueError
            If the force element is not one of gears.
        """
        trains = {
            key: record
            for key, record in self._model.elements.items()
            if isinstance(record.element, GearTrain)
        }
        if name not in trains:
            raise unknown_name("gears", name, list(trains))
        train = trains[name].element
        assert isinstance(train, GearTrain)
        place, velocity = as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,))
        own, flanks = len(train.states), 2 * len(train.meshes) * train.events
        states, modes = np.zeros(0), np.zeros(0)
        if own or (flanks and np.size(x)):
            every = as_array("x", x, (len(self.states),))
            first = next(k for k, key in enumerate(self.states) if key.startswith(f"{name}."))
            states, modes = np.split(every[first : first + own + flanks], [own])
        at = [
            marker_kinematics(self._assembly, where, float(as_array("t", t, ())), place, velocity)
            for where in trains[name].places
        ]
        return train.contacts(
            np.array([k.r for k in at]),
            np.array([k.A for k in at]),
            np.array([k.v for k in at]),
            np.array([k.Omega for k in at]),
            states,
            modes,
        )

    def _contact_frames(self) -> ContactFrames:
        """Return the contact points and directions, for `Solution.contacts`."""
        if self._frames is None:
            core = self._core
            assert isinstance(core, _multibody.ModelSystem)
            pairs = [] if self._finds is None else self._finds._assembly.core.pairs_of_shapes()
            listed = [(i, k) for i, k, _ in pairs]
            self._frames = ContactFrames(core, self.labels, sides_of(self._model, listed))
        return self._frames

    def _laws_along(self) -> dict[str, LawAlong]:
        """Return the force laws by name, for `Solution.elements`."""
        return laws_along(self._model, self._assembly)

    def _modes_of(self, element: str) -> str:
        """Return the force element, such as a gear pair, of which `element` is a mode; or empty."""
        return next((name for name in self._model.elements if element.startswith(f"{name}.")), "")

    def _joint_wrench(self, name: str) -> JointWrench:
        """Return the evaluator of the force of a joint, for `Solution.joints`."""
        model = self._model
        if name in model.loops:
            return LoopWrench(model, self._assembly, model.loops[name])
        return TreeWrench(model, self._assembly, model.joints[name])

    def _meter(self, body: str) -> BodyMeter:
        """Return the evaluator of the energy of a body, for `Solution.bodies`."""
        return BodyMeter(self._assembly, self._model, body)

    def _force_parts(self) -> ForceEnergies:
        return ForceEnergies(self._model, self._assembly)

    def _for_events(self) -> MultibodySystem:
        if not self._core.finds_contacts:
            return self
        core, contacts = self._assembly.list_shapes(self._model)
        system = object.__new__(type(self))
        system.__dict__.update(self.__dict__)
        system._finds = self
        system._frames = None
        system._set_contacts(core, contacts)
        return system

    def _usual_step(self) -> tuple[float, str]:
        start = self.initial_state
        speeds = (self._kinematics(body, start.t, start.q, start.u).v for body in self.bodies)
        speed = max((float(np.linalg.norm(v)) for v in speeds), default=0.0)
        gravity = float(np.linalg.norm(self._model.gravity))
        return usual_step(smallest_radius(self._model), gravity, speed)

    def _for_steps(self) -> MultibodySystem:
        return self if self._finds is None else self._finds

    def _hand_on(self, other: System) -> System:
        other = super()._hand_on(other)
        return other if self._finds is None else other._for_events()

    def _kinematics(
        self, body: str | Marker, t: float, q: ArrayLike, u: ArrayLike
    ) -> _multibody.MarkerKinematics:
        place, velocity = as_array("q", q, (self.nq,)), as_array("u", u, (self.nu,))
        if not isinstance(body, Marker) and body in self._assembly.bodies:
            tree = _multibody.TreeEvaluation(self._assembly.tree)
            name = self._assembly.sections.name(self._assembly.bodies[body])
            return tree.marker(t, place, velocity, name)
        return marker_kinematics(self._assembly, self._place(body), t, place, velocity)

    def _place(self, body: str | Marker) -> Place:
        if isinstance(body, Marker):
            return body.place
        if body in self._assembly.bodies:
            return Place(body, Frame())
        for marker in self._model.markers.values():
            if f"{marker.place.body}.{marker.name}" == body:
                return marker.place
        raise unknown_name("body", body, [*self._assembly.bodies, *self.markers])

    def __reduce__(self) -> tuple[Any, ...]:
        if self._finds is not None:
            return _listed, (self._finds,)
        if self._builder is not None:
            return super().__reduce__()
        shared = ("name", "parameters", "parameter_info", "rebuild", "period")
        arguments = {key: value for key, value in self._arguments().items() if key in shared}
        return _restore, (type(self), self._model, self._given | arguments), self._outside()
