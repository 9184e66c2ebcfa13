"""What a run of the clutch tells, and what its sliding linearisation tells before any run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.extras import import_extra
from nsmb.events.enums import ContactState
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.systems.machines.clutch_data import ClutchJudderParameters, DriveTrain, drive_train
from nsmb.systems.machines.clutch_judder import clutch_judder, wheels_speed

__all__ = [
    "clutch_judder_acceleration",
    "clutch_judder_area",
    "clutch_judder_eigenvalues",
    "clutch_judder_frozen",
    "clutch_judder_reversals",
    "clutch_judder_train",
]

Vector = NDArray[np.float64]

_FULL = 1e-2  # of the whole height: what a maximum rises above its neighbours to be one


def _data(where: str, system: System | None) -> ClutchJudderParameters:
    if system is None or system.name != "clutch_judder":
        got = None if system is None else system.name
        raise ValueError(f"{where}: expected a clutch_judder, got {got!r}")
    given: Mapping[str, Any] = dict(system.parameters)
    return ClutchJudderParameters(**given)


def clutch_judder_train(system: System) -> DriveTrain:
    """Both chains of a :func:`clutch_judder`, before and behind the clutch.

    Raises
    ------
    ValueError
        For any other system.
    """
    return drive_train(_data("system", system))


# ---- linearisation ------------------------------------------------------------------------------


def clutch_judder_frozen(
    system: System, slip: float, speed: float, closing: float
) -> System:
    """The clutch with closing force and speed as at one instant, in steady sliding.

    Engine orders and modulations are off; engine torque and road load balance the clutch, so that
    its start is a motion with constant speeds, whose stability :func:`clutch_judder_eigenvalues`
    tells.

    Parameters
    ----------
    system : System
        A :func:`clutch_judder`.
    slip : float
        By which the engine is faster than the disc, rad/s, not 0.
    speed : float
        Of the car, m/s, >= 0.
    closing : float
        Closing force, of its largest value, >= 0.

    Raises
    ------
    ValueError
        For another system, or numbers out of range.
    """
    p = _data("system", system)
    if slip == 0.0:
        raise ValueError("slip: expected a number other than 0, got 0")
    torque = float(np.sign(slip)) * closing * p.torque(slip)
    wheels = speed * p.ratio / p.r
    if p.n > 3:
        wheels = wheels_speed(p, wheels, torque)
    omega_0 = wheels + slip
    off = [name for name in system.parameters if name.startswith(("s_in", "s_M", "s_C", "s_G"))]
    return clutch_judder(
        **{
            **dict(system.parameters),
            **dict.fromkeys(off, 0.0),
            "b_0": closing,
            "b_1": closing,
            "omega_0": omega_0,
            "v_0": speed,
            "k_in": torque - p.d_in * omega_0,
            "k_out": torque * p.ratio,
        }
    )


def clutch_judder_eigenvalues(
    system: System, slip: float, speed: float, closing: float = 1.0
) -> NDArray[np.complex128]:
    """Eigenvalues of small motions about steady sliding, or with the clutch sticking.

    With sliding the clutch is a damper r_m dT_C/dv_r below zero (13.16), the tyres one with the
    slope of (13.20). A pair with a positive real part is judder that grows, the imaginary part its
    angular frequency.

    Parameters
    ----------
    system : System
        A :func:`clutch_judder`; its engine orders and modulations play no part.
    slip : float
        By which the engine is faster than the disc, rad/s; 0: the clutch sticks.
    speed : float
        Of the car, m/s, >= 0.
    closing : float
        Closing force, of its largest value.

    Returns
    -------
    (2 k,) complex array, 1/s
        By the size of the imaginary part, k = n with sliding, n - 1 with sticking.

    Raises
    ------
    ValueError
        For another system, numbers out of range, or sticking on an engine that keeps its speed,
        n = 2.
    """
    p = _data("system", system)
    train = drive_train(p)
    M, D, K = _matrices(train, slip == 0.0)
    disc = train.disc - (slip == 0.0)
    if slip != 0.0:
        falls = closing * p.slope(slip)
        D[disc, disc] += falls
        if train.engine is not None:
            D[disc - 1, disc - 1] += falls
            D[disc - 1, disc] -= falls
            D[disc, disc - 1] -= falls
    if train.engine is not None:
        D[0, 0] -= p.d_in  # (13.14)
    torque = float(np.sign(slip)) * closing * p.torque(slip)
    if train.is_car_apart:
        M, D, K = _with_tyres(p, (M, D, K), speed, torque)
    else:
        _tyre_beside_spring(p, train, D, speed)
    zero, one = np.zeros_like(M), np.eye(len(M))
    inverse = np.diag(1.0 / np.diag(M))
    found = np.linalg.eigvals(np.block([[zero, one], [-inverse @ K, -inverse @ D]]))
    return np.asarray(found[np.lexsort((found.real, np.abs(found.imag)))])


def _matrices(train: DriveTrain, sticks: bool) -> tuple[Vector, Vector, Vector]:
    """M, D and K of (13.13) without clutch, tyres and engine."""
    if sticks:
        return train.stuck.matrices()
    if train.engine is None:
        return train.driven.matrices()
    both = zip(train.engine.matrices(), train.driven.matrices(), strict=True)
    M, D, K = (
        np.block([[a, np.zeros((len(a), len(b)))], [np.zeros((len(b), len(a))), b]])
        for a, b in both
    )
    return M, D, K


def _with_tyres(
    p: ClutchJudderParameters, matrices: tuple[Vector, Vector, Vector], speed: float, torque: float
) -> tuple[Vector, Vector, Vector]:
    """The car split from the last mass, with the slopes of (13.20) between."""
    M, D, K = (np.pad(matrix, (0, 1)) for matrix in matrices)
    M[-2, -2] -= p.J_car
    M[-1, -1] = p.J_car
    k = p.r * p.k_s / p.ratio
    car = speed * p.ratio / p.r
    wheels, least = wheels_speed(p, car, torque), p.v_min * p.ratio / p.r
    nominal = max(wheels, car, least)
    by_wheels, by_car = k / nominal, -k / nominal
    if nominal > least:  # v_Nom follows the faster one
        change = k * (wheels - car) / nominal**2
        by_wheels -= change * (nominal == wheels)
        by_car -= change * (nominal != wheels)
    D[-2, -2:] += (by_wheels, by_car)
    D[-1, -2:] -= (by_wheels, by_car)
    return M, D, K


def _tyre_beside_spring(
    p: ClutchJudderParameters, train: DriveTrain, D: Vector, speed: float
) -> None:
    """The tyres of two and three masses: as one more damper beside the last spring."""
    c, omega = float(train.driven.c[-1]), float(2.0 * np.pi * train.driven.frequencies()[1])
    d_T = p.r * p.k_s / p.ratio / (max(speed, p.v_min) * p.ratio / p.r)
    more = c**2 * d_T / (c**2 + (omega * d_T) ** 2)
    D[-2:, -2:] += more * np.array([[1.0, -1.0], [-1.0, 1.0]])


# ---- runs ---------------------------------------------------------------------------------------


def clutch_judder_acceleration(solution: Solution, t: ArrayLike) -> Vector:
    """Acceleration of the car of a :func:`clutch_judder` at these times, m/s².

    Raises
    ------
    ValueError
        For a run of another system, or times outside of it.
    """
    p = _data("solution.system", solution.system)
    system = solution.system
    assert system is not None
    at = solution.at(np.atleast_1d(np.asarray(t, dtype=np.float64)))
    rows = zip(np.atleast_1d(at.t), at.q, at.u, strict=True)
    torque = np.array([system.forces(float(s), q, u)[-1] for s, q, u in rows])
    J = system.mass_matrix(float(solution.t[0]), solution.q[0])[-1, -1]
    return np.asarray(torque / J * p.r / p.ratio)


def clutch_judder_reversals(solution: Solution) -> Vector:
    """Times at which a :func:`clutch_judder` slips the other way than it did before, s.

    Raises
    ------
    ValueError
        For a run of another system.
    """
    _data("solution.system", solution.system)
    state = solution.contact_state[:, 0]
    slides = np.flatnonzero(state != ContactState.STICK)
    turns = np.flatnonzero(np.diff(state[slides])) + 1
    return np.asarray(solution.t[slides[turns]])


def clutch_judder_area(
    solution: Solution, t_start: float | None = None, step: float = 2e-3
) -> float:
    """Area between the envelopes of the car's acceleration, m/s: the book's measure of judder.

    The envelopes join the maxima, and the minima, that rise by a hundredth of the whole height.

    Parameters
    ----------
    solution : Solution
        Run of a :func:`clutch_judder`.
    t_start : float, optional
        From here on, s; default: the whole run.
    step : float
        Between the samples, s.

    Raises
    ------
    ValueError
        For a run of another system.
    ImportError
        Without SciPy (``pip install nsmb[analysis]``).

    Source: Pfeiffer & Glocker, 13.2.3.
    """
    first, last = solution.t_span
    t = np.arange(first if t_start is None else t_start, last, step)
    a = clutch_judder_acceleration(solution, t)
    signal = import_extra("scipy.signal", "analysis")
    least = _FULL * float(np.ptp(a))
    upper, lower = (signal.find_peaks(s * a, prominence=least)[0] for s in (1.0, -1.0))
    if upper.size == 0 or lower.size == 0:
        return 0.0
    height = np.interp(t, t[upper], a[upper]) - np.interp(t, t[lower], a[lower])
    return float(np.trapezoid(np.maximum(height, 0.0), t))
