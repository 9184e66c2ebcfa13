#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Commands of the Makefile for those who use nox; they need Python and a compiler."""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))


@nox.session
def lint(session: nox.Session) -> None:
    """Formatting, style and types."""
    session.install(".[dev]")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The suite; what follows ``--`` goes to pytest."""
    session.install(".[dev]")
    session.run("python", "-m", "pytest", "-q", *session.posargs)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """The site and its checks."""
    session.install(".[docs]")
    session.run("bash", ".ci/docs.sh", env={"PYTHON": "python"}, external=True)


@nox.session(venv_backend="none", default=False)
def wheel(session: nox.Session) -> None:
    """Sdist and wheel, tried where no compiler is."""
    session.run("bash", ".ci/wheel.sh", *session.posargs)


if __name__ == "__main__":
    nox.main()
