"""Sections check the system and report missing requirements."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nsmb
from nsmb import analysis
from nsmb.analysis import crossing, every, on_event


def test_names_of_the_state_are_in_the_order_of_y() -> None:
    toy = nsmb.systems.woodpecker()
    names = toy.labels.components
    assert names == ("y", "phi_M", "phi_S", "y_dot", "phi_M_dot", "phi_S_dot")
    for i, name in enumerate(names):
        assert toy.labels.component(name) == i


def test_an_unknown_component_is_named_with_its_neighbour() -> None:
    with pytest.raises(ValueError, match=r"component 'phi_N_dot'.*did you mean 'phi_S_dot'"):
        nsmb.systems.woodpecker().labels.component("phi_N_dot")


@pytest.mark.parametrize(
    ("section", "text"),
    [
        (on_event("impact", "beak"), "impact beak"),
        (on_event("impact"), "impact"),
        (on_event(), "event"),
        (on_event("stick", "lower"), "stick lower"),
        (on_event(nsmb.EventKind.SLIP), "slip"),
        (every(), "every period"),
        (every(0.5, 0.25), "every 0.5 s at phase 0.25"),
        (crossing("phi_S", 0.1, -1), "phi_S = 0.1 downward"),
        (crossing("phi_S_dot", direction=0), "phi_S_dot = 0"),
    ],
)
def test_sections_describe_themselves_and_survive_pickle(
    section: analysis.results.Section, text: str
) -> None:
    assert section.describe() == text
    assert pickle.loads(pickle.dumps(section)) == section


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (on_event("impact", "beek"), r"section: contact 'beek'.*did you mean 'beak'"),
        (on_event("switch"), r"expected a system with force elements"),
        (every(), r"periodic in time.*give every\(period\)"),
        (every(lambda parameters: -parameters["mu"]), r"period: expected a number > 0"),
        (crossing("phi"), r"component 'phi'"),
    ],
)
def test_a_section_the_system_cannot_have_is_refused(
    section: analysis.results.Section, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        section.check(nsmb.systems.woodpecker())


def test_a_system_without_contacts_has_no_events() -> None:
    free = nsmb.LinearSystem([[1.0]], [[1.0]])
    with pytest.raises(ValueError, match=r"expected a system with contacts"):
        on_event("impact").check(free)
    crossing("q1").check(free)


def test_the_period_follows_the_parameters() -> None:
    oscillator = nsmb.systems.stick_slip_oscillator()
    section = every(lambda parameters: 2 * np.pi / parameters["omega_1"])
    assert section.period_of(oscillator) == 1.0
    assert section.period_of(oscillator.with_parameters(omega_1=np.pi)) == 2.0
    assert every(3).period_of(oscillator) == 3.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: on_event("bounce"), r"section: kind 'bounce'"),
        (lambda: every(0.0), r"period: expected a number > 0 in s, got 0"),
        (lambda: every("1"), r"period: expected a number, got '1'"),  # type: ignore[arg-type]
        (lambda: every(1.0, 1.0), r"phase: expected a fraction"),
        (lambda: crossing(3), r"what: expected a name or a function"),  # type: ignore[arg-type]
        (lambda: crossing(lambda t: t), r"what: expected a function of"),  # type: ignore[misc,arg-type]
        (lambda: crossing("q", np.nan), r"value: expected a finite number"),
        (lambda: crossing("q", direction=2), r"direction: expected \+1, -1 or 0, got 2"),
    ],
)
def test_senseless_sections_are_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
