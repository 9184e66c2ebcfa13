"""What pictures show of one instant: coordinates, contact states and forces."""

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

# m and m/s: a state of a run lies on its polynomials and not exactly on the contacts.
_GAP, _VELOCITY = 1e-7, 1e-7
_TOUCHING = 1e-6  # of the size of the picture: gaps this small are drawn as contact


@dataclass(frozen=True, eq=False)
class FoundForces:
    """Contacts of shapes that touch anywhere, n of them that press."""

    point: Floats
    """(n, 3) m"""
    force: Floats
    """(n, 3) N, on either of the two shapes."""
    state: NDArray[np.int8]
    """(n,) values of `nsmb.ContactState`."""
    identity: NDArray[np.uint64]
    """(n,)"""


@dataclass(frozen=True, eq=False)
class Instant:
    """One instant; `states` and forces are None where velocities are not known, and forces also
    where the contact laws have no solution, as at the end of a run that jams."""

    t: float
    q: Floats
    """(nq,)"""
    g_N: Floats
    """(nc,) m"""
    states: NDArray[np.int8] | None = None
    """(nc,) values of `nsmb.ContactState`."""
    lambda_N: Floats | None = None
    """(nc,) N"""
    lambda_T: Floats | None = None
    """(nt,) N"""
    found: FoundForces | None = None
    """Contacts that have no names, of runs that know them."""

    def __post_init__(self) -> None:
        forces = (self.lambda_N, self.lambda_T)
        if any(force is not None and not np.isfinite(force).all() for force in forces):
            object.__setattr__(self, "lambda_N", None)
            object.__setattr__(self, "lambda_T", None)

    @property
    def largest_force(self) -> float:
        """N, zero where none is known."""
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
    """(t, q) and, with velocities, what the contact laws say there.

    Raises
    ------
    ValueError
        For wrong shapes and NaN.
    """
    time, position = float(as_array("t", t, ())), as_array("q", q, (system.nq,))
    if u is None:
        g_N = system.contact_kinematics(time, position, np.zeros(system.nu))["g_N"]
        return Instant(time, position, g_N)
    velocity = as_array("u", u, (system.nu,))
    if system._core.finds_contacts:  # forces are those of steps
        return Instant(time, position, np.zeros(0))
    given = as_states("x", () if x is None else x, system._core.nx_own, system.nx)
    states = np.zeros(system.nx)
    states[: given.size] = given
    return _solved(system, time, position, velocity, states)


def shown_state(system: Subject, now: Instant, i: int, size: float) -> ContactState | None:
    """State of a contact that is closed; OPEN where it is only known to touch, else None.

    Gaps below a millionth of `size`, that of the picture, count as touching.
    """
    state = ContactState.OPEN if now.states is None else ContactState(int(now.states[i]))
    if state != ContactState.OPEN:
        return state
    touches = abs(now.g_N[i]) <= _TOUCHING * size
    return state if system.contacts[i].is_unilateral and touches else None


def instant_of_run(solution: Motion, t: float, side: Literal["left", "right"]) -> Instant:
    """What a run says at a time; forces from the contact laws, as in the run.

    Where the laws, asked anew, decide on other contact states than the run (it stands on its
    polynomials, a hair beside the contact), forces come from the samples around.
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
    """Those of the sample nearest to a time; of an instant its last one."""
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
    """States and forces at the start of a run of no length."""
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
