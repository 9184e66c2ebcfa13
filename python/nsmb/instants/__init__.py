"""One instant of a system: its equations, contact problem, accelerations, impact, constraints."""
