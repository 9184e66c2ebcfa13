"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
from pathlib import Path

text = (Path(__file__).resolve().parents[1] / "pyproject.toml").read_text("utf-8")
found = set(re.findall(r'"([\w.-]+)(?:\[[\w,]+\])?>=([\d.]+)', text))
names = sorted(name for name, _ in found)
twice = [name for name in sorted(set(names)) if names.count(name) > 1]
if twice:
    raise SystemExit(f"pyproject.toml: must state one lowest version of each, got two of {twice}")
print(*(f"{name}=={version}" for name, version in sorted(found)), sep="\n")
