"""`pytest --nothing-skipped` fails if a test is skipped without a listed reason, and only then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.skips import MAY_BE_SKIPPED, is_listed

ROOT = Path(__file__).resolve().parents[2]
OUTCOME = {
    "passes": ("def test_it() -> None: pass", 0),
    "skips": ("import pytest\ndef test_it() -> None: pytest.skip('no time')", 1),
    "skips as a file": ("import pytest\npytest.importorskip('no_such_module')", 1),
    "skips as listed": (
        "import pytest\n@pytest.mark.skipif(True, reason='sends a signal')\ndef test_it(): pass\n"
        "def test_other(): pass",
        0,
    ),
    "is expected to fail": ("import pytest\n@pytest.mark.xfail\ndef test_it(): assert False", 0),
    "fails": ("def test_it() -> None: assert False", 1),
}


def pytest_in(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    options = ("-p", "tests.support.skips", "--nothing-skipped", "-q", *options)
    command = [sys.executable, "-m", "pytest"]
    return subprocess.run(
        [*command, *options, "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("case", OUTCOME)
def test_what_is_left_out_fails(case: str, tmp_path: Path) -> None:
    text, code = OUTCOME[case]
    (tmp_path / "test_case.py").write_text(text)
    done = pytest_in(tmp_path)
    if case == "skips as a file":  # nothing else was collected
        assert done.returncode in (code, pytest.ExitCode.NO_TESTS_COLLECTED)
    else:
        assert done.returncode == code, done.stdout
    said = "not in tests/support/skips.py" in done.stdout
    assert said == (case in ("skips", "skips as a file"))


def test_what_is_left_out_on_another_core_fails(tmp_path: Path) -> None:
    for name in ("passes", "skips", "skips as a file", "skips as listed"):
        (tmp_path / f"test_{name.replace(' ', '_')}.py").write_text(OUTCOME[name][0])
    done = pytest_in(tmp_path, "-n", "2", "--dist", "loadfile")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if "not in tests/support/skips.py" in line]
    assert any("no time" in line for line in lines)
    assert any("no_such_module" in line for line in lines)
    assert not any("sends a signal" in line for line in lines)


def test_listed_reasons_are_given_somewhere() -> None:
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.name != "skips.py"]
    texts = [path.read_text("utf-8") for path in files]
    for reason in MAY_BE_SKIPPED:
        words = reason.removesuffix(".*")
        assert is_listed(words)
        assert any(f'"{words}' in text for text in texts), reason


def test_make_test_leaves_nothing_out() -> None:
    assert "pytest -q --nothing-skipped " in (ROOT / "Makefile").read_text("utf-8")
