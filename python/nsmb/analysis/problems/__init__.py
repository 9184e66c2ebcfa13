"""One continuation for all kinds of problems."""
