"""Static starts without friction, (13.5)-(13.7), agree with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import nsmb
from nsmb import systems
from nsmb.analysis import AnalysisError, continuation, equilibrium, static_start
from tests.analysis.orbit_systems import block, oscillator

_WEIGHT = 2.0 * 9.81


def test_a_block_that_friction_would_hold_slides_to_where_its_spring_does() -> None:
    """k x = W sin t for any friction and any start above the floor."""
    tilted = block(mu=0.8, mu_d=0.8, tilt=0.3)
    above = nsmb.State(0.0, np.array([0.5, 0.2]), np.zeros(2))
    here = static_start(tilted, ["floor"], start=above)
    assert here.q == pytest.approx([_WEIGHT * np.sin(0.3) / 200.0, 0.0], abs=1e-12)
    assert here.lambda_N == pytest.approx([_WEIGHT * np.cos(0.3)], rel=1e-12)
    assert here.lambda_T == pytest.approx([0.0], abs=0.0)
    assert here.residual < 1e-12
    # a run with friction that starts there stays
    run = nsmb.simulate(tilted, 0.5, start=here.state)
    assert run.q[-1] == pytest.approx(here.q, abs=1e-12)
    assert len(run.events) == 0
    # with friction the start decides where it rests
    assert equilibrium(tilted).q[0] == pytest.approx(0.01)


def test_the_parabola_rests_where_its_normal_points_along_the_force() -> None:
    """One oblique face cannot hold a damper. Its platform yields until no force remains."""
    with pytest.raises(AnalysisError, match="no static start"):
        static_start(systems.parabola_on_line(), ["contact"])


def test_frictionless_rest_is_continued_without_friction() -> None:
    start = static_start(block(mu=0.8, mu_d=0.8, tilt=0.1))
    branch = continuation(start, "tilt", (0.0, 0.3))
    assert branch.measure("x") == pytest.approx(_WEIGHT * np.sin(branch.values) / 200.0, abs=1e-10)


def test_friction_that_depends_on_nothing_is_off_as_well() -> None:
    """A guide with given friction and a spring rests where the spring is unstressed."""
    guide = nsmb.Friction(w_T=[1.0], bound=3.0, name="guide")
    system = nsmb.LinearSystem(
        [[1.0]], [[10.0]], force=[2.0], contacts=[guide],
        initial_state=nsmb.State(0.0, np.array([0.4]), np.zeros(1)),
    )  # fmt: skip
    here = static_start(system)
    assert here.q == pytest.approx([0.2], abs=1e-12)
    assert here.admissible
    assert here.stable is False  # undamped
    with pytest.raises(ValueError, match="'guide', friction alone"):
        static_start(system, ["guide"])


def test_redundant_contacts_share_the_load() -> None:
    """Four legs of a table carry the weight with forces of least norm."""
    legs = [nsmb.Contact(w_N=[1.0, x], name=f"leg {x}") for x in (-1.0, -0.5, 0.5, 1.0)]
    table = nsmb.LinearSystem(np.diag([2.0, 1.0]), force=[-_WEIGHT, 0.0], contacts=legs)
    here = static_start(table)
    assert here.lambda_N == pytest.approx(np.full(4, _WEIGHT / 4.0))


def test_time_is_that_of_the_start() -> None:
    """Time-dependent forces are those at the start, k x = F cos ωt."""
    at = nsmb.State(0.4, np.zeros(1), np.zeros(1))
    here = static_start(oscillator(), start=at)
    assert here.q == pytest.approx([np.cos(1.3 * 0.4) / 2.0])


def test_what_cannot_be_says_what_to_change() -> None:
    ball = systems.bouncing_ball()
    with pytest.raises(AnalysisError, match=r"nothing holds 'y'; name the contact that does"):
        static_start(ball, [])
    hung = nsmb.LinearSystem([[1.0]], force=[1.0], contacts=[nsmb.Contact(w_N=[1.0], name="c")])
    with pytest.raises(AnalysisError, match=r"'c' would have to pull with 1 N; leave it out"):
        static_start(hung, ["c"])
    springy = nsmb.LinearSystem(
        [[1.0]], [[4.0]], force=[-1.0],
        contacts=[nsmb.Contact(w_N=[1.0], name="c")],
        initial_state=nsmb.State(0.0, np.ones(1), np.zeros(1)),
    )  # fmt: skip
    with pytest.raises(AnalysisError, match=r"'c' would penetrate by 0\.25 m; name it in"):
        static_start(springy)
    assert static_start(springy, ["c"]).lambda_N == pytest.approx([1.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"closed": ["wall"]}, "closed: contact 'wall'"),
        ({"closed": "floor"}, "Put a single one in a list"),
        ({"closed": 5}, "closed: expected a sequence of names, got 5"),
        ({"closed": [5]}, r"closed: expected a sequence of names, got \[5\]"),
        ({"closed": ["floor", "floor"]}, "closed: must contain each name once"),
        ({"start": np.zeros(2)}, "start: must be a nsmb.State"),
        ({"tol": 2.0}, "tol: expected a number between 0 and 1, got 2"),
        ({"max_iterations": 0}, "max_iterations: expected a whole number >= 1, got 0"),
    ],
)
def test_misuse_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        static_start(block(), **options)  # type: ignore[arg-type]
