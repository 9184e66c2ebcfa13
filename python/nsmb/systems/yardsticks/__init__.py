"""Oscillators whose orbits and borders are known in closed form."""
