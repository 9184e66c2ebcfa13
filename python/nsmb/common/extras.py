"""Optional dependencies."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["import_extra"]


def import_extra(module: str, extra: str) -> Any:
    """Import an optional dependency, or raise ImportError naming the extra that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{package} is not installed: pip install 'nsmb[{extra}]'") from error
