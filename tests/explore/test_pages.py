"""Explorers in a browser: pages served by Voilà, in headless Chromium."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from tests.explore.pages import BROWSER, chromium, explorer, served, shown

MISSING = [name for name in ("playwright", "voila") if importlib.util.find_spec(name) is None]
# Debian: apt-get install chromium; .ci/setup.sh does so if permitted.
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine"),
]

TOY = """\
import nsmb
view = nsmb.explore(nsmb.systems.woodpecker(), parameters=("mu", "c_phi", "m_S"), t_end=1.0)
view
"""
GEARS = """\
import nsmb
from nsmb import analysis
gears = nsmb.systems.gear_rattling()
analysis.bifurcation_diagram(gears, "alpha", [1.4, 1.45, 1.5, 1.55, 1.6]).explore()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        with served(tmp_path_factory.mktemp("voila"), {"toy": TOY, "gears": GEARS}) as found:
            yield found
    except OSError as error:
        pytest.skip(f"no server: {error}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        complaints: list[str] = []
        found.on("pageerror", lambda error: complaints.append(str(error)))
        yield found
        assert complaints == []


@pytest.fixture(scope="module")
def loaded(browser: Any, address: str) -> Any:
    explorer(browser, address, "toy")
    return browser


@pytest.fixture
def page(loaded: Any) -> Any:
    """The page of the toy, with its knobs at their initial values."""
    press(loaded, "reset")
    loaded.locator(".nsmb-clock").fill("0")
    return loaded


def settled(page: Any) -> None:
    page.wait_for_function("!document.querySelector('.nsmb-busy')")


def press(page: Any, text: str) -> None:
    page.get_by_role("button", name=text).click()
    settled(page)


def turn(page: Any, name: str, position: int) -> None:
    """Move a slider, 0 to 1000, and wait for the answer."""
    page.locator(f"input[data-knob={name}]").fill(str(position))
    settled(page)


def test_a_slider_changes_the_picture(page: Any) -> None:
    before = shown(page)
    assert set(before) == {"scene", "portrait", "strip"}
    assert page.locator(".nsmb-events tbody tr").count() > 20
    first = page.locator(".nsmb-events tbody").inner_text()
    turn(page, "mu", 900)
    after = shown(page)
    assert after["portrait"] != before["portrait"]
    assert after["strip"] != before["strip"]
    assert page.locator("input[data-number=mu]").input_value() == "0.9"
    assert page.locator(".nsmb-events tbody").inner_text() != first
    press(page, "reset")
    assert shown(page) == before


def test_a_value_without_run_is_told_and_the_picture_stays(page: Any) -> None:
    before = shown(page)
    typed = page.locator("input[data-number=mu]")
    typed.fill("-1")
    typed.press("Enter")
    settled(page)
    message = page.locator(".nsmb-message.nsmb-wrong").inner_text()
    assert "'mu': must be at least 0, got -1" in message
    assert shown(page) == before
    turn(page, "mu", 900)
    assert page.locator(".nsmb-message.nsmb-wrong").count() == 0
    assert shown(page)["portrait"] != before["portrait"]


def test_of_many_moves_the_last_one_is_shown(page: Any) -> None:
    root, slider = page.locator(".nsmb-explorer"), page.locator("input[data-knob=mu]")
    first = int(root.get_attribute("data-run"))
    for position in range(310, 500, 10):
        slider.fill(str(position))
    settled(page)
    moved = shown(page)
    assert int(root.get_attribute("data-run")) <= first + 19  # a run per move at most
    turn(page, "mu", 700)
    turn(page, "mu", 490)
    assert shown(page) == moved


def test_a_wish_that_waits_outlives_the_answer_before_it(page: Any) -> None:
    """Two moves in one pass of the event loop of the browser.

    The first is sent, the second has to wait, here until the answer to the first has arrived.
    """
    page.locator("input[data-knob=mu]").evaluate(
        "(slider) => { const plain = window.setTimeout;"
        " window.setTimeout = (call, time) => plain(call, time + 60000);"
        " for (const value of ['600', '480']) {"
        " slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true })); }"
        " window.setTimeout = plain; }"
    )
    settled(page)
    assert page.locator("input[data-number=mu]").input_value() == "0.48"


def test_the_clock_moves_the_scene(page: Any) -> None:
    before = shown(page)
    page.locator(".nsmb-clock").fill("700")
    assert page.locator(".nsmb-time").inner_text() == "t = 0.7000 s"
    after = shown(page)
    assert all(after[name] != before[name] for name in before)
    page.locator(".nsmb-play").click()
    page.wait_for_function("document.querySelector('.nsmb-time').textContent !== 't = 0.7000 s'")
    page.locator(".nsmb-play").click()
    page.locator(".nsmb-events tbody tr").nth(4).click()  # to the time of an event
    assert page.locator(".nsmb-time").inner_text() == "t = 0.0810 s"


def test_the_page_tells_the_program(page: Any) -> None:
    turn(page, "mu", 750)
    page.get_by_text("copy as Python").click()
    text = page.locator(".nsmb-code").input_value()
    assert "system = nsmb.systems.woodpecker(mu=0.75)" in text.splitlines()
    assert "sol = nsmb.simulate(system, t_end=1.0)" in text.splitlines()


def test_other_coordinates_can_be_looked_at(page: Any) -> None:
    before = shown(page)
    page.get_by_label("to the right, and over time").select_option(label="phi_S")
    after = shown(page)
    assert after["portrait"] != before["portrait"]
    assert after["strip"] != before["strip"]
    assert after["scene"] == before["scene"]


def test_a_narrow_page_has_one_column(page: Any) -> None:
    size = page.viewport_size
    page.set_viewport_size({"width": 400, "height": 900})
    page.wait_for_function("document.querySelector('.nsmb-narrow')")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    places = page.locator(".nsmb-canvas").evaluate_all("all => all.map((c) => c.offsetLeft)")
    assert len(set(places)) == 1
    page.set_viewport_size(size)
    page.wait_for_function("!document.querySelector('.nsmb-narrow')")


def click_at(page: Any, share: float) -> Any:
    """Click up a column of the diagram until a point is hit, and return the value shown."""
    root, canvas = page.locator(".nsmb-explorer"), page.locator("canvas[data-name=diagram]")
    box = canvas.bounding_box()
    x = box["x"] + 68 + (box["width"] - 80) * (0.02 + 0.96 * share)  # the axes and their margin
    for y in range(int(box["y"] + box["height"]) - 50, int(box["y"]) + 20, -10):
        before = root.get_attribute("data-shown")
        page.mouse.click(x, y)
        if page.locator(".nsmb-busy").count() or root.get_attribute("data-shown") != before:
            settled(page)
            return float(root.get_attribute("data-selected"))
    raise AssertionError("no point was hit")


def test_a_click_on_the_diagram_shows_the_orbit_and_starts_a_branch(
    browser: Any, address: str
) -> None:
    page = browser
    root = explorer(page, address, "gears")
    start = page.get_by_text("start a branch here")
    assert start.is_disabled()
    before = shown(page)
    assert click_at(page, 0.25) == 1.45
    orbit = shown(page)
    assert all(orbit[name] != before[name] for name in ("diagram", "portrait", "multipliers"))
    assert "stable, period 6.283185 s" in page.locator(".nsmb-energy").inner_text()
    assert page.locator(".nsmb-energy tr").count() == 3  # and two multipliers
    assert page.locator(".nsmb-events tbody tr").count() == 4
    start.click()
    page.wait_for_function("document.querySelector('.nsmb-explorer').dataset.branches === '1'")
    assert shown(page)["diagram"] != orbit["diagram"]
    page.get_by_text("clear branches").click()
    page.wait_for_function("document.querySelector('.nsmb-explorer').dataset.branches === '0'")
    assert root.get_attribute("data-selected") == "1.45"
    assert click_at(page, 1.0) == 1.6  # chaos: a run without orbit
    assert start.is_disabled()
    assert "no periodic orbit" in page.locator(".nsmb-energy").inner_text()
