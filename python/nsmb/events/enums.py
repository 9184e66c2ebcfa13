"""Contact states, kinds of events and statuses of steps, with the numbers of the core."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ContactState", "EventKind", "StepStatus"]


class ContactState(IntEnum):
    """The state of a contact between two events."""

    OPEN = 0  #: g_N > 0, or separating
    STICK = 1  #: closed, γ_T = 0
    SLIP_POSITIVE = 2  #: closed, γ_T > 0
    SLIP_NEGATIVE = 3  #: closed, γ_T < 0
    SLIP = 4  #: closed, γ_T ≠ 0 with two tangential directions

    @property
    def label(self) -> str:
        """The short name: ``open``, ``stick``, ``slip +``, ``slip -`` or ``slip``."""
        return ("open", "stick", "slip +", "slip -", "slip")[self]


class EventKind(IntEnum):
    """The kind of an event."""

    IMPACT = 0  #: contacts closed with approach: velocities jump
    TOUCH = 1  #: contacts closed without approach
    DETACH = 2  #: contacts opened without an impact
    STICK = 3  #: slip changed to stick
    SLIP = 4  #: stick changed to slip
    REVERSAL = 5  #: slip changed its direction
    SWITCH = 6  #: a force element started or ceased to act
    USER = 7  #: user-defined event, `nsmb.When` or `nsmb.At`

    @property
    def label(self) -> str:
        """The name in lower case, as in tables: ``impact``, ``touch``, ..."""
        return self.name.lower()


class StepStatus(IntEnum):
    """The accuracy of a step of a stepped run with regard to the contact laws and its `error`."""

    SOLVED = 0  #: the contact laws are satisfied within `tol`
    MISSED = 1  #: the best impulses found violate the laws by more, see `Solution.step_residual`
    UNSOLVED = 2  #: no impulses were found: the step has none at these contacts
    COARSE = 3
    """Solved, but inaccurate for one of four reasons. The step has the minimum length and exceeds
    its `error`. Fast shapes touch so often that some may have passed through others. Contacts
    remain deeper than 1000 times `gap_tolerance`. A body rotates by tens of radians in the step."""
    LOCKED = 4
    """The impulses found would create energy or throw bodies apart. The contacts were brought to
    rest instead. No body is faster than before, but contacts that should slide or open do not."""
