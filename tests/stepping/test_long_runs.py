"""Stepped runs with contact detection, in files that grow with the run."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import nsmb
from nsmb.solution.core_tables import TABLE_OF
from tests.stepping.test_many_contacts import heap, stepped
from tests.support.interrupts import LISTEN

pytest.importorskip("h5py")

STEP = 2e-3
ROOT = Path(__file__).parents[2]


def begins(found: nsmb.Solution, whole: nsmb.Solution, own: int = 0) -> None:
    """Check that samples, steps and contacts of `found` are the first ones of `whole`.

    The last `own` samples are excluded.
    """
    samples = found.t.size - own
    assert samples > 1
    counts = found._data["found_count"]
    assert counts.sum() == len(found.contacts.points)
    rows = {"sample": samples, "found": int(counts[:samples].sum())}
    for name, column in found._data.items():
        size = rows.get(TABLE_OF.get(name, ""), column.shape[0])
        np.testing.assert_array_equal(column[:size], whole._data[name][:size], err_msg=name)


@pytest.mark.parametrize("every", [7, 1000])
def test_a_file_has_what_memory_would_have(every: int, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    whole = nsmb.simulate(heap(2, 2), 0.2, method=stepped(STEP), output_step=STEP)
    end = nsmb.simulate(
        heap(2, 2), 0.2, method=stepped(STEP), output_step=STEP,
        record=nsmb.to_hdf5(path, every=every),
    )  # fmt: skip
    found = nsmb.Solution.load(path)
    begins(found, whole)
    assert found.t.size == whole.t.size
    assert (found.status, found.stats) == (whole.status, whole.stats)
    # The run itself has contacts of both its samples.
    np.testing.assert_array_equal(end.t, whole.t[[0, -1]])
    last = end.contacts.points.at(-1)
    np.testing.assert_array_equal(last.force, whole.contacts.points.at(-1).force)
    assert len(end.contacts.points) == len(last) > 0
    assert end.contacts.points.force_on("b0").shape == (2, 3)


@pytest.mark.parametrize("record", ["events", "nothing"])
def test_both_ends_stay_where_nothing_else_is_kept(record: str) -> None:
    whole = nsmb.simulate(heap(2, 2), 0.2, method=stepped(STEP))
    end = nsmb.simulate(heap(2, 2), 0.2, method=stepped(STEP), record=record)
    np.testing.assert_array_equal(end.q, whole.q[[0, -1]])
    np.testing.assert_array_equal(
        end.contacts.points.lambda_N, whole.contacts.points.at(-1).lambda_N
    )
    assert end.stats["steps"] == whole.stats["steps"]


def test_memory_is_that_of_a_chunk_whatever_the_bodies_take(tmp_path: Path) -> None:
    """A step of 512 bodies is 160 kB, so that 10,000 steps would be 1.6 GB.

    Chunks are limited to 16 MB. In memory the run takes three times as much, and grows.
    """
    path = tmp_path / "run.h5"
    method = stepped(1e-4)
    with nsmb.Simulator(
        heap(8, 8), method, output_step=1e-3, record=nsmb.to_hdf5(path)
    ) as sim:  # fmt: skip
        kept = []
        for k in range(1, 4):
            sim.advance(k * 0.01)
            kept.append(sim._core.sizes["kept"])
    loaded = nsmb.Solution.load(path)
    assert loaded._data["coefficients"].nbytes > 45e6
    assert max(kept) < 2.0 * (16.8e6 + 1e6)  # vectors reserve at most twice as much


RUN = """
    import os, resource, signal, sys
    sys.path.insert(0, {root!r})
    import nsmb
    from tests.stepping.test_many_contacts import heap, stepped
    print("go", flush=True)
    {before}
    try:
        nsmb.simulate(heap(2, 2), {t_end}, method=stepped({step}), output_step={step},
                      record=nsmb.to_hdf5({path!r}, every=20))
    except {error} as error:
        print(type(error).__name__, getattr(error, "errno", ""), error, flush=True)
        kept = error.solution
        print(kept.t[0], kept.t[1], kept.t[-1], len(kept.contacts.points.at(-1)), flush=True)
"""


def script(path: Path, t_end: float, error: str, before: str = "pass") -> list[str]:
    text = RUN.format(
        root=os.fspath(ROOT), path=os.fspath(path), t_end=t_end, step=STEP, error=error,
        before=before,
    )  # fmt: skip
    return [sys.executable, "-c", textwrap.dedent(text)]


def samples(path: Path) -> int:
    try:
        return int(nsmb.Solution.load(path).t.size)
    except (ValueError, FileNotFoundError, IndexError):  # the file is being created
        return 0


def so_far(found: nsmb.Solution) -> nsmb.Solution:
    """Return the same run in memory, up to a slightly later time.

    The last step of a run ends at the end of the run.
    """
    t_end = float(found.t[-1]) + 3.0 * STEP
    return nsmb.simulate(heap(2, 2), t_end, method=stepped(STEP), output_step=STEP)


def wait_for(path: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(6000):
        if samples(path) >= count:
            return
        assert process.poll() is None
        time.sleep(0.01)
    pytest.fail("nothing is written")


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_file_is_read_while_it_grows_and_when_its_writer_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with subprocess.Popen(script(path, 1e4, "MemoryError"), stdout=subprocess.PIPE) as process:
        try:
            wait_for(path, 60, process)
        finally:
            process.kill()
    found = nsmb.Solution.load(path)
    assert found.status == "interrupted"
    begins(found, so_far(found))


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
def test_ctrl_c_leaves_all_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    command = script(path, 1e4, "nsmb.SimulationInterrupted", LISTEN)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            wait_for(path, 40, process)
            process.send_signal(signal.SIGINT)
            out = process.communicate(timeout=120)[0].decode()
        finally:
            process.kill()
    assert "SimulationInterrupted" in out
    found = nsmb.Solution.load(path)
    assert found.status == "interrupted"
    assert found.t[-1] == float(out.split()[-2])
    begins(found, so_far(found), own=1)  # at the interruption


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="files have no limit here")
def test_a_full_disk_ends_a_run_and_nothing_is_lost(tmp_path: Path) -> None:
    """With a size limit, the file and the error contain the run so far.

    The run can be continued from there.
    """
    path, limit = tmp_path / "run.h5", 6_000_000
    before = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
    done = subprocess.run(
        script(path, 3.0, "OSError", before), capture_output=True, timeout=300, check=True
    )
    assert done.stderr == b""
    _, told, rest = done.stdout.decode().splitlines()
    assert told.startswith(f"OSError {errno.EFBIG} [Errno {errno.EFBIG}] ")
    assert f"'{path}' contains the run up to t = " in told
    assert path.stat().st_size <= limit
    found = nsmb.Solution.load(path)
    assert found.status == "interrupted"
    start, joint, end, count = map(float, rest.split())
    assert (start, joint) == (0.0, found.t[-1])
    assert end > joint
    whole = nsmb.simulate(heap(2, 2), end, method=stepped(STEP), output_step=STEP)
    begins(found, whole)
    assert count == len(whole.contacts.points.at(-1))
    system = heap(2, 2)
    more = nsmb.simulate(system, end, method=stepped(STEP), output_step=STEP, start=found)
    assert (found + more).t.size == whole.t.size


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="files have no limit here")
def test_a_disk_that_is_full_at_the_start_is_said_before_anything_is_computed(
    tmp_path: Path,
) -> None:
    before = "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    command = script(tmp_path / "run.h5", 3.0, "ZeroDivisionError", before)
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1].startswith(f"OSError: [Errno {errno.EFBIG}] ")
