"""Periodic forced responses by harmonic balance."""
