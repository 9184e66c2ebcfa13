"""What the pages know of systems by asking nsmb: defaults, units and meanings of parameters.

Usage: ``python docs/browser/export_data.py OUTPUT.json``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import nsmb

SYSTEMS = Path(__file__).parent / "app" / "systems"


def names() -> list[str]:
    """Of the systems that have a file of their own beside ``index.js``."""
    others = {"index", "shapes"}
    return sorted(path.stem for path in SYSTEMS.glob("*.js") if path.stem not in others)


def data_of(name: str) -> dict[str, Any]:
    system = getattr(nsmb.systems, name)()
    parameters = {
        key: {
            "default": value,
            "unit": system.parameter_info[key].unit,
            "description": system.parameter_info[key].description,
        }
        for key, value in system.parameters.items()
    }
    return {"parameters": parameters}


if __name__ == "__main__":
    text = json.dumps({name: data_of(name) for name in names()}, indent=1, ensure_ascii=False)
    Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")
