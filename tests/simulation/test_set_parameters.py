"""Parameters set during a run: it becomes a run in two pieces with one record."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import nsmb
from nsmb import symbolic

MOTOR = nsmb.Input("motor", 0.0, unit="N")


@dataclass(frozen=True, kw_only=True)
class BounceParameters(nsmb.Parameters):
    m: float = nsmb.parameter(1.0, "kg", "mass", positive=True)
    e: float = nsmb.parameter(0.7, "-", "restitution")
    floor: float = nsmb.parameter(0.0, "m", "height of the floor")
    count: int = nsmb.parameter(1, "-", "masses")


@nsmb.parametric(BounceParameters)
def bounce_to_be_set(p: BounceParameters) -> nsmb.LinearSystem:
    n = p.count
    floor = nsmb.Contact(
        w_N=[1.0] + [0.0] * (n - 1), gap=-p.floor, law=nsmb.ContactLaw(e_N=p.e), name="floor"
    )
    return nsmb.LinearSystem(
        p.m * np.eye(n),
        force=nsmb.Force([-10.0 * p.m] * n, inputs={MOTOR: [1.0] * n}),
        contacts=[floor],
        initial_state=nsmb.State(0.0, [1.0] * n, [0.0] * n),
    )


def spring(linear: bool | None) -> nsmb.System:
    x, y = symbolic.coordinates("x y")
    u, v = symbolic.velocities(x, y)
    p = symbolic.parameters(k=50.0, mu=0.3, g=9.81, x_0=0.4)
    return symbolic.LagrangianSystem(
        [x, y],
        (u**2 + v**2) / 2,
        p.k * x**2 / 2 + p.g * y,
        contacts=[nsmb.Contact(gap=y, slip=u, law=nsmb.ContactLaw(e_N=0.0, mu=p.mu))],
        parameters=p,
        initial={x: p.x_0},
        linear=linear,
    )


def rocker() -> nsmb.System:
    """Polygon on the ground, with contact points that appear and disappear."""

    def build(mu: float = 0.4, g: float = 9.81) -> nsmb.System:
        model = nsmb.Model(gravity=(1.0, -g, 0.0))
        box = model.add_body("box", mass=1.0, inertia=0.02)
        model.add_joint("box", nsmb.joints.Planar(), model.ground, box)
        corners = [(-0.1, -0.2), (0.1, -0.2), (0.1, 0.2), (-0.1, 0.2)]
        outline = box.contour("outline", nsmb.geometry.Polygon(corners))
        floor = model.ground.contour("floor", nsmb.geometry.Line())
        model.add_contact(outline, floor, nsmb.ContactLaw(e_N=0.2, mu=mu), "floor")
        return model.build(
            initial={"box.y": 0.25, "box.phi": 0.1},
            parameters={"mu": mu, "g": g},
            rebuild=build,
        )

    return build()


CASES = {
    "closed form": (bounce_to_be_set, {"m": 3.0, "e": 0.3}),
    "SymPy, closed form": (lambda: spring(None), {"k": 20.0, "mu": 0.05}),
    "SymPy, integrated": (lambda: spring(False), {"k": 20.0, "mu": 0.05}),
    "bodies": (rocker, {"mu": 0.05, "g": 4.0}),
}


METHODS = {
    "events": nsmb.EventDriven(),
    "midpoint": nsmb.Midpoint(1e-3),
    "hybrid": nsmb.Hybrid(1e-3),
    "controlled": nsmb.Midpoint(1e-2, error=1e-4),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_it_is_a_run_in_two_pieces(case: str, method: str) -> None:
    make, changes = CASES[case]
    system = make()
    sim = nsmb.Simulator(system, METHODS[method], output_step=0.0)
    sim.advance(0.55)
    first = sim.solution
    sim.set_parameters(**changes)
    assert np.array_equal(sim.q, first.q[-1])
    sim.advance(1.1)
    changed = system.with_parameters(**changes)
    second = nsmb.Simulator(changed, METHODS[method], output_step=0.0)
    second.reset(0.55, first.q[-1], first.u[-1], first.x[-1])
    second.advance(1.1)
    whole, rest = sim.solution, second.solution
    n = len(first.t)
    assert np.array_equal(whole.t, np.concatenate([first.t, rest.t]))
    # A stepped run has no forces at its start. After a change they are those of the last step.
    behind = 0 if method == "events" else 1
    for name in ("q", "u", "lambda_N", "lambda_T", "contact_state"):
        known = behind if name.startswith(("lambda", "contact")) else 0
        assert np.array_equal(getattr(whole, name)[:n], getattr(first, name))
        assert np.array_equal(getattr(whole, name)[n + known :], getattr(rest, name)[known:]), name
    assert whole.stats["steps"] == first.stats["steps"] + rest.stats["steps"]
    assert whole.stats["impact_loss"] == pytest.approx(
        first.stats["impact_loss"] + rest.stats["impact_loss"], rel=1e-12
    )
    for name, value in changes.items():
        column = whole.parameter_values[name]
        assert (column[:n] == system.parameters[name]).all()
        assert (column[n:] == value).all()
    assert set(whole.parameter_values) == set(changes)
    assert sim.system.parameters == changed.parameters
    assert method != "events" or whole.check().ok
    assert np.array_equal(whole.at(0.7).q, rest.at(0.7).q)


def test_contacts_are_decided_anew_and_logged() -> None:
    sim = nsmb.Simulator(spring(None), output_step=0.0)
    sim.set_parameters(mu=3.0)  # holds the spring
    sim.advance(0.5)
    assert sim.q[0] == 0.4
    sim.set_parameters(mu=0.1)
    assert sim.contact_state[0] == nsmb.ContactState.STICK  # as before, until the run continues
    sim.advance(0.51)
    events = sim.solution.events
    assert events.kinds == ["slip"]
    assert events.t.tolist() == [0.5]


def test_inputs_and_output_points_go_on() -> None:
    sim = nsmb.Simulator(bounce_to_be_set(), output_step=0.01)
    sim.set(motor=2.0)
    while sim.t < 0.1:
        sim.step(t_max=0.1)
    sim.set_parameters(m=2.0)
    assert dict(sim.inputs) == {"motor": 2.0}
    sim.advance(0.2)
    solution = sim.solution
    assert np.allclose(np.unique(solution.t), 0.01 * np.arange(21), rtol=0.0, atol=1e-15)
    assert (solution.inputs == 2.0).all()
    # 8 m/s² for 0.1 s, then 9 m/s².
    assert sim.u[0] == pytest.approx(-0.8 - 0.9, abs=1e-14)


def test_before_the_start_it_is_another_system() -> None:
    sim = nsmb.Simulator(bounce_to_be_set(), output_step=0.0)
    sim.set_parameters(m=2.0)
    sim.set(motor=2.0)
    sim.advance(0.1)
    assert sim.u[0] == pytest.approx(-0.9, abs=1e-15)
    assert len(sim.solution.t) == 2


def test_what_moved_apart_is_open_and_what_would_penetrate_is_refused() -> None:
    sim = nsmb.Simulator(bounce_to_be_set(e=0.0), output_step=0.0)
    sim.advance(1.0)
    assert sim.lambda_N[0] == 10.0
    with pytest.raises(ValueError, match=r"set_parameters: q: expected g_N >= .* 'floor'"):
        sim.set_parameters(floor=0.1)
    assert sim.system.parameters["floor"] == 0.0
    sim.set_parameters(floor=-0.2)
    sim.advance(1.1)
    assert sim.q[0] == pytest.approx(-0.05, abs=1e-14)
    sim.advance(2.0)
    assert sim.q[0] == pytest.approx(-0.2, abs=1e-14)


def test_reset_begins_with_what_was_given() -> None:
    sim = nsmb.Simulator(bounce_to_be_set(), output_step=0.0)
    sim.advance(0.1)
    sim.set_parameters(e=0.0)
    sim.advance(1.0)
    sim.reset()
    assert sim.system.parameters["e"] == 0.7
    sim.advance(1.0)
    fresh = nsmb.Simulator(bounce_to_be_set(), output_step=0.0)
    fresh.advance(1.0)
    assert np.array_equal(sim.q, fresh.q)
    assert not sim.solution.parameter_values


def test_the_record_goes_through_tables_and_files(tmp_path: Path) -> None:
    sim = nsmb.Simulator(bounce_to_be_set(), output_step=0.0)
    sim.advance(0.2)
    sim.set_parameters(e=0.1)
    sim.advance(1.0)
    solution = sim.solution
    assert set(solution.to_dataframe()["parameter[e]"]) == {0.7, 0.1}
    assert solution.to_xarray()["parameter_e"].attrs["units"] == "-"
    solution.save(tmp_path / "run.npz")
    for other in (nsmb.Solution.load(tmp_path / "run.npz"), pickle.loads(pickle.dumps(solution))):
        assert list(other.parameter_values) == ["e"]
        assert np.array_equal(other.parameter_values["e"], solution.parameter_values["e"])
        assert other.parameters["e"] == 0.1
    with pytest.raises(ValueError, match="energy: expected a run with the same parameters"):
        solution.energy  # noqa: B018 - it raises
    sim.drop_samples()
    sim.advance(1.1)
    assert not sim.solution.parameter_values


def test_what_cannot_be_set_is_refused() -> None:
    sim = nsmb.Simulator(bounce_to_be_set(), output_step=0.0)
    sim.advance(0.1)
    before = sim.q
    with pytest.raises(ValueError, match=r"parameter 'mm': expected one of .*; did you mean 'm'"):
        sim.set_parameters(mm=1.0)
    with pytest.raises(ValueError, match="parameter 'm': expected a finite number"):
        sim.set_parameters(m=np.nan)
    with pytest.raises(ValueError, match="must keep components"):
        sim.set_parameters(count=2)
    with pytest.raises(ValueError, match="built without named parameters"):
        nsmb.Simulator(nsmb.LinearSystem([[1.0]])).set_parameters(m=1.0)
    followed = nsmb.Simulator(bounce_to_be_set(), output_step=0.0, sensitivity="m")
    followed.advance(0.1)
    with pytest.raises(ValueError, match=r"set_parameters: .*whose derivative is not followed"):
        followed.set_parameters(m=2.0)
    towers = nsmb.Simulator(bounce_to_be_set(count=5), output_step=0.0)
    towers.advance(0.1)
    towers.set_parameters(e=0.1)  # inputs join its masses
    sim.set_parameters()
    assert np.array_equal(sim.q, before)
    assert not sim.solution.parameter_values


class Relay(nsmb.UserForce):
    """Pulls with 1 N until u = -1.5 m/s, then pushes until u = -0.5 m/s."""

    watched: ClassVar[dict[str, bool]] = {"pushes": False}

    def force(self, now: Any) -> Any:
        return [1.0 if now.closed[0] else -1.0]

    def watch(self, now: Any) -> float:
        above = float(now.u[0]) + 1.0
        return 0.5 + (-above if now.closed[0] else above)


def relay(c: float = 0.0) -> nsmb.System:
    model = nsmb.Model()
    body = model.add_body("body", mass=1.0, inertia=1.0)
    slide = model.add_joint("slide", nsmb.joints.Prismatic(), model.ground, body)
    model.add_user_force("relay", Relay(), coordinates=slide)
    return model.build(parameters={"c": c}, rebuild=relay)


@pytest.mark.parametrize("method", METHODS)
def test_modes_of_force_elements_stay_what_they_are(method: str) -> None:
    """At 2 s both modes are possible; the relay pushes, as it has since 1.5 s."""
    sim = nsmb.Simulator(relay(), METHODS[method], output_step=0.0)
    sim.advance(2.0)
    assert sim.u[0] == pytest.approx(-1.0, abs=0.021)
    before = sim.u[0]
    sim.set_parameters(c=1.0)
    sim.advance(2.3)
    assert sim.u[0] == pytest.approx(before + 0.3, abs=1e-9)
