"""Turbine blades with a blocked damper, and the onset of sliding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsmb.system import Force, Harmonic, LinearSystem, State, System
from nsmb.system.parametric import data_of, parametric
from nsmb.system.recommended import Recommended
from nsmb.systems._blocks import Part, block, parts_scene
from nsmb.systems.machines.blade_damper import BladeDamperParameters

__all__ = ["BlockedResponse", "blade_damper_blocked"]

Vector = NDArray[np.float64]
Complex = NDArray[np.complex128]

_BLOCK = np.array([0, 2, 5])  # q_1, q_3, q_6: platforms and damper
_RANK = 1e-9


@parametric(BladeDamperParameters, recommended=Recommended(t_end=0.5))
def blade_damper_blocked(p: BladeDamperParameters) -> LinearSystem:
    """Blades of :func:`blade_damper` with a blocked damper: linear, without contacts.

    ===========  ==========================================================================
    coordinates  ``z`` platforms and damper, ``y_2`` left blade, ``y_4`` right blade (m),
                 relative to the equilibrium
    period       2π/omega
    source       Pfeiffer & Glocker, section 13.1.2; data as of :func:`blade_damper`
    ===========  ==========================================================================

    With the default data its lowest eigenfrequencies are 61 Hz, with the blades in phase, and 62
    Hz, with the blades in opposite phase.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range.
    """
    M, D, K = _matrices(p)
    gas = [  # A sin(ωt + φ)
        Harmonic(p.A * np.eye(3)[1], p.omega, p.phi_2 - 0.5 * np.pi),
        Harmonic(p.A * np.eye(3)[2], p.omega, p.phi_4 - 0.5 * np.pi),
    ]
    system = LinearSystem(
        M, K, D,
        force=Force(harmonics=gas),
        coordinates=["z", "y_2", "y_4"],
        coordinate_units=["m"] * 3,
        period=2.0 * np.pi / p.omega,
    )  # fmt: skip
    width = 4.0 * p.p_2
    far = np.array([(0.0, 0.0), (0.0, 0.6 * width)])
    system.scene = parts_scene(
        [
            Part("platforms", block(3.0 * width, 0.4 * width), lambda t, q: (q[0], 0.0)),
            Part("left blade", block(0.3 * width, width), lambda t, q: (q[1] - width, width)),
            Part("right blade", block(0.3 * width, width), lambda t, q: (q[2] + width, width)),
            Part("ground", far[::-1], lambda t, q: (2.3 * width, -0.1 * width)),
            Part("ground", far, lambda t, q: (-2.3 * width, -0.1 * width)),
        ],
        markers=lambda t, q: [
            (q[0] - width, 0.4 * width), (q[1] - width, width),
            (q[0] + width, 0.4 * width), (q[2] + width, width),
            (q[0] - 1.5 * width, 0.2 * width), (-2.3 * width, 0.2 * width),
            (q[0] + 1.5 * width, 0.2 * width), (2.3 * width, 0.2 * width),
        ],
        springs=[(0, 1), (2, 3), (4, 5), (6, 7)],
    )  # fmt: skip
    return system


@dataclass(frozen=True, eq=False)
class BlockedResponse:
    """The steady motion of blades with a blocked damper, for gas forces of amplitude 1 N.

    Motions and forces are the real parts of the complex amplitudes times exp(iωt).
    """

    omega: float
    """Frequency of the gas forces, rad/s."""
    start: State
    """Equilibrium without gas forces."""
    q: Complex
    """Amplitudes of the coordinates of :func:`blade_damper`, shape (7,), m/N."""
    lambda_N0: Vector
    """Normal forces at rest, shape (2,), N."""
    lambda_N: Complex
    """Amplitudes of the normal forces, shape (2,), N/N."""
    lambda_T: Complex
    """Amplitudes of the friction forces, shape (2,), N/N; they are zero at rest."""
    mu: float

    @property
    def thresholds(self) -> Vector:
        """Gas-force amplitudes at which the contacts start to slip, |λ_T| = μ λ_N, (2,), N."""
        reached = [np.abs(s * self.lambda_T - self.mu * self.lambda_N) for s in (1.0, -1.0)]
        return np.asarray(self.mu * self.lambda_N0 / np.maximum(*reached))

    @property
    def threshold(self) -> float:
        """Gas-force amplitude up to which both contacts stick, N."""
        return float(self.thresholds.min())

    def state(self, A: float) -> State:
        """Return the state at t = 0 of the steady motion with both contacts sticking.

        A run from this state has no transient while both contacts stick.

        Parameters
        ----------
        A : float
            Amplitude of the gas forces, N.
        """
        u = (1j * self.omega * self.q).real
        return State(0.0, self.start.q + A * self.q.real, A * u)


@blade_damper_blocked.evaluation
def response(
    system: System, omega: float | None = None, *, start: State | None = None
) -> BlockedResponse:
    """Return the steady motion with both contacts sticking, and its contact forces.

    The system is a :func:`blade_damper` or :func:`blade_damper_blocked`.

    If both contacts stick, the damper cannot rotate or move along the faces. The equations of
    :func:`blade_damper_blocked` are then exact. The residual of the equations of platforms and
    damper, M q̈ - h, gives the four contact forces.

    Parameters
    ----------
    system : System
        A :func:`blade_damper`.
    omega : float, optional
        Frequency of the gas forces, rad/s. Default: that of the system.
    start : State, optional
        Equilibrium without friction, such as that of `nsmb.analysis.static_start` for the system
        with A = 0. Default: ``system.initial_state``.

    Returns
    -------
    BlockedResponse

    Raises
    ------
    ValueError
        If the system is of another kind, the frequency is not positive, or `start` is not an
        equilibrium.
    """
    p = data_of(BladeDamperParameters, "a blade_damper", "system", system)
    frequency = p.omega if omega is None else float(omega)
    if not frequency > 0.0:
        raise ValueError(f"omega: expected a number > 0, got {frequency:g}")
    begin = system.initial_state if start is None else start
    lambda_N0, W = _at_rest(system, p, begin)
    M, D, K = _matrices(p)
    load = np.array([0.0, *_phases(p)])
    blocked = np.linalg.solve(K + 1j * frequency * D - frequency**2 * M, load)
    q = np.zeros(7, dtype=np.complex128)
    q[_BLOCK], q[1], q[3] = blocked
    u, udot = 1j * frequency * q, -(frequency**2) * q
    # rows of platforms and damper in (13.5), without the static part
    left = np.zeros(7, dtype=np.complex128)
    left[0] = p.m_1 * udot[0] + p.c_1 * q[0] + p.d_1 * u[0]
    left[0] -= p.c_2 * (q[1] - q[0]) + p.d_2 * (u[1] - u[0])
    left[2] = p.m_3 * udot[2] + p.c_3 * q[2] + p.d_3 * u[2]
    left[2] -= p.c_4 * (q[3] - q[2]) + p.d_4 * (u[3] - u[2])
    left[5] = p.m_5 * udot[5]
    forces = np.asarray(np.linalg.lstsq(W + 0.0j, left, rcond=None)[0], dtype=np.complex128)
    return BlockedResponse(frequency, begin, q, lambda_N0, forces[:2], forces[2:], p.mu)


def _at_rest(system: System, p: BladeDamperParameters, start: State) -> tuple[Vector, Vector]:
    """Return λ_N0 of (13.7), shape (2,), and W_N, W_T, shape (7, 4)."""
    if not isinstance(start, State) or start.q.shape != (7,):
        raise ValueError(f"start: expected a nsmb.State of a blade_damper, got {start!r}")
    kinematics = system.contact_kinematics(start.t, start.q, np.zeros(7))
    quiet = system.with_parameters(A=0.0)
    h = quiet.forces(start.t, start.q, np.zeros(7), np.zeros(0))
    W_N = kinematics["W_N"]
    lambda_N0: Vector = np.asarray(np.linalg.lstsq(W_N, -h, rcond=None)[0], dtype=np.float64)
    # tolerance: a force imbalance of this size moves a face by nanometres at most
    left = float(np.abs(h + W_N @ lambda_N0).max())
    apart = float(np.abs(kinematics["g_N"]).max())
    if left > _RANK * max(p.F_z, p.c_1 * p.p_2) or apart > _RANK:
        raise ValueError(
            f"`start`: must be an equilibrium, got gaps of {apart:.3g} m and a residual of "
            f"{left:.3g} N. Use analysis.static_start(system.with_parameters(A=0.0))."
        )
    return lambda_N0, np.hstack([W_N, kinematics["W_T"]])


def _matrices(p: BladeDamperParameters) -> tuple[Vector, Vector, Vector]:
    """Return M, D and K of z, y_2, y_4."""

    def chain(root: float, left: float, right: float) -> Vector:
        together = root + left + right
        return np.array([[together, -left, -right], [-left, left, 0.0], [-right, 0.0, right]])

    M = np.diag([p.m_1 + p.m_3 + p.m_5, p.m_2, p.m_4])
    return M, chain(p.d_1 + p.d_3, p.d_2, p.d_4), chain(p.c_1 + p.c_3, p.c_2, p.c_4)


def _phases(p: BladeDamperParameters) -> Complex:
    """Return the phases of sin(ωt + φ) = Re(phase exp(iωt)), shape (2,)."""
    return np.asarray(-1j * np.exp(1j * np.array([p.phi_2, p.phi_4])))
