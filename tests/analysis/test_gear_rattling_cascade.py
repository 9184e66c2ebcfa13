"""Period doublings of gear rattling by continuation, by the exact map, and by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from nsmb.analysis import (
    bifurcation_diagram,
    continuation,
    feigenbaum,
    lyapunov_spectrum,
    on_event,
    periodic_orbit,
)
from nsmb.analysis.results import PeriodicOrbit, SpecialPoint
from nsmb.systems import gear_rattling
from tests.analysis.rattling import rattling

scipy_optimize = pytest.importorskip("scipy.optimize")

SPEC = np.array([1.4952, 1.5458, 1.5535, 1.5552, 1.5555])  # spec 4.5, on a grid of 1e-4
ENDS = (1.53, 1.552, 1.555, 1.5556, 1.55558, 1.55561)
LIMIT = 1.556  # book: 1.556 with its own δ, 1.557 with the universal one


@pytest.fixture(scope="module")
def doublings() -> list[SpecialPoint]:
    """Return six doublings. Each branch is followed to its doubling, where the next starts."""
    orbit, found = periodic_orbit(rattling(1.45)), []
    for end in ENDS:
        here = orbit.parameters["alpha"]
        branch = continuation(orbit, "alpha", (here, end), direction=+1)
        assert [point.kind for point in branch.special_points] == ["period doubling"]
        found += branch.special_points
        if end != ENDS[-1]:
            orbit = found[-1].switch_branch()
    return found


@pytest.fixture(scope="module")
def values(doublings: list[SpecialPoint]) -> np.ndarray:
    return np.array([point.value for point in doublings])


def test_impacts_and_period_double_each_time(doublings: list[SpecialPoint]) -> None:
    for k, point in enumerate(doublings):
        orbit = point.point
        assert isinstance(orbit, PeriodicOrbit)
        assert orbit.period == pytest.approx(2.0 * np.pi * 2**k, rel=1e-14)
        assert len(orbit.event_sequence) == 4 * 2**k
        assert np.abs(orbit.nontrivial + 1.0).min() < 1e-8  # measured up to 7e-11
        # (12.17) and the equation after it, over a whole orbit
        determinant = 0.9 ** (2 * 4 * 2**k) * np.exp(-0.1 * orbit.period)
        assert np.prod(orbit.nontrivial).real == pytest.approx(determinant, rel=1e-6, abs=1e-12)


def test_doublings_are_those_of_the_spec(values: np.ndarray) -> None:
    """The largest difference is 1.2e-4, to a number rounded down on a grid of 1e-4."""
    np.testing.assert_allclose(values[:5], SPEC, rtol=0, atol=1.5e-4)


def test_doublings_are_those_of_the_exact_map(values: np.ndarray) -> None:
    """det(J + E) = 0 on orbits of (12.15), (12.16), independent of the simulation.

    The spans come from the spec, not from the continuation. Measured: within 5e-11.
    """
    spans = [(a - 3e-3 / 4**k, a + 3e-3 / 4**k) for k, a in enumerate(SPEC[:4])]
    exact = [map_doubling(4 * 2**k, *span) for k, span in enumerate(spans)]
    exact.append(map_doubling(64, 1.5555, 1.55556))
    np.testing.assert_allclose(values[:5], exact, rtol=0, atol=1e-9)


def map_doubling(n: int, low: float, high: float) -> float:
    """Return the value at which the orbit of n impacts, stable at `low`, has the multiplier -1."""
    run = gear_rattling.impact_map(low).iterate(0.0, -0.5, 0.0, 6000)
    assert run.status == "finished"
    s = run.s[-1]
    point = np.array([run.tau[-1] % (2.0 * np.pi), run.s_dot_minus[-1]])

    def flip(alpha: float) -> float:
        """Return det(J + E) on the orbit, found by Newton's method from the last one."""
        nonlocal point
        the_map = gear_rattling.impact_map(alpha)
        for _ in range(25):
            impacts = the_map.iterate(point[0], s, -0.9 * point[1], n)
            product, (tau, before) = np.eye(3), point
            for tau_next, before_next in zip(impacts.tau, impacts.s_dot_minus, strict=True):
                product = the_map.jacobian(tau, before, tau_next) @ product
                tau, before = tau_next, before_next
            J = product[np.ix_([0, 2], [0, 2])]
            gap = np.array([tau - 2.0 * np.pi * (n // 4), before]) - point
            step = np.linalg.solve(np.eye(2) - J, gap)
            point = point + step
            if np.abs(step).max() < 1e-12:
                return float(np.linalg.det(J + np.eye(2)))
        raise AssertionError(f"no orbit of {n} impacts at alpha = {alpha}")

    return float(scipy_optimize.brentq(flip, low, high, xtol=1e-13))


@pytest.mark.parametrize("k", range(4))
def test_brute_force_sees_the_same_doublings(values: np.ndarray, k: int) -> None:
    """Distances of separating points grow like the square root of the distance to the doubling.

    The values are those of the spec. Extrapolation of runs to zero distance is within 5e-5 of the
    distance to the next doubling, measured at most 7e-6.
    """
    n, to_next = 4 * 2**k, SPEC[k + 1] - SPEC[k]
    near = SPEC[k] + to_next * np.array([0.1, 0.14, 0.18, 0.22])
    # Other motions coexist with the cascade, so that it is followed in steps.
    way = [alpha for alpha in (1.4, 1.48, 1.51, 1.53) if alpha < SPEC[k] - 0.01]
    diagram = bifurcation_diagram(
        rattling(),
        "alpha",
        [*way, SPEC[k] - 0.1 * to_next, *near],
        section=on_event("impact"),
        transient=8000,
        samples=4 * n,
    )
    assert diagram.periods[len(way) :].tolist() == [n, *[2 * n] * 4]
    points = diagram.points[len(way) + 1 :, : 2 * n, 0]
    parted = ((points[:, n:] - points[:, :n]) ** 2).sum(axis=1)
    found = np.polynomial.Polynomial.fit(parted, near, 3)(0.0)
    assert found == pytest.approx(values[k], abs=5e-5 * to_next)


def test_ratios_of_the_doublings_tend_to_that_of_feigenbaum(values: np.ndarray) -> None:
    """Ratios are 6.589, 4.839, 4.696, 4.673 -> 4.669. The book has 5 from its first diagram."""
    cascade = feigenbaum(values)
    assert cascade.deltas == pytest.approx([6.589, 4.839, 4.696, 4.673], abs=1e-3)
    errors = cascade.deltas - cascade.universal_delta
    assert (errors > 0.0).all()
    assert (errors[1:] < 0.25 * errors[:-1]).all()
    assert errors[-1] < 1e-3 * cascade.universal_delta  # measured 0.9e-3 of it


def test_doublings_pile_up_at_the_place_of_the_book(values: np.ndarray) -> None:
    cascade = feigenbaum(values)
    assert cascade.limit == pytest.approx(LIMIT, abs=5e-4)
    # Each doubling improves the limit with the universal ratio, the last by 8e-8.
    limits = [feigenbaum(values[: k + 1]).limit_universal for k in range(2, 6)]
    steps = np.abs(np.diff(limits))
    assert (steps[1:] < 0.2 * steps[:-1]).all()
    assert cascade.limit == pytest.approx(cascade.limit_universal, abs=1e-6)


def test_the_largest_exponent_is_zero_at_doublings_and_positive_behind_their_limit(
    values: np.ndarray,
) -> None:
    def largest(alpha: float) -> float:
        found = lyapunov_spectrum(
            rattling(alpha), per="impact", count=1500, transient=1500, exponents=1
        )
        return float(found.exponents[0])

    # At a doubling the motion converges like 1/√n only. Measured: -5e-4.
    assert largest(values[0]) == pytest.approx(0.0, abs=2e-3)
    assert all(largest(alpha) < -5e-3 for alpha in (1.48, 1.52, 1.55))
    assert all(largest(alpha) > 1e-2 for alpha in (1.556, 1.56, 1.57))
