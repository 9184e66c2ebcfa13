"""Textbook examples of one or two bodies with closed-form solutions."""
