"""Names of contact states and of events, with the numbers the core uses."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ContactState", "EventKind", "StepStatus"]


class ContactState(IntEnum):
    """State of one contact between two events."""

    OPEN = 0  #: g_N > 0, or separating
    STICK = 1  #: closed, γ_T = 0
    SLIP_POSITIVE = 2  #: closed, γ_T > 0
    SLIP_NEGATIVE = 3  #: closed, γ_T < 0
    SLIP = 4  #: closed, γ_T ≠ 0 with two tangential directions

    @property
    def label(self) -> str:
        """Short text: ``open``, ``stick``, ``slip +``, ``slip -`` or ``slip``."""
        return ("open", "stick", "slip +", "slip -", "slip")[self]


class EventKind(IntEnum):
    """What happened at an event."""

    IMPACT = 0  #: contacts closed with approach: velocities jump
    TOUCH = 1  #: contacts closed without approach
    DETACH = 2  #: contacts opened without an impact
    STICK = 3  #: slip ended, sticking began
    SLIP = 4  #: sticking ended, slip began
    REVERSAL = 5  #: slip changed its direction
    SWITCH = 6  #: a force element began or ceased to act
    USER = 7  #: what `nsmb.When` and `nsmb.At` wait for

    @property
    def label(self) -> str:
        """Lower-case text, as in tables: ``impact``, ``touch``, ..."""
        return self.name.lower()


class StepStatus(IntEnum):
    """How a step of a stepped run keeps to the laws of contact, and to its `error`."""

    SOLVED = 0  #: to its `tol`
    MISSED = 1  #: the best impulses found leave more than that, see `Solution.step_residual`
    UNSOLVED = 2  #: no impulses were found: the step has none at these contacts
    COARSE = 3
    """Solved, but of the shortest length allowed, and less exact than asked; or so full of touches
    of fast shapes that some may have passed each other; or with contacts left deeper than 1000
    times `gap_tolerance`; or of a motion that turns by tens of radians in it."""
    LOCKED = 4
    """The impulses found would create energy or throw bodies apart. Instead, the contacts have come
    to rest: nothing is faster than before, but what should slide or part has stopped."""
