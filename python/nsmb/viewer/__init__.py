"""Three-dimensional scenes in a browser, with MeshCat."""

from nsmb.viewer.window import Viewer, view

__all__ = ["Viewer", "view"]
