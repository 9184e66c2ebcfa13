"""The door to `nsmb.complementarity.friction`."""

from nsmb.complementarity.friction import *
from nsmb.complementarity.friction import __all__ as __all__
