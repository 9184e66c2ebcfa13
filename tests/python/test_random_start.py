"""Random starts can be run, and results show the same in notebooks and as text."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import nsmb
from nsmb import analysis, systems
from tests.python.test_going_on import box_on_ground

RANGES = {"percussion_drill": 1e-4, "gear_rattling": 0.4, "electric_brush": 1e-5}


@pytest.mark.parametrize("name", systems.names())
def test_every_ready_made_system_has_random_starts(name: str) -> None:
    system = systems.build(name)
    starts = [
        nsmb.instant.random_start(system, seed, spread=RANGES.get(name, 1e-3), speed=1e-2)
        for seed in range(3)
    ]
    for start in starts:
        kinematics = system.contact_kinematics(start.t, start.q, start.u)
        deep = [
            g
            for g, contact in zip(kinematics["g_N"], system.contacts, strict=True)
            if contact.is_unilateral and np.isfinite(g)
        ]
        if not system._core.has_features:
            assert min(deep, default=0.0) >= -1e-9
        if system.nb:
            closed = system.constraint_kinematics(start.t, start.q, start.u)
            np.testing.assert_allclose(closed["g"], 0.0, atol=1e-9)
            rate = closed["W"].T @ start.u + closed["w_tilde"]
            np.testing.assert_allclose(rate, 0.0, atol=1e-9)
        nsmb.Simulator(system).reset(start=start)
    assert not np.array_equal(starts[0].q, starts[1].q)
    again = nsmb.instant.random_start(system, 0, spread=RANGES.get(name, 1e-3), speed=1e-2)
    np.testing.assert_array_equal(again.q, starts[0].q)


def test_bodies_with_contours_start_apart() -> None:
    system = box_on_ground()
    for seed in range(5):
        start = nsmb.instant.random_start(system, seed, spread=[0.5, 0.6, 3.0])
        assert system.overlaps(start.t, start.q) == {}
        nsmb.Simulator(system).reset(start=start)


def test_quaternions_have_length_one() -> None:
    model = nsmb.Model()
    body = model.add_body("b", mass=1.0, inertia=1.0)
    model.add_joint("free", nsmb.joints.Free(), model.ground, body)
    start = nsmb.instant.random_start(model.build(), 1, spread=0.5)
    assert np.linalg.norm(start.q[3:]) == pytest.approx(1.0, abs=1e-15)


def test_a_range_without_starts_is_refused() -> None:
    def distance(t: float, q: np.ndarray) -> float:
        return float(-1.0 - q[0] ** 2)

    blocked = nsmb.CallbackSystem(
        ["q"], [[1.0]], lambda t, q, u: [0.0],
        [nsmb.Contact(distance, w_N=lambda t, q: [-2.0 * q[0]])], check=False,
    )  # fmt: skip
    with pytest.raises(ValueError, match="spread: must contain initial states of"):
        nsmb.instant.random_start(blocked)
    with pytest.raises(ValueError, match="speed: expected numbers >= 0"):
        nsmb.instant.random_start(systems.bouncing_ball(), speed=-1.0)


class Reader(HTMLParser):
    """A parser that collects texts and rejects unclosed tags."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(result: object) -> str:
    reader = Reader()
    reader.feed(result._repr_html_())  # type: ignore[attr-defined]
    assert not reader.open
    return " ".join(reader.texts)


def test_results_are_tables_in_notebooks() -> None:
    system = systems.impact_oscillator()
    run = nsmb.simulate(system, 60.0, sensitivity=True)
    orbit = analysis.periodic_orbit(system, transient=400)
    branch = analysis.continuation(orbit, "omega", (0.79, 0.81))
    for result in (run, run.sensitivity, run.energy, orbit, branch):
        text = read(result)
        for word in repr(result).split():
            assert word in text
    events = read(run.events)
    assert f"{run.events.t[0]:.9f}" in events
    assert f"{run.events.t[-1]:.9f}" in events
    described = read(system)
    for name, info in system.parameter_info.items():
        assert name in described
        assert info.description in described


def test_names_are_no_markup() -> None:
    system = nsmb.LinearSystem([[1.0]], coordinates=["<b>"], name="a & b")
    assert "&lt;b&gt;" in system._repr_html_()
    assert "a &amp; b" in system._repr_html_()
    assert "&lt;b&gt;" in nsmb.simulate(system, 0.1)._repr_html_()
