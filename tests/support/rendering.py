"""Check if solids can be rendered on this machine."""

import functools

import numpy as np
import pytest

from nsmb.pictures.framing import View
from nsmb.pictures.rendering import Renderer
from nsmb.pictures.solids import Solid, Sphere


@functools.cache
def why_not() -> str:
    """Return the reason why no image can be rendered, or an empty string."""
    box = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    view = View((-1.0, 1.0), (-1.0, 1.0), box=box)
    poses = [(np.zeros(3), np.eye(3))]
    ball = Solid("ball", 0, Sphere(0.5))
    try:
        Renderer([ball], poses, {"ball": np.ones(3)}, view).image(poses, view, (8, 8))
    except ImportError as error:
        return str(error)
    return ""


def require_rendering() -> None:
    """Skip a test if PyVista or a library for it is missing."""
    if why_not():
        pytest.skip(f"nothing renders here: {why_not()}")
