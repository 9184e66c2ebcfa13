"""Periodic orbits: found from rest or a guess by shooting, with Floquet multipliers."""
