"""Every ready-made system has a scene, whose distances are the gaps."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb import systems
from nsmb.pictures.scene import Outline
from nsmb.pictures.subjects import contact_frames
from tests.support.rendering import require_rendering

pyplot = pytest.importorskip("matplotlib.pyplot")
shapely = pytest.importorskip("shapely")

Floats = NDArray[np.float64]


def few(system: nsmb.System) -> nsmb.Solution:
    """Return a short run of the system."""
    return nsmb.simulate(system, 0.05 * (system.recommended.t_end or 1.0), throw=False)


@pytest.mark.parametrize("name", systems.names())
def test_every_system_has_a_picture(name: str) -> None:
    """Parts of it are in the view, and each contact has one frame or None."""
    system = systems.build(name)
    assert system.scene is not None
    if system._core.finds_contacts:
        require_rendering()
    sol = few(system)
    ax = sol.draw(float(sol.t[-1]))
    ax.figure.canvas.draw()
    assert len(contact_frames(system, sol.t[-1], sol.q[-1])) == system.nc
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    bodies = [p for p in ax.patches if hasattr(p, "get_path") and p.get_label() in _bodies(system)]
    lines = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) > 1]
    if system._core.finds_contacts:
        shown = np.asarray(ax.images[0].get_array())
        assert (shown.std(axis=(0, 1)) > 0.02).all()
        pyplot.close("all")
        return
    corners = np.vstack([np.asarray(p.get_path().vertices) for p in bodies] + lines)
    assert ((corners >= low) & (corners <= high)).all(axis=1).any()
    pyplot.close("all")


def _bodies(system: nsmb.System) -> set[str]:
    start = system.initial_state
    assert system.scene is not None
    return {o.body for o in system.scene.outlines(start.t, start.q) if not o.is_ground}


PLANAR = [
    "ball_on_table", "belt_oscillator", "bouncing_ball", "gear_rattling", "gearbox_branched",
    "gearbox_two_stage", "impact_oscillator", "incline_block", "mass_tower",
    "pantograph", "parabola_on_line", "sliding_rod", "stacked_masses_horizontal",
    "stacked_masses_vertical", "stick_slip_oscillator", "superball", "two_balls",
    "two_point_masses",
]  # fmt: skip


def shape(outline: Outline) -> Any:
    points = outline.points[:, :2]
    return shapely.Polygon(points) if outline.closed else shapely.LineString(points)


@pytest.mark.parametrize("name", PLANAR)
def test_gaps_are_distances_in_the_picture(name: str) -> None:
    """The distance of two bodies at each open contact is its gap, and the contact acts there."""
    system = systems.build(name)
    sol = few(system)
    assert system.scene is not None
    scale = 3e-4 if name == "parabola_on_line" else 1e-4 if name == "superball" else 1e-9  # chords
    checked = 0
    for k in np.unique(np.linspace(0, len(sol.t) - 1, 7).astype(int)):
        t, q = float(sol.t[k]), sol.q[k] + 1e-3 * np.linspace(0.3, 1.0, system.nq)
        if name == "gearbox_branched" or name == "gearbox_two_stage":
            q = sol.q[k]
        outlines = system.scene.outlines(t, q)
        gaps = system.contact_kinematics(t, q, np.zeros(system.nu))["g_N"]
        distances = np.array(
            [
                shape(a).distance(shape(b))
                for i, a in enumerate(outlines)
                for b in outlines[:i]
                if a.body != b.body
            ]
        )
        frames = contact_frames(system, t, q)
        for gap, frame in zip(gaps, frames, strict=True):
            if gap <= 1e-9:
                continue
            checked += 1
            assert np.abs(distances - gap).min() <= scale, (gap, sorted(distances)[:4])
            assert frame is not None
            point = shapely.Point(np.asarray(frame.point, dtype=float)[:2])
            assert min(shape(o).exterior.distance(point) if o.closed else shape(o).distance(point)
                       for o in outlines) <= scale  # fmt: skip
    assert checked or name in ("pantograph", "sliding_rod")


@pytest.mark.parametrize("name", sorted({*PLANAR, "percussion_drill", "oblique_oscillator"}))
def test_scenes_come_along_with_copies(name: str) -> None:
    system = systems.build(name)
    assert system.scene is not None
    copy = system.with_parameters(**dict(system.parameters))
    assert copy.scene is not None
    start = system.initial_state
    for a, b in zip(
        system.scene.outlines(start.t, start.q), copy.scene.outlines(start.t, start.q), strict=True
    ):
        np.testing.assert_array_equal(a.points, b.points)
