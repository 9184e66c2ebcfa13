"""Figures that no single result owns. Results draw themselves with a method ``plot``.

- `histogram`: numbers as a probability density, such as phases of impacts.
- `lyapunov_exponents`: exponents over a parameter, below the bifurcation diagram.
- `Scene`, `SceneItem`, `ContactFrame`: what a system of your own looks like.
- `write_vtk`: a run as files for ParaView.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from nsmb.analysis.figures.plot_motion import histogram as histogram
from nsmb.analysis.figures.plot_sweeps import lyapunov_exponents as lyapunov_exponents
from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.pictures.scene import ContactFrame as ContactFrame
from nsmb.pictures.scene import Scene as Scene
from nsmb.pictures.scene import SceneItem as SceneItem
from nsmb.pictures.vtk import write_vtk as write_vtk

__all__ = [
    "ContactFrame",
    "Scene",
    "SceneItem",
    "histogram",
    "lyapunov_exponents",
    "write_vtk",
]

if not _TYPE_CHECKING:  # type checkers report unknown names themselves

    def __getattr__(name: str) -> _Any:
        raise _unknown_attribute(__name__, name, __all__)
