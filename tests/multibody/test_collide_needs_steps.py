"""Shapes that touch anywhere are a matter of steps."""

import pytest

import nsmb


def ball_above_floor() -> nsmb.System:
    model = nsmb.Model(gravity=(0, 0, -9.81))
    ball = model.add_solid("ball", nsmb.shapes.Sphere(0.1), density=1000.0)
    model.add_joint("free", nsmb.joints.Free(), model.ground, ball)
    model.ground.shape("floor", nsmb.shapes.HalfSpace())
    model.collide(nsmb.ContactLaw(mu=0.3))
    return model.build(initial={"free": (0, 0, 0.2, 1, 0, 0, 0)})


def test_event_driven_runs_do_not_pass_over_contacts_that_they_do_not_know() -> None:
    with pytest.raises(ValueError, match=r"expected nsmb\.TimeStepping\(step=\.\.\.\) for models"):
        nsmb.simulate(ball_above_floor(), 0.1)
    with pytest.raises(ValueError, match=r"Model\.collide"):
        nsmb.Simulator(ball_above_floor(), nsmb.EventDriven())
