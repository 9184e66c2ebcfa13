"""The paths of docs/learn/first-steps.md, typed in as they stand, on a machine with nothing else.

Each path gets an empty home, a folder of its own, and a PATH with a shell, Python and a few small
tools, but no compiler. Its `pip install` takes nsmb from a wheel: `NSMB_WHEEL`, or one made of the
installed package, and everything else from where pip is told to look on this machine.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.support.documents import Step, agree, steps_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "learn" / "first-steps.md"
BIN = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
# What activating an environment and matplotlib's search for fonts may call.
TOOLS = ("sh", "uname", "basename", "dirname", "cat", "mkdir", "rm", "ls")
CORE = re.compile(r"nsmb/_core[^/]*\.(so|pyd)")
COMPILERS = ("c++", "g++", "gcc", "cc", "clang", "clang++", "cmake", "ninja", "make")


def paths() -> dict[str, list[Step]]:
    """The steps below each heading."""
    text = PAGE.read_text("utf-8")
    heads = [(text.count("\n", 0, m.start()), m[1]) for m in re.finditer(r"^## (.*)$", text, re.M)]
    found: dict[str, list[Step]] = {title: [] for _, title in heads}
    for step in steps_of(PAGE, every=True):
        title = [title for line, title in heads if line < step.line][-1]
        found[title].append(step)
    return found


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = os.environ.get("NSMB_WHEEL")
    return Path(given).resolve() if given else packed(tmp_path_factory.mktemp("wheel"))


def packed(folder: Path) -> Path:
    """A wheel of the installed package: what a wheel holds, its record made anew."""
    installed = distribution("nsmb")
    info = f"nsmb-{installed.version}.dist-info"
    tag = re.findall(r"^Tag: (.*)$", installed.read_text("WHEEL") or "", re.M)[0]
    path = folder / f"nsmb-{installed.version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in installed.files or []:
            name = file.as_posix()
            made_by_pip = file.name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
            if not name.startswith(("nsmb/", f"{info}/")) or made_by_pip or file.suffix == ".pyc":
                continue
            content = file.read_binary()
            archive.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{name},sha256={digest.decode()},{len(content)}")
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    return path


def core_of(wheel: Path) -> list[bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return [archive.read(name) for name in archive.namelist() if CORE.fullmatch(name)]


def cores(folder: Path) -> list[bytes]:
    """The compiled cores in the environments below a folder."""
    return [
        path.read_bytes()
        for path in folder.glob("*/lib/python*/site-packages/nsmb/_core*")
        if path.is_file()
    ]


def bare_machine(folder: Path, wheel: Path) -> dict[str, str]:
    """The environment variables of a machine that has Python and a shell."""
    tools, home = folder / "tools", folder / "home"
    tools.mkdir()
    home.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found, name
        (tools / name).symlink_to(found)
    python = tools / "python3"
    python.write_text(f'#!{shutil.which("sh")}\nexec "{sys._base_executable}" "$@"\n', "utf-8")
    python.chmod(0o755)
    (folder / "constraints.txt").write_text(f"nsmb=={wheel.name.split('-')[1]}\n", "utf-8")
    kept = {k: v for k, v in os.environ.items() if k.startswith("PIP_") or k.endswith("_PROXY")}
    kept |= {k: os.environ[k] for k in ("SSL_CERT_FILE", "SSL_CERT_DIR") if k in os.environ}
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    settings = Path.home() / ".config" / "pip" / "pip.conf"
    return kept | {
        "PATH": str(tools),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "PIP_FIND_LINKS": f"{wheel.parent} {kept.get('PIP_FIND_LINKS', '')}".strip(),
        "PIP_CONSTRAINT": str(folder / "constraints.txt"),
        "PIP_CACHE_DIR": str(Path(cache) / "pip"),
        **({"PIP_CONFIG_FILE": str(settings)} if settings.is_file() else {}),
    }


def test_a_bare_machine_has_no_compiler(tmp_path: Path, wheel: Path) -> None:
    path = bare_machine(tmp_path, wheel)["PATH"]
    assert [name for name in COMPILERS if shutil.which(name, path=path)] == []


def test_there_are_three_paths_each_with_a_picture() -> None:
    assert len(paths()) == 3
    for steps in paths().values():
        text = "\n".join(step.text for step in steps)
        assert re.search(r"python3 -m venv", text)
        assert re.search(r"\w+\.png", text)


def test_without_compiler_the_build_says_what_the_page_says(tmp_path: Path) -> None:
    """What `pip install .` shows comes from CMake, which is asked alone here."""
    found = {name: shutil.which(name, path=BIN) for name in ("cmake", "ninja")}
    assert all(found.values()), found
    done = subprocess.run(
        [
            str(found["cmake"]), "-S", str(ROOT), "-B", str(tmp_path / "build"), "-G", "Ninja",
            f"-DCMAKE_MAKE_PROGRAM={found['ninja']}", "-DNSMB_PYTHON=OFF",
        ],
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
    )  # fmt: skip
    assert done.returncode != 0
    shown = "No CMAKE_CXX_COMPILER could be found"
    assert shown in done.stderr
    for page in ("messages.md", "installation.md"):
        assert shown in (PAGE.parent / page).read_text("utf-8")


@pytest.mark.parametrize("title", paths())
def test_path_leads_to_its_picture(title: str, tmp_path: Path, wheel: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    script = ["set -e"]
    printing = []
    for step in paths()[title]:
        if step.kind == "file":
            (work / step.name).write_text(step.text, "utf-8")
        elif step.shown is not None:
            script.append(f"{step.text} > printed-{len(printing)}.txt")
            printing.append(step)
        else:
            script.append(step.text)
    done = subprocess.run(
        [tmp_path / "tools" / "sh", "-c", "\n".join(script)],
        cwd=work,
        env=bare_machine(tmp_path, wheel),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert cores(work) == core_of(wheel), "another package of that name was installed"
    for i, step in enumerate(printing):
        printed = (work / f"printed-{i}.txt").read_text("utf-8")
        assert agree(step.shown or "", printed), printed
    text = "\n".join(step.text for step in paths()[title])
    for picture in set(re.findall(r"[\w-]+\.png", text)):
        assert (work / picture).read_bytes().startswith(b"\x89PNG"), picture
