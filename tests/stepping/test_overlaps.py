"""Report of overlapping bodies at the end of a stepped run."""

import nsmb


def box_on_floor(speed: float, height: float) -> nsmb.System:
    model = nsmb.Model(gravity=(0.0, -9.81, 0.0))
    floor = model.ground.contour("floor", nsmb.geometry.Line((0.0, 0.0), (-1.0, 0.0)))
    box = model.add_body("box", mass=1.0, inertia=0.01)
    model.add_joint("free", nsmb.joints.Planar(), model.ground, box)
    corners = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
    model.add_contact(box.contour("c", nsmb.geometry.Polygon(corners)), floor)
    return model.build({"free": (0.0, 0.1 + height, 0.0)}, {"free": (0.0, -speed, 0.0)})


def test_an_impact_within_a_step_leaves_no_penetration_behind() -> None:
    """The middle of the impact's step may be before or after the touch."""
    for height in (0.0031, 0.0035, 0.0039):
        box = box_on_floor(speed=2.0, height=height)
        run = nsmb.simulate(box, 0.01, method=nsmb.Midpoint(1e-3), output_step=1e-3)
        assert run.status == "finished"
        for t, q in zip(run.t, run.q, strict=True):
            assert max(box.overlaps(t, q).values(), default=0.0) < 2e-9


def test_what_has_passed_into_another_body_is_a_failure_that_names_the_remedy() -> None:
    box = box_on_floor(speed=500.0, height=0.2)
    run = nsmb.simulate(box, 0.003, method=nsmb.Midpoint(1.5e-3), throw=False)
    assert run.status == "integration_failure"
    assert "Use a smaller step, or nsmb.Hybrid" in run.message
    for method in (nsmb.Midpoint(1e-5), nsmb.Hybrid(1.5e-3)):
        assert nsmb.simulate(box, 0.003, method=method).status == "finished"
