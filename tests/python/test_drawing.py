"""Figures of scenes have the right positions, and forces according to the laws."""

import dataclasses
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")
from nsmb.pictures import drawing, instant, rows  # noqa: E402
from nsmb.pictures.subjects import contact_frames  # noqa: E402

Floats = NDArray[np.float64]
STATES = {state: style[0] for state, style in rows.STATES.items()}


def patch(ax: Any, label: str) -> Floats:
    """Return the corners of a filled body, in units of the axes."""
    found = next(p for p in ax.patches if p.get_label() == label)
    return np.asarray(found.get_path().vertices)


def arrows(ax: Any) -> list[tuple[Floats, Floats, str]]:
    """Return (tail, vector, colour) of the visible arrows."""
    found = [p for p in ax.patches if isinstance(p, matplotlib.patches.FancyArrowPatch)]
    return [
        (
            np.array(p._posA_posB[0]),
            np.array(p._posA_posB[1]) - np.array(p._posA_posB[0]),
            matplotlib.colors.to_hex(p.get_edgecolor()).upper(),
        )
        for p in found
        if p.get_visible()
    ]


def newton_per_unit(ax: Any) -> float:
    """Return the scale of arrows in the legend."""
    text = ax.get_legend().get_title().get_text()
    return float(text.partition("arrows: ")[2].split()[0])


def dots(ax: Any) -> tuple[Floats, list[str]]:
    found = next(c for c in ax.collections if c.get_zorder() == 6)
    colors = [matplotlib.colors.to_hex(c).upper() for c in found.get_facecolor()]
    return np.asarray(found.get_offsets()), colors


def block(mu: float = 0.3, pull: float = 0.0, speed: float = 0.0) -> nsmb.LinearSystem:
    """Return a square block of 2 kg and 0.2 m on a floor, pulled to the right."""
    system = nsmb.LinearSystem(
        2.0 * np.eye(2),
        force=[pull, -20.0],
        contacts=[
            nsmb.Contact(w_N=[0.0, 1.0], w_T=[1.0, 0.0], law=nsmb.ContactLaw(mu=mu), name="floor")
        ],
        coordinates=["x", "y"],
        coordinate_units=["m", "m"],
        initial_state=nsmb.State(0.0, np.array([1.0, 0.0]), np.array([speed, 0.0])),
        name="block",
    )
    system.scene = nsmb.plotting.Scene.from_function(
        block_outlines, bodies=["block", "ground"], contacts=block_contacts
    )
    return system


def block_outlines(t: float, q: Floats) -> list[Any]:
    square = q + 0.1 * np.array([(-1, 0), (1, 0), (1, 2), (-1, 2), (-1, 0)])
    return [square, [(5.0, 0.0), (-5.0, 0.0)]]


def block_contacts(t: float, q: Floats) -> list[nsmb.plotting.ContactFrame | None]:
    return [nsmb.plotting.ContactFrame((q[0], 0.0), (0.0, 1.0), (1.0, 0.0))]


def test_body_is_drawn_where_it_is_in_the_unit_of_the_axes() -> None:
    ax = block().draw([0.03, 0.004])
    assert ax.get_xlabel() == "x / mm"
    expected = [(-70, 4), (130, 4), (130, 204), (-70, 204), (-70, 4)]
    np.testing.assert_allclose(patch(ax, "block"), expected, atol=1e-9)
    assert ax.get_aspect() == 1.0
    assert ax.get_title(loc="left") == "block"
    x, y = ax.get_xlim(), ax.get_ylim()
    assert x[0] < -70 < 130 < x[1]
    assert y[0] < 0 < 204 < y[1]
    assert x[1] - x[0] < 300  # long ground does not widen the view


def test_ground_is_hatched_on_its_left() -> None:
    ax = block().draw()
    band = next(p for p in ax.patches if isinstance(p, matplotlib.patches.Polygon))
    assert band.get_hatch()
    assert band.get_xy()[:, 1].max() == 0.0
    assert band.get_xy()[:, 1].min() < 0.0  # the floor runs to the left


