"""What README.md shows is run: each Python block, and each `nsmb ...` command line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def blocks(*languages: str) -> list[str]:
    fence = re.compile(rf"^```(?:{'|'.join(languages)})\n(.*?)^```", re.M | re.S)
    return fence.findall(README.read_text("utf-8"))


def commands() -> list[str]:
    text = "\n".join(blocks("console", "sh")).replace("\\\n", " ")
    return re.findall(r"^(?:\$ )?(nsmb .*)", text, re.M)


def run(arguments: list[str], folder: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg", "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_readme_has_python_blocks() -> None:
    assert blocks("python")


@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code: str, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(code, "utf-8")
    run([sys.executable, "example.py"], tmp_path)


@pytest.mark.parametrize("command", commands())
def test_command_runs(command: str, tmp_path: Path) -> None:
    run(["sh", "-c", command], tmp_path)
