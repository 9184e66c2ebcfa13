"""What was called otherwise in the release before still works, and warns where it is a call."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nsmb
from nsmb import analysis, friction, systems


def test_laws_of_contacts_have_one_name_and_the_old_ones() -> None:
    assert nsmb.UnilateralContact is nsmb.ContactLaw
    law = nsmb.ContactLaw(mu=0.3, e_N=0.5)
    assert repr(law).startswith("ContactLaw(mu=0.3")
    assert pickle.loads(pickle.dumps(law)) == law
    pytest.importorskip("sympy")
    from nsmb import symbolic

    assert symbolic.Law is symbolic.ContactLaw
    assert analysis.BorderCurve is analysis.BifurcationLocus


def test_points_of_the_section_were_a_period() -> None:
    toy, section = systems.woodpecker(), analysis.on_impact("beak")
    settled = analysis.periodic_orbit(toy, section=section)
    start = nsmb.State(settled.t, settled.q, settled.u)
    new = analysis.periodic_orbit(toy, section=section, start=start, section_points=1)
    with pytest.warns(DeprecationWarning, match="give section_points=1") as caught:
        old = analysis.periodic_orbit(toy, section=section, start=start, period=1)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(old.y, new.y)
    with pytest.raises(ValueError, match="expected None beside section_points"):
        analysis.periodic_orbit(toy, section=section, period=1, section_points=1)
    ball = nsmb.LinearSystem([[1.0]], [[1.0]], initial_state=nsmb.State(0.0, [1.0], [0.0]))
    with pytest.raises(ValueError, match="section_points: expected None without a section"):
        analysis.periodic_orbit(ball, period=2.0 * np.pi, section_points=1)


def test_friction_by_polygons_has_one_name_and_one_fineness() -> None:
    A, b = np.eye(3), np.array([-10.0, 3.0, 2.0])
    discs = [friction.Disc((1, 2), normal=0, mu=0.1)]
    new = friction.solve(A, b, [0], discs, method="polyhedral", accept_residual=1e-2)
    with pytest.warns(DeprecationWarning, match='called "polyhedral"'):
        old = friction.solve(A, b, [0], discs, method="lcp", accept_residual=1e-2)
    assert old.method == new.method == "polyhedral"
    np.testing.assert_array_equal(old.x, new.x)
    same = friction.solve(
        A, b, [0], discs, method="polyhedral", facets=nsmb.EventDriven().in_force["facets"],
        accept_residual=1e-2,
    )  # fmt: skip
    np.testing.assert_array_equal(same.x, new.x)


def test_the_saltation_matrix_of_a_bouncing_ball_is_that_of_the_textbook() -> None:
    """x⁺ = x, v⁺ = -e v: S = [[-e, 0], [(1 + e) f / v, -e]] with f = -g and v before; between
    impacts the state-transition matrix is [[1, T], [0, 1]]."""
    ball = systems.bouncing_ball()
    e, g = ball.contacts[0].law.e_N, ball.parameters["g"]
    run = nsmb.simulate(ball, 1.2, sensitivity=True)
    found = run.sensitivity
    assert found is not None
    hits = run.events
    assert len(hits) >= 2
    t = [0.0, *hits.t]
    for k in range(2):
        v = hits.u_minus[k, 0]
        expected = [[-e, 0.0], [(1.0 + e) * g / -v, -e]]
        np.testing.assert_allclose(found.saltation_matrices[k], expected, atol=1e-12, rtol=1e-12)
        flow = [[1.0, t[k + 1] - t[k]], [0.0, 1.0]]
        np.testing.assert_allclose(found.state_transition_matrices[k], flow, atol=1e-13)
    np.testing.assert_array_equal(found.saltation_matrices[-1], np.eye(2))
    np.testing.assert_array_equal(found.state_transition_matrix, found.state)
