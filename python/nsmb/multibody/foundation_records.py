"""Records of elastic foundations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nsmb.common.arguments import in_range, left_out, one_of, positive
from nsmb.geometry.shapes.triangles import TriangleMesh
from nsmb.multibody.areal import ElasticSurface, FoundationForce, series_stiffness
from nsmb.multibody.deformable import Deformable
from nsmb.multibody.parts import ElementRecord, Place

__all__ = ["foundation_record"]


def foundation_record(
    what: str,
    name: str,
    surfaces: tuple[TriangleMesh | ElasticSurface, TriangleMesh | ElasticSurface],
    places: tuple[Place, Place],
    moved: tuple[bool, bool],
    options: Mapping[str, Any],
    bodies: Mapping[str, Deformable],
) -> ElementRecord:
    """Return the record of an elastic foundation.

    `moved` contains whether the surface of each body was given its own position. `options` are
    those of `Model.add_elastic_foundation`.
    """
    given = dict(options)
    stiffness, layers = given["stiffness"], given["layers"]
    damping, mu = given["damping"], given["mu"]
    if (stiffness is None) == (layers is None):
        raise ValueError(f"{what}: must have either a stiffness or layers, got both or none")
    if damping is None:
        left_out(
            f"{what}: transition_depth", given["transition_depth"], "without damping",
            "Give damping, too.",
        )  # fmt: skip
    if mu is None:
        left_out(
            f"{what}: switch_velocity", given["switch_velocity"], "without friction",
            "Give mu, too.",
        )  # fmt: skip
    numbers = {
        key: 0.0 if given[key] is None else given[key]
        for key in ("damping", "transition_depth", "mu")
    }
    slow = given["switch_velocity"]
    try:
        element = _foundation(
            surfaces,
            series_stiffness(layers) if layers is not None else stiffness,
            numbers,
            1e-3 if slow is None else slow,
            given["depth"],
            (
                one_of("elements", given["elements"], ("clipped", "barycentre")),
                one_of("base", given["base"], ("both", "first", "second")),
                one_of("velocity", given["velocity"], ("barycentric", "average")),
            ),
            places[0].body == places[1].body,
        )
        coordinates = _surface_coordinates(element, places, moved, bodies)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    return ElementRecord(name, element, places, coordinates)


def _surface_coordinates(
    element: FoundationForce,
    places: tuple[Place, Place],
    moved: tuple[bool, bool],
    bodies: Mapping[str, Deformable],
) -> tuple[str, ...]:
    """Return the elastic coordinates of both bodies, without duplicates."""
    found: dict[str, None] = {}
    for k, (place, side) in enumerate(zip(places, element.sides, strict=True)):
        if side.count == 0:
            continue
        elastic = bodies.get(place.body)
        count = 0 if elastic is None else elastic.count
        if count != side.count:
            raise ValueError(
                f"surface_{k + 1}: expected one of {place.body!r} with {count} elastic "
                f"coordinates, got one with {side.count}"
            )
        if getattr(elastic, "stiffening", None) is not None:
            raise ValueError(
                f"body_{k + 1}: expected a body without stiffening, got {place.body!r}"
            )
        if moved[k]:
            raise ValueError(
                f"surface_{k + 1}: must be a surface in the frame of {place.body!r}, got a "
                "surface with another position"
            )
        found |= {f"{place.body}.q{i + 1}": None for i in range(count)}
    return tuple(found)


def _foundation(
    surfaces: tuple[Any, Any],
    stiffness: Any,
    numbers: dict[str, Any],
    switch_velocity: float,
    depth: float,
    choices: tuple[str, str, str],
    same_body: bool,
) -> FoundationForce:
    deep = in_range("depth", depth, 0.0)
    checked = {name: in_range(name, value, 0.0) for name, value in numbers.items()}
    checked["stiffness"] = positive("stiffness", stiffness)
    checked["switch_velocity"] = positive("switch_velocity", switch_velocity)
    return FoundationForce(surfaces, deep, checked, choices, same_body)
