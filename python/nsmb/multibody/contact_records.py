"""Records of contacts between two contours."""

from __future__ import annotations

import numpy as np

from nsmb.common.arguments import as_number
from nsmb.multibody import defaults
from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.parts import ContactRecord, ContourOnBody, ShapeOnBody
from nsmb.system.contact_laws import ContactLaw, as_contact_law

__all__ = ["check_owner", "contact_record"]


def check_owner(argument: str, given: ContourOnBody | ShapeOnBody, records: Blueprint) -> None:
    """Check that a shape, or a contour that may touch, belongs to this model."""
    known: object = None
    kind = "shape" if isinstance(given, ShapeOnBody) else "contour"
    if isinstance(given, ShapeOnBody):
        known = records.shapes.get((given.place.body, given.name))
    elif isinstance(given, ContourOnBody):
        known = records.contours.get((given.place.body, given.name))
    if known is None or known is not given:
        raise ValueError(f"{argument}: expected a {kind} of this model, got {given!r}")
    if isinstance(given, ContourOnBody) and given.is_outline:
        raise ValueError(
            f"{argument}: must be a contour from Body.contour, got the outline {given.label!r}"
        )


def contact_record(
    what: str,
    name: str,
    law: ContactLaw,
    first: ContourOnBody,
    second: ContourOnBody,
    points: int | None,
    search_distance: float | None,
    skin: float | None,
) -> ContactRecord:
    """Return the record of a contact of two contours; None selects the default."""
    law = as_contact_law(f"{what}: law", law)
    pair = first.contour, second.contour
    if not defaults.can_touch(*pair):
        straight = any(defaults.is_straight(contour) for contour in pair)
        kind = "straight without ends" if straight else "points"
        raise ValueError(
            f"{what}: expected a contour with curvature, corners or ends, got {first.label!r} and "
            f"{second.label!r}, both {kind}"
        )
    nodes = len(first.nodes) + len(second.nodes)
    if law.mu_D != 0.0:
        raise ValueError(
            f"{what}: law: must have mu_D = 0, got {law.mu_D}. Nothing turns about the normal in a "
            "plane. Use mu_R."
        )
    if law.mu_R != 0.0 and nodes > 0:
        raise ValueError(
            f"{what}: law: must have mu_R = 0 for a contour that deforms, got {law.mu_R}. Its "
            "points turn differently."
        )
    number = defaults.contact_points(*pair, nodes) if points is None else points
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
    return ContactRecord(name, law, first, second, int(number), *lengths)
