"""Figures that a notebook shows once. Imported when a figure is made: it needs Matplotlib."""

from __future__ import annotations

from matplotlib import get_backend, pyplot
from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]


class NotebookFigure(Figure):
    """A figure of pyplot that is not shown twice when it is the last value of a cell.

    The inline backend shows the open figures of pyplot at the end of a cell. Jupyter shows the last
    value of the cell in addition, so that a returned figure appeared twice.
    """

    def __repr__(self) -> str:
        """Return the text of any figure."""
        return super().__repr__().replace(type(self).__name__, "Figure", 1)

    def _ipython_display_(self) -> None:
        """Take the figure from pyplot, and leave the display to the usual formats of a figure."""
        if "inline" in get_backend():
            pyplot.close(self)
        raise NotImplementedError  # asks IPython for the next format
