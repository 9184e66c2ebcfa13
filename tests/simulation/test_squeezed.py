"""Bodies squeezed without friction come to rest, and no instant repeats endlessly.

Where every contact state is admissible, forces and accelerations consist of rounding. They are only
accurate relative to the largest force in any direction, and to the velocities.
"""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints


def squeezed(
    ratio: float, speed: float, *, gravity: float = 9.81, turn: float = 0.0
) -> nsmb.System:
    """A box that slides into a disc and presses it against a wall, all rotated in the plane."""
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])

    def place(x: float, y: float) -> tuple[float, float]:
        return tuple((turned @ (x, y)).tolist())

    model = nsmb.Model(gravity=place(0.0, -gravity))
    law = nsmb.ContactLaw()
    floor = model.ground.contour("floor", geometry.Line(direction=place(-1.0, 0.0)))
    wall = model.ground.contour("wall", geometry.Line(place(0.5, 0.0), place(0.0, -1.0)))
    disc = model.add_body("disc", mass=1.0, inertia=0.005)
    box = model.add_body("box", mass=ratio, inertia=ratio * 0.08 / 12.0)
    for body in (disc, box):
        model.add_joint(body.name, joints.Planar(), model.ground, body)
    rim = disc.contour("rim", geometry.Circle(0.1))
    square = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
    sides = box.contour("sides", geometry.Polygon(square))
    model.add_contact(floor, rim, law, name="floor-disc")
    model.add_contact(floor, sides, law, name="floor-box")
    model.add_contact(wall, rim, law, name="wall")
    model.add_contact(rim, sides, law, name="pair")
    start = {"disc": (*place(0.2, 0.1), turn), "box": (*place(-0.3, 0.1), turn)}
    return model.build(start, {"box": (*place(speed, 0.0), 0.0)})


# Without rotation and with gravity, the first four ended after ten thousand events at one instant.
@pytest.mark.parametrize("turn", [0.0, 0.7])
@pytest.mark.parametrize("gravity", [9.81, 0.0])
@pytest.mark.parametrize(
    ("ratio", "speed"),
    [
        (3767.466071392011, 2.7709776390418215),
        (1322.950019864089, 1.0630554334488664),
        (2520.8675514971196, 2.04682461939538),
        (197.27806738153507, 3.8291306269796492),
        (1e8, 1.0),
        (10.0, 0.5),
    ],
)
def test_what_is_squeezed_without_friction_comes_to_rest(
    ratio: float, speed: float, gravity: float, turn: float
) -> None:
    system = squeezed(ratio, speed, gravity=gravity, turn=turn)
    sol = nsmb.simulate(system, 2.0)
    # The box strikes with e_N = 0, and both strike the wall.
    times = sol.events.of_kind("impact").t
    common = ratio / (1.0 + ratio) * speed
    assert times[0] == pytest.approx(0.3 / speed, rel=1e-9)
    assert times[1:] == pytest.approx(0.3 / speed + 0.2 / common, rel=1e-9)
    assert len(sol.events) <= 4
    # The impulse of the box leaves rounding errors in the disc.
    assert np.abs(sol.u[-1]).max() < 1e-9 + 1e-14 * ratio
    along = np.array([np.cos(turn), np.sin(turn)])
    assert sol.q[-1, :2] @ along == pytest.approx(0.4, abs=1e-9)
    assert sol.q[-1, 3:5] @ along == pytest.approx(0.2, abs=1e-9)


def test_a_row_that_is_squeezed_comes_to_rest_by_matrices() -> None:
    """The same along one line, without gravity: only the velocities set a scale."""
    law = nsmb.ContactLaw()
    contacts = [
        nsmb.Contact(w_N=[-1.0, 0.0, 0.0], gap=0.1, law=law, name="wall"),
        nsmb.Contact(w_N=[1.0, -1.0, 0.0], gap=0.0, law=law, name="first"),
        nsmb.Contact(w_N=[0.0, 1.0, -1.0], gap=0.3, law=law, name="second"),
    ]
    for ratio in (1.0, 17.3, 1e4, 1e8):
        start = nsmb.State(0.0, np.zeros(3), np.array([0.0, 0.0, 1.7]))
        row = nsmb.LinearSystem(np.diag([1.0, 2.3, ratio]), contacts=contacts, initial_state=start)
        sol = nsmb.simulate(row, 3.0)
        assert len(sol.events.of_kind("impact")) == 2
        assert np.abs(sol.u[-1]).max() < 1e-9
        np.testing.assert_allclose(sol.q[-1], [0.1, 0.1, 0.4], atol=1e-9)
