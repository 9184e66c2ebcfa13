"""Sections of a motion and the Poincaré map between them, with its derivative."""
