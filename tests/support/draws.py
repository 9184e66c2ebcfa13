"""Numbers for Hypothesis that a reference can resolve."""

from hypothesis import strategies as st

__all__ = ["numbers"]

# A drawn number is zero or at least this share of the range. Integrators of other libraries divide
# zero by zero in their step control for values such as 5e-157.
RESOLVED = 1e-9


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Draw numbers in [low, high] that are zero or not far below the size of the range."""
    smallest = RESOLVED * max(abs(low), abs(high))
    drawn = st.floats(low, high)
    if low > 0.0 or high < 0.0:
        return drawn
    return drawn.map(lambda value: value if abs(value) >= smallest else 0.0)
