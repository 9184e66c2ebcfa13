"""Figures that do not belong to a single result. Results have their own method ``plot``.

- `histogram`: probability density of numbers, such as phases of impacts.
- `lyapunov_exponents`: Lyapunov exponents over a parameter, below the bifurcation diagram.
- `Scene`, `SceneItem`, `ContactFrame`: appearance of your own systems in figures and animations.
- `write_vtk`: export of a run to files for ParaView.
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
