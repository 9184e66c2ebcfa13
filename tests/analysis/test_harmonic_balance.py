"""Forced responses as Fourier series agree with closed forms and exact periodic orbits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nsmb
from nsmb import analysis, symbolic
from nsmb.analysis.harmonic.basis import Basis
from nsmb.analysis.harmonic.solve import balance_of


def forced(omega: float = 1.3, **parts: object) -> nsmb.LinearSystem:
    """Return two masses in a row, with a force on the first."""
    return nsmb.LinearSystem(
        np.diag([1.0, 2.0]),
        K=[[9.0, -4.0], [-4.0, 7.0]],
        D=[[0.4, -0.1], [-0.1, 0.3]],
        force=nsmb.Force([0.5, 0.0], harmonics=[nsmb.Harmonic([3.0, 0.0], omega)]),
        **parts,  # type: ignore[arg-type]
    )


def test_derivatives_and_projection_of_the_series_are_exact() -> None:
    b = Basis(3, 16)
    rng = np.random.default_rng(1)
    c = rng.normal(size=b.size)
    np.testing.assert_allclose(b.projection @ (b.values @ c), c, atol=1e-14)
    h = 1e-6
    slope = (b.at(b.tau + h) @ c - b.at(b.tau - h) @ c) / (2 * h)
    np.testing.assert_allclose(b.slopes @ c, slope, atol=1e-8)


def everything() -> nsmb.System:
    """Return a system with nonlinear M, gap, slip, element, constraint, state and bound."""
    sp = pytest.importorskip("sympy")
    q = x, phi, z = symbolic.coordinates("x phi z")
    vx, omega, vz = symbolic.velocities(*q)
    s = symbolic.states("s")
    p = symbolic.parameters(m=1.3, l=0.4, k=5.0, c=30.0, d=2.0, mu=0.3)
    tip = (x + p.l * sp.sin(phi), -p.l * sp.cos(phi))
    return symbolic.LagrangianSystem(
        q,
        p.m * vx**2 / 2 + vz**2 / 2 + sum(symbolic.rate(place) ** 2 for place in tip) / 2,
        p.k * (x**2 + x**4 + phi**2) / 2 + 9.81 * tip[1],
        {x: sp.cos(2 * symbolic.time) - s - vx**3 / 10, phi: -omega / 5},
        contacts=[
            nsmb.Contact(
                gap=tip[1] + 0.39 + z**2 / 4,
                slip=vx + x * omega,
                law=nsmb.ContactLaw(p.mu),
                name="floor",
            ),
            nsmb.Friction(vx - sp.cos(phi) * omega / 3, 0.2 + s**2, name="pad"),
        ],
        elements=[nsmb.ForceElement(0.05 - sp.sin(x), nsmb.GapForce(p.c, p.d), "wall")],
        constraints=[nsmb.Constraint(z - x * phi, name="tie")],
        states={s: vx - s * (1 + x**2)},
        parameters=p,
        period=sp.pi,
        linear=False,
    )


def test_the_derivative_of_the_equations_is_that_of_differences() -> None:
    """All parts agree, in any motion except at kinks of laws."""
    system = everything()
    balance = balance_of(system, Basis(3, 24), 1, np.full(3, 2.0))
    rng = np.random.default_rng(11)
    Z = 0.3 * rng.normal(size=balance.size)
    here = balance.evaluate(Z)
    h = 1e-7
    for k in rng.permutation(balance.size)[:40]:
        step = h * np.eye(balance.size)[k]
        slope = (balance.residual(Z + step) - balance.residual(Z - step)) / (2.0 * h)
        np.testing.assert_allclose(here.J[:, k], slope, rtol=0.0, atol=2e-6 * np.abs(here.J).max())
    np.testing.assert_allclose(here.F, balance.residual(Z), rtol=0.0, atol=0.0)


def test_bounds_of_friction_follow_internal_states() -> None:
    """A pad is pressed by the low-pass filtered speed."""
    sp = pytest.importorskip("sympy")
    x, s = symbolic.coordinates("x"), symbolic.states("s")
    v = symbolic.velocities(x)
    system = symbolic.LagrangianSystem(
        [x],
        v**2 / 2,
        x**2 / 2,
        {x: sp.cos(0.7 * symbolic.time)},
        contacts=[nsmb.Friction(v, 0.05 + s**2, name="pad")],
        states={s: 2 * (v - s)},
        period=2 * sp.pi / 0.7,
    )
    orbit = analysis.periodic_orbit(system, section_points=1)
    response = analysis.harmonic_balance(system, 25, samples=512)
    assert _distance(response, orbit) < 3e-3
    lambda_T = response.lambda_T[:, 0]
    bound = 0.05 + (Basis(25, 512).values @ response.state_coefficients[:, 0]) ** 2
    assert np.median(np.abs(Basis(25, 512).values @ lambda_T) / bound) == pytest.approx(1, abs=0.05)


def test_a_linear_system_has_its_transfer_function() -> None:
    omega = 1.3
    system = forced(omega)
    response = analysis.harmonic_balance(system, 3)
    assert isinstance(system, nsmb.LinearSystem)
    H = np.linalg.inv(system.K - omega**2 * system.M + 1j * omega * system.D) @ [3.0, 0.0]
    for i, name in enumerate(system.coordinates):
        assert response.amplitude(name) == pytest.approx(abs(H[i]), rel=1e-8)
        assert response.phase(name) == pytest.approx(-np.angle(H[i]), abs=1e-8)
        assert response.amplitude(name, 2) < 1e-9
    mean = np.linalg.solve(system.K, [0.5, 0.0])
    assert response.amplitude("q2", 0) == pytest.approx(mean[1], rel=1e-8)
    np.testing.assert_allclose(response.u(0.7), _slope(response, 0.7), rtol=1e-7)


def _slope(response: analysis.results.HarmonicResponse, t: float) -> np.ndarray:
    return (response.q(t + 1e-6) - response.q(t - 1e-6)) / 2e-6


@pytest.mark.parametrize(("r", "p"), [(1.0, 1.0), (0.9, 1.0), (0.6, 4.0)])
def test_one_harmonic_of_the_ship_gear_is_its_describing_function(r: float, p: float) -> None:
    """(12.35), (12.36) are closed-form integrals of the dead zone."""
    (expected,) = nsmb.systems.ship_turning_gear.amplitudes(r, p)
    errors = [
        analysis.harmonic_balance(nsmb.systems.ship_turning_gear(r=r, p=p), 1, samples=n).amplitude(
            "x"
        )
        / expected
        - 1.0
        for n in (64, 1024)
    ]
    # Measured: 2e-6 at most, as kinks between samples count to second order.
    assert abs(errors[1]) < 1e-5
    assert abs(errors[1]) < 0.05 * abs(errors[0])


def test_the_branch_over_the_play_turns_where_the_describing_function_does() -> None:
    gear = nsmb.systems.ship_turning_gear(r=0.8, p=1.0)
    first = analysis.harmonic_balance(gear, 1, samples=512)
    branch = analysis.continuation(first, "p", (0.5, 10.0), direction=1, max_step=0.4)
    expected = nsmb.systems.ship_turning_gear.folds(0.8)
    assert branch.status == "finished"
    np.testing.assert_allclose(
        np.sort([fold.value for fold in branch.of_kind("fold")]), expected, rtol=2e-3
    )
    at = np.flatnonzero(np.abs(branch.values - 4.0) < 1.0)
    for k in at:
        known = nsmb.systems.ship_turning_gear.amplitudes(0.8, float(branch.values[k]))
        assert np.abs(known / branch.amplitude("x")[k] - 1.0).min() < 2e-3


def test_one_harmonic_of_a_cubic_spring_lies_on_its_curve_around_both_folds() -> None:
    """Duffing's ((k - m ω² + ¾ κ A²)² + (d ω)²) A² = F² is exact for one harmonic."""
    sp = pytest.importorskip("sympy")
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    p = symbolic.parameters(k=1.0, kappa=0.3, d=0.05, F=0.2, omega=0.6)
    duffing = symbolic.LagrangianSystem(
        [x],
        v**2 / 2,
        p.k * x**2 / 2 + p.kappa * x**4 / 4,
        {x: p.F * sp.cos(p.omega * symbolic.time) - p.d * v},
        parameters=p,
        period=2 * sp.pi / p.omega,
    )
    first = analysis.harmonic_balance(duffing, 1, samples=16)
    branch = analysis.continuation(first, "omega", (0.5, 2.5), direction=1)
    A, omega = branch.amplitude("x"), branch.values
    left = ((1.0 - omega**2 + 0.75 * 0.3 * A**2) ** 2 + (0.05 * omega) ** 2) * A**2
    np.testing.assert_allclose(left, 0.2**2, rtol=1e-6)
    assert branch.status == "finished"
    assert len(branch.of_kind("fold")) == 2


