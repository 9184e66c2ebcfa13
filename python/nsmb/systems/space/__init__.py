"""Rigid bodies in space that roll, spin, fall and pile up."""
