"""Machines and toys of the sources, with their data."""
