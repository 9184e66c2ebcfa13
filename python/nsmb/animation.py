"""The door to `nsmb.pictures.animation`, its name from the next release on."""

import warnings as _warnings

from nsmb.pictures.animation import *
from nsmb.pictures.animation import __all__ as __all__

_warnings.warn(
    "nsmb.animation is nsmb.pictures.animation now; the old name goes with the next release",
    DeprecationWarning,
    stacklevel=2,
)
