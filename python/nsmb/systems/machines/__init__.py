"""Machines and toys from the literature, with their data."""
