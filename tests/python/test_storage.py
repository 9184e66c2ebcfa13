"""Solutions in files."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb.solution import files as storage
from tests.python.sledge import drop
from tests.python.thrown_ball import Ball

SUFFIXES = [".npz", ".h5", ".hdf5"]


@pytest.fixture(params=SUFFIXES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param != ".npz":
        pytest.importorskip("h5py")
    return tmp_path / f"run{request.param}"


def assert_same(a: nsmb.Solution, b: nsmb.Solution) -> None:
    assert a._data.keys() == b._data.keys()
    for name, array in a._data.items():
        assert b._data[name].dtype == array.dtype, name
        assert b._data[name].shape == array.shape, name
        assert b._data[name].tobytes() == array.tobytes(), name
    for name in (
        "status", "message", "stats", "coordinates", "coordinate_units", "contact_names",
        "system_name", "parameters", "tangent_names", "states", "element_names", "gapless",
    ):  # fmt: skip
        assert getattr(a, name) == getattr(b, name), name


def test_a_run_comes_back_bit_by_bit(toy: nsmb.Solution, path: Path) -> None:
    toy.save(path)
    again = nsmb.Solution.load(path)
    assert_same(toy, again)
    assert again.events.to_text() == toy.events.to_text()
    np.testing.assert_array_equal(again.at(1.2345).q, toy.at(1.2345).q)
    assert not again.q.flags.writeable


def test_ready_made_system_is_built_anew(path: Path) -> None:
    system = nsmb.systems.woodpecker(mu=0.1 + 0.2, e_beak=1.0 / 3.0)
    nsmb.simulate(system, 0.1).save(path)
    again = nsmb.Solution.load(path).system
    assert again is not None
    assert again.parameters == system.parameters
    np.testing.assert_array_equal(
        again.mass_matrix(0.0, np.zeros(3)), system.mass_matrix(0.0, np.zeros(3))
    )


def test_own_system_is_left_out(ball: nsmb.Solution, path: Path) -> None:
    ball.save(path)
    again = nsmb.Solution.load(path)
    with pytest.raises(ValueError, match="got a solution of 'thrown ball' without its system"):
        _ = again.system
    assert again.system_name == "thrown ball"
    assert_same(ball, again)


def test_own_system_with_the_name_of_a_ready_made_one_is_not_mistaken(path: Path) -> None:
    run = Ball.solution()
    run.system_name = "bouncing_ball"
    run.save(path)
    with pytest.raises(ValueError, match="got a solution of 'bouncing_ball' without its system"):
        _ = nsmb.Solution.load(path).system


def test_statistics_keep_their_types(ball: nsmb.Solution, path: Path) -> None:
    ball.stats["largest"] = np.float64(0.1)
    ball.save(path)
    stats = nsmb.Solution.load(path).stats
    assert stats == {"impacts": 3, "impact_loss": 0.1 + 0.2, "largest": 0.1}
    assert isinstance(stats["impacts"], int)


def test_saving_replaces_a_file_at_once(
    ball: nsmb.Solution, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ball.save(path)
    before = path.read_bytes()

    def full_disk(file: Path, image: bytes) -> None:
        with open(file, "wb") as part:
            part.write(image[:100])
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError, match="no space left"):
        ball.save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["run.csv", "run", "run.npz.gz"])
def test_unknown_suffix_is_refused(ball: nsmb.Solution, tmp_path: Path, name: str) -> None:
    expected = r"path: expected a suffix \.npz, \.h5, \.hdf5, got '.*run.*'"
    with pytest.raises(ValueError, match=expected):
        ball.save(tmp_path / name)
    with pytest.raises(ValueError, match=expected):
        nsmb.Solution.load(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_suffix_may_be_in_capitals(ball: nsmb.Solution, tmp_path: Path) -> None:
    ball.save(tmp_path / "RUN.NPZ")
    assert [file.name for file in tmp_path.iterdir()] == ["RUN.NPZ"]
    assert_same(ball, nsmb.Solution.load(tmp_path / "RUN.NPZ"))


def test_foreign_file_is_refused(path: Path) -> None:
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="is not a solution of nsmb"):
        nsmb.Solution.load(path)


def test_other_archives_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", t=np.zeros(3))
    np.savez(tmp_path / "b.npz", nsmb=np.array('{"format": "other"}'))
    with open(tmp_path / "c.npz", "wb") as file:
        np.save(file, np.zeros(3))
    (tmp_path / "d.npz").touch()
    for name in "abcd":
        with pytest.raises(ValueError, match="is not a solution of nsmb"):
            nsmb.Solution.load(tmp_path / f"{name}.npz")


def test_file_of_another_format_version_is_refused(
    ball: nsmb.Solution, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "VERSION", 99)
    ball.save(path)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="has format version 99, this nsmb reads 4"):
        nsmb.Solution.load(path)


def test_incomplete_file_is_refused(ball: nsmb.Solution, tmp_path: Path) -> None:
    ball.save(tmp_path / "run.npz")
    kind = (storage.FORMAT, storage.VERSION, "solution")
    header, data = storage.read(tmp_path / "run.npz", *kind)
    del data["event_q"]
    storage.write(tmp_path / "run.npz", header, data)
    with pytest.raises(ValueError, match="is incomplete: no 'event_q'"):
        nsmb.Solution.load(tmp_path / "run.npz")


def test_missing_file_is_a_missing_file(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        nsmb.Solution.load(path)


def test_missing_h5py_is_named(
    ball: nsmb.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"h5py is not installed: pip install 'nsmb\[data\]'"):
        ball.save(tmp_path / "run.h5")
    assert not list(tmp_path.iterdir())


def test_files_can_be_read_without_nsmb(ball: nsmb.Solution, tmp_path: Path) -> None:
    ball.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as archive:
        header = json.loads(str(archive["nsmb"]))
        np.testing.assert_array_equal(archive["event_t"], ball.events.t)
    assert header["format"] == "nsmb-solution"
    assert header["contact_names"] == ["wall", "floor"]


def test_a_run_with_everything_comes_back_bit_by_bit(ride: nsmb.Solution, path: Path) -> None:
    """It has two tangential directions, friction elements, force elements, internal states."""
    ride.save(path)
    again = nsmb.Solution.load(path)
    assert_same(ride, again)
    with pytest.raises(ValueError, match=r"Set solution\.system to the system"):
        _ = again.system
    assert again.states == ("buffer.wall",)
    assert again.tangent_names == ("floor.1", "floor.2", "guide")
    assert again.gapless == {"guide"}
    np.testing.assert_array_equal(again.at(0.4).x, ride.at(0.4).x)
    assert again.events.to_text() == ride.events.to_text()
    assert again.events.energy_table().to_text() == ride.events.energy_table().to_text()
    assert again.events.at_element("buffer").count() == ride.events.at_element("buffer").count()


def test_a_run_without_contacts_comes_back(path: Path) -> None:
    run = nsmb.simulate(drop(), 0.5)
    run.save(path)
    assert_same(run, nsmb.Solution.load(path))


def test_files_of_version_1_are_refused(
    ball: nsmb.Solution, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "VERSION", 1)
    ball.save(path)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="has format version 1, this nsmb reads 4"):
        nsmb.Solution.load(path)


def test_a_run_stored_before_its_system_got_a_parameter_has_its_system(tmp_path: Path) -> None:
    sol = nsmb.simulate(nsmb.systems.woodpecker(mu=0.9), 0.2)
    sol.save(tmp_path / "run.npz")
    kind = (storage.FORMAT, storage.VERSION, "solution")
    header, data = storage.read(tmp_path / "run.npz", *kind)
    del header["parameters"]["nu"]
    storage.write(tmp_path / "run.npz", header, data)
    loaded = nsmb.Solution.load(tmp_path / "run.npz")
    assert loaded.system is not None
    assert loaded.system.parameters["mu"] == 0.9
    header["parameters"]["mu_snout"] = 0.1
    storage.write(tmp_path / "run.npz", header, data)
    with pytest.raises(ValueError, match="parameters that 'woodpecker' accepts"):
        _ = nsmb.Solution.load(tmp_path / "run.npz").system
