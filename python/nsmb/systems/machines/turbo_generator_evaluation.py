"""Torques, tooth force, currents and powers of a turbo-generator set during a fault."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_column
from nsmb.solution.sample import Sample
from nsmb.solution.solution import Solution
from nsmb.system.parametric import data_of
from nsmb.systems.machines.synchronous_machine import park_voltages
from nsmb.systems.machines.turbo_generator import (
    LOST,
    TurboGeneratorParameters,
    start_of,
    turbo_generator,
)
from nsmb.systems.machines.turbo_generator_equations import Drive, machine_of

__all__ = ["TurboGeneratorLoads", "TurboGeneratorPowers"]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TurboGeneratorLoads:
    """Torques and tooth force over time."""

    t: Vector
    """Times, shape (n,), s."""
    generator_torque: Vector
    """Air-gap torque with the sign of a consumer, -T_N under nominal load, shape (n,), N m."""
    clutch_torque: Vector
    """Clutch torque, T_N under nominal load, shape (n,), N m."""
    tooth_force: Vector
    """Tooth force along the line of action, shape (n,), N; NaN with two masses.

    It is positive at the front flank, negative at the rear flank, and zero if the flanks are apart.
    """
    direction: Vector
    """Direction e_K of (11.55) along circumference, radius and axis, shape (3,)."""
    nominal_torque: float
    """Nominal torque, N m."""
    nominal_force: float
    """Nominal tooth force, N."""

    def overload(self) -> dict[str, float]:
        """Return the largest ``generator``, ``clutch`` and ``tooth`` loads over nominal loads."""
        largest = {
            "generator": np.abs(self.generator_torque).max() / self.nominal_torque,
            "clutch": np.abs(self.clutch_torque).max() / self.nominal_torque,
            "tooth": np.abs(self.tooth_force).max() / self.nominal_force,
        }
        return {name: float(value) for name, value in largest.items()}


@dataclass(frozen=True, eq=False)
class TurboGeneratorPowers:
    """The power balance (11.60) of the generator over time, W, each array of shape (n,)."""

    t: Vector
    """Times, s."""
    grid: Vector
    """Power P_W from the grid."""
    excitation: Vector
    """Power of the excitation source."""
    ohmic: Vector
    """Losses P_V > 0 in all windings."""
    magnetic: Vector
    """Rate of the magnetic energy, zero in steady state."""
    air_gap: Vector
    """Air-gap power P_δ = ϑ̇ T_G."""
    mechanical: Vector
    """Mechanical power P_m = ϑ̇ (T_G - T_R)."""

    @property
    def missing(self) -> Vector:
        """Residual of the balance, zero up to rounding, shape (n,)."""
        return self.grid + self.excitation - self.ohmic - self.magnetic - self.air_gap


@turbo_generator.evaluation
def loads(solution: Solution, t: ArrayLike | None = None) -> TurboGeneratorLoads:
    """Return the torques and the tooth force of a run.

    Parameters
    ----------
    solution : Solution
    t : (n,) array_like, optional
        Times, s; default: the samples, including the states before and after each event.

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.

    References
    ----------
    (11.53)-(11.55), (11.59).
    """
    p, at, times = _asked(solution, t)
    drive, machine = Drive(p), machine_of(p)
    two = p.choice("model") == "two-mass"
    a, b = (0, 1) if two else (3, 4)
    c, d = drive.clutch
    clutch = c * (at.q[:, a] - at.q[:, b]) + d * (at.u[:, a] - at.u[:, b])
    if two:
        force = np.full(times.size, np.nan)
    elif p.choice("flanks") == "never apart":
        c, d = drive.teeth
        force = c * drive.arm * (at.q[:, 1] - at.q[:, 2])
        force += d * drive.arm * (at.u[:, 1] - at.u[:, 2])
    else:
        force = at.element_force[:, 0] - at.element_force[:, 1]
    alpha, beta = p.alpha, p.beta
    return TurboGeneratorLoads(
        times,
        p.T_N / p.cos_phi * machine.torque(at.x[:, :5].T),
        clutch,
        force,
        # (11.55)
        np.array([np.cos(alpha) * np.cos(beta), -np.sin(alpha) * np.cos(beta), -np.sin(beta)]),
        p.T_N,
        p.T_N / drive.arm,
    )


@turbo_generator.evaluation
def currents(solution: Solution, t: ArrayLike | None = None) -> Vector:
    """Return the phase currents of the stator relative to their rated peak, shape (n, 3).

    For the arguments, see :func:`turbo_generator.loads`.
    """
    p, at, times = _asked(solution, t)
    phases = []
    for k in range(3):
        turn = _lag(p, times) - 2.0 * np.pi / 3.0 * k + p.p * at.q[:, -1]
        phases.append(at.x[:, 0] * np.sin(turn) + at.x[:, 1] * np.cos(turn))
    return np.column_stack(phases)


@turbo_generator.evaluation
def powers(solution: Solution, t: ArrayLike | None = None) -> TurboGeneratorPowers:
    """Return the power balance (11.60) of a run from the rates of its currents.

    Parameters
    ----------
    solution : Solution
    t : (n,) array_like, optional
        Times, s; default: the samples. At a switch the values are those after it.

    Raises
    ------
    ValueError
        If the run is of another system, or a time is outside of the run.
    """
    p, at, times = _asked(solution, t)
    machine = machine_of(p)
    system = solution.system
    assert system is not None
    i = at.x[:, :5].T
    n = 1.0 + p.p * at.u[:, -1] / machine.omega
    rows = zip(times.tolist(), at.q, at.u, at.x, strict=True)
    rate = np.array([system.state_rates(*row) for row in rows]).T
    during = (times >= p.t_fault) & (times < p.t_clear)
    fault = p.choice("fault")
    lost = [during * gone for gone in LOST.get(fault, (0, 0, 0))]
    u = np.array(park_voltages(_lag(p, times), p.p * at.q[:, -1], lost, np.cos, np.sin))
    # With an open switch the voltages follow from (11.57).
    X, Z = np.array(machine.reactances()), machine.impedances(n)
    induced = [
        X[k] @ rate / machine.omega + sum(z * c for z, c in zip(Z[k], i, strict=True))
        for k in range(2)
    ]
    open = during if fault == "load-shedding" else np.zeros(times.size, dtype=np.bool_)
    if fault == "mal-synchronisation":
        open = times < p.t_fault
    u = np.where(open, induced, u)
    unit = p.T_N / p.cos_phi * machine.omega / p.p  # W
    return TurboGeneratorPowers(
        times,
        unit * (u[0] * i[0] + u[1] * i[1]),
        unit * start_of(p)[2] * i[4],
        unit * machine.losses(i),
        unit * np.einsum("kn,kl,ln->n", i, X, rate) / machine.omega,
        unit * n * machine.torque(i),
        unit * n * machine.torque(i) - n * p.T_R * machine.omega / p.p,
    )


def _asked(
    solution: Solution, t: ArrayLike | None
) -> tuple[TurboGeneratorParameters, Solution | Sample, Vector]:
    """Return the data of the system, and the run at the requested times."""
    p = data_of(TurboGeneratorParameters, "a turbo_generator", "solution.system", solution.system)
    if t is None:
        return p, solution, solution.t
    times = as_column("t", t)
    return p, solution.at(times), times


def _lag(p: TurboGeneratorParameters, t: Vector) -> Vector:
    return 2.0 * np.pi * p.f * (t - p.t_fault) + p.epsilon
