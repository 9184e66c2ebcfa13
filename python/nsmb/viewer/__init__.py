"""Scenes in space, in a browser through MeshCat."""

from nsmb.viewer.window import Viewer, view

__all__ = ["Viewer", "view"]
