"""Examples by which the theory is taught: one or two bodies, closed forms."""
