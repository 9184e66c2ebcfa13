"""Loads close to the friction limit: nothing moves below it, everything moves above it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nsmb

MU, G = 0.5, 9.81


def guide(load: Callable[[float], float]) -> nsmb.System:
    """A mass of 1 kg in a guide that holds 5 N."""
    return nsmb.LinearSystem(
        [[1.0]],
        force=lambda t: [load(t)],
        contacts=[nsmb.Friction(w_T=[1.0], bound=5.0, name="guide")],
    )


def floor(load: Callable[[float], float]) -> nsmb.System:
    """A mass of 1 kg on a floor that holds 4.905 N."""
    contact = nsmb.Contact(w_N=[0, 1], w_T=[1, 0], law=nsmb.ContactLaw(MU), name="floor")
    return nsmb.LinearSystem(np.eye(2), force=lambda t: [load(t), -G], contacts=[contact])


HELD = {guide: 5.0, floor: MU * G}


@pytest.mark.parametrize("less", [1e-12, 1e-10, 5e-10, 1e-9, 1e-8])
@pytest.mark.parametrize("build", HELD)
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_what_is_pushed_a_little_less_rests(
    build: Callable[..., nsmb.System], less: float, sign: float
) -> None:
    load = sign * HELD[build] * (1.0 - less)
    sol = nsmb.simulate(build(lambda t: load), 100.0, output_step=1.0)
    assert (sol.q[:, 0] == 0.0).all()
    assert sol.contact_state[-1, 0] == nsmb.ContactState.STICK
    assert sol.check().ok


@pytest.mark.parametrize("more", [1e-9, 1e-8])
@pytest.mark.parametrize("build", HELD)
def test_what_is_pushed_a_little_more_goes(build: Callable[..., nsmb.System], more: float) -> None:
    load = HELD[build] * (1.0 + more)
    sol = nsmb.simulate(build(lambda t: load), 100.0, output_step=1.0)
    assert sol.q[-1, 0] == pytest.approx(HELD[build] * more * 100.0**2 / 2, rel=1e-5)


@pytest.mark.parametrize("less", [1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize("build", HELD)
def test_a_load_that_grows_from_there_moves_it_at_once(
    build: Callable[..., nsmb.System], less: float
) -> None:
    """x = rate (t - t_0)³/6 from the time on at which the load reaches the friction limit."""
    held, rate = HELD[build], 0.5
    sol = nsmb.simulate(build(lambda t: held * (1.0 - less) + rate * t), 1.0)
    assert sol.q[-1, 0] == pytest.approx(rate * (1.0 - held * less / rate) ** 3 / 6, rel=1e-9)


@pytest.mark.parametrize("build", HELD)
def test_a_load_that_falls_from_there_moves_nothing(build: Callable[..., nsmb.System]) -> None:
    load = HELD[build] * (1.0 - 1e-9)
    sol = nsmb.simulate(build(lambda t: load * np.cos(t)), 10.0)
    assert abs(sol.q[-1, 0]) < 1e-12  # rounding over ten seconds
    assert sol.check().ok
