"""Figures that a notebook shows once; imported with the first figure, because of Matplotlib."""

from __future__ import annotations

from matplotlib import get_backend, pyplot
from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]


class NotebookFigure(Figure):
    """A figure of pyplot that is not shown twice when it is the last value of a cell.

    The inline backend shows the open figures of pyplot at the end of a cell. Jupyter also shows the
    last value of the cell, so that a returned figure would appear twice.
    """

    def __repr__(self) -> str:
        """Return the text representation of an ordinary figure."""
        return super().__repr__().replace(type(self).__name__, "Figure", 1)

    def _ipython_display_(self) -> None:
        """Close the figure in pyplot, and leave the display to the usual formats of a figure."""
        if "inline" in get_backend():
            pyplot.close(self)
        raise NotImplementedError  # makes IPython use the next format
