"""Conversion of the records of a model to the core's description of a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import geometry as _geometry
from nsmb._core import multibody as _multibody
from nsmb.common.arguments import as_array, unknown_name
from nsmb.common.frames import Frame, turn_to
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.deformable import Deformable
from nsmb.multibody.joints import OnCurve, Rod
from nsmb.multibody.laws import core_law
from nsmb.multibody.motion import core_motion
from nsmb.multibody.parts import GROUND, ContourOnBody, JointRecord, LawRecord, Place, StopRecord
from nsmb.multibody.sections import Sections, check_hold
from nsmb.multibody.shape_set import shape_pairs, shape_set
from nsmb.system.callback_values import LARGEST, NoValue, call, real
from nsmb.system.contact_info import ContactInfo, resistances
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.discontinuities import core_discontinuities
from nsmb.system.forces import element_description
from nsmb.system.inputs import Input, core_inputs

__all__ = ["Assembly"]

Array = NDArray[np.float64]
_KINDS = {
    "along": _multibody.LoopKind.Along,
    "perpendicular": _multibody.LoopKind.Perpendicular,
    "distance": _multibody.LoopKind.Distance,
    "curve": _multibody.LoopKind.OnCurve,
}
_LETTERS = "xyz"
_NONE: Array = np.zeros(0)


class NamePlaces:
    """Indices of names in a list of coordinates or velocities, also by joint."""

    def __init__(self, names: Sequence[str]) -> None:
        self.of = {name: k for k, name in enumerate(names)}
        self.of_joint: dict[str, list[int]] = {}
        for k, name in enumerate(names):
            self.of_joint.setdefault(name.partition(".")[0], []).append(k)


class Assembly:
    """The tree, markers and core of a model, with the names of all parts."""

    def __init__(self, model: Blueprint) -> None:
        _check_connected(model)
        joints = list(model.joints.values())
        self.gravity = model.gravity
        self.bodies = {GROUND: -1} | {j.second.body: k for k, j in enumerate(joints)}
        self.joint_of_body = {j.second.body: j.name for j in joints}
        self.sections = Sections(model, self.bodies)
        for place in model.places():
            self.sections.locate(place)
        self._tree_bodies = [self._body(model, joint) for joint in joints]
        self.tree = _multibody.Tree([*self._tree_bodies, *self.sections.bodies], model.gravity)
        self.coordinates: list[str] = []
        self.units: list[str] = []
        self.velocities: list[str] = []
        self.velocity_units: list[str] = []
        self.prescribed: list[str] = []
        self.joint_of_velocity: list[JointRecord] = []
        self.elastic_velocities: set[int] = set()
        for joint in joints:
            self._add_names(joint, model.elastic.get(joint.second.body))
        self.coordinate_places = NamePlaces(self.coordinates)
        self.velocity_places = NamePlaces(self.velocities)
        self.markers: list[_multibody.Marker] = []
        self._known: dict[bytes, int] = {}
        self.contours: list[tuple[ContourOnBody, int]] = [
            (contour, self._marker(contour.place)) for contour in model.contours.values()
        ]
        self.loops = tuple(model.loops.values())
        self.rows = [row for loop in self.loops for row in self._loop(loop)]
        own = _contacts(model)
        self.contacts = [*own, *resistances(own)]
        self.core = _multibody.ModelSystem(
            self.tree,
            markers=self.markers,
            **self._parts(model),
        )

    def list_shapes(self, model: Blueprint) -> tuple[_multibody.ModelSystem, list[ContactInfo]]:
        """Return the core and its contacts, with listed instead of found contacts of shapes."""
        pairs, contacts = shape_pairs(model, self.core, self._marker)
        parts = self._parts(model) | {
            "shapes": _multibody.ShapeSet([], [], []),
            "shape_pairs": pairs,
        }
        core = _multibody.ModelSystem(self.tree, markers=self.markers, **parts)
        every = [*(c for c in self.contacts if c.bounded), *contacts]
        return core, [*every, *resistances(every)]

    def _add_names(self, record: JointRecord, elastic: Deformable | None) -> None:
        names, units, velocities = record.joint._names()
        locked = {names[k] for k, _, is_locked in record.motions if is_locked}

        def full(own: str) -> str:
            return f"{record.name}.{own}" if own else record.name

        for own, unit in zip(names, units, strict=True):
            if own not in locked:
                self.coordinates.append(full(own))
                self.units.append(unit)
            else:
                self.prescribed.append(full(own))
        self.velocities += [full(own) for own in velocities if own not in locked]
        self.velocity_units += [
            "rad/s" if record.joint.turns_freely and own.startswith("omega_") else ""
            for own in velocities
            if own not in locked
        ]
        if elastic is not None:
            own_names = [f"{record.second.body}.q{k + 1}" for k in range(elastic.count)]
            first = len(self.velocities)
            self.elastic_velocities |= set(range(first, first + elastic.count))
            self.coordinates += own_names
            self.velocities += own_names
            self.units += [elastic.unit] * elastic.count
            self.velocity_units += [""] * elastic.count
        self.joint_of_velocity += [record] * (len(self.velocities) - len(self.joint_of_velocity))

    def _body(self, model: Blueprint, joint: JointRecord) -> _multibody.Body:
        record = model.bodies[joint.second.body]
        check_hold(model, joint)
        parent, frame = self.sections.locate(joint.first)
        elastic = model.elastic.get(record.name)
        try:
            core = joint.joint._core()
        except ValueError as error:
            raise ValueError(f"joint {joint.name!r}: {error}") from None
        return _multibody.Body(
            record.name,
            record.mass,
            record.center,
            record.inertia,
            core,
            parent=self.sections.name(parent),
            parent_frame=frame._core(),
            body_frame=joint.second.frame._core(),
            joint_name=joint.name,
            motions=[core_motion(k, s, locked) for k, s, locked in joint.motions],
            elastic=None if elastic is None else elastic._core(),
        )

    def _marker(self, place: Place, turn: Array | None = None) -> int:
        body, frame = self.sections.locate(place)
        A = np.asarray(frame.A) if turn is None else np.asarray(frame.A) @ turn
        key = str(body).encode() + b"\0" + np.asarray(frame.r).tobytes() + A.tobytes()
        if key not in self._known:
            self._known[key] = len(self.markers)
            self.markers.append(_multibody.Marker(body, _multibody.Frame(frame.r, A)))
        return self._known[key]

    def ends(self, places: tuple[Place, Place]) -> tuple[int, int]:
        """Return the markers at two positions."""
        return self._marker(places[0]), self._marker(places[1])

    def marker(self, place: Place) -> int:
        """Return the marker at a position."""
        return self._marker(place)

    def point(self, body: str, r: ArrayLike) -> int:
        """Return the marker at a point of a body."""
        return self._marker(Place(body, Frame(r)))

    def _ends(self, places: tuple[Place, Place] | None, coordinate: str) -> dict[str, int]:
        """Return two markers, or a coordinate."""
        if places is not None:
            first, second = self.ends(places)
            return {"marker_1": first, "marker_2": second, "coordinate": -1, "velocity": -1}
        place, velocity = self._joint_place(coordinate)
        return {"marker_1": -1, "marker_2": -1, "coordinate": place, "velocity": velocity}

    def _joint_place(self, coordinate: str) -> tuple[int, int]:
        """Return the indices of a coordinate and of its velocity."""
        if coordinate not in self.coordinate_places.of:
            raise ValueError(
                f"coordinate {coordinate!r}: must move freely, got a prescribed motion"
            )
        return self.coordinate_places.of[coordinate], self.velocity_places.of[coordinate]

    def _loop(self, loop: JointRecord) -> list[_multibody.LoopRow]:
        turn = turn_to(loop.joint._direction())
        first, second = self._marker(loop.first, turn), self._marker(loop.second, turn)
        rows = []
        for kind, i, k in loop.joint.rows or ():
            length = loop.joint.length if isinstance(loop.joint, Rod) else 0.0
            curve = loop.joint.curve._core if isinstance(loop.joint, OnCurve) else None
            axes = _LETTERS[i] + (_LETTERS[k] if kind == "perpendicular" else "")
            name = loop.name if kind in ("distance", "curve") else f"{loop.name}.{kind}_{axes}"
            places = (first, second)
            rows.append(_multibody.LoopRow(name, *places, _KINDS[kind], i, k, length, curve))
        return rows

    def _parts(self, model: Blueprint) -> dict[str, Any]:
        inputs = model.inputs
        forces = [self._law(law, inputs) for law in model.laws.values()]
        forces += [
            _multibody.PlacedForce(
                load.name,
                _multibody.Load(
                    _load(load.name, load.function), [inputs.index(entry) for entry in load.inputs]
                ),
                [self._marker(load.place)],
            )
            for load in model.loads.values()
        ]
        forces += [
            _multibody.PlacedForce(
                record.name,
                record.element.core_force(record.name, len(record.places), len(record.coordinates)),
                [self._marker(place) for place in record.places],
                [self._joint_place(coordinate) for coordinate in record.coordinates],
            )
            for record in model.elements.values()
        ]
        switching = [
            _multibody.SwitchingElement(
                element_description(s.law, s.name),
                rest=s.rest,
                direction=s.direction,
                **self._ends(s.places, s.coordinate),
            )
            for s in model.switches.values()
        ]
        places = {id(contour): marker for contour, marker in self.contours}
        chains = self._boundaries()
        contacts = [
            _multibody.ContourContact(
                c.name,
                c.law._core(),
                places[id(c.first)],
                places[id(c.second)],
                chains[id(c.first)][1] if c.first.nodes else c.first.contour._core,
                chains[id(c.second)][1] if c.second.nodes else c.second.contour._core,
                c.points,
                c.search_distance,
                c.skin,
                chains[id(c.first)][0] if c.first.nodes else -1,
                chains[id(c.second)][0] if c.second.nodes else -1,
            )
            for c in model.contacts.values()
        ]
        friction = []
        for f in model.frictions.values():
            if f.velocity not in self.velocity_places.of:
                raise ValueError(
                    f"friction {f.name!r}: must act on a free velocity, got {f.velocity!r}, "
                    "which is prescribed"
                )
            index = self.velocity_places.of[f.velocity]
            friction.append(_multibody.JointFriction(f.name, index, f.bound))
        stops = [stop for s in model.stops.values() for stop in self._stop(model, s)]
        surfaces = [
            _multibody.SurfaceContact(c.name, c.law._core(), *self.ends(c.places), *c.surfaces)
            for c in model.surface_contacts.values()
        ]
        return {
            "loops": self.rows,
            "forces": forces,
            "switching": switching,
            "contacts": contacts,
            "friction": friction,
            "discontinuities": core_discontinuities(model.discontinuities),
            "stops": stops,
            "inputs": core_inputs(inputs),
            "surfaces": surfaces,
            "shapes": shape_set(model, self.sections.locate),
            "boundaries": [core for _, _, core in chains.values()],
        }

    def _boundaries(self) -> dict[int, tuple[int, _geometry.NodeChain, _multibody.Boundary]]:
        """Return index, chain and core of each deforming contour."""
        found: dict[int, tuple[int, _geometry.NodeChain, _multibody.Boundary]] = {}
        for contour, marker in self.contours:
            if not contour.nodes:
                continue
            chain = contour.contour._core
            assert isinstance(chain, _geometry.Chain)
            nodes = _geometry.NodeChain(chain.points, chain.closed, contour.nodes_touch)
            core = _multibody.Boundary(
                contour.label, marker, [self._marker(place) for place in contour.nodes], nodes
            )
            found[id(contour)] = len(found), nodes, core
        return found

    def _law(self, law: LawRecord, inputs: Sequence[Input]) -> _multibody.PlacedForce:
        core, sign = core_law(law.law, law.sign, law.name, law.inputs, inputs)
        if law.places is not None:
            markers = list(self.ends(law.places))
            return _multibody.PlacedForce(law.name, _multibody.LineForce(core, sign), markers)
        joint = self._joint_place(law.coordinate)
        return _multibody.PlacedForce(law.name, _multibody.JointForce(core, sign), [], [joint])

    def _stop(self, model: Blueprint, stop: StopRecord) -> list[_multibody.JointStop]:
        place: dict[str, Any]
        loop = model.loops.get(stop.joint)
        if loop is not None:
            turn = turn_to(loop.joint._direction())
            names, units, _ = loop.joint._names()
            place = {
                "marker_1": self._marker(loop.first, turn),
                "marker_2": self._marker(loop.second, turn),
                "turns": units[names.index(stop.coordinate)] == "rad",
            }
            if place["turns"]:
                place["middle"] = 0.5 * (stop.lower + stop.upper)
        else:
            record = model.joints[stop.joint]
            full = f"{stop.joint}.{stop.coordinate}" if stop.coordinate else stop.joint
            place = dict(self._ends(None, full))
            k = record.joint._names()[0].index(stop.coordinate)
            motions = [core_motion(*motion) for motion in record.motions if motion[0] == k]
            place["motion"] = motions[0] if motions else None
        return [
            _multibody.JointStop(name, stop.law._core(), limit, direction, **place)
            for name, limit, direction in stop.sides()
        ]

    def picture_tree(self) -> _multibody.Tree:
        """Return the tree, including sections requested for drawing."""
        return _multibody.Tree([*self._tree_bodies, *self.sections.bodies], self.gravity)

    def values(
        self, argument: str, names: NamePlaces, given: Mapping[str, ArrayLike]
    ) -> dict[int, float]:
        """Return index and value of entries given by name, or for all coordinates of a joint."""
        found: dict[int, float] = {}
        for key, value in given.items():
            places = [names.of[key]] if key in names.of else names.of_joint.get(key, [])
            if not places and key in self.prescribed:
                raise ValueError(
                    f"{argument} {key!r}: must be free, got a prescribed motion. Leave it out."
                )
            if not places:
                raise unknown_name(argument, key, list(names.of))
            shape = () if key in names.of else (len(places),)
            values = np.atleast_1d(as_array(f"{argument} {key!r}", value, shape))
            found |= dict(zip(places, values.tolist(), strict=True))
        return found


def _check_connected(model: Blueprint) -> None:
    if not model.bodies:
        raise ValueError("model: expected at least one body, got none")
    for name in model.bodies:
        root = model.root(name)
        if root != GROUND:
            how = "" if root == name else f", which hangs on {root!r}"
            raise ValueError(
                f"body {name!r}: expected a chain of joints to the ground, got an unconnected "
                f"body{how}; free bodies have the joint Free or Planar"
            )


def _contacts(model: Blueprint) -> list[ContactInfo]:
    """Return the contacts in the order of the core."""
    contacts = [
        ContactInfo(f"{c.name}[{k}]" if c.points > 1 else c.name, c.law)
        for c in model.contacts.values()
        for k in range(c.points)
    ]
    contacts += [ContactInfo(end, s.law) for s in model.stops.values() for end, _, _ in s.sides()]
    contacts += [ContactInfo(name, ContactLaw(), is_unilateral=False) for name in model.frictions]
    return contacts + [
        ContactInfo(c.name, c.law, tangents=2) for c in model.surface_contacts.values()
    ]


def _load(name: str, function: Callable[..., Any]) -> Callable[..., tuple[Array, Array]]:
    def force_and_moment(
        t: float, r: Array, A: Array, v: Array, Omega: Array, inputs: Array = _NONE
    ) -> tuple[Array, Array]:
        given = call(f"load {name!r}", function, t, r, A, v, Omega, *inputs.tolist())
        value = np.asarray(real(f"load {name!r}", given), dtype=np.float64)
        if not (np.abs(value) <= LARGEST).all():
            raise NoValue(f"load {name!r}: expected finite numbers, got {value.tolist()}")
        if value.shape == (3,):
            return value, np.zeros(3)
        if value.shape != (2, 3):
            raise ValueError(
                f"load {name!r}: expected a force (3,), or force and moment, got shape "
                f"{value.shape}"
            )
        return value[0], value[1]

    return force_and_moment
