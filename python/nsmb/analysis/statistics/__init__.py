"""Evaluation of long runs: Lyapunov exponents, and blows of one-sided forces."""
