"""The door to `nsmb.pictures.drawing`, its name from the next release on."""

import warnings as _warnings

from nsmb.pictures.drawing import *
from nsmb.pictures.drawing import __all__ as __all__

_warnings.warn(
    "nsmb.drawing is nsmb.pictures.drawing now; the old name goes with the next release",
    DeprecationWarning,
    stacklevel=2,
)