def test_forces_are_arrows_in_one_scale_coloured_by_the_state() -> None:
    """Pulled with 3 N against a bound of 6 N the block sticks, λ_N = 20 N, λ_T = -3 N."""
    ax = block(pull=3.0).draw()
    (tail, normal, color), (tail_2, friction, color_2) = arrows(ax)
    scale = newton_per_unit(ax)
    np.testing.assert_allclose(tail, (1000.0, 0.0))
    np.testing.assert_allclose(tail_2, (1000.0, 0.0))
    np.testing.assert_allclose(scale * normal, (0.0, 20.0), atol=1e-9)
    np.testing.assert_allclose(scale * friction, (-3.0, 0.0), atol=1e-9)
    assert color == color_2 == STATES[nsmb.ContactState.STICK]
    width = ax.get_xlim()[1] - ax.get_xlim()[0]
    assert 0.1 * width < np.hypot(*normal) < 0.4 * width


@pytest.mark.parametrize(
    ("speed", "state"),
    [(1.0, nsmb.ContactState.SLIP_POSITIVE), (-1.0, nsmb.ContactState.SLIP_NEGATIVE)],
)
def test_friction_of_sliding_points_against_the_motion(
    speed: float, state: nsmb.ContactState
) -> None:
    ax = block(speed=speed).draw()
    (_, _, color), (_, friction, _) = arrows(ax)
    np.testing.assert_allclose(newton_per_unit(ax) * friction, (-6.0 * speed, 0.0), atol=1e-9)
    assert color == STATES[state]
    assert dots(ax)[1] == [STATES[state]]


def test_without_velocities_contacts_are_touching_or_open_and_have_no_forces() -> None:
    touching, open_ = block().draw([1.0, 0.0]), block().draw([1.0, 0.01])
    place, color = dots(touching)
    np.testing.assert_allclose(place, [(1000.0, 0.0)])
    assert color == ["#FFFFFF"]
    assert len(dots(open_)[0]) == 0
    assert not arrows(touching)


def test_forces_can_be_left_out() -> None:
    assert not arrows(block().draw(forces=False))


def test_pictures_of_a_run_have_its_states_and_forces(toy: nsmb.Solution) -> None:
    """States and λ are those of the run at every ninth sample, after events."""
    seen = set()
    rows = np.flatnonzero(np.diff(np.append(toy.t, np.inf)) > 0.0)[1::9]
    for k in rows:
        ax = toy.draw(toy.t[k])
        closed = toy.contact_state[k] != nsmb.ContactState.OPEN
        colors = [STATES[nsmb.ContactState(s)] for s in toy.contact_state[k][closed]]
        assert [c for c in dots(ax)[1] if c != "#FFFFFF"] == colors
        seen |= set(colors)
        forces = np.concatenate([toy.lambda_N[k][closed], toy.lambda_T[k][closed]])
        shown = arrows(ax)
        pyplot.close(ax.figure)
        if not shown:
            assert np.abs(forces).max(initial=0.0) == 0.0
            continue
        longest = max(float(np.hypot(*vector)) for _, vector, _ in shown)
        expected = np.abs(forces).max()
        assert newton_per_unit(ax) * longest == pytest.approx(expected, rel=1e-6)
    assert len(seen) == 3  # stick, slip + and slip - have occurred


