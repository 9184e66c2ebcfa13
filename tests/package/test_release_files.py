"""Release files other than code are consistent and follow the rules of their formats."""

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import nsmb

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ["310", "311", "312", "313", "314"]
needs_judges = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="the judges of the repository need Python 3.11"
)


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def call(*command: object) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run(*words: object) -> str:
    return call(sys.executable, "-m", *words)


def entry(pattern: str, name: str) -> str:
    """Return the only match in a file."""
    (found,) = re.findall(pattern, text(name), re.M)
    return str(found)


def test_version_is_written_once_and_read_elsewhere() -> None:
    version = entry(r'^version = "([^"]+)"', "pyproject.toml")
    assert nsmb.__version__ == metadata.version("nsmb") == version
    assert entry(r"^version: (.+)$", "CITATION.cff") == version
    assert "file(STRINGS pyproject.toml version_line" in text("CMakeLists.txt")
    assert "project(nsmb VERSION ${version}" in text("CMakeLists.txt")
    known = re.findall(r"^## \[([^\]]+)\]", text("CHANGELOG.md"), re.M)
    assert version in known or known[0] == "Unreleased"


def test_address_licence_and_authors_are_those_of_pyproject() -> None:
    address = entry(r'^Repository = "([^"]+)"', "pyproject.toml")
    assert entry(r"^repository-code: (.+)$", "CITATION.cff") == address
    authors = entry(r'^authors = \[\{ name = "([^"]+)" \}\]', "pyproject.toml")
    assert entry(r"^authors:\n  - name: (.+)$", "CITATION.cff") == authors
    assert entry(r"^authors:\n  - name: (.+)$", "paper/paper.md") == authors
    licence = entry(r'^license = "([^"]+)"', "pyproject.toml")
    assert entry(r"^license: (.+)$", "CITATION.cff") == licence


FORMS = sorted(path.name for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted(path.name for path in (ROOT / ".github/workflows").glob("*.yml"))
SCHEMAS = {
    "citation-file-format": ["CITATION.cff"],
    "dependabot": [".github/dependabot.yml"],
    "github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
    "github-issue-forms": [f".github/ISSUE_TEMPLATE/{n}" for n in FORMS if n != "config.yml"],
    "github-workflows": [f".github/workflows/{n}" for n in WORKFLOWS],
}


@needs_judges
@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_for_others_follow_their_schema(schema: str) -> None:
    assert SCHEMAS[schema]
    run("check_jsonschema", "--builtin-schema", f"vendor.{schema}", *SCHEMAS[schema])


def test_pyproject_follows_the_schemas_of_its_tools() -> None:
    run("validate_pyproject", "pyproject.toml")


@needs_judges
def test_workflows_pass_the_security_linter() -> None:
    call(Path(sys.executable).with_name("zizmor"), "--offline", "--no-progress", ".github")


@needs_judges
def test_repo_review_finds_nothing() -> None:
    """Rules are those of the Scientific Python guide, with exceptions in pyproject.toml."""
    report = json.loads(run("repo_review", "--format", "json", "."))
    checks: dict[str, dict[str, Any]] = report["checks"]
    passed = [name for name, check in checks.items() if check["result"] is True]
    assert len(passed) > 60
    assert [name for name, check in checks.items() if check["result"] is False] == []


def test_pre_commit_hooks_have_the_versions_of_the_development_tools() -> None:
    pins = dict(re.findall(r'^  "([a-z-]+)==([^";]+)', text("pyproject.toml"), re.M))
    hooks = dict(
        re.findall(
            r"^  - repo: https://github\.com/.+/([a-z-]+)\n    rev: v?(.+)$",
            text(".pre-commit-config.yaml"),
            re.M,
        )
    )
    repositories = {
        "check-jsonschema": "check-jsonschema",
        "clang-format": "mirrors-clang-format",
        "mypy": "mirrors-mypy",
        "ruff": "ruff-pre-commit",
        "zizmor": "zizmor-pre-commit",
    }
    assert {tool: hooks[name] for tool, name in repositories.items()} == {
        tool: pins[tool] for tool in repositories
    }
    assert f"cibuildwheel=={pins['cibuildwheel']}" in text(".github/workflows/wheels.yml")


def jobs_of_the_wheels() -> list[tuple[str, str]]:
    """Return platform and architecture of each job of the workflow."""
    rows = re.findall(r"platform: (\w+), archs: (\w+) }", text(".github/workflows/wheels.yml"))
    assert rows
    return rows


@needs_judges
@pytest.mark.parametrize(("platform", "archs"), jobs_of_the_wheels())
def test_wheels_are_configured_for_every_python(platform: str, archs: str) -> None:
    options = ("--platform", platform, "--archs", archs)
    found = run("cibuildwheel", "--print-build-identifiers", *options, ".").split()
    kinds = {
        "linux": [f"manylinux_{archs}", f"musllinux_{archs}"],
        "macos": [f"macosx_{archs}"],
        "windows": [f"win_{archs.lower()}"],
        "pyodide": ["pyodide_wasm32"],
    }[platform]
    pythons = [name for name in PYTHONS if platform != "pyodide" or name in ("313", "314")]
    assert sorted(found) == sorted(f"cp{name}-{kind}" for name in pythons for kind in kinds)


def test_supported_pythons_are_named_once_for_each_purpose() -> None:
    said = re.findall(r"Programming Language :: Python :: 3\.(\d+)", text("pyproject.toml"))
    assert [f"3{minor}" for minor in said] == PYTHONS
    assert entry(r'^requires-python = ">=3\.(\d+)"', "pyproject.toml") == said[0]
