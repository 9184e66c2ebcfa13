"""The examples agree with closed forms, invariants and other algorithms."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import nsmb
from tests.support import strict_warnings

pytest.importorskip("matplotlib")
optimize = pytest.importorskip("scipy.optimize")
special = pytest.importorskip("scipy.special")

FOLDER = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))

Floats = NDArray[np.float64]
Import = Callable[[str], ModuleType]


def test_pendulum_hits_the_wall_after_quarters_and_halves_of_its_period(example: Import) -> None:
    """Elliptic integral K of the swing; each impact multiplies the speed by the restitution."""
    here = example("pendulum_wall")
    sol = here.main()
    slow = np.sqrt(1.5 * 9.81 / here.LENGTH)  # frequency of small swings of a slender rod
    speeds = 2.0 * slow * np.sin(0.6) * here.RESTITUTION ** np.arange(6)  # before each impact
    quarters = special.ellipk((speeds / (2.0 * slow)) ** 2) / slow
    times = quarters[0] + np.append(0.0, np.cumsum(2.0 * quarters[1:]))
    hits = sol.events.of_kind("impact")
    np.testing.assert_allclose(hits.t, times, rtol=1e-8)  # measured 5e-10
    before = [sol.at(t, side="left").u[0] for t in hits.t]
    np.testing.assert_allclose(before, -speeds, rtol=1e-7)  # measured 1.2e-8


def test_rod_slips_where_the_table_outruns_friction(example: Import) -> None:
    """Lying flat it slips from |A ω² cos ωt| = μ g on, with the acceleration ± μ g."""
    here = example("rod_on_table")
    sol = here.main()
    slips = sol.events.of_kind("slip")
    late = np.unique(slips.t[slips.t > 0.4])
    assert late.size >= 4
    pull = here.A * here.OMEGA**2 * np.abs(np.cos(here.OMEGA * late))
    np.testing.assert_allclose(pull, here.MU * here.G, rtol=1e-12)  # measured 1e-14
    h = 1e-3
    for t in late:  # second differences are exact for a motion of constant acceleration
        x = sol.at(t + h * np.arange(1, 4)).q[:, 0]
        assert abs((x[2] - 2.0 * x[1] + x[0]) / h**2) == pytest.approx(here.MU * here.G, rel=1e-4)
    weight = sol.lambda_N[sol.t > 0.4].sum(axis=1)
    np.testing.assert_allclose(weight, here.G, rtol=1e-9)  # of 1 kg


def test_ball_jumps_with_the_period_of_the_table_until_it_flips(example: Import) -> None:
    """Flights of one period T start at g T e/(1 + e) above the table.

    The multiplier -1 is at (A ω²/g)² = (π (1 - e)/(1 + e))² + (2 (1 + e²)/(1 + e)²)².
    """
    here = example("bifurcation_diagram")
    diagram = here.main()
    e = here.E_N
    gamma = np.hypot(np.pi * (1.0 - e) / (1.0 + e), 2.0 * (1.0 + e**2) / (1.0 + e) ** 2)
    flip = gamma * here.G / here.OMEGA**2
    settled = np.abs(diagram.values / flip - 1.0) > 5e-3  # near the border, convergence is slow
    below, above = (settled & (side * diagram.values > side * flip) for side in (-1.0, 1.0))
    assert set(diagram.periods[below]) == {1}
    assert set(diagram.periods[above & (diagram.values < 1.05 * flip)]) == {2}
    jump = here.G * (2.0 * np.pi / here.OMEGA) * e / (1.0 + e)
    found = diagram.points[diagram.values < 0.98 * flip][:, :, 0]
    np.testing.assert_allclose(found, jump, rtol=1e-6)


def bounces(e_N: float, H: float, count: int = 8) -> Floats:
    """Return √(2H/g) (1 + 2 Σ e^k)."""
    powers = e_N ** np.arange(1, count)
    return np.sqrt(2.0 * H / 9.81) * (1.0 + 2.0 * np.append(0.0, np.cumsum(powers)))


def test_fit_finds_what_made_the_data(example: Import) -> None:
    fit = example("fit_restitution").main(bounces(0.77, 1.3) - 0.4)
    assert fit.error < 1e-8
    np.testing.assert_allclose([fit.e_N, fit.H, fit.offset], [0.77, 1.3, -0.4], rtol=1e-6)


def test_fit_of_the_recording_is_that_of_the_closed_form(example: Import) -> None:
    """For given e, the times are linear in √(2H/g) and the offset: one unknown is left."""
    here = example("fit_restitution")
    fit = here.main()

    def solve(e_N: float) -> tuple[float, Floats]:
        columns = np.column_stack([bounces(e_N, 0.5 * 9.81), np.ones(8)])
        linear, rest, *_ = np.linalg.lstsq(columns, here.HEARD, rcond=None)
        return float(rest[0]), linear

    best = optimize.minimize_scalar(lambda e: solve(e)[0], bounds=(0.5, 0.95), method="bounded",
                                    options={"xatol": 1e-9})  # fmt: skip
    flight, offset = solve(best.x)[1]
    expected = [best.x, 0.5 * 9.81 * flight**2, offset]
    # A minimum of squares is found to the square root of rounding.
    np.testing.assert_allclose([fit.e_N, fit.H, fit.offset], expected, rtol=1e-5)


def test_ensemble_rests_when_the_series_of_flights_ends(example: Import) -> None:
    """√(2H/g) (1 + e)/(1 - e), bitwise equal in several processes."""
    here = example("ensemble")
    alone, spread = here.main(), here.on_processes()
    assert alone.success
    assert alone.results == spread.results
    e = here.restitutions()
    limit = np.sqrt(2.0 / 9.81) * (1.0 + e) / (1.0 - e)
    # The last flights are omitted, below the velocity at which series of impacts end.
    np.testing.assert_allclose(alone.results, limit, atol=1e-9)  # measured 1e-11


@pytest.mark.filterwarnings("ignore:.*:ResourceWarning")  # sockets of Dask's own
def test_ensemble_is_the_same_on_dask(example: Import) -> None:
    pytest.importorskip("distributed")
    here = example("ensemble")
    assert here.on_dask().results == here.main().results


def test_film_shows_the_disc_where_it_is(example: Import, tmp_path: Path) -> None:
    """Before its first impact the disc is at (v t, h - g t²/2), in pixels along one scale."""
    image = pytest.importorskip("PIL.Image")
    here = example("film")
    sol = here.main()
    path = here.film(sol, tmp_path / "film.gif")
    step = here.SPEED / here.FPS
    first = float(sol.events.of_kind("impact").t[0])
    assert first == pytest.approx(np.sqrt(2.0 * (here.HEIGHT - here.RADIUS) / 9.81), rel=1e-9)
    times = step * np.arange(1, int(first / step))
    places = []
    with image.open(path) as film:
        assert film.n_frames == int(here.T_END / step * (1.0 + 1e-12)) + 1
        for k in range(1, times.size + 1):
            film.seek(k)
            pixels = np.array(film.convert("RGB"), dtype=int)
            disc = np.abs(pixels - (0xBC, 0xD7, 0xEC)).max(axis=2) < 12  # its colour
            rows, columns = np.nonzero(disc)
            places.append((columns.mean(), rows.mean()))
    x, y = np.array(places).T
    scale, at = np.polyfit(here.V_X * times, x, 1)
    np.testing.assert_allclose(x, at + scale * here.V_X * times, atol=1.0)  # pixels
    height = here.HEIGHT - 0.5 * 9.81 * times**2
    np.testing.assert_allclose(y - y[0], -scale * (height - height[0]), atol=1.5)


def test_run_goes_on_as_if_it_had_not_been_stopped(example: Import) -> None:
    here = example("restart")
    joined = here.main()
    whole = nsmb.simulate(nsmb.systems.woodpecker(mu=0.9), t_end=here.WHOLE)
    assert joined.t_span == whole.t_span
    assert list(joined.events.kinds) == list(whole.events.kinds)
    np.testing.assert_allclose(joined.events.t, whole.events.t, rtol=0.0, atol=1e-9)
    t = np.linspace(0.0, here.WHOLE, 500)
    np.testing.assert_allclose(joined.at(t).q, whole.at(t).q, rtol=0.0, atol=1e-9)


def test_basins_are_symmetric_and_start_in_their_hollow(example: Import) -> None:
    """(x, v) and (-x, -v) end in opposite hollows.

    Below the barrier a motion stays in its hollow.
    """
    basins = example("basins").main(31)
    assert basins.success
    ends = [float(a.points[0, 0]) for a in basins.attractors]
    rest = np.array(ends)[basins.labels]
    np.testing.assert_allclose(np.unique(np.round(np.abs(rest), 3)), [0.0, 1.0])
    np.testing.assert_allclose(rest, -rest[::-1, ::-1], atol=1e-3)
    x, v = np.meshgrid(basins.axes["x"], basins.axes["x_dot"], indexing="ij")
    captured = v**2 / 2.0 + x**4 - 2.0 * x**2 < 0.0
    np.testing.assert_allclose(rest[captured], np.sign(x[captured]), atol=1e-3)


def run_pytest(folder: Path, text: str) -> Any:
    (folder / "test_mechanism.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mechanism.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_tests_of_a_mechanism_pass_and_find_a_spring_too_stiff(tmp_path: Path) -> None:
    text = (FOLDER / "test_mechanism.py").read_text("utf-8")
    good = run_pytest(tmp_path, text)
    assert good.returncode == 0, good.stdout
    assert "3 passed" in good.stdout
    broken = run_pytest(tmp_path, text.replace("K=[[C]]", "K=[[1.01 * C]]"))
    assert "1 failed, 2 passed" in broken.stdout


def test_blows_lose_speed_by_the_restitution(example: Import) -> None:
    here = example("test_mechanism")
    sol = here.main()
    hits = sol.events.of_kind("impact").t
    speeds = [sol.at(t).u[0] for t in hits]
    first = here.PULL * np.sqrt(here.C / here.M)
    expected = first * here.RESTITUTION ** np.arange(1, len(hits) + 1)
    np.testing.assert_allclose(speeds, expected, rtol=1e-9)


def test_controlled_cart_moves_in_parabolas(example: Import) -> None:
    """Between two readings the force is constant, so that positions and the impact are known."""
    here = example("controller")
    sol, log = here.main(0.6)
    x, v, h = 0.0, 0.0, here.PERIOD
    impacts = []
    for t, force in log:
        expected = np.clip(here.K_P * (here.TARGET - x) - here.K_D * v, -here.LIMIT, here.LIMIT)
        assert force == pytest.approx(expected, abs=1e-9)
        a, rest = force / here.M, h
        if x + v * h + a * h**2 / 2.0 > here.STOP:
            hit = (-v + np.sqrt(v**2 + 2.0 * a * (here.STOP - x))) / a
            impacts.append(t + hit)
            x, v, rest = here.STOP, -here.E_N * (v + a * hit), h - hit
        x, v = x + v * rest + a * rest**2 / 2.0, v + a * rest
        assert sol.at(t + h).q[0] == pytest.approx(x, abs=1e-9)
    np.testing.assert_allclose(sol.events.of_kind("impact").t, impacts, atol=1e-9)
    assert len(impacts) == 1


@pytest.mark.parametrize("name", NAMES)
def test_script_saves_its_picture(name: str, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    filters = [f"-W{rule}" for rule in ("error", *strict_warnings.exemptions("default"))]
    command = [sys.executable, *filters, str(FOLDER / f"{name}.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    with image.open(tmp_path / f"{name}.png") as picture:
        pixels = np.array(picture.convert("L"))
    assert (pixels < 128).sum() > 500  # something is drawn


def test_readme_lists_all_examples() -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    assert NAMES
    for name in NAMES:
        assert f"({name}.py)" in text
        assert f"(pictures/{name}.png)" in text
        assert (FOLDER / "pictures" / f"{name}.png").is_file()
