"""y = A x + b, 0 <= x, y: linear (`lcp`), mixed (`mcp`) and with friction cones (`friction`)."""

from nsmb.complementarity import friction as friction
from nsmb.complementarity import lcp as lcp
from nsmb.complementarity import mcp as mcp

__all__ = ["friction", "lcp", "mcp"]
