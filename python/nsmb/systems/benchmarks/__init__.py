"""Benchmarks: oscillators with orbits and stability borders in closed form."""
