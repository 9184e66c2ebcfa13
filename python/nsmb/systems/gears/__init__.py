"""Gears that rattle and turn."""
