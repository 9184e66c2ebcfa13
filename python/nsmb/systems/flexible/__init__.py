"""Bodies that deform, and what impacts without restitution make of them."""
