"""Figures of systems and runs: outlines (`scene`, `solids`), instants, animations, curves.

The modules depend only on the protocols of `subjects`, not on systems or solutions.
"""
