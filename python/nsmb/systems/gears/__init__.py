"""Gears and gearboxes that rattle and transmit torque."""
