"""Results of a run of the clutch, and its steady sliding at one instant."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.events.enums import ContactState
from nsmb.solution.solution import Solution
from nsmb.system import System
from nsmb.system.parametric import data_of
from nsmb.systems.machines.clutch_data import ClutchJudderParameters, DriveTrain, drive_train
from nsmb.systems.machines.clutch_judder import clutch_judder, wheels_speed

__all__ = []

Vector = NDArray[np.float64]


_data = functools.partial(data_of, ClutchJudderParameters, "a clutch_judder")


@clutch_judder.evaluation
def train(system: System) -> DriveTrain:
    """Return both chains of the drive train, before and behind the clutch.

    Raises
    ------
    ValueError
        If the system is of another kind.
    """
    return drive_train(_data("system", system))


@clutch_judder.evaluation
def frozen(system: System, slip: float, speed: float, closing: float) -> System:
    """Return the clutch in steady sliding, with the closing force and the speed of one instant.

    Engine orders and modulations are switched off, and engine torque and road load balance the
    clutch. Its initial state is therefore a motion with constant speeds, and `nsmb.analysis.modes`
    gives the growth rate of the judder.

    Parameters
    ----------
    system : System
        A :func:`clutch_judder`.
    slip : float
        Speed of the engine relative to the disc, rad/s, not 0.
    speed : float
        Speed of the car, m/s, >= 0.
    closing : float
        Closing force as a fraction of its largest value, >= 0.

    Raises
    ------
    ValueError
        If the system is of another kind or a number is out of range.
    """
    p = _data("system", system)
    if slip == 0.0 or not np.isfinite(slip):
        raise ValueError(f"slip: expected a finite number other than 0, got {slip!r}")
    for name, value in (("speed", speed), ("closing", closing)):
        if not 0.0 <= value < np.inf:
            raise ValueError(f"{name}: expected a finite number >= 0, got {value!r}")
    torque = float(np.sign(slip)) * closing * p.torque(slip)
    wheels = speed * p.ratio / p.r
    if p.n > 3:
        wheels = wheels_speed(p, wheels, torque)
    omega_0 = wheels + slip
    off = [name for name in system.parameters if name.startswith(("s_in", "s_M", "s_C", "s_G"))]
    return system.with_parameters(
        **dict.fromkeys(off, 0.0),
        b_0=closing,
        b_1=closing,
        omega_0=omega_0,
        v_0=speed,
        k_in=torque - p.d_in * omega_0,
        k_out=torque * p.ratio,
    )


@clutch_judder.evaluation
def acceleration(solution: Solution, t: ArrayLike) -> Vector:
    """Return the acceleration of the car at given times of a run, m/s².

    The measure of judder in the book is the area between the envelopes of the acceleration
    (13.2.3). The envelope is the modulus of the analytic signal (`scipy.signal.hilbert`) at
    equidistant times, without the low frequencies of the acceleration of the car.

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.
    """
    p = _data("solution.system", solution.system)
    system = solution.system
    assert system is not None
    at = solution.at(np.atleast_1d(np.asarray(t, dtype=np.float64)))
    rows = zip(np.atleast_1d(at.t), at.q, at.u, strict=True)
    torque = np.array([system.forces(float(s), q, u)[-1] for s, q, u in rows])
    J = system.mass_matrix(float(solution.t[0]), solution.q[0])[-1, -1]
    return np.asarray(torque / J * p.r / p.ratio)


@clutch_judder.evaluation
def reversals(solution: Solution) -> Vector:
    """Return the times at which the slip of the clutch changes its sign, s.

    Raises
    ------
    ValueError
        If the run is of another system.
    """
    _data("solution.system", solution.system)
    state = solution.contact_state[:, 0]
    slides = np.flatnonzero(state != ContactState.STICK)
    turns = np.flatnonzero(np.diff(state[slides])) + 1
    return np.asarray(solution.t[slides[turns]])
