"""A cantilever that strikes a stop.

The reference is a linear system of its modes, from matrices made here, in closed form between
impacts. Orbits and branches of both are compared.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh

import nsmb
from nsmb import analysis
from nsmb.systems import impacting_beam

Array = NDArray[np.float64]
L, WIDTH, THICKNESS, E, RHO, ZETA = 0.3, 0.02, 1e-3, 2.1e11, 7850.0, 0.02
EI, MASS = E * WIDTH * THICKNESS**3 / 12.0, RHO * WIDTH * THICKNESS
GAP, SHAKE, E_N = 2e-3, 1e-3, 0.6


def cantilever(n: int) -> tuple[Array, Array]:
    """Return M and K of n Hermite elements with rows w, w' of the nodes, clamped at the left."""
    h = L / n
    m = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
                  [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]])  # fmt: skip
    k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
                  [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]])  # fmt: skip
    # The library's beam includes the rotary inertia of cross-sections, small here.
    turns = np.array([[36, 3 * h, -36, 3 * h], [3 * h, 4 * h**2, -3 * h, -(h**2)],
                      [-36, -3 * h, 36, -3 * h], [3 * h, -(h**2), -3 * h, 4 * h**2]])  # fmt: skip
    M, K = np.zeros((2 * n + 2, 2 * n + 2)), np.zeros((2 * n + 2, 2 * n + 2))
    for i in range(n):
        own = slice(2 * i, 2 * i + 4)
        M[own, own] += MASS * h / 420.0 * m + RHO * WIDTH * THICKNESS**3 / 12.0 / (30.0 * h) * turns
        K[own, own] += EI / h**3 * k
    return M, K


def linear(modes: int, omega: float, n: int = 20) -> nsmb.LinearSystem:
    """Return the linear system in modal coordinates with unit tip displacement."""
    M, K = cantilever(n)
    squares, V = eigh(K[2:, 2:], M[2:, 2:], subset_by_index=(0, modes - 1))
    V = V / V[-2]
    shake = -(V.T @ M[2:, ::2].sum(axis=1)) * SHAKE * omega**2
    mass = np.diag(V.T @ M[2:, 2:] @ V)
    return nsmb.LinearSystem(
        np.diag(mass), np.diag(squares * mass), np.diag(2.0 * ZETA * np.sqrt(squares) * mass),
        # -M_rigid a with a = -SHAKE omega^2 cos(omega t)
        force=nsmb.Force(harmonics=[nsmb.Harmonic(-shake, omega)]),
        contacts=[nsmb.Contact(w_N=np.ones(modes), gap=GAP, law=nsmb.ContactLaw(e_N=E_N))],
    )  # fmt: skip


@cache
def orbit_of(modes: int, omega: float) -> analysis.results.PeriodicOrbit:
    return analysis.periodic_orbit(impacting_beam(modes=modes, omega=omega), transient=60)


def sorted_moduli(orbit: analysis.results.PeriodicOrbit) -> Array:
    return np.sort(np.abs(orbit.multipliers))


def test_frequencies_are_those_of_euler_and_bernoulli() -> None:
    """β L = 1.875104, 4.694091, 7.854757.

    Elements and rotary inertia change the third by 3e-5.
    """
    system = impacting_beam()
    squares = np.linalg.eigvals(np.linalg.solve(
        system.mass_matrix(0.0, np.zeros(3)), -stiffness(system)))  # fmt: skip
    exact = np.array([1.875104069, 4.694091133, 7.854757438]) ** 2 * np.sqrt(EI / MASS / L**4)
    assert np.sort(np.sqrt(squares.real)) == pytest.approx(exact, rel=1e-4)


def stiffness(system: nsmb.MultibodySystem) -> Array:
    """Return -∂F/∂q of linear forces."""
    rest = system.forces(0.0, np.zeros(3), np.zeros(3))
    columns = [system.forces(0.0, 1e-3 * e, np.zeros(3)) - rest for e in np.eye(3)]
    return np.array(columns).T / 1e-3


