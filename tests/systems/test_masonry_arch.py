"""The masonry arch against limit analysis: it stands above the critical thickness, falls below."""

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
    """Over all joint forces, symmetric or not; with little friction stones slide first."""
    t = masonry_arch.thickness(n=n, mu=mu, R=1.0)
    assert thrust(n, t * (1.0 + 1e-8), mu) is not None
    assert thrust(n, t * (1.0 - 1e-8), mu) is None
    assert masonry_arch.thickness(n=n, mu=mu, R=3.0) == pytest.approx(3.0 * t, rel=1e-11)


def test_many_voussoirs_need_milankovitch_s_thickness() -> None:
    """0.1075 is what is printed, 0.10746 at 100 voussoirs."""
    assert masonry_arch.thickness(n=100, R=1.0) == pytest.approx(MILANKOVITCH, abs=1e-4)
    assert thrust(200, 1.001 * MILANKOVITCH, 0.7) is not None
    assert thrust(200, 0.999 * MILANKOVITCH, 0.7) is None


def moved(system: nsmb.MultibodySystem, t_end: float) -> tuple[float, nsmb.Solution]:
    """m, how far any mass centre has come."""
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
    """From both sides to a millionth: what stands has moved by 1e-11 m after a tenth of a second,
    by what `tol` leaves of a step of g, 1e-10 m/s; what falls by a part of delta g t²/2, 2e-8 m and
    more.

    With mu = 0.36 stones slide first. Then forces that could carry the arch do not say that it
    stands: with 12 stones and 1e-5 above, one of the motions that Coulomb's law allows there as
    well begins after some steps."""
    t = masonry_arch.thickness(n=n, mu=mu)
    stands, _ = moved(masonry_arch(n=n, mu=mu, t=t * (1.0 + delta)), 0.1)
    falls, _ = moved(masonry_arch(n=n, mu=mu, t=t * (1.0 - delta)), 0.1)
    assert stands < 1e-9
    assert falls > 0.15 * delta * 9.81 * 0.1**2 / 2.0
    assert falls > 10.0 * stands


def test_it_falls_with_five_hinges() -> None:
    """The crown goes down, the haunches go out, and the springings stay on their edges."""
    n = 12
    system = masonry_arch(n=n, t=0.9 * masonry_arch.thickness(n=n))
    sol = nsmb.simulate(system, 0.4, output_step=0.1)
    # Of 400 steps two miss `tol`, by 1e-5; with roundings that differ none, or two others.
    assert sol.stats["missed_steps"] <= 8
    q = sol.q.reshape(sol.t.size, n, 7)
    x, z = (q[-1] - q[0])[:, [0, 2]].T
    assert z[n // 2 - 1] == pytest.approx(z[n // 2], rel=1e-3)  # symmetric
    assert z.min() == pytest.approx(z[n // 2], rel=1e-3)
    assert z[n // 2] < -0.02
    assert x[: n // 2].min() < -0.01
    assert x[n // 2 :].max() > 0.01
    # In its plane: 5e-9 m/s measured until 0.2 s. Later what `tol` leaves grows tenfold in some
    # 0.02 s, whatever it is: 3e-5 m/s at the end with 1e-8, as with 1e-9.
    across = np.abs(sol.u.reshape(-1, n, 6)[..., 1]).max(axis=1)
    assert across[np.round(sol.t, 6) <= 0.2].max() < 1e-7
    assert across.max() < 1e-3


def horizontal_thrust(system: nsmb.MultibodySystem) -> float:
    """Of the ground on one springing, over the weight, in the third step: stones may be pressed
    against each other across it besides."""
    found = nsmb.simulate(system, 3e-3, output_step=1e-3).contacts.points
    rows = found.sample == found.sample.max()
    t_2 = np.cross(found.normal, found.tangent)
    force = found.lambda_N[:, None] * found.normal
    force = force + found.lambda_T[:, :1] * found.tangent + found.lambda_T[:, 1:] * t_2
    ground = found.shape_names.index("ground.floor")
    first, second = (rows & (shape == ground) for shape in (found.shape_1, found.shape_2))
    pushes = np.vstack([force[first], -force[second]])  # n leads from 1 to 2
    is_left = np.vstack([found.point[first], found.point[second]])[:, 0] < 0.0
    M = np.diag(system.mass_matrix(0.0, system.initial_state.q)).reshape(-1, 6)
    weight = M[:, 0].sum() * system.parameters["g"]
    assert pushes[:, 2].sum() == pytest.approx(weight, rel=1e-5)
    assert abs(pushes[:, 0].sum()) < 1e-4 * weight
    return float(abs(pushes[is_left, 0].sum()) / weight)


@pytest.mark.parametrize(("n", "mu"), [(8, 0.7), (16, 0.7)])
def test_its_thrust_is_the_only_one_at_the_critical_thickness(n: int, mu: float) -> None:
    """There least and largest thrust of limit analysis agree; a thick arch has one between them."""
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
