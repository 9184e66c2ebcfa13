"""Figures of results, which are accessed only through the protocols of `plot_data`."""
