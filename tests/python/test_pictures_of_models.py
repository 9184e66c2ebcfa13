"""Figures of user models: bodies without outline, ground, planes, arrows, legends."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import geometry, joints, systems
from tests.python.test_drawing import arrows
from tests.systems.examples import BY_EVENTS

pyplot = pytest.importorskip("matplotlib.pyplot")

Floats = NDArray[np.float64]

G, L = 9.81, 0.8


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    pyplot.close("all")


def pendulum(
    *, axis: Any = (0, 0, 1), down: Any = (0, -1, 0), wall: float | None = None, name: str = ""
) -> nsmb.MultibodySystem:
    """Return a rod on a hinge, of which only automatic elements are drawn."""
    along = np.asarray(down, dtype=float)
    m = nsmb.Model(gravity=G * along, name=name or "pendulum")
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), center=0.5 * L * along)
    m.add_joint("hinge", joints.Revolute(axis), m.ground, rod)
    if wall is not None:
        tip = rod.contour("tip", geometry.Circle(0.02), at=(0, -L))
        line = m.ground.contour("wall", geometry.Line((-wall, 0), (0, 1)))
        m.add_contact(tip, line, nsmb.ContactLaw(mu=0.2), name="wall")
    else:
        m.add_spring_damper("spring", m.ground, rod, c=1.0, free_length=L, at_2=L * along)
    return m.build({"hinge": 0.3})


def legs(ax: Any) -> list[Floats]:
    """Return the corners of the lines that represent bodies in m."""
    unit = 1e-3 if ax.get_xlabel().endswith("mm") else 1.0
    found = [line for line in ax.lines if line.get_zorder() == 1.8]
    return [unit * line.get_xydata() for line in found]


def test_body_without_outline_is_drawn_from_its_centre_to_joint_and_contour() -> None:
    """Its ends follow from the angle of 0.3 rad. The ground has no such lines."""
    ax = pendulum(wall=0.5).draw()
    way = np.array([np.sin(0.3), -np.cos(0.3)])
    seen = [line for line in legs(ax) if np.abs(line).max() < 2.0]
    ends = sorted((tuple(line[0]), tuple(line[1])) for line in seen)
    center = tuple(0.5 * L * way)
    expected = sorted([(center, (0.0, 0.0)), (center, tuple(L * way))])
    np.testing.assert_allclose(ends, expected, atol=1e-12)
    hinge = next(line for line in ax.lines if line.get_marker() == "o" and line.get_zorder() == 4)
    np.testing.assert_allclose(hinge.get_xydata(), [(0.0, 0.0)], atol=1e-12)


def test_bars_are_in_the_colour_of_their_body() -> None:
    m = nsmb.Model(gravity=(0, -G))
    one = m.add_body("one", mass=1.0, inertia=0.1, center=(0.1, 0))
    two = m.add_body("two", mass=1.0, inertia=0.1, center=(0.1, 0))
    m.add_joint("a", joints.Revolute(), m.ground, one)
    m.add_joint("b", joints.Revolute(), one, two, at=(0.2, 0))
    ax = m.build().draw()
    colours = [line.get_color() for line in ax.lines if line.get_zorder() == 1.9]
    assert len(colours) == len(legs(ax)) == 3
    assert colours[0] == colours[1] != colours[2]


def places(ax: Any, zorder: float) -> Floats:
    """Return the positions of the markers of one kind in m."""
    unit = 1e-3 if ax.get_xlabel().endswith("mm") else 1.0
    found = [line for line in ax.lines if line.get_zorder() == zorder and line.get_marker() != ""]
    return unit * np.vstack([np.zeros((0, 2)), *(line.get_xydata() for line in found)])


def test_hinges_on_the_ground_have_a_support() -> None:
    """This includes hinges that close a loop, but not those between two bodies."""
    m = nsmb.Model(gravity=(0, -G))
    one = m.add_body("one", mass=1.0, inertia=0.1)
    two = m.add_body("two", mass=1.0, inertia=0.1)
    m.add_joint("a", joints.Revolute(), m.ground, one, at=(0.1, 0.2))
    m.add_joint("b", joints.Revolute(), one, two, at=(0.5, 0.0))
    m.add_loop("c", joints.Revolute(), two, m.ground, at=(0.3, 0.0), at_2=(0.7, 0.2))
    ax = m.build(guess={"a": 0.5, "b": -1.0}).draw()
    np.testing.assert_allclose(
        sorted(map(tuple, places(ax, 3.5))), [(0.1, 0.2), (0.7, 0.2)], atol=1e-9
    )


def test_slides_have_a_guide_along_their_axis() -> None:
    m = nsmb.Model(gravity=(0, -G))
    cart = m.add_body("cart", mass=1.0)
    m.add_joint("x", joints.Prismatic((3, 4)), m.ground, cart, at=(0.1, 0.0))
    run = nsmb.simulate(m.build({"x": 0.5}), 0.1)
    ax = run.draw()
    guide = next(line for line in ax.lines if line.get_zorder() == 1.5).get_xydata()
    unit = 1e-3 if ax.get_xlabel().endswith("mm") else 1.0
    along = np.diff(unit * guide, axis=0)[0]
    np.testing.assert_allclose(along / np.linalg.norm(along), (0.6, 0.8), atol=1e-9)
    assert np.linalg.norm(along) > run.q[-1, 0]
    slides = [line for line in ax.lines if line.get_marker() == "s"]
    wanted = np.array((0.1, 0.0)) + run.q[-1, 0] * np.array((0.6, 0.8))
    np.testing.assert_allclose(unit * slides[0].get_xydata(), [wanted], atol=1e-9)


def test_lines_without_ends_leave_the_view_to_what_has_ends() -> None:
    """The view shows a flat tappet on a cam of 3 cm."""
    m = nsmb.Model(gravity=(0, -G))
    disc = m.add_body("disc", mass=1.0, inertia=1e-3)
    m.add_joint("shaft", joints.Revolute(), m.ground, disc)
    tappet = m.add_body("tappet", mass=0.2)
    m.add_joint("lift", joints.Prismatic((0, 1)), m.ground, tappet)
    rim = disc.contour("rim", geometry.Circle(0.03), at=(0.01, 0))
    m.add_contact(rim, tappet.contour("face", geometry.Line(), angle=np.pi), name="cam")
    ax = m.build({"lift": 0.03}).draw()
    low, high = ax.get_xlim()
    assert ax.get_xlabel() == "x / mm"
    assert high - low < 100.0
    face = next(line for line in ax.lines if line.get_zorder() == 2.5).get_xydata()
    assert face[:, 0].min() < low < high < face[:, 0].max()


def test_a_line_without_ends_alone_is_drawn() -> None:
    m = nsmb.Model()
    blade = m.add_body("blade", mass=1.0, inertia=0.1)
    m.add_joint("blade", joints.Planar(), m.ground, blade)
    blade.contour("edge", geometry.Line())
    with pytest.warns(nsmb.ModelWarning, match="is not used in any contact"):
        ax = m.build().draw()
    assert [line.get_zorder() for line in ax.lines if len(line.get_xdata())] == [2.5]


def test_picture_of_a_run_is_that_of_its_end() -> None:
    run = nsmb.simulate(pendulum(), 0.4)
    assert run.draw().get_title(loc="left") == run.draw(0.4).get_title(loc="left")
    failed = nsmb.simulate(
        systems.bouncing_ball(), 2.0, method=nsmb.EventDriven(max_events=3), throw=False
    )
    assert failed.draw().get_title(loc="left").endswith(" s (event limit)")


def test_body_with_outline_has_no_lines() -> None:
    m = nsmb.Model()
    rod = m.add_body("rod", mass=1.0, inertia=0.1, center=(0, -0.5 * L))
    m.add_joint("hinge", joints.Revolute(), m.ground, rod)
    rod.outline("rod", geometry.Polygon([(-0.02, -L), (0.02, -L), (0.02, 0), (-0.02, 0)]))
    assert legs(m.build().draw()) == []


def test_body_of_which_nothing_is_known_is_its_centre() -> None:
    m = nsmb.Model(gravity=(0, -G))
    stone = m.add_body("stone", mass=1.0, inertia=0.1)
    m.add_joint("stone", joints.Planar(), m.ground, stone)
    ax = m.build({"stone": [0.2, 0.1, 0.0]}).draw()
    crosses = [line for line in ax.lines if line.get_marker() == "+"]
    np.testing.assert_allclose(crosses[0].get_xydata(), [(200.0, 100.0)], atol=1e-9)  # mm


@pytest.mark.parametrize("height", [0.1, 2.0])
def test_ground_that_a_body_falls_on_is_in_view(height: float) -> None:
    m = nsmb.Model(gravity=(0, -G))
    ball = m.add_body("ball", mass=1.0, inertia=0.1)
    m.add_joint("ball", joints.Planar(), m.ground, ball)
    rim = ball.contour("rim", geometry.Circle(0.05))
    m.add_contact(rim, m.ground.contour("floor", geometry.Line()), name="floor")
    system = m.build({"ball": [0.0, height, 0.0]})
    for ax in (system.draw(), nsmb.simulate(system, 0.05).draw(0.01)):
        unit = 1e3 if ax.get_ylabel() == "y / mm" else 1.0
        low, high = ax.get_ylim()
        assert low < 0.0 < unit * (height + 0.05) < high


def test_wall_beside_is_in_view() -> None:
    low, _ = pendulum(wall=0.5).draw().get_xlim()
    assert low < -0.5


def drawn_center(ax: Any) -> Floats:
    cross = next(line for line in ax.lines if line.get_marker() == "+")
    unit = 1e-3 if ax.get_xlabel().endswith("mm") else 1.0
    return np.asarray(unit * cross.get_xydata()[0])


@pytest.mark.parametrize(
    ("axis", "down", "names", "place"),
    [
        ((0, 0, 1), (0, -1, 0), ("x", "y"), (np.sin(0.3), -np.cos(0.3))),
        ((0, 1, 0), (0, 0, -1), ("x", "z"), (-np.sin(0.3), -np.cos(0.3))),
        ((1, 0, 0), (0, 0, -1), ("y", "z"), (np.sin(0.3), -np.cos(0.3))),
    ],
)
def test_plane_is_that_of_the_motion(axis: Any, down: Any, names: Any, place: Any) -> None:
    """The hinge axis is the line of sight, and the rod is seen in full length."""
    ax = pendulum(axis=axis, down=down).draw()
    assert (ax.get_xlabel().split()[0], ax.get_ylabel().split()[0]) == names
    np.testing.assert_allclose(drawn_center(ax), 0.5 * L * np.array(place), atol=1e-12)


def test_oblique_plane_shows_true_lengths() -> None:
    turn = 0.4
    axis = (-np.sin(turn), np.cos(turn), 0.0)
    ax = pendulum(axis=axis, down=(0, 0, -1)).draw()
    assert ax.get_ylabel().startswith("z /")
    assert ax.get_xlabel().startswith("along (0.921, 0.389, 0) /")
    expected = 0.5 * L * np.array([-np.sin(0.3), -np.cos(0.3)])
    np.testing.assert_allclose(drawn_center(ax), expected, atol=1e-12)


def test_film_of_another_plane_moves_in_it() -> None:
    sol = nsmb.simulate(pendulum(axis=(0, 1, 0), down=(0, 0, -1)), 0.4)
    film = sol.animate(fps=10.0, trail=0.2)
    figure, show = film._figure()
    show(3)
    expected = [-0.5 * L * np.sin(sol.at(0.3).q[0]), -0.5 * L * np.cos(sol.at(0.3).q[0])]
    np.testing.assert_allclose(drawn_center(figure.axes[0]), expected, atol=1e-12)


def test_contours_of_another_plane_keep_their_material_on_the_left() -> None:
    """The hatched band of a floor in the x-z plane lies below."""
    m = nsmb.Model(gravity=(0, 0, -G))
    upright = nsmb.geometry.Frame(A=[[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # its y axis along z
    ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("ball", joints.Planar(), m.ground, ball, at=upright, at_2=upright)
    rim = ball.contour("rim", geometry.Circle(0.05), at=upright)
    floor = m.ground.contour("floor", geometry.Segment((1, 0), (-1, 0)), at=upright)
    m.add_contact(rim, floor, name="floor")
    ax = m.build({"ball": [0.0, 0.2, 0.0]}).draw()
    assert ax.get_ylabel().startswith("z")
    band = next(p for p in ax.patches if p.get_hatch())
    assert band.get_xy()[:, 1].min() < 0.0
    assert band.get_xy()[:, 1].max() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", BY_EVENTS)
def test_arrows_end_within_the_frame(name: str) -> None:
    system = systems.build(name)
    sol = nsmb.simulate(system, min(0.3, system.recommended.t_end or 0.3), throw=False)
    for t in np.linspace(*sol.t_span, 4):
        ax = sol.draw(t)
        low = np.array([ax.get_xlim()[0], ax.get_ylim()[0]])
        high = np.array([ax.get_xlim()[1], ax.get_ylim()[1]])
        for tail, vector, _ in arrows(ax):
            assert (tail + vector >= low).all()
            assert (tail + vector <= high).all()
        pyplot.close("all")


# The brush has 64 contacts with hundreds of impacts per millisecond, whose gaps are drawn at
# thousands of times.
@pytest.mark.parametrize(
    ("name", "t_end"), [("mass_tower", 0.02), ("electric_brush", 0.001), ("percussion_drill", 0.02)]
)
def test_legends_stay_beside_their_panels(name: str, t_end: float) -> None:
    """They are at most as wide as the axes, between the panels, which keep their height."""
    sol = nsmb.simulate(systems.build(name), t_end, throw=False)
    figure = sol.plot()
    figure.canvas.draw()
    boxes = [ax.get_window_extent() for ax in figure.axes]
    for k, ax in enumerate(figure.axes):
        assert boxes[k].height > 0.25 * figure.dpi  # inches
        legend = ax.get_legend()
        if legend is None:
            continue
        box = legend.get_window_extent()
        assert box.width <= boxes[k].width + 2.0
        assert box.x0 >= 0.0
        assert k == 0 or box.y1 <= boxes[k - 1].y0


def test_the_points_of_a_contact_share_a_row() -> None:
    m = nsmb.Model(gravity=(0, -G))
    block = m.add_body("block", mass=1.0, inertia=0.01)
    m.add_joint("block", joints.Planar(), m.ground, block)
    square = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
    body = block.contour("square", geometry.Polygon(square))
    floor = m.ground.contour("floor", geometry.Segment((1, 0), (-1, 0)))
    m.add_contact(body, floor, nsmb.ContactLaw(mu=0.5), "contact")
    sol = nsmb.simulate(m.build({"block": [0.2, 0.1, 0.0]}, {"block": [1.0, 0.0, 0.0]}), 0.1)
    rows = [text.get_text() for text in sol.plot().axes[-1].get_yticklabels()]
    assert rows == list(sol.contacts) == ["contact"]
    assert np.isfinite(sol.g_N).any(axis=0).sum() >= 2


def test_many_contact_points_of_a_pair_share_a_row() -> None:
    """Instead of 48 rows for commutator edges, one row has the bars of all of them."""
    sol = nsmb.simulate(systems.electric_brush(), 0.01)
    ax = sol.plot().axes[-1]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["commutator", "left", "right"]