def test_more_harmonics_come_to_the_exact_orbit() -> None:
    gear = nsmb.systems.ship_turning_gear(r=0.5, p=4.0)
    guess = nsmb.simulate(gear, 150.0)
    errors = []
    for harmonics in (1, 5, 15):
        response = analysis.harmonic_balance(gear, harmonics, guess=guess, samples=1024)
        orbit = analysis.periodic_orbit(gear, start=response.start, section_points=1)
        errors.append(_distance(response, orbit))
    assert errors[1] < 0.2 * errors[0]
    assert errors[2] < 2e-4


def _distance(
    response: analysis.results.HarmonicResponse, orbit: analysis.results.PeriodicOrbit
) -> float:
    """Return the largest difference of coordinates over a period, relative to the motion."""
    first, last = orbit.solution.t_span
    t = np.linspace(first, last, 200)
    exact = orbit.solution.at(t).q
    return float(np.abs(response.q(t) - exact).max() / np.abs(exact).max())


def test_a_damped_wall_that_relaxes_is_met_as_the_exact_run_meets_it() -> None:
    """By (3.20)-(3.23) closing is kinematic and opening kinetic. The wall is an initial state."""
    wall = nsmb.ForceElement(w=[1.0, 0.0], law=nsmb.GapForce(60.0, 1.5), gap=0.1, name="wall")
    system = forced(2.1, elements=[wall])
    guess = nsmb.simulate(system, 150.0)
    response = analysis.harmonic_balance(system, 20, guess=guess, samples=1024)
    orbit = analysis.periodic_orbit(system, start=response.start, section_points=1)
    assert len(orbit.solution.events.of_kind("switch")) == 2
    assert _distance(response, orbit) < 4e-4  # measured 1.4e-4
    found = analysis.periodic_orbit(system, section_points=1)  # from rest, its wall relaxed
    assert _distance(response, found) < 4e-4


