"""y = A x + b, 0 <= x, y: linear (`lcp`), mixed (`mcp`), with friction (`friction`, `fclib`)."""

from nsmb.complementarity import fclib as fclib
from nsmb.complementarity import friction as friction
from nsmb.complementarity import lcp as lcp
from nsmb.complementarity import mcp as mcp

__all__ = ["fclib", "friction", "lcp", "mcp"]
