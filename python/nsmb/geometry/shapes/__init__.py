"""Shapes of bodies for contact in space."""
