"""Complementarity problems and their solvers.

`lcp`: linear problems. `mcp`: mixed problems. `friction`: contact problems with Coulomb friction.
`fclib`: contact problems in files.
"""

import typing as _typing

from nsmb.common.arguments import unknown_attribute as _unknown_attribute
from nsmb.complementarity import fclib as fclib
from nsmb.complementarity import friction as friction
from nsmb.complementarity import lcp as lcp
from nsmb.complementarity import mcp as mcp

__all__ = ["fclib", "friction", "lcp", "mcp"]

if not _typing.TYPE_CHECKING:  # type checkers report names that do not exist

    def __getattr__(name: str) -> _typing.Any:
        raise _unknown_attribute(__name__, name, __all__)
