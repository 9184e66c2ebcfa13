"""Descriptions of the contacts of a system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nsmb._core import system as _system
from nsmb.common.arguments import unknown_name
from nsmb.common.labels import resistance_of
from nsmb.system.contact_laws import ContactLaw, as_contact_law

__all__ = ["ContactInfo", "resistances"]


@dataclass(frozen=True)
class ContactInfo:
    """A contact of a system: its name, its law and its tangential directions."""

    name: str
    law: ContactLaw
    tangents: int = 1
    normal: str | None = None
    """Name of the contact whose normal force enters the bound of a `nsmb.Friction`, or None."""
    is_unilateral: bool = True
    """True for a contact with a gap, False for a `nsmb.Friction`."""
    bounded: bool = True
    """False for a `nsmb.Friction` that acts only while the contact `normal` is closed."""

    def __post_init__(self) -> None:
        as_contact_law(f"contact {self.name!r}: law", self.law)
        if not isinstance(self.tangents, int) or self.tangents not in (1, 2):
            raise ValueError(
                f"contact {self.name!r}: tangents: expected 1 or 2, got {self.tangents}"
            )

    def _core(self, others: Sequence[ContactInfo]) -> _system.ContactDescription:
        """Return the description for the core; `others` are all contacts of the system."""
        if self.is_unilateral:
            return _system.ContactDescription(
                self.name, self.law._core(), _system.ContactKind.Unilateral, self.tangents, -1
            )
        index = -1
        if self.normal is not None:
            names = [contact.name for contact in others if contact.is_unilateral]
            if self.normal not in names:
                raise unknown_name(f"contact {self.name!r}: normal", self.normal, names)
            index = [contact.name for contact in others].index(self.normal)
        return _system.ContactDescription(
            self.name,
            self.law._core(),
            _system.ContactKind.Friction,
            self.tangents,
            index,
            self.bounded,
        )


def resistances(contacts: Sequence[ContactInfo]) -> Iterator[ContactInfo]:
    """Yield the resistances to rolling and drilling of contacts, in the order of the core."""
    for contact in contacts:
        kinds = (("rolling", contact.law.mu_R, contact.tangents), ("drilling", contact.law.mu_D, 1))
        for kind, coefficient, tangents in kinds:
            if coefficient > 0.0:
                name, law = resistance_of(contact.name, kind), ContactLaw(mu=coefficient)
                yield ContactInfo(name, law, tangents, contact.name, False, False)
