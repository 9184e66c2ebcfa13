"""The door to `nsmb.complementarity.fclib`."""

from nsmb.complementarity.fclib import *
from nsmb.complementarity.fclib import __all__ as __all__
