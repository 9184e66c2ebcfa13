"""Interactive pages for systems and diagrams, in notebooks and Voilà."""

from __future__ import annotations

from nsmb.explorer.system_view import SystemExplorer as SystemExplorer
from nsmb.explorer.system_view import explore as explore

__all__ = ["SystemExplorer", "explore"]
