"""Figures of what is found; asks for protocols (`plot_data`), knows no orbit and no branch."""
