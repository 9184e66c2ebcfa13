"""Bodies that roll, spin and stand in space."""
