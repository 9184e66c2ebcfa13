"""Systems named in files are built on request, from known functions, at a bounded cost."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nsmb
from nsmb import analysis, systems
from nsmb.common import array_files
from nsmb.solution import described, files
from nsmb.system import registry


@pytest.fixture(scope="module")
def run() -> nsmb.Solution:
    return nsmb.simulate(systems.bouncing_ball(), 1.0)


def forged(run: nsmb.Solution, path: Path, **changes: Any) -> Path:
    """Return an intact file, with a valid checksum, with other data of its system."""
    run.save(path)
    header, data = array_files.read(path, files.FORMAT, files.VERSION, "solution")
    array_files.write(path, header | changes, data)
    return path


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the names of the systems that are built."""
    done: list[str] = []
    original = registry.builder

    def watched(name: str) -> Any:
        build = original(name)

        def counted(**parameters: Any) -> Any:
            done.append(name)
            return build(**parameters)

        counted.__module__ = build.__module__
        counted.__signature__ = build.__signature__  # type: ignore[attr-defined]
        return counted

    # Only requests of files are counted, as nsmb.systems itself uses the registry.
    stand_in = SimpleNamespace(builder=watched, names=registry.names)
    monkeypatch.setattr(described, "registry", stand_in)
    return done


def pile(run: nsmb.Solution, path: Path, n: int) -> Path:
    usual = dict(systems.sphere_pile().parameters)
    module = registry.builder("sphere_pile").__module__
    return forged(run, path, system="sphere_pile", builder=module, parameters=usual | {"n": n})


def test_loading_builds_no_system(run: nsmb.Solution, tmp_path: Path, built: list[str]) -> None:
    """Neither does access to samples, events, tables, copies and files."""
    found = nsmb.Solution.load(pile(run, tmp_path / "pile.npz", 10**7))
    assert found.at(0.5).q.shape == (1,)
    assert found.events.count() == run.events.count()
    assert "sphere_pile" in repr(found)
    found.save(tmp_path / "again.npz")
    orbit = analysis.periodic_orbit(systems.impact_oscillator(), transient=400)
    orbit.save(tmp_path / "orbit.npz")
    assert analysis.results.PeriodicOrbit.load(tmp_path / "orbit.npz").period == orbit.period
    assert built == []
    run.save(tmp_path / "run.npz")
    loaded = nsmb.Solution.load(tmp_path / "run.npz")
    assert loaded.system.parameters == run.system.parameters
    assert loaded.system is loaded.system
    assert built == ["bouncing_ball"]
    assert analysis.results.PeriodicOrbit.load(tmp_path / "orbit.npz").system.nq == 1
    assert built == ["bouncing_ball", "impact_oscillator"]


def test_an_expensive_system_is_refused(
    run: nsmb.Solution, tmp_path: Path, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten million spheres need minutes and gigabytes, beyond the limit of a second."""
    found = nsmb.Solution.load(pile(run, tmp_path / "pile.npz", 10**7))
    monkeypatch.setattr(described, "_SECONDS", 1)
    with pytest.raises(ValueError, match=r"must be built within 1 s and 4 GiB, got 'sphere_pile'"):
        _ = found.system
    assert built == []  # in this process
    monkeypatch.setattr(described, "_SECONDS", 100)  # it is tried only once
    with pytest.raises(ValueError, match=r"must be built within 1 s and 4 GiB, got 'sphere_pile'"):
        _ = found.system
    other = nsmb.Solution.load(pile(run, tmp_path / "pile.npz", 10**9))
    with pytest.raises(ValueError, match=r"build the system with these parameters and give it"):
        other.check(), other.energy


def test_unusual_but_cheap_systems_are_built(run: nsmb.Solution, tmp_path: Path) -> None:
    heavy = nsmb.simulate(systems.bouncing_ball(m=1e4), 1.0)
    heavy.save(tmp_path / "run.npz")
    assert nsmb.Solution.load(tmp_path / "run.npz").system.parameters["m"] == 1e4


def test_an_unknown_system_is_named(run: nsmb.Solution, tmp_path: Path) -> None:
    for changes, message in (
        ({"system": "perpetuum_mobile"}, "got 'perpetuum_mobile', which is not known here"),
        ({"builder": "os"}, "got 'bouncing_ball', which is not known here"),
        ({"builder": ""}, "got a solution of 'bouncing_ball' without its system"),
        ({"parameters": {"mass": 1.0}}, "parameters that 'bouncing_ball' accepts, got an error"),
        ({"coordinates": ["z"]}, "must be the system that was stored, got another"),
    ):
        found = nsmb.Solution.load(forged(run, tmp_path / "run.npz", **changes))
        with pytest.raises(ValueError, match=message):
            _ = found.system
        found.system = systems.bouncing_ball()
        assert found.system.name == "bouncing_ball"
    with pytest.raises(TypeError, match=r"`solution\.system`: must be a System or None, got str"):
        found.system = "bouncing_ball"  # type: ignore[assignment]


def test_a_description_of_other_types_is_refused(run: nsmb.Solution, tmp_path: Path) -> None:
    for changes in ({"builder": 1}, {"parameters": {"m": "1"}}, {"contact_names": [1]}):
        path = forged(run, tmp_path / "run.npz", **changes)
        with pytest.raises(ValueError, match="is damaged"):
            nsmb.Solution.load(path)


def test_parameters_in_rows_are_bounded(tmp_path: Path) -> None:
    """A short table of values would expand to a number at each sample."""
    run = nsmb.simulate(systems.bouncing_ball(), 1.0, output_step=1e-4)
    names = [f"p{k}" for k in range(20_000)]
    rows = [[0, [0.0] * len(names)]]
    path = forged(run, tmp_path / "run.npz", parameter_rows=rows)
    assert run.t.size * len(names) * 8 > 1e9
    with pytest.raises(ValueError, match="must not have more numbers than a run of this size"):
        nsmb.Solution.load(path)


def test_classes_of_a_record_are_those_of_its_kind(tmp_path: Path) -> None:
    """A file cannot request a class that does not belong to a periodic orbit."""
    orbit = analysis.periodic_orbit(systems.impact_oscillator(), transient=400)
    path = tmp_path / "orbit.npz"
    orbit.save(path)
    with np.load(path) as archive:
        header = json.loads(str(archive["nsmb"]))
        data = {name: archive[name] for name in archive.files if not name.startswith("nsmb")}
    for content in ({"class": "Popen", "arguments": ["ls"]}, {"class": "System", "fields": {}}, []):
        array_files.write(path, header | {"content": content}, data)
        with pytest.raises(ValueError, match=r"is (incomplete|damaged)"):
            analysis.results.PeriodicOrbit.load(path)