def coulomb(F: float, beta: float) -> nsmb.LinearSystem:
    """Return ẍ + x + F sgn ẋ = cos βt."""
    return nsmb.LinearSystem(
        [[1.0]],
        K=[[1.0]],
        force=nsmb.Force(harmonics=[nsmb.Harmonic([1.0], beta)]),
        contacts=[nsmb.Friction(w_T=[1.0], bound=F, name="pad")],
        coordinates=["x"],
    )


@pytest.mark.parametrize("beta", [0.7, 1.4])
def test_dry_friction_gives_den_hartogs_amplitude(beta: float) -> None:
    """J. P. Den Hartog (1931) has the closed form of the motion without stops."""
    F = 0.2
    V = 1.0 / (1.0 - beta**2)
    U = np.sin(np.pi / beta) / (beta * (1.0 + np.cos(np.pi / beta)))
    expected = np.sqrt(V**2 - (F * U) ** 2)
    errors = []
    for harmonics in (9, 45):
        response = analysis.harmonic_balance(coulomb(F, beta), harmonics, samples=800)
        x = response.q(np.linspace(0.0, response.period, 4001))[:, 0]
        errors.append(abs(np.abs(x).max() / expected - 1.0))
    # Measured: 3.1e-3 and 1.0e-3, as λ_T jumps and its series decreases with 1/k.
    assert errors[1] < 2e-3
    assert errors[1] < 0.5 * errors[0]
    lambda_T = Basis(45, 4000).values @ response.lambda_T[:, 0]
    assert np.median(np.abs(lambda_T)) == pytest.approx(F, rel=0.05)


def test_a_pad_that_sticks_for_a_while_follows_the_exact_run() -> None:
    system = coulomb(0.75, 0.3)
    orbit = analysis.periodic_orbit(system, section_points=1)
    assert "stick" in orbit.solution.events.count()
    response = analysis.harmonic_balance(system, 60, samples=1024)
    assert _distance(response, orbit) < 3e-3  # measured 1.3e-3


def test_friction_on_a_floor_takes_its_normal_force_along() -> None:
    """With λ_N = 10 + 4 sin, μ λ_N bounds friction like a time-dependent bound."""
    floor = nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=nsmb.ContactLaw(mu=0.1), name="floor")
    system = nsmb.LinearSystem(
        np.eye(2),
        K=np.diag([4.0, 0.0]),
        force=nsmb.Force([0.0, -10.0], harmonics=[nsmb.Harmonic([6.0, -2.0], 1.5)]),
        contacts=[floor],
    )
    response = analysis.harmonic_balance(system, 25, samples=1024)
    np.testing.assert_allclose(response.lambda_N[:3, 0], [10.0, 2.0, 0.0], atol=1e-6)
    orbit = analysis.periodic_orbit(system, section_points=1)
    assert _distance(response, orbit) < 3e-3