@pytest.mark.parametrize(("modes", "omega"), [(1, 70.0), (2, 95.0), (3, 95.0), (3, 70.0)])
def test_it_moves_as_its_modes_as_a_linear_system(modes: int, omega: float) -> None:
    """Five periods agree, at 70 rad/s with chatter up to rest at the stop.

    Measured: 8e-8, 5e-11 s.
    """
    sol = nsmb.simulate(impacting_beam(modes=modes, omega=omega), 5 * 2 * np.pi / omega)
    other = nsmb.simulate(linear(modes, omega), sol.t[-1])
    times = np.linspace(0.0, sol.t[-1], 501)
    tip, exact = (run.at(times).g_N[:, 0] for run in (sol, other))
    assert sol.events.of_kind("impact").t[0] == pytest.approx(
        other.events.of_kind("impact").t[0], abs=1e-9
    )
    assert np.abs(tip - exact).max() < 1e-6 * np.ptp(exact)


@pytest.mark.parametrize(("modes", "omega"), [(1, 70.0), (3, 95.0)])
def test_its_orbit_and_multipliers_are_those_of_the_linear_system(modes: int, omega: float) -> None:
    orbit = orbit_of(modes, omega)
    other = analysis.periodic_orbit(linear(modes, omega), transient=60)
    assert orbit.stability == other.stability == "stable"
    own, exact = (o.solution.events.of_kind("impact").t for o in (orbit, other))
    assert len(own) == len(exact) == modes
    period = 2 * np.pi / omega
    assert np.sort(own % period) == pytest.approx(np.sort(exact % period), abs=1e-8)
    assert sorted_moduli(orbit) == pytest.approx(sorted_moduli(other), abs=1e-6)


def test_derivatives_through_its_impacts_are_those_of_differences() -> None:
    """Derivatives of a period with three impacts agree to 1e-6 of the largest, measured 1e-8."""
    orbit, system = orbit_of(3, 95.0), impacting_beam(omega=95.0)
    t, q, u = orbit.solution.t[0], orbit.solution.q[0], orbit.solution.u[0]
    x = np.concatenate([q, u])

    def run(x: Array, **options: bool) -> nsmb.Solution:
        return nsmb.simulate(
            system, orbit.solution.t[-1], t_start=t, q=x[:3], u=x[3:],
            method=nsmb.EventDriven(rtol=1e-12), **options,
        )  # fmt: skip

    def end(x: Array) -> Array:
        sol = run(x)
        return np.concatenate([sol.q[-1], sol.u[-1]])

    exact = run(x, sensitivity=True).sensitivity.state
    scale = np.abs(np.hstack([orbit.solution.q, orbit.solution.u])).max(axis=0)
    h = 1e-5
    differences = np.array([
        (end(x + h * s) - end(x - h * s)) / (2.0 * h) for s in np.diag(scale)
    ]).T  # fmt: skip
    exact = exact * scale
    assert (
        np.abs((differences - exact) / scale[:, None]).max()
        < 1e-6 * np.abs(exact / scale[:, None]).max()
    )


def test_its_branch_is_that_of_the_linear_system() -> None:
    """A branch with three impacts per period is followed over the frequency.

    At its end, the linear system has the same orbit, found independently.
    """
    branch = analysis.continuation(
        orbit_of(3, 95.0), "omega", (94.0, 96.0), max_points=4, direction=1
    )
    assert len(branch.values) >= 3
    last = branch.points[-1]
    omega = float(branch.values[-1])
    assert omega > 95.05
    begin = last.solution
    start = nsmb.State(t=begin.t[0], q=begin.q[0], u=begin.u[0])
    again = analysis.periodic_orbit(linear(3, omega), start=start, section_points=1)
    assert sorted_moduli(again) == pytest.approx(sorted_moduli(last), abs=1e-6)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"modes": 41}, "parameter 'modes': expected at most 2 n = 40, got 41"),
        ({"omega": 0.0}, "omega"),
        ({"width": 1.0}, "width"),
    ],
)
def test_bad_data_are_named(data: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        impacting_beam(**data)
