"""The areas in the figure of the energy balance add up to the supplied energy."""

import numpy as np
import pytest

import nsmb
from nsmb.pictures.energy_areas import energy_shares

pyplot = pytest.importorskip("matplotlib.pyplot")


def driven() -> nsmb.Solution:
    """Return a run of a damped cart driven back and forth by a motor."""
    m = nsmb.Model()
    cart = m.add_body("cart", mass=2.0)
    x = m.add_joint("x", nsmb.joints.Prismatic(), m.ground, cart)
    m.add_joint_force("motor", x, lambda t, q, u: 6.0 * np.cos(4.0 * t) - 3.0 * u)
    m.add_spring_damper("spring", m.ground, cart, at=(-1, 0), c=40.0, free_length=1.0)
    return nsmb.simulate(m, 3.0)


RUNS = {
    "woodpecker": lambda: nsmb.simulate(nsmb.systems.woodpecker(), 0.5),
    "belt oscillator": lambda: nsmb.simulate(nsmb.systems.belt_oscillator(), 5.0),
    "bouncing ball": lambda: nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0),
    "motor and damper": driven,
}


@pytest.mark.parametrize("name", RUNS)
def test_shares_add_up_to_the_energy_supplied(name: str) -> None:
    energy = RUNS[name]().energy
    shares, supplied = energy_shares(energy)
    assert all((values >= 0.0).all() for values in shares.values())
    missing = sum(shares.values()) - supplied
    np.testing.assert_allclose(missing, energy.residual, atol=1e-12 * supplied.max())
    assert np.abs(missing).max() < 1e-6 * supplied.max()


def test_figure_tells_shares_and_units() -> None:
    ax = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.0).energy.plot(title="ball")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("t / s", "energy / J")
    assert ax.get_title(loc="left") == "ball"
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [text.partition(",")[0] for text in texts] == [
        "kinetic", "potential", "impact loss", "supplied",
    ]  # fmt: skip
    pyplot.close("all")


def test_a_run_without_motion_is_drawn_too() -> None:
    system = nsmb.LinearSystem([[1.0]])
    ax = nsmb.simulate(system, 1.0).energy.plot()
    assert [line.get_label() for line in ax.lines] == ["supplied, 0 J"]
    pyplot.close("all")