def test_internal_states_are_balanced_with_the_motion() -> None:
    """A spring and a damper in series add c d iω/(c + d iω) to the spring k."""
    sp = pytest.importorskip("sympy")
    x, s = symbolic.coordinates("x"), symbolic.states("s")
    v = symbolic.velocities(x)
    p = symbolic.parameters(m=1.0, k=2.0, c=5.0, d=1.5, omega=1.7)
    system = symbolic.LagrangianSystem(
        [x],
        p.m * v**2 / 2,
        p.k * x**2 / 2,
        {x: sp.cos(p.omega * symbolic.time) - p.c * s},
        states={s: v - p.c * s / p.d},
        parameters=p,
        period=2 * sp.pi / p.omega,
    )
    response = analysis.harmonic_balance(system, 2)
    iw = 1.7j
    H = 1.0 / (iw**2 + 2.0 + 5.0 * 1.5 * iw / (5.0 + 1.5 * iw))
    assert response.amplitude("x") == pytest.approx(abs(H), rel=1e-8)
    orbit = analysis.periodic_orbit(system, start=response.start, section_points=1)
    assert _distance(response, orbit) < 1e-8


def test_bilateral_constraints_hold_in_the_series() -> None:
    """Two coupled masses move as one."""
    tied = nsmb.CallbackSystem(
        ["a", "b"],
        mass_matrix=np.diag([1.0, 2.0]),
        forces=lambda t, q, u: [np.cos(1.1 * t) - 5.0 * q[0] - 0.3 * u[0], 0.0],
        constraints=[nsmb.Constraint(gap=lambda t, q: q[0] - q[1])],
        period=2.0 * np.pi / 1.1,
    )
    response = analysis.harmonic_balance(tied, 3)
    expected = 1.0 / abs(5.0 - 3.0 * 1.1**2 + 0.3j * 1.1)
    assert response.amplitude("a") == pytest.approx(expected, rel=1e-7)
    assert response.amplitude("b") == pytest.approx(expected, rel=1e-7)


def test_a_contact_that_is_met_with_speed_is_said_to_be_an_impact() -> None:
    ball = nsmb.LinearSystem(
        [[1.0]],
        K=[[1.0]],
        D=[[0.2]],
        force=nsmb.Force(harmonics=[nsmb.Harmonic([1.0], 1.0)]),
        contacts=[nsmb.Contact(w_N=[1.0], gap=0.5, name="stop")],
    )
    with pytest.raises(analysis.AnalysisError, match=r"impacts|no_convergence") as caught:
        analysis.harmonic_balance(ball, 9)
    assert not caught.value.result.success
    assert pickle.loads(pickle.dumps(caught.value)).result.status == caught.value.result.status


def test_bad_input_is_named() -> None:
    gear = nsmb.systems.ship_turning_gear()
    with pytest.raises(ValueError, match="period in time"):
        analysis.harmonic_balance(nsmb.systems.woodpecker())
    with pytest.raises(ValueError, match="harmonics: expected"):
        analysis.harmonic_balance(gear, 0)
    with pytest.raises(ValueError, match="samples: expected"):
        analysis.harmonic_balance(gear, 7, samples=10)
    with pytest.raises(ValueError, match="guess: expected a run"):
        analysis.harmonic_balance(gear, guess=nsmb.simulate(gear, 1.0))
    response = analysis.harmonic_balance(gear, 1)
    with pytest.raises(ValueError, match="parameter"):
        analysis.continuation(response, "nonsense", (0.0, 1.0))
    with pytest.raises(ValueError, match="span: must be low < high around r"):
        analysis.continuation(response, "r", (2.0, 3.0))
    with pytest.raises(ValueError, match="coordinate"):
        response.amplitude("y")
    for progress in (5, lambda: None):
        with pytest.raises(TypeError, match=r"progress: must be True, False or None, got"):
            analysis.continuation(response, "r", (0.5, 1.5), progress=progress)  # type: ignore[call-overload]


def test_responses_are_tables_in_notebooks() -> None:
    response = analysis.harmonic_balance(nsmb.systems.ship_turning_gear(), 1)
    branch = analysis.continuation(response, "p", (3.9, 4.1), max_points=4)
    for result in (response, branch):
        title, *lines = repr(result).splitlines()
        html = result._repr_html_()
        assert title in html
        assert html.count("<tr>") == len(lines) > 1
        for name in (*response.system.coordinates, f"{response.amplitude('x'):.6g}"):
            assert name in html


def test_times_and_harmonics_of_a_response_are_checked() -> None:
    response = analysis.harmonic_balance(forced(), 1)
    for harmonic in (0.5, "1", 2):
        with pytest.raises(ValueError, match="harmonic: expected a whole number from 0 to 1"):
            response.amplitude("q1", harmonic)  # type: ignore[arg-type]
    for t, words in ((np.nan, "finite number"), ("x", "number"), (np.zeros((2, 2)), "list")):
        with pytest.raises(ValueError, match=f"t: expected a {words}"):
            response.q(t)
