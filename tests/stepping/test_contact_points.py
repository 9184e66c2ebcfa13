"""Results of runs for unnamed contacts: tables, sums, files, joins, figures."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import geometry, joints
from nsmb.common import array_files
from nsmb.pictures.plane import OBLIQUE
from nsmb.solution.files import FORMAT, VERSION
from tests.stepping.test_many_contacts import G, R, ball, heap, moving, stepped
from tests.support.rendering import require_rendering

MASS = 1000.0 * 4.0 / 3.0 * np.pi * R**3
STEP = 2e-3


@cache
def run() -> nsmb.Solution:
    """Eight spheres that fall on the floor and on one another."""
    return nsmb.simulate(heap(2, 2), 0.3, method=stepped(STEP), output_step=STEP)


def same(first: nsmb.Solution, second: nsmb.Solution) -> None:
    assert first._data.keys() == second._data.keys()
    for name, column in first._data.items():
        np.testing.assert_array_equal(column, second._data[name], err_msg=name)
    assert first.labels == second.labels


def test_rows_belong_to_samples() -> None:
    found = run().contacts.points
    assert len(found) == found.identity.size > 500
    assert (np.diff(found.sample) >= 0).all()
    assert len(found.at(0)) == 0  # the start has no contacts yet
    assert sum(len(found.at(k)) for k in range(run().t.size)) == len(found)
    last = found.at(-1)
    assert set(last.sample.tolist()) == {run().t.size - 1}
    np.testing.assert_array_equal(last.g_N, found.g_N[found.sample == run().t.size - 1])
    assert not found.force.flags.writeable
    assert not last.point.flags.writeable
    assert repr(found).startswith("ContactPoints of 9 shapes: ")
    with pytest.raises(ValueError, match=f"`k`: must be .* below {run().t.size}, got 900"):
        found.at(900)
    with pytest.raises(ValueError, match="k: expected a whole number"):
        found.at(-900)


def test_what_was_found_is_what_a_search_finds_there() -> None:
    """The reference is a search in the middle of the step, with the coordinates there."""
    system, found = heap(2, 2), run().contacts.points
    k = run().t.size - 1
    middle = run().q[k - 1] + 0.5 * (run().q[k] - run().q[k - 1])
    there, rows = system.find_contacts(0.0, middle), found.at(k)
    # In addition there are contacts that close before the end of the step.
    touching = np.isin(rows.identity, there.identity)
    assert (rows.g_N[~touching] > 0.0).all()
    shapes_there = [pair for pair, touches in zip(rows.shapes, touching, strict=True) if touches]
    assert shapes_there == list(there.shapes)
    np.testing.assert_array_equal(rows.identity[touching], there.identity)
    np.testing.assert_allclose(rows.g_N[touching], there.g_N, atol=1e-5)
    np.testing.assert_allclose(rows.axes[touching], there.axes, atol=1e-3)
    np.testing.assert_allclose(rows.point[touching], there.point, atol=1e-5)


def test_forces_are_what_momentum_changes_by() -> None:
    """m (u_{k+1} - u_k) = h (F_k + m g) for each body.

    The floor carries the rest of the weight of the heap.
    """
    sol = run()
    found = sol.contacts.points
    weight = np.array([0.0, 0.0, -MASS * G])
    sums = np.zeros((sol.t.size - 1, 3))
    for k in range(8):
        change = MASS * np.diff(sol.u[:, 6 * k : 6 * k + 3], axis=0)
        force = found.force_on(f"b{k}")[1:]
        np.testing.assert_allclose(change, STEP * (force + weight), atol=1e-9 * MASS)
        sums += force
    names = [f"b{k}" for k in range(8)]
    np.testing.assert_allclose(found.force_on(names)[1:], sums, atol=1e-9 * MASS * G)
    np.testing.assert_allclose(found.force_on("ground.floor")[1:], -sums, atol=1e-9 * MASS * G)
    assert (found.of("b0").force_on("b0") == found.force_on("b0")).all()
    assert set(found.of("b0").shape_1.tolist()) | set(found.of("b0").shape_2.tolist()) > {0}


def test_moments_hold_a_box_at_rest_and_turn_a_rolling_ball() -> None:
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    body = m.add_solid("box", geometry.Box((0.4, 0.3, 0.2)), 500.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=0.5))
    system = m.build(initial={"free": (2.0, 1.0, 0.1, 1, 0, 0, 0)})
    found = nsmb.simulate(system, 0.05, method=stepped(STEP)).contacts.points
    weight = 500.0 * 0.4 * 0.3 * 0.2 * G
    about = found.moment_on("box", about=(2.0, 1.0, 0.1))[-1]
    np.testing.assert_allclose(about, 0.0, atol=1e-9 * weight)
    whole = found.moment_on("box")[-1]
    np.testing.assert_allclose(whole, [weight, -2.0 * weight, 0.0], atol=1e-9 * weight)
    # In sliding, L̇ = r × F about its centre, with friction and without.
    ball_run = nsmb.simulate(
        ball(), 0.05, method=stepped(STEP), start=moving(ball(), (1, 0, 0, 0, 0, 0)),
        output_step=STEP,
    )  # fmt: skip
    inertia = 0.4 * MASS * R**2
    spin = np.diff(ball_run.u[:, 4]) * inertia / STEP
    table = ball_run.contacts.points
    centers = 0.5 * (ball_run.q[:-1, :3] + ball_run.q[1:, :3])  # where the step detected contacts
    arms = [table.at(k).moment_on("ball", about=centers[k - 1])[k] for k in (5, 10)]
    # The point is between both bodies, some 1e-5 m from the surface of either.
    np.testing.assert_allclose([arm[1] for arm in arms], spin[[4, 9]], rtol=1e-5 / R * 2.0)
    assert (table.at(10).state == nsmb.ContactState.SLIP).all()


def test_rolling_resistance_is_in_the_moment() -> None:
    """μ_R m g decelerates a rolling ball: its moment about the contact point."""
    m = nsmb.Model(gravity=(0.0, 0.0, -G))
    body = m.add_solid("ball", geometry.Sphere(R), 1000.0)
    m.add_joint("free", joints.Free(), m.ground, body)
    m.ground.shape("floor", geometry.HalfSpace())
    m.collide(nsmb.ContactLaw(mu=0.5, mu_R=2e-3))
    system = m.build(initial={"free": (0, 0, R, 1, 0, 0, 0)})
    start = moving(system, (1.0, 0, 0, 0, 1.0 / R, 0))
    sol = nsmb.simulate(system, 0.1, method=stepped(STEP), start=start, output_step=STEP)
    found = sol.contacts.points
    last = found.at(-1)
    about = found.moment_on("ball", about=last.point[0])[-1]
    np.testing.assert_allclose(about[1], -2e-3 * MASS * G, rtol=1e-6)
    assert last.moment[0, 2] == 0.0


def test_a_shape_that_is_not_there_is_said() -> None:
    found = run().contacts.points
    with pytest.raises(ValueError, match=r"shapes 'b9': expected one of .*did you mean"):
        found.force_on("b9")
    with pytest.raises(ValueError, match=r"about: expected shape \(3,\)"):
        found.moment_on("b0", about=(0.0, 1.0))
    toy = nsmb.simulate(nsmb.systems.bouncing_ball(), 0.1)
    with pytest.raises(ValueError, match=r"^contacts\.points: .*bouncing_ball.*lambda_N"):
        toy.contacts.points  # noqa: B018 - it raises


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_files_keep_them(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"run{suffix}"
    run().save(path)
    loaded = nsmb.Solution.load(path)
    same(run(), loaded)
    assert loaded.contacts.points.shapes == run().contacts.points.shapes
    np.testing.assert_array_equal(
        loaded.contacts.points.force_on("b3"), run().contacts.points.force_on("b3")
    )


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_keep_them(copied: Callable[[nsmb.Solution], nsmb.Solution]) -> None:
    same(run(), copied(run()))


WRONG = {
    "found_count": lambda a: a + (np.arange(a.size) == 5),
    "found_shape_2": lambda a: a + 9,
    "found_state": lambda a: a + 7,
    "found_point": lambda a: a[:-1],
    "found_force": lambda a: a[:, :2],
}


@pytest.mark.parametrize("name", WRONG)
def test_files_that_do_not_fit_together_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run().save(path)
    header, data = array_files.read(path, FORMAT, VERSION, "solution")
    array_files.write(path, header, data | {name: WRONG[name](data[name])})
    with pytest.raises(ValueError, match=rf"damaged .*{name}"):
        nsmb.Solution.load(path)


def test_a_run_goes_on_and_joins() -> None:
    """The second run agrees with the whole one to the tolerance of the steps.

    It starts without impulses as initial guess. Its first sample is the last one of the first run.
    """
    system = heap(2, 2)
    first = nsmb.simulate(system, 0.15, method=stepped(STEP), output_step=STEP)
    second = nsmb.simulate(system, 0.3, method=stepped(STEP), start=first, output_step=STEP)
    whole = first + second
    assert whole.t.size == run().t.size
    counts = whole._data["found_count"]
    np.testing.assert_array_equal(counts[: first.t.size], first._data["found_count"])
    np.testing.assert_array_equal(counts[first.t.size :], second._data["found_count"][1:])
    found = whole.contacts.points
    assert len(found.at(first.t.size - 1)) == len(first.contacts.points.at(-1)) > 0
    change = MASS * np.diff(whole.u[:, 2])
    force = found.force_on("b0")[1:, 2] - MASS * G
    np.testing.assert_allclose(change, STEP * force, atol=1e-9 * MASS)
    np.testing.assert_allclose(whole.q, run().q, atol=1e-5)


def test_frames_of_pandas_and_xarray() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    found = run().contacts.points
    frame = found.to_dataframe()
    assert len(frame) == len(found)
    assert list(frame.columns[:5]) == ["sample", "t", "contact", "shape_1", "shape_2"]
    on_floor = frame[frame.shape_1 == "ground.floor"]
    np.testing.assert_allclose(
        on_floor.groupby("sample").force_z.sum().iloc[-1],
        -found.force_on("ground")[on_floor["sample"].max(), 2],
        rtol=1e-12,
    )
    data = found.to_xarray()
    assert data.sizes["contact"] == len(found)
    assert data.force.attrs["units"] == "N"
    strongest = data.isel(contact=int(found.lambda_N.argmax()))
    assert float(strongest.lambda_N) == found.lambda_N.max()
    assert str(strongest.shape_1.values) in found.shape_names
    assert run().to_dataframe().shape == (run().t.size, 1 + 8 * 13)
    assert run().to_xarray().sizes["time"] == run().t.size


def test_identities_last_as_long_as_contacts_do() -> None:
    """For spheres, a pair has a single number, and no number belongs to two pairs."""
    found = run().contacts.points
    pairs = {}
    for identity, *pair in zip(
        found.identity.tolist(), found.shape_1.tolist(), found.shape_2.tolist(), strict=True
    ):
        assert pairs.setdefault(identity, pair) == pair
    assert len({tuple(pair) for pair in pairs.values()}) == len(pairs) == 8


def test_energy_of_the_run_is_kept_and_its_check_says_what_it_needs(tmp_path: Path) -> None:
    sol = run()
    assert abs(sol.energy.relative) < 1e-9
    with pytest.raises(ValueError, match=r"^check: must be called on a run with nsmb.EventDriven"):
        sol.check()
    sol.save(tmp_path / "run.npz")
    loaded = nsmb.Solution.load(tmp_path / "run.npz")
    with pytest.raises(ValueError, match=r"Set solution\.system"):
        _ = loaded.system
    np.testing.assert_array_equal(loaded.energy.total, sol.energy.total)


def test_pictures_show_chains_of_forces() -> None:
    pytest.importorskip("matplotlib")
    require_rendering()
    sol = run()
    figure = sol.plot(coordinates=["j0.z", "j7.z"])
    assert len(figure.axes) >= 1
    axes = sol.draw(0.3)
    lines = [c for c in axes.collections if type(c).__name__ == "LineCollection"]
    assert len(lines) == 1
    segments = np.array(lines[0].get_segments())
    rows = sol.contacts.points.at(-1)
    presses = rows.lambda_N > 0.0
    assert len(segments) == presses.sum() > 4
    # Lengths as large as the forces, in the plane of the figure, centred at the contacts.
    shown = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    true = np.linalg.norm(OBLIQUE.of(rows.force[presses]), axis=1)
    np.testing.assert_allclose(shown / shown.max(), true / true.max(), atol=1e-9)
    middle = segments.mean(axis=1)
    places = OBLIQUE.of(rows.point[presses])
    unit = np.ptp(middle) / np.ptp(places)
    np.testing.assert_allclose(middle / unit, places, atol=1e-9)
    legend = axes.get_legend()
    assert legend is not None
    assert "lines: " in legend.get_title().get_text()
    without = sol.draw(0.3, forces=False)
    assert not [c for c in without.collections if type(c).__name__ == "LineCollection"]
    still = nsmb.systems.bouncing_ball().draw()
    assert still is not axes


def test_what_a_system_alone_does_not_know_is_not_drawn() -> None:
    pytest.importorskip("matplotlib")
    require_rendering()
    axes = heap(2, 1).draw()
    assert not [c for c in axes.collections if type(c).__name__ == "LineCollection"]


def test_labels_of_files_tell_the_shapes(tmp_path: Path) -> None:
    run().save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as archive:
        header: dict[str, Any] = json.loads(str(archive["nsmb"]))
    assert header["shape_names"] == list(run().labels.shape_names)
    assert header["shape_names"][:2] == ["ground.floor", "b0.solid"]


def test_plots_of_many_bodies_ask_which_ones() -> None:
    pytest.importorskip("matplotlib")
    many = nsmb.simulate(heap(4, 1), 2 * STEP, method=stepped(STEP))
    with pytest.raises(ValueError, match=r"^coordinates: .* of 112 from 'j0.x' to 'j15.qz', got N"):
        many.plot()
    assert len(many.plot(coordinates=["j3.x", "j3.z"]).axes) == 1
