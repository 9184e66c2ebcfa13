"""Mean values of gear rattling: section 12.1.4 of Pfeiffer & Glocker.

The free flight between two impacts is replaced by a probability density of the impact phases, given
by its moments ``J_n = E[cosⁿ τ]``. By symmetry J_1 = 0, and J_2 = 1/2 if all phases are equally
likely. The velocities before and after an impact are assumed independent of the phase of the next
impact. This is a good approximation for ε near 1/2 and fails above 0.6. There is no damping and no
drag, as in (12.19).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import as_array, as_number, whole
from nsmb.systems.gears.gear_rattling import gear_rattling
from nsmb.systems.gears.gearbox import gearbox_two_stage

__all__ = ["TwoStageMeans"]

Vector = NDArray[np.float64]


@gear_rattling.evaluation
def second_moment(
    J_2: float, e: float, *, alpha: float = 1.0, steps: int | None = None, m_20: float = 0.0
) -> float:
    """Return the second moment of the absolute velocity φ̇ of a loose wheel, one stage.

    Parameters
    ----------
    J_2 : float
        E[cos² τ] at the impacts, in [0, 1].
    e : float
        Restitution in [0, 1), or in [0, 1] if `steps` is given.
    alpha : float
        Amplitude of the drive; with A ω r_e/r instead the result is (12.24) in (rad/s)².
    steps : int, optional
        Number of impacts after a start with the moment `m_20`, (12.22); None for the limit (12.23).
    m_20 : float
        Initial moment.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a value is out of range.
    """
    J_2, e = _moment(J_2), as_number("e", e)
    alpha, m_20 = as_number("alpha", alpha), as_number("m_20", m_20)
    steps = None if steps is None else whole("steps", steps, 0)
    _restitution(e, closed=steps is not None)
    source = (1.0 + e) ** 2 * alpha**2 * J_2  # contribution of each impact
    if steps is None:
        return source / (1.0 - e**2)  # (12.23)
    # (12.22), with the sum of the geometric series also where it has no closed form
    return source * float(np.sum(e ** (2.0 * np.arange(steps)))) + e ** (2 * steps) * m_20


@gear_rattling.evaluation
def noise(e: float, inertia: float, amplitude: float, omega: float, ratio: float) -> float:
    """Return the noise measure (1 + ε)² I A² ω²/(r/r_e)² of the discrete maps, J.

    Parameters
    ----------
    e : float
        Restitution in [0, 1].
    inertia : float
        I of the loose wheel, kg m².
    amplitude, omega : float
        A (rad) and ω (rad/s) of the driving wheel.
    ratio : float
        r/r_e, ratio of the base radii of loose wheel and driving wheel, not 0.

    Raises
    ------
    ValueError
        If a value is out of range.
    """
    e, ratio = as_number("e", e), as_number("ratio", ratio)
    _restitution(e, closed=True)
    if ratio == 0.0:
        raise ValueError("ratio: expected a number other than 0, got 0")
    speed = as_number("amplitude", amplitude) * as_number("omega", omega) / ratio
    return (1.0 + e) ** 2 * as_number("inertia", inertia) * speed**2


@dataclass(frozen=True, eq=False)
class TwoStageMeans:
    """Mean values of two loose wheels in a chain; rows and columns are the wheels."""

    mu: Vector
    """Means of φ̇_1, φ̇_2 after impacts in either mesh, (12.29), shape (2,), rad/s."""
    C_1: Vector
    """Correlations E[φ̇ φ̇ᵀ] after impacts in the first mesh, (12.31), shape (2, 2), (rad/s)²."""
    C_2: Vector
    """Correlations after impacts in the second mesh, (12.30), shape (2, 2), (rad/s)²."""
    U_1: Vector
    """Matrix of φ̇⁺ = U_1 φ̇⁻ + ζ cos ωt in the first mesh, shape (2, 2)."""
    U_2: Vector
    """Matrix of φ̇⁺ = U_2 φ̇⁻ in the second mesh, shape (2, 2)."""
    zeta: Vector
    """Vector ζ of the first mesh, shape (2,), rad/s."""


@gearbox_two_stage.evaluation
def means(
    J_2: float,
    e: float,
    *,
    inertia: ArrayLike = (1.0, 1.0),
    i_1: float = 1.0,
    i_2: float = 1.0,
    speed: float = 1.0,
    J_1: float = 0.0,
) -> TwoStageMeans:
    """Return means and correlations of two stages with alternating impacts, (12.25)-(12.31).

    The approximation is good for similar inertias and for backlashes that differ by at most a
    factor of two.

    Parameters
    ----------
    J_2, J_1 : float
        E[cos² ωt] and E[cos ωt] at the impacts of the first mesh.
    e : float
        Restitution of both meshes, in [0, 1).
    inertia : array_like, (2,)
        I_1, I_2, kg m², > 0.
    i_1, i_2 : float
        r_1/r_e and r_2/r_1, > 0.
    speed : float
        A ω of the driving wheel, rad/s.

    Returns
    -------
    TwoStageMeans

    Raises
    ------
    ValueError
        If a value is out of range.
    """
    J_2, J_1, e = _moment(J_2), as_number("J_1", J_1), as_number("e", e)
    _restitution(e, closed=False)
    I_1, I_2 = as_array("inertia", inertia, (2,))
    i_1, i_2 = as_number("i_1", i_1), as_number("i_2", i_2)
    for name, value in (("inertia", min(I_1, I_2)), ("i_1", i_1), ("i_2", i_2)):
        if not value > 0.0:
            raise ValueError(f"{name}: expected numbers > 0, got {value:g}")
    # Velocities at the teeth are u = (i_1 φ̇_1, i_1 i_2 φ̇_2); x is the ratio of the masses there.
    x = I_2 / I_1 / i_2**2
    scale = np.array([1.0 / i_1, 1.0 / (i_1 * i_2)])
    V_1 = np.diag([-e, 1.0])
    V_2 = np.eye(2) - (1.0 + e) / (1.0 + x) * np.array([[x, -x], [-1.0, 1.0]])
    turn = np.outer(scale, 1.0 / scale)
    U_1, U_2 = V_1 * turn, V_2 * turn
    zeta = np.array([(1.0 + e) * speed, 0.0]) * scale
    mu = np.linalg.solve(np.eye(2) - U_2 @ U_1, U_2 @ zeta) * J_1  # (12.29)

    def correlation(A: Vector, b: Vector, mean: Vector) -> Vector:
        # C = A C Aᵀ + (A μ bᵀ + b μᵀ Aᵀ) J_1 + b bᵀ J_2, (12.30) and (12.31)
        from scipy.linalg import solve_discrete_lyapunov as solve

        mixed = np.outer(A @ mean, b)
        source = (mixed + mixed.T) * J_1 + np.outer(b, b) * J_2
        return np.asarray(solve(A, source), dtype=np.float64)

    return TwoStageMeans(
        mu,
        correlation(U_1 @ U_2, zeta, mu),
        correlation(U_2 @ U_1, U_2 @ zeta, mu),
        U_1,
        U_2,
        zeta,
    )


def _moment(J_2: float) -> float:
    value = as_number("J_2", J_2)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"J_2: expected a number in [0, 1], got {value:g}")
    return value


def _restitution(e: float, *, closed: bool) -> None:
    if not (0.0 <= e < 1.0 or (closed and e == 1.0)):
        text = "[0, 1]" if closed else "[0, 1)"
        raise ValueError(f"e: expected a number in {text}, got {e:g}")
