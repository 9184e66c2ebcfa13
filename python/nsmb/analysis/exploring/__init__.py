"""From a point of a diagram to its orbit, and from the orbit to a branch."""
