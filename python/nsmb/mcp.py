"""The door to `nsmb.complementarity.mcp`."""

from nsmb.complementarity.mcp import *
from nsmb.complementarity.mcp import __all__ as __all__
