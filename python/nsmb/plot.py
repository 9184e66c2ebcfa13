"""The door to `nsmb.pictures.plot`, its name from the next release on."""

import warnings as _warnings

from nsmb.pictures.plot import *
from nsmb.pictures.plot import __all__ as __all__

_warnings.warn(
    "nsmb.plot is nsmb.pictures.plot now; the old name goes with the next release",
    DeprecationWarning,
    stacklevel=2,
)
