"""Conversion of shapes, their laws and possible contacts from model records to the core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nsmb._core import multibody as _multibody
from nsmb.common.frames import Frame
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.joints import Fixed, Free, Planar
from nsmb.multibody.parts import GROUND, JointRecord, Place, ShapeOnBody
from nsmb.system.contact_info import ContactInfo
from nsmb.system.contact_laws import ContactLaw
from nsmb.system.method import EventsRefused

__all__ = ["can_touch", "shape_pairs", "shape_set"]

Locate = Callable[[Place], tuple[int, Frame]]
MOST_GROUPS = 32  # number of bits of a mask
MOST_POINTS = 4000  # limit for listed pairs, all of which have rows whether they touch or not
_MEET = (Free, Planar)  # joints whose bodies touch


def shape_set(model: Blueprint, locate: Locate) -> _multibody.ShapeSet:
    """Return the shapes of the core; `locate` returns the core body and frame of a position."""
    shapes = list(model.shapes.values()) if model.surface_laws else []
    materials = list(dict.fromkeys(shape.material for shape in shapes))
    groups = list(dict.fromkeys(shape.group for shape in shapes))
    if len(groups) > MOST_GROUPS:
        raise ValueError(f"groups of shapes: expected {MOST_GROUPS} at most, got {len(groups)}")
    laws: dict[ContactLaw, int] = {}
    law_of = []
    for first in materials:
        for second in materials:
            law = model.surface_law(first, second)
            law_of.append(-1 if law is None else laws.setdefault(law, len(laws)))
    owners = {GROUND: -1} | {name: k for k, name in enumerate(model.bodies)}
    placed = []
    for shape in shapes:
        body, frame = locate(shape.place)
        placed.append(
            _multibody.PlacedShape(
                shape.label,
                shape.shape._core,
                _multibody.Marker(body, frame._core()),
                owners[shape.place.body],
                materials.index(shape.material),
                1 << groups.index(shape.group),
                _mask(model, shape.group, groups),
            )
        )
    apart = [(owners[a], owners[b]) for a, b in sorted(_apart(model))]
    return _multibody.ShapeSet(placed, [law._core() for law in laws], law_of, apart)


def can_touch(model: Blueprint, shape: ShapeOnBody) -> bool:
    """Return True if the material of a shape has a law with some material."""
    laws = model.surface_laws.items()
    return any(law is not None and (key is None or shape.material in key) for key, law in laws)


def shape_pairs(
    model: Blueprint, core: _multibody.ModelSystem, marker: Callable[[Place], int]
) -> tuple[list[_multibody.ShapePair], list[ContactInfo]]:
    """Return named contacts of all shapes that may touch, for locating events."""
    shapes = list(model.shapes.values())
    pairs: list[_multibody.ShapePair] = []
    contacts: list[ContactInfo] = []
    found = core.pairs_of_shapes()
    _check_number(shapes, found)
    for i, k, _ in found:
        first, second = shapes[i], shapes[k]
        name = f"{first.label}-{second.label}"
        own = first.shape._core, second.shape._core
        law = model.surface_law(first.material, second.material)
        assert law is not None
        if not _multibody.has_feature_pairs(*own):
            raise EventsRefused(
                "where cylinders touch anything but half-spaces and spheres",
                f"the shapes of {name!r}",
                "or let the two pass with Model.let_pass",
            )
        places = marker(first.place), marker(second.place)
        pairs.append(_multibody.ShapePair(name, law._core(), *places, *own))
        points = _multibody.feature_slots(*own)
        names = [f"{name}[{p}]" for p in range(points)] if points > 1 else [name]
        contacts += [ContactInfo(each, law, tangents=2) for each in names]
    return pairs, contacts


def _check_number(shapes: Sequence[ShapeOnBody], pairs: Sequence[tuple[int, int, int]]) -> None:
    """Raise an error for more contact points than event location supports."""
    own = [(shapes[i].shape._core, shapes[k].shape._core) for i, k, _ in pairs]
    own = [pair for pair in own if _multibody.has_feature_pairs(*pair)]
    points = sum(_multibody.feature_slots(*pair) for pair in own)
    if points > MOST_POINTS:
        raise EventsRefused(
            "for so many shapes",
            f"{len(pairs)} pairs with {points} contact points, of which it takes {MOST_POINTS} at "
            "most",
            "or say with Model.let_pass which bodies never meet",
        )


def _mask(model: Blueprint, group: str, groups: Iterable[str]) -> int:
    """Return the mask of groups whose shapes those of `group` touch."""
    passing = model.passing_groups
    bits = (
        1 << k
        for k, other in enumerate(groups)
        if (min(group, other), max(group, other)) not in passing
    )
    return sum(bits)


def _apart(model: Blueprint) -> set[tuple[str, str]]:
    """Return pairs of bodies that never touch: those of a joint, with all bodies fixed to them."""
    cluster = {name: name for name in model.bodies}

    def leader(body: str) -> str:
        while cluster[body] != body:
            body = cluster[body]
        return body

    joints: list[JointRecord] = [*model.joints.values(), *model.loops.values()]
    joints = [joint for joint in joints if GROUND not in (joint.first.body, joint.second.body)]
    for joint in joints:
        if isinstance(joint.joint, Fixed):
            cluster[leader(joint.second.body)] = leader(joint.first.body)
    members: dict[str, list[str]] = {}
    for name in model.bodies:
        members.setdefault(leader(name), []).append(name)
    pairs = set(model.passing_bodies)
    for joint in joints:
        if isinstance(joint.joint, (*_MEET, Fixed)):
            continue
        for first in members[leader(joint.first.body)]:
            for second in members[leader(joint.second.body)]:
                if first != second:
                    pairs.add((min(first, second), max(first, second)))
    return pairs - (model.touching_bodies - model.passing_bodies)
