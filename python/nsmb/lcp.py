"""The door to `nsmb.complementarity.lcp`."""

from nsmb.complementarity.lcp import *
from nsmb.complementarity.lcp import __all__ as __all__
