"""A bar that hits a wall.

References are d'Alembert's solution, the closed-form wall force as a sum over modes, and the chain
of all elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import brentq

import nsmb
from nsmb.systems import impacting_bar
from tests.support.methods import FORCE_SCHEMES, stepping

Array = NDArray[np.float64]
RUBBER = {"E": 1e6, "rho": 1000.0}
STEEL = {"E": 2.1e11, "rho": 7850.0}
GAP, SPEED, AREA = 5e-3, 1.0, 1e-4


def chain(n: int, E: float, rho: float) -> tuple[Array, Array]:
    """Return M and K of n linear elements with a total length of 1 m."""
    M, K = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    for i in range(n):
        M[i : i + 2, i : i + 2] += rho * AREA / (6.0 * n) * np.array([[2.0, 1.0], [1.0, 2.0]])
        K[i : i + 2, i : i + 2] += E * AREA * n * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return M, K


class HeldModes:
    """The modes of the chain held at node 0, which stops at t = 0.

    F = Σ a² ω sin ωt, where a is the participation of a mode of unit mass in a rigid
    translation.
    """

    def __init__(self, n: int, E: float, rho: float) -> None:
        M, K = chain(n, E, rho)
        squares, V = eigh(K[1:, 1:], M[1:, 1:])
        self.omega = np.sqrt(squares)
        self.square = (V.T @ (M[1:, 1:].sum(axis=1) + M[1:, 0])) ** 2
        self.mass = M.sum()
        self.length = 2.0 * np.sqrt(rho / E)

    def leaves(self, k: int) -> float:
        """Return the time in s from touch to zero force, with k modes."""
        omega, c = self.omega[:k], self.square[:k] * self.omega[:k]
        t = np.linspace(0.9, 1.1, 401) * self.length
        first = int(np.argmax(np.sin(np.outer(t, omega)) @ c < 0.0))
        return float(brentq(lambda s: np.sin(omega * s) @ c, t[first - 1], t[first], xtol=1e-16))

    def velocity(self, k: int) -> float:
        """Return the final velocity of the centre of mass in m/s.

        It includes the instantaneous impulse on the node.
        """
        omega, square = self.omega[:k], self.square[:k]
        impulse = square @ (1.0 - np.cos(omega * self.leaves(k))) + self.mass - square.sum()
        return float(SPEED * (impulse / self.mass - 1.0))


def measured(sol: nsmb.Solution) -> tuple[float, float]:
    """Return duration and velocity of a run with one impact and one detachment."""
    assert [e.kind for e in sol.events] == [nsmb.EventKind.IMPACT, nsmb.EventKind.DETACH]
    return float(np.diff(sol.events.t)[0]), velocity(sol)


def velocity(sol: nsmb.Solution) -> float:
    assert sol.system is not None
    M = sol.system.mass_matrix(sol.t[-1], sol.q[-1])
    return float((M @ sol.u[-1])[0] / M[0, 0])


@pytest.mark.parametrize(("data", "t_end"), [(RUBBER, 0.1), (STEEL, 6e-3)], ids=["rubber", "steel"])
def test_it_stays_and_leaves_as_its_wave_says(data: dict[str, float], t_end: float) -> None:
    duration, after = measured(nsmb.simulate(impacting_bar(**data), t_end))
    assert impacting_bar.duration(**data) == pytest.approx(2.0 * np.sqrt(data["rho"] / data["E"]))
    assert duration == pytest.approx(impacting_bar.duration(**data), rel=0.01)  # measured: 0.0043
    assert after == pytest.approx(SPEED, rel=0.01)  # measured: 0.0081


@pytest.mark.parametrize("k", [5, 20, 40])
@pytest.mark.parametrize(("data", "t_end"), [(RUBBER, 0.1), (STEEL, 6e-3)], ids=["rubber", "steel"])
def test_instants_are_those_of_the_kept_modes(data: dict[str, float], t_end: float, k: int) -> None:
    """All 40 modes are a complete basis. The bar touches once."""
    exact = HeldModes(40, **data)
    method = nsmb.EventDriven(rtol=1e-10)
    sol = nsmb.simulate(impacting_bar(n=40, modes=k, **data), t_end, method=method)
    duration, after = measured(sol)
    assert sol.events.t[0] == pytest.approx(GAP / SPEED, abs=1e-12)
    assert duration == pytest.approx(exact.leaves(k), rel=1e-7)
    assert after == pytest.approx(exact.velocity(k), abs=1e-6)


def test_the_chain_of_all_elements_agrees() -> None:
    """The chain has a closed-form flow and no floating frame."""
    n = 100
    M, K = chain(n, **RUBBER)
    wall = nsmb.Contact(w_N=np.eye(n + 1)[0], gap=GAP, name="wall")
    start = nsmb.State(0.0, np.zeros(n + 1), np.full(n + 1, -SPEED))
    system = nsmb.LinearSystem(M, K=K, contacts=[wall], initial_state=start)
    sol = nsmb.simulate(system, 0.1)
    # The force starts at zero, so that rounding may cause it to detach and touch again at once.
    touches, leaves = sol.events.t[0], sol.events.of_kind("detach").t[-1]
    assert touches == pytest.approx(GAP / SPEED, abs=1e-12)
    assert leaves - touches == pytest.approx(HeldModes(n, **RUBBER).leaves(n), abs=1e-10)


@pytest.mark.parametrize(("n", "of_rubber", "of_steel"), [(100, 90, 17), (200, 174, 19)])
def test_so_many_modes_leave_within_a_microsecond_of_all(
    n: int, of_rubber: int, of_steel: int
) -> None:
    """This holds for all larger numbers of modes.

    Rubber takes 63 ms, of which a microsecond is 1.6e-5. Elements disperse the wave front, to which
    each mode contributes. Steel takes 0.39 ms.
    """
    for data, enough in ((RUBBER, of_rubber), (STEEL, of_steel)):
        exact = HeldModes(n, **data)
        off = np.array([exact.leaves(k) for k in range(1, n + 1)]) - exact.leaves(n)
        assert np.flatnonzero(np.abs(off) > 1e-6)[-1] + 2 == enough


def test_free_modes_leave_twice_as_much_mass_at_the_node() -> None:
    """The share is 1/(1 + 2k), as each mode moves the end by √2 for its mass.

    Held modes leave 1 - Σ 8/(π² (2k-1)²).
    """
    for k in (5, 10):
        free = nsmb.simulate(impacting_bar(modes=k, basis="free-free"))
        held = nsmb.simulate(impacting_bar(modes=k))
        rest = 1.0 - sum(8.0 / (np.pi * (2 * j - 1)) ** 2 for j in range(1, k + 1))
        assert measured(held)[1] == pytest.approx(SPEED * (1.0 - rest), abs=2e-3)
        assert velocity(free) == pytest.approx(SPEED * (1.0 - 1.0 / (1.0 + 2.0 * k)), abs=2e-3)


@pytest.mark.parametrize("scheme", [s for s in FORCE_SCHEMES if s != "euler-position"])
def test_schemes_that_find_forces(scheme: str) -> None:
    """With 1600 steps, duration agrees to one per cent, and velocity with the kept modes."""
    h = 5e-5
    options: dict[str, Any] = {"mixing": 0.5} if scheme.endswith("position") else {}
    method = stepping(h, scheme, **options)
    sol = nsmb.simulate(impacting_bar(n=100, modes=20), 0.08, method=method, output_step=h)
    pressed = sol.t[sol.lambda_N[:, 0] > 0.0]
    assert pressed[0] == pytest.approx(GAP / SPEED, abs=2.0 * h)
    exact = HeldModes(100, **RUBBER)
    assert pressed[-1] - pressed[0] == pytest.approx(impacting_bar.duration(), rel=0.01)
    assert pressed[-1] - pressed[0] == pytest.approx(exact.leaves(20), abs=4.0 * h)
    assert velocity(sol) == pytest.approx(exact.velocity(20), abs=0.005)
    # There is no chatter: the force is positive in every step from the first to the last one.
    assert len(pressed) == round((pressed[-1] - pressed[0]) / h) + 1
    assert sol.stats["missed_steps"] == 0


def test_more_modes_than_there_are_are_refused() -> None:
    with pytest.raises(ValueError, match=r"parameter 'modes': expected at most n = 20, got 21"):
        impacting_bar(n=20, modes=21)
