"""The door to `nsmb.pictures.solids`, its name from the next release on."""

import warnings as _warnings

from nsmb.pictures.solids import *
from nsmb.pictures.solids import __all__ as __all__

_warnings.warn(
    "nsmb.solids is nsmb.pictures.solids now; the old name goes with the next release",
    DeprecationWarning,
    stacklevel=2,
)
