"""Oscillators with orbits and stability borders in closed form."""
