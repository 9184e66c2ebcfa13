"""The command line."""

import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb import cli
from tests.support.interrupts import LISTEN

ROOT = Path(__file__).resolve().parents[2]
Capture = pytest.CaptureFixture[str]
# The command line in a process that reports the start of its simulation.
CHILD = (
    LISTEN
    + """
import sys, threading, time
from nsmb import cli
from tests.support.interrupts import frame_of, is_running

def tell():
    while not (frame := frame_of("run")) or not is_running(frame.f_locals["simulator"]):
        time.sleep(1e-3)
    print("under way", file=sys.stderr, flush=True)

threading.Thread(target=tell, daemon=True).start()
sys.exit(cli.main())
"""
)


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def assert_refused(capsys: Capture, pattern: str, *arguments: object) -> None:
    """Require one line on stderr, nothing on stdout and exit code 2."""
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("nsmb: ")
    assert err.count("\n") == 1
    assert re.search(pattern, err), err


def test_without_arguments_the_help_is_shown(capsys: Capture) -> None:
    code, out, _ = run(capsys)
    assert code == 0
    assert "nsmb run woodpecker --set mu=0.9 --plot woodpecker.png" in out
    assert all(f"  {command} " in out for command in ("list", "info", "run", "fclib"))


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_end_at_once(capsys: Capture, option: str) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main([option])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "examples:" in out if option == "--help" else out == f"nsmb {nsmb.__version__}\n"


def test_list_has_every_system_under_its_topic(capsys: Capture) -> None:
    code, out, _ = run(capsys, "list")
    assert code == 0
    topics = nsmb.systems.topics()
    assert sorted(name for names in topics.values() for name in names) == sorted(
        nsmb.systems.names()
    )
    blocks = dict(block.split("\n", 1) for block in out.split("\n\n")[:-1])
    assert list(blocks) == [title.removesuffix(".") for title in topics]
    for block, names in zip(blocks.values(), topics.values(), strict=True):
        found = [line.split()[0] for line in block.splitlines() if line[2] != " "]
        assert found == list(names)


