"""The data of a figure at one instant: coordinates, contact states and forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb._core import simulation as _simulation
from nsmb.common.arguments import as_array, as_states
from nsmb.events.enums import ContactState
from nsmb.pictures.subjects import Motion, Subject

if TYPE_CHECKING:
    from nsmb.pictures.subjects import Motion

__all__ = ["FoundForces", "Instant", "instant", "instant_of_run", "shown_state"]

Floats = NDArray[np.float64]

# m and m/s: interpolated states of a run do not satisfy the contact constraints exactly.
_GAP, _VELOCITY = 1e-7, 1e-7
_TOUCHING = 1e-6  # gaps drawn as contact, relative to the size of the figure


@dataclass(frozen=True, eq=False)
class FoundForces:
    """The n contacts with forces in a model with `Model.collide`."""

    point: Floats
    """Contact points, shape (n, 3), m."""
    force: Floats
    """Forces on one of the two shapes, shape (n, 3), N."""
    state: NDArray[np.int8]
    """Values of `nsmb.ContactState`, shape (n,)."""
    identity: NDArray[np.uint64]
    """Identities of the contacts, shape (n,)."""


@dataclass(frozen=True, eq=False)
class Instant:
    """The data of one instant.

    `states` and forces are None if velocities are unknown. Forces are also None if the contact laws
    have no solution, as at the end of a run that jams.
    """

    t: float
    q: Floats
    """Coordinates, shape (nq,)."""
    g_N: Floats
    """Gaps, shape (nc,), m."""
    states: NDArray[np.int8] | None = None
    """Values of `nsmb.ContactState`, shape (nc,)."""
    lambda_N: Floats | None = None
    """Normal forces, shape (nc,), N."""
    lambda_T: Floats | None = None
    """Friction forces, shape (nt,), N."""
    found: FoundForces | None = None
    """Contacts without names, if the run stores them."""

    def __post_init__(self) -> None:
        forces = (self.lambda_N, self.lambda_T)
        if any(force is not None and not np.isfinite(force).all() for force in forces):
            object.__setattr__(self, "lambda_N", None)
            object.__setattr__(self, "lambda_T", None)

    @property
    def largest_force(self) -> float:
        """Largest contact force, N; zero if no force is known."""
        if self.found is not None:
            return float(np.linalg.norm(self.found.force, axis=1).max(initial=0.0))
        if self.lambda_N is None or self.lambda_T is None:
            return 0.0
        return float(np.abs(np.concatenate([self.lambda_N, self.lambda_T, [0.0]])).max())


def instant(
    system: Subject,
    t: float,
    q: ArrayLike,
    u: ArrayLike | None = None,
    x: ArrayLike | None = None,
) -> Instant:
    """Return the data at (t, q) and, with velocities, the solution of the contact laws.

    Raises
    ------
    ValueError
        If an array has a wrong shape or contains NaN.
    """
    time, position = float(as_array("t", t, ())), as_array("q", q, (system.nq,))
    if u is None:
        g_N = system.contact_kinematics(time, position, np.zeros(system.nu))["g_N"]
        return Instant(time, position, g_N)
    velocity = as_array("u", u, (system.nu,))
    if system._core.finds_contacts:  # forces exist only for steps
        return Instant(time, position, np.zeros(0))
    given = as_states("x", () if x is None else x, system._core.nx_own, system.nx)
    states = np.zeros(system.nx)
    states[: given.size] = given
    return _solved(system, time, position, velocity, states)


def shown_state(system: Subject, now: Instant, i: int, size: float) -> ContactState | None:
    """Return the state of a closed contact, OPEN if it touches with unknown state, otherwise None.

    Gaps below a millionth of `size`, the size of the figure, count as touching.
    """
    state = ContactState.OPEN if now.states is None else ContactState(int(now.states[i]))
    if state != ContactState.OPEN:
        return state
    touches = abs(now.g_N[i]) <= _TOUCHING * size
    return state if system.contacts[i].is_unilateral and touches else None


def instant_of_run(solution: Motion, t: float, side: Literal["left", "right"]) -> Instant:
    """Return the data of a run at a time, with forces from the contact laws as in the run.

    Interpolated states satisfy the contact constraints only approximately. If the laws therefore
    give contact states that differ from those of the run, forces are taken from adjacent samples.
    """
    system = solution.system
    sample = solution.at(t, side)
    if system._core.finds_contacts:
        return Instant(float(t), sample.q, np.zeros(0), found=_found(solution, float(t)))
    now = _solved(system, float(t), sample.q, sample.u, sample.x)
    if system._core.has_features or np.array_equal(now.states, sample.contact_state):  # type: ignore[arg-type]
        return now
    if side == "right":
        before = int(np.searchsorted(solution.t, t, side="right")) - 1
        after = min(before + 1, solution.t.size - 1)
    else:
        after = int(np.searchsorted(solution.t, t, side="left"))
        before = max(after - 1, 0)
    length = float(solution.t[after] - solution.t[before])
    s = (float(t) - float(solution.t[before])) / length if length > 0.0 else 0.0
    return Instant(
        now.t,
        now.q,
        now.g_N,
        sample.contact_state,
        (1.0 - s) * solution.lambda_N[before] + s * solution.lambda_N[after],
        (1.0 - s) * solution.lambda_T[before] + s * solution.lambda_T[after],
    )


def _found(solution: Motion, t: float) -> FoundForces:
    """Return the contacts of the sample closest to a time, the last one of simultaneous samples."""
    after = int(np.searchsorted(solution.t, t, side="right"))
    before = max(after - 1, 0)
    after = min(after, solution.t.size - 1)
    k = before if t - solution.t[before] <= solution.t[after] - t else after
    rows = solution.contacts.points.at(k)
    presses = rows.lambda_N > 0.0
    return FoundForces(
        rows.point[presses], rows.force[presses], rows.state[presses], rows.identity[presses]
    )


def _solved(system: Subject, t: float, q: Floats, u: Floats, x: Floats) -> Instant:
    """Return states and forces at the start of a run of zero duration."""
    run = _simulation.EventDriven(
        system._core,
        gap_tolerance=_GAP,
        rest_velocity=_VELOCITY,
        start_tolerance=float(np.finfo(np.float64).max),
        dense_output=False,
    )
    run.reset(t, q, u, x)
    run.advance(t)
    data = run.trajectory()
    samples = data["t"].size
    if samples == 0:
        return Instant(t, q, system.contact_kinematics(t, q, u)["g_N"])
    return Instant(
        t,
        q,
        data["g_N"].reshape(samples, system.nc)[-1],
        data["contact_state"].reshape(samples, system.nc)[-1],
        data["lambda_N"].reshape(samples, system.nc)[-1],
        data["lambda_T"].reshape(samples, system.nt)[-1],
    )
