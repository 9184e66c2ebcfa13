"""The spin-up beam on a hub: published numbers, a beam of two pieces, and linear strains."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.systems import spin_up_beam
from nsmb.systems.flexible.spin_up_beam import _run_up

Array = NDArray[np.float64]
MAXIMUM = -0.5738  # m; 16 ANCF elements of another program -0.57379, four stiffened pieces -0.57385


def tip_behind_the_hub(sol: nsmb.Solution, tip: str, L: float) -> tuple[Array, Array]:
    """Return the displacement of the tip along and across a rigid beam, shape (t,) each."""
    theta = np.array([_run_up(6.0, 15.0)(t)[0] for t in sol.t])
    r = np.array([sol.system.position(tip, t, q) for t, q in zip(sol.t, sol.q, strict=True)])
    c, s = np.cos(theta), np.sin(theta)
    return c * r[:, 0] + s * r[:, 1] - L, c * r[:, 1] - s * r[:, 0]


@cache
def run(**parameters: float | str) -> nsmb.Solution:
    method = nsmb.EventDriven(rtol=1e-8, atol=1e-10)
    return nsmb.simulate(spin_up_beam(**parameters), 20.0, method=method, output_step=0.01)


def test_tip_stays_behind_as_far_as_published_and_comes_back() -> None:
    """It agrees with a fine mesh of another program to 1e-3, measured 8e-4 with four modes.

    The steady stretch of the source is 5.14e-4 m, which two modes meet to 0.2 %.
    """
    sol = run()
    along, across = tip_behind_the_hub(sol, "beam.tip", 10.0)
    assert across.min() == pytest.approx(MAXIMUM, rel=1e-3)
    assert sol.t[np.argmin(across)] == pytest.approx(6.76, abs=0.02)
    assert spin_up_beam.stretch() == pytest.approx(5.14e-4, rel=1e-3)
    steady = sol.t > 15.0
    assert np.abs(across[steady]).max() < 0.004
    assert along[steady].mean() == pytest.approx(spin_up_beam.stretch(), rel=5e-3)


def test_pieces_that_are_stiffened_each_for_itself_move_alike() -> None:
    """Two beams of half the length have half the slopes in their own frames.

    Neglected terms are an eighth, and the tip agrees within 1e-3.
    """
    one = run()
    L, area = 5.0, 1.2 * 1.4e4 / (6e-4 * 2.8e7)
    elements = nsmb.flexible.beam(
        [(L * k / 8, 0.0) for k in range(9)],
        E=2.8e7 / area, density=1.2 / area, area=area, I_z=1.4e4 * area / 2.8e7,
    )  # fmt: skip
    piece = nsmb.flexible.reduce(
        elements,
        0,
        method="craig-bampton",
        interface=[0, 8],
        frame=nsmb.flexible.NodalFrame(0),
        stiffening=True,
    )
    m = nsmb.Model()
    inner, outer = (m.add_elastic_body(name, piece) for name in ("inner", "outer"))
    m.add_joint("hub", nsmb.joints.Revolute(), m.ground, inner, motion=_run_up(6.0, 15.0))
    m.add_joint("weld", nsmb.joints.Fixed(), inner, outer, at=8)
    outer.marker("tip", at=8, is_output=True)
    method = nsmb.EventDriven(integrator="cvode", rtol=1e-6, atol=1e-8)
    two = nsmb.simulate(m.build(), 7.0, method=method, output_step=0.01)
    across = tip_behind_the_hub(two, "outer.tip", 10.0)[1]
    other = tip_behind_the_hub(one, "beam.tip", 10.0)[1][: len(across)]
    assert np.abs(across - other).max() <= 1e-3 * np.abs(across).max() + 2e-4


def test_small_strains_alone_let_the_tip_go_away() -> None:
    """Its lowest frequency is 3.8 rad/s, which the hub exceeds after 9.5 s."""
    sol = nsmb.simulate(spin_up_beam(stiffening="off"), 11.0, output_step=0.01)
    across = tip_behind_the_hub(sol, "beam.tip", 10.0)[1]
    assert across[500] == pytest.approx(MAXIMUM, rel=0.15)  # up to here the motion looks right
    assert np.abs(across[1000]) > 10.0
    assert np.abs(across[-1]) > 10.0 * np.abs(across[1000])


def test_slow_hub_needs_no_stiffening() -> None:
    """At a twentieth of the speed the tip lags by 11 ρA α L⁵/(120 EI), with or without it."""
    ends = []
    for stiffening in ("on", "off"):
        system = spin_up_beam(omega=0.3, stiffening=stiffening)
        sol = nsmb.simulate(system, 10.0, output_step=0.1)
        ends.append(np.array([sol.q[:, 0]]))
        assert sol.q[:, 0].min() == pytest.approx(
            -11.0 * 1.2 * 0.04 * 1e5 / (120.0 * 1.4e4), rel=0.05
        )
    assert np.abs(ends[0] - ends[1]).max() <= 0.01 * np.abs(ends[1]).max()


def test_more_modes_than_elements_have_are_refused() -> None:
    with pytest.raises(ValueError, match="'stretching': expected at most 3 with n = 3 elements"):
        spin_up_beam(n=3, stretching=4)
