"""`System.recommended` holds the default method and the default end of a run.

Two balls distinguish the laws by their closed forms (8.12). The hit ball stays on the ground with
Newton's law, and leaves with the other one with Poisson's law.
"""

import copy
import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb.analysis import PoincareMap, every

NEWTON = nsmb.EventDriven(impact_law="newton")
T_END = 1.1  # s: the impact is at 0.1 s


def two_balls(recommended: nsmb.results.Recommended | None = None) -> nsmb.System:
    system = nsmb.systems.two_balls(e_2=0.5)
    system.recommended = recommended or nsmb.results.Recommended(NEWTON, T_END)
    return system


def lower_gap(sol: nsmb.Solution) -> float:
    assert sol.t[-1] == T_END
    return float(sol.g_N[-1, 0])


def test_a_run_without_method_takes_the_recommended_one() -> None:
    assert lower_gap(nsmb.simulate(two_balls())) == pytest.approx(0.0, abs=1e-14)
    plain = nsmb.systems.two_balls(e_2=0.5)
    assert lower_gap(nsmb.simulate(plain, T_END)) == pytest.approx(0.5, abs=1e-13)


def test_what_is_said_replaces_what_is_recommended() -> None:
    sol = nsmb.simulate(two_balls(), method=nsmb.EventDriven(impact_law="poisson"))
    assert lower_gap(sol) == pytest.approx(0.5, abs=1e-13)
    assert nsmb.simulate(two_balls(), 0.25).t[-1] == 0.25


def test_a_tolerance_alone_keeps_the_law() -> None:
    assert lower_gap(nsmb.simulate(two_balls(), rtol=1e-10)) == pytest.approx(0.0, abs=1e-14)


def test_stepping_and_section_maps_follow_too() -> None:
    simulator = nsmb.Simulator(two_balls(), output_step=0.0)
    assert simulator.method is NEWTON
    simulator.advance(T_END)
    assert simulator.q[0] == pytest.approx(0.0, abs=1e-14)
    assert PoincareMap(two_balls(), every(1.0)).method is NEWTON


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_and_other_parameters_have_it(way: object) -> None:
    assert callable(way)
    other = way(two_balls())
    assert other.recommended.method.impact_law == "newton"
    assert other.recommended.t_end == T_END
    assert two_balls().with_parameters(e_2=0.6).recommended.method is NEWTON


def test_systems_of_bodies_and_of_energies_keep_it() -> None:
    pytest.importorskip("sympy")
    for build in (nsmb.systems.peg_in_hole, nsmb.systems.woodpecker.symbolic):
        system = build()
        assert system.recommended.options == {}
        system.recommended = nsmb.results.Recommended(NEWTON)
        other = pickle.loads(pickle.dumps(system))
        assert other.recommended.options == {"impact_law": "newton"}
        assert system.with_parameters(mu=0.2).recommended.method is NEWTON


def test_ready_made_systems_have_the_law_of_their_source() -> None:
    for name in ("gearbox_two_stage", "gearbox_branched"):
        system = nsmb.systems.build(name)
        assert system.recommended.options == {"impact_law": "newton"}
        assert getattr(nsmb.systems, name).recommended.options == system.recommended.options
    wheel = nsmb.gears.LooseWheel("1", 1.0, 1.0, 0.1, 0.9, 0.0, 0.0)
    train = nsmb.gears.RattlingTrain(nsmb.gears.DriveWheel(1.0, 1.0, 1.0), [wheel]).system()
    assert train.recommended.options == {"impact_law": "newton"}
    crank = nsmb.systems.slider_crank()
    assert crank.recommended.method is not None
    assert crank.recommended.method.impact_law == "moreau"
    brush = nsmb.systems.electric_brush.recommended
    assert brush.options == {"rest_velocity": 1e-6}
    for name in nsmb.systems.names():
        assert getattr(nsmb.systems, name).recommended.t_end is not None


def test_the_drill_has_no_friction_in_impacts_unless_told_otherwise() -> None:
    """Newton's law of chapter 7 has no friction, Poisson's law has."""
    pytest.importorskip("llvmlite")
    drill = nsmb.systems.percussion_drill()
    assert "impact_law='newton'" in repr(drill)
    hits = nsmb.simulate(drill, 0.05).events.of_kind("impact").at_contact("cams")
    assert len(hits) > 1
    assert np.all(hits.Lambda_N.sum(axis=1) > 0.0)
    np.testing.assert_array_equal(hits.Lambda_T, 0.0)
    rough = nsmb.simulate(drill, 0.05, method=nsmb.EventDriven())
    assert np.any(rough.events.Lambda_T != 0.0)


def test_a_stored_run_of_a_ready_made_system_knows_it(tmp_path: Path) -> None:
    sol = nsmb.simulate(nsmb.systems.gearbox_two_stage(e=0.8), 0.01)
    sol.save(tmp_path / "run.npz")
    loaded = nsmb.Solution.load(tmp_path / "run.npz")
    assert loaded.system is not None
    assert loaded.system.recommended.options == {"impact_law": "newton"}


def test_it_shows_what_differs_from_the_usual_options() -> None:
    assert repr(nsmb.results.Recommended()) == "Recommended()"
    assert (
        repr(nsmb.results.Recommended(NEWTON, 2.0))
        == "Recommended(EventDriven(impact_law='newton'), t_end=2.0)"
    )
    atol = nsmb.EventDriven(atol=np.ones(2))
    assert list(nsmb.results.Recommended(atol).options) == ["atol"]
    changed = dataclasses.replace(NEWTON, rtol=1e-9)
    assert nsmb.results.Recommended(changed).options == {"rtol": 1e-9, "impact_law": "newton"}


def test_misuse_is_named() -> None:
    ball = nsmb.systems.bouncing_ball()
    with pytest.raises(
        ValueError, match=r"system\.recommended: expected a nsmb\.results\.Recommended, got"
    ):
        ball.recommended = NEWTON  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"method`: must be a method .* got 'newton'"):
        nsmb.results.Recommended("newton")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="t_end: expected a number"):
        nsmb.results.Recommended(t_end="2")  # type: ignore[arg-type]
    free = nsmb.LinearSystem([[1.0]])
    with pytest.raises(ValueError, match="t_end: expected a time, got None, and 'linear system'"):
        nsmb.simulate(free)
