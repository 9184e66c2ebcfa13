"""Rest under anisotropic friction, and where contact forces are not unique."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import analysis


@pytest.mark.parametrize("aspect", [0.4, 1.0, 1.7])
def test_the_stick_set_is_the_ellipse_of_friction(aspect: float) -> None:
    pad = nsmb.Friction(w_T=np.eye(2), bound=1.0, aspect=aspect, name="pad")
    system = nsmb.LinearSystem(np.eye(2), np.eye(2), contacts=[pad])
    found = analysis.equilibrium(system).stick_set()
    np.testing.assert_allclose(found.upper, [1.0, aspect], rtol=1e-8)
    np.testing.assert_allclose(found.lower, [-1.0, -aspect], rtol=1e-8)


@pytest.mark.parametrize("aspect", [0.5, 1.5])
def test_admissible_rest_is_where_a_run_stays(aspect: float) -> None:
    law = nsmb.ContactLaw(mu=0.5, aspect=aspect)
    floor = nsmb.Contact(w_N=[0, 0, 1], w_T=[[1, 0], [0, 1], [0, 0]], law=law, name="floor")
    system = nsmb.LinearSystem(
        np.eye(3), np.diag([1.0, 1.0, 0.0]), force=[0, 0, -10.0], contacts=[floor]
    )
    for share in (0.97, 1.03):
        for angle in (0.0, 0.7, np.pi / 2):
            q = 5.0 * share * np.array([np.cos(angle), aspect * np.sin(angle), 0.0])
            start = nsmb.State(0.0, q, np.zeros(3))
            rests = analysis.equilibrium(system, start=start).admissible
            moved = np.abs(nsmb.simulate(system, 0.5, q=q).q[-1] - q).max()
            assert rests == (share < 1.0)
            assert (moved < 1e-9) == rests


@pytest.mark.parametrize("aspect", [0.5, 1.5])
def test_small_motions_across_a_belt_are_damped_by_the_ellipse(aspect: float) -> None:
    """Lateral slip u turns the friction: -bound aspect² u / speed."""
    bound, speed = 1.0, 1.0
    pad = nsmb.Friction(
        w_T=np.eye(2), w_tilde_T=[-speed, 0.0], bound=bound, aspect=aspect, name="belt"
    )
    system = nsmb.LinearSystem(np.eye(2), 4.0 * np.eye(2), contacts=[pad])
    start = nsmb.State(0.0, np.array([bound / 4.0, 0.0]), np.zeros(2))
    values = analysis.equilibrium(system, start=start).eigenvalues
    decay = 0.5 * bound * aspect**2 / speed
    expected = -decay + 1j * np.sqrt(4.0 - decay**2)
    assert np.abs(values - expected).min() < 1e-6


@pytest.mark.parametrize("pull", [2.0, 4.0, 4.9, 5.1])
def test_a_plank_on_two_supports_rests_below_the_sum_of_both_limits(pull: float) -> None:
    """9 N and 1 N with mu = 0.5. Equal shares of the load, the smallest forces, are too large."""
    law = nsmb.ContactLaw(mu=0.5)
    supports = [
        nsmb.Contact(w_N=[0.0, 1.0, place], w_T=[1.0, 0.0, 0.0], law=law, name=name)
        for place, name in ((0.0, "left"), (1.0, "right"))
    ]
    system = nsmb.LinearSystem(
        np.diag([1.0, 1.0, 0.1]), force=[pull, -10.0, -1.0], contacts=supports
    )
    found = analysis.equilibrium(system)
    assert found.admissible == (pull < 5.0)
    assert found.lambda_N == pytest.approx([9.0, 1.0])
    assert found.lambda_T.sum() == pytest.approx(-pull)
