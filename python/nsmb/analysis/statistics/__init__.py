"""Numbers of long runs: Lyapunov exponents, impacts and what they cost."""
