"""Options of the simulation methods: inputs only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

__all__ = ["EventDriven"]


@dataclass(frozen=True, eq=False)
class EventDriven:
    """Smooth motion between events that are located exactly.

    What each option means for the motion is in ``cpp/nsmb/simulation/README.md``.
    """

    rtol: float = 1e-8
    """Relative tolerance of the numerical integrators; the closed-form flow needs none."""
    integrator: str = "auto"
    """``auto``: the closed-form ``linear_flow`` where the system has one, else ``dp853``. Others:
    ``cvode`` for stiff systems, ``arkode_fehlberg78``, ``arkode_verner56``,
    ``arkode_dormand_prince45``, ``arkode_bogacki_shampine23``."""
    atol: ArrayLike | None = None
    """(nq + nu,) absolute tolerances; None: `rtol` times the largest value of each so far."""
    max_step: float = math.inf
    """Longest step, s."""
    impact_law: Literal["poisson", "newton"] = "poisson"
    """``poisson``: with friction (chapter 8). ``newton``: without friction (chapter 7)."""
    gap_tolerance: float = 1e-11
    """m: |g_N| below it counts as touching."""
    rest_velocity: float = 1e-11
    """m/s: relative velocities below it count as zero; ends accumulations of impacts."""
    start_tolerance: float = 1e-9
    """m: a start that penetrates deeper is refused."""
    max_events: int = 10_000_000
    """Events altogether, before the run ends with status ``event_limit``."""
    max_events_per_instant: int = 10_000
    """Events without progress of time, before the run ends with status ``event_limit``."""
    dense_output: bool = True
    """Keep every step as a polynomial, for :meth:`Solution.at`."""
