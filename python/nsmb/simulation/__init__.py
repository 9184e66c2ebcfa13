"""Runs of a system: the choice of a method, the calls of the core, messages and results."""
