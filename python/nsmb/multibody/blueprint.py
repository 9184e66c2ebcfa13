"""All records of a model, without the methods that add parts."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from numpy.typing import ArrayLike

from nsmb.common.frames import as_vector
from nsmb.multibody.deformable import Deformable
from nsmb.multibody.parts import (
    BodyRecord,
    ContactRecord,
    ContourOnBody,
    ElementRecord,
    FrictionRecord,
    JointRecord,
    LawRecord,
    LoadRecord,
    Marker,
    Place,
    ShapeOnBody,
    StopRecord,
    SurfaceContactRecord,
    SwitchRecord,
)
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.discontinuities import Discontinuity
from nsmb.system.inputs import Input, all_inputs

__all__ = ["Blueprint"]


class Blueprint:
    """The records collected by :class:`Model`, from which a system is built."""

    def __init__(self, gravity: ArrayLike) -> None:
        self.gravity = as_vector("gravity", gravity)
        self.bodies: dict[str, BodyRecord] = {}
        self.elastic: dict[str, Deformable] = {}
        self.joints: dict[str, JointRecord] = {}
        self._hangs_on: dict[str, str] = {}
        self._above: dict[str, str] = {}
        self.loops: dict[str, JointRecord] = {}
        self.contours: dict[tuple[str, str], ContourOnBody] = {}
        self.markers: dict[tuple[str, str], Marker] = {}
        self.used_markers: set[tuple[str, str]] = set()
        self.contacts: dict[str, ContactRecord] = {}
        self.shapes: dict[tuple[str, str], ShapeOnBody] = {}
        self.surface_contacts: dict[str, SurfaceContactRecord] = {}
        self.surface_laws: dict[tuple[str, str] | None, ContactLaw | None] = {}
        self.passing_bodies: set[tuple[str, str]] = set()
        self.passing_groups: set[tuple[str, str]] = set()
        self.touching_bodies: set[tuple[str, str]] = set()
        self.laws: dict[str, LawRecord] = {}
        self.switches: dict[str, SwitchRecord] = {}
        self.loads: dict[str, LoadRecord] = {}
        self.elements: dict[str, ElementRecord] = {}
        self.frictions: dict[str, FrictionRecord] = {}
        self.discontinuities: tuple[Discontinuity, ...] = ()
        self.stops: dict[str, StopRecord] = {}

    def copy(self) -> Blueprint:
        """Return a copy that shares the records but not their containers."""
        twin = copy.copy(self)
        for key, value in vars(self).items():
            if isinstance(value, dict | set):
                setattr(twin, key, copy.copy(value))
        return twin

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Inputs of all force laws, then of all loads."""
        laws = [record.inputs for record in self.laws.values()]
        return all_inputs("inputs", *laws, *(record.inputs for record in self.loads.values()))

    def places(self) -> Iterator[Place]:
        """Yield all positions in use, except the frames at which bodies are attached to joints."""
        yield from (joint.first for joint in self.joints.values())
        for loop in self.loops.values():
            yield from (loop.first, loop.second)
        for contour in self.contours.values():
            yield contour.place
            yield from contour.nodes
        yield from (shape.place for shape in self.shapes.values())
        yield from (marker.place for marker in self.markers.values())
        for law in self.laws.values():
            yield from law.places or ()
        for switch in self.switches.values():
            yield from switch.places or ()
        yield from (load.place for load in self.loads.values())
        for element in self.elements.values():
            yield from element.places

    def surface_law(self, first: str, second: str) -> ContactLaw | None:
        """Return the law of two materials, or None if they pass through each other."""
        key = (min(first, second), max(first, second))
        return self.surface_laws.get(key if key in self.surface_laws else None)

    def joint_of(self, body: str) -> JointRecord | None:
        """Return the joint that `body` is attached to."""
        name = self._hangs_on.get(body)
        return None if name is None else self.joints[name]

    def hang(self, record: JointRecord) -> None:
        """Add a joint of the tree."""
        self.joints[record.name] = record
        self._hangs_on[record.second.body] = record.name
        self._above[record.second.body] = record.first.body

    def root(self, body: str) -> str:
        """Return the first body of the chain of `body`. Shorten the path for later calls."""
        root = body
        while root in self._above:
            root = self._above[root]
        while body != root:
            self._above[body], body = root, self._above[body]
        return root

    def way(self, first: str, second: str) -> str:
        """Return the existing connection of two bodies as text, empty if there is none."""
        if self.root(first) != self.root(second):
            return ""
        one, two = self._chain(first), self._chain(second)
        common = [body for body, _ in one if any(body == other for other, _ in two)]
        if not common:
            return ""

        def up(chain: list[tuple[str, str]]) -> list[tuple[str, str]]:
            return chain[: [body for body, _ in chain].index(common[0])]

        text = " - ".join(f"{body!r} - ({joint})" for body, joint in up(one))
        back = " - ".join(f"({joint}) - {body!r}" for body, joint in reversed(up(two)))
        return " - ".join(part for part in (text, repr(common[0]), back) if part)

    def _chain(self, body: str) -> list[tuple[str, str]]:
        """Return bodies and the joints they are attached to, from `body` to the root."""
        chain = [(body, "")]
        while (joint := self.joint_of(chain[-1][0])) is not None:
            chain[-1] = (chain[-1][0], joint.name)
            chain.append((joint.first.body, ""))
        return chain
