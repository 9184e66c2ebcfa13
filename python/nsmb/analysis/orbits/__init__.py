"""Periodic orbits and their Floquet multipliers, by shooting from rest or from a guess."""
