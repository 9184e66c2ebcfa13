"""Folds and period doublings in two parameters agree with closed forms."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import nsmb
from nsmb import systems
from nsmb.analysis import continuation, crossing, on_event, periodic_orbit
from nsmb.analysis.results import OrbitBranch
from tests.analysis.orbit_systems import rings


@pytest.fixture(scope="module")
def jumps() -> OrbitBranch:
    exact = systems.ball_on_table.orbits()[0]
    orbit = periodic_orbit(
        systems.ball_on_table(),
        section=on_event("impact", "table"),
        start=nsmb.State(exact.t, np.zeros(1), np.array([exact.velocity])),
        section_points=1,
    )
    return continuation(orbit, "A", (1e-4, 2e-3))


def test_fold_of_jumps_over_restitution(jumps: OrbitBranch) -> None:
    """The fold is at Γ = π (1 - e)/(1 + e)."""
    (fold,) = jumps.of_kind("fold")
    curve = continuation(fold, "e", (0.6, 0.9), step=0.05)
    assert (curve.kind, curve.parameters, curve.status) == ("fold", ("A", "e"), "finished")
    gamma = curve.values[:, 0] * 80.0**2 / 9.81
    e = curve.values[:, 1]
    assert e[[0, -1]] == pytest.approx([0.6, 0.9], abs=1e-12)
    assert gamma == pytest.approx(np.pi * (1.0 - e) / (1.0 + e), abs=1e-8)  # measured 1e-10
    nearest = [np.abs(orbit.nontrivial - 1.0).min() for orbit in curve.points]
    # The multiplier leaves 1 with the square root of the parameter, so that 1e-10 becomes 1e-5.
    assert nearest == pytest.approx(np.zeros(len(nearest)), abs=1e-3)


def test_doubling_of_jumps_over_frequency(jumps: OrbitBranch) -> None:
    """Only Γ = A ω²/g matters, while the period of the orbits changes along the curve."""
    (doubling,) = jumps.of_kind("period doubling")
    curve = continuation(doubling, "omega", (75.0, 85.0), step=2.0)
    omega = curve.values[:, 1]
    gamma = curve.values[:, 0] * omega**2 / 9.81
    assert gamma == pytest.approx(
        np.full(gamma.size, systems.ball_on_table.borders().flip), abs=1e-8
    )
    assert [orbit.period for orbit in curve.points] == pytest.approx(2.0 * np.pi / omega, rel=1e-12)
    assert "period doubling points of ball_on_table over A and omega" in repr(curve)


def test_fold_of_limit_cycles_does_not_depend_on_their_frequency() -> None:
    orbit = periodic_orbit(rings(mu=-0.2), section=crossing("b"), transient=5)
    branch = continuation(orbit, "mu", (-0.3, -0.19), direction=-1)
    curve = continuation(branch.of_kind("fold")[0], "omega", (1.9, 2.1), step=0.1)
    assert curve.values[:, 0] == pytest.approx(np.full(len(curve.values), -0.25), abs=1e-8)


def test_bad_input_is_named(jumps: OrbitBranch) -> None:
    (fold,) = jumps.of_kind("fold")
    other = dataclasses.replace(fold, kind="grazing")
    with pytest.raises(ValueError, match=r"must be a 'fold' or a 'period doubling'.*got 'grazing'"):
        continuation(other, "e", (0.5, 0.9))
    with pytest.raises(ValueError, match="tol: must be left out for a locus, got 1e-08"):
        continuation(fold, "e", (0.5, 0.9), tol=1e-8)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="parameter 'mass'"):
        continuation(fold, "mass", (0.5, 0.9))
    with pytest.raises(ValueError, match="parameter: must not be that of the branch, got 'A'"):
        continuation(fold, "A", (0.0, 0.9))
    with pytest.raises(ValueError, match=r"span: must be low < high around e = 0\.8"):
        continuation(fold, "e", (0.1, 0.2))
