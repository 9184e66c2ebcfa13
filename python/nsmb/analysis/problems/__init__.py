"""Continuation with one function for all kinds of problems."""
