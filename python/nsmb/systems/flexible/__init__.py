"""Elastic bodies and their contacts."""
