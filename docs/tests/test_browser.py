"""Systems that run in pages: descriptions, motions and events as in Python; sliders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from nsmb.events.enums import ContactState, EventKind

NAMES = ("woodpecker", "ball_on_table", "belt_oscillator")
SOURCE = Path(__file__).resolve().parents[1] / "browser" / "index.md"
EPSILON = float(np.finfo(float).eps)


@pytest.fixture(scope="module")
def page(site: Path, browser: Any) -> Iterator[Any]:
    """The page with all panels, opened from disk, at rest."""
    opened = browser.new_page(reduced_motion="reduce")
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto((site / "browser" / "index.html").as_uri())
    opened.wait_for_function("window.nsmb !== undefined")
    yield opened
    assert not errors
    opened.close()


def system_of(name: str, **parameters: float) -> nsmb.System:
    system: nsmb.System = getattr(nsmb.systems, name)(**parameters)
    return system


def random_parameters(name: str, seed: int) -> dict[str, float]:
    """Every parameter of a system within some 30 % of its default; flags (-1) now and then set."""
    random = np.random.default_rng(seed)
    values = {}
    for key, value in system_of(name).parameters.items():
        if value == -1.0:
            values[key] = -1.0 if random.random() < 0.5 else random.uniform(0.0, 1.0)
        elif key in ("e", "e_beak", "e_sleeve", "e_T", "nu"):
            values[key] = random.uniform(0.0, 1.0)
        else:
            values[key] = float(value * random.uniform(0.7, 1.3) + (value == 0.0) * random.random())
    return values


def force_of(system: nsmb.System) -> tuple[NDArray[Any], list[tuple[Any, float, float]]]:
    given = system._arguments()["force"]
    if not isinstance(given, nsmb.Force):
        return np.asarray(given, dtype=float), []
    assert given.constant is not None
    assert (given.ramp, given.table) == (None, None)
    assert not [*given.pulses, *given.inputs]
    harmonics = [(np.asarray(h.amplitude), h.omega, h.phase) for h in given.harmonics]
    return np.asarray(given.constant, dtype=float), harmonics


def close(one: Any, other: Any) -> None:
    """The same sum of products in another order: a few units in the last place of its terms."""
    other = np.asarray(other, dtype=float)
    scale = float(np.abs(other).max(initial=0.0))
    np.testing.assert_allclose(one, other, rtol=4.0 * EPSILON, atol=4.0 * EPSILON * scale)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", NAMES)
def test_a_page_describes_the_system_of_python(page: Any, name: str, seed: int) -> None:
    values = random_parameters(name, seed)
    system = system_of(name, **values)
    told = page.evaluate(
        "([name, p]) => ({...nsmb.systems[name].describe(p), start: nsmb.systems[name].start(p)})",
        [name, values],
    )
    n = system.nq
    assert told["coordinates"] == list(system.labels.coordinates)
    arguments = system._arguments()
    for matrix in ("M", "K", "D"):
        close(told.get(matrix, np.zeros((n, n))), arguments[matrix])
    constant, harmonics = force_of(system)
    close(told["force"]["constant"], constant)
    assert len(told["force"].get("harmonics", [])) == len(harmonics)
    for entry, (amplitude, omega, phase) in zip(
        told["force"].get("harmonics", []), harmonics, strict=True
    ):
        close(entry["amplitude"], amplitude)
        assert (entry["omega"], entry["phase"]) == (omega, phase)
    assert [contact["name"] for contact in told["contacts"]] == list(system.contact_names)
    for contact, entry in zip(arguments["contacts"], told["contacts"], strict=True):
        close(entry["w_N"], contact.w_N)
        close(entry.get("w_T", [0.0] * n), np.zeros(n) if contact.w_T is None else contact.w_T)
        close(entry.get("gap", 0.0), contact.gap)
        assert entry.get("w_tilde_T", 0.0) == contact.w_tilde_T
        assert contact.w_tilde_N == 0.0
        law = {key: entry["law"].get(key, 0.0) for key in ("mu", "e_N", "e_T", "nu")}
        assert law == {key: getattr(contact.law, key) for key in law}
        curve = contact.law.curve
        if curve is None:
            assert "curve" not in entry["law"]
        else:
            assert entry["law"]["curve"] == {"mu_d": curve.mu_d, "v_s": curve.v_s}
            assert (curve.delta, curve.k) == (1.0, 0.0)
    start = system.initial_state
    assert start.t == 0.0
    close(told["start"]["q"], start.q)
    close(told["start"]["u"], start.u)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_draws_the_scene_of_python(page: Any, name: str) -> None:
    for seed in range(5):
        values = random_parameters(name, seed)
        system = system_of(name, **values)
        random = np.random.default_rng(seed)
        t, q = random.uniform(0.0, 1.0), 0.1 * random.standard_normal(system.nq)
        told = page.evaluate(
            "([name, p, t, q]) => nsmb.systems[name].scene(p, t, q)", [name, values, t, q.tolist()]
        )
        scene: Any = system.scene
        outlines = scene.outlines(t, q)
        assert [entry["body"] for entry in told["outlines"]] == [o.body for o in outlines]
        # Python closes an outline when its first point comes again, and may begin elsewhere.
        for entry, outline in zip(told["outlines"], outlines, strict=True):
            assert entry["closed"] == outline.closed
            points, others = np.array(entry["points"]), outline.points[:, :2]
            assert len(points) == len(others)
            distances = np.abs(points[:, None] - others[None]).max(axis=2)
            # rounding of sums of lengths as large as the scene (the pole: 100 m)
            assert distances.min(axis=1).max() < 8.0 * EPSILON * np.abs(others).max()
        frames = np.array([frame.point for frame in scene.contacts(t, q)])[:, :2]
        np.testing.assert_allclose(told["contacts"], frames, rtol=1e-14, atol=1e-16)
        springs = [[a[:2], b[:2]] for a, b in scene.springs_at(t, q)]
        assert len(told.get("springs", [])) == len(springs)
        if springs:
            np.testing.assert_allclose(told["springs"], springs, rtol=1e-14, atol=1e-16)


def test_kinds_and_states_have_the_names_of_python(page: Any) -> None:
    assert page.evaluate("nsmb.KINDS") == [kind.label for kind in EventKind]
    assert page.evaluate("nsmb.STATES") == [state.label for state in ContactState]


CASES = [
    ("woodpecker", {}, 2.0),
    ("woodpecker", {"mu": 0.9}, 2.0),
    ("woodpecker", {"mu": 0.5, "c_phi": 0.0075, "m_S": 0.0038}, 2.0),
    ("woodpecker", {"mu_beak": 0.578, "mu_lower": 0.968, "mu_upper": 0.968}, 2.0),
    ("ball_on_table", {}, 2.0),
    ("ball_on_table", {"A": 0.0017}, 2.0),
    ("ball_on_table", {"A": 0.0004, "e": 0.5}, 2.0),
    ("belt_oscillator", {}, 8.0),
    ("belt_oscillator", {"d": 1.0, "v_B": 0.1}, 8.0),
    ("belt_oscillator", {"mu_s": 0.4, "mu_d": 0.4, "d": 0.5}, 8.0),
]
RUN = """
([name, given, t_end]) => {
  const {simulate, core, data, systems} = nsmb;
  const entries = Object.entries(data[name].parameters).map(([key, {default: v}]) => [key, v]);
  const run = simulate(core, systems[name], {...Object.fromEntries(entries), ...given}, {t_end});
  return {
    status: run.status, message: run.message, t: [...run.t], y: [...run.y],
    states: [...run.states], events: run.events.map((e) => ({...e, before: [...e.before]})),
  };
}
"""


def what_rounding_does(sol: nsmb.Solution) -> tuple[NDArray[Any], NDArray[Any], float]:
    """What an error of one unit in the last place of the largest values, made anew in every part of
    the run, becomes: scales of y (2n,), times of events (k,), and the part of the scales."""
    sensitivity = sol.sensitivity
    assert sensitivity is not None
    assert sensitivity.exists
    scales = np.abs(np.hstack([sol.q, sol.u])).max(axis=0)
    scales[scales == 0.0] = 1.0
    grown = np.zeros((0, scales.size, scales.size))  # from each part so far to the present one
    times, parts = [], [1.0]
    for factor, row in zip(sensitivity.factors, sensitivity.time_factors, strict=True):
        grown = np.concatenate([grown, np.eye(scales.size)[None]])
        times.append(float(np.abs(row @ grown * scales).sum()))
        grown = factor @ grown
        scaled = grown * scales / scales[:, None]
        parts.append(float(np.abs(scaled).sum(axis=2).max(axis=1).sum()))
    is_event = sensitivity.is_event
    return scales, EPSILON * np.array(times)[is_event], EPSILON * max(parts)


# Times what rounding does. Measured: 1.4 in closed form; 520 with dp853, where step sizes follow
# from error estimates, small differences of large numbers.
MARGINS = {"woodpecker": 16.0, "ball_on_table": 16.0, "belt_oscillator": 1e4}


@pytest.mark.parametrize(("name", "given", "t_end"), CASES, ids=str)
def test_a_page_computes_the_motion_of_python(
    page: Any, name: str, given: dict[str, float], t_end: float
) -> None:
    sol = nsmb.simulate(system_of(name, **given), t_end, sensitivity=True)
    told = page.evaluate(RUN, [name, given, t_end])
    assert (told["status"], told["message"]) == (sol.status, sol.message)
    assert [(e["kind"], tuple(e["contacts"])) for e in told["events"]] == [
        (event.kind.label, tuple(event.contacts)) for event in sol.events
    ]
    scales, dt, part = what_rounding_does(sol)
    _, instant = np.unique(sol.events.t, return_inverse=True)
    margin = MARGINS[name]
    times = np.array([event["t"] for event in told["events"]])
    assert (np.abs(times - sol.events.t) <= margin * (dt[instant] + EPSILON * sol.events.t)).all()
    # What happens at every sample, both sides of each event among them.
    states = np.array(told["states"]).reshape(-1, sol.system.nc)
    np.testing.assert_array_equal(states, sol.contact_state)
    y = np.array(told["y"]).reshape(-1, scales.size)
    other = np.hstack([sol.q, sol.u])
    assert (np.abs(y - other) <= margin * part * scales).all()


def test_what_rounding_does_grows_with_chaos() -> None:
    """Else the tolerances above would say nothing."""
    calm = nsmb.simulate(system_of("ball_on_table"), 2.0, sensitivity=True)
    wild = nsmb.simulate(system_of("ball_on_table", A=0.0028), 2.0, sensitivity=True)
    assert what_rounding_does(calm)[2] < 1e-13
    assert what_rounding_does(wild)[2] > 1e2 * what_rounding_does(calm)[2]


def pixels(page: Any, name: str) -> dict[str, str]:
    """The canvases of a panel by their class, as they are drawn."""
    drawn: dict[str, str] = page.evaluate(
        """name => Object.fromEntries(
             [...document.querySelectorAll(`[data-system=${name}] canvas`)].map(
               (canvas) => [canvas.className, canvas.toDataURL()]))""",
        name,
    )
    return drawn


def settle(page: Any) -> None:
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")


def panel(page: Any, name: str) -> Any:
    return page.locator(f"[data-system={name}]")


@pytest.mark.parametrize(
    ("name", "slider"), [("woodpecker", "mu"), ("ball_on_table", "A"), ("belt_oscillator", "v_B")]
)
def test_a_slider_moved_by_keys_changes_pictures_and_events(
    page: Any, name: str, slider: str
) -> None:
    here = panel(page, name)
    here.get_by_label("Time", exact=True).fill("0.5")
    settle(page)
    before, events = pixels(page, name), here.locator("tbody").inner_text()
    shown = here.locator(f"label:has(input[name={slider}]) .nsmb-value")
    value = shown.inner_text()
    handle = here.locator(f"input[name={slider}]")
    handle.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    settle(page)
    assert shown.inner_text() != value
    after = pixels(page, name)
    assert len(after) == 4
    for canvas, picture in before.items():
        assert after[canvas] != picture, canvas
    assert here.locator("tbody").inner_text() != events
    here.get_by_role("button", name="Reset").click()
    settle(page)
    assert shown.inner_text() == value
    assert here.locator("tbody").inner_text() == events


def test_an_event_picked_from_the_list_is_the_instant_shown(page: Any) -> None:
    here = panel(page, "woodpecker")
    row = here.locator("tbody tr").nth(3)
    row.get_by_role("button").click()
    settle(page)
    assert row.get_attribute("aria-current") == "true"
    t = float(row.get_by_role("button").inner_text())
    assert (
        abs(float(here.get_by_label("Time", exact=True).input_value()) - t) <= 1e-3
    )  # a step of the slider


def test_play_moves_the_toy_and_pause_stops_it(page: Any) -> None:
    here = panel(page, "woodpecker")
    here.get_by_role("button", name="Play").click()
    page.wait_for_function("before => nsmb.panels[0].time !== before", arg=0.0)
    here.get_by_role("button", name="Pause").click()
    settle(page)
    stopped = pixels(page, "woodpecker")
    settle(page)
    assert pixels(page, "woodpecker") == stopped


def test_a_click_into_the_diagram_sets_the_parameter(page: Any) -> None:
    here = panel(page, "ball_on_table")
    page.wait_for_function("nsmb.panels[1].diagram.done", timeout=120_000)
    columns = page.evaluate("nsmb.panels[1].diagram.columns.map((c) => [c.value, c.points])")
    borders = nsmb.systems.ball_on_table.borders()
    p = system_of("ball_on_table").parameters
    amplitude = p["g"] / p["omega"] ** 2
    (orbit, _) = nsmb.systems.ball_on_table.orbits()
    impact = orbit.velocity / p["e"]  # of jumps of one period, whatever the amplitude
    single = [
        points
        for value, points in columns
        if 1.3 * borders.fold < value / amplitude < 0.95 * borders.flip
    ]
    assert len(single) > 20
    # Settled for 12 s, with multipliers of modulus e over a period of 79 ms.
    settled = [points for points in single if np.ptp(points) < 1e-6]
    assert len(settled) > 0.8 * len(single)
    for points in settled:
        np.testing.assert_allclose(points, impact, rtol=1e-5)
    box = here.locator(".nsmb-diagram").bounding_box()
    here.locator(".nsmb-diagram").click(position={"x": 0.6 * box["width"], "y": 50})
    settle(page)
    value = page.evaluate("nsmb.panels[1].values.A")
    assert value != p["A"]
    assert float(here.locator("input[name=A]").input_value()) == pytest.approx(value, rel=1e-12)
    here.get_by_role("button", name="Reset").click()


def test_a_run_that_ends_early_says_so(page: Any) -> None:
    here = panel(page, "ball_on_table")
    page.evaluate(
        "nsmb.systems.ball_on_table.method = {max_events: 10}; nsmb.panels[1].set('e', 0.7)"
    )
    settle(page)
    text = here.get_by_role("status").inner_text()
    assert "ended early" in text
    assert "event_limit" in text
    assert "more than max_events = 10 events" in text
    page.evaluate("delete nsmb.systems.ball_on_table.method; nsmb.panels[1].set('e', 2)")
    settle(page)
    refused = "Not run: contact 'table': e_N: expected a number in [0, 1], got 2"
    assert here.get_by_role("status").inner_text() == refused
    here.get_by_role("button", name="Reset").click()
    settle(page)
    assert here.get_by_role("status").inner_text().startswith("Finished")


def test_the_lines_of_the_page_run(page: Any) -> None:
    snippet = re.search(r"```html\n.*?<script>\n(.*?)</script>", SOURCE.read_text("utf-8"), re.S)
    assert snippet
    logged: list[str] = []
    page.once("console", lambda message: logged.append(message.text))
    with page.expect_console_message():
        page.evaluate(f"() => {{ {snippet[1]} }}")
    assert logged[0].startswith("finished")


def test_pictures_follow_the_theme(page: Any) -> None:
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    settle(page)
    light = pixels(page, "woodpecker")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    settle(page)
    dark = pixels(page, "woodpecker")
    assert all(dark[canvas] != picture for canvas, picture in light.items())
    page.evaluate("document.documentElement.dataset.theme = 'light'")


def test_the_front_page_runs_the_woodpecker(site: Path, visit: Any) -> None:
    visit.open(site / "index.html")
    visit.page.wait_for_function("window.nsmb !== undefined")
    status = visit.page.locator("[data-system=woodpecker]").get_by_role("status").inner_text()
    expected = nsmb.simulate(system_of("woodpecker"), 2.0)
    assert status.startswith(f"Finished: 2 s of motion with {len(expected.events)} events")
    assert not visit.outside
    assert not visit.errors


@pytest.mark.parametrize("width", [1400, 400])
def test_the_page_fits_into_a_window(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
