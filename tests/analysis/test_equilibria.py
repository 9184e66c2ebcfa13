"""Equilibria, their branches and stick sets agree with closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings

import nsmb
from nsmb import symbolic, systems
from nsmb.analysis import AnalysisError, continuation, equilibrium
from tests.analysis.orbit_systems import block, oscillator, rings
from tests.support.draws import numbers

_WEIGHT = 2.0 * 9.81


@settings(max_examples=20, deadline=None)
@given(numbers(0.05, 1.0), numbers(50.0, 500.0), numbers(-0.5, 0.5))
def test_a_block_rests_where_friction_makes_up_for_spring_and_weight(
    mu: float, k: float, tilt: float
) -> None:
    """The set is |k x - W sin t| <= mu W cos t."""
    start = nsmb.State(0.0, np.array([_WEIGHT * np.sin(tilt) / k, 0.0]), np.zeros(2))
    here = equilibrium(block(mu=mu, mu_d=mu, k=k, tilt=tilt), start=start)
    assert here.admissible
    assert here.lambda_N == pytest.approx([_WEIGHT * np.cos(tilt)], rel=1e-12)
    low, high = here.stick_set()["x"]
    centre, width = _WEIGHT * np.sin(tilt) / k, mu * _WEIGHT * np.cos(tilt) / k
    assert (low, high) == pytest.approx((centre - width, centre + width), abs=1e-9)


def test_the_search_for_limits_goes_on_where_a_line_search_ends_in_rounding() -> None:
    k = 54.241886481949166
    level = block(mu=1.0, mu_d=1.0, k=k)
    here = equilibrium(level, start=nsmb.State(0.0, np.zeros(2), np.zeros(2)))
    assert here.stick_set()["x"] == pytest.approx((-_WEIGHT / k, _WEIGHT / k), abs=1e-9)


def test_a_sticking_block_is_one_of_a_set() -> None:
    here = equilibrium(block())
    assert here.margins["friction floor"] == pytest.approx(0.3 * _WEIGHT - 2.0)
    assert here.eigenvalue_kinds == ("set",)
    assert here.eigenvalues == pytest.approx([0.0])
    # It is an equilibrium: a run that starts there stays.
    solution = nsmb.simulate(block(), 1.0, q=here.q, u=[0.0, 0.0])
    assert solution.q[-1] == pytest.approx(here.q, abs=1e-12)


def test_an_oscillator_beside_a_stuck_block_keeps_its_eigenvalues() -> None:
    """Nothing depends on the position of the block, whose zero eigenvalue belongs to a set."""
    law = nsmb.ContactLaw(mu=0.3)
    system = nsmb.LinearSystem(
        np.eye(3),
        np.diag([0.0, 0.0, 4.0]),
        0.2 * np.diag([0.0, 0.0, 1.0]),
        force=[0.0, -9.81, 0.0],
        contacts=[nsmb.Contact(w_N=[0, 1, 0], w_T=[1, 0, 0], law=law, name="floor")],
    )
    here = equilibrium(system)
    assert here.eigenvalue_kinds == ("", "")
    assert here.eigenvalues.real == pytest.approx([-0.1, -0.1])


def test_a_place_friction_cannot_hold_is_not_admissible() -> None:
    far = nsmb.State(0.0, np.array([0.05, 0.0]), np.zeros(2))
    here = equilibrium(block(), start=far)
    assert here.margins["friction floor"] == pytest.approx(0.3 * _WEIGHT - 10.0)
    assert not here.admissible
    assert "not admissible" in repr(here).splitlines()[0]
    with pytest.raises(ValueError, match="must start from an admissible equilibrium"):
        here.stick_set()


def test_sliding_on_a_belt_has_the_eigenvalues_of_falling_friction() -> None:
    exact = systems.belt_oscillator.sliding()
    here = equilibrium(systems.belt_oscillator())
    assert here.q[0] == pytest.approx(exact.x, rel=1e-10)
    assert np.sort_complex(here.eigenvalues) == pytest.approx(
        np.sort_complex(exact.eigenvalues), abs=1e-6
    )
    assert not here.stable


def test_sliding_becomes_stable_at_the_belt_speed_of_the_closed_form() -> None:
    belt = systems.belt_oscillator(d=0.5, v_B=0.4)
    exact = systems.belt_oscillator.sliding(d=0.5, v_B=0.4).v_stable
    branch = continuation(equilibrium(belt), "v_B", (0.02, 0.5))
    (point,) = branch.special_points
    assert point.kind == "Hopf"
    assert point.value == pytest.approx(exact, abs=1e-8)
    assert np.array_equal(branch.stable, branch.values > exact)


def test_a_tilted_block_begins_to_slip_at_the_angle_of_friction() -> None:
    """2 g sin t - k x = ± mu 2 g cos t with x = 0 gives tan t = ± mu."""
    start = nsmb.State(0.0, np.zeros(2), np.zeros(2))
    branch = continuation(equilibrium(block(), start=start), "tilt", (-1.0, 1.0))
    assert [point.kind for point in branch.special_points] == ["slip begins"] * 2
    ends = [point.value for point in branch.special_points]
    assert ends == pytest.approx([-np.arctan(0.3), np.arctan(0.3)], abs=1e-8)
    assert branch.status == "branch_end"
    assert branch.measure("friction floor").min() == pytest.approx(0.0, abs=1e-7)
    assert branch.measure("x") == pytest.approx(np.zeros(branch.values.size), abs=1e-12)


def test_a_pair_that_nothing_damps_is_no_hopf_point() -> None:
    """Real parts are rounding errors, whose sign changes from point to point."""
    x, y = symbolic.coordinates("x y")
    v = symbolic.velocities(y)
    p: Any = symbolic.parameters(k=1.0)
    system = symbolic.LagrangianSystem(
        [x, y],
        (symbolic.velocities(x) ** 2 + v**2) / 2,
        (1 - sympy.cos(p.k * (x - y))) * 7 + p.k * y**2 / 3,
        {y: 0},
        parameters=p,
        linear=False,
    )
    branch = continuation(equilibrium(system), "k", (0.5, 9.0))
    assert branch.special_points == []
    assert np.abs(branch.points[0].eigenvalues.real).max() < 1e-6


def test_fold_of_a_shallow_arch() -> None:
    """Snap-through of V = k (x² - 1)²/4 - p x has folds at x² = 1/3, p = ∓ 2 k/(3√3)."""
    import sympy as sp

    from nsmb import symbolic

    x = symbolic.coordinates("x")
    p = symbolic.parameters(k=3.0, load=0.0)
    v = symbolic.velocities(x)
    arch = symbolic.LagrangianSystem(
        [x], v**2 / 2, p.k * (x**2 - 1) ** 2 / 4 - p.load * x, {x: -sp.Rational(1, 5) * v},
        parameters=p, initial={x: 1.0},
    )  # fmt: skip
    branch = continuation(equilibrium(arch), "load", (-2.0, 2.0))
    folds = sorted(point.value for point in branch.of_kind("fold"))
    limit = 2.0 * 3.0 / (3.0 * np.sqrt(3.0))
    assert folds == pytest.approx([-limit, limit], abs=1e-8)
    places = branch.measure("x")
    assert branch.values == pytest.approx(3.0 * (places**3 - places), abs=1e-9)
    assert np.array_equal(branch.stable, places**2 > 1.0 / 3.0)


def test_a_contact_opens_where_its_force_vanishes() -> None:
    """A mass on a stop, pulled up by a spring, has λ_N = m g - c h."""

    def lifted(h: float = 0.0) -> nsmb.LinearSystem:
        return nsmb.LinearSystem(
            [[2.0]], [[100.0]], [[1.0]],
            force=[100.0 * h - _WEIGHT],
            contacts=[nsmb.Contact(w_N=[1.0], name="stop")],
            coordinates=["y"], parameters={"h": h}, rebuild=lifted,
        )  # fmt: skip

    resting = continuation(equilibrium(lifted()), "h", (-0.1, 0.5))
    (point,) = resting.special_points
    assert (point.kind, point.message.split(";")[0]) == ("contact opens", "stop")
    assert point.value == pytest.approx(_WEIGHT / 100.0, abs=1e-8)
    free = equilibrium(lifted(0.4), contact_state={"stop": "open"})
    assert free.q == pytest.approx([0.4 - _WEIGHT / 100.0])
    falling = continuation(free, "h", (-0.1, 0.5))
    (point,) = falling.special_points
    assert point.kind == "contact closes"
    assert point.value == pytest.approx(_WEIGHT / 100.0, abs=1e-8)


def test_woodpecker_hangs_on_its_lower_edge() -> None:
    """The sleeve sticks, and the weight of the bird gives c (φ_M - φ_S) = m_S g l_G."""
    states = {"beak": "open", "lower": "stick", "upper": "open"}
    here = equilibrium(systems.woodpecker(), contact_state=states)
    phi_M = -0.6e-3 / 5.8e-3
    assert here.q[1:] == pytest.approx([phi_M, phi_M - 4.5e-3 * 9.81 * 1.5e-2 / 5.6e-3], abs=1e-10)
    assert here.lambda_T[1] == pytest.approx(4.8e-3 * 9.81)  # carries the total weight
    limits = here.stick_set()
    assert limits["y"] == (-np.inf, np.inf)
    assert limits["phi_S"] == pytest.approx((here.q[2], here.q[2]))
    # Undamped oscillation of the bird at √(c/(J_S + m_S l_G²)).
    omega = np.sqrt(5.6e-3 / (7e-7 + 4.5e-3 * 1.5e-2**2))
    assert np.abs(here.eigenvalues.imag).max() == pytest.approx(omega, rel=1e-6)


def test_internal_states_rest_as_well() -> None:
    start = nsmb.State(0.0, np.zeros(1), np.zeros(1), np.array([0.05, 0.02]))
    here = equilibrium(rings(mu=-0.1), start=start)
    assert here.x == pytest.approx([0.0, 0.0], abs=1e-10)
    expected = [-0.1 + 2.0j, -0.1 - 2.0j, *np.roots([1.0, 1.0, 1.0])]
    assert np.sort_complex(here.eigenvalues) == pytest.approx(np.sort_complex(expected), abs=1e-8)
    assert here.stable


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({"wall": "open"}, "contact_state: contact 'wall'"),
        ({"floor": "glide"}, "contact_state: floor 'glide'"),
    ],
)
def test_bad_contact_states_are_named(states: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        equilibrium(block(), contact_state=states)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="must not depend on time"):
        equilibrium(oscillator())
    with pytest.raises(ValueError, match="its counterpart moves at 1 m/s"):
        equilibrium(block(v=1.0), contact_state={"floor": "stick"})
    with pytest.raises(AnalysisError, match="no equilibrium near the start"):
        equilibrium(systems.bouncing_ball(), contact_state={"floor": "open"})
    here = equilibrium(block())
    with pytest.raises(ValueError, match="parameter 'mass'"):
        continuation(here, "mass", (0.0, 1.0))
    with pytest.raises(ValueError, match="span: must be low < high around mu"):
        continuation(here, "mu", (0.5, 1.0))
    with pytest.raises(ValueError, match="a sticking contact"):
        equilibrium(rings(mu=-0.1)).stick_set()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": np.zeros(2)}, "start: must be a nsmb.State"),
        ({"max_iterations": -3}, "max_iterations: expected a whole number >= 1, got -3"),
        ({"tol": float("nan")}, "tol: expected a number between 0 and 1, got nan"),
    ],
)
def test_misuse_of_equilibrium_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        equilibrium(systems.belt_oscillator(), **options)  # type: ignore[arg-type]
