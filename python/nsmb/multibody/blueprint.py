"""All records of a model, without the means to change them."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.typing import ArrayLike

from nsmb.multibody.deformable import Deformable
from nsmb.multibody.frames import as_vector
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
    SurfaceRecord,
    SwitchRecord,
)
from nsmb.system.discontinuities import Discontinuity
from nsmb.system.inputs import Input, all_inputs

__all__ = ["Blueprint"]


class Blueprint:
    """What :class:`Model` collects and a system is built from."""

    def __init__(self, gravity: ArrayLike, name: str) -> None:
        self.gravity = as_vector("gravity", gravity)
        self.name = name
        self._bodies: dict[str, BodyRecord] = {}
        self._elastic: dict[str, Deformable] = {}
        self._joints: dict[str, JointRecord] = {}
        self._hangs_on: dict[str, str] = {}
        self._above: dict[str, str] = {}
        self._loops: dict[str, JointRecord] = {}
        self._contours: dict[tuple[str, str], ContourOnBody] = {}
        self._markers: dict[tuple[str, str], Marker] = {}
        self._used_markers: set[tuple[str, str]] = set()
        self._contacts: dict[str, ContactRecord] = {}
        self._shapes: dict[tuple[str, str], ShapeOnBody] = {}
        self._surface_contacts: dict[str, SurfaceContactRecord] = {}
        self._surface_laws: dict[tuple[str, str] | None, SurfaceRecord] = {}
        self._passing_bodies: set[tuple[str, str]] = set()
        self._passing_groups: set[tuple[str, str]] = set()
        self._touching_bodies: set[tuple[str, str]] = set()
        self._laws: dict[str, LawRecord] = {}
        self._switches: dict[str, SwitchRecord] = {}
        self._loads: dict[str, LoadRecord] = {}
        self._elements: dict[str, ElementRecord] = {}
        self._frictions: dict[str, FrictionRecord] = {}
        self._discontinuities: tuple[Discontinuity, ...] = ()
        self._stops: dict[str, StopRecord] = {}

    @property
    def _inputs(self) -> tuple[Input, ...]:
        """Of all force laws, then of all loads."""
        laws = [record.inputs for record in self._laws.values()]
        return all_inputs("inputs", *laws, *(record.inputs for record in self._loads.values()))

    def _places(self) -> Iterator[Place]:
        """All places that something stands at, but where bodies hang themselves."""
        yield from (joint.first for joint in self._joints.values())
        for loop in self._loops.values():
            yield from (loop.first, loop.second)
        for contour in self._contours.values():
            yield contour.place
            yield from contour.nodes
        yield from (shape.place for shape in self._shapes.values())
        yield from (marker.place for marker in self._markers.values())
        for law in self._laws.values():
            yield from law.places or ()
        for switch in self._switches.values():
            yield from switch.places or ()
        yield from (load.place for load in self._loads.values())
        for element in self._elements.values():
            yield from element.places

    def _surface_law(self, first: str, second: str) -> SurfaceRecord | None:
        """The law of two materials; None: they have none."""
        own = self._surface_laws.get((min(first, second), max(first, second)))
        return own or self._surface_laws.get(None)

    def _joint_of(self, body: str) -> JointRecord | None:
        """The joint that `body` hangs on."""
        name = self._hangs_on.get(body)
        return None if name is None else self._joints[name]

    def _hang(self, record: JointRecord) -> None:
        """Adds a joint of the tree."""
        self._joints[record.name] = record
        self._hangs_on[record.second.body] = record.name
        self._above[record.second.body] = record.first.body

    def _root(self, body: str) -> str:
        """The first body of the chain that `body` is in; shortens the way there for the next."""
        root = body
        while root in self._above:
            root = self._above[root]
        while body != root:
            self._above[body], body = root, self._above[body]
        return root

    def _chain(self, body: str) -> list[tuple[str, str]]:
        """Bodies and the joints they hang on, from `body` to the root."""
        chain = [(body, "")]
        while (joint := self._joint_of(chain[-1][0])) is not None:
            chain[-1] = (chain[-1][0], joint.name)
            chain.append((joint.first.body, ""))
        return chain

    def _way(self, first: str, second: str) -> str:
        """How two bodies are joined already, as text; empty: they are not."""
        if self._root(first) != self._root(second):
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
