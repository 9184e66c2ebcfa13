"""The period of the explicit time dependence of systems."""

import pickle

import numpy as np
import pytest

import nsmb


def driven(*omegas: float, ramp: list[float] | None = None, speed: float = 0.0) -> nsmb.System:
    harmonics = [nsmb.Harmonic([1.0], omega) for omega in omegas]
    return nsmb.LinearSystem(
        [[1.0]],
        force=nsmb.Force(ramp=ramp, harmonics=harmonics),
        contacts=[nsmb.Contact(w_N=[1.0], gap=1.0, w_tilde_N=speed)],
    )


def test_harmonics_of_a_common_frequency_have_its_period() -> None:
    assert driven(3.0).period == pytest.approx(2.0 * np.pi / 3.0)
    assert driven(6.0, 3.0, 9.0).period == pytest.approx(2.0 * np.pi / 3.0)
    assert driven(2.0, 3.0).period is None
    assert driven().period is None
    assert nsmb.systems.woodpecker().period is None


def test_what_grows_with_time_has_no_period() -> None:
    assert driven(3.0, ramp=[1.0]).period is None
    assert driven(3.0, speed=0.1).period is None


def test_the_period_follows_the_parameters() -> None:
    oscillator = nsmb.systems.impact_oscillator()
    omega = oscillator.parameters["omega"]
    assert oscillator.with_parameters(omega=2.0 * omega).period == pytest.approx(np.pi / omega)
    assert pickle.loads(pickle.dumps(oscillator)).period == oscillator.period


def test_systems_of_functions_and_expressions_are_told() -> None:
    system = nsmb.CallbackSystem(
        ["x"], mass_matrix=[[1.0]], forces=lambda t, q, u: [np.cos(t)], period=2.0 * np.pi
    )
    assert system.period == pytest.approx(2.0 * np.pi)
    sp = pytest.importorskip("sympy")
    symbolic = nsmb.symbolic
    x = symbolic.coordinates("x")
    v = symbolic.velocities(x)
    p = symbolic.parameters(m=1.0, omega=4.0)
    pushed = symbolic.LagrangianSystem(
        [x],
        kinetic=p.m * v**2 / 2,
        forces=[sp.cos(p.omega * symbolic.time) - x**3],
        parameters=p,
        period=2 * sp.pi / p.omega,
    )
    assert pushed.period == pytest.approx(np.pi / 2.0)
    assert pushed.with_parameters(omega=1.0).period == pytest.approx(2.0 * np.pi)
    assert pickle.loads(pickle.dumps(pushed)).period == pushed.period


@pytest.mark.parametrize("period", [0.0, -1.0, np.nan])
def test_a_period_is_a_positive_number(period: float) -> None:
    with pytest.raises(ValueError, match="period: expected a"):
        nsmb.CallbackSystem(["x"], [[1.0]], lambda t, q, u: [0.0], period=period)
