"""Bad input to the public API raises a ValueError that names argument, expected and actual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nsmb


def expanded(parameters: Any) -> nsmb.Solution:
    """Return a run of a ball with user-defined parameters of expansion."""
    method = nsmb.EventDriven(impact_law="poisson", expansion=lambda compression: parameters)
    return nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, method=method)


CASES: dict[str, tuple[Callable[[], object], str]] = {
    "wrong shape of q": (
        lambda: nsmb.simulate(nsmb.systems.woodpecker(), 1.0, q=[0.0, 0.0]),
        r"q: expected shape \(3,\), got shape \(2,\)",
    ),
    "NaN in u": (
        lambda: nsmb.simulate(nsmb.systems.woodpecker(), 1.0, u=[0.0, np.nan, 0.0]),
        r"u: expected finite numbers, got \[0\.0, nan, 0\.0\]",
    ),
    "text for q": (
        lambda: nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, q="high"),
        r"q: expected numbers of shape \(1,\), got 'high'",
    ),
    "t_end before t": (
        lambda: nsmb.simulate(nsmb.systems.bouncing_ball(), -1.0),
        r"t_end: expected a time >= t_start = 0\.0, got -1\.0",
    ),
    "t_end infinite": (
        lambda: nsmb.simulate(nsmb.systems.bouncing_ball(), np.inf),
        r"t_end: expected a finite number, got inf",
    ),
    "penetrating start": (
        lambda: nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, q=[-1e-3]),
        r"q: expected g_N >= -1e-09 at contact 'floor', got g_N = -0\.001",
    ),
    "negative mass": (
        lambda: nsmb.systems.bouncing_ball(m=-1.0),
        r"M: expected a positive definite matrix, got diagonal entry -1",
    ),
    "singular mass matrix": (
        lambda: nsmb.LinearSystem([[1.0, 1.0], [1.0, 1.0]]),
        r"M: expected a positive definite matrix, got a singular or indefinite matrix",
    ),
    "asymmetric mass matrix": (
        lambda: nsmb.LinearSystem([[2.0, 1.0], [0.0, 2.0]]),
        r"M: expected a symmetric matrix, got asymmetry 1",
    ),
    "negative mu": (
        lambda: nsmb.systems.woodpecker(mu=-0.1),
        r"mu'?: must be at least 0, got -0\.1",
    ),
    "e above one": (
        lambda: nsmb.systems.woodpecker(e_beak=1.5),
        r"e_N: expected a number in \[0, 1\], got 1\.5",
    ),
    "unknown parameter": (
        lambda: nsmb.systems.woodpecker(my=0.3),
        r"parameter 'my': expected one of m_M, .*; did you mean 'mu'\?",
    ),
    "unknown parameter of a built system": (
        lambda: nsmb.systems.woodpecker().with_parameters(e_beek=0.3),
        r"parameter 'e_beek': expected one of .*; did you mean 'e_beak'\?",
    ),
    "NaN parameter": (
        lambda: nsmb.systems.woodpecker(g=np.nan),
        r"parameter 'g': expected a finite number, got nan",
    ),
    "rtol of zero": (
        lambda: nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, rtol=0.0),
        r"rtol: expected a number > 0, got 0",
    ),
    "unknown integrator": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(), 1.0, method=nsmb.EventDriven(integrator="euler")
        ),
        r"integrator: expected one of auto, linear_flow, dp853, .*, got 'euler'",
    ),
    "closed form of a system that has none": (
        lambda: nsmb.simulate(
            nsmb.LinearSystem([[1.0]], force=lambda t: [0.0]),
            1.0,
            method=nsmb.EventDriven(integrator="linear_flow"),
        ),
        r"integrator: expected a numerical method such as 'dp853', got 'linear_flow'",
    ),
    "unknown impact law": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(),
            1.0,
            method=nsmb.EventDriven(impact_law="hertz"),  # type: ignore[arg-type]
        ),
        r"impact_law: expected one of moreau, poisson, newton, got 'hertz'",
    ),
    "unknown reaction to inconsistent contacts": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(),
            1.0,
            method=nsmb.EventDriven(on_inconsistent="ignore"),  # type: ignore[arg-type]
        ),
        r"on_inconsistent: expected one of stop, impact, got 'ignore'",
    ),
    "check_uniqueness that is no truth value": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(),
            1.0,
            method=nsmb.EventDriven(check_uniqueness="yes"),  # type: ignore[arg-type]
        ),
        r"check_uniqueness: expected True or False, got 'yes'",
    ),
    "max_events that is no integer": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(),
            1.0,
            method=nsmb.EventDriven(max_events=2.5),  # type: ignore[arg-type]
        ),
        r"max_events: expected an integer, got 2\.5",
    ),
    "gap_tolerance that is no number": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(),
            1.0,
            method=nsmb.EventDriven(gap_tolerance="small"),  # type: ignore[arg-type]
        ),
        r"gap_tolerance: expected a number, got 'small'",
    ),
    "expansion with a law of one phase": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(),
            1.0,
            method=nsmb.EventDriven(impact_law="moreau", expansion=lambda c: {}),
        ),
        r"expansion: must be left out for impact_law='moreau', which does not use it, got <",
    ),
    "expansion that is no function": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(),
            1.0,
            method=nsmb.EventDriven(impact_law="poisson", expansion={"e_N": 0.5}),  # type: ignore[arg-type]
        ),
        r"expansion: expected a function of \(compression\), got \{'e_N': 0\.5\}",
    ),
    "unknown parameter of expansion": (
        lambda: expanded({"e_Nn": 0.5}),
        r"expansion: parameter 'e_Nn': expected one of e_N, mu, e_T, nu; did you mean 'e_N'\?",
    ),
    "wrong number of expansion parameters": (
        lambda: expanded({"e_N": [0.5, 0.5]}),
        r"expansion: e_N: expected shape \(1,\), got shape \(2,\)",
    ),
    "expansion parameter out of range": (
        lambda: expanded({"e_N": 1.5}),
        r"e_N: expected a number in \[0, 1\], got 1\.5",
    ),
    "expansion that returns no mapping": (
        lambda: expanded(0.5),
        r"expansion: expected a mapping of parameters, got 0\.5",
    ),
    "wrong length of atol": (
        lambda: nsmb.simulate(
            nsmb.systems.woodpecker(), 1.0, method=nsmb.EventDriven(atol=[1.0, 2.0])
        ),
        r"atol: expected a number or shape \(6,\), got shape \(2,\)",
    ),
    "negative output step": (
        lambda: nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, output_step=-0.1),
        r"output_step: expected a number >= 0, got -0\.1",
    ),
    "not a system": (
        lambda: nsmb.simulate("woodpecker", 1.0),  # type: ignore[arg-type]
        r"system: expected a nsmb\.System, got str",
    ),
    "method and rtol": (
        lambda: nsmb.simulate(
            nsmb.systems.bouncing_ball(), 1.0, method=nsmb.EventDriven(), rtol=1e-6
        ),
        r"`rtol`: must be left out where a method is given, got 1e-06",
    ),
    "unknown system": (
        lambda: nsmb.systems.build("woodpeker"),
        r"system 'woodpeker': expected one of .*; did you mean 'woodpecker'\?",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused_with_a_clear_message(case: str) -> None:
    call, message = CASES[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_refused_reset_leaves_the_simulator_as_it_was() -> None:
    sim = nsmb.Simulator(nsmb.systems.bouncing_ball())
    sim.advance(1.0)
    q = sim.q.copy()
    with pytest.raises(ValueError, match="g_N"):
        sim.reset(q=[-1.0])
    assert sim.t == 1.0
    np.testing.assert_array_equal(sim.q, q)
    assert len(sim.solution.events) > 0


def test_a_start_within_the_tolerance_is_put_onto_the_contact() -> None:
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0, q=[-0.9e-9])
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    assert abs(sol.q[-1, 0]) < 1e-15


def test_going_back_in_time_is_refused() -> None:
    sim = nsmb.Simulator(nsmb.systems.bouncing_ball())
    sim.advance(1.0)
    with pytest.raises(ValueError, match=r"t_end: expected a time >= t = 1, got 0\.5"):
        sim.advance(0.5)
