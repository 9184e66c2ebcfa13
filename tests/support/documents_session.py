"""Run the steps of one page in this process and its folder: `documents_session.py plan.json`."""

import contextlib
import io
import json
import subprocess
import sys
import traceback
import types
from pathlib import Path


def run_python(step: dict, names: dict) -> tuple[str, bool]:
    printed = io.StringIO()
    failed = False
    with contextlib.redirect_stdout(printed), hidden(step["without"]):
        try:
            exec(compile(step["text"], f"line {step['line']}", "exec"), names)
        except Exception as error:  # the page may show an exception
            lines = traceback.format_exception_only(error)
            printed.write("".join(lines))
            failed = True
    return printed.getvalue(), failed


@contextlib.contextmanager
def hidden(packages: list):
    """Hide these packages, as if they were not installed."""
    kept = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in packages and module is not None
    }
    for name in [*packages, *kept]:
        sys.modules[name] = None
    try:
        yield
    finally:
        for name in [*packages, *kept]:
            del sys.modules[name]
        sys.modules.update(kept)


def run_command(step: dict) -> tuple[str, bool]:
    done = subprocess.run(
        ["sh", "-c", step["text"]],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    failed = done.returncode != 0
    return done.stdout + (done.stderr if failed else ""), failed


def main(plan: Path) -> None:
    page = types.ModuleType("__main__")
    sys.modules["__main__"] = page
    sys.path.insert(0, str(Path.cwd()))
    results = []
    for step in json.loads(plan.read_text("utf-8")):
        if step["kind"] == "file":
            Path(step["name"]).write_text(step["text"], "utf-8")
            printed, failed = "", False
        elif step["kind"] == "python":
            printed, failed = run_python(step, page.__dict__)
        else:
            printed, failed = run_command(step)
        results.append({"printed": printed, "failed": failed})
    plan.with_name("results.json").write_text(json.dumps(results), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
