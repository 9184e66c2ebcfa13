"""Records of the laws of shapes, and of contacts between two of them."""

from __future__ import annotations

from nsmb.multibody.blueprint import Blueprint
from nsmb.multibody.parts import ShapeOnBody, SurfaceContactRecord
from nsmb.multibody.register import Register
from nsmb.multibody.smooth_pairs import surface_contacts
from nsmb.system.contact_laws import ContactLaw, as_contact_law

__all__ = ["surface_contact_records", "surface_law"]


def surface_law(
    law: ContactLaw | None,
    materials: tuple[str, str] | None,
    records: Blueprint,
) -> tuple[tuple[str, str] | None, ContactLaw | None]:
    """Return two materials in order, or None for all pairs, and their law."""
    if law is not None:
        law = as_contact_law("law", law)
    key = None
    if materials is not None:
        is_pair = isinstance(materials, (tuple, list))
        names = tuple(materials) if is_pair else ()
        if len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise ValueError(f"materials: expected two names, got {materials!r}")
        key = (min(names), max(names))
    if key in records.surface_laws:
        what = "all materials" if key is None else f"{key[0]!r} and {key[1]!r}"
        raise ValueError(f"materials: expected one law for {what}, got a second one")
    return key, law


def surface_contact_records(
    what: str,
    name: str,
    law: ContactLaw,
    first: ShapeOnBody,
    second: ShapeOnBody,
    inside: bool,
    register: Register,
) -> list[SurfaceContactRecord]:
    """Return a record for each possible contact point between two shapes."""
    law = as_contact_law(f"{what}: law", law)
    found = surface_contacts(what, name, law, first, second, inside)
    for record in found:
        register.new_name("contact", record.name)
    return found
