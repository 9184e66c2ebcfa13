"""The masonry arch is stable above the critical thickness of limit analysis and falls below it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import masonry_arch
from tests.oracles.arch_limit import thrust

Array = NDArray[np.float64]

MILANKOVITCH = 0.1075  # t/R of many voussoirs


@pytest.mark.parametrize(
    ("n", "mu"), [(5, 0.7), (8, 0.7), (9, 0.7), (16, 0.7), (16, 0.36), (5, 0.33), (13, 0.4)]
)
def test_the_critical_thickness_is_that_of_a_linear_programme(n: int, mu: float) -> None:
    """The programme covers all joint forces, symmetric or not. With low friction stones slide."""
    t = masonry_arch.thickness(n=n, mu=mu, R=1.0)
    assert thrust(n, t * (1.0 + 1e-8), mu) is not None
    assert thrust(n, t * (1.0 - 1e-8), mu) is None
    assert masonry_arch.thickness(n=n, mu=mu, R=3.0) == pytest.approx(3.0 * t, rel=1e-11)


def test_many_voussoirs_need_milankovitch_s_thickness() -> None:
    """The printed value is 0.1075, and 0.10746 results for 100 voussoirs."""
    assert masonry_arch.thickness(n=100, R=1.0) == pytest.approx(MILANKOVITCH, abs=1e-4)
    assert thrust(200, 1.001 * MILANKOVITCH, 0.7) is not None
    assert thrust(200, 0.999 * MILANKOVITCH, 0.7) is None


def moved(system: nsmb.MultibodySystem, t_end: float) -> tuple[float, nsmb.Solution]:
    """Return the largest displacement of a centre of mass in m, and the run."""
    sol = nsmb.simulate(system, t_end, output_step=t_end)
    assert sol.stats["missed_steps"] == 0
    places = sol.q.reshape(sol.t.size, -1, 7)[..., :3]
    return float(np.abs(places[-1] - places[0]).max()), sol


@pytest.mark.parametrize(
    ("n", "mu", "delta"),
    [
        (6, 0.7, 1e-6),
        (9, 0.7, 1e-6),
        (12, 0.7, 1e-6),
        (20, 0.7, 1e-5),
        (12, 0.36, 1e-4),
        (16, 0.36, 1e-5),
    ],
)
def test_an_arch_stands_above_it_and_falls_below_it(n: int, mu: float, delta: float) -> None:
    """Thicknesses within a millionth of the critical one are tested from both sides.

    After 0.1 s a standing arch has moved by 1e-11 m, due to `tol` times a step of g, 1e-10 m/s. A
    falling arch moves by a share of delta g t²/2, 2e-8 m or more.

    With mu = 0.36 stones slide first. Then admissible forces do not imply that the arch stands.
    With 12 stones and 1e-5 above, another motion admitted by Coulomb's law starts after some
    steps."""
    t = masonry_arch.thickness(n=n, mu=mu)
    stands, _ = moved(masonry_arch(n=n, mu=mu, t=t * (1.0 + delta)), 0.1)
    falls, _ = moved(masonry_arch(n=n, mu=mu, t=t * (1.0 - delta)), 0.1)
    assert stands < 1e-9
    assert falls > 0.15 * delta * 9.81 * 0.1**2 / 2.0
    assert falls > 10.0 * stands


def test_it_falls_with_five_hinges() -> None:
    """The crown falls, the haunches move outwards, and the springings stay on their edges."""
    n = 12
    system = masonry_arch(n=n, t=0.9 * masonry_arch.thickness(n=n))
    sol = nsmb.simulate(system, 0.4, output_step=0.1)
    # Of 400 steps two miss `tol` by 1e-5. With other rounding it is none, or two others.
    assert sol.stats["missed_steps"] <= 8
    q = sol.q.reshape(sol.t.size, n, 7)
    x, z = (q[-1] - q[0])[:, [0, 2]].T
    assert z[n // 2 - 1] == pytest.approx(z[n // 2], rel=1e-3)  # symmetric
    assert z.min() == pytest.approx(z[n // 2], rel=1e-3)
    assert z[n // 2] < -0.02
    assert x[: n // 2].min() < -0.01
    assert x[n // 2 :].max() > 0.01
    # It moves in its plane: 5e-9 m/s across is measured until 0.2 s. Later any error grows tenfold
    # in some 0.02 s: 3e-5 m/s at the end for `tol` of 1e-8 or 1e-9.
    across = np.abs(sol.u.reshape(-1, n, 6)[..., 1]).max(axis=1)
    assert across[np.round(sol.t, 6) <= 0.2].max() < 1e-7
    assert across.max() < 1e-3


def horizontal_thrust(system: nsmb.MultibodySystem) -> float:
    """Return the ground thrust on a springing over the weight in the third step.

    Stones may in addition press against each other across the plane.
    """
    found = nsmb.simulate(system, 3e-3, output_step=1e-3).contacts.points
    rows = found.sample == found.sample.max()
    t_2 = np.cross(found.normal, found.tangent)
    force = found.lambda_N[:, None] * found.normal
    force = force + found.lambda_T[:, :1] * found.tangent + found.lambda_T[:, 1:] * t_2
    ground = found.shape_names.index("ground.floor")
    first, second = (rows & (shape == ground) for shape in (found.shape_1, found.shape_2))
    pushes = np.vstack([force[first], -force[second]])  # n points from 1 to 2
    is_left = np.vstack([found.point[first], found.point[second]])[:, 0] < 0.0
    M = np.diag(system.mass_matrix(0.0, system.initial_state.q)).reshape(-1, 6)
    weight = M[:, 0].sum() * system.parameters["g"]
    assert pushes[:, 2].sum() == pytest.approx(weight, rel=1e-5)
    assert abs(pushes[:, 0].sum()) < 1e-4 * weight
    return float(abs(pushes[is_left, 0].sum()) / weight)


@pytest.mark.parametrize(("n", "mu"), [(8, 0.7), (16, 0.7)])
def test_its_thrust_is_the_only_one_at_the_critical_thickness(n: int, mu: float) -> None:
    """There the thrust range of limit analysis is a point. A thick arch has a thrust within it."""
    t = masonry_arch.thickness(n=n, mu=mu) * (1.0 + 1e-6)
    bounds = thrust(n, t / 2.0, mu)
    assert bounds is not None
    assert bounds[1] - bounds[0] < 1e-6
    assert horizontal_thrust(masonry_arch(n=n, mu=mu, t=t)) == pytest.approx(bounds[0], abs=1e-5)
    thick = thrust(n, 0.15, mu)
    assert thick is not None
    assert thick[0] < horizontal_thrust(masonry_arch(n=n, mu=mu, t=0.3)) < thick[1]


def test_arches_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="parameter 'n': expected four voussoirs at least, got 3"):
        masonry_arch(n=3)
    with pytest.raises(ValueError, match="parameter 't': expected less than 2 R, got 5"):
        masonry_arch(t=5.0)
    with pytest.raises(ValueError, match=r"`mu`: must be large enough .* got 0\.1"):
        masonry_arch.thickness(mu=0.1)