def test_where_the_laws_asked_anew_differ_the_samples_of_the_run_count(
    toy: nsmb.Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All contacts are made open, so that states and forces come from adjacent samples."""
    phase = next(
        k
        for k in range(toy.t.size - 1)
        if toy.t[k + 1] > toy.t[k] and toy.contact_state[k].any() and k > 0
    )
    middle = 0.5 * (toy.t[phase] + toy.t[phase + 1])
    exact = instant.instant_of_run(toy, middle, "right")
    solved = instant._solved

    def open_(*arguments: Any) -> instant.Instant:
        now = solved(*arguments)
        return dataclasses.replace(now, states=np.zeros(3, np.int8), lambda_N=np.zeros(3))

    monkeypatch.setattr(instant, "_solved", open_)
    now = instant.instant_of_run(toy, middle, "right")
    np.testing.assert_array_equal(now.states, toy.contact_state[phase])
    expected = 0.5 * (toy.lambda_N[phase] + toy.lambda_N[phase + 1])
    np.testing.assert_allclose(now.lambda_N, expected, rtol=1e-9)
    # spring forces are nearly linear between two samples
    np.testing.assert_allclose(now.lambda_N, exact.lambda_N, rtol=0.05)
    for k, side in ((phase, "right"), (phase + 1, "left")):
        now = instant.instant_of_run(toy, float(toy.t[k]), side)  # type: ignore[arg-type]
        np.testing.assert_array_equal(now.lambda_T, toy.lambda_T[k])


def test_touching_edges_lie_on_the_pole_and_the_others_do_not(toy: nsmb.Solution) -> None:
    """Gaps of (14.1) are distances in the figure, also those of open contacts."""
    assert toy.system is not None
    r_0 = toy.parameters["r_0"]
    for t in np.linspace(0.0, 2.0, 41):
        sample = toy.at(t)
        frames = contact_frames(toy.system, t, sample.q)
        gaps = toy.system.contact_kinematics(t, sample.q, sample.u)["g_N"]
        places = [np.asarray(f.point)[0] - r_0 for f in frames if f is not None]
        np.testing.assert_allclose(places, gaps, atol=1e-12)


SCENES = ["woodpecker", "bouncing_ball", "rocking_rod", "rod_on_obstacles", "impact_pendulum"]


@pytest.mark.parametrize("name", SCENES)
def test_contact_frames_give_the_generalised_directions(name: str) -> None:
    """n_1ᵀ ∂r/∂q of the body-fixed point is w_N, so that arrows are drawn correctly.

    ∂r/∂q is found by differences of the outlines' motion at fixed material points.
    """
    system = nsmb.systems.build(name)
    start = system.initial_state
    assert system.scene is not None
    outlines = system.scene.outlines(start.t, start.q)
    frames = contact_frames(system, start.t, start.q)
    W = system.contact_kinematics(start.t, start.q, start.u)
    for i, frame in enumerate(frames):
        assert frame is not None
        motion = material_motion(system, outlines, np.asarray(frame.point), i)
        normal, tangent = (np.asarray(v)[:2] for v in (frame.normal, frame.tangent))
        np.testing.assert_allclose(motion @ normal, W["W_N"][:, i], atol=2e-7)
        if np.any(W["W_T"][:, i]):
            np.testing.assert_allclose(motion @ tangent, W["W_T"][:, i], atol=2e-7)


def material_motion(system: nsmb.System, outlines: Any, point: Floats, contact: int) -> Floats:
    """Return ∂r/∂q (nq, 2) of a point of body 1, affine in the corners of its outline."""
    moving = [k for k, outline in enumerate(outlines) if not outline.is_ground]
    # The bird is the last body of the toy, and its beak the first contact. The sleeve has the other
    # two contacts.
    k = moving[-1] if len(moving) == 1 or contact == 0 else moving[1]
    assert system.scene is not None
    corners = outlines[k].points[:, :2]
    base = np.column_stack([corners, np.ones(len(corners))])
    weights = np.linalg.lstsq(base.T, np.append(point, 1.0), rcond=None)[0]
    start, step = system.initial_state, 1e-6
    rows = []
    for e in np.eye(system.nq):
        ahead = system.scene.outlines(start.t, start.q + step * e)[k].points[:, :2]
        behind = system.scene.outlines(start.t, start.q - step * e)[k].points[:, :2]
        rows.append(weights @ (ahead - behind) / (2.0 * step))
    return np.array(rows)


def test_picture_goes_into_given_axes_and_opens_no_other_figure() -> None:
    figure, ax = pyplot.subplots()
    assert block().draw(ax=ax, title="here") is ax
    assert pyplot.get_fignums() == [figure.number]
    assert ax.get_title(loc="left") == "here"


def test_springs_and_joints_are_drawn_between_markers() -> None:
    system = block()
    system.scene = nsmb.plotting.Scene(
        [nsmb.plotting.SceneItem("block", 1, [(-0.1, 0.0), (0.1, 0.0), (0.1, 0.2), (-0.1, 0.2)])],
        lambda t, q: [((0.0, 0.1, 0.0), np.eye(3)), ((*q, 0.0), np.eye(3))],
        springs=[(0, 1)],
        joints=[0],
    )
    ax = system.draw([0.5, 0.0])
    spring = next(line for line in ax.lines if len(line.get_xdata()) > 4)
    assert (spring.get_xdata()[0], spring.get_ydata()[0]) == (0.0, 100.0)
    assert (spring.get_xdata()[-1], spring.get_ydata()[-1]) == (500.0, 0.0)
    joint = next(line for line in ax.lines if line.get_marker() == "o" and line.get_zorder() == 4)
    assert joint.get_xydata().tolist() == [[0.0, 100.0]]


def test_turned_markers_turn_their_outlines_and_holes_stay_open() -> None:
    """A square frame with a clockwise hole is rotated by 90° about its corner."""
    outer = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)])
    hole = np.array([(1.0, 1.0), (1.0, 3.0), (3.0, 3.0), (3.0, 1.0)])
    A = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    system = block()
    items = [nsmb.plotting.SceneItem("frame", 0, outer), nsmb.plotting.SceneItem("frame", 0, hole)]
    system.scene = nsmb.plotting.Scene(items, lambda t, q: [(np.array([1.0, 2.0, 0.0]), A)])
    ax = system.draw()
    corners = patch(ax, "frame")
    np.testing.assert_allclose(corners[1], (1.0, 6.0))  # (4, 0) → (0, 4) + (1, 2)
    ax.figure.canvas.draw()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())[:, :, :3]

    def color(x: float, y: float) -> list[int]:
        column, row = ax.transData.transform((x, y))
        return list(pixels[int(len(pixels) - row), int(column)])

    assert color(-1.0, 4.0) == [255, 255, 255]  # middle of the hole
    assert color(0.5, 4.0) != [255, 255, 255]


def test_systems_without_scene_say_how_to_give_one(ball: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match=r"system\.scene = nsmb\.plotting\.Scene\.from_function"):
        nsmb.LinearSystem([[1.0]]).draw()
    with pytest.raises(ValueError, match=r"'thrown ball' has no drawing"):
        ball.draw(0.1)
    with pytest.raises(ValueError, match=r"'thrown ball' has no drawing"):
        ball.animate()
    assert not pyplot.get_fignums()


def test_scenes_refuse_what_cannot_be_drawn() -> None:
    system, q = block(), np.zeros(2)
    with pytest.raises(ValueError, match=r"points of 'a': expected shape \(n, 2\), got shape"):
        nsmb.plotting.SceneItem("a", 0, [1.0, 2.0])
    with pytest.raises(ValueError, match="points of 'a': expected finite numbers"):
        nsmb.plotting.SceneItem("a", 0, [(1.0, np.nan)])
    item = nsmb.plotting.SceneItem("a", 3, [(0.0, 0.0)])
    scene = nsmb.plotting.Scene([item], lambda t, q: [(np.zeros(3), np.eye(3))])
    with pytest.raises(ValueError, match=r"markers 0 \.\.\. 0, got 3"):
        scene.outlines(0.0, q)
    with pytest.raises(ValueError, match="expected 1 polylines, as many as bodies, got 2"):
        nsmb.plotting.Scene.from_function(block_outlines, bodies=["block"]).outlines(0.0, q)
    system.scene = nsmb.plotting.Scene.from_function(block_outlines, contacts=lambda t, q: [])
    with pytest.raises(ValueError, match="expected 1 frames or None, one per contact, got 0"):
        system.draw()
    with pytest.raises(ValueError, match=r"q: expected shape \(2,\)"):
        block().draw([0.0])
    with pytest.raises(ValueError, match="q: expected finite numbers"):
        block().draw([0.0, np.nan])


def test_scenes_are_pickled_with_their_systems() -> None:
    system = block()
    system.scene = None
    assert pickle.loads(pickle.dumps(system)).scene is None
    toy = pickle.loads(pickle.dumps(nsmb.systems.woodpecker()))
    assert toy.scene is not None
    items = [nsmb.plotting.SceneItem("block", 0, [(0.0, 0.0), (1.0, 0.0)], closed=False)]
    system.scene = nsmb.plotting.Scene(items, block_poses)
    again = pickle.loads(pickle.dumps(system)).scene
    assert again is not None
    np.testing.assert_array_equal(again.outlines(0.0, np.ones(2))[0].points[1], (2.0, 1.0, 0.0))


def block_poses(t: float, q: Floats) -> list[Any]:
    return [((*q, 0.0), np.eye(3))]


def test_missing_matplotlib_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'nsmb\[plot\]'"):
        block().draw()


def test_colours_of_the_palette_are_those_of_the_states() -> None:
    assert set(STATES.values()) <= set(drawing.COLORS)


def with_look(system: nsmb.System) -> nsmb.System:
    system.scene = nsmb.plotting.Scene.from_function(
        lambda t, q: [[(q[0] - 0.1, 0.0), (q[0] + 0.1, 0.0), (q[0], 0.2)]]
    )
    return system


def falls_into_trouble(trouble: float | None) -> nsmb.Solution:
    """Return a run ended by a force, with infinite speed or an exception at a time."""

    def force(t: float, q: Floats, u: Floats) -> list[float]:
        if trouble is not None and t > trouble:
            raise LookupError("no data")
        return [2.0 * u[0] ** 1.5] if trouble is None else [-1.0]

    mass = with_look(nsmb.CallbackSystem(["x"], [[1.0]], force))
    try:
        return nsmb.simulate(mass, 2.0, u=[1.0], throw=False)
    except LookupError as error:
        return error.solution  # type: ignore[attr-defined, no-any-return]


def jams(degrees: float) -> nsmb.Solution:
    """Return a run of Painlevé's rod, which rotates until no acceleration obeys the laws."""
    rod = nsmb.systems.sliding_rod(phi=np.radians(degrees), omega=2.0, v=20.0)
    return nsmb.simulate(rod, 0.1, throw=False)


def closes_in() -> nsmb.Solution:
    """Return a run of a mass between closing walls, where no impulse keeps both gaps open."""
    contacts = [
        nsmb.Contact(w_N=[1.0], gap=0.1, name="left"),
        nsmb.Contact(w_N=[-1.0], gap=0.3, w_tilde_N=-0.2, name="right"),
    ]
    return nsmb.simulate(with_look(nsmb.LinearSystem([[1.0]], contacts=contacts)), 4.0, throw=False)


def ends(t_end: float = 2.0, **options: Any) -> nsmb.Solution:
    ball = nsmb.systems.bouncing_ball(e_N=1.0, H=0.01)
    method = nsmb.EventDriven(**options)
    return nsmb.simulate(ball, t_end, method=method, throw=False, output_step=0)


def stops() -> nsmb.Solution:
    top = nsmb.When(lambda t, q, u: u[0], "down", terminal=True)
    return nsmb.simulate(nsmb.systems.bouncing_ball(), 2.0, events=[top])


ENDS: dict[str, tuple[str, Any]] = {
    "at the end": ("finished", ends),
    "by an event": ("stopped", stops),
    "by their number": ("event_limit", lambda: ends(max_events=3)),
    "by memory": ("memory_limit", lambda: ends(100.0, max_memory=1e5)),
    "in a jam at the start": ("no_contact_solution", lambda: jams(60.0)),
    "in a jam on the way": ("no_contact_solution", lambda: jams(40.0)),
    "between walls": ("no_impact_solution", closes_in),
    "at infinite speed": ("integration_failure", lambda: falls_into_trouble(None)),
    "by an exception": ("system_error", lambda: falls_into_trouble(0.5)),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_last_instant_is_drawn_however_a_run_ends(name: str) -> None:
    status, run = ENDS[name]
    sol = run()
    assert sol.status == status
    start, end = sol.t_span
    for side in ("left", "right"):
        ax = sol.draw(end, side=side)
        assert np.isfinite(ax.get_xlim() + ax.get_ylim()).all()
        if status == "no_contact_solution" and start == end:  # forces are unknown
            assert not arrows(ax)
    assert sol.animate(t_span=(start, end) if start < end else None).frame(0).size > 0
    assert len(sol.plot().axes) > 0


def test_a_side_that_is_none_is_refused(toy: nsmb.Solution) -> None:
    with pytest.raises(ValueError, match="side: expected one of left, right, got 'lef'; did you"):
        toy.draw(0.1, side="lef")  # type: ignore[arg-type]
