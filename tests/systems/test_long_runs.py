"""Every ready-made system passes the checks of `long_runs` over its usual and tenfold duration.

Time-stepping runs have the usual duration only. These are some of the runs of ``python -m
tests.campaign.systems``.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nsmb
from tests.systems import stepped_runs
from tests.systems.long_runs import ENDS_EARLY, RTOLS, Case, Check, drawn, run

SEED = 11
NAMES = nsmb.systems.names()
STEPPED = {
    name
    for name in NAMES
    if isinstance(getattr(nsmb.systems, name).recommended.method, nsmb.Midpoint)
}
# Ten times the usual duration takes half a minute or more.
COSTLY = {"electric_brush", "toppling_blocks", "sphere_on_beam", "two_beams_and_sphere"}
METHOD = nsmb.EventDriven()


def is_linear(name: str) -> bool:
    return name != "percussion_drill" and isinstance(nsmb.systems.build(name), nsmb.LinearSystem)


def judged(case: Case) -> str:
    """Return an empty string, or the findings and the script that reproduces them."""
    outcome = run(case)
    if not outcome.is_wrong(case.name):
        return ""
    return "\n".join([outcome.status, outcome.message, *outcome.findings, case.script()])


def of_parameters(
    name: str, parameters: dict[str, float], factor: float, rtol: float
) -> list[Case]:
    """Return the cases. Linear systems, whose flow has no tolerance, are also integrated."""
    cases = [Case(name, parameters, factor, rtol)]
    if is_linear(name):
        cases.append(Case(name, parameters, factor, rtol, "dp853"))
    return cases


@pytest.mark.parametrize("name", NAMES)
def test_a_system_runs_its_usual_time_at_any_tolerance(name: str) -> None:
    for rtol in (RTOLS[1],) if name in COSTLY | STEPPED else (RTOLS[0], RTOLS[-1]):
        for case in of_parameters(name, {}, 1.0, rtol):
            assert judged(case) == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_system_runs_with_other_data(name: str) -> None:
    rng = np.random.default_rng([SEED, NAMES.index(name)])
    assert judged(Case(name, drawn(name, rng), 1.0, RTOLS[1])) == ""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in COSTLY | STEPPED])
def test_a_system_runs_ten_times_as_long(name: str) -> None:
    assert judged(Case(name, {}, 10.0, RTOLS[0])) == ""


def test_steps_that_sink_in_and_energy_out_of_nothing_are_seen() -> None:
    block = nsmb.systems.rocking_block()
    sol = nsmb.simulate(block, 1.0)
    assert stepped_runs.findings(block, sol) == []
    higher = block.with_parameters(H=0.62)
    assert "penetration" in stepped_runs.findings(higher, sol)[0]
    parts = {name: getattr(sol, name) for name in ("t", "q", "u", "stats", "method")}
    energy = sol.energy
    pushed = energy.total + np.where(sol.t > 0.5, 0.01 * energy.turnover[-1], 0.0)
    other: Any = SimpleNamespace(
        **parts,
        step_residual=np.full(sol.t.size, 1e-3),
        energy=SimpleNamespace(total=pushed, turnover=energy.turnover),
    )
    said = stepped_runs.findings(block, other)
    assert [line.split(":")[0] for line in said] == ["residual of a step", "energy gain"]


def test_data_are_drawn_within_ten_per_cent_and_the_same_for_a_seed() -> None:
    default = nsmb.systems.slider_crank().parameters
    twice = [drawn("slider_crank", np.random.default_rng(3)) for _ in range(2)]
    assert twice[0] == twice[1]
    assert len(twice[0]) > 10
    for key, value in twice[0].items():
        assert 0.0 < abs(value / default[key] - 1.0) <= 0.1


def test_early_ends_that_count_as_right_are_named() -> None:
    assert set(ENDS_EARLY) <= set(NAMES)
    rod = nsmb.systems.sliding_rod(phi=np.radians(60.0), omega=1.0)
    sol = nsmb.simulate(rod, 0.02, throw=False)
    assert sol.status in ENDS_EARLY["sliding_rod"]


# What the checks find --------------------------------------------------------------------------


def findings(system: nsmb.System, sol: nsmb.Solution) -> str:
    return "\n".join(Check(system, sol, METHOD).all())


def test_a_floor_that_was_higher_is_seen() -> None:
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(), 2.0)
    assert findings(nsmb.systems.bouncing_ball(), sol) == ""
    floor = nsmb.Contact(w_N=[1.0], gap=-1e-6, name="floor")
    higher = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[floor])
    assert "penetration at floor" in findings(higher, sol)


def test_a_contact_that_opened_without_a_word_is_seen() -> None:
    sol = nsmb.simulate(nsmb.systems.incline_block(), 2.0)
    assert "closed at a distance" not in findings(nsmb.systems.incline_block(), sol)
    sol = nsmb.simulate(nsmb.systems.bouncing_ball(e_N=0.0), 2.0)
    floor = nsmb.Contact(w_N=[1.0], gap=1e-6, name="floor")
    lower = nsmb.LinearSystem([[1.0]], force=[-9.81], contacts=[floor])
    assert "closed at a distance at floor: 1e-06" in findings(lower, sol)


def test_friction_beyond_its_cone_and_lost_energy_are_seen() -> None:
    toy = nsmb.systems.woodpecker()
    sol = nsmb.simulate(toy, 1.0)
    assert findings(toy, sol) == ""
    assert "friction cone" in findings(toy.with_parameters(mu=0.299), sol)
    # The bird is one part in a thousand heavier than in the run.
    assert "energy balance" in findings(toy.with_parameters(m_S=4.5045e-3), sol)