@pytest.mark.parametrize("width", [72, 80, 120])
def test_texts_fit_the_terminal_and_have_no_marks(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for command in (("list",), ("info", "woodpecker"), ("run", "--help")):
        _, out, _ = run(capsys, *command)
        assert max(map(len, out.splitlines())) <= max(width, 80)  # examples are not wrapped
        assert not re.search(r":\w+:`|``", out)


def test_help_of_run_is_one_screen_and_says_where_parameters_are(capsys: Capture) -> None:
    code, out, _ = run(capsys, "run", "--help")
    assert code == 0
    assert out.startswith("usage: nsmb run SYSTEM [options]\n")
    assert len(out.splitlines()) <= 45
    assert "nsmb info SYSTEM" in out


@pytest.mark.parametrize("command", [("info", "woodpecker"), ("run", "woodpecker", "--help")])
def test_parameters_of_a_system_have_values_units_and_sources(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run(capsys, *command)
    assert code == 0
    lines = out[out.index("\nwoodpecker: ") if command[0] == "run" else 0 :].splitlines()
    for name, info in nsmb.systems.woodpecker().parameter_info.items():
        place = next(k for k, line in enumerate(lines) if line.startswith(f"  {name} "))
        row = " ".join(line.strip() for line in lines[place : place + 2])
        assert info.unit in row or info.unit == "-"
        assert all(word in row for word in info.description.split())
    assert re.search(r"^  c_phi +0\.0056 +N m/rad ", out, re.M)
    assert re.search(r"^  mu_beak +that of the beak; ", out, re.M)
    assert "A parameter without a value may be left out." in out
    assert "bouncing_ball" not in out.replace("nsmb run bouncing_ball", "")


def test_run_prints_how_it_ended_and_its_events(capsys: Capture) -> None:
    code, out, err = run(capsys, "run", "woodpecker", "--t-end", 0.2)
    assert (code, err) == (0, "")
    assert out.startswith("woodpecker: finished at t = 0.2 s, ")
    assert "lower: slip - → stick" in out


def test_long_tables_are_shortened_unless_all_is_asked_for(capsys: Capture) -> None:
    number = len(nsmb.simulate(nsmb.systems.woodpecker(), 2.0).events)
    lines = {
        choice: len(run(capsys, "run", "woodpecker", *choice)[1].splitlines())
        for choice in ((), ("--events", "all"), ("--events", "none"))
    }
    assert lines == {(): 3 + 40 + 1, ("--events", "all"): 3 + number, ("--events", "none"): 1}


@pytest.mark.parametrize("option", [("--last-cycle",), ("--events", "last-cycle")])
def test_last_cycle_has_period_and_drop(capsys: Capture, option: tuple[str, ...]) -> None:
    code, out, _ = run(capsys, "run", "woodpecker", "--t-end", 4, "--set", "mu=0.9", *option)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("woodpecker mu=0.9: finished")
    assert "from beak impact to beak impact" in lines[1]
    period = float(re.search(r"^period (\S+) s", out, re.M)[1])  # type: ignore[index]
    drop = float(re.search(r"y (\S+),", out)[1])  # type: ignore[index]
    # an independent simulation gives 8.890 Hz and 7.652 mm
    assert 1.0 / period == pytest.approx(8.890, abs=6e-4)
    assert drop == pytest.approx(-7.652e-3, abs=6e-7)
    assert len(lines) == 1 + 4 + 2 + 8


def test_energy_of_impacts_is_printed_contact_by_contact(capsys: Capture) -> None:
    code, out, _ = run(capsys, "run", "bouncing_ball", "--t-end", 1.2, "--events", "energy")
    assert code == 0
    lines = out.splitlines()
    table = nsmb.simulate(nsmb.systems.bouncing_ball(), 1.2).events.energy_table()
    assert lines[1:] == table.to_text().splitlines()
    assert len(table) == 2


def test_energy_gains_are_told_in_one_line(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate = nsmb.simulate

    def gaining(*args: object, **kwargs: object) -> nsmb.Solution:
        warnings.warn("said by simulate", nsmb.EnergyGainWarning, stacklevel=2)
        solution = simulate(*args, **kwargs)  # type: ignore[arg-type]
        solution.stats.update(energy_gains=2, largest_energy_gain=0.25)
        return solution

    monkeypatch.setattr(nsmb, "simulate", gaining)
    code, _, err = run(capsys, "run", "bouncing_ball", "--t-end", 0.5)
    assert code == 0
    assert err == (
        "nsmb: warning: impacts that created energy: 2, the largest gain 0.25 J, with "
        'impact_law="poisson"; remedy: give all contacts the same e_N\n'
    )


def test_run_without_cycle_says_so(capsys: Capture) -> None:
    code, out, _ = run(capsys, "run", "bouncing_ball", "--t-end", 0.5, "--last-cycle")
    assert code == 0
    assert "no cycle" in out


def test_files_hold_the_run(capsys: Capture, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    csv, png, npz = (tmp_path / name for name in ("events.csv", "run.png", "run.npz"))
    code, _, _ = run(
        capsys, "run", "woodpecker", "--set", "mu=0.9", "--set", "e_beak=0.4", "--t-end", 0.5,
        "--output-step", 0.05, "--csv", csv, "--plot", png, "--save", npz,
    )  # fmt: skip
    assert code == 0
    solution = nsmb.Solution.load(npz)
    assert solution.parameters["mu"] == 0.9
    assert solution.parameters["e_beak"] == 0.4
    assert np.isin(np.arange(1, 10) * 0.05, solution.t).all()
    assert len(csv.read_text("utf-8").splitlines()) == 1 + len(solution.events)
    assert png.read_bytes().startswith(b"\x89PNG")


def test_method_options_reach_the_simulation(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    steps = []
    for rtol in (1e-6, 1e-11):
        code, _, err = run(
            capsys, "run", "bouncing_ball", "--integrator", "arkode_verner56", "--rtol", rtol,
            "--t-end", 0.4, "--save", path,
        )  # fmt: skip
        assert (code, err) == (0, "")
        steps.append(nsmb.Solution.load(path).stats["rhs_evaluations"])
    assert steps[0] > 0


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        (("ran",), "invalid choice: 'ran'"),
        (("run",), "no system given"),
        (("run", "woodpeker"), "no system 'woodpeker'; did you mean 'woodpecker'"),
        (("run", "woodpeker", "--help"), "did you mean 'woodpecker'"),
        (
            ("run", "woodpecker", "--set", "e_beek=0"),
            "no parameter 'e_beek'; did you mean 'e_beak'",
        ),
        (("run", "woodpecker", "--set", "mu"), "--set mu: expected NAME=VALUE"),
        (("run", "woodpecker", "--set", "mu=1", "--set", "mu=2"), "--set mu=2: must be given once"),
        (("run", "woodpecker", "--set", "mu_beak=-0.5"), "'mu_beak': must be at least 0, got -0.5"),
        (("run", "woodpecker", "--step", "1e-3", "--rtol", "1e-6"), "--rtol: .* Leave out --step"),
        (("run", "wall", "--integrator", "cvode"), "--integrator: .* options are --step and"),
        (("run", "woodpecker", "--integrator", "linear_flow", "--rtol", "1e-6"), "rtol: must be"),
        (("run", "woodpecker", "--events", "all", "--last-cycle"), "not allowed with"),
        (("info", "woodpeker"), "no system 'woodpeker'; did you mean 'woodpecker'"),
        (("run", "woodpecker", "--set", "mu=x"), "--set mu=x: expected a number, got 'x'"),
        (("run", "woodpecker", "--set", "mu=-1"), "'mu': must be at least 0, got -1"),
        (("run", "woodpecker", "--set", "mu=nan"), "'mu': expected a finite number, got nan"),
        (("run", "woodpecker", "--t-end", "soon"), "--t-end: invalid float value: 'soon'"),
        (("run", "woodpecker", "--t-end", "-1"), "t_end: expected a time >= .*, got -1"),
        (("run", "woodpecker", "--rtol", "0"), "rtol: expected a number > 0, got 0"),
        (("run", "woodpecker", "--output-step", "-1"), "output_step: expected a number >= 0"),
        (("run", "woodpecker", "--integrator", "euler"), "expected one of auto.*, got .euler"),
        (("run", "woodpecker", "--events", "some"), "invalid choice: 'some'"),
        (("run", "woodpecker", "--save", "run.txt"), r"--save: expected a suffix \.npz.*'run.txt'"),
        (("run", "woodpecker", "--plot", "run.txt"), r"--plot: expected a suffix \.png"),
        (("run", "woodpecker", "--csv", "nowhere/a.csv"), "no directory nowhere"),
    ],
)
def test_wrong_usage_is_one_line_on_stderr(
    capsys: Capture, arguments: tuple[str, ...], pattern: str
) -> None:
    assert_refused(capsys, pattern, *arguments)


def test_recommended_options_that_a_choice_does_not_use_are_left_out(capsys: Capture) -> None:
    command = ["run", "impact_pendulum", "--set", "reversed_sliding=1", "--t-end", "0.01"]
    assert cli.main([*command, "--impact-law", "moreau"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("module", "option", "extra"),
    [("matplotlib", ("--plot", "run.png"), "plot"), ("h5py", ("--save", "run.h5"), "data")],
)
def test_missing_extra_is_named_before_the_run(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, module: str, option: object, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # make its import fail
    pattern = rf"{module} is not installed: pip install 'nsmb\[{extra}\]'"
    assert_refused(capsys, pattern, "run", "woodpecker", *option)  # type: ignore[misc]


def cut_short(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Make runs of the command line end after three events."""
    simulate = nsmb.simulate

    def limited(*args: object, **kwargs: object) -> nsmb.Solution:
        method = nsmb.EventDriven(max_events=3)
        solution = simulate(*args, **(kwargs | {"method": method}))  # type: ignore[arg-type]
        for name, value in changes.items():
            setattr(solution, name, value)
        return solution

    monkeypatch.setattr(nsmb, "simulate", limited)


def test_run_that_ends_early_still_writes_its_files(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cut_short(monkeypatch)
    path = tmp_path / "run.npz"
    code, out, err = run(capsys, "run", "bouncing_ball", "--save", path)
    assert code == 1
    assert "event_limit at t = " in out
    assert err.startswith("nsmb: event_limit: t = ")
    assert "max_events = 3" in err
    assert nsmb.Solution.load(path).status == "event_limit"


def test_interrupted_run_still_writes_its_files(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cut_short(monkeypatch, status="interrupted")
    code, _, err = run(capsys, "run", "bouncing_ball", "--csv", tmp_path / "events.csv")
    assert code == 130
    assert err.startswith("nsmb: interrupted: ")
    assert (tmp_path / "events.csv").exists()


def test_python_m_nsmb_is_the_command_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nsmb", "run", "bouncing_ball", "--events", "none"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0
    assert done.stdout.startswith("bouncing_ball: finished at t = 2 s, ")
    assert done.stderr == ""


def test_table_is_printed_where_only_ascii_is_possible(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nsmb", "run", "woodpecker", "--t-end", "0.2"]
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "lower: slip - ? stick" in done.stdout


def test_output_may_end_early() -> None:
    command = f"'{sys.executable}' -m nsmb run woodpecker --t-end 60 --events all | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout.startswith("woodpecker: finished")
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_keeps_what_was_computed(tmp_path: Path) -> None:
    command = [
        sys.executable, "-c", CHILD, "run", "woodpecker", "--t-end", "1e9", "--output-step", "1e6",
        "--events", "none", "--save", "run.npz",
    ]  # fmt: skip
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "under way\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, err
    assert "woodpecker: interrupted at t = " in out
    assert "nsmb: interrupted: " in err
    solution = nsmb.Solution.load(tmp_path / "run.npz")
    assert solution.status == "interrupted"
    assert solution.t[-1] > 0.0


def test_run_follows_the_system_and_can_be_told_otherwise(capsys: Capture, tmp_path: Path) -> None:
    """(12.8) is Newton's law. Poisson's law differs with several closed meshes at an impact."""
    ends = []
    for law in ([], ["--impact-law", "newton"], ["--impact-law", "poisson"]):
        file = tmp_path / "run.npz"
        code, out, _ = run(
            capsys, "run", "gearbox_branched", "--events", "none", "--save", file, *law
        )
        assert code == 0
        assert "finished at t = 2 s" in out
        is_newton = out.endswith(" s of computing, EventDriven(impact_law='newton')\n")
        assert is_newton != ("poisson" in law)
        ends.append(nsmb.Solution.load(file).q[-1])
    np.testing.assert_array_equal(ends[0], ends[1])
    assert not np.array_equal(ends[0], ends[2])


def test_rest_velocity_is_taken(capsys: Capture) -> None:
    """With rest below 1 m/s, a ball stops after ln(1/4.43)/ln(0.7) = 4.2, so 5 impacts."""
    code, out, _ = run(capsys, "run", "bouncing_ball", "--t-end", 9, "--rest-velocity", 1.0)
    assert code == 0
    assert re.search(r"\(5 impact|4 impact, 1 touch", out), out


def test_help_and_info_tell_how_a_system_is_run(capsys: Capture) -> None:
    for command in (("run", "gearbox_branched", "--help"), ("info", "gearbox_branched")):
        _, out, _ = run(capsys, *command)
        assert "By default it runs to t = 2 s with EventDriven(impact_law='newton').\n" in out


def test_unknown_impact_law_is_refused(capsys: Capture) -> None:
    assert_refused(capsys, "--impact-law", "run", "bouncing_ball", "--impact-law", "coulomb")
